"""Exploring interpolants ([EI]): a trace is made to forget, at its loops, everything but the values of some terms.

An assertion found for such a trace can only talk about these terms (semantically: about what they determine), so the
choice of terms, called templates, guides the refiner. Forgetting is an ordinary step, so any refiner can be guided, not
only one that interpolates.

Sets of templates form a lattice ([EI] Def. 13): the smaller the set, the more is forgotten. A set is feasible if the
forgetful trace is still infeasible; the frontier consists of the minimal feasible sets. They are the minimal cores of
the equations that say that a template keeps its value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, TypeVar

from craton.errors import MissingCapability
from craton.logic import INT, REAL, BitVec, Term, add, and_, bvadd, bvsub, eq, sub, substitute, var
from craton.program.analysis.domain_types import DomainType
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.registry import keyed_seconds, one_part
from craton.smt import Sat, Solver, Undecided, make_solver, minimal_cores
from craton.traces.live import future_live, past_live
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import solver_name
from craton.traces.refutation import Abstraction, Answer, Refiner, Refutation
from craton.traces.trace import SSA, Trace

# Counters on their own make bad templates; differences of two variables are what loop invariants are usually about
# ([EI] VI-C).
COUNTER_COST, CHANGED_COST, PAIR_COST, KEPT_COST = 16, 4, 2, 1
MOST_PAIRED = 10  # variables changed by a loop; more would make too many pairs


@dataclass(frozen=True, slots=True)
class Template:
    """A term whose value a location may remember ([EI] Def. 5). `parts` are its variables with their signs."""

    location: Hashable  # the location, or the predicate of a clause
    term: Term
    parts: Mapping[Term, int] = field(compare=False)
    cost: int = field(compare=False)


Templates = tuple[Template, ...]
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
) -> list[Templates] | Sat | Undecided:
    """Minimal sets of templates, cheapest first; as many as are found in time.

    The frontier of [EI] VI-B, by minimal cores instead of [EI] Algs. 1 and 2.
    """
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
                kept[template].append(eq(substitute(template.term, before), substitute(template.term, after)))
        indexing.current.update(after)
    return minimal_sets(kept, solver, seconds)


def minimal_sets(
    kept: Mapping[Template, Sequence[Term]], solver: Solver, seconds: float | None
) -> list[Templates] | Sat | Undecided:
    """Minimal sets of templates that contradict what the solver has been told, if all their equations `kept` hold;
    cheapest first.
    """
    templates = tuple(kept)
    found = minimal_cores([and_(*kept[t]) for t in templates], solver, seconds, seconds)
    if not isinstance(found, list):
        return found
    sets = [tuple(templates[i] for i in core) for core in found]
    return sorted(_maximal(sets, templates), key=lambda chosen: sum(template.cost for template in chosen))


def _maximal(sets: Sequence[Templates], templates: Templates) -> Iterator[Templates]:
    """The sets that determine as little as possible: x and x + i determine i, so they are no better than i alone.

    Among equals, the cheapest.
    """
    meanings = {chosen: frozenset(t for t in templates if _determined(t, chosen)) for chosen in sets}
    cheapest: dict[frozenset[Template], Templates] = {}
    for chosen in sorted(sets, key=lambda chosen: sum(template.cost for template in chosen)):
        cheapest.setdefault(meanings[chosen], chosen)
    for meaning, chosen in cheapest.items():
        if not any(other < meaning for other in cheapest):
            yield chosen


def _determined(template: Template, chosen: Templates) -> bool:
    """Whether the template is a linear combination of the others, with integer coefficients for bit-vectors."""
    rows = [t.parts for t in chosen if t.location == template.location]
    variables = sorted({v for row in (*rows, template.parts) for v in row}, key=lambda v: v.serial)
    # Gaussian elimination: one column for each chosen template, `template` as the right-hand side.
    matrix = [[Fraction(row.get(v, 0)) for row in rows] + [Fraction(template.parts.get(v, 0))] for v in variables]
    solution = _solved(matrix, len(rows))
    if solution is None:
        return False
    whole = any(isinstance(v.sort, BitVec) for v in variables)
    return not whole or all(factor.denominator == 1 for factor in solution)


def _solved(matrix: list[list[Fraction]], unknowns: int) -> list[Fraction] | None:
    """Some solution of linear equations; None if there is none."""
    row = 0
    pivots: list[int] = []
    for column in range(unknowns):
        chosen = next((r for r in range(row, len(matrix)) if matrix[r][column]), None)
        if chosen is None:
            continue
        matrix[row], matrix[chosen] = matrix[chosen], matrix[row]
        matrix[row] = [entry / matrix[row][column] for entry in matrix[row]]
        for r in range(len(matrix)):
            if r != row and matrix[r][column]:
                factor = matrix[r][column]
                matrix[r] = [a - factor * b for a, b in zip(matrix[r], matrix[row], strict=True)]
        pivots.append(column)
        row += 1
    if any(line[-1] for line in matrix[row:]):
        return None
    solution = [Fraction(0)] * unknowns
    for r, column in enumerate(pivots):
        solution[column] = matrix[r][-1]
    return solution


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
            remembered = [t.term for t in chosen if t.location == here and t.parts.keys() <= frozenset(known)]
            forgetting = Edge(here, _forgetting(here, known, remembered), here, edge.origin)
            edges += [forgetting, forgetting]
            positions[-1] = len(edges) - 1
    return Trace(tuple(edges), trace.program), tuple(positions)


def _forgetting(here: Location, known: Sequence[Term], remembered: Sequence[Term]) -> Block:
    """saved := known; havoc known; assume that each template still has its value; havoc saved."""
    saved = {v: var(f"{v.name} before", v.sort) for v in known}
    statements: list[Statement] = [
        *(Assign(saved[v], v) for v in known),
        Havoc(tuple(known)),
        *(Assume(eq(substitute(term, saved), term)) for term in remembered),
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

    @property
    def allowance(self) -> float:
        return self.refiner.allowance + (self.time_limit or 0.0)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        points = points_of(trace)

        def explore(solver: Solver) -> list[Templates] | Sat | Undecided:
            return frontier(trace, points, templates_of(trace, points, memory), solver, self.time_limit)

        return self.guiding(
            trace,
            explore if points.known else None,
            lambda chosen: forgetful(trace, points, chosen),
            lambda asked: self.refiner.refute(asked, memory),
        )

    def guiding(
        self,
        whole: P,
        explore: Callable[[Solver], list[Templates] | Sat | Undecided] | None,
        forget: Callable[[Templates], tuple[P, tuple[int, ...]]],
        ask: Callable[[P], Answer],
    ) -> Answer:
        """The answer for anything that can forget; `explore` finds what to remember, if there is where to forget."""
        found = [] if explore is None else self._found(explore)
        for chosen in found:
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
                    abstraction=Abstraction(tuple(t.term for t in chosen), len(found)),
                )
        return ask(whole)

    def _found(self, explore: Callable[[Solver], list[Templates] | Sat | Undecided]) -> list[Templates]:
        try:
            with make_solver(self.solver) as solver:
                found = explore(solver)
        except MissingCapability:
            return []
        return found if isinstance(found, list) else []
