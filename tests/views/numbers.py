"""What values of bits are in a view: the reference of the tests, written without the view's own arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from craton.logic import (
    FALSE,
    Array,
    ArrayValue,
    BitVec,
    Float,
    Sort,
    Term,
    Value,
    and_,
    constant,
    eq,
    evaluate,
    ieee,
    substitute,
)
from craton.logic.semantics import to_signed
from craton.logic.terms import format_of
from craton.program.cfa import Edge, Location, Procedure, Program, Symbol
from craton.program.statements import Assume
from craton.smt import make_solver
from craton.smt.contract import Sat, Unsat
from craton.views.terms import Translator
from support.patience import Group, record


def program_of(formula: Term, signed: Mapping[Term, bool]) -> Program:
    """One assumption, with variables declared as signed or not."""
    start, end = Location(0), Location(1)
    edge = Edge(start, Assume(formula), end)
    symbols = {v: Symbol(v.name, "", None, signed=sign) for v, sign in signed.items()}
    main = Procedure("main", (), (), start, end, (edge,))
    return Program("main", {"main": main}, tuple(signed), {}, symbols=symbols)


def as_number(value: Value, sort: Sort, signed: bool) -> Value:
    """A value of the bit-precise program in the integer view."""
    if isinstance(sort, BitVec):
        return to_signed(sort.width, value) if signed else value
    if isinstance(sort, Array):
        entries = {
            as_number(k, sort.index, False): as_number(v, sort.element, signed) for k, v in value.entries.items()
        }
        return ArrayValue(as_number(value.default, sort.element, signed), entries)
    return value


def as_pair(value: Value, sort: Sort) -> tuple[Value, Value]:
    """A float, or an array of floats, in the real view."""
    if isinstance(sort, Array):
        pairs = {as_number(k, sort.index, False): as_pair(v, sort.element) for k, v in value.entries.items()}
        number, nan = as_pair(value.default, sort.element)
        return (
            ArrayValue(number, {k: p[0] for k, p in pairs.items()}),
            ArrayValue(nan, {k: p[1] for k, p in pairs.items()}),
        )
    assert isinstance(sort, Float)
    form = format_of(sort)
    if ieee.is_nan(form, value):
        return Fraction(0), True
    if ieee.is_infinite(form, value):
        number = Fraction(2) ** (form.emax + 1)
        return -number if ieee.is_negative(form, value) else number, False
    return ieee.to_fraction(form, value), False


def numbers(translator: Translator, variable: Term, value: Value) -> dict[Term, Value]:
    """The values of the variables that stand for a variable."""
    views = translator.variables(variable)
    if len(views) == 2:
        return dict(zip(views, as_pair(value, variable.sort), strict=True))
    return {views[0]: as_number(value, variable.sort, translator.signs.signed(variable))}


_SOLVERS = {"z3": make_solver("z3", time_limit=10.0)}


def possible(formula: Term, state: Mapping[Term, Value], chosen: tuple[Term, ...]) -> bool | None:
    """Can the chosen variables be so that the formula holds in a state? None if no solver knows."""
    if not chosen:
        return evaluate(formula, state) is True
    given = {v: constant(value, v.sort) for v, value in state.items()}
    ground = substitute(formula, given)
    if ground is FALSE:
        return False
    solver = _SOLVERS["z3"]
    with solver.scope():
        solver.add(ground)
        answer = solver.check()
        record(Group.VIEWS, ground, answer)
        if isinstance(answer, Sat):
            return True
        return False if isinstance(answer, Unsat) else None


def equal_to(parts: tuple[Term, ...], values: tuple[Value, ...]) -> Term:
    return and_(*(eq(part, constant(value, part.sort)) for part, value in zip(parts, values, strict=True)))


__all__ = ["as_number", "as_pair", "equal_to", "numbers", "possible", "program_of"]
