"""Hash-consed terms: the one formula language of Craton.

A term is immutable and unique: two structurally equal terms are the same object, so `==`, `is` and dictionary look-ups
cost one comparison of addresses. Terms are made by the constructors of `core`, `arithmetic`, `bitvectors`, `floats` and
`arrays`, which check sorts and simplify locally; nothing else calls `intern`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from craton.errors import IllSorted
from craton.logic.ieee import Format, RoundingMode, canonical
from craton.logic.ops import VALUE, VARIABLE, Op
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, BitVec, Float, Sort

# Terms never form cycles, and there can be millions of them: Python's cycle collector would traverse them all again and
# again (measured: it doubles the cost of building). Collecting less often costs nothing.
if 0 < gc.get_threshold()[0] < 100_000:
    gc.set_threshold(100_000, 50, 100)

# Numbers in formulas may have more digits than Python converts by default (4300).
sys.set_int_max_str_digits(0)


class Term:
    """One node of the formula DAG. `payload` is what the operation has besides its arguments: see `ops`."""

    __slots__ = ("args", "free", "op", "payload", "serial", "sort")
    op: Op
    args: tuple[Term, ...]
    sort: Sort
    payload: Any
    serial: int  # order of creation: a hash that does not depend on addresses keeps runs reproducible
    free: frozenset[Term] | None  # cache of `walk.free_variables`

    def __init__(self, op: Op, args: tuple[Term, ...], sort: Sort, payload: Any, serial: int) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.payload = payload
        self.serial = serial
        self.free = None

    def __hash__(self) -> int:
        return self.serial

    @property
    def is_value(self) -> bool:
        return self.op is VALUE

    @property
    def is_variable(self) -> bool:
        return self.op is VARIABLE

    @property
    def name(self) -> str:
        """The name of a variable."""
        assert self.op is VARIABLE, f"{self.op} has no name"
        return self.payload  # type: ignore[no-any-return]

    def __str__(self) -> str:
        from craton.logic.infix import infix

        return infix(self)

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        from craton.markup import element, shown

        return shown(element("code", str(self), kind="formula"))

    def __copy__(self) -> Term:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Term:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from craton.logic.pickling import flatten, restore

        return (restore, (flatten(self),))


_table: dict[tuple[Op, tuple[Term, ...], Sort, Any], Term] = {}


def intern(op: Op, args: tuple[Term, ...], sort: Sort, payload: Any = None) -> Term:
    """The term with these parts, unchecked and unsimplified: for constructors only."""
    key = (op, args, sort, payload)
    term = _table.get(key)
    if term is None:
        term = _table[key] = Term(op, args, sort, payload, len(_table))
    return term


def find(op: Op, args: tuple[Term, ...], sort: Sort, payload: Any = None) -> Term | None:
    """The term with these parts if it already exists."""
    return _table.get((op, args, sort, payload))


def table_size() -> int:
    """How many different terms exist."""
    return len(_table)


# --- leaves -----------------------------------------------------------------------------------------------------------


def var(name: str, sort: Sort) -> Term:
    """The variable of that name and sort. Variables of one name and different sorts are different variables."""
    return intern(VARIABLE, (), sort, name)


TRUE = intern(VALUE, (), BOOL, True)
FALSE = intern(VALUE, (), BOOL, False)


def bool_(value: bool) -> Term:
    return TRUE if value else FALSE


def int_(value: int) -> Term:
    return intern(VALUE, (), INT, int(value))  # True equals 1, but must not be stored in its place


def real(value: int | str | Fraction) -> Term:
    """An exact rational: `real(2)`, `real("1/3")`, `real("0.25")`."""
    return intern(VALUE, (), REAL, Fraction(value))


def bv(value: int, width: int) -> Term:
    """`value` modulo 2^width, so `bv(-1, 8)` is 255."""
    return intern(VALUE, (), BitVec(width), value & ((1 << width) - 1))


def rounding(mode: RoundingMode) -> Term:
    return intern(VALUE, (), ROUNDING_MODE, mode)


RNE, RNA, RTP, RTN, RTZ = map(rounding, RoundingMode)


def format_of(sort: Float) -> Format:
    """The format `ieee` computes in."""
    found = _formats.get(sort)
    if found is None:
        found = _formats[sort] = Format(sort.exponent_bits, sort.significand_bits)
    return found


_formats: dict[Float, Format] = {}


def fp_bits(bits: int, sort: Float) -> Term:
    """The float with that bit pattern. There is one NaN."""
    return intern(VALUE, (), sort, canonical(format_of(sort), bits & ((1 << sort.width) - 1)))


def value(python_value: Any, sort: Sort) -> Term:
    """The constant of a sort: bool, int, Fraction, unsigned int (BitVec), bit pattern (Float) or RoundingMode."""
    if isinstance(sort, BitVec):
        return bv(python_value, sort.width)
    if isinstance(sort, Float):
        return fp_bits(python_value, sort)
    maker = _makers.get(sort)
    if maker is None:
        raise IllSorted(f"there are no constants of sort {sort} (use const_array and store)")
    return maker(python_value)


_makers: dict[Sort, Callable[[Any], Term]] = {BOOL: bool_, INT: int_, REAL: real, ROUNDING_MODE: rounding}


# --- sort checks ------------------------------------------------------------------------------------------------------


def ill_sorted(op: Op | str, expected: str, args: Sequence[Term]) -> IllSorted:
    """The error for an application whose arguments do not fit."""
    name = op.name if isinstance(op, Op) else op
    got = ", ".join(f"{_brief(a)} of sort {a.sort}" for a in args) or "nothing"
    return IllSorted(f"{name} expects {expected}; got {got}")


def _brief(term: Term) -> str:
    from craton.logic.walk import size

    return str(term) if size(term, limit=20) <= 20 else f"({term.op.name} …)"
