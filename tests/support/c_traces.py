"""Traces that the C front end makes: error paths of the small safe programs in `traces/data/c`.

// title: a list of two           the trace's name
// rounds: 2                      how often its loops are gone through
// level: block                   single statements (edge), or what lies between loop heads as one (block)

Of the error paths of that kind the longest is taken: one that goes through everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from craton.frontends.c import load_c
from craton.program.blocks import encode_blocks
from craton.program.inlining import inline
from craton.traces.levels import Level
from craton.traces.paths import error_paths, rounds
from craton.traces.trace import Trace
from support.entries import TESTS, BadExample, Line, check_names
from support.headers import header_of

FOLDER = TESTS / "traces" / "data" / "c"


@dataclass(frozen=True)
class CProgram:
    path: Path
    title: str
    rounds: int
    level: Level

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def trace(self) -> Trace:
        program = inline(load_c([self.path])).program
        if self.level is Level.BLOCK:
            program = encode_blocks(program).program
        paths = [path for path in error_paths(program, self.rounds) if rounds(path) == self.rounds]
        if not paths:
            raise BadExample(str(self.path), f"no error path goes through a loop {self.rounds} times")
        return max(paths, key=len)


def _read(path: Path) -> CProgram:
    said = header_of(path, ("title", "rounds", "level"))
    try:
        return CProgram(path, said["title"], int(said["rounds"]), Level(said["level"]))
    except ValueError as error:
        raise BadExample(str(path), str(error)) from None


def c_programs() -> dict[str, CProgram]:
    found = [_read(path) for path in sorted(FOLDER.glob("*.c"))]
    check_names(Line(program.title, str(program.path)) for program in found)
    return {program.title: program for program in found}
