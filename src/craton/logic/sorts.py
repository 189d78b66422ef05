"""The sorts of the formula language. Sorts are interned like terms: two equal sorts are the same object, so `is`
compares them.

`str(sort)` is its SMT-LIB text.
"""

from __future__ import annotations

from typing import Any, ClassVar

from craton.errors import IllSorted


class Sort:
    """Base of all sorts."""

    __slots__ = ("text",)
    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def __copy__(self) -> Sort:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Sort:
        return self


class _Basic(Sort):
    """A sort without parameters."""

    __slots__ = ()
    table: ClassVar[dict[str, _Basic]] = {}

    def __new__(cls, text: str) -> _Basic:
        known = cls.table.get(text)
        if known is None:
            known = cls.table[text] = object.__new__(cls)
            known.text = text
        return known

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Basic, (self.text,))


BOOL = _Basic("Bool")
INT = _Basic("Int")
REAL = _Basic("Real")
ROUNDING_MODE = _Basic("RoundingMode")


class BitVec(Sort):
    """Bit-vectors of `width` bits."""

    __slots__ = ("width",)
    width: int
    table: ClassVar[dict[int, BitVec]] = {}

    def __new__(cls, width: int) -> BitVec:
        known = cls.table.get(width)
        if known is None:
            if width < 1:
                raise IllSorted(f"a bit-vector needs at least one bit, not {width}")
            known = cls.table[width] = object.__new__(cls)
            known.width = width
            known.text = f"(_ BitVec {width})"
        return known

    def __reduce__(self) -> tuple[Any, ...]:
        return (BitVec, (self.width,))


class Float(Sort):
    """IEEE 754 numbers; as in SMT-LIB, the hidden bit counts among the significand's bits."""

    __slots__ = ("exponent_bits", "significand_bits")
    exponent_bits: int
    significand_bits: int
    table: ClassVar[dict[tuple[int, int], Float]] = {}

    def __new__(cls, exponent_bits: int, significand_bits: int) -> Float:
        known = cls.table.get((exponent_bits, significand_bits))
        if known is None:
            if exponent_bits < 2 or significand_bits < 2:
                raise IllSorted(
                    f"a float needs at least 2 exponent and 2 significand bits, not {exponent_bits}, {significand_bits}"
                )
            known = cls.table[exponent_bits, significand_bits] = object.__new__(cls)
            known.exponent_bits = exponent_bits
            known.significand_bits = significand_bits
            known.text = f"(_ FloatingPoint {exponent_bits} {significand_bits})"
        return known

    @property
    def width(self) -> int:
        """Bits of the interchange format."""
        return self.exponent_bits + self.significand_bits

    def __reduce__(self) -> tuple[Any, ...]:
        return (Float, (self.exponent_bits, self.significand_bits))


FLOAT16 = Float(5, 11)
FLOAT32 = Float(8, 24)
FLOAT64 = Float(11, 53)
FLOAT128 = Float(15, 113)


class Array(Sort):
    """Total maps from `index` to `element`."""

    __slots__ = ("element", "index")
    index: Sort
    element: Sort
    table: ClassVar[dict[tuple[Sort, Sort], Array]] = {}

    def __new__(cls, index: Sort, element: Sort) -> Array:
        known = cls.table.get((index, element))
        if known is None:
            known = cls.table[index, element] = object.__new__(cls)
            known.index = index
            known.element = element
            known.text = f"(Array {index} {element})"
        return known

    def __reduce__(self) -> tuple[Any, ...]:
        return (Array, (self.index, self.element))


class Function:
    """An uninterpreted function symbol with its signature; `core.apply` applies it."""

    __slots__ = ("name", "params", "result")
    name: str
    params: tuple[Sort, ...]
    result: Sort
    table: ClassVar[dict[tuple[str, tuple[Sort, ...], Sort], Function]] = {}

    def __new__(cls, name: str, params: tuple[Sort, ...], result: Sort) -> Function:
        key = (name, params, result)
        known = cls.table.get(key)
        if known is None:
            if not params:
                raise IllSorted(f"function {name} has no parameters: use a variable instead")
            known = cls.table[key] = object.__new__(cls)
            known.name, known.params, known.result = key
        return known

    def __reduce__(self) -> tuple[Any, ...]:
        return (Function, (self.name, self.params, self.result))

    def __repr__(self) -> str:
        return f"{self.name}: ({' '.join(map(str, self.params))}) -> {self.result}"
