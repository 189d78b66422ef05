"""A program's runs, layer by layer: where control can be after 0, 1, 2, … steps, and what the variables hold then.

Runs that meet at a location after the same number of steps are merged, so layers grow with the number of steps and not
with the number of paths; constants stay constants, so loops that count to a constant end by themselves.

Law: for every run of n steps that passes no state that was left out there are values of the inputs and choices such
that, with the definitions made so far, exactly one state of the n-th layer has a condition that holds: that of the
run's location, with the run's values. Where a step can go two ways at once, a choice says which one it goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from craton.logic import BOOL, FALSE, TRUE, Term, and_, ite, not_, ops, or_, substitute, var
from craton.logic.core import eq
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import transition


@dataclass(frozen=True, slots=True)
class AllRuns:
    """That all runs have ended after so many steps, and none is at these locations after these numbers of steps."""

    steps: int
    unreached: frozenset[tuple[int, Location]]


@dataclass(frozen=True, slots=True)
class Arrival:
    """One way into a state: from which state, along which edge, under which condition, and with which values."""

    source: LayerState
    edge: Edge
    inputs: Mapping[Term, Term]  # the step's inputs → fresh variables for this occurrence
    condition: Term
    values: Mapping[Term, Term]


@dataclass(frozen=True, slots=True)
class LayerState:
    """A location after a number of steps: the condition that control is there, and the values of the variables."""

    location: Location
    steps: int
    condition: Term = TRUE
    values: Mapping[Term, Term] = field(default_factory=dict)
    arrivals: Sequence[tuple[Term, Arrival]] = ()  # each with its condition, as a variable or a constant


class Layers:
    """The layers of a program without calls, of which those that ask leave out what cannot be reached."""

    def __init__(self, program: Program) -> None:
        self.main = program.main
        self.transitions = {edge: transition(edge.statement) for edge in self.main.edges}
        self.definitions: dict[Term, Term] = {}  # what names stand for
        steps = self.transitions.values()
        self._taken = frozenset[Term]().union(*(step.read | step.written | frozenset(step.inputs) for step in steps))
        self._names = 0
        self._told = 0

    def first(self) -> LayerState:
        return LayerState(self.main.entry, 0)

    def following(self, layer: Iterable[LayerState]) -> list[LayerState]:
        """What is one step behind the states of a layer."""
        arrivals: dict[Location, list[Arrival]] = {}
        for state in layer:
            for arrival in self._steps_from(state):
                arrivals.setdefault(arrival.edge.target, []).append(arrival)
        return [self._merged(location, found) for location, found in arrivals.items()]

    def new_definitions(self) -> Iterator[Term]:
        """Equations of names with what they stand for, as far as they were not told before."""
        names = list(self.definitions)[self._told :]
        self._told += len(names)
        return (eq(name, self.definitions[name]) for name in names)

    def _steps_from(self, state: LayerState) -> Iterator[Arrival]:
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

    def _merged(self, location: Location, arrivals: Sequence[Arrival]) -> LayerState:
        """One state for all arrivals, of which at most one has a condition that holds."""
        steps = arrivals[0].source.steps + 1
        conditions = [self._named(arrival.condition) for arrival in arrivals]
        values: dict[Term, Term] = {}
        for variable in dict.fromkeys(v for arrival in arrivals for v in arrival.values):
            merged = arrivals[-1].values.get(variable, variable)
            for arrival, condition in zip(arrivals[-2::-1], conditions[-2::-1], strict=True):
                merged = ite(condition, arrival.values.get(variable, variable), merged)
            values[variable] = self._named(merged)
        ways = tuple(zip(conditions, arrivals, strict=True))
        return LayerState(location, steps, self._named(or_(*conditions)), values, ways)

    def _named(self, term: Term) -> Term:
        """A variable that stands for the term, unless it is simple."""
        if term.op is ops.VALUE or term.op is ops.VARIABLE or (term.op is ops.NOT and not term.args[0].args):
            return term
        name = self._fresh(var("t", term.sort))
        self.definitions[name] = term
        return name

    def _fresh(self, like: Term) -> Term:
        """A variable that means nothing yet."""
        while True:
            self._names += 1
            name = var(f"{like.name}!{self._names}", like.sort)
            if name not in self._taken:
                return name


def _excludes_others(number: int, guards: Sequence[Term]) -> bool:
    """Whether it can be seen that a guard holds together with none of the others."""
    guard = guards[number]
    return all(not_(guard) is g or and_(guard, g) is FALSE for i, g in enumerate(guards) if i != number)
