"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from craton.errors import CratonError


class CannotWrite(CratonError):
    """A file the user asked for cannot be written there."""


def check_can_be_written(path: Path) -> None:
    """Before long work: a place that cannot be written to is bad input."""
    if not path.resolve().parent.is_dir():
        raise CannotWrite(f"cannot write {path}: there is no directory {path.parent}")
    if path.is_dir():
        raise CannotWrite(f"cannot write {path}: it is a directory")
    if not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        raise CannotWrite(f"cannot write {path}: there is no permission to")


def check_directory_can_be_made(path: Path) -> None:
    """Before long work: a directory that is there, or can be made with all those it lies in."""
    there = next(place for place in (path.resolve(), *path.resolve().parents) if place.exists())
    if not there.is_dir():
        raise CannotWrite(f"cannot write to {path}: {'it' if there == path.resolve() else there} is not a directory")
    if not os.access(there, os.W_OK):
        raise CannotWrite(f"cannot write to {path}: there is no permission to")


def check_own_places(outputs: Iterable[Path | None], inputs: Iterable[Path]) -> None:
    """What is written has a place of its own: a program is not lost because a name was mistyped."""
    taken = {path.resolve() for path in inputs}
    for path in (one for one in outputs if one is not None):
        if path.resolve() in taken and not path.is_char_device():
            raise CannotWrite(f"cannot write {path}: this file is read, or written, for something else")
        taken.add(path.resolve())


def make_directory(path: Path) -> None:
    """The directory, and all those it lies in, if they are not there yet."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise CannotWrite(f"cannot make the directory {path}: {problem.strerror}") from problem


def write_atomically(path: Path, content: str | bytes) -> None:
    """All of the file or nothing of it, whatever happens meanwhile. What is there and no file (a device, a pipe) is
    written to, not replaced.
    """
    if path.exists() and not path.is_file():
        return _write_to(path, content)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(_bytes(content))
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise CannotWrite(f"cannot write {path}: {problem.strerror}") from problem


def _write_to(path: Path, content: str | bytes) -> None:
    try:
        path.write_bytes(_bytes(content))
    except OSError as problem:
        raise CannotWrite(f"cannot write {path}: {problem.strerror}") from problem


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
