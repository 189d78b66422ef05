"""The ways through a step from one state, for the checker: conditions that the state's values decide are decided, at
others there is a way for each side.

Law: every execution of the step from a state with these values, of which `rest` holds besides, is on one of the ways:
its guard holds, and the new values are those of its updates. What bounds of numbers decide there is decided, sides
that they exclude are left out (`state_bounds`). Engines have code of their own for this; nothing here is used by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from craton.evidence.state_bounds import bounds_contradict
from craton.logic import BOOL, FALSE, TRUE, Term, and_, conjuncts, free_variables, not_, ops, or_, substitute
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Return, Statement
from craton.program.transitions import chosen_value

MOST_WAYS = 64  # from one state
_DEEPEST = 40  # of connectives inside of each other; what is below is looked at as a whole
_JUNCTIONS = {ops.AND: (and_, FALSE), ops.OR: (or_, TRUE)}


@dataclass(frozen=True, slots=True)
class StateWay:
    """What it takes to go this way, and the values of variables in the end; others keep theirs."""

    guard: tuple[Term, ...]
    values: Mapping[Term, Term]


@dataclass(slots=True)
class _Unfinished:
    location: Location
    guard: tuple[Term, ...]
    values: dict[Term, Term]


class StateWays:
    """Of one statement; `is_possible` if it is a block of plain statements."""

    def __init__(self, statement: Statement) -> None:
        self._edges = statement.edges if isinstance(statement, Block) else ()
        self.is_possible = bool(self._edges) and all(
            isinstance(edge.statement, Assume | Assign | Havoc | Return) for edge in self._edges
        )
        self._outgoing: dict[Location, list[tuple[int, Edge]]] = {}
        for number, edge in statement.numbered if isinstance(statement, Block) else ():
            self._outgoing.setdefault(edge.source, []).append((number, edge))
        self._known: dict[tuple[Term, ...], Term] = {}
        self._variables: dict[Term, tuple[Term, ...]] = {}
        self._excluded: dict[tuple[Term, ...], bool] = {}
        self._said: dict[Term, list[Term]] = {}  # of variables, by the state that is looked at
        self.rest_on_bounds = False  # whether bounds have decided anything

    def ways(self, values: Mapping[Term, Term], rest: Term = TRUE) -> list[StateWay] | None:
        """All of them; None if there are too many."""
        said = () if rest is TRUE else conjuncts(rest)
        self._said = {}
        for part in said:
            for x in free_variables(part):
                self._said.setdefault(x, []).append(part)
        begin, end = self._edges[0].source, self._edges[-1].target
        waiting = [_Unfinished(begin, (), dict(values))]
        found: list[StateWay] = []
        while waiting:
            one = waiting.pop()
            for after in self._steps(one, said):
                if after.location == end:
                    found.append(StateWay(after.guard, after.values))
                else:
                    waiting.append(after)
            if len(found) + len(waiting) > MOST_WAYS:
                return None
        return found

    def _steps(self, one: _Unfinished, said: Sequence[Term]) -> Iterator[_Unfinished]:
        leaving = self._outgoing.get(one.location, ())
        known: dict[Term, Term] = {}  # the other side of a branching needs no second look
        for number, edge in leaving:
            statement = edge.statement
            guard, values = one.guard, one.values
            if isinstance(statement, Assume):
                condition = known.get(statement.condition)
                if condition is None:
                    condition = self._read(statement.condition, values, _DEEPEST)
                    known[not_(statement.condition)] = not_(condition)
                if condition is FALSE:
                    continue
                if condition is not TRUE:
                    if said and self._is_excluded(condition, guard, said):
                        continue
                    guard = (*guard, condition)
                    values = _with_equation(values, condition)
            if len(leaving) > 1:
                values = dict(values)
            if isinstance(statement, Assign):
                values[statement.variable] = self._read(statement.value, values, _DEEPEST)
            elif isinstance(statement, Havoc):
                values.update((x, chosen_value(x, number)) for x in statement.variables)
            yield _Unfinished(edge.target, guard, values)

    def _is_excluded(self, condition: Term, guard: tuple[Term, ...], said: Sequence[Term]) -> bool:
        """Where a state does not exclude a condition by itself, what was assumed before may do it with it. Only what
        speaks of the same variables is looked at, and of inputs a state says nothing.
        """
        near = connected((*guard, *said), condition)
        return any(part in said for part in near) and self._contradicts(condition, *near)

    def _contradicts(self, *formulas: Term) -> bool:
        if formulas not in self._excluded:
            self._excluded[formulas] = bounds_contradict(formulas)
            self.rest_on_bounds |= self._excluded[formulas]
        return self._excluded[formulas]

    def _settled(self, condition: Term) -> Term:
        """TRUE or FALSE if what the state says of its variables decides it: many states say the same of these."""
        spoken_of = sorted(free_variables(condition), key=lambda x: x.serial)
        near = dict.fromkeys(part for x in spoken_of for part in self._said.get(x, ()))
        if not near:
            return condition
        if self._contradicts(condition, *near):
            return FALSE
        return TRUE if self._contradicts(not_(condition), *near) else condition

    def _read(self, term: Term, values: Mapping[Term, Term], depth: int) -> Term:
        """The term where variables have these values, no further than to the first part that decides."""
        if depth and term.op is ops.NOT:
            return not_(self._read(term.args[0], values, depth - 1))
        if depth and term.op in _JUNCTIONS:
            join, deciding = _JUNCTIONS[term.op]
            parts: list[Term] = []
            for part in term.args:
                found = self._read(part, values, depth - 1)
                if found is deciding:
                    return deciding
                if not found.is_value:
                    parts.append(found)
            return join(*parts)
        if term not in self._variables:
            self._variables[term] = tuple(sorted(free_variables(term), key=lambda x: x.serial))
        variables = self._variables[term]
        key = (term, *[values.get(x, x) for x in variables])
        if key not in self._known:
            self._known[key] = substitute(term, dict(zip(variables, key[1:], strict=True)))
        found = self._known[key]
        return self._settled(found) if self._said and found.sort is BOOL and not found.is_value else found


def equation(part: Term) -> tuple[Term, Term] | None:
    """The variable and its value, if that is what a formula says."""
    if part.op is ops.VARIABLE:
        return part, TRUE
    if part.op is ops.NOT and part.args[0].op is ops.VARIABLE:
        return part.args[0], FALSE
    if part.op is ops.EQ:
        for one, other in (part.args, part.args[::-1]):
            if one.op is ops.VARIABLE and other.is_value:
                return one, other
    return None


def _with_equation(values: dict[Term, Term], condition: Term) -> dict[Term, Term]:
    """Where a condition says which value an input or a variable had at the beginning, that is put in."""
    said = equation(condition)
    if said is None:
        return values
    variable, value = said
    found = {
        x: substitute(term, {variable: value}) if variable in free_variables(term) else term
        for x, term in values.items()
    }
    found.setdefault(variable, value)
    return found


def connected(parts: Sequence[Term], to: Term) -> list[Term]:
    """Those of the conditions that speak, directly or through others, of the variables of a formula."""
    spoken_of, waiting = free_variables(to), list(parts)
    found: list[Term] = []
    while near := [part for part in waiting if not free_variables(part).isdisjoint(spoken_of)]:
        found += near
        waiting = [part for part in waiting if part not in near]
        spoken_of = spoken_of.union(*map(free_variables, near))
    return found
