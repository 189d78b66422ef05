"""Intervals behind the contract of solvers."""

from __future__ import annotations

from collections.abc import Sequence

from craton.logic import Float, Term
from craton.logic.ops import Theory
from craton.processes.running_time import running_time
from craton.smt.contract import Fragment
from craton.smt.contradictions import ContradictionSolver

NAME = "intervals"
SECONDS = 60.0  # where nobody sets a limit: it may split for ever
MOST_PARTS = 20_000  # of formulas: a case takes a look at each


class IntervalSolver(ContradictionSolver):
    """Shows that formulas about floats contradict each other, or does not know."""

    name = NAME
    means = "intervals"
    most_parts = MOST_PARTS
    fragment = Fragment(frozenset((Theory.CORE, Theory.BITVECTORS, Theory.FLOATS)))

    def _problem(self, formulas: Sequence[Term], parts: Sequence[Term], limit: float | None) -> str | None:
        if not any(isinstance(node.sort, Float) for node in parts):
            return "nothing is said of floats"
        from craton.smt.intervals.search import contradictory

        told = contradictory(formulas, running_time() + (SECONDS if limit is None else limit))
        return None if told else "intervals do not tell"
