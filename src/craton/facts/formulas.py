"""Facts as formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from craton.facts.analysis import analyse
from craton.facts.floats import FloatRange
from craton.facts.ranges import Range, as_signed
from craton.facts.states import Known, State
from craton.logic import (
    BOOL,
    TRUE,
    Term,
    and_,
    bv,
    bvsle,
    bvule,
    bvurem,
    eq,
    extract,
    fp_is_nan,
    fp_le,
    fp_value,
    not_,
    or_,
)
from craton.program.cfa import Location, Program


def facts(program: Program, seconds: float | None = None) -> dict[Location, tuple[Term, ...]]:
    """Conjuncts that hold at each location of the entry procedure that may be reached."""
    return {location: tuple(told(state)) for location, state in analyse(program, seconds).items()}


def told(state: State) -> Iterator[Term]:
    """What a state says, variable by variable."""
    for variable, known in sorted(state.items(), key=lambda pair: pair[0].serial):
        yield from about(variable, known)


def about(variable: Term, known: Known) -> Iterable[Term]:
    """That the variable's value is in the range, in few conjuncts: what follows from others is left out."""
    if isinstance(known, FloatRange):
        return _about_float(variable, known)
    if variable.sort is BOOL:
        return () if known.constant is None else (variable if known.constant else not_(variable),)
    width = known.width
    if known.constant is not None:
        return (eq(variable, bv(known.constant, width)),)
    parts = (*_bounds(variable, known), _congruence(variable, known))
    return tuple(part for part in parts if part is not TRUE)


def _about_float(variable: Term, known: FloatRange) -> Iterable[Term]:
    """Both bounds, though one is infinite: a comparison says that the value is not NaN, too."""
    if not known.has_numbers:
        return (fp_is_nan(variable),)
    bounds = fp_le(fp_value(known.low, known.sort), variable), fp_le(variable, fp_value(known.high, known.sort))
    return (or_(fp_is_nan(variable), and_(*bounds)),) if known.nan else bounds


def _bounds(variable: Term, known: Range) -> Iterator[Term]:
    """Both intervals, unless one is the other: below the sign bit signed bounds say it all, and so do unsigned ones."""
    width, half = known.width, 1 << (known.width - 1)
    signed = known.least, known.most
    same = known.high < half or known.low >= half
    if not same or signed != (as_signed(known.low, width), as_signed(known.high, width)):
        yield bvule(bv(known.low, width), variable)
        yield bvule(variable, bv(known.high, width))
    yield bvsle(bv(known.least, width), variable)
    yield bvsle(variable, bv(known.most, width))


def _congruence(variable: Term, known: Range) -> Term:
    bits = known.known_bits
    if known.modulus == 1:
        return TRUE
    if known.modulus == 1 << bits:
        return eq(extract(bits - 1, 0, variable), bv(known.remainder, bits))
    return eq(bvurem(variable, bv(known.modulus, known.width)), bv(known.remainder, known.width))
