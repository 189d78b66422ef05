"""Every solver Craton knows: whether it is installed, what it can do, and how to get it.

New backends are added here and nowhere else.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from craton.errors import MissingCapability, UnknownSolver
from craton.logic.ops import Theory
from craton.smt.contract import Capability, Solver
from craton.smt.process.presets import PRESETS, Preset

if TYPE_CHECKING:
    from craton.smt.interpolation import Source
    from craton.smt.querylog import QueryLog


@dataclass(frozen=True, slots=True)
class Library:
    """A solver that runs in this process, from a package on PyPI."""

    name: str
    package: str
    module: str  # imported to see whether it is installed
    solver: str  # "module:class" in this package
    interpolation: str  # "module:function"

    def load(self) -> type[Solver]:
        module, _, attribute = self.solver.partition(":")
        return cast("type[Solver]", getattr(importlib.import_module(module), attribute))

    @property
    def how_to_get(self) -> str:
        return f"pip install {self.package}"

    @property
    def installed(self) -> bool:
        loaded = self.solver.partition(":")[0], self.module  # looking for it takes longer than making a solver
        return any(name in sys.modules for name in loaded) or importlib.util.find_spec(self.module) is not None

    def version(self) -> str | None:
        """None if it is not installed."""
        if not self.installed:
            return None
        from importlib.metadata import version  # costs more than all the rest of this module

        return version(self.package)


LIBRARIES = {
    library.name: library
    for library in (
        Library("z3", "z3-solver", "z3", "craton.smt.z3.solver:Z3Solver", "craton.smt.z3.interpolation:interpolants"),
        Library(
            "bitwuzla",
            "bitwuzla",
            "bitwuzla",
            "craton.smt.bitwuzla.solver:BitwuzlaSolver",
            "craton.smt.bitwuzla.interpolation:interpolants",
        ),
        Library(
            "cvc5", "cvc5", "cvc5", "craton.smt.cvc5.solver:Cvc5Solver", "craton.smt.cvc5.interpolation:interpolants"
        ),
    )
}

OVER_INTEGERS = "cvc5 over integers"  # bits as numbers with remainders: quickest with sums and quotients

# Sources of interpolants that are not solvers: "module:function".
SOURCES = {"farkas": "craton.smt.farkas:interpolants"}


def known_solvers() -> tuple[str, ...]:
    return (*LIBRARIES, *PRESETS)


def make_solver(name: str, *, time_limit: float | None = None, log: QueryLog | None = None) -> Solver:
    """A new solver, by a library's name, a preset's name, or a command line such as `"mysolver --smt2 --in"` (with a
    space).
    """
    if name == OVER_INTEGERS:
        from craton.smt.cvc5.solver import Cvc5Solver

        return Cvc5Solver(time_limit=time_limit, log=log, bits_as_integers=True)
    if name in LIBRARIES:
        library = LIBRARIES[name]
        if not library.installed:
            raise UnknownSolver(f"{name} is not installed: {library.how_to_get}")
        return library.load()(time_limit=time_limit, log=log)
    from craton.smt.process.solver import ProcessSolver

    return ProcessSolver(_preset(name), time_limit=time_limit, log=log)


def interpolation_source(name: str) -> Source:
    if name in LIBRARIES and not LIBRARIES[name].installed:
        raise UnknownSolver(f"{name} is not installed: {LIBRARIES[name].how_to_get}")
    if name in LIBRARIES or name in SOURCES:
        address = SOURCES[name] if name in SOURCES else LIBRARIES[name].interpolation
        module, _, attribute = address.partition(":")
        return cast("Source", getattr(importlib.import_module(module), attribute))
    preset = _preset(name)
    if Capability.INTERPOLANTS not in preset.can:
        others = ", ".join(solvers_that_can(Capability.INTERPOLANTS))
        raise MissingCapability(f"{name} has no interpolants; solvers that do: {others}")
    from craton.smt.process.interpolation import interpolants

    return lambda formulas, time_limit: interpolants(preset, formulas, time_limit)


def _preset(name: str) -> Preset:
    if name in PRESETS:
        preset = PRESETS[name]
        if preset.find() is None:
            raise UnknownSolver(f"{name} is not installed: {preset.how_to_get}")
        return preset
    if " " in name or "/" in name:
        return Preset.from_command(name)
    from difflib import get_close_matches

    close = get_close_matches(name, known_solvers(), n=1)
    hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(known_solvers())}"
    raise UnknownSolver(f"no solver is called {name!r}; {hint}")


def capabilities(name: str) -> frozenset[Capability]:
    return LIBRARIES[name].load().can if name in LIBRARIES else PRESETS[name].can


def theories(name: str) -> frozenset[Theory]:
    return (LIBRARIES[name].load() if name in LIBRARIES else PRESETS[name]).fragment.theories


def solvers_that_can(capability: Capability) -> list[str]:
    return [name for name in _loadable() if capability in capabilities(name)]


def solvers_for(theory: Theory) -> list[str]:
    return [name for name in _loadable() if theory in theories(name)]


def _loadable() -> list[str]:
    return [name for name in known_solvers() if name in PRESETS or LIBRARIES[name].installed]
