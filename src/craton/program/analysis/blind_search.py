"""A search for the locations that control can come to if nothing is known about memory. What it says holds; how much it
says depends on which variables are told apart (`blind_states`).

A procedure that is entered in a state is followed once. For each location of it and each state there is one point, with
the constants that variables hold however control came there; they are joined until nothing changes. Behind a gap memory
is unknown, and so is who is called.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

from craton.logic import BOOL, FALSE, TRUE, Array, Term, free_variables, ops, substitute, var
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.persistent_map import EMPTY, PersistentMap, common, value_at, value_of, with_value, without_value
from craton.program.statements import Assign, Assume, Call, Return, Statement
from craton.program.variables import writes

MOST_VALUES = 12  # of a variable that is told apart
_BLIND = var("memory is unknown", BOOL)

Values = tuple[Term | None, ...]
Key = tuple[int, Values]  # what the variables hold that are told apart: shared ones, by a number, and others


class Facts(NamedTuple):
    """The variables that hold a constant: of those that all procedures share, and of the others."""

    shared: PersistentMap
    own: PersistentMap


@dataclass(frozen=True, slots=True)
class Wild:
    """What may happen at a location once memory is unknown: calls of any of these procedures, one after another, with
    any arguments; unless the pointer that is called is known to hold one of the addresses for which edges say it.
    """

    procedures: tuple[str, ...]
    pointer: Term | None = None
    addresses: Collection[Term] = ()


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Where memory becomes unknown, and what may happen then."""

    blinding: Collection[Location] = ()
    wild: Mapping[Location, Wild] = field(default_factory=dict)
    cut: Collection[Location] = ()  # where control does not come, as is assumed


# --- statements -------------------------------------------------------------------------------------------------------


_Scalar = tuple[int, bool, Term | None, Term]  # its serial number, whether all share it, what it is always, itself


class Transfer:
    """What is known after statements. Arrays hold nothing that is known."""

    def __init__(self, shared: frozenset[Term], kept: Mapping[Term, Term]) -> None:
        self.shared = shared
        self._given_up: frozenset[Term] = frozenset()  # nothing is known of these
        self._kept = kept
        self._remembered: frozenset[Term] | None = None  # of the shared ones
        self._forgotten: dict[Term, bool] = {}
        self._results: dict[tuple[Term, Values], Term] = {}
        self._scalars: dict[Term, tuple[_Scalar, ...]] = {}
        self._said: dict[Term, tuple[tuple[Term, Term], ...]] = {}

    def of_shared(self, remembered: frozenset[Term]) -> Transfer:
        """The same, but that no other shared variables are remembered than these, and those that nobody changes."""
        other = copy(self)
        other._remembered, other._forgotten = remembered, {}
        return other

    def give_up(self, variable: Term) -> None:
        self._given_up |= {variable}
        self._forgotten = {}

    def value(self, variable: Term, facts: Facts) -> Term | None:
        if variable in self.shared:
            return self._kept.get(variable) or value_of(facts.shared, variable)
        return value_of(facts.own, variable)

    def valued(self, term: Term, facts: Facts) -> Term:
        """The term with the values that are known."""
        if term.op is ops.VALUE:
            return term
        scalars = self._scalars.get(term)
        if scalars is None:
            scalars = self._scalars[term] = tuple(self._scalars_of(term))
        if not scalars:
            return term
        shared, own = facts
        values = tuple([kept or value_at(shared if of_all else own, key) for key, of_all, kept, _ in scalars])
        if not any(values):
            return term
        found = self._results.get((term, values))
        if found is None:
            known = {scalar[3]: value for scalar, value in zip(scalars, values, strict=True) if value is not None}
            found = self._results[term, values] = substitute(term, known)
        return found

    def _scalars_of(self, term: Term) -> Iterator[_Scalar]:
        for variable in free_variables(term):
            if not isinstance(variable.sort, Array):
                of_all = variable in self.shared
                yield variable.serial, of_all, self._kept.get(variable) if of_all else None, variable

    def constant(self, term: Term, facts: Facts) -> Term | None:
        term = self.valued(term, facts)
        return term if term.op is ops.VALUE else None

    def put(self, facts: Facts, variable: Term, value: Term | None) -> Facts:
        """With a variable that holds this value; an unknown one, if it is None."""
        if self._is_forgotten(variable):
            return facts
        if variable in self.shared:
            return Facts(_put(facts.shared, variable, value), facts.own)
        return Facts(facts.shared, _put(facts.own, variable, value))

    def _is_forgotten(self, variable: Term) -> bool:
        """Whether nothing is remembered of what is written to it."""
        found = self._forgotten.get(variable)
        if found is None:
            found = isinstance(variable.sort, Array) or variable in self._given_up
            if variable in self.shared:
                found |= variable in self._kept or not (self._remembered is None or variable in self._remembered)
            self._forgotten[variable] = found
        return found

    def after(self, statement: Statement, facts: Facts) -> Facts | None:
        """None if control does not pass. Of calls this is what they do to their results, and that is all."""
        if isinstance(statement, Assume):
            condition = self.valued(statement.condition, facts)
            if condition is FALSE:
                return None
            said = self._said.get(condition)
            if said is None:
                said = self._said[condition] = tuple(_said(condition))
            for variable, value in said:
                facts = self.put(facts, variable, value)
            return facts
        if isinstance(statement, Assign):
            if self._is_forgotten(statement.variable):
                return facts
            return self.put(facts, statement.variable, self.constant(statement.value, facts))
        for variable in writes(statement):
            facts = self.put(facts, variable, None)
        return facts

    def entered(self, procedure: Procedure, arguments: Sequence[Term] | None, facts: Facts) -> Facts:
        """What is known when a procedure begins that is called here: with any arguments, if there are none."""
        inside = Facts(facts.shared, EMPTY)
        for parameter, argument in zip(procedure.parameters, arguments or (), strict=arguments is not None):
            value = self.constant(argument, facts)
            if value is not None or parameter in self.shared:
                inside = self.put(inside, parameter, value)
        return inside

    def left(self, statement: Call | None, returned: Facts, values: Values, before: Facts) -> Facts:
        """What is known after a call that gave these values."""
        facts = Facts(returned.shared, before.own)
        if statement is not None:
            for variable, value in zip(statement.results, values, strict=True):
                facts = self.put(facts, variable, value)
        return facts


def _put(known: PersistentMap, variable: Term, value: Term | None) -> PersistentMap:
    return without_value(known, variable) if value is None else with_value(known, variable, value)


def _said(condition: Term) -> Iterator[tuple[Term, Term]]:
    """The variables of which a condition says what they hold."""
    for part in condition.args if condition.op is ops.AND else (condition,):
        if part.op is ops.EQ and part.args[0].op is ops.VARIABLE and part.args[1].op is ops.VALUE:
            yield part.args[0], part.args[1]
        elif part.op is ops.VARIABLE:
            yield part, TRUE
        elif part.op is ops.NOT and part.args[0].op is ops.VARIABLE:
            yield part.args[0], FALSE


# --- the search -------------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Point:
    """A location of a procedure that was entered in a state, in a state."""

    inside: Entered
    location: Location
    key: Key
    facts: Facts
    before: Step | None = None  # how control first came here
    is_waiting: bool = False


class Step(NamedTuple):
    """From a point by an edge, or by a call that is no edge; and from where the called procedure was left."""

    point: Point
    edge: Edge | None
    left: Point | None


@dataclass(eq=False, slots=True)
class Entered:
    """A procedure in a state at its entry."""

    procedure: Procedure
    entry: Point = field(init=False)
    points: dict[tuple[Location, Key], Point] = field(default_factory=dict)
    exits: dict[Point, Values] = field(default_factory=dict)  # where it was left, and what it gave
    callers: dict[tuple[Point, Edge | None], None] = field(default_factory=dict)


@dataclass(slots=True)
class Search:
    program: Program
    goals: frozenset[Location]
    unknowns: Unknowns
    anyone: Mapping[tuple[str, ...], str]
    transfer: Transfer
    told_apart: frozenset[Term]
    steps: int
    many: Term | None = None  # a variable that has too many values to tell them apart
    goal: Point | None = None
    entered: dict[tuple[str, Key], Entered] = field(default_factory=dict)
    waiting: deque[Point] = field(default_factory=deque)
    values: dict[Term, set[Term]] = field(default_factory=dict)
    shared: dict[PersistentMap, int] = field(default_factory=dict)  # states of shared variables, with their numbers
    seen: dict[int, tuple[PersistentMap, int]] = field(default_factory=dict)  # the same by identity
    own: dict[str, tuple[Term, ...]] = field(default_factory=dict)

    def run(self) -> Point | None:
        """A goal that control may come to."""
        for name, procedure in self.program.procedures.items():
            apart = (*procedure.parameters, *procedure.returns, *procedure.locals)
            self.own[name] = tuple(v for v in dict.fromkeys(apart) if v in self.told_apart)
        self._enter(self.program.main, Facts(EMPTY, EMPTY))
        while self.waiting and self.many is None and self.goal is None and self.steps > 0:
            point = self.waiting.popleft()
            point.is_waiting = False
            self._pass(point)
        return self.goal

    def _pass(self, point: Point) -> None:
        """All that may happen at a point."""
        facts, inside, location = point.facts, point.inside, point.location
        if location in self.unknowns.blinding:
            facts = Facts(with_value(facts.shared, _BLIND, TRUE), facts.own)
        wild = self.unknowns.wild.get(location)
        if wild is not None and value_of(facts.shared, _BLIND) is TRUE and not self._is_known(wild, facts):
            self._call(point, None, self.anyone[wild.procedures], facts)
        for edge in inside.procedure.outgoing(location):
            self.steps -= 1
            statement = edge.statement
            if isinstance(statement, Call):
                self._call(point, edge, statement.procedure, facts)
                continue
            after = None if edge.target in self.unknowns.cut else self.transfer.after(statement, facts)
            if after is not None:
                reached = self._reach(inside, edge.target, after, point, edge)
                if isinstance(statement, Return):
                    self._leave(reached)

    def _is_known(self, wild: Wild, facts: Facts) -> bool:
        """What is known may also come from a comparison: of a function then that no flow of pointers leads here."""
        return wild.pointer is not None and self.transfer.constant(wild.pointer, facts) in wild.addresses

    def _enter(self, procedure: Procedure, facts: Facts) -> Entered:
        key = self._key(procedure.name, facts)
        inside = self.entered.get((procedure.name, key))
        if inside is None:
            inside = self.entered[procedure.name, key] = Entered(procedure)
            inside.entry = self._reach(inside, procedure.entry, facts)
        else:
            self._reach(inside, procedure.entry, facts)
        return inside

    def _call(self, point: Point, edge: Edge | None, name: str, facts: Facts) -> None:
        procedure = self.program.procedures[name]
        inside = self._enter(procedure, self.transfer.entered(procedure, arguments_of(edge), facts))
        inside.callers[point, edge] = None
        for left, values in list(inside.exits.items()):
            after = self.transfer.left(called(edge), left.facts, values, facts)
            target = point.location if edge is None else edge.target
            self._reach(point.inside, target, after, point, edge, left)

    def _leave(self, left: Point) -> None:
        inside = left.inside
        given = values_given(left, left.facts, self.transfer)
        if inside.exits.get(left) != given:
            inside.exits[left] = given
            for caller, _ in inside.callers:
                self._wait(caller)

    def _reach(
        self,
        inside: Entered,
        location: Location,
        facts: Facts,
        before: Point | None = None,
        edge: Edge | None = None,
        left: Point | None = None,
    ) -> Point:
        """The point where control comes to, as `Step` has it; from nowhere at the entry of a procedure."""
        # Joins take nothing away that is told apart: where nothing has happened, the state is the same.
        if before is not None and facts is before.facts:
            key = before.key
        else:
            key = self._key(inside.procedure.name, facts)
        point = inside.points.get((location, key))
        if point is None:
            step = None if before is None else Step(before, edge, left)
            point = inside.points[location, key] = Point(inside, location, key, facts, step)
            if location in self.goals:
                self.goal = point
            self._wait(point)
            self._count(inside.procedure.name, key[1])
            return point
        if facts.own is point.facts.own:
            return point
        own = common(point.facts.own, facts.own)
        if own is not point.facts.own:
            point.facts = Facts(point.facts.shared, own)
            self._wait(point)
        return point

    def _wait(self, point: Point) -> None:
        if not point.is_waiting:
            point.is_waiting = True
            self.waiting.append(point)

    def _key(self, name: str, facts: Facts) -> Key:
        own = self.own[name]
        seen = self.seen.get(id(facts.shared))
        number = self._number(facts.shared) if seen is None else seen[1]
        return number, tuple([value_of(facts.own, variable) for variable in own]) if own else ()

    def _number(self, shared: PersistentMap) -> int:
        number = self.shared.setdefault(shared, len(self.shared))
        self.seen[id(shared)] = shared, number
        if number == len(self.shared) - 1:
            for variable in self.told_apart & self.transfer.shared:
                self._hold(variable, value_of(shared, variable))
        return number

    def _count(self, name: str, own: Values) -> None:
        """How many values the variables have that are told apart; those of shared ones count with their states."""
        if own:
            for variable, value in zip(self.own[name], own, strict=True):
                self._hold(variable, value)

    def _hold(self, variable: Term, value: Term | None) -> None:
        if value is not None:
            held = self.values.setdefault(variable, set())
            held.add(value)
            if len(held) > MOST_VALUES:
                self.many = variable


def called(edge: Edge | None) -> Call | None:
    statement = None if edge is None else edge.statement
    assert statement is None or isinstance(statement, Call)
    return statement


def arguments_of(edge: Edge | None) -> tuple[Term, ...] | None:
    call = called(edge)
    return None if call is None else call.arguments


def values_given(left: Point, facts: Facts, transfer: Transfer) -> Values:
    return tuple(transfer.value(variable, facts) for variable in left.inside.procedure.returns)
