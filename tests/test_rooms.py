"""Tests mirror the source: each room of `src/craton` has its place here."""

from __future__ import annotations

from pathlib import Path

import pytest

import craton
from support.entries import TESTS

SOURCE = Path(craton.__file__).parent
ELSEWHERE = {  # rooms whose tests stand with those of another, and in which file
    "verify": "engines/test_verify.py",
    "processes": "test_worker.py",
}


def rooms() -> list[str]:
    """Packages and modules, by their names."""
    packages = [path.parent.name for path in SOURCE.glob("*/__init__.py")]
    modules = [path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__")]
    return sorted(packages + modules)


@pytest.mark.parametrize("room", rooms())
def test_a_room_has_its_place(room: str) -> None:
    if room in ELSEWHERE:
        assert (TESTS / ELSEWHERE[room]).is_file()
    else:
        own = TESTS / f"test_{room}.py"
        assert own.is_file() or list((TESTS / room).rglob("test_*.py")), f"nothing tests {room}: {own} or {room}/"
