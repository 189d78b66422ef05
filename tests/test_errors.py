"""Errors travel between processes as they are, whatever their constructors ask for."""

from __future__ import annotations

import pickle

import pytest

from craton.errors import CratonError, MissingCapability, SmtLibError
from craton.frontends.c.errors import Unsupported
from craton.program.origin import SourceRange
from craton.registry.expressions import ExpressionError

ERRORS = [
    SmtLibError("line 3: what is this?"),
    MissingCapability("bitwuzla does not know Ints"),
    ExpressionError("newton(", 7, "expected a name"),
    Unsupported("setjmp", SourceRange("program.c", 3, 5, 3, 11)),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_pickling_keeps_kind_text_and_attributes(error: CratonError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.args == error.args
    assert vars(again) == vars(error)
    assert again.exit_code == error.exit_code


def test_exit_codes_tell_bad_input_from_what_is_not_supported() -> None:
    assert SmtLibError("").exit_code == 2
    assert Unsupported("setjmp", None).exit_code == 3
