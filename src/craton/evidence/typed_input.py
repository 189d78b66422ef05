"""Runs of which only the surroundings are known: what the program reads from its standard input, call by call; what
its arguments are, and what it finds in its environment.

The model of `fgets` and `scanf` leaves open how much is read, as nobody knows what is typed. Here it is known, so those
choices become inputs, which the text answers. Only concrete runs are made of it: one that comes to the error that the
compiled program came to is told, any other is not.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from craton.evidence.memory_around import GETENV, MemoryAround
from craton.evidence.surroundings import CHARACTERS, SCANNED, KnownText
from craton.logic import BitVec, Term
from craton.logic.semantics import to_signed
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.execution.codegen import array_value
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.open_values import Number
from craton.program.execution.outcomes import Run
from craton.program.statements import Havoc, Input
from craton.verdicts.counterexample import Surroundings

_LINE = "fgets"
_LENGTH, _THERE, _ITEMS = "how long the line is", "whether there is a line", "how many items there are"
_FORMAT = re.compile(r"(?P<width>\d*)(?:hh|h|ll|l|j|z|t|L)?(?P<kind>[diuxXocfeg])")
_NUMBERS = {
    **dict.fromkeys("du", r"[-+]?\d+"),
    "i": r"[-+]?(?:0[xX][0-9a-fA-F]+|\d+)",
    **dict.fromkeys("xX", r"[-+]?(?:0[xX])?[0-9a-fA-F]+"),
    "o": r"[-+]?[0-7]+",
    **dict.fromkeys("feg", r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"),
}


@dataclass(frozen=True, slots=True)
class RunAround:
    """A run, the program whose edges it takes, the values that its variables began with, and texts in its memory."""

    run: Run
    program: Program
    start: Mapping[Term, Any]
    texts: Sequence[KnownText]


def run_around(
    program: Program, inputs: Sequence[Number], around: Surroundings, steps: int, *, record: bool = False
) -> RunAround:
    """The run on these inputs in these surroundings."""
    reading, memory = _Reading(around.standard_input), MemoryAround(program, around)
    asking = reading.asked_by(program)

    def seen(location: Location, values: Sequence[Any]) -> None:
        if location in reading.lines:
            reading.begins(location, values)
        else:
            memory.asked(values)

    def outside(what: Input) -> Number | None:
        return memory.answer() if what.function == GETENV else reading(what)

    interpreter = Interpreter(asking, record=record, watched=reading.lines | memory.lookups, seen=seen)
    run = interpreter.run(inputs, step_limit=steps, only_inputs=True, outside=outside, start=memory.start())
    start = {variable: array_value(value, variable.sort) for variable, value in memory.start().items()}
    return RunAround(run, asking, start, memory.texts)


class _Reading:
    """What is left of a text, and what a call has taken of it."""

    def __init__(self, text: bytes) -> None:
        self._left = text.decode("latin-1")
        self._taken: deque[Number] = deque()  # by the call that goes on
        self._scans: dict[str, tuple[str, ...]] = {}  # the conversions of each call of scanf
        self._there = 0
        self.lines: dict[Location, tuple[Term, ...]] = {}  # where fgets begins, and what says how much it may read

    def __call__(self, what: Input) -> Number | None:
        """None for inputs that are not typed."""
        if what.function in CHARACTERS:
            return ord(self._take(1)) if self._left else -1
        if what.function == _LENGTH:
            return len(self._taken)
        if what.function == _THERE:
            return self._there
        if what.function in self._scans:
            return self._scan(self._scans[what.function])
        if what.function == _LINE or SCANNED.fullmatch(what.function):
            return self._taken.popleft() if self._taken else 0
        return None

    def _take(self, count: int) -> str:
        taken, self._left = self._left[:count], self._left[count:]
        return taken

    def begins(self, location: Location, values: Sequence[Any]) -> None:
        """fgets does, with room for so many characters."""
        room = to_signed(32, int(values[0])) - 1
        end = self._left.find("\n")
        line = self._take(max(0, room if end < 0 else min(end + 1, room)))
        self._there = int(bool(line) or room == 0)
        self._taken = deque(map(ord, line))

    def _scan(self, conversions: Sequence[str]) -> int:
        """How many items are read, plus one; their values come later."""
        self._taken.clear()
        for conversion in conversions:
            number = self._converted(conversion)
            if number is None:
                return len(self._taken) + (1 if self._taken or self._left else 0)
            self._taken.append(number)
        return len(self._taken) + 1

    def _converted(self, name: str) -> Number | None:
        scanned = SCANNED.fullmatch(name)
        found = None if scanned is None else _FORMAT.fullmatch(scanned["conversion"])
        if scanned is None or found is None:
            return None
        for sign in scanned["before"]:
            if sign.isspace():
                self._left = self._left.lstrip()
            elif self._left[:1] != sign:
                return None
            else:
                self._take(1)
        if found["kind"] == "c":
            return ord(self._take(1)) if self._left else None
        self._left = self._left.lstrip()
        most = int(found["width"] or len(self._left))
        digits = re.match(_NUMBERS[found["kind"]], self._left[:most])
        return None if digits is None else _number(self._take(digits.end()), found["kind"])

    # --- the program that asks ------------------------------------------------------------------------------------

    def asked_by(self, program: Program) -> Program:
        """The program in which the choices of `fgets` and `scanf` are inputs."""
        changed = {name: self._asking(procedure) for name, procedure in program.procedures.items()}
        return program.with_procedures(changed)

    def _asking(self, procedure: Procedure) -> Procedure:
        asked = dict(self._of_scans(procedure.edges))
        if procedure.name == _LINE and len(procedure.parameters) == 3:
            self.lines[procedure.entry] = (procedure.parameters[1],)
            asked |= dict(zip(filter(_is_open, procedure.edges), (_LENGTH, _THERE), strict=False))
        if not asked:
            return procedure
        return procedure.with_edges(
            tuple(_input(edge, asked[edge]) if edge in asked else edge for edge in procedure.edges)
        )

    def _of_scans(self, edges: Sequence[Edge]) -> Iterator[tuple[Edge, str]]:
        """The choice of each call: it is the last that is left open before the first conversion of the same place."""
        open_here: dict[Any, Edge] = {}
        calls: dict[Edge, list[str]] = {}
        for edge in edges:
            source = edge.statement.source if isinstance(edge.statement, Havoc) else None
            if _is_open(edge):
                open_here[edge.origin] = edge
            elif isinstance(source, Input) and SCANNED.fullmatch(source.function) and edge.origin in open_here:
                calls.setdefault(open_here[edge.origin], []).append(source.function)
        for edge, conversions in calls.items():
            name = f"{_ITEMS} {len(self._scans)}"
            self._scans[name] = tuple(conversions)
            yield edge, name


def _is_open(edge: Edge) -> bool:
    """Whether it chooses one number that nobody gives."""
    statement = edge.statement
    return (
        isinstance(statement, Havoc)
        and statement.source is None
        and len(statement.variables) == 1
        and isinstance(statement.variables[0].sort, BitVec)
    )


def _input(edge: Edge, name: str) -> Edge:
    assert isinstance(edge.statement, Havoc)
    return replace(edge, statement=replace(edge.statement, source=Input(name, "")))


def _number(digits: str, kind: str) -> Number:
    if kind in "feg":
        return float(digits)
    if kind == "i":
        octal = digits.lstrip("+-").startswith("0") and digits.lstrip("+-0").isdecimal()
        return int(digits, 8 if octal else 0)
    return int(digits, {"x": 16, "X": 16, "o": 8}.get(kind, 10))
