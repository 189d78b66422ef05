"""Names are found when they are first used, once, and only those that a package has."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

from craton.lazy_imports import lazy_imports


def test_a_name_is_imported_when_it_is_used_and_then_there_for_good() -> None:
    package: dict[str, Any] = {"__name__": "some.package"}
    find = lazy_imports(package, {"Fraction": "fractions"})
    assert "Fraction" not in package
    assert find("Fraction") is Fraction
    assert package["Fraction"] is Fraction


def test_another_name_is_an_attribute_error_as_everywhere() -> None:
    find = lazy_imports({"__name__": "some.package"}, {"Fraction": "fractions"})
    with pytest.raises(AttributeError, match=r"module 'some.package' has no attribute 'other'"):
        find("other")


@pytest.mark.parametrize(
    ("imported", "unneeded"),
    [
        ("craton.smt", ("z3", "cvc5", "bitwuzla")),
        ("craton.verification.stages", ("craton.engines.bounded", "craton.traces", "craton.smt")),
    ],
)
def test_what_comes_first_does_not_import_what_comes_later(imported: str, unneeded: tuple[str, ...]) -> None:
    """Starting quickly depends on it."""
    script = f"import sys, {imported}; print(sorted(set({unneeded!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
