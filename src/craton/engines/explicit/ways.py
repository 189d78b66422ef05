"""The ways through a step from a state, one by one.

From known values a large `switch` has few ways through: one for each input that is asked for, mostly. Conditions are
read part by part, no further than to the first part that decides; what a part is where a variable has a value is
remembered. What values leave open is decided by ranges, or the way parts in two, with what each of them assumes.

Steps with many independent branchings have too many ways. They are executed as a whole (`program.transitions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from craton.facts.operations import MAYBE, YES
from craton.facts.ranges import Range
from craton.facts.states import assumed, value
from craton.logic import BOOL, FALSE, TRUE, Term, and_, free_variables, not_, ops, or_, substitute
from craton.logic.evaluation import constant
from craton.logic.walk import post_order, replaced
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Return, Statement
from craton.program.transitions import Transitions, chosen_value, exclusive

MOST_WAYS = 128  # through one step from one state
_DEEPEST = 40  # of connectives that are read part by part
_CONNECTIVES = (ops.AND, ops.OR, ops.NOT, ops.IMPLIES, ops.XOR, ops.ITE)

Ranges = Mapping[Term, Range]
Values = Mapping[Term, Term]
Reader = Callable[[Values], Term]


class TooManyWays(Exception):
    """It is better to follow all of them at once."""


@dataclass(slots=True)
class Way:
    """A way so far: where it is (None: at the end), what it knows, and what it assumed of conditions."""

    location: Location | None
    values: dict[Term, Term]
    ranges: Ranges
    assumed: dict[Term, Term] = field(default_factory=dict)  # conditions → TRUE or FALSE

    def copy(self) -> Way:
        return Way(self.location, dict(self.values), self.ranges, dict(self.assumed))

    @property
    def guard(self) -> Term:
        return and_(*(condition if truth is TRUE else not_(condition) for condition, truth in self.assumed.items()))


_NOWHERE = Location(-1)  # has no edges


@dataclass(frozen=True, slots=True)
class _Fork:
    """Two edges, of which a condition decides; or one, and nowhere to go if it does not hold."""

    read: Reader
    then: Location | None
    other: Location | None


@dataclass(frozen=True, slots=True)
class _Line:
    """One edge that gives variables values, each read from the old ones; without any it only leads on."""

    writes: Sequence[tuple[Term, Reader]]
    target: Location | None


@dataclass(frozen=True, slots=True)
class _Many:
    """Edges with conditions, of which one at most can be taken, or any."""

    edges: Sequence[tuple[Reader, _Line]]
    exclusive: bool


class Ways:
    """Those through one statement; `whole` executes it as a whole, and has to once there were too many."""

    def __init__(self, statement: Statement) -> None:
        self.whole = Transitions(statement)
        self.is_wide = False
        self._begin: Location | None = None
        self._nodes: dict[Location, _Fork | _Line | _Many] = {}
        self._decided: dict[tuple[object, ...], Term] = {}
        edges = statement.edges if isinstance(statement, Block) else ()
        if not edges or any(not isinstance(edge.statement, Assume | Assign | Havoc | Return) for edge in edges):
            self.is_wide = True
            return
        assert isinstance(statement, Block)
        self._begin = statement.begin
        outgoing: dict[Location, list[tuple[int, Edge]]] = {}
        for number, edge in statement.numbered:
            outgoing.setdefault(edge.source, []).append((number, edge))
        for location, leaving in outgoing.items():
            self._nodes[location] = _node(leaving, statement.end)

    def ways(self, values: Values, ranges: Ranges) -> Iterator[Way]:
        """All ways to the end from states with these values, and others in these ranges; no more than can be taken as
        far as ranges tell, and no fewer.
        """
        waiting = [Way(self._begin, dict(values), ranges)]
        found = 0
        while waiting:
            way = waiting.pop()
            while way.location is not None:
                node = self._nodes.get(way.location)
                if isinstance(node, _Fork):
                    condition = node.read(way.values)
                    if condition is TRUE:
                        way.location = node.then
                    elif condition is FALSE:
                        way.location = node.other
                    else:
                        for parted, truth in self._parted(way, condition):
                            parted.location = node.then if truth is TRUE else node.other
                            waiting.append(parted)
                        break
                elif isinstance(node, _Line):
                    _follow(way, node)
                elif node is None:  # no edge leads on
                    break
                else:
                    waiting += self._of_many(way, node)
                    break
            else:
                found += 1
                yield way
            if found + len(waiting) > MOST_WAYS:
                raise TooManyWays

    def _of_many(self, way: Way, node: _Many) -> Iterator[Way]:
        going = [way]
        for read, line in node.edges:
            others: list[Way] = []
            for one in going:
                for parted, truth in self._parted(one.copy(), read(one.values)):
                    if truth is TRUE:
                        _follow(parted, line)
                        yield parted
                    else:
                        others.append(parted)
            if node.exclusive:
                going = others

    def _parted(self, way: Way, condition: Term) -> Iterator[tuple[Way, Term]]:
        """The way with what the condition is, or two and more that assume what it is made of."""
        waiting = [(way, condition)]
        while waiting:
            way, condition = waiting.pop()
            condition = self._known(condition, way)
            if condition.is_value:
                yield way, condition
                continue
            part = next(conditions((condition,)))
            for truth in (FALSE, TRUE):
                states = assumed(part if truth is TRUE else not_(part), way.ranges)
                if states is not None:
                    parted, new = _assuming(way, part, truth, states)
                    waiting.append((parted, replaced((condition,), {**new, part: truth})[0]))

    def _known(self, condition: Term, way: Way) -> Term:
        """With what has been assumed, and what ranges decide."""
        known: dict[Term, Term] = {}
        for part in conditions((condition,)):
            truth = way.assumed.get(part)
            if truth is None:
                truth = self._by_ranges(part, way.ranges)
            if truth.is_value:
                if part is condition:
                    return truth
                known[part] = truth
        return replaced((condition,), known)[0] if known else condition

    def _by_ranges(self, part: Term, ranges: Ranges) -> Term:
        key = (part, *map(ranges.get, free_variables(part)))
        found = self._decided.get(key)
        if found is None:
            told = value(part, ranges)
            found = part if told is None or told == MAYBE else TRUE if told == YES else FALSE
            self._decided[key] = found
        return found


def conditions(terms: Sequence[Term]) -> Iterator[Term]:
    """Conditions in terms that are no connectives, inner ones first."""
    for node in post_order(*terms):
        if node.sort is BOOL and node.op is not ops.VALUE and node.op not in _CONNECTIVES:
            yield node


def _follow(way: Way, line: _Line) -> None:
    way.values.update([(variable, read(way.values)) for variable, read in line.writes])
    way.location = line.target


def _assuming(way: Way, part: Term, truth: Term, states: Mapping[Term, object]) -> tuple[Way, dict[Term, Term]]:
    """A copy of the way that assumes what a condition is, and the values of variables that follow from it."""
    ranges = {x: known for x, known in states.items() if isinstance(known, Range)}
    new: dict[Term, Term] = {}
    for x, known in ranges.items():
        if known.constant is not None and (x not in way.ranges or way.ranges[x].constant is None):
            new[x] = constant(bool(known.constant) if x.sort is BOOL else known.constant, x.sort)
    values = dict(way.values)
    if new:
        values.update((x, substitute(term, new)) for x, term in way.values.items() if not term.is_value)
        values.update((x, term) for x, term in new.items() if x not in way.values)
    return Way(way.location, values, ranges, {**way.assumed, part: truth}), new


# --- what is read of a statement, once --------------------------------------------------------------------------------


def _node(leaving: Sequence[tuple[int, Edge]], end: Location) -> _Fork | _Line | _Many:
    assumptions = [edge.statement.condition for _, edge in leaving if isinstance(edge.statement, Assume)]
    lines = [_line(number, edge, end) for number, edge in leaving]
    if len(lines) == 1 and not assumptions:
        return lines[0]
    if len(lines) == len(assumptions) == 1:
        return _Fork(reader(assumptions[0]), lines[0].target, _NOWHERE)
    if len(lines) == len(assumptions) == 2 and assumptions[0] is not_(assumptions[1]):
        return _Fork(reader(assumptions[0]), lines[0].target, lines[1].target)
    guards = [edge.statement.condition if isinstance(edge.statement, Assume) else TRUE for _, edge in leaving]
    return _Many(tuple(zip(map(reader, guards), lines, strict=True)), exclusive([edge for _, edge in leaving]))


def _line(number: int, edge: Edge, end: Location) -> _Line:
    target = None if edge.target == end else edge.target
    match edge.statement:
        case Assign(variable, term):
            return _Line(((variable, reader(term)),), target)
        case Havoc(variables):
            return _Line(tuple((x, _always(chosen_value(x, number))) for x in variables), target)
    return _Line((), target)


def reader(term: Term, depth: int = _DEEPEST) -> Reader:
    """What a term is where variables have values (those that have none keep their names)."""
    if term.is_value:
        return _always(term)
    if depth and term.op is ops.NOT:
        inner = reader(term.args[0], depth - 1)
        return lambda values: not_(inner(values))
    if depth and term.op is ops.AND:
        return _junction([reader(part, depth - 1) for part in term.args], and_, TRUE, FALSE)
    if depth and term.op is ops.OR:
        return _junction([reader(part, depth - 1) for part in term.args], or_, FALSE, TRUE)
    return _remembered(term)


def _always(term: Term) -> Reader:
    return lambda values: term


def _junction(parts: Sequence[Reader], join: Callable[..., Term], neutral: Term, deciding: Term) -> Reader:
    def read(values: Values) -> Term:
        open_: list[Term] = []
        for part in parts:
            found = part(values)
            if found is deciding:
                return deciding
            if found is not neutral:
                open_.append(found)
        return join(*open_) if open_ else neutral

    return read


def _remembered(term: Term) -> Reader:
    variables = tuple(sorted(free_variables(term), key=lambda x: x.serial))
    known: dict[object, Term] = {}
    if len(variables) == 1:
        (variable,) = variables

        def read_one(values: Values) -> Term:
            now = values.get(variable, variable)
            found = known.get(now)
            if found is None:
                found = known[now] = substitute(term, {variable: now})
            return found

        return read_one
    pick = itemgetter(*variables) if variables else None

    def read(values: Values) -> Term:
        if pick is None:
            return term
        try:
            now = pick(values)
        except KeyError:
            now = tuple(values.get(x, x) for x in variables)
        found = known.get(now)
        if found is None:
            found = known[now] = substitute(term, dict(zip(variables, now, strict=True)))
        return found

    return read
