"""Values as a C programmer writes them: `'a'`, `&q.items[3]`, `"hello"`, `RED`, `0.1f`."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from craton.logic import BOOL, BitVec, Float, Sort
from craton.logic.ieee import to_python
from craton.logic.semantics import to_signed
from craton.logic.sorts import FLOAT32
from craton.logic.terms import format_of
from craton.program.cfa import Symbol
from craton.program.storage import ESCAPES, Scalar, Storage, StoredObject, pointing

if TYPE_CHECKING:
    from craton.evidence.surroundings import KnownText

_SMALL_NUMBERS = ("signed char", "unsigned char")  # which may be meant as characters, too


def value_text(value: Any, sort: Sort, *, signed: bool) -> str:
    """A number as people write it."""
    if isinstance(sort, BitVec):
        return str(to_signed(sort.width, value) if signed else value)
    if isinstance(sort, Float):
        return _float_text(to_python(format_of(sort), value), single=sort is FLOAT32)
    if sort is BOOL:
        return "true" if value else "false"
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else str(value)


def _float_text(number: float, *, single: bool) -> str:
    """The shortest text that means the number."""
    if not math.isfinite(number):
        return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"
    if not single:
        return repr(number)
    short = next(text for digits in range(1, 10) if _single(float(text := f"{number:.{digits}g}")) == number)
    return f"{float(short)!r}f"


def _single(number: float) -> float:
    try:
        rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return math.inf
    return rounded


class Values:
    """Values of a program's variables and memory. Blocks that were allocated are told as they are seen."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.moved: dict[int, StoredObject] = {}  # objects whose address differs from life to life, by address
        self.given: dict[int, KnownText] = {}  # by address
        self._blocks: list[tuple[int, int]] = []  # where allocated blocks begin and end
        self._numbers: dict[int, int] = {}  # of blocks, by what tells them apart

    def of_symbol(self, value: Any, sort: Sort, symbol: Symbol | None) -> str:
        if isinstance(sort, BitVec) and symbol is not None:
            return self.typed(value, sort.width, symbol.type, signed=symbol.signed)
        return value_text(value, sort, signed=symbol is None or symbol.signed)

    def of_cell(self, bits: int, scalar: Scalar) -> str:
        if scalar.type in ("float", "double"):
            single = scalar.type == "float"
            code = "f" if single else "d"
            return _float_text(struct.unpack(f"<{code}", bits.to_bytes(scalar.size, "little"))[0], single=single)
        return self.typed(bits, 8 * scalar.size, scalar.type, signed=scalar.signed)

    def typed(self, value: int, width: int, type_name: str, *, signed: bool) -> str:
        """Of a C type by its name."""
        if "*" in type_name:
            return self.pointer(value, type_name.removesuffix("*").strip())
        number = to_signed(width, value) if signed else value
        constants = self.storage.enumerations.get(type_name)
        if constants is not None:
            return constants.get(number, constants.get(to_signed(width, value), str(number)))
        if type_name == "char":
            return _character(number)
        if type_name in _SMALL_NUMBERS and 32 <= number < 127:
            return f"{number} ({_character(number)})"
        return str(number)

    def pointer(self, address: int, pointee: str = "") -> str:
        """`NULL`, `&x`, `a`, `&a[3]`, `"text"`, a block that was allocated, or else the number."""
        if address == 0:
            return "NULL"
        known, begin = self.object_at(address)
        if known is not None:
            return pointing(known, address - begin, pointee)
        given = self._given_at(address)
        if given:
            return given
        block = self.block_at(address)
        if block is None:
            return hex(address)
        number, offset = block
        return f"block {number}" + (f" + {offset}" if offset else "")

    def object_at(self, address: int) -> tuple[StoredObject | None, int]:
        """The named object that has this address, or ends there; and where it begins."""
        for known in self.storage.objects:
            if known.contains(address):
                return known, known.address or 0
        for begin, moved in self.moved.items():
            if begin <= address < begin + max(1, moved.size):
                return moved, begin
        for known in self.storage.objects:  # one past its end
            if known.address is not None and address == known.address + known.size:
                return known, known.address
        return None, 0

    def _given_at(self, address: int) -> str:
        """A text from outside, or a part of one."""
        for begin, text in self.given.items():
            if begin <= address < begin + text.size:
                return text.name + (f" + {address - begin}" if address > begin else "")
        return ""

    def allocated(self, begin: int, end: int) -> None:
        self._blocks.append((begin, end))

    def block_at(self, address: int) -> tuple[int, int] | None:
        """The number of an allocated block, and the offset in it."""
        bits = self.storage.offset_bits
        if bits:
            begin, offset = address >> bits, address & ((1 << bits) - 1)
        else:
            begin = next((first for first, end in reversed(self._blocks) if first <= address <= end), -1)
            if begin < 0:
                return None
            offset = address - begin
        return self._numbers.setdefault(begin, len(self._numbers) + 1), offset


def _character(number: int) -> str:
    if number == 39:
        return "'\\''"
    if number in ESCAPES and number != 34:
        return f"'{ESCAPES[number]}'"
    return f"'{chr(number)}'" if 32 <= number < 127 else str(number)
