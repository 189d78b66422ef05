"""A program's runs, all at once: where control can be at a time, and what the variables hold then.

Runs that meet at a location at the same time are merged, so what is known grows with time and not with the number of
paths; constants stay constants, so loops that count to a constant end by themselves. Time is told in one of two ways:
by *steps*, which is fair, so that whatever can happen is seen after as many steps as it takes; or by the rounds of the
*loops* around, so that runs that have left a loop are together again, however many rounds they took, but what comes
behind an endless loop is never seen.

Law: for every run that passes no state that was not followed there are values of the inputs and choices such that, with
the definitions made so far, the states whose conditions hold are those that the run passes, with the run's values.
Where a step can go two ways at once, a choice says which one it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush

from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    Array,
    BitVec,
    Term,
    and_,
    fold,
    free_variables,
    ite,
    not_,
    ops,
    or_,
    rebuild,
    substitute,
    var,
)
from craton.logic.arrays import select, store
from craton.logic.core import eq
from craton.program.analysis.nesting import Nest, nests
from craton.program.cfa import Edge, Location, Program
from craton.program.sums import NamedSums
from craton.program.transitions import transition

Time = tuple[int, ...]  # the number of steps; or positions in loops and their rounds, outermost first


MOST_WRITTEN = 256  # elements of an array that are written out


class Order(Enum):
    """What comes first."""

    STEPS = "steps"
    LOOPS = "loops"


@dataclass(frozen=True, slots=True)
class AllRuns:
    """That all runs have ended when so many states have been looked at, none at these locations at these times."""

    order: Order
    states: int
    unreached: frozenset[tuple[Time, Location]]


@dataclass(frozen=True, slots=True)
class Arrival:
    """One way into a state: from which state, along which edge, under which condition, and with which values."""

    source: MergedState
    edge: Edge
    inputs: Mapping[Term, Term]  # the step's inputs → fresh variables for this occurrence
    condition: Term
    values: Mapping[Term, Term]


@dataclass(frozen=True, slots=True)
class MergedState:
    """A location at a time: the condition that control is there, and the values of the variables."""

    location: Location
    time: Time
    condition: Term = TRUE
    values: Mapping[Term, Term] = field(default_factory=dict)
    arrivals: Sequence[tuple[Term, Arrival]] = ()  # each with its condition, as a variable or a constant

    @property
    def rounds(self) -> tuple[int, ...]:
        """Of the loops around, where time is told by loops."""
        return self.time[1::2]


class Unfolding:
    """The runs of a program without calls. Those who ask for states say which of them are followed."""

    def __init__(self, program: Program, order: Order) -> None:
        self.main = program.main
        self.transitions = {edge: transition(edge.statement) for edge in self.main.edges}
        self.definitions: dict[Term, Term] = {}  # what names stand for
        self._clock = _Steps() if order is Order.STEPS else _Loops(nests(self.main))
        self._arrivals: dict[tuple[Time, Location], list[Arrival]] = {}
        self._waiting: list[tuple[Time, int, Location]] = []
        steps = self.transitions.values()
        self._taken = frozenset[Term]().union(*(step.read | step.written | frozenset(step.inputs) for step in steps))
        self._names = 0
        self._names_of: dict[Term, Term] = {}
        self._arrays = WrittenArrays(self._named)
        self._sums = NamedSums()
        self._untold: list[Term] = []  # names whose definitions nobody was told

    def first(self) -> MergedState:
        return MergedState(self.main.entry, self._clock.first(self.main.entry))

    def follow(self, state: MergedState) -> None:
        """What is one step behind the state will come, too."""
        for arrival in self._steps_from(state):
            location = arrival.edge.target
            time = self._clock.after(state, location)
            if (time, location) not in self._arrivals:
                heappush(self._waiting, (time, location.id, location))
            self._arrivals.setdefault((time, location), []).append(arrival)

    def next(self) -> MergedState | None:
        """The next state in the order; None if all runs that were followed have ended."""
        if not self._waiting:
            return None
        time, _, location = heappop(self._waiting)
        return self._merged(location, time, self._arrivals.pop((time, location)))

    def new_definitions(self) -> Iterator[Term]:
        """Equations of names with what they stand for, as far as they were not told before."""
        names, self._untold = self._untold, []
        return (eq(name, self.definitions[name]) for name in names)

    def _steps_from(self, state: MergedState) -> Iterator[Arrival]:
        chosen: dict[Term, Term] = {}  # a run takes one of the edges, so they can share the names of inputs
        guarded: list[tuple[Edge, Term]] = []
        for edge in self.main.outgoing(state.location):
            step = self.transitions[edge]
            chosen.update((i, self._fresh(i)) for i in step.inputs if i not in chosen)
            guard = substitute(step.guard, {**state.values, **chosen})
            if and_(state.condition, guard) is not FALSE:
                guarded.append((edge, guard))
        before = {**state.values, **chosen}
        for (edge, guard), choice in zip(guarded, self._choices([guard for _, guard in guarded]), strict=True):
            step = self.transitions[edge]
            inputs = {i: chosen[i] for i in step.inputs}
            new = {variable: substitute(value, before) for variable, value in step.updates.items()}
            yield Arrival(state, edge, inputs, and_(state.condition, guard, choice), {**state.values, **new})

    def _choices(self, guards: Sequence[Term]) -> list[Term]:
        """For each guard a condition, such that no two of them hold together with their guards."""
        found: list[Term] = []
        so_far = TRUE  # none of those before was chosen
        open_ones = [i for i in range(len(guards)) if not _excludes_others(i, guards)]
        for i in range(len(guards)):
            if i not in open_ones:
                found.append(TRUE)
            elif i == open_ones[-1]:
                found.append(so_far)
            else:
                choice = self._fresh(var("choice", BOOL))
                found.append(and_(so_far, choice))
                so_far = and_(so_far, not_(choice))
        return found

    def _merged(self, location: Location, time: Time, arrivals: Sequence[Arrival]) -> MergedState:
        """One state for all arrivals, of which at most one has a condition that holds."""
        conditions = [self._named(arrival.condition) for arrival in arrivals]
        values: dict[Term, Term] = {}
        for variable in dict.fromkeys(v for arrival in arrivals for v in arrival.values):
            merged = arrivals[-1].values.get(variable, variable)
            for arrival, condition in zip(arrivals[-2::-1], conditions[-2::-1], strict=True):
                merged = self._either(condition, arrival.values.get(variable, variable), merged)
            values[variable] = self._named(merged)
        ways = tuple(zip(conditions, arrivals, strict=True))
        return MergedState(location, time, self._named(or_(*conditions)), values, ways)

    def _either(self, condition: Term, one: Term, other: Term) -> Term:
        if one is other or not isinstance(one.sort, Array):
            return ite(condition, one, other)
        return self._arrays.either(condition, one, other) or ite(condition, one, other)

    def _named(self, term: Term) -> Term:
        """A variable that stands for the term, or the denial of one, unless it is simple: the same one for what is seen
        to be the same.
        """
        if term.op is ops.NOT:
            return not_(self._named(term.args[0]))
        if term.sort is BOOL and term not in self._names_of:
            term = self._recognised(term)
        if term.op is ops.VALUE or term.op is ops.VARIABLE:
            return term
        if term in self._names_of:
            return self._names_of[term]
        known = self._arrays.written_out(term) if isinstance(term.sort, Array) else self._sums.known(term)
        if known is not None:
            return known
        name = self._names_of[term] = self._fresh(var("t", term.sort))
        self.definitions[name] = term
        self._sums.note(name, term)
        self._untold.append(name)
        return name

    def _recognised(self, condition: Term) -> Term:
        """With names for the numbers in it that have some."""

        def visit(node: Term, args: list[Term]) -> Term:
            term = rebuild(node, args) if args else node
            if not args or not isinstance(term.sort, BitVec):
                return term
            return self._names_of.get(term) or self._sums.known(term) or term

        return fold(condition, visit)

    def _fresh(self, like: Term) -> Term:
        """A variable that means nothing yet."""
        while True:
            self._names += 1
            name = var(f"{like.name}!{self._names}", like.sort)
            if name not in self._taken:
                return name


def needed_definitions(root: Term, definitions: Mapping[Term, Term]) -> list[Term]:
    """The definitions on which a formula depends. Without the others it says less, so nothing is shown wrongly."""
    found: dict[Term, None] = {}
    waiting = [root]
    while waiting:
        for name in free_variables(waiting.pop()):
            if name in definitions and name not in found:
                found[name] = None
                waiting.append(definitions[name])
    return [eq(name, definitions[name]) for name in found]


def _excludes_others(number: int, guards: Sequence[Term]) -> bool:
    """Whether it can be seen that a guard holds together with none of the others."""
    guard = guards[number]
    return all(not_(guard) is g or and_(guard, g) is FALSE for i, g in enumerate(guards) if i != number)


# --- time -------------------------------------------------------------------------------------------------------------


class _Steps:
    """Time is the number of steps."""

    def first(self, entry: Location) -> Time:
        return (0,)

    def after(self, state: MergedState, location: Location) -> Time:
        return (state.time[0] + 1,)


class _Loops:
    """Time has the position of the outermost loop around a location, its round, the position of the next loop in that
    one, …, and in the end the position of the location itself. By the law of nests every step leads to a later time.
    """

    def __init__(self, nests: Mapping[Location, Nest]) -> None:
        self.nests = nests

    def first(self, entry: Location) -> Time:
        return self._time(entry, ())

    def after(self, state: MergedState, location: Location) -> Time:
        before, after = self.nests[state.location], self.nests[location]
        common = 0
        for one, other in zip(before.loops, after.loops, strict=False):
            if one != other:
                break
            common += 1
        rounds = list(state.rounds[:common])
        if common == len(after.loops) and common and after.loops[-1] == location:
            rounds[-1] += 1
        return self._time(location, rounds)

    def _time(self, location: Location, rounds: Sequence[int]) -> Time:
        """Loops that were entered just now are in their first round."""
        nest = self.nests[location]
        all_rounds = (*rounds, *[0] * (len(nest.loops) - len(rounds)))
        return (*(n for pair in zip(nest.order, all_rounds, strict=False) for n in pair), nest.order[-1])


# --- arrays -----------------------------------------------------------------------------------------------------------


class WrittenArrays:
    """Arrays that are written out: a variable or a constant array, and what was written last to each of a few constant
    indices, by the order of the indices. So what a program computes without inputs stays constant in its arrays, too,
    and what it computes with them is told element by element, as variables are. Elements that are not simple are
    `named`.
    """

    def __init__(self, named: Callable[[Term], Term]) -> None:
        self._named = named
        self._sizes: dict[Term, int] = {}  # of those that are written out
        self._forms: dict[Term, Term | None] = {}

    def written_out(self, term: Term) -> Term | None:
        """An equal array that is written out; None if there is none, or it would be too large."""
        waiting = [term]
        while waiting:
            node = waiting[-1]
            missing = [part for part in _made_of(node) if part not in self._forms]
            if missing and node not in self._forms:
                waiting += missing
                continue
            waiting.pop()
            if node not in self._forms:
                self._forms[node] = found = self._form(node)
                if found is not None:
                    self._forms[found] = found
        return self._forms[term]

    def _form(self, node: Term) -> Term | None:
        if node.op is ops.VARIABLE or node.op is ops.CONST_ARRAY:
            self._sizes[node] = 0
            return node
        parts = [self._forms[part] for part in _made_of(node)]
        if node.op is ops.STORE and parts and parts[0] is not None:
            return self._if_small(self._with_element(parts[0], node.args[1], self._named(node.args[2])))
        if node.op is ops.ITE and parts[0] is not None and parts[1] is not None:
            return self._merged(self._named(node.args[0]), parts[0], parts[1])
        return None

    def either(self, condition: Term, one: Term, other: Term) -> Term | None:
        """An array that is the one or the other, element by element; None if they have nothing in common."""
        first, second = self.written_out(one), self.written_out(other)
        return None if first is None or second is None else self._merged(condition, first, second)

    def _merged(self, condition: Term, one: Term, other: Term) -> Term | None:
        (base, held), (base_of_other, held_by_other) = _held(one), _held(other)
        if base is not base_of_other:
            return None
        found = base
        for index in sorted(held.keys() | held_by_other.keys(), key=lambda i: i.serial):
            elements = (each[index] if index in each else select(base, index) for each in (held, held_by_other))
            found = self._with_element(found, index, self._named(ite(condition, *elements)))
        return self._if_small(found)

    def _if_small(self, array: Term) -> Term | None:
        return array if self._sizes[array] <= MOST_WRITTEN else None

    def _with_element(self, array: Term, index: Term, element: Term) -> Term:
        """Law: elements stand by the order of indices, each once."""
        size, above = self._sizes[array], list[Term]()
        while array.op is ops.STORE and array.args[1].serial > index.serial:
            above.append(array)
            array = array.args[0]
        if array.op is ops.STORE and array.args[1] is index:
            array, size = array.args[0], size - 1
        wider = store(array, index, element)
        size += wider is not array  # a constant array holds it already
        for write in reversed(above):
            wider = store(wider, *write.args[1:])
        self._sizes[wider] = size
        return wider


def _made_of(array: Term) -> tuple[Term, ...]:
    """The arrays that one is made of, if it can be written out when they are."""
    if array.op is ops.STORE and array.args[1].op is ops.VALUE:
        return array.args[:1]
    return array.args[1:] if array.op is ops.ITE else ()


def _held(array: Term) -> tuple[Term, dict[Term, Term]]:
    """What an array that is written out is made of."""
    held: dict[Term, Term] = {}
    while array.op is ops.STORE:
        array, index, element = array.args
        held[index] = element
    return array, held
