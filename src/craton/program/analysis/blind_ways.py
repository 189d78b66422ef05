"""Which variables a search should have told apart to see that a way to a goal cannot be gone.

The way by which control first came to the goal is followed alone, without joins. Where it cannot be passed, what
decided there was lost in joins before. Nothing that holds depends on it: it says only what the next search tells apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from craton.logic import Term, free_variables
from craton.program.analysis.blind_search import Facts, Point, Step, Transfer, arguments_of, called, values_given
from craton.program.cfa import Edge
from craton.program.persistent_map import EMPTY
from craton.program.variables import reads, writes


def lost_on_the_way(goal: Point, transfer: Transfer) -> frozenset[Term]:
    """The variables whose values were lost in joins on the first way to a goal; none if it can be gone."""
    return _Alone(_way_to(goal), transfer).lost()


class _Move(NamedTuple):
    """From a point to the next on a way: by an edge; into a procedure, from where it is called; or out of one, from
    where it is left.
    """

    start: Point
    step: Step | None  # None into a procedure
    call: Edge | None
    end: Point


def _way_to(goal: Point) -> list[_Move]:
    """How control first came to a point, from the entry of the program."""
    found: list[list[_Move]] = [_within(goal)]
    inside = goal.inside
    while inside.callers:
        caller, call = next(iter(inside.callers))
        found.append([*_within(caller), _Move(caller, None, call, inside.entry)])
        inside = caller.inside
    return [move for part in reversed(found) for move in part]


def _within(point: Point) -> list[_Move]:
    """The same from the entry of its procedure."""
    moves: list[_Move] = []
    while (step := point.before) is not None:
        if step.left is None:
            moves.append(_Move(step.point, step, None, point))
        else:
            moves.append(_Move(step.left, step, step.edge, point))
            moves.extend(reversed(_within(step.left)))
            moves.append(_Move(step.point, None, step.edge, step.left.inside.entry))
        point = step.point
    moves.reverse()
    return moves


class _Alone:
    """A way that is followed without joins."""

    def __init__(self, way: Sequence[_Move], transfer: Transfer) -> None:
        self._way = way
        self._transfer = transfer
        self._facts: list[Facts] = []  # before each move, as far as control comes
        self._depths: list[int] = []  # how many calls are open then

    def lost(self) -> frozenset[Term]:
        """The variables whose values were lost in joins, of those that the way cannot be followed for. The last such
        place counts: what decides there is nearest to the goal.
        """
        for number in reversed(self._follow()):
            if found := frozenset(self._lost_before(number)):
                return found
        return frozenset()

    def _lost_before(self, number: int) -> Iterator[Term]:
        step = self._way[number].step
        assert step is not None and step.edge is not None
        needed = self._wanted(number, reads(step.edge.statement))
        while needed and number:
            number -= 1
            sources: set[tuple[int, Term]] = set()
            for depth, variable in needed:
                found = self._sources(number, depth, variable)
                if found is None:
                    yield variable
                else:
                    sources |= found
            needed = sources

    def _follow(self) -> list[int]:
        """The moves that control does not make."""
        transfer, facts = self._transfer, Facts(EMPTY, EMPTY)
        stopped: list[int] = []
        frames: list[Facts] = []
        for move in self._way:
            self._facts.append(facts)
            self._depths.append(len(frames))
            if move.step is None:
                frames.append(facts)
                facts = transfer.entered(move.end.inside.procedure, arguments_of(move.call), facts)
            elif move.step.left is not None:
                facts = transfer.left(called(move.call), facts, values_given(move.start, facts, transfer), frames.pop())
            else:
                assert move.step.edge is not None
                after = transfer.after(move.step.edge.statement, facts)
                if after is None:
                    stopped.append(len(self._facts) - 1)
                else:
                    facts = after
        return stopped

    def _wanted(self, number: int, variables: Iterable[Term]) -> set[tuple[int, Term]]:
        """Those whose value is known before a move alone, but not where ways were joined; at what depth of calls."""
        transfer, alone, joined = self._transfer, self._facts[number], self._way[number].start.facts
        return {
            (-1 if v in transfer.shared else self._depths[number], v)
            for v in variables
            if transfer.value(v, alone) is not None and transfer.value(v, joined) is None
        }

    def _sources(self, number: int, depth: int, variable: Term) -> set[tuple[int, Term]] | None:
        """Where a variable has its value from that is not known after a move. None if it was known then, before what
        came there from elsewhere was joined.
        """
        move, transfer = self._way[number], self._transfer
        here, start = self._depths[number], move.start.facts
        if move.step is None:
            if depth not in (-1, here + 1):
                return {(depth, variable)}
            return self._sources_of_entry(number, variable)
        if move.step.left is not None:
            if depth not in (-1, here - 1):
                return {(depth, variable)}
            return self._sources_of_result(number, depth, variable)
        if depth not in (-1, here):
            return {(depth, variable)}
        assert move.step.edge is not None
        statement = move.step.edge.statement
        after = transfer.after(statement, start)
        if after is None or transfer.value(variable, after) is not None:
            return None
        if variable in writes(statement) or transfer.value(variable, self._facts[number]) is None:
            return self._wanted(number, reads(statement))
        return self._wanted(number, {variable})

    def _sources_of_entry(self, number: int, variable: Term) -> set[tuple[int, Term]] | None:
        move = self._way[number]
        procedure, arguments = move.end.inside.procedure, arguments_of(move.call)
        if self._transfer.value(variable, self._transfer.entered(procedure, arguments, move.start.facts)) is not None:
            return None
        given = dict(zip(procedure.parameters, arguments or (), strict=arguments is not None))
        return self._wanted(number, free_variables(given[variable]) if variable in given else {variable})

    def _sources_of_result(self, number: int, depth: int, variable: Term) -> set[tuple[int, Term]] | None:
        move, transfer = self._way[number], self._transfer
        assert move.step is not None
        call = called(move.call)
        results = dict(
            zip(() if call is None else call.results, move.start.inside.procedure.returns, strict=call is not None)
        )
        if variable in results:
            result = results[variable]
            return None if transfer.value(result, move.start.facts) is not None else self._wanted(number, {result})
        if depth == -1:
            return None if transfer.value(variable, move.start.facts) is not None else {(depth, variable)}
        return None if transfer.value(variable, move.step.point.facts) is not None else {(depth, variable)}
