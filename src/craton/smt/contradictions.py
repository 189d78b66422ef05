"""What solvers of our own have in common that only check: they look at all formulas when they are asked, and show that
these contradict each other, or do not know.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import islice
from typing import ClassVar

from craton.logic import Term, post_order
from craton.smt.contract import Answer, Capability, Core, Solver, Undecided


class ContradictionSolver(Solver):
    can: frozenset[Capability] = frozenset()
    means: ClassVar[str]  # by which it looks
    most_parts: ClassVar[int]  # of formulas: each is looked at in Python

    def _assert(self, formula: Term, name: str | None) -> None:
        """Assertions are read when they are checked."""

    def _push(self) -> None:
        """Scopes are the contract's."""

    def _pop(self) -> None:
        """Scopes are the contract's."""

    def _check(self, assumptions: Sequence[Term], limit: float | None) -> Answer:
        formulas = [*(formula for _, formula in self.assertions), *assumptions]
        parts = list(islice(post_order(*formulas), self.most_parts + 1))
        if len(parts) > self.most_parts:
            return Undecided(f"the formulas are too large for {self.means}")
        problem = self._problem(formulas, parts, limit)
        return self._unsat(lambda: Core(())) if problem is None else Undecided(problem)

    @abstractmethod
    def _problem(self, formulas: Sequence[Term], parts: Sequence[Term], limit: float | None) -> str | None:
        """Why the formulas, which have these parts, are not seen to contradict each other; None if they do."""
