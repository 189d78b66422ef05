"""Solvers behind one contract: `contract` says what every backend does, `registry` which there are.

Rooms: `z3`, `bitwuzla`, `cvc5` (in process), `process` (programs that speak SMT-LIB), `cores`, `interpolation`,
`elimination` (quantifiers), `querylog`, `reading` (SMT-LIB text).
"""

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
from craton.smt.cores import latest_core, minimal_core, split_equalities, unsat_core
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
from craton.smt.registry import known_solvers, make_solver

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
    "parse_formula",
    "parse_script",
    "parse_term",
    "sequence_interpolants",
    "split_equalities",
    "unsat_core",
]
