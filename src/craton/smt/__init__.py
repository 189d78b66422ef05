"""Solvers behind one contract: `contract` says what every backend does, `registry` lists the backends.

Contents: `z3`, `bitwuzla`, `cvc5` (in process), `process` (programs that speak SMT-LIB), `cores`, `interpolation`,
`elimination` (quantifiers), `querylog`, `reading` (SMT-LIB text).
"""

from typing import TYPE_CHECKING

from craton.lazy_imports import lazy_imports
from craton.smt.contract import (
    Answer,
    Capability,
    Core,
    Fragment,
    Sat,
    Solver,
    StaleAnswer,
    Undecided,
    Unsat,
)
from craton.smt.registry import known_solvers, make_solver

if TYPE_CHECKING:
    from craton.smt.cores import (
        latest_core,
        minimal_core,
        minimal_cores,
        split_equalities,
        unsat_core,
        unsigned_sorts,
    )
    from craton.smt.elimination import Eliminator, Method
    from craton.smt.interpolation import (
        Interpolants,
        Satisfiable,
        binary_interpolant,
        law_violation,
        sequence_interpolants,
    )
    from craton.smt.querylog import QueryLog
    from craton.smt.reading import parse_formula, parse_script, parse_term

_ROOMS = {
    "craton.smt.cores": (
        "latest_core",
        "minimal_core",
        "minimal_cores",
        "split_equalities",
        "unsat_core",
        "unsigned_sorts",
    ),
    "craton.smt.elimination": ("Eliminator", "Method"),
    "craton.smt.interpolation": (
        "Interpolants",
        "Satisfiable",
        "binary_interpolant",
        "law_violation",
        "sequence_interpolants",
    ),
    "craton.smt.querylog": ("QueryLog",),
    "craton.smt.reading": ("parse_formula", "parse_script", "parse_term"),
}
__getattr__ = lazy_imports(globals(), {name: room for room, names in _ROOMS.items() for name in names})

__all__ = [
    "Answer",
    "Capability",
    "Core",
    "Eliminator",
    "Fragment",
    "Interpolants",
    "Method",
    "QueryLog",
    "Sat",
    "Satisfiable",
    "Solver",
    "StaleAnswer",
    "Undecided",
    "Unsat",
    "binary_interpolant",
    "known_solvers",
    "law_violation",
    "make_solver",
    "latest_core",
    "minimal_core",
    "minimal_cores",
    "parse_formula",
    "parse_script",
    "parse_term",
    "sequence_interpolants",
    "split_equalities",
    "unsat_core",
    "unsigned_sorts",
]
