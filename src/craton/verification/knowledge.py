"""What the attempts on one program know together: formulas at its locations that somebody has shown to be inductive in
bits. Whoever begins or goes on later may use them.

They are candidates: a proof that uses them carries them, and the checker sees the conjunction. So what is wrong on the
board can cost a proof, never make one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from craton.engines.contract import Lemma, Safe
from craton.logic import FALSE, Term, and_, conjuncts
from craton.processes.board import Board
from craton.program.cfa import Location

MOST_CONJUNCTS = 60  # at one location


@dataclass(slots=True)
class Knowledge:
    """Kept by the process that judges; others hear of it from the board."""

    board: Board = field(default_factory=Board)
    known: dict[Location, dict[Term, None]] = field(default_factory=dict)
    by: dict[str, None] = field(default_factory=dict)  # the solvers on whose word they are known

    def learn(self, lemma: Lemma) -> None:
        new: dict[Location, Term] = {}
        for location, invariant in lemma.invariants.items():
            here = self.known.setdefault(location, {})
            parts = [part for part in conjuncts(invariant) if part is not FALSE and part not in here]
            if parts and len(here) + len(parts) <= MOST_CONJUNCTS:
                here |= dict.fromkeys(parts)
                new[location] = and_(*parts)
        if new:
            self.by |= dict.fromkeys(lemma.by)
            self.board.write(Lemma(new, lemma.by))

    def added_to(self, found: Safe) -> Safe:
        """The invariants together with what is known at their locations."""
        if not self.known:
            return found
        more = {x: and_(claim, *self.known.get(x, ())) for x, claim in found.invariants.items()}
        return replace(found, invariants=more, by=tuple(dict.fromkeys((*found.by, *self.by))))
