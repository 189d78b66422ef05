"""Exploring interpolants ([EI]): a trace is made to forget, at its loops, everything but the values of some terms.

An assertion found for such a trace can only talk about these terms (semantically: about what they determine), so the
choice of terms, called templates, guides the refiner. Forgetting is an ordinary step, so any refiner can be guided, not
only one that interpolates.

Sets of templates form a lattice ([EI] Def. 13): the smaller the set, the more is forgotten. A set is feasible if the
forgetful trace is still infeasible; `exploration` finds the frontier.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, TypeVar

from craton.errors import MissingCapability
from craton.logic import (
    INT,
    REAL,
    BitVec,
    Term,
    add,
    atoms,
    bvadd,
    bvsub,
    conjuncts,
    free_variables,
    is_quantified,
    not_,
    sub,
    var,
)
from craton.program.analysis.domain_types import DomainType
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.registry import keyed_seconds, one_part, word_choice
from craton.smt import Sat, Solver, Undecided, make_solver
from craton.traces.exploration import Frontier, Template, Templates, explored
from craton.traces.live import future_live, past_live
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import solver_name
from craton.traces.refutation import Abstraction, Answer, Refiner, Refutation
from craton.traces.trace import SSA, Trace

# Counters on their own make bad templates; differences of two variables are what loop invariants are usually about
# ([EI] VI-C).
COUNTER_COST, CHANGED_COST, PAIR_COST, KEPT_COST = 16, 4, 2, 1
PREDICATE_COST = 3  # for each variable
MOST_PAIRED = 10  # variables changed by a loop; more would make too many pairs


P = TypeVar("P")  # a trace or a tree


# --- which templates there are ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Points:
    """Where a trace can forget: where it enters a loop and each time it returns to the loop head; and which variables
    known there may still matter ([EI] VII-A).
    """

    known: Mapping[int, tuple[Term, ...]]  # by position
    locations: Mapping[int, Location]


def points_of(trace: Trace) -> Points:
    locations = trace.locations
    ways_in: dict[Location, set[Edge | None]] = {locations[0]: {None}}
    for edge in trace.edges:
        ways_in.setdefault(edge.target, set()).add(edge)
    live = [f & p for f, p in zip(future_live(trace.steps), past_live(trace.steps), strict=True)]
    heads = [i for i in range(1, len(trace)) if len(ways_in[locations[i]]) > 1 and live[i]]
    known = {i: tuple(sorted(live[i], key=lambda v: v.serial)) for i in heads}
    return Points(known, {i: locations[i] for i in heads})


def templates_of(trace: Trace, points: Points, memory: RunMemory = NO_MEMORY) -> Templates:
    """Every variable, and sums and differences of those that the loop changes; cheapest first ([EI] VII-B)."""
    types = memory.domain_types(trace)
    found: list[Template] = []
    for location in dict.fromkeys(points.locations.values()):
        at = [i for i in points.known if points.locations[i] == location]
        variables = dict.fromkeys(v for i in at for v in points.known[i])
        rounds = [i for i, place in enumerate(trace.locations) if place == location]
        changed = frozenset[Term]().union(*(step.written for step in trace.steps[rounds[0] : rounds[-1]]))
        for variable in variables:
            if types.get(variable) is DomainType.COUNTER:
                cost = COUNTER_COST
            else:
                cost = CHANGED_COST if variable in changed else KEPT_COST
            found.append(Template(location, variable, {variable: 1}, cost))
        found += pairs(location, [v for v in variables if v in changed])
    return tuple(sorted(found, key=lambda template: template.cost))


def predicates_of(trace: Trace, points: Points) -> Templates:
    """The conditions of the trace and their negations, for interpolants that are made of these ([EI] Def. 8)."""
    said = dict.fromkeys(atom for step in trace.steps for part in conjuncts(step.guard) for atom in atoms(part))
    found: list[Template] = []
    for location in dict.fromkeys(points.locations.values()):
        at = [i for i in points.known if points.locations[i] == location]
        known = frozenset(v for i in at for v in points.known[i])
        for atom in said:
            variables = free_variables(atom)
            if variables and variables <= known and not is_quantified(atom):
                parts = dict.fromkeys(sorted(variables, key=lambda v: v.serial), 1)
                found += [Template(location, one, parts, PREDICATE_COST * len(parts)) for one in (atom, not_(atom))]
    return tuple(dict.fromkeys(found))


def pairs(location: Hashable, changed: Sequence[Term]) -> Iterator[Template]:
    """Sums and differences of what a loop changes."""
    for x, y in combinations(changed[:MOST_PAIRED], 2):
        if x.sort is y.sort and (x.sort in (INT, REAL) or isinstance(x.sort, BitVec)):
            bits = isinstance(x.sort, BitVec)
            yield Template(location, (bvsub if bits else sub)(x, y), {x: 1, y: -1}, PAIR_COST)
            yield Template(location, (bvadd if bits else add)(x, y), {x: 1, y: 1}, PAIR_COST)


# --- exploration ------------------------------------------------------------------------------------------------------


def frontier(
    trace: Trace, points: Points, templates: Templates, solver: Solver, seconds: float | None
) -> Frontier | Sat | Undecided:
    """The frontier of [EI] VI-B, as far as it is found in time."""
    indexing = SSA()
    kept: dict[Template, list[Term]] = {template: [] for template in templates}
    for number, step in enumerate(trace.steps):
        solver.add(*(part.formula for part in indexing.parts(step)))
        indexing.take(step)
        known = points.known.get(number + 1, ())
        before = {v: indexing.current.get(v) or var(f"{v.name}@0", v.sort) for v in known}
        after = {v: var(f"{v.name}@{number + 1} again", v.sort) for v in known}
        for template in templates:
            if known and template.location == points.locations[number + 1] and template.parts.keys() <= before.keys():
                kept[template].append(template.kept(before, after))
        indexing.current.update(after)
    return explored(kept, solver, seconds)


# --- forgetful traces -------------------------------------------------------------------------------------------------


def forgetful(trace: Trace, points: Points, chosen: Templates) -> tuple[Trace, tuple[int, ...]]:
    """The trace that forgets, twice at each point, all but the templates' values; and the new index of each position.

    The assertion between the two talks about the templates only: everything else was forgotten before it and is
    forgotten again after it ([EI] Def. 2, 5).
    """
    edges: list[Edge] = []
    positions = [0]
    for number, edge in enumerate(trace.edges):
        edges.append(edge)
        positions.append(len(edges))
        known = points.known.get(number + 1)
        if known:
            here = edge.target
            remembered = [t for t in chosen if t.location == here and t.parts.keys() <= frozenset(known)]
            forgetting = Edge(here, _forgetting(here, known, remembered), here, edge.origin)
            edges += [forgetting, forgetting]
            positions[-1] = len(edges) - 1
    return Trace(tuple(edges), trace.program), tuple(positions)


def _forgetting(here: Location, known: Sequence[Term], remembered: Sequence[Template]) -> Block:
    """saved := known; havoc known; assume that each template is kept; havoc saved."""
    saved = {v: var(f"{v.name} before", v.sort) for v in known}
    statements: list[Statement] = [
        *(Assign(saved[v], v) for v in known),
        Havoc(tuple(known)),
        *(Assume(template.kept(saved, {})) for template in remembered),
        Havoc(tuple(saved.values())),
    ]
    inside = [here, *(Location(-number) for number in range(1, len(statements))), here]
    return Block(tuple(Edge(inside[i], statement, inside[i + 1]) for i, statement in enumerate(statements)))


# --- the refiner ------------------------------------------------------------------------------------------------------


class Base(enum.Enum):
    """What templates there are: terms (variables, sums, differences), the conditions of the trace, or both ([EI] V)."""

    TERMS = "terms"
    PREDICATES = "predicates"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Lattice(Refiner):
    """What R learns when the trace forgets, at its loops, all but a few terms: differences rather than counters.

    The cheapest templates of the frontier are tried first; if R has no answer to a forgetful trace, the next ones
    follow, and finally the trace itself.
    """

    word: ClassVar[str] = "lattice"

    refiner: Refiner = one_part()
    solver: str = solver_name()
    time_limit: float | None = keyed_seconds(1.0)  # for exploring; as in [EI] VII-B
    base: Base = word_choice(Base.TERMS)

    @property
    def allowance(self) -> float:
        return self.refiner.allowance + (self.time_limit or 0.0)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        points = points_of(trace)

        def explore(solver: Solver) -> Frontier | Sat | Undecided:
            return frontier(trace, points, self._base(trace, points, memory), solver, self.time_limit)

        return self.guiding(
            trace,
            explore if points.known else None,
            lambda chosen: forgetful(trace, points, chosen),
            lambda asked: self.refiner.refute(asked, memory),
        )

    def _base(self, trace: Trace, points: Points, memory: RunMemory) -> Templates:
        terms = () if self.base is Base.PREDICATES else templates_of(trace, points, memory)
        return terms if self.base is Base.TERMS else (*terms, *predicates_of(trace, points))

    def guiding(
        self,
        whole: P,
        explore: Callable[[Solver], Frontier | Sat | Undecided] | None,
        forget: Callable[[Templates], tuple[P, tuple[int, ...]]],
        ask: Callable[[P], Answer],
    ) -> Answer:
        """The answer for anything that can forget; `explore` finds what to remember, if there is where to forget."""
        found = NOWHERE if explore is None else self._found(explore)
        for chosen in found.elements:
            abstract, places = forget(chosen)
            answer = ask(abstract)
            if isinstance(answer, Refutation):
                return replace(  # its steps and positions are those of what forgets
                    answer,
                    assertions=tuple(answer.assertions[i] for i in places),
                    by=self.name,
                    core=None,
                    live=None,
                    quality=None,
                    abstraction=_told(chosen, found),
                )
        return ask(whole)

    def _found(self, explore: Callable[[Solver], Frontier | Sat | Undecided]) -> Frontier:
        try:
            with make_solver(self.solver) as solver:
                found = explore(solver)
        except MissingCapability:
            return NOWHERE
        return found if isinstance(found, Frontier) else NOWHERE


NOWHERE = Frontier((), complete=False)


def _told(chosen: Templates, found: Frontier) -> Abstraction:
    sets = tuple(tuple(template.term for template in element) for element in found.elements)
    return Abstraction(tuple(template.term for template in chosen), len(sets), sets, found.complete)
