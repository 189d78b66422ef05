"""Options shared by several refiners."""

from __future__ import annotations

from collections.abc import Mapping

from craton.registry import keyed_choice, word_choice
from craton.smt import known_solvers
from craton.traces.cores import Granularity


def solver_name() -> str:
    """`solver=S`"""
    return keyed_choice("z3", "solver", solvers, shown="S")


def interpolation_source() -> str:
    """The solver that interpolates, written as its bare name."""
    return word_choice("z3", solvers, what="solver", shown="S", always=True)


def core_choice() -> Granularity | None:
    """IT: `it`, or `core=` to choose the granularity of the core."""
    default: Granularity | None = None
    return keyed_choice(default, "core", Granularity, words={"it": Granularity.CONJUNCT})


def solvers() -> Mapping[str, str]:
    return {name: name for name in known_solvers()}
