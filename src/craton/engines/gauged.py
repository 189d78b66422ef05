"""Invariants of counting loops: what gauges say (`facts/counting`) and the conditions that still hold, as far as they
are inductive together in bits.

Both are found without a solver, but gauges speak of rounds, which no program counts: what is left without them is
sorted out (`houdini`), by the solver that is quickest with sums in bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from craton.engines.contract import Budget
from craton.engines.houdini import Guesses, inductive
from craton.facts.conditions import conditions
from craton.facts.counting import counted
from craton.program.cfa import Edge, Program
from craton.program.transitions import Transition
from craton.smt import Solver

SOLVER: Final = "bitwuzla"


def gauged(program: Program, steps: Mapping[Edge, Transition], solver: Solver, budget: Budget) -> Guesses:
    """Inductive invariants of loops that count; none, if gauges have nothing to say."""
    told = counted(program, budget.left)
    still = conditions(program, steps) if told else {}
    guesses = {x: list(dict.fromkeys((*parts, *still[x]))) for x, parts in told.items() if x not in program.errors}
    return inductive(program, steps, guesses, solver, budget) if guesses else {}
