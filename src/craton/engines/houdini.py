"""From guesses to invariants (Houdini, Flanagan and Leino): formulas that are not inductive are removed from a set of
guesses until the rest is inductive together.

A proof found in a view may lack facts that the view implies, such as that numbers stay in the range of their type.
With bounds by the program's own constants as additional guesses, many such proofs become proofs in bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice

from craton.engines.algebra import is_nonlinear, needed_equations
from craton.engines.contract import Budget
from craton.facts.counting import counted
from craton.logic import FALSE, TRUE, BitVec, Term, and_, bvsle, bvule, conjuncts, not_, ops, substitute
from craton.logic.affine import cases_of_sum
from craton.logic.evaluation import CannotEvaluate, evaluate_all
from craton.logic.instances import blocks, indices, instances, shift_of_blocks, told_by_numbers
from craton.logic.walk import Substitution, atoms, size
from craton.program.analysis.liveness import live_variables
from craton.program.analysis.nesting import nests
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition, transition
from craton.smt import Sat, Solver, Unsat, make_solver
from craton.smt.registry import OVER_INTEGERS

MOST_PLACES = 12  # that what holds of all is asked of
SOLVER = "cvc5"  # the solver that repaired proofs rely on
MOST_CONSTANTS = 12  # of one sort; more would be too many guesses

Guesses = dict[Location, list[Term]]


def repaired(program: Program, invariants: Mapping[Location, Term], budget: Budget) -> dict[Location, Term]:
    """Inductive invariants of the program, made of parts of the given ones and of bounds. They may prove nothing."""
    every = {edge: transition(edge.statement) for edge in program.main.edges}
    gauged = counted(program, budget.left)
    guesses = {
        location: list(dict.fromkeys((*conjuncts(invariant), *gauged.get(location, ()), *bounds)))
        for location, bounds in bounds_by_constants(program, every).items()
        if (invariant := invariants.get(location, FALSE)) is not FALSE
    }
    kept = inductive(program, every, guesses, make_solver(OVER_INTEGERS, time_limit=1.0), budget)
    return {location: and_(*parts) for location, parts in kept.items()}


def inductive(
    program: Program,
    steps: Mapping[Edge, Transition],
    guesses: Guesses,
    solver: Solver,
    budget: Budget,
    known: Mapping[Location, Sequence[Term]] | None = None,
) -> Guesses:
    """The guesses that are inductive together, and with invariants that are `known`. A location without guesses starts
    with `false`, as if unreachable.
    """
    known = known or {}
    left = {location: list(parts) for location, parts in guesses.items()}
    left[program.main.entry] = []
    edges = [edge for edge in steps if edge.target not in program.errors and edge.source not in program.errors]
    now = {edge: Substitution(steps[edge].updates) for edge in edges}
    waiting = _Waiting(program, edges)
    while (edge := waiting.next()) is not None:
        if edge.source not in left or left.get(edge.target) == []:
            continue
        budget.check()
        before, after = [*known.get(edge.source, ()), *left[edge.source]], left.get(edge.target, [FALSE])
        kept = _kept(solver, before, steps[edge], {guess: now[edge](_of_any(guess)) for guess in after}, budget)
        if len(kept) < len(after):
            left[edge.target] = kept
            waiting.add(e for e in edges if e.source == edge.target)
    return left


class _Waiting:
    """Edges that are to be looked at: those of a loop until nothing changes there, and then what comes behind it."""

    def __init__(self, program: Program, edges: Sequence[Edge]) -> None:
        places = nests(program.main)
        later = {edge: max(places[edge.source].order, places[edge.target].order) for edge in edges}
        self._rank = {edge: rank for rank, edge in enumerate(sorted(edges, key=later.__getitem__))}
        self._edge = {rank: edge for edge, rank in self._rank.items()}
        self._ranks = sorted(self._edge)
        self._inside = set(self._ranks)

    def next(self) -> Edge | None:
        if not self._ranks:
            return None
        rank = heappop(self._ranks)
        self._inside.discard(rank)
        return self._edge[rank]

    def add(self, edges: Iterable[Edge]) -> None:
        for rank in {self._rank[edge] for edge in edges} - self._inside:
            heappush(self._ranks, rank)
            self._inside.add(rank)


def _kept(
    solver: Solver, before: Sequence[Term], step: Transition, wanted: Mapping[Term, Term], budget: Budget
) -> list[Term]:
    """The formulas that hold after the step if those hold before it that are wanted for them. Each counterexample
    removes all formulas that it violates. What algebra shows is not asked.
    """
    shown = [guess for guess, after in wanted.items() if _by_algebra(before, step, guess, after)]
    if shown:
        wanted = {guess: after for guess, after in wanted.items() if guess not in shown}
        return shown + _kept(solver, before, step, wanted, budget) if wanted else shown
    with solver.scope():
        solver.add(*premises(before, step.guard, *wanted.values()), step.guard)
        while wanted:
            budget.check()
            answer = solver.check(not_(and_(*wanted.values())))
            if isinstance(answer, Unsat):
                break
            kept = _true_in(answer, wanted) if isinstance(answer, Sat) else []
            if len(kept) == len(wanted) or not isinstance(answer, Sat):
                return _shown(solver, wanted, budget)
            wanted = {guess: wanted[guess] for guess in kept}
    return list(wanted)


def _by_algebra(before: Sequence[Term], step: Transition, guess: Term, after: Term) -> bool:
    return is_nonlinear(guess) and needed_equations(before, step.guard, after) is not None


def _shown(solver: Solver, wanted: Mapping[Term, Term], budget: Budget) -> list[Term]:
    """Those that a solver shows, in halves of halves."""
    found: list[Term] = []
    waiting = [list(wanted)]
    while waiting:
        budget.check()
        some = waiting.pop()
        if isinstance(solver.check(not_(and_(*(wanted[guess] for guess in some)))), Unsat):
            found += some
        elif len(some) > 1:
            half = len(some) // 2
            waiting += [some[half:], some[:half]]
    return found


def wanted_before(guess: Term, step: Transition) -> Term:
    """What has to be true before a step for the guess to hold after it; what is said of all is said of any."""
    return substitute(_of_any(guess), step.updates)


def _of_any(guess: Term) -> Term:
    return guess.args[0] if guess.op is ops.FORALL else guess


def premises(parts: Sequence[Term], *others: Term) -> list[Term]:
    """What is known, part by part, without quantifiers: what holds of all holds of that which the others speak of."""
    if not any(part.op is ops.FORALL for part in parts):
        return list(parts)
    if any(part.op is ops.FORALL and shift_of_blocks(part) is not None for part in parts):
        places = tuple(islice(_addresses(parts, others), MOST_PLACES))
        return [and_(*instances(part, places)) if part.op is ops.FORALL else part for part in parts]
    single = (part for part in parts if part.op is not ops.FORALL)
    asked = (case for term in (*others, *single) for index in indices(term) for case in cases_of_sum(index))
    places = tuple(islice(told_by_numbers(asked, parts), MOST_PLACES))
    return [and_(*instances(part, places)) if part.op is ops.FORALL else part for part in parts]


def _addresses(parts: Sequence[Term], others: Sequence[Term]) -> Iterator[Term]:
    """Those that the others speak of, the next before the far ones, and then pointers that single parts speak of: what
    follows from all parts together should not depend on what else is asked.
    """
    yield from (asked := sorted(_in_turns([blocks(indices(term)) for term in others]), key=size))
    beside = _in_turns([blocks(indices(part)) for part in parts if part.op is not ops.FORALL])
    yield from (place for place in beside if place.is_variable and place not in asked)


def _in_turns(rows: Sequence[Iterator[Term]]) -> Iterator[Term]:
    """The different ones among what these give, one of each in turn."""
    seen: set[Term] = set()
    waiting = list(rows)
    while waiting:
        for row in list(waiting):
            new = next((term for term in row if term not in seen), None)
            if new is None:
                waiting.remove(row)
            else:
                seen.add(new)
                yield new


def _true_in(answer: Sat, wanted: Mapping[Term, Term]) -> list[Term]:
    try:
        return [
            guess for guess, holds in zip(wanted, evaluate_all(wanted.values(), answer.model), strict=True) if holds
        ]
    except CannotEvaluate:
        return list(wanted)


def bounds_by_constants(program: Program, steps: Mapping[Edge, Transition]) -> Guesses:
    """At each location, for each live variable: lower and upper bounds by each constant that is compared with."""
    live = live_variables(program, steps)
    constants: dict[BitVec, dict[Term, None]] = {}
    paths = [step for edge, step in steps.items() if edge.target not in program.errors]
    for condition in (*(step.guard for step in paths), *(choice for step in paths for choice in step.choices)):
        for atom in atoms(condition):
            for side in atom.args:
                if side.op is ops.VALUE and isinstance(side.sort, BitVec):
                    constants.setdefault(side.sort, {})[side] = None
    found: Guesses = {}
    for location in program.main.locations:
        bounds = found[location] = []
        for variable in sorted(live[location], key=lambda v: v.serial):
            if isinstance(variable.sort, BitVec):
                symbol = program.symbols.get(variable)
                at_most = bvule if symbol is not None and not symbol.signed else bvsle
                for constant in list(constants.get(variable.sort, {}))[:MOST_CONSTANTS]:
                    bounds += [b for b in (at_most(variable, constant), at_most(constant, variable)) if b is not TRUE]
    return found
