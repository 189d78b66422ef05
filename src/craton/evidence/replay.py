"""A counterexample run again: from the trace an engine found to inputs, and with the inputs through the program as it
was loaded.

The engine saw the program without what cannot matter; the run here is of everything, so values that the trace does not
speak of are zero, and each value the trace chose is given to the statement that asks for it. Where the program leaves
open which way to go, the run goes the trace's way.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from craton.logic import Term, evaluate
from craton.logic.evaluation import zero
from craton.program.activations import Activation, Activations
from craton.program.cfa import Edge, Location, Program
from craton.program.elements import in_arrays
from craton.program.statements import Assign, Assume, BitsOf, Call, Doubt, Fresh, Havoc, Input, Proposed, Return
from craton.program.transformation import Transformed
from craton.traces.execution import Execution, holds, state
from craton.verdicts.counterexample import Background, ReadValue, Replay


def replay(program: Program, execution: Execution, back: Transformed) -> Replay | None:
    """Runs `program` along what the execution chose; None if no error is reached. Its calls may be inlined or not: in
    the replay there are none, but variables for each activation (`program.activations`). What an execution chose for a
    call are the values with which the callee's own variables begin.
    """
    elements = back.program.elements
    execution = replace(execution, start=in_arrays(execution.start, elements))
    path: list[Edge] = []
    chosen: dict[Edge, deque[Mapping[Term, Any]]] = {}
    for step in execution.steps:
        originals = back.original_edges(step.edge)
        path += originals
        if step.chosen:
            values = in_arrays(step.chosen, elements)
            for original in originals:
                if isinstance(original.statement, Havoc | Call):
                    chosen.setdefault(original, deque()).append(values)
    return _Walk(program, _Path(path), chosen, execution).run()


class _Path:
    """The edges of a trace, and how far a run has come on it. Passes have removed branchings that do not matter, so the
    run may take other edges between two of them.
    """

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.length = len(edges)
        self.passed = 0
        self.positions: dict[Edge, list[int]] = {}
        for position, edge in enumerate(edges):
            self.positions.setdefault(edge, []).append(position)

    def next(self, edge: Edge) -> int:
        """Where the edge comes next; behind the end if it does not."""
        positions = self.positions.get(edge, [])
        found = bisect_left(positions, self.passed)
        return positions[found] if found < len(positions) else self.length

    def take(self, edge: Edge) -> bool:
        """Whether the edge is one of the path; if so, the run has come behind it."""
        position = self.next(edge)
        if position == self.length:
            return False
        self.passed = position + 1
        return True


class _Walk:
    def __init__(
        self,
        program: Program,
        path: _Path,
        chosen: Mapping[Edge, deque[Mapping[Term, Any]]],
        execution: Execution,
    ) -> None:
        self.program = program
        self.path = path
        self.chosen = chosen
        self.model = execution.model
        self.values: dict[Term, Any] = dict(execution.start)
        self.start: dict[Term, Any] = dict(execution.start)
        self.inputs: list[ReadValue] = []
        self.opened: list[Any] = []
        self.addresses = count()  # of new memory, that the execution says nothing of
        self.activations = Activations(program)

    def run(self) -> Replay | None:
        location: Location | None = self.program.main.entry
        edges: list[Edge] = []
        astray = 0  # steps beside the path; what was removed has no loops, so there are few
        most = sum(1 for _ in self.program.edges())
        while location is not None and astray <= most:
            if location in self.program.errors:
                background = Background(self.program, self.start, tuple(self.opened), self.model)
                return Replay(location, tuple(self.inputs), tuple(edges), background)
            taken = self._enabled(self.activations.current, location)
            if taken is None:
                return None
            steps, location = self.activations.along(taken)
            if isinstance(taken.statement, Call):
                self._begin(taken, self.activations.current)
            for step in steps:
                self._execute(step, taken)
            astray = 0 if self.path.take(taken) else astray + 1
            edges += steps
        return None

    def _enabled(self, running: Activation, location: Location) -> Edge | None:
        here = state(self.values, self.model)

        def is_enabled(edge: Edge) -> bool:
            if not isinstance(edge.statement, Assume):
                return True
            statement = running.of(edge).statement
            assert isinstance(statement, Assume)
            return holds(statement.condition, here)

        enabled = filter(is_enabled, running.procedure.outgoing(location))
        return min(enabled, key=self.path.next, default=None)

    def _new_address(self, source: Fresh) -> int:
        """One that no other memory of the run has."""
        first: int = evaluate(source.value, state(self.values, self.model))
        chosen = (value for waiting in self.chosen.values() for values in waiting for value in values.values())
        given = {value for value in (*chosen, *self.opened) if isinstance(value, int)}
        return next(address for k in self.addresses if (address := first + source.step * k) not in given)

    def _begin(self, call: Edge, entered: Activation) -> None:
        """The variables of an activation begin with the values that were chosen for them."""
        waiting = self.chosen.get(call)
        for variable, value in (waiting.popleft() if waiting else {}).items():
            if variable in entered.variables:
                self.values[entered.variables[variable]] = self.start[entered.variables[variable]] = value

    def _execute(self, edge: Edge, original: Edge) -> None:
        match edge.statement:
            case Assign(variable, value):
                self.values[variable] = evaluate(value, state(self.values, self.model))
            case Havoc(variables, source):
                self._choose(original, variables, source)
            case Assume() | Return():
                pass
            case other:
                raise AssertionError(f"{other} in a program that is replayed")

    def _choose(self, edge: Edge, variables: Sequence[Term], source: Input | Proposed | Doubt | None) -> None:
        waiting = self.chosen.get(edge)
        chosen = waiting.popleft() if waiting else {}
        names = self.activations.current.variables
        values = {names.get(variable, variable): value for variable, value in chosen.items()}
        for variable in variables:
            if variable in values:
                value = values[variable]
            elif isinstance(source, BitsOf):
                value = evaluate(source.value, state(self.values, self.model))
            elif isinstance(source, Fresh):
                value = self._new_address(source)
            else:
                value = zero(variable.sort)
            self.values[variable] = value
            if isinstance(source, Input):
                self.inputs.append(ReadValue(source, value, variable.sort))
            else:
                self.opened.append(value)
