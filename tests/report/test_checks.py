"""Checks in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton import load
from craton.report.checks import listed


def told(folder: Path, source: str) -> set[str]:
    file = folder / "program.bpl"
    file.write_text(source)
    return {one["text"] for one in listed(load(file))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("assert x > 1;", 'assertion "x > 1" fails'),
        ("while (x < 5) invariant x <= 5; { x := x + 1; }", 'loop invariant "x <= 5" does not hold'),
        ("call p(x);", "a precondition of `call p(x);` does not hold"),
    ],
)
def test_boogie(text: str, expected: str, tmp_path: Path) -> None:
    source = f"procedure p(n: int) requires n > 0; {{ }}\nprocedure main() {{ var x: int; {text} }}\n"
    assert told(tmp_path, source) == {expected}


def test_a_postcondition(tmp_path: Path) -> None:
    source = "procedure main() returns (r: int) ensures r > 0; { r := 1; }\n"
    assert told(tmp_path, source) == {'postcondition "r > 0" does not hold'}
