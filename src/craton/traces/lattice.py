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
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar, Protocol, TypeVar

from craton.errors import MissingCapability
from craton.logic import Term, atoms, conjuncts, var
from craton.program.analysis.domain_types import DomainType
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.registry import keyed_choice, keyed_seconds, keyed_value, one_part, word_choice
from craton.smt import Sat, Solver, Undecided, make_solver
from craton.traces.exploration import Frontier, Template, Templates, cost, explored
from craton.traces.live import future_live, past_live
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import solver_name
from craton.traces.own_templates import OwnTemplate, OwnTemplatesReader
from craton.traces.refutation import Abstraction, Answer, Element, Refiner, Refutation, Remembered
from craton.traces.templates import Base, Cost, Place, indices_in, instantiated, templates_at
from craton.traces.trace import SSA, Trace

P = TypeVar("P")  # a trace or a tree
P_co = TypeVar("P_co", covariant=True)


# --- what can forget --------------------------------------------------------------------------------------------------


class Visits(enum.Enum):
    """Whether all visits of a loop head remember the same, or each visit has a lattice of its own: the product of [EI]
    VII-A.
    """

    TOGETHER = "together"
    EACH = "each"

    def place(self, name: Hashable, number: int) -> Hashable:
        """Whose templates it has that visits a location, or derives a predicate, as number so-and-so."""
        return name if self is Visits.TOGETHER else (name, number)

    def title(self, name: str, number: int) -> str:
        """The same in words."""
        return name if self is Visits.TOGETHER else f"{name}, step {number}"


@dataclass(frozen=True, slots=True)
class Point:
    """An abstraction point ([EI] VII-A): its place, and the variables known there, as formulas call them before and
    after forgetting.
    """

    place: Hashable
    before: Mapping[Term, Term]
    after: Mapping[Term, Term]


class Forgetting(Protocol[P_co]):
    """A trace or a tree, and where it can forget."""

    @property
    def whole(self) -> P_co: ...

    @property
    def points(self) -> Sequence[Point]: ...

    @property
    def places(self) -> Sequence[Place]:
        """Those of the points, each once."""
        ...

    @property
    def formulas(self) -> Sequence[Term]:
        """The formula of what forgets everything."""
        ...

    def forgetful(self, chosen: Templates) -> tuple[P_co, tuple[int, ...]]:
        """What forgets, twice at each point, all but the templates' values; and the new index of each assertion.

        The assertion between the two talks about the templates only: everything else was forgotten before it and is
        forgotten again after it ([EI] Def. 2, 5).
        """
        ...


def frontier(
    problem: Forgetting[object], templates: Templates, solver: Solver, seconds: float | None
) -> Frontier | Sat | Undecided:
    """The sets of templates whose values suffice to stay infeasible ([EI] VI-B), as far as they are found in time."""
    solver.add(*problem.formulas)
    kept: dict[Template, list[Term]] = {template: [] for template in templates}
    for point in problem.points:
        for template in templates:
            if template.place == point.place and template.variables <= point.before.keys():
                kept[template].append(template.kept(point.before, point.after))
    return explored(kept, solver, seconds)


# --- traces -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ForgettingTrace:
    """A trace can forget where it enters a loop and each time it returns to the loop head."""

    whole: Trace
    visits: Visits = Visits.TOGETHER
    memory: RunMemory = NO_MEMORY

    @cached_property
    def known(self) -> Mapping[int, tuple[Term, ...]]:
        """By position, the variables known at a point that may still matter."""
        trace = self.whole
        ways_in: dict[Location, set[Edge | None]] = {trace.locations[0]: {None}}
        for edge in trace.edges:
            ways_in.setdefault(edge.target, set()).add(edge)
        live = [f & p for f, p in zip(future_live(trace.steps), past_live(trace.steps), strict=True)]
        heads = [i for i in range(1, len(trace)) if len(ways_in[trace.locations[i]]) > 1 and live[i]]
        return {i: tuple(sorted(live[i], key=lambda v: v.serial)) for i in heads}

    def _place(self, position: int) -> Hashable:
        return self.visits.place(self.whole.locations[position], position)

    @property
    def points(self) -> Sequence[Point]:
        return self._unwound[0]

    @property
    def formulas(self) -> Sequence[Term]:
        return self._unwound[1]

    @cached_property
    def _unwound(self) -> tuple[list[Point], list[Term]]:
        points: list[Point] = []
        formulas: list[Term] = []
        indexing = SSA()
        for number, step in enumerate(self.whole.steps, 1):
            formulas += [part.formula for part in indexing.parts(step)]
            indexing.take(step)
            known = self.known.get(number)
            if known is not None:
                before = {v: indexing.current.get(v) or var(f"{v.name}@0", v.sort) for v in known}
                after = {v: var(f"{v.name}@{number} again", v.sort) for v in known}
                points.append(Point(self._place(number), before, after))
                indexing.current.update(after)
        return points, formulas

    @property
    def places(self) -> Sequence[Place]:
        trace, at = self.whole, dict[Hashable, list[int]]()
        for position in self.known:
            at.setdefault(self._place(position), []).append(position)
        steps = trace.steps
        said = tuple(dict.fromkeys(a for step in steps for part in conjuncts(step.guard) for a in atoms(part)))
        used = tuple(dict.fromkeys(indices_in(t for step in steps for t in (step.guard, *step.updates.values()))))
        return [self._told(name, positions, said, used) for name, positions in at.items()]

    def _told(self, name: Hashable, positions: Sequence[int], said: tuple[Term, ...], used: tuple[Term, ...]) -> Place:
        trace, types = self.whole, self.memory.domain_types(self.whole)
        rounds = [i for i, location in enumerate(trace.locations) if location == trace.locations[positions[0]]]
        changed = frozenset[Term]().union(*(step.written for step in trace.steps[rounds[0] : rounds[-1]]))
        variables = tuple(dict.fromkeys(v for position in positions for v in self.known[position]))
        counters = frozenset(v for v in variables if types.get(v) is DomainType.COUNTER)
        left = next(edge for edge in trace.edges[positions[0] :])
        title = f"line {left.origin.line}" if left.origin else str(left.source)
        title = self.visits.title(title, positions[0])
        return Place(name, title, variables, changed, counters, said, used, {v: (v.name,) for v in variables})

    def forgetful(self, chosen: Templates) -> tuple[Trace, tuple[int, ...]]:
        edges: list[Edge] = []
        positions = [0]
        for number, edge in enumerate(self.whole.edges, 1):
            edges.append(edge)
            positions.append(len(edges))
            known = self.known.get(number)
            if known is not None:
                here, place = edge.target, self._place(number)
                remembered = [t for t in chosen if t.place == place and t.variables <= frozenset(known)]
                forgetting = Edge(here, _forgetting(here, known, remembered), here, edge.origin)
                edges += [forgetting, forgetting]
                positions[-1] = len(edges) - 1
        return Trace(tuple(edges), self.whole.program), tuple(positions)


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
    templates: tuple[OwnTemplate, ...] = keyed_value((), "templates", OwnTemplatesReader())
    cost: Cost = keyed_choice(Cost.COUNTERS, "cost", Cost)
    visits: Visits = keyed_choice(Visits.TOGETHER, "visits", Visits)

    @property
    def allowance(self) -> float:
        return self.refiner.allowance + (self.time_limit or 0.0)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        problem = ForgettingTrace(trace, self.visits, memory)
        return self.guiding(problem, lambda asked: self.refiner.refute(asked, memory))

    def guiding(self, problem: Forgetting[P], ask: Callable[[P], Answer]) -> Answer:
        """The answer for anything that can forget."""
        found = self._explored(problem) if problem.points else NOWHERE
        for chosen in found.elements:
            for remembered in _ways(chosen, problem):
                abstract, places = problem.forgetful(remembered)
                answer = ask(abstract)
                if isinstance(answer, Refutation):
                    return replace(  # its steps and positions are those of what forgets
                        answer,
                        assertions=tuple(answer.assertions[i] for i in places),
                        by=self.name,
                        core=None,
                        live=None,
                        quality=None,
                        abstraction=_told(chosen, found, {place.name: place.title for place in problem.places}),
                    )
        return ask(problem.whole)

    def _explored(self, problem: Forgetting[object]) -> Frontier:
        templates = templates_at(problem.places, self.base, self.templates, self.cost)
        try:
            with make_solver(self.solver) as solver:
                found = frontier(problem, templates, solver, self.time_limit)
        except MissingCapability:
            return NOWHERE
        return found if isinstance(found, Frontier) else NOWHERE


def _ways(chosen: Templates, problem: Forgetting[object]) -> tuple[Templates, ...]:
    """What to remember: of schematic templates first the instances, then all of them, which takes quantifiers."""
    schematic = any(template.schematic for template in chosen)
    return (instantiated(chosen, problem.places), chosen) if schematic else (chosen,)


def templates_in(refiner: Refiner) -> Iterator[OwnTemplate]:
    """What users wrote, of a refiner and of those that it is composed of."""
    if isinstance(refiner, Lattice):
        yield from refiner.templates
    for each in fields(refiner):  # type: ignore[arg-type]  # refiners are dataclasses
        value = getattr(refiner, each.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Refiner):
                yield from templates_in(part)


NOWHERE = Frontier((), complete=False)


def _told(chosen: Templates, found: Frontier, titles: Mapping[Hashable, str]) -> Abstraction:
    order = list(titles)

    def element(templates: Templates) -> Element:
        along = sorted(templates, key=lambda template: order.index(template.place))
        return Element(tuple(Remembered(titles[t.place], t.term) for t in along), cost(templates))

    return Abstraction(tuple(map(element, found.elements)), element(chosen), found.base, found.complete)
