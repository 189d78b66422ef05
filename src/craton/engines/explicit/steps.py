"""Where a state leads: the classes of the values that a step may give the variables, for all inputs.

A state makes most of a step constant. What is left is split at its conditions, one after the other, with what they say
of the values that are not known (`facts`): behind the last one there are values, or ranges of values. That is more than
can happen, but no solver has to compute; whether an error can really be reached from a state, one is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from craton.engines.explicit.partition import Class, Hull, Partition, State
from craton.engines.explicit.ways import TooManyWays, Way, Ways, conditions
from craton.facts.operations import MAYBE, YES
from craton.facts.ranges import Range
from craton.facts.states import assumed, value
from craton.logic import BOOL, FALSE, TRUE, Term, and_, free_variables, not_
from craton.logic.evaluation import constant
from craton.logic.walk import replaced
from craton.program.transitions import Transition, Transitions
from craton.smt import Solver, Undecided, Unsat

MOST_CASES = 4000  # of one step from one state

Ranges = Mapping[Term, Range]
Step = Transition | Transitions | Ways


class NotDecided(Exception):
    """Nobody knows where a state leads."""


class TooManyValues(Exception):
    """A variable has too many values to enumerate them."""

    def __init__(self, variable: Term) -> None:
        super().__init__(f"{variable.name} has too many values")
        self.variable = variable


@dataclass(frozen=True, slots=True)
class _Case:
    """Terms under conditions that have been assumed; the first is the guard."""

    terms: tuple[Term, ...]
    ranges: Ranges


class Steps:
    """Successors of the states of a partition. `most` is how many values of a variable are told apart."""

    def __init__(self, partition: Partition, solver: Solver, most: int) -> None:
        self.partition = partition
        self.solver = solver
        self.most = most
        self.relied = False  # on the solver's word that an error cannot be reached

    def successors(
        self, before: Sequence[Term], state: State, hull: Hull, step: Step, after: Sequence[Term]
    ) -> Iterator[tuple[State, Hull]]:
        """From a state of some variables, by a step, to states of others."""
        for begun, _ in self._begun(before, state, hull, step, after):
            for case in self._cases(begun):
                classes = [self._classes(x, term, case.ranges) for x, term in zip(after, case.terms[1:], strict=True)]
                for chosen in product(*classes):
                    yield tuple(one for one, _ in chosen), tuple(there for _, there in chosen)

    def is_possible(self, before: Sequence[Term], state: State, hull: Hull, step: Step) -> bool:
        """Whether a step can be taken from a state: as far as ranges tell, and then a solver."""
        return any(
            self._holds(before, state, hull, guard)
            for begun, guard in self._begun(before, state, hull, step, ())
            if next(self._cases(begun), None) is not None
        )

    def _holds(self, before: Sequence[Term], state: State, hull: Hull, guard: Term) -> bool:
        open_ = [
            self.partition.condition(x, one, there)
            for x, one, there in zip(before, state, hull, strict=True)
            if there is not None and x in free_variables(guard)
        ]
        answer = self.solver.check(and_(guard, *open_))
        if isinstance(answer, Undecided):
            raise NotDecided(answer.reason)
        self.relied |= isinstance(answer, Unsat)
        return not isinstance(answer, Unsat)

    def _begun(
        self, before: Sequence[Term], state: State, hull: Hull, step: Step, after: Sequence[Term]
    ) -> Sequence[tuple[_Case, Term]]:
        """What the step is from the state, in one case or several, and the guard of each."""
        known: dict[Term, Term] = {}
        ranges: dict[Term, Range] = {}
        for x, one, there in zip(before, state, hull, strict=True):
            if there is None:
                known[x] = constant(one, x.sort)
            else:
                ranges[x] = there
        if isinstance(step, Ways) and not step.is_wide:
            try:
                return [_ended(way, after) for way in step.ways(known, ranges)]
            except TooManyWays:
                step.is_wide = True
        whole = step.whole if isinstance(step, Ways) else step
        taken = whole.where(known, partial(_decided, ranges=ranges, told={})) if ranges else whole.where(known)
        return [(_Case((taken.guard, *(taken.updates.get(x, x) for x in after)), ranges), taken.guard)]

    def _cases(self, begun: _Case) -> Iterator[_Case]:
        """What is left when all conditions are decided."""
        waiting, seen = [begun], 0
        while waiting:
            case = waiting.pop()
            if case.terms[0] is FALSE:
                continue
            atom = next(conditions(case.terms), None)
            if atom is None:
                seen += 1
                if seen > MOST_CASES:
                    raise NotDecided("a step has too many cases")
                yield case
            else:
                waiting += self._decided(case, atom)

    def _decided(self, case: _Case, atom: Term) -> Iterator[_Case]:
        told = value(atom, case.ranges)
        for truth in (FALSE, TRUE):
            if told is None or told == MAYBE or (told == YES) == (truth is TRUE):
                states = assumed(atom if truth is TRUE else not_(atom), case.ranges)
                if states is not None:
                    ranges = {x: known for x, known in states.items() if isinstance(known, Range)}
                    found = {x: constant(_value(x, r), x.sort) for x, r in ranges.items() if r.constant is not None}
                    new = {x: t for x, t in found.items() if x not in case.ranges or case.ranges[x].constant is None}
                    yield _Case(replaced(case.terms, {**new, atom: truth}), ranges)

    def _classes(self, variable: Term, term: Term, ranges: Ranges) -> Sequence[tuple[Class, Range | None]]:
        """Of the values that a term may have."""
        found = value(term, ranges)
        if found is None:
            raise NotDecided(f"nothing is known of values of {variable.name}")
        if not self.partition.is_value(variable):
            return list(self.partition.meeting(variable, found))
        if found.constant is not None:
            return [(_value(variable, found), None)]
        if found.high - found.low >= self.most:
            raise TooManyValues(variable)
        return [(_as_value(variable, one), None) for one in range(found.low, found.high + 1) if found.contains(one)]


def _ended(way: Way, after: Sequence[Term]) -> tuple[_Case, Term]:
    terms = tuple(way.values.get(x, x) for x in after)
    if not all(term.is_value for term in terms):
        terms = replaced(terms, way.assumed)
    return _Case((TRUE, *terms), way.ranges), way.guard


def _decided(condition: Term, ranges: Ranges, told: dict[Term, Term]) -> Term:
    """TRUE or FALSE if ranges decide it; what has been asked before is remembered."""
    if condition not in told:
        found = value(condition, ranges)
        told[condition] = condition if found is None or found == MAYBE else TRUE if found == YES else FALSE
    return told[condition]


def _value(variable: Term, known: Range) -> Any:
    assert known.constant is not None
    return _as_value(variable, known.constant)


def _as_value(variable: Term, number: int) -> Any:
    return bool(number) if variable.sort is BOOL else number
