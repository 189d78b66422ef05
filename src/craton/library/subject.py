"""What is asked about: files, or a text that is in no file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from craton.frontends.programs import Request

if TYPE_CHECKING:
    from craton.frontends.function_entry import FunctionProgram

T = TypeVar("T")

SUFFIXES = {"c": ".c", "boogie": ".bpl", "clauses": ".smt2"}


@dataclass(frozen=True, slots=True)
class Subject:
    """A request. If it has a text, that stands in the one file that the request names, and in no other place.

    The file lies in a folder of its own, which workers go into: verdicts speak of `program.c`, not of a folder that is
    gone by then.
    """

    request: Request
    text: str | None = None

    @classmethod
    def of_text(cls, text: str, language: str, request: Request) -> Subject:
        return cls(replace(_absolute(request), files=(f"program{SUFFIXES[language]}",)), text)

    @contextmanager
    def at_hand(self) -> Iterator[Path | None]:
        """While its files can be read: the folder that whoever reads them has to be in, if any."""
        if self.text is None:
            yield None
            return
        with TemporaryDirectory(prefix="craton-") as folder:
            (Path(folder) / self.request.files[0]).write_text(self.text, encoding="utf-8")
            yield Path(folder)

    @contextmanager
    def calling(self, function: str | None, folder: Path | None) -> Iterator[FunctionProgram | None]:
        """While its copy can be read: the program that calls the function; None if none is named. The folder is where
        the files are at hand.
        """
        if function is None:
            yield None
            return
        from craton.frontends.function_entry import calling

        named = self.request.files
        files = named if folder is None else tuple(str(folder / name) for name in named)
        with TemporaryDirectory(prefix="craton-", ignore_cleanup_errors=True) as copies:
            called = calling(replace(self.request, files=files), function, Path(copies))
            yield called if folder is None else replace(called, original=named[0])


def inside(folder: Path | None, work: Callable[[], T]) -> T:
    """For workers only: the folder is that of the whole process from now on."""
    if folder is not None:
        os.chdir(folder)
    return work()


def _absolute(request: Request) -> Request:
    """Names of files that mean the same in any folder."""
    named = request.property_file
    return replace(
        request,
        property_file=os.path.abspath(named) if named is not None and os.path.exists(named) else named,
        include=tuple(map(os.path.abspath, request.include)),
    )
