"""Guesses about loops that count: what gauges say (`facts/counting`), and the conditions that still hold.

Both are found without a solver, but gauges speak of rounds, which no program counts: what is inductive without them has
to be sorted out (`houdini`).
"""

from __future__ import annotations

from collections.abc import Mapping

from craton.engines.houdini import Guesses
from craton.facts.conditions import conditions
from craton.facts.counting import counted
from craton.program.cfa import Edge, Program
from craton.program.transitions import Transition


def by_gauges(program: Program, steps: Mapping[Edge, Transition], seconds: float | None) -> Guesses:
    """Guesses at the locations that may be reached; none, if there are no loops or too many edges."""
    told = counted(program, seconds)
    still = conditions(program, steps) if told else {}
    return {
        location: list(dict.fromkeys((*parts, *still[location])))
        for location, parts in told.items()
        if location not in program.errors and location != program.main.entry
    }
