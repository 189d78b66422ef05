"""A log of every query, each as a self-contained `.smt2` file that any solver can run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from craton.files import write_atomically
from craton.logic.smtlib import script
from craton.logic.terms import Term

if TYPE_CHECKING:
    from craton.smt.contract import Answer, Solver


class QueryLog:
    """Writes queries into a folder, numbered in the order in which they were asked."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._count = len(list(self.folder.glob("*.smt2")))

    def record(self, solver: Solver, assumptions: Sequence[Term], answer: Answer, seconds: float) -> Path:
        """Assumptions are written as additional assertions: the query is the same."""
        self._count += 1
        word = {"Sat": "sat", "Unsat": "unsat"}.get(type(answer).__name__, "unknown")
        text = script(
            [*((name, formula) if name else formula for name, formula in solver.assertions), *assumptions],
            comment=f"query {self._count} to {solver.name}: {word} after {seconds:.3f} s",
            options=(f"(set-info :status {word})",),
        )
        path = self.folder / f"{self._count:06d}-{solver.name}-{word}.smt2"
        write_atomically(path, text)
        return path
