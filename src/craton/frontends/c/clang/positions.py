"""Where things stand in the text of one file and of what it includes."""

from __future__ import annotations

import re
from bisect import bisect_right

from craton.frontends.c.clang.bindings import CXLocation, CXRange, Unit, expansion, lib, text
from craton.frontends.c.syntax.nodes import Extent
from craton.program.origin import SourceRange

_Position = tuple[int | None, int, int, int]  # file, line, column, offset


class Positions:
    """The positions of one translation unit."""

    def __init__(self, unit: Unit) -> None:
        self._names: dict[int | None, str] = {}
        self._places: dict[tuple[int, int | None, int | None], _Position] = {}
        self._main, self._base = unit.main_file()
        text_ = unit.file_contents(self._main)
        self._lines = [0, *(match.end() for match in re.finditer(rb"\n", text_))]
        self._end = self._base + len(text_)

    def _place(self, a: int | None, b: int | None, offset: int) -> _Position:
        if self._base <= offset <= self._end:  # clang would count from the line's beginning, which may be far
            position = offset - self._base
            line = bisect_right(self._lines, position)
            return self._main, line, position - self._lines[line - 1] + 1, position
        key = (offset, a, b)
        found = self._places.get(key)
        if found is None:
            location = CXLocation(a, b, offset)
            found = self._places[key] = expansion(location)
        return found

    def source_range(self, extent: CXRange | Extent) -> SourceRange | None:
        if isinstance(extent, CXRange):
            begin, end, a, b = extent.begin, extent.end, extent.a, extent.b
        else:
            begin, end, a, b = extent
        if begin == 0:
            return None
        file, line, column, _ = self._place(a, b, begin)
        _, end_line, end_column, _ = self._place(a, b, end)
        return SourceRange(self._name(file), line, column, end_line, end_column)

    def _name(self, file: int | None) -> str:
        if file not in self._names:
            self._names[file] = text(lib().clang_getFileName(file))
        return self._names[file]
