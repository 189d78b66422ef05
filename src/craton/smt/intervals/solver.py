"""Intervals behind the contract of solvers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from craton.logic import Float, Term, post_order
from craton.logic.ops import Theory
from craton.processes.running_time import running_time
from craton.smt.contract import Answer, Capability, Core, Fragment, Solver, Undecided

NAME = "intervals"
SECONDS = 60.0  # where nobody sets a limit: it may split for ever
MOST_PARTS = 20_000  # of formulas: a case takes a look at each


class IntervalSolver(Solver):
    """Shows that formulas about floats contradict each other, or does not know."""

    name = NAME
    can: frozenset[Capability] = frozenset()
    fragment = Fragment(frozenset((Theory.CORE, Theory.BITVECTORS, Theory.FLOATS)))

    def _assert(self, formula: Term, name: str | None) -> None:
        """Assertions are read when they are checked."""

    def _push(self) -> None:
        """Scopes are the contract's."""

    def _pop(self) -> None:
        """Scopes are the contract's."""

    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        formulas = [*(formula for _, formula in self.assertions), *assumptions]
        parts = list(islice(post_order(*formulas), MOST_PARTS + 1))
        if len(parts) > MOST_PARTS:
            return Undecided("the formulas are too large for intervals")
        if not any(isinstance(node.sort, Float) for node in parts):
            return Undecided("nothing is said of floats")
        from craton.smt.intervals.search import contradictory

        if contradictory(formulas, running_time() + (SECONDS if limit is None else limit)):
            return self._unsat(lambda: Core(()))
        return Undecided("intervals do not tell")
