"""Sequence interpolants from z3, as the solution of a recursion-free Horn system.

    F[1] ⇒ I[1],   I[i] ∧ F[i+1] ⇒ I[i+1],   I[n-1] ∧ F[n] ⇒ false

with one unknown predicate I[i] over the symbols that the two sides of cut i share. Spacer solves it.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.logic.core import and_, apply, implies
from craton.logic.sorts import BOOL, Function
from craton.logic.terms import TRUE, Term
from craton.logic.walk import functions
from craton.smt.contract import Undecided
from craton.smt.interpolation import Interpolants, Satisfiable, shared_symbols
from craton.smt.z3.horn import NoSolution, Predicate, failure, solve


def interpolants(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    if any(functions(f) for f in formulas):
        return Undecided("z3: Horn clauses cannot share uninterpreted functions")
    if len(formulas) == 1:
        formulas = (TRUE, *formulas)  # so that there is at least one predicate
        found = _solve(formulas, time_limit)
        return () if isinstance(found, tuple) else found
    return _solve(formulas, time_limit)


def _solve(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    # A predicate needs an argument: `true`, if nothing is shared.
    shared = [_ordered(s) or (TRUE,) for s in shared_symbols(formulas)[1:-1]]
    predicates = [Predicate(Function(f"I{i + 1}", tuple(v.sort for v in vs), BOOL), vs) for i, vs in enumerate(shared)]
    nodes = [TRUE, *(apply(p.function, *p.arguments) for p in predicates), failure()]
    clauses = [implies(and_(nodes[i], f), nodes[i + 1]) for i, f in enumerate(formulas)]
    found = solve(predicates, clauses, time_limit)
    if isinstance(found, Undecided):
        return found
    if isinstance(found, NoSolution):
        return Satisfiable()
    return tuple(found.meanings[predicate] for predicate in predicates)


def _ordered(symbols: frozenset[Term] | frozenset[Term | Function]) -> tuple[Term, ...]:
    return tuple(sorted((s for s in symbols if isinstance(s, Term)), key=lambda v: v.serial))
