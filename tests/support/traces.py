"""The shared catalogue of traces: `traces/data`, in the format of `support.trace_reader`, and paths of C programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from craton.logic import Term
from craton.program.statements import Block
from craton.traces.trace import Trace
from support.c_traces import CProgram, c_programs
from support.declarations import declarations_of, symbols_of
from support.entries import TESTS, Line, check_names, read_entries, theory_and_name
from support.trace_reader import trace_of

FOLDER = TESTS / "traces" / "data"


@dataclass(frozen=True)
class Example:
    name: str
    theory: str
    declarations: str
    lines: tuple[Line, ...]

    @cached_property
    def trace(self) -> Trace:
        return trace_of(self.declarations, self.lines)

    @property
    def has_blocks(self) -> bool:
        return any(isinstance(edge.statement, Block) for edge in self.trace.edges)

    def variable(self, name: str) -> Term:
        found = symbols_of(self.declarations)[name]
        assert isinstance(found, Term)
        return found

    def __str__(self) -> str:
        return f"{self.theory}: {self.name}"


@dataclass(frozen=True)
class CExample(Example):
    """A trace of a C program."""

    program: CProgram

    @cached_property
    def trace(self) -> Trace:
        return self.program.trace


def read_examples(paths: Iterable[Path]) -> dict[str, Example]:
    """The traces of some files, by their names."""
    found: dict[str, Example] = {}
    names: list[Line] = []
    for entry in (entry for path in paths for entry in read_entries(path, ("var",))):
        theory, name = theory_and_name(entry)
        names.append(Line(name, entry.title.place))
        found[name] = Example(name, theory, declarations_of(entry), entry.lines)
    check_names(names)
    return found


INFEASIBLE = read_examples(sorted((FOLDER / "infeasible").glob("*.trace")))
INFEASIBLE |= {name: CExample(name, "c", "", (), program) for name, program in c_programs().items()}
FEASIBLE = read_examples([FOLDER / "feasible.trace"])
