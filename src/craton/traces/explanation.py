"""One trace and what refiners learn from it, side by side, as in Figure 2 of [CN]."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from craton.logic import Term, infix, size
from craton.program.cfa import Program
from craton.program.readable import Readable
from craton.smt import make_solver
from craton.traces.perfect import quality
from craton.traces.refutation import Abstraction, Answer, Feasible, GaveUp, Quality, Refiner, Refutation
from craton.traces.trace import Trace
from craton.words import counted

_SHORT_OF_PERFECT = {
    None: "",
    Quality.TRACE: "",
    Quality.INDUCTIVE: ", but has a loop invariant",
    Quality.PROVING: ", but proves its path program",
}


@dataclass(frozen=True, slots=True)
class Column:
    """What one refiner made of the trace."""

    refiner: str
    answer: Answer
    seconds: float
    quality: Quality | None  # None where there is no sequence to judge

    @property
    def perfect(self) -> bool | None:
        return None if self.quality is None else self.quality is Quality.PERFECT

    @property
    def assertions(self) -> tuple[Term, ...]:
        return self.answer.assertions if isinstance(self.answer, Refutation) else ()

    @property
    def core(self) -> frozenset[int] | None:
        """The steps in the infeasible core, for refiners that have one."""
        return self.answer.core if isinstance(self.answer, Refutation) else None

    def live(self, position: int) -> tuple[str, ...]:
        """The live variables at a position, for refiners that know them."""
        found = self.answer.live if isinstance(self.answer, Refutation) else None
        if found is None:
            return ()
        return tuple(v.name for v in sorted(found[position], key=lambda v: v.serial))

    @property
    def abstraction(self) -> Abstraction | None:
        """How the trace was abstracted before it was refuted, if it was ([EI] VI)."""
        return self.answer.abstraction if isinstance(self.answer, Refutation) else None

    @property
    def frontier(self) -> str:
        """Which terms the trace was made to remember, and the sets there were to choose from ([EI] VI); "" if none."""
        told = self.abstraction
        if told is None:
            return ""
        sets = ", ".join(map(str, told.elements))
        found = sets if told.complete else f"{sets} (the part of it found in time)"
        return f"remembers {told.chosen}, of the frontier {found} over {counted(told.base, 'template')}"

    @property
    def total_size(self) -> int:
        return sum(map(size, self.assertions))

    @property
    def verdict(self) -> str:
        match self.answer:
            case Refutation():
                return "perfect" if self.perfect else f"not perfect{_SHORT_OF_PERFECT[self.quality]}"
            case Feasible():
                return "feasible"
            case GaveUp(reason):
                return f"gave up: {reason}"


@dataclass(frozen=True, slots=True)
class Line:
    """A step as it is shown: its text, the line it comes from, how far it is indented."""

    text: str
    place: str
    depth: int = 0


class Explained(Protocol):
    """A trace, or a tree of clause instances, and what refiners learn from it."""

    @property
    def columns(self) -> tuple[Column, ...]: ...

    @property
    def lines(self) -> tuple[Line, ...]:
        """Its steps. There is an assertion after each; those of traces begin with one before the first."""
        ...

    @property
    def step(self) -> str:
        """What a step is."""
        ...

    @property
    def begins_with_assertion(self) -> bool: ...

    def told(self, assertion: Term) -> str:
        """An assertion with the names of the text."""
        ...


@dataclass(frozen=True, slots=True)
class _Row:
    """Of a table of an explanation: a step, or what stands between two steps."""

    line: Line | None
    cells: tuple[str, ...]  # of each refiner


def _rows(explained: Explained) -> Iterator[_Row]:
    """An assertion stands between the steps that lead to it and from it."""
    columns = explained.columns

    def assertions(position: int) -> _Row:
        told = (explained.told(column.assertions[position]) if column.assertions else "" for column in columns)
        return _Row(None, tuple(told))

    if explained.begins_with_assertion:
        yield assertions(0)
    for number, line in enumerate(explained.lines):
        core = ("● in core" if column.core and number in column.core else "" for column in columns)
        yield _Row(line, tuple(core))
        yield assertions(number + explained.begins_with_assertion)


def as_text(explained: Explained) -> str:
    """As a table for a terminal, and what each refiner came to."""
    table = [("line", explained.step, *(column.refiner for column in explained.columns))]
    for row in _rows(explained):
        line = row.line or Line("", "")
        table.append((line.place, "   " * line.depth + line.text, *row.cells))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
    return "\n".join([*lines, "", *(f"{column.refiner}: {column.verdict}" for column in explained.columns)])


def in_short(explained: Explained) -> str:
    told = (f"{column.refiner}: {column.verdict}" for column in explained.columns)
    return f"<explanation of {counted(len(explained.lines), explained.step)}; {'; '.join(told)}>"


def displayed(explained: Explained) -> str:
    """As a table for notebooks."""
    from craton.markup import Html, element, shown, table

    columns = explained.columns
    rows = []
    for row in _rows(explained):
        kind = "formula" if row.line is None else "good"
        cells = [element("span", cell, kind=kind) for cell in row.cells]
        line = row.line or Line("", "")
        text = element("span", "\u2003" * line.depth + line.text, kind="strong") if row.line else ""
        rows.append((line.place, text, *cells))
    heads = [
        element("span", column.refiner, Html("<br>"), element("small", column.verdict, kind="dim"))
        for column in columns
    ]
    return shown(table(("line", explained.step, *heads), rows))


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """A trace of a program, and what refiners learn from it."""

    trace: Trace
    columns: tuple[Column, ...]
    program: Program | None = None  # whose names are told, if it is known
    step: ClassVar[str] = "statement"
    begins_with_assertion: ClassVar[bool] = True

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return in_short(self)

    def _repr_html_(self) -> str:
        return displayed(self)

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(map(Line, self.statements, self.places))

    @property
    def statements(self) -> tuple[str, ...]:
        told = str if self.program is None else Readable(self.program, across=True).statement
        return tuple(told(edge.statement) for edge in self.trace.edges)

    def told(self, assertion: Term) -> str:
        return infix(assertion) if self.program is None else Readable(self.program, across=True).formula(assertion)

    @property
    def places(self) -> tuple[str, ...]:
        """Where each statement comes from, as line numbers."""
        return tuple(str(edge.origin.line) if edge.origin else "" for edge in self.trace.edges)


def explain(trace: Trace, refiners: Sequence[Refiner], time_limit: float | None = 5.0) -> Explanation:
    """Asks every refiner about the trace. The time limit is for each test whether a sequence is perfect."""
    return Explanation(trace, tuple(column(trace, refiner, time_limit) for refiner in refiners))


def column(trace: Trace, refiner: Refiner, time_limit: float | None = 5.0) -> Column:
    """Asks one refiner."""
    checker = make_solver("z3", time_limit=time_limit)
    start = time.perf_counter()
    answer = refiner.refute(trace)
    seconds = time.perf_counter() - start
    found = quality(*answer.refuted(trace), checker, time_limit) if isinstance(answer, Refutation) else None
    return Column(refiner.name, answer, seconds, found)
