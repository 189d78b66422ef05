"""Scalars in memory: one element of a region, or several bytes of one."""

from __future__ import annotations

from typing import Protocol

from craton.frontends.c.automaton.arithmetic import from_bits, memory_bits, width_of
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.memory.places import Place
from craton.frontends.c.syntax.types import CType, Floating, Record
from craton.logic import (
    FALSE,
    BitVec,
    Float,
    Term,
    bv,
    bvadd,
    concat,
    eq,
    extract,
    fp_from_bits,
    fp_is_nan,
    ops,
    select,
    store,
)
from craton.program.statements import BitsOf, Havoc


class Cells(Protocol):
    """How memory is read and written: by statements that run, or by what a program starts with (`start`)."""

    unroll: int  # up to so many stores become one term; above, a loop

    def load(self, lvalue: Lvalue, t: CType) -> Term:
        """A scalar, or the bytes of a union."""

    def store(self, lvalue: Lvalue, t: CType, value: Term) -> None: ...

    def clear(self, place: Place) -> bool:
        """Sets all of a place to zero if that takes no stores; whether it did."""


class MemoryCells:
    """Memory as code of a function finds it."""

    unroll = 128

    def __init__(self, frame: Frame) -> None:
        self._builder = frame.builder
        self._memory = frame.memory

    def load(self, lvalue: Lvalue, t: CType) -> Term:
        assert lvalue.address is not None and lvalue.place is not None
        region = self._memory.region(lvalue.place)
        address = lvalue.address
        if isinstance(region.element, Float):
            return select(region.array, address)
        if region.size == t.size:
            bits = select(region.array, address)
        else:
            assert region.size == 1, (region, t)
            parts = [select(region.array, bvadd(address, self._memory.pointer(i))) for i in reversed(range(t.size))]
            bits = concat(*parts) if len(parts) > 1 else parts[0]
        return bits if isinstance(t, Record) else from_bits(bits, t)

    def store(self, lvalue: Lvalue, t: CType, value: Term) -> None:
        self._builder.assign(*self.written(lvalue, t, value))

    def written(self, lvalue: Lvalue, t: CType, value: Term) -> tuple[Term, Term]:
        """The array that a store changes, and what it is afterwards."""
        assert lvalue.address is not None and lvalue.place is not None
        region = self._memory.region(lvalue.place)
        address = lvalue.address
        array = region.array
        if isinstance(region.element, Float):
            return array, store(array, address, value)
        bits = value if isinstance(t, Record) else to_bits(self._builder, value, t)
        if region.size == t.size:
            return array, store(array, address, bits)
        assert region.size == 1, (region, t)
        new = array
        for i in range(t.size):
            new = store(new, bvadd(address, self._memory.pointer(i)), extract(8 * i + 7, 8 * i, bits))
        return array, new

    def clear(self, place: Place) -> bool:
        return False


def to_bits(builder: Builder, value: Term, t: CType) -> Term:
    """The representation of a scalar. A float has fresh bits with `to_fp(bits) = value`; padding is arbitrary."""
    if not isinstance(t, Floating):
        return value
    bits = memory_bits(_pattern(builder, value, t), t.sort)
    padding = 8 * t.size - width_of(bits)
    if not padding:
        return bits
    unknown = builder.temporary(BitVec(padding))
    builder.havoc(unknown)
    return concat(unknown, bits)


def _pattern(builder: Builder, value: Term, t: Floating) -> Term:
    if value.is_value and fp_is_nan(value) is FALSE:  # the sign and the payload of a NaN are not known
        return bv(value.payload, t.sort.width)
    if value.op is ops.FP_FROM_BITS:  # the bits it was made from (NaNs would lose their payload otherwise)
        return value.args[0]
    value = builder.save(value)
    pattern = builder.temporary(BitVec(t.sort.width))
    builder.emit(Havoc((pattern,), BitsOf(value)))
    builder.assume(eq(fp_from_bits(t.sort, pattern), value))
    return pattern
