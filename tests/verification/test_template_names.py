"""A template with a name that the program does not have is an error before anything runs."""

from __future__ import annotations

import pytest

from craton.configuration.refiners import refiner
from craton.frontends.boogie import load_boogie
from craton.horn.reading import parse_system
from craton.registry import ExpressionError
from craton.verification.stages import Stage
from craton.verification.template_names import check_refiners, check_stages

PROGRAM = "procedure main() { var i, n: int; i := 0; while (i < n) { i := i + 1; } assert i >= 0; }"
SYSTEM = """(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((i Int) (n Int)) (=> (= i n) (p i n))))
(assert (forall ((i Int) (n Int)) (=> (and (p i n) (< i n)) false)))
"""


def test_of_a_program() -> None:
    program = load_boogie(PROGRAM).program
    check_refiners([refiner("newton"), refiner("lattice(newton, templates=(i - n, main::i <= ?k))")], program)
    with pytest.raises(ExpressionError, match="unknown variable 'm'"):
        check_refiners([refiner("memo(lattice(newton, templates=(i - m)))")], program)


def test_of_a_system() -> None:
    system = parse_system(SYSTEM)
    check_refiners([refiner("lattice(newton, templates=(x0 - x1, n - i))")], system)
    with pytest.raises(ExpressionError, match="unknown variable 'x2'"):
        check_refiners([refiner("lattice(newton, templates=(x2))")], system)


def test_of_stages() -> None:
    program = load_boogie(PROGRAM).program
    named = "lattice(newton, templates=(k))"
    check_stages([Stage("bounded"), Stage("trace-abstraction", "newton"), Stage("bounded", named)], program)
    with pytest.raises(ExpressionError, match="unknown variable 'k'; known: i, n"):
        check_stages([Stage("trace-abstraction", named)], program)
