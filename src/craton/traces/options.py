"""Options shared by several refiners."""

from __future__ import annotations

from collections.abc import Mapping

from craton.registry import keyed_choice, keyed_seconds, word_choice
from craton.smt import known_solvers
from craton.smt.elimination.by_solver import by_command
from craton.smt.registry import SOURCES
from craton.traces.cores import Granularity


def solver_name() -> str:
    """`solver=S`"""
    return keyed_choice("z3", "solver", solvers, shown="S")


def interpolation_source() -> str:
    """The solver or other source of interpolants, written as its bare name."""
    return word_choice("z3", sources, what="solver", shown="S", always=True)


def core_choice() -> Granularity | None:
    """`it` is IT of [CN] Def. 4.5: whole statements. `core=` chooses other granularities, which are ours."""
    default: Granularity | None = None
    return keyed_choice(default, "core", Granularity, words={"it": Granularity.STATEMENT})


def core_minimisation() -> float | None:
    """`minimise=T`: seconds to spend on a smaller core; 0 takes the solver's core as it is, as [CN] 7 does."""
    return keyed_seconds(0.0, "minimise")


def sources() -> Mapping[str, str]:
    return {**solvers(), **{name: name for name in SOURCES}}


def eliminating_solver() -> str:
    """`by=S`: the solver that eliminates quantifiers."""
    return keyed_choice("z3", "by", _eliminating, shown="S")


def _eliminating() -> Mapping[str, str]:
    return {name: name for name in ("z3", "cvc5", *by_command())}


def solvers() -> Mapping[str, str]:
    return {name: name for name in known_solvers()}
