"""Explicit sets of states, checked by evaluation: each edge applied to each state stays in the set. No solver is asked.

A state is a row of values of some variables; None stands for any value, and so do all other variables. The set is a
proof if the states at the entry are all there are, each edge leads from each of them into the set, and none to an
error. Where a guard cannot be evaluated (it depends on an input, or on a variable of which nothing is known) the edge
counts as taken; where a new value cannot be, it counts as any: both only add to what has to be in the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.evidence.checker import Confirmed, Flaw
from craton.evidence.conditions import no_variables
from craton.logic import Array, Term, ops
from craton.logic.ieee import Unspecified
from craton.logic.semantics import Value, compute
from craton.logic.walk import QUANTIFIERS, fold
from craton.processes.running_time import running_time
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import transition

Row = tuple[Value | None, ...]
_ROUND = 256  # rows between two looks at the clock


@dataclass(frozen=True)
class States:
    """For each location the states in which control can be there; none where there is no entry."""

    program: Program
    variables: tuple[Term, ...]
    rows: Mapping[Location, Sequence[Row]]


def check_states(states: States, seconds: float | None = None) -> Flaw | Confirmed:
    """The first flaw of a set of states, if it has one."""
    return _Check(states, None if seconds is None else running_time() + seconds).result()


class _Check:
    def __init__(self, states: States, deadline: float | None) -> None:
        self.states = states
        self.deadline = deadline
        self.covers = {location: _Cover(rows) for location, rows in states.rows.items()}
        self.shown = 0
        # Arrays that are equal may have different values here, so of them nothing is ever refuted.
        self.comparable = not any(isinstance(variable.sort, Array) for variable in states.variables)

    def result(self) -> Flaw | Confirmed:
        program = self.states.program
        entry = program.main.entry
        for location in program.errors:
            if self.states.rows.get(location):
                return Flaw(None, f"not safe: there are states at the error location {location}")
        if entry in program.errors or not self._in_set(entry, (None,) * len(self.states.variables)):
            return Flaw(None, f"does not hold at the start: not all states are in the set of the entry {entry}")
        self.shown += 1
        for edge in program.main.edges:
            flaw = self._flaw(edge)
            if flaw is not None:
                return flaw
        return Confirmed((), self.shown)

    def _flaw(self, edge: Edge) -> Flaw | None:
        program = self.states.program
        step = transition(edge.statement)
        no_variables(step.inputs, frozenset(self.states.variables))
        for number, row in enumerate(self.states.rows.get(edge.source, ())):
            if number % _ROUND == 0 and self.deadline is not None and running_time() >= self.deadline:
                return Flaw(edge, "no time left to check the proof", decided=False)
            now = _Values(self.states.variables, row)
            taken = now.of(step.guard)
            if taken is not False:
                after = tuple(now.of(step.updates.get(variable, variable)) for variable in self.states.variables)
                if edge.target in program.errors:
                    return self._told(edge, number, "safe", taken is True)
                if not self._in_set(edge.target, after):
                    return self._told(edge, number, "closed", taken is True and self.comparable and None not in after)
            self.shown += 1
        return None

    def _in_set(self, location: Location, row: Row) -> bool:
        return location in self.covers and self.covers[location].holds(row)

    def _told(self, edge: Edge, number: int, what: str, decided: bool) -> Flaw:
        where = f"{edge.source} → {edge.target}, from state {number}"
        return Flaw(edge, f"{'not' if decided else 'not shown to be'} {what}: {where}", decided)


class _Cover:
    """Rows of one location, to be asked whether one of them covers another row."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._by_columns: dict[tuple[int, ...], set[Row]] = {}
        for row in rows:
            columns = tuple(i for i, value in enumerate(row) if value is not None)
            self._by_columns.setdefault(columns, set()).add(tuple(row[i] for i in columns))

    def holds(self, row: Row) -> bool:
        return any(tuple(row[i] for i in columns) in there for columns, there in self._by_columns.items())


class _Values:
    """What terms are worth in all states of a row: a value, or None if it may be several."""

    def __init__(self, variables: Sequence[Term], row: Row) -> None:
        self.row = dict(zip(variables, row, strict=True))
        self.memo: dict[Term, Value | None] = {}

    def of(self, term: Term) -> Value | None:
        return fold(term, self._visit, self.memo)

    def _visit(self, node: Term, values: list[Value | None]) -> Value | None:
        op = node.op
        if op is ops.VALUE:
            return node.payload
        if op is ops.VARIABLE:
            return self.row.get(node)
        if op is ops.AND and False in values:
            return False
        if op is ops.OR and True in values:
            return True
        if op is ops.ITE and values[0] is not None:
            return values[1] if values[0] else values[2]
        if op in QUANTIFIERS or op is ops.APPLY or any(value is None for value in values):
            return None
        try:
            return compute(op, [argument.sort for argument in node.args], node.payload, values)
        except Unspecified:  # whatever the standard leaves open
            return None
