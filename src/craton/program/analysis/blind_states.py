"""Which locations control can come to if nothing is known about memory, told apart by what a few variables hold.

As in `blind_reachability`, but procedures are entered and left in *states*: what those variables hold that are told
apart. A lock that is taken in one procedure and released in another, a flag that says whether a device is registered:
of such things most errors of drivers are made, and they do not lie in memory. Of other variables that procedures share
nothing is known, unless nobody changes them; of a procedure's own, constants are.

Which variables are told apart is found by trying: the first way to an error is followed alone, without joins; where it
cannot be passed, those variables are told apart from then on whose values had been lost in joins.

After Das, Lerner, Seigle: ESP, Path-Sensitive Program Verification in Polynomial Time (2002).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

from craton.logic import BOOL, FALSE, TRUE, Array, Term, free_variables, ops, substitute, var
from craton.program.analysis.blind_reachability import first_values
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.persistent_map import EMPTY, PersistentMap, common, value_of, with_value, without_value
from craton.program.statements import Assign, Assume, Call, Return, Statement
from craton.program.variables import reads, writes

MOST_STEPS = 300_000
MOST_SEARCHES = 40
MOST_VALUES = 12  # of a variable that is told apart
_BLIND = var("memory is unknown", BOOL)

Values = tuple[Term | None, ...]
Key = tuple[PersistentMap, Values]  # what the variables hold that are told apart: shared ones, and others


class Facts(NamedTuple):
    """The variables that hold a constant: of those that all procedures share, and of the others."""

    shared: PersistentMap
    own: PersistentMap


@dataclass(frozen=True, slots=True)
class Wild:
    """What may happen at a location once memory is unknown: calls of any of these procedures, one after another, with
    any arguments; unless it is known what the pointer holds that is called.
    """

    procedures: tuple[str, ...]
    pointer: Term | None = None


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Where memory becomes unknown, and what may happen then."""

    blinding: Collection[Location] = ()
    wild: Mapping[Location, Wild] = field(default_factory=dict)
    cut: Collection[Location] = ()  # where control does not come, as is assumed


NOTHING_UNKNOWN = Unknowns()


def reaches(program: Program, goals: Collection[Location], unknowns: Unknowns = NOTHING_UNKNOWN) -> bool:
    """Whether control may come to one of these locations. If not, it does not; else nothing is said."""
    program, anyone = _with_anyone(program, unknowns)
    alone = _Transfer(frozenset(program.globals), _kept(program))
    told_apart: frozenset[Term] = frozenset()
    steps = MOST_STEPS
    for _ in range(MOST_SEARCHES):
        search = _Search(program, frozenset(goals), unknowns, anyone, alone.of_shared(told_apart), told_apart, steps)
        goal = search.run()
        steps = search.steps
        if steps <= 0:
            return True
        if search.many is not None:
            alone.given_up.add(search.many)
        elif goal is None:
            return False
        else:
            lost = _Alone(_way_to(goal), alone).lost() - told_apart
            if not lost:
                return True
            told_apart |= lost
        told_apart -= alone.given_up
    return True


def _with_anyone(program: Program, unknowns: Unknowns) -> tuple[Program, dict[tuple[str, ...], str]]:
    """With a procedure for each group of procedures that may be called somewhere: it calls any of them, as often as it
    likes, and returns. And the names of these.
    """
    names: dict[tuple[str, ...], str] = {}
    procedures = dict(program.procedures)
    for group in dict.fromkeys(wild.procedures for wild in unknowns.wild.values()):
        names[group] = name = f"any of group {len(names) + 1}"
        entry = Location(-2 * len(names))
        exit_ = Location(entry.id - 1)
        calls = [Edge(entry, _call_of(program.procedures[each]), entry) for each in group]
        procedures[name] = Procedure(name, (), (), entry, exit_, (*calls, Edge(entry, Return(), exit_)))
    return program.with_procedures(procedures), names


def _call_of(procedure: Procedure) -> Call:
    """With any arguments: variables of which nothing is known."""
    arguments = tuple(var("any argument", parameter.sort) for parameter in procedure.parameters)
    return Call(procedure.name, arguments, tuple(var("any result", result.sort) for result in procedure.returns))


# --- statements -------------------------------------------------------------------------------------------------------


def _kept(program: Program) -> Mapping[Term, Term]:
    """The shared variables that get a value at first and no other one."""
    written = Counter(variable for edge in program.edges() for variable in writes(edge.statement))
    return {variable: value for variable, value in first_values(program) if written[variable] == 1}


class _Transfer:
    """What is known after statements. Arrays hold nothing that is known."""

    def __init__(self, shared: frozenset[Term], kept: Mapping[Term, Term]) -> None:
        self.shared = shared
        self.given_up: set[Term] = set()  # nothing is known of these
        self._kept = kept
        self._remembered: frozenset[Term] | None = None  # of the shared ones
        self._results: dict[tuple[Term, Values], Term] = {}
        self._scalars: dict[Term, tuple[Term, ...]] = {}

    def of_shared(self, remembered: frozenset[Term]) -> _Transfer:
        """The same, but that no other shared variables are remembered than these, and those that nobody changes."""
        other = copy(self)
        other._remembered = remembered
        return other

    def value(self, variable: Term, facts: Facts) -> Term | None:
        if variable in self.shared:
            return self._kept.get(variable) or value_of(facts.shared, variable)
        return value_of(facts.own, variable)

    def valued(self, term: Term, facts: Facts) -> Term:
        """The term with the values that are known."""
        if term.op is ops.VALUE:
            return term
        variables = self._scalars.get(term)
        if variables is None:
            variables = tuple(v for v in free_variables(term) if not isinstance(v.sort, Array))
            self._scalars[term] = variables
        values = tuple([self.value(variable, facts) for variable in variables])
        if not any(values):
            return term
        found = self._results.get((term, values))
        if found is None:
            known = {v: value for v, value in zip(variables, values, strict=True) if value is not None}
            found = self._results[term, values] = substitute(term, known)
        return found

    def constant(self, term: Term, facts: Facts) -> Term | None:
        term = self.valued(term, facts)
        return term if term.op is ops.VALUE else None

    def put(self, facts: Facts, variable: Term, value: Term | None) -> Facts:
        """With a variable that holds this value; an unknown one, if it is None."""
        if isinstance(variable.sort, Array) or variable in self.given_up:
            return facts
        if variable in self.shared:
            if variable in self._kept or (self._remembered is not None and variable not in self._remembered):
                return facts
            return Facts(_put(facts.shared, variable, value), facts.own)
        return Facts(facts.shared, _put(facts.own, variable, value))

    def after(self, statement: Statement, facts: Facts) -> Facts | None:
        """None if control does not pass. Of calls this is what they do to their results, and that is all."""
        if isinstance(statement, Assume):
            condition = self.valued(statement.condition, facts)
            if condition is FALSE:
                return None
            for variable, value in _said(condition):
                facts = self.put(facts, variable, value)
            return facts
        if isinstance(statement, Assign):
            return self.put(facts, statement.variable, self.constant(statement.value, facts))
        for variable in writes(statement):
            facts = self.put(facts, variable, None)
        return facts

    def entered(self, procedure: Procedure, arguments: Sequence[Term] | None, facts: Facts) -> Facts:
        """What is known when a procedure begins that is called here: with any arguments, if there are none."""
        inside = Facts(facts.shared, EMPTY)
        for parameter, argument in zip(procedure.parameters, arguments or (), strict=arguments is not None):
            inside = self.put(inside, parameter, self.constant(argument, facts))
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
class _Point:
    """A location of a procedure that was entered in a state, in a state."""

    inside: _Entered
    location: Location
    key: Key
    facts: Facts
    before: _Step | None = None  # how control first came here


class _Step(NamedTuple):
    """From a point by an edge, or by a call that is no edge; and from where the called procedure was left."""

    point: _Point
    edge: Edge | None
    left: _Point | None


@dataclass(eq=False, slots=True)
class _Entered:
    """A procedure in a state at its entry."""

    procedure: Procedure
    entry: _Point = field(init=False)
    points: dict[tuple[Location, Key], _Point] = field(default_factory=dict)
    exits: dict[_Point, Values] = field(default_factory=dict)  # where it was left, and what it gave
    callers: dict[tuple[_Point, Edge | None], None] = field(default_factory=dict)


@dataclass(slots=True)
class _Search:
    program: Program
    goals: frozenset[Location]
    unknowns: Unknowns
    anyone: Mapping[tuple[str, ...], str]
    transfer: _Transfer
    told_apart: frozenset[Term]
    steps: int
    many: Term | None = None  # a variable that has too many values to tell them apart
    goal: _Point | None = None
    entered: dict[tuple[str, Key], _Entered] = field(default_factory=dict)
    waiting: deque[_Point] = field(default_factory=deque)
    queued: set[_Point] = field(default_factory=set)
    values: dict[Term, set[Term]] = field(default_factory=dict)
    own: dict[str, tuple[Term, ...]] = field(default_factory=dict)

    def run(self) -> _Point | None:
        """A goal that control may come to."""
        for name, procedure in self.program.procedures.items():
            apart = (*procedure.parameters, *procedure.returns, *procedure.locals)
            self.own[name] = tuple(v for v in dict.fromkeys(apart) if v in self.told_apart)
        self._enter(self.program.main, Facts(EMPTY, EMPTY))
        while self.waiting and self.many is None and self.goal is None and self.steps > 0:
            point = self.waiting.popleft()
            self.queued.discard(point)
            self._pass(point)
        return self.goal

    def _pass(self, point: _Point) -> None:
        """All that may happen at a point."""
        facts = point.facts
        if point.location in self.unknowns.blinding:
            facts = Facts(with_value(facts.shared, _BLIND, TRUE), facts.own)
        wild = self.unknowns.wild.get(point.location)
        if wild is not None and value_of(facts.shared, _BLIND) is TRUE and not self._is_known(wild.pointer, facts):
            self._call(point, None, self.anyone[wild.procedures], facts)
        for edge in point.inside.procedure.outgoing(point.location):
            self.steps -= 1
            if isinstance(edge.statement, Call):
                self._call(point, edge, edge.statement.procedure, facts)
                continue
            after = None if edge.target in self.unknowns.cut else self.transfer.after(edge.statement, facts)
            if after is not None:
                reached = self._reach(point.inside, edge.target, after, _Step(point, edge, None))
                if isinstance(edge.statement, Return):
                    self._leave(reached)

    def _is_known(self, pointer: Term | None, facts: Facts) -> bool:
        return pointer is not None and self.transfer.constant(pointer, facts) is not None

    def _enter(self, procedure: Procedure, facts: Facts) -> _Entered:
        key = self._key(procedure.name, facts)
        inside = self.entered.get((procedure.name, key))
        if inside is None:
            inside = self.entered[procedure.name, key] = _Entered(procedure)
            inside.entry = self._reach(inside, procedure.entry, facts, None)
        else:
            self._reach(inside, procedure.entry, facts, None)
        return inside

    def _call(self, point: _Point, edge: Edge | None, name: str, facts: Facts) -> None:
        procedure = self.program.procedures[name]
        inside = self._enter(procedure, self.transfer.entered(procedure, _arguments(edge), facts))
        inside.callers[point, edge] = None
        for left, values in list(inside.exits.items()):
            after = self.transfer.left(_called(edge), left.facts, values, facts)
            target = point.location if edge is None else edge.target
            self._reach(point.inside, target, after, _Step(point, edge, left))

    def _leave(self, left: _Point) -> None:
        inside = left.inside
        given = _values(left, left.facts, self.transfer)
        if inside.exits.get(left) != given:
            inside.exits[left] = given
            for caller, _ in inside.callers:
                self._wait(caller)

    def _reach(self, inside: _Entered, location: Location, facts: Facts, step: _Step | None) -> _Point:
        key = self._key(inside.procedure.name, facts)
        point = inside.points.get((location, key))
        if point is None:
            point = inside.points[location, key] = _Point(inside, location, key, facts, step)
            if location in self.goals:
                self.goal = point
            self._wait(point)
            self._count(point)
            return point
        own = common(point.facts.own, facts.own)
        if own is not point.facts.own:
            point.facts = Facts(point.facts.shared, own)
            self._wait(point)
        return point

    def _wait(self, point: _Point) -> None:
        if point not in self.queued:
            self.queued.add(point)
            self.waiting.append(point)

    def _key(self, name: str, facts: Facts) -> Key:
        own = self.own[name]
        return facts.shared, tuple([value_of(facts.own, variable) for variable in own]) if own else ()

    def _count(self, point: _Point) -> None:
        """How many values the variables have that are told apart."""
        for variable in self.told_apart:
            value = self.transfer.value(variable, point.facts)
            if value is not None:
                held = self.values.setdefault(variable, set())
                held.add(value)
                if len(held) > MOST_VALUES:
                    self.many = variable


# --- the way to a goal ------------------------------------------------------------------------------------------------


class _Move(NamedTuple):
    """From a point to the next on a way: by an edge; into a procedure, from where it is called; or out of one, from
    where it is left.
    """

    start: _Point
    step: _Step | None  # None into a procedure
    call: Edge | None
    end: _Point


def _way_to(goal: _Point) -> list[_Move]:
    """How control first came to a point, from the entry of the program."""
    found: list[list[_Move]] = [_within(goal)]
    inside = goal.inside
    while inside.callers:
        caller, call = next(iter(inside.callers))
        found.append([*_within(caller), _Move(caller, None, call, inside.entry)])
        inside = caller.inside
    return [move for part in reversed(found) for move in part]


def _within(point: _Point) -> list[_Move]:
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

    def __init__(self, way: Sequence[_Move], transfer: _Transfer) -> None:
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
                facts = transfer.entered(move.end.inside.procedure, _arguments(move.call), facts)
            elif move.step.left is not None:
                facts = transfer.left(_called(move.call), facts, _values(move.start, facts, transfer), frames.pop())
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
        procedure, arguments = move.end.inside.procedure, _arguments(move.call)
        if self._transfer.value(variable, self._transfer.entered(procedure, arguments, move.start.facts)) is not None:
            return None
        given = dict(zip(procedure.parameters, arguments or (), strict=arguments is not None))
        return self._wanted(number, free_variables(given[variable]) if variable in given else {variable})

    def _sources_of_result(self, number: int, depth: int, variable: Term) -> set[tuple[int, Term]] | None:
        move, transfer = self._way[number], self._transfer
        assert move.step is not None
        call = _called(move.call)
        results = dict(
            zip(() if call is None else call.results, move.start.inside.procedure.returns, strict=call is not None)
        )
        if variable in results:
            result = results[variable]
            return None if transfer.value(result, move.start.facts) is not None else self._wanted(number, {result})
        if depth == -1:
            return None if transfer.value(variable, move.start.facts) is not None else {(depth, variable)}
        return None if transfer.value(variable, move.step.point.facts) is not None else {(depth, variable)}


def _called(edge: Edge | None) -> Call | None:
    statement = None if edge is None else edge.statement
    assert statement is None or isinstance(statement, Call)
    return statement


def _arguments(edge: Edge | None) -> tuple[Term, ...] | None:
    call = _called(edge)
    return None if call is None else call.arguments


def _values(left: _Point, facts: Facts, transfer: _Transfer) -> Values:
    return tuple(transfer.value(variable, facts) for variable in left.inside.procedure.returns)
