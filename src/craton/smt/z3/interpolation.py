"""Sequence interpolants from z3, as the solution of a recursion-free Horn system.

    F[1] ⇒ I[1],   I[i] ∧ F[i+1] ⇒ I[i+1],   I[n-1] ∧ F[n] ⇒ false

with one unknown predicate I[i] over the symbols that the two sides of cut i share. Spacer solves it; slicing and
inlining must be off, since they would dissolve the very predicates that are asked for and leave only strongest
postconditions. So must be what throws clauses away: a contradictory F[i] makes its clause vanish, after which z3
reports `true` for a predicate that must be false.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from craton.errors import NotExpressible
from craton.logic.core import and_, apply, forall, implies
from craton.logic.sorts import BOOL, Function
from craton.logic.terms import TRUE, Term
from craton.logic.walk import free_variables, functions
from craton.smt.contract import Undecided
from craton.smt.interpolation import Interpolants, Satisfiable, shared_symbols
from craton.smt.z3 import api
from craton.smt.z3.api import consts
from craton.smt.z3.solver import Shared

_OFF = ("slice", "inline_linear", "inline_eager", "subsumption_checker", "tail_simplifier_pve")


def interpolants(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    if any(functions(f) for f in formulas):
        return Undecided("z3: Horn clauses cannot share uninterpreted functions")
    if len(formulas) == 1:
        formulas = (TRUE, *formulas)  # so that there is a predicate to ask about
        found = _solve(formulas, time_limit)
        return () if isinstance(found, tuple) else found
    return _solve(formulas, time_limit)


def _solve(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    # A predicate needs arguments, so where nothing is shared `true` stands in.
    shared = [_ordered(s) or (TRUE,) for s in shared_symbols(formulas)[1:-1]]
    predicates = [Function(f"I{i + 1}", tuple(v.sort for v in vs), BOOL) for i, vs in enumerate(shared)]
    failure = Function("failure", (BOOL,), BOOL)
    nodes = [TRUE, *(apply(p, *vs) for p, vs in zip(predicates, shared, strict=True)), apply(failure, TRUE)]
    clauses = [implies(and_(nodes[i], f), nodes[i + 1]) for i, f in enumerate(formulas)]

    z3 = Shared.get()
    context, writer = z3.context, z3.writer
    ref = context.ref
    horn = api.mk_fixedpoint(ref)
    api.fixedpoint_inc_ref(ref, horn)
    try:
        settings: dict[str, bool | int | str] = {"engine": "spacer"}
        settings |= {f"xform__{name}": False for name in _OFF}
        if time_limit is not None:
            settings["timeout"] = max(1, int(time_limit * 1000))
        params = context.params(**settings)
        api.fixedpoint_set_params(ref, horn, params)
        api.params_dec_ref(ref, params)
        for predicate in (*predicates, failure):
            api.fixedpoint_register_relation(ref, horn, writer.function(predicate))
        for i, clause in enumerate(clauses):
            rule = writer.write(forall(_ordered(free_variables(clause)), clause))
            api.fixedpoint_add_rule(ref, horn, rule, context.symbol(f"step{i + 1}"))
        context.check_error()
        start = time.monotonic()
        answer = api.fixedpoint_query(ref, horn, writer.write(nodes[-1]))
        if answer == consts.Z3_L_TRUE:
            return Satisfiable()
        if answer != consts.Z3_L_FALSE:
            reason = (api.fixedpoint_get_reason_unknown(ref, horn) or b"ok").decode(errors="replace")
            if reason == "ok":  # z3 gives no reason when it runs out of time, nor when a clause is beyond it
                late = time_limit is not None and time.monotonic() - start > 0.9 * time_limit
                reason = "timeout" if late else "the Horn clauses are beyond it"
            return Undecided(f"z3: {reason}")
        found = []
        for predicate, arguments in zip(predicates, shared, strict=True):
            cover = api.fixedpoint_get_cover_delta(ref, horn, -1, writer.function(predicate))
            found.append(z3.reader.read_open(context.keep(cover), arguments))
        return tuple(found)
    except (api.Z3Error, NotExpressible) as error:
        return Undecided(f"z3: {error}")
    finally:
        api.fixedpoint_dec_ref(ref, horn)


def _ordered(symbols: frozenset[Term] | frozenset[Term | Function]) -> tuple[Term, ...]:
    return tuple(sorted((s for s in symbols if isinstance(s, Term)), key=lambda v: v.serial))
