"""Small pieces of English."""

from __future__ import annotations

import pytest

from craton.words import counted


@pytest.mark.parametrize(("number", "text"), [(0, "0 inputs"), (1, "1 input"), (2, "2 inputs"), (21, "21 inputs")])
def test_one_is_not_many(number: int, text: str) -> None:
    assert counted(number, "input") == text
