"""Sequence interpolants from bitwuzla's own procedure: exact on bits, and often lengthy."""

from __future__ import annotations

from collections.abc import Sequence

import bitwuzla
from bitwuzla import Option, Result

from craton.errors import NotExpressible
from craton.logic.core import conjuncts
from craton.logic.sorts import ROUNDING_MODE, Float
from craton.logic.terms import Term
from craton.smt.bitwuzla.solver import BitwuzlaSolver, Deadline, Shared, new_bitwuzla
from craton.smt.contract import Undecided
from craton.smt.interpolation import Interpolants, Satisfiable


def interpolants(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    understood: set[Term] = set()
    for formula in formulas:
        BitwuzlaSolver.fragment.require("bitwuzla", formula, understood)
    if any(isinstance(node.sort, Float) or node.sort is ROUNDING_MODE for node in understood):
        # bitwuzla 0.9 finds the proof and then terminates the whole process (std::out_of_range).
        return Undecided("bitwuzla: no interpolants for floats")
    shared = Shared.get()
    solver = new_bitwuzla((Option.PRODUCE_INTERPOLANTS, True))
    deadline = Deadline()
    deadline.set(time_limit)
    solver.configure_terminator(deadline)
    try:
        # A repeated formula adds nothing at its second occurrence.
        asserted: set[Term] = set()
        increments = []
        for formula in formulas:
            new = [c for c in conjuncts(formula) if c not in asserted]
            asserted.update(new)
            nodes = [shared.writer.write(c) for c in new] or [shared.manager.mk_true()]
            for node in nodes:
                solver.assert_formula(node)
            increments.append(nodes)
        result = solver.check_sat()
        if result == Result.SAT:
            return Satisfiable()
        if result != Result.UNSAT:
            return Undecided("bitwuzla: timeout" if deadline() else "bitwuzla: unknown")
        if len(formulas) == 1:
            return ()
        return tuple(shared.reader.read(node) for node in solver.get_interpolants(increments[:-1]))
    except (bitwuzla.BitwuzlaException, NotExpressible) as error:
        return Undecided(f"bitwuzla: {error}")
