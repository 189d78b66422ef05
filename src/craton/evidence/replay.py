"""A counterexample run again: from the trace an engine found to inputs, and with the inputs through the program as it
was loaded.

The engine saw the program without what cannot matter; the run here is of everything, so values that the trace does not
speak of are zero, and each value the trace chose is given to the statement that asks for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from craton.logic import Model, Sort, Term, evaluate
from craton.logic.evaluation import zero
from craton.program.back import Transformed
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assign, Assume, BitsOf, Havoc, Input, Return
from craton.traces.execution import Execution

MOST_STEPS = 1_000_000


@dataclass(frozen=True, slots=True)
class ReadValue:
    """A value that the run got from outside."""

    source: Input
    value: Any
    sort: Sort


@dataclass(frozen=True, slots=True)
class Replay:
    """A run that reached an error location, and the inputs it read in order."""

    location: Location
    inputs: tuple[ReadValue, ...]
    edges: tuple[Edge, ...] = field(repr=False)


def replay(program: Program, execution: Execution, back: Transformed) -> Replay | None:
    """Runs `program` (with all procedures inlined) along what the execution chose; None if no error is reached."""
    chosen: dict[Edge, deque[Mapping[Term, Any]]] = {}
    for step in execution.steps:
        if step.chosen:
            for original in back.original_edges(step.edge):
                if isinstance(original.statement, Havoc):
                    chosen.setdefault(original, deque()).append(step.chosen)
    return _Walk(program, chosen, execution.start).run()


class _Walk:
    def __init__(
        self, program: Program, chosen: Mapping[Edge, deque[Mapping[Term, Any]]], start: Mapping[Term, Any]
    ) -> None:
        self.program = program
        self.chosen = chosen
        self.values: dict[Term, Any] = dict(start)
        self.inputs: list[ReadValue] = []

    def run(self) -> Replay | None:
        location = self.program.main.entry
        edges: list[Edge] = []
        while len(edges) < MOST_STEPS:
            if location in self.program.errors:
                return Replay(location, tuple(self.inputs), tuple(edges))
            taken = self._enabled(self.program.main.outgoing(location))
            if taken is None:
                return None
            self._execute(taken)
            edges.append(taken)
            location = taken.target
        return None

    def _enabled(self, edges: Sequence[Edge]) -> Edge | None:
        for edge in edges:
            if not isinstance(edge.statement, Assume) or evaluate(edge.statement.condition, Model(self.values)) is True:
                return edge
        return None

    def _execute(self, edge: Edge) -> None:
        match edge.statement:
            case Assign(variable, value):
                self.values[variable] = evaluate(value, Model(self.values))
            case Havoc(variables, source):
                self._choose(edge, variables, source)
            case Assume() | Return():
                pass
            case other:
                raise AssertionError(f"{other} in a program that is replayed")

    def _choose(self, edge: Edge, variables: Sequence[Term], source: Input | BitsOf | None) -> None:
        waiting = self.chosen.get(edge)
        values = waiting.popleft() if waiting else {}
        for variable in variables:
            if variable in values:
                value = values[variable]
            elif isinstance(source, BitsOf):
                value = evaluate(source.value, Model(self.values))
            else:
                value = zero(variable.sort)
            self.values[variable] = value
            if isinstance(source, Input):
                self.inputs.append(ReadValue(source, value, variable.sort))
