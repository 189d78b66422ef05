"""Live variables of a trace ([CN] Def. 5.1; [NR] Eqs. 3.11–3.14 take the last occurrence for the last read)."""

from __future__ import annotations

from collections.abc import Sequence

from craton.logic import Term
from craton.program.transitions import Transition


def future_live(steps: Sequence[Transition]) -> list[frozenset[Term]]:
    """For each of the n + 1 positions, the variables that are read later, before they are overwritten."""
    live: frozenset[Term] = frozenset()
    found = [live]
    for step in reversed(steps):
        live = (live - step.written) | step.read
        found.append(live)
    return found[::-1]


def past_live(steps: Sequence[Transition]) -> list[frozenset[Term]]:
    """For each position, the variables that were written or read earlier and not havocked since."""
    live: frozenset[Term] = frozenset()
    found = [live]
    for step in steps:
        live = (live | step.read | step.written) - step.havocked
        found.append(live)
    return found
