"""From guesses to invariants (Houdini, Flanagan and Leino): what remains of a set of formulas when those that are not
inductive together are taken out, again and again.

A proof found in a view may lack what goes without saying there: that numbers stay in the range of their type. With
bounds by the program's own constants as further guesses, much of it is a proof in bits after all.
"""

from __future__ import annotations

from collections.abc import Mapping

from craton.engines.contract import Budget
from craton.engines.horn import live_variables
from craton.logic import FALSE, TRUE, BitVec, Term, and_, bvsle, bvule, conjuncts, not_, ops, substitute
from craton.logic.walk import atoms
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition, transition
from craton.smt import Solver, Unsat
from craton.smt.cvc5.solver import Cvc5Solver

SOLVER = "cvc5"  # on whose word they rest
MOST_CONSTANTS = 12  # of one sort; more would be too many guesses


def repaired(program: Program, invariants: Mapping[Location, Term], budget: Budget) -> dict[Location, Term]:
    """Inductive invariants of the program, made of parts of the given ones and of bounds. Nothing else is promised."""
    every = {edge: transition(edge.statement) for edge in program.main.edges}
    bounds_at = _bounds(program, every)
    steps = {edge: step for edge, step in every.items() if edge.target not in program.errors}
    guesses = {
        location: list(dict.fromkeys((*conjuncts(invariant), *bounds)))
        for location, bounds in bounds_at.items()
        if (invariant := invariants.get(location, FALSE)) is not FALSE
    }
    guesses[program.main.entry] = []
    asked = Cvc5Solver(time_limit=1.0, bits_as_integers=True)
    changed = True
    while changed:
        changed = False
        for edge, step in steps.items():
            if edge.source in guesses and guesses.get(edge.target):
                budget.check()
                kept = _kept(asked, guesses[edge.source], step, guesses[edge.target])
                changed |= len(kept) < len(guesses[edge.target])
                guesses[edge.target] = kept
    return {location: and_(*kept) for location, kept in guesses.items()}


def _kept(solver: Solver, before: list[Term], step: Transition, after: list[Term]) -> list[Term]:
    with solver.scope():
        solver.add(*before, step.guard)
        return [g for g in after if isinstance(solver.check(not_(substitute(g, step.updates))), Unsat)]


def _bounds(program: Program, steps: dict[Edge, Transition]) -> dict[Location, list[Term]]:
    """At each location, for each variable that matters: at least and at most each constant of the guards."""
    live = live_variables(program, steps)
    constants: dict[BitVec, dict[Term, None]] = {}
    for edge, step in steps.items():
        if edge.target in program.errors:
            continue
        for atom in atoms(step.guard):
            for side in atom.args:
                if side.op is ops.VALUE and isinstance(side.sort, BitVec):
                    constants.setdefault(side.sort, {})[side] = None
    found: dict[Location, list[Term]] = {}
    for location in program.main.locations:
        bounds = found[location] = []
        for variable in sorted(live[location], key=lambda v: v.serial):
            if isinstance(variable.sort, BitVec):
                symbol = program.symbols.get(variable)
                at_most = bvule if symbol is not None and not symbol.signed else bvsle
                for constant in list(constants.get(variable.sort, {}))[:MOST_CONSTANTS]:
                    bounds += [b for b in (at_most(variable, constant), at_most(constant, variable)) if b is not TRUE]
    return found
