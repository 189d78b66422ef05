"""Invariants that are sets of states, as questions about one state at a time.

An invariant `state 1 ∨ … ∨ state n`, where each state says of most variables which value they have, makes the condition
of an edge one question in n × m cases. A state at a time is easier: its values make most of the edge constant, and what
is then known of the variables afterwards leaves few of the m states to be considered.

Law: a question is contradictory only if the condition, restricted to that state, is: values and terms are put where
variables are equal to them, and of the disjunction that is to be implied some parts are left out, which only makes it
stronger. No formula here has quantifiers, so that nothing is captured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from craton.evidence.state_ways import StateWays, connected, equation
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    Term,
    and_,
    conjuncts,
    disjuncts,
    eq,
    free_variables,
    not_,
    ops,
    or_,
    post_order,
    substitute,
)
from craton.logic.walk import replaced
from craton.program.statements import Statement
from craton.program.transitions import Transition, Transitions

_CONNECTIVES = (ops.AND, ops.OR, ops.NOT, ops.IMPLIES, ops.XOR, ops.ITE)
_FEWEST_STATES = 8  # states of values; with fewer, one question is as good
_FEWEST_TERMS = 4  # variables that are equal to terms: then each state is worth a look

Follows = Callable[[Term, Term], bool]  # whether a formula is known to follow from another


@dataclass(frozen=True, slots=True)
class _Row:
    """A state: the values of variables, and what else it says."""

    values: Mapping[Term, Term]
    rest: Term

    @classmethod
    def of(cls, state: Term) -> _Row:
        values: dict[Term, Term] = {}
        rest: list[Term] = []
        for part in conjuncts(state):
            said = equation(part)
            if said is None or said[0] in values:
                rest.append(part)
            else:
                values[said[0]] = said[1]
        return cls(values, and_(*rest))

    @property
    def is_plain(self) -> bool:
        return all(value.is_value for value in self.values.values())

    def solved(self) -> _Row:
        """The same, with terms for variables that are said to be equal to them put in everywhere. No term speaks of a
        variable that has one.
        """
        found, rest = dict(self.values), list[Term]()
        spoken_of: set[Term] = set()
        for part in conjuncts(self.rest):
            part = substitute(part, found)
            defined = _defined(part, spoken_of)
            if defined is None:
                rest.append(part)
            else:
                variable, term = defined
                found[variable] = term
                spoken_of |= free_variables(term)
        return _Row(found, substitute(and_(*rest), found))


def _defined(part: Term, spoken_of: set[Term]) -> tuple[Term, Term] | None:
    """The variable and the term, if an equation makes the variable one that nothing else has to speak of."""
    if part.op is ops.EQ:
        for one, other in (part.args, part.args[::-1]):
            if one.is_variable and one not in spoken_of and one not in free_variables(other):
                return one, other
    return None


def are_states(invariant: Term) -> bool:
    """Whether it is easier to look at one part of a disjunction after the other."""
    states = disjuncts(invariant)
    return len(states) >= _FEWEST_STATES or all(map(_tells_terms, states))


def _tells_terms(state: Term) -> bool:
    said = (part for part in conjuncts(state) if part.op is ops.EQ and any(x.is_variable for x in part.args))
    return sum(equation(part) is None for part in said) >= _FEWEST_TERMS


def terms_of(step: Transition) -> tuple[Term, ...]:
    return step.guard, *step.updates.values()


@dataclass(frozen=True, slots=True)
class StateQuestion:
    """What is left of a condition in one state: what the state says besides values, and what must contradict it; with
    what else there is, if that is not enough.
    """

    state: Term
    rest: Term
    guard: Term = TRUE
    of_terms: bool = False  # variables are terms there, not only values: few parts can be decided one by one

    def cases(self, follows: Follows) -> Iterator[tuple[Term, Term]]:
        """The question in easier parts, that must be contradictory, too: what the state decides is put in, as far as
        `follows(state, formula)` says so; then there is a case for each value that is asked for, and one for others.
        """
        waiting = [self._settled(follows)]
        while waiting:
            rest = waiting.pop()
            if rest is FALSE:
                continue
            asked = next(self._asked(rest), None)
            if asked is None:
                yield self.state, rest
            else:  # that the variable has another value is not said in the other case: that only makes it harder
                part, variable, value = asked
                waiting += [*replaced((rest,), {part: FALSE}), *replaced((rest,), {variable: value})]

    def _asked(self, formula: Term) -> Iterator[tuple[Term, Term, Term]]:
        """Values that are asked for, of variables of which the state says nothing."""
        for part in _comparisons(formula):
            said = equation(part)
            if said is not None and said[0] not in free_variables(self.state):
                yield part, *said

    def _settled(self, follows: Follows) -> Term:
        known: dict[Term, Term] = {}
        spoken_of = free_variables(self.state)
        for part in _comparisons(self.rest) if spoken_of else ():
            if free_variables(part) <= spoken_of:
                if follows(self.state, part):
                    known[part] = TRUE
                elif follows(self.state, not_(part)):
                    known[part] = FALSE
        return replaced((self.rest,), known)[0]


class StateQuestions:
    """The condition of an edge between two such invariants. Ways are told apart by bounds of numbers if these count."""

    def __init__(self, before: Term, statement: Statement, after: Term, *, with_bounds: bool) -> None:
        self.with_bounds = with_bounds
        self.ways = StateWays(statement)
        self.whole = Transitions(statement)
        self.before = [_Row.of(state).solved() for state in disjuncts(before)]
        self.after = [] if after is FALSE else [_Row.of(state) for state in disjuncts(after)]
        self.by_value: dict[tuple[Term, Term], set[int]] = {}
        self.silent: dict[Term, set[int]] = {}  # states that give a variable no value
        variables = {x for row in self.after for x in row.values}
        for number, row in enumerate(self.after):
            for x in variables:
                if x in row.values:
                    self.by_value.setdefault((x, row.values[x]), set()).add(number)
                else:
                    self.silent.setdefault(x, set()).add(number)
        self.variables = sorted(variables, key=lambda x: x.serial)

    def questions(self) -> Iterator[StateQuestion]:
        """For one state after the other, and one way after the other where that leaves little to ask; those that are
        answered on sight are left out.
        """
        for row in self.before:
            for guard, updates in self._steps(row):
                now = {x: updates.get(x, x) for x in self.variables}
                whole = or_(*(self._reached(number, now, updates) for number in sorted(self._possible(now))))
                for goal in self._parts(row, whole):
                    # What speaks of other variables is left out: many states and ways then ask the same.
                    needed = guard if goal is FALSE else connected(guard, and_(row.rest, goal))
                    yield StateQuestion(row.rest, and_(*needed, not_(goal)), and_(*guard), not row.is_plain)

    def _parts(self, row: _Row, goal: Term) -> Sequence[Term]:
        """What has to follow, piece by piece where a state says what variables are by terms: each is a question by
        itself, and what the state says anyway is none.
        """
        if goal is TRUE:
            return ()
        if row.is_plain:
            return (goal,)
        said = frozenset(conjuncts(row.rest))
        return [part for part in conjuncts(goal) if part not in said]

    def _steps(self, row: _Row) -> Iterator[tuple[Sequence[Term], Mapping[Term, Term]]]:
        """Guards, and updates. Where a state has terms, the whole step asks fewer questions than its ways."""
        if self.ways.is_possible and row.is_plain and (self.with_bounds or row.rest is TRUE):
            ways = self.ways.ways(row.values, row.rest)
            if ways is not None:
                yield from ((way.guard, way.values) for way in ways)
                return
            self.ways.is_possible = False
        taken = self.whole.where(row.values)
        if taken.guard is not FALSE:
            yield (taken.guard,), taken.updates

    def _possible(self, now: Mapping[Term, Term]) -> set[int]:
        """The states that do not contradict what is known of the values."""
        known = [
            self.by_value.get((x, value), set()) | self.silent.get(x, set())
            for x, value in now.items()
            if value.is_value
        ]
        return set.intersection(*sorted(known, key=len)) if known else set(range(len(self.after)))

    def _reached(self, number: int, now: Mapping[Term, Term], updates: Mapping[Term, Term]) -> Term:
        row = self.after[number]
        rest = substitute(row.rest, updates)
        return and_(*(eq(now[x], value) for x, value in row.values.items()), rest)


def _comparisons(formula: Term) -> list[Term]:
    """The conditions in a formula, and in the terms in it, that are no connectives."""
    return [
        node
        for node in post_order(formula)
        if node.sort is BOOL and node.op not in _CONNECTIVES and node.op is not ops.VALUE
    ]
