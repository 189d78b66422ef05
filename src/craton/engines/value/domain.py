"""Explicit values as a domain of reachability graphs: a state knows the values of some of the tracked variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from craton.engines.reachability.precision import Precision, Sharing
from craton.engines.steps import Step
from craton.logic import Array, Term, and_, eq, free_variables, or_
from craton.program.cfa import Location, Program
from craton.traces.refutation import Refutation
from craton.traces.values import Values, after

Variables = frozenset[Term]
T = TypeVar("T")


class ValueDomain:
    """Tracks the variables that refutations mention."""

    name = "values"
    start: tuple[Values, Variables] = ({}, Variables())

    def __init__(self, sharing: Sharing, program: Program) -> None:
        self._precision = Precision[Term](program, sharing)

    def __len__(self) -> int:
        """How many variables are tracked, counted at each place where they are."""
        return len(self._precision)

    def cover(self) -> ValueStates:
        return ValueStates()

    def precision(self, location: Location) -> Variables:
        return self._precision.at(location)

    def successor(self, before: Values, step: Step, tracked: Variables, precision: Variables) -> Values | None:
        known = after(before, step.update)
        return None if known is None else {v: value for v, value in known.items() if v in precision}

    def refine(self, locations: Sequence[Location], tracked: Sequence[Variables], refutation: Refutation) -> int | None:
        return self._precision.refine(locations, tracked, list(map(_mentioned, refutation.assertions)))

    def tracked(self, state: Values, precision: Variables) -> None:
        """Values cannot follow one path through blocks: where paths join, they know only what all have in common."""


class AllValues(ValueDomain):
    """Tracks all variables from the start, and has nothing to refine."""

    def successor(self, before: Values, step: Step, tracked: Variables, precision: Variables) -> Values | None:
        return after(before, step.update)


def _mentioned(assertion: Term) -> Variables:
    return frozenset(v for v in free_variables(assertion) if not isinstance(v.sort, Array))


class ByValues(Generic[T]):
    """A mapping from states, that is from sets of known values. There are few sets of variables but many values."""

    def __init__(self) -> None:
        self._found: dict[tuple[Term, ...], dict[tuple[Term, ...], T]] = {}

    def at(self, known: Values, make: Callable[[], T]) -> T:
        """What belongs to these values; something new if there is nothing yet."""
        variables = _sorted(known)
        found = self._found.setdefault(variables, {})
        values = tuple(known[v] for v in variables)
        if values not in found:
            found[values] = make()
        return found[values]

    def remove(self, known: Values) -> None:
        variables = _sorted(known)
        found = self._found[variables]
        del found[tuple(known[v] for v in variables)]
        if not found:
            del self._found[variables]

    def weaker(self, known: Values) -> Iterator[T]:
        """All that belongs to the same values, or to fewer of them."""
        for variables, found in self._found.items():
            if all(v in known for v in variables):
                values = tuple(known[v] for v in variables)
                if values in found:
                    yield found[values]

    def items(self) -> Iterator[tuple[Term, T]]:
        """The values as formulas, and what belongs to them."""
        for variables, found in self._found.items():
            for values, thing in found.items():
                yield and_(*map(eq, variables, values)), thing


def _sorted(known: Values) -> tuple[Term, ...]:
    return tuple(sorted(known, key=lambda v: v.serial))


class ValueStates:
    """A set of states: those that know the same or more are covered by one."""

    def __init__(self) -> None:
        self._states = ByValues[None]()

    def add(self, state: Values) -> None:
        self._states.at(state, lambda: None)

    def remove(self, state: Values) -> None:
        self._states.remove(state)

    def covers(self, state: Values) -> bool:
        return any(True for _ in self._states.weaker(state))

    def is_redundant(self, state: Values) -> bool:
        return sum(1 for _ in self._states.weaker(state)) > 1

    def formula(self) -> Term:
        return or_(*(values for values, _ in self._states.items()))

    def unquantified(self) -> Term:
        return self.formula()
