"""Interpolants from cvc5, which searches for them by syntax-guided synthesis: general, slow, and best for small
formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.errors import NotExpressible
from craton.logic.core import not_
from craton.logic.terms import Term
from craton.smt.contract import Undecided, Unsat
from craton.smt.cvc5.solver import RESOURCES_A_SECOND, Cvc5Solver, Shared, new_cvc5
from craton.smt.interpolation import Interpolants, Satisfiable, by_binary


def interpolants(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    # If the formulas are satisfiable, the search would never end.
    solver = Cvc5Solver(time_limit=time_limit)
    solver.add(*formulas)
    answer = solver.check()
    if isinstance(answer, Undecided):
        return answer
    if not isinstance(answer, Unsat):
        return Satisfiable()
    return by_binary(_binary)(formulas, time_limit)


def _binary(a: Term, b: Term, time_limit: float | None) -> Term | Satisfiable | Undecided:
    shared = Shared.get()
    solver = new_cvc5(produce_interpolants="true", incremental="false", arrays_exp="true")
    if time_limit is not None:
        solver.setOption("tlimit-per", str(max(1, int(time_limit * 1000))))
        # The search ignores time limits; it only respects resource limits.
        solver.setOption("rlimit-per", str(max(1, int(time_limit * RESOURCES_A_SECOND))))
    try:
        solver.assertFormula(shared.writer.write(a))
        found = solver.getInterpolant(shared.writer.write(not_(b)))
        if found.isNull():
            return Undecided("cvc5: no interpolant found")
        return shared.reader.read(found)
    except (RuntimeError, NotExpressible) as error:
        return Undecided(f"cvc5: {error}")
