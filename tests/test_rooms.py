"""Tests mirror the source: each room of `src/craton` has its place here."""

from __future__ import annotations

from pathlib import Path

import pytest

import craton
from support.entries import TESTS

SOURCE = Path(craton.__file__).parent
ELSEWHERE = {
    "api": "test_public_api.py",
    "version": "commands/test_cli.py",
    "arguments": "commands/test_verify.py",
}  # rooms whose tests stand with those of another


def rooms() -> list[str]:
    """Packages and modules, by their names."""
    packages = [path.parent.name for path in SOURCE.glob("*/__init__.py")]
    modules = [path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__")]
    return sorted(packages + modules)


@pytest.mark.parametrize("room", rooms())
def test_a_room_has_its_place(room: str) -> None:
    files = [TESTS / f"test_{room}.py", TESTS / ELSEWHERE.get(room, ""), *(TESTS / room).rglob("test_*.py")]
    assert any(path.is_file() for path in files), f"nothing tests {room}: a file test_{room}.py, or files in {room}/"
