"""Terms as Python source, for concrete execution: bit-vectors are ints, floats bit patterns, memory dictionaries.

The meaning is that of `logic.semantics`; what is common is written out as arithmetic on ints, the rest calls it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from craton.errors import CratonError
from craton.logic import FLOAT32, FLOAT64, RNE, Array, Float, Sort, Term, Unspecified, ops
from craton.logic.evaluation import zero
from craton.logic.semantics import ArrayValue, compute
from craton.logic.sorts import BitVec
from craton.logic.walk import QUANTIFIERS, post_order

_MOST_NESTED = 12  # deeper expressions go through temporaries: Python's parser has limits
_NANS = {32: 0x7FC00000, 64: 0x7FF8000000000000}


class CannotRun(CratonError):
    """The program has something that concrete execution does not know, such as a quantifier."""


class Unwritten(dict[Any, Any]):
    """The cells of an array that was never written: each is drawn when it is first looked at, once for all copies of
    the array. `uniform`: all draws give the same value.
    """

    __slots__ = ("draw", "uniform")

    def __init__(self, draw: Callable[[], Any], *, uniform: bool) -> None:
        super().__init__()
        self.draw = draw
        self.uniform = uniform

    def __missing__(self, index: Any) -> Any:
        value = self[index] = self.draw()
        return value


class Cells(dict[Any, Any]):
    """Contents of an array; `unwritten` has the cells that were never written. Laws: what a variable holds, no other
    variable and no other array holds, so that it may be changed in place; what an array holds is never changed.
    """

    __slots__ = ("unwritten",)

    def __init__(self, unwritten: Unwritten | Callable[[], Any], entries: dict[Any, Any] | None = None) -> None:
        super().__init__(entries or ())
        self.unwritten = unwritten if isinstance(unwritten, Unwritten) else Unwritten(unwritten, uniform=False)

    def __missing__(self, index: Any) -> Any:
        value = self[index] = self.unwritten[index]
        return value

    def with_(self, index: Any, value: Any) -> Cells:
        new = Cells(self.unwritten, self)
        new[index] = value
        return new

    def copy(self) -> Cells:
        return Cells(self.unwritten, self)


def constant_cells(element: Any) -> Cells:
    """The array that has one element everywhere."""
    return Cells(Unwritten(lambda: element, uniform=True))


def array_value(cells: Any, sort: Sort) -> Any:
    """What an array holds, as `logic.semantics` has it; other values are the same in both."""
    if not isinstance(sort, Array) or not isinstance(cells, Cells):
        return cells
    if not cells.unwritten.uniform:
        raise CannotRun("arrays whose cells are drawn one by one cannot be compared as a whole")
    entries = {index: array_value(element, sort.element) for index, element in cells.items()}
    return ArrayValue(array_value(cells.unwritten.draw(), sort.element), entries)


def cells_of(value: Any, sort: Sort) -> Any:
    """A value of `logic.semantics` as generated code has it."""
    if not isinstance(sort, Array) or not isinstance(value, ArrayValue):
        return value
    cells = constant_cells(cells_of(value.default, sort.element))
    cells.update({index: cells_of(element, sort.element) for index, element in value.entries.items()})
    return cells


# --- what generated code calls ----------------------------------------------------------------------------------------


def udiv(a: int, b: int, mask: int) -> int:
    return a // b if b else mask


def urem(a: int, b: int) -> int:
    return a % b if b else a


def sdiv(a: int, b: int, half: int, mask: int) -> int:
    x, y = (a ^ half) - half, (b ^ half) - half
    if y == 0:
        return 1 if x < 0 else mask
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & mask


def srem(a: int, b: int, half: int, mask: int) -> int:
    x, y = (a ^ half) - half, (b ^ half) - half
    if y == 0:
        return a
    remainder = abs(x) % abs(y)
    return (-remainder if x < 0 else remainder) & mask


def shl(a: int, b: int, width: int, mask: int) -> int:
    return (a << b) & mask if b < width else 0


def ashr(a: int, b: int, width: int, half: int, mask: int) -> int:
    return (((a ^ half) - half) >> min(b, width)) & mask


def _double(bits: int) -> float:
    return float(struct.unpack("<d", bits.to_bytes(8, "little"))[0])


def _single(bits: int) -> float:
    return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])


def _bits64(value: float) -> int:
    if value != value:
        return _NANS[64]
    return int.from_bytes(struct.pack("<d", value), "little")


def _bits32(value: float) -> int:
    """Rounds a double to single; exact for sums, products and quotients of singles."""
    if value != value:
        return _NANS[32]
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def _divide(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _fast(unpack: Callable[[int], float], pack: Callable[[float], int]) -> dict[Any, Callable[..., Any]]:
    return {
        ops.FP_ADD: lambda a, b: pack(unpack(a) + unpack(b)),
        ops.FP_SUB: lambda a, b: pack(unpack(a) - unpack(b)),
        ops.FP_MUL: lambda a, b: pack(unpack(a) * unpack(b)),
        ops.FP_DIV: lambda a, b: pack(_divide(unpack(a), unpack(b))),
        ops.FP_LT: lambda a, b: unpack(a) < unpack(b),
        ops.FP_LE: lambda a, b: unpack(a) <= unpack(b),
        ops.FP_EQ: lambda a, b: unpack(a) == unpack(b),
    }


_FAST = {FLOAT64: _fast(_double, _bits64), FLOAT32: _fast(_single, _bits32)}


def _meaning(node: Term) -> Callable[..., Any]:
    """The operation as a function of values; where the standard leaves it open, zero."""
    op, payload = node.op, node.payload
    sorts = [a.sort for a in node.args]
    default = None if isinstance(node.sort, Array) else zero(node.sort)
    if any(isinstance(sort, Array) for sort in sorts):
        return lambda *values: compute(op, sorts, payload, list(map(array_value, values, sorts)))

    def run(*values: Any) -> Any:
        try:
            return compute(op, sorts, payload, values)
        except Unspecified:
            return default

    return run


def _mask(term: Term) -> int:
    sort = term.sort
    assert isinstance(sort, BitVec)
    return (1 << sort.width) - 1


def _half(term: Term) -> int:
    sort = term.sort
    assert isinstance(sort, BitVec)
    return 1 << (sort.width - 1)


class Code:
    """Collects the lines of a piece of straight-line code and the constants it refers to."""

    def __init__(self, names: dict[Term, str], constants: dict[str, Any]) -> None:
        self.names = names
        self.constants = constants
        self.lines: list[str] = []
        self._temporaries = 0

    def constant(self, value: Any) -> str:
        name = f"k{len(self.constants)}"
        self.constants[name] = value
        return name

    def temporary(self, text: str) -> str:
        self._temporaries += 1
        name = f"t{self._temporaries}"
        self.lines.append(f"{name} = {text}")
        return name

    def expression(self, root: Term) -> str:
        """Source of the term's value; lines are added for parts that are shared or deep. An array may be one that a
        variable holds: see `owned`.
        """
        if root.op is ops.VARIABLE:
            return self._variable(root)
        if root.op is ops.VALUE:
            return self._value(root)
        nodes = list(post_order(root))
        uses: dict[Term, int] = {}
        for node in nodes:
            for argument in node.args:
                uses[argument] = uses.get(argument, 0) + 1
        texts: dict[Term, str] = {}
        depths: dict[Term, int] = {}
        for node in nodes:
            if node.op is ops.VARIABLE:
                texts[node], depths[node] = self._variable(node), 0
                continue
            if node.op is ops.VALUE:
                texts[node], depths[node] = self._value(node), 0
                continue
            text = self._apply(node, [texts[a] for a in node.args])
            depth = 1 + max((depths[a] for a in node.args), default=0)
            if node is not root and (uses.get(node, 0) > 1 or depth > _MOST_NESTED or len(text) > 2000):
                text, depth = self.temporary(text), 0
            texts[node], depths[node] = text, depth
        return texts[root]

    def owned(self, root: Term) -> str:
        """Source of a value that may become a variable's own."""
        text = self.expression(root)
        return text if not isinstance(root.sort, Array) or _is_new(root) else f"{text}.copy()"

    def _variable(self, node: Term) -> str:
        name = self.names.get(node)
        if name is None:
            raise CannotRun(f"{node} has no value: a quantifier binds it")
        return name

    def _value(self, node: Term) -> str:
        value = node.payload
        if isinstance(value, bool | int):
            return repr(value)
        return self.constant(value)

    def _apply(self, node: Term, a: list[str]) -> str:
        maker = _TEMPLATES.get(node.op)
        if maker is not None:
            text = maker(node, a)
            if text is not None:
                return text
        op = node.op
        if op in QUANTIFIERS or op is ops.APPLY:
            what = "a quantifier" if op in QUANTIFIERS else f"the function {node.payload.name}"
            raise CannotRun(f"{what} cannot be executed")
        if op in (ops.SELECT, ops.STORE) and isinstance(node.args[1].sort, Array):
            raise CannotRun("an array that is indexed by arrays cannot be executed")
        if op is ops.SELECT:
            return f"{a[0]}[{a[1]}]"
        if op is ops.CONST_ARRAY:
            return f"constant_cells({_kept(node.args[0], a[0])})"
        if op is ops.STORE:
            return f"{a[0]}.with_({a[1]}, {_kept(node.args[2], a[2])})"
        sort = node.args[-1].sort
        if isinstance(sort, Float):
            fast = _FAST.get(sort, {}).get(op)
            if fast is not None:
                arguments = node.args
                if arguments[0] is RNE:
                    return f"{self._function(fast)}({', '.join(a[1:])})"
                if op in (ops.FP_LT, ops.FP_LE, ops.FP_EQ):
                    return f"{self._function(fast)}({', '.join(a)})"
        return f"{self.constant(_meaning(node))}({', '.join(a)})"

    def _function(self, function: Callable[..., Any]) -> str:
        name = f"f{id(function)}"
        self.constants[name] = function
        return name


def _is_new(term: Term) -> bool:
    """Whether generated code makes an array of its own for the term."""
    return term.op in (ops.STORE, ops.CONST_ARRAY)


def _kept(term: Term, text: str) -> str:
    """An element that an array is to keep: a variable's own array is changed in place later, so it is copied."""
    return f"{text}.copy()" if isinstance(term.sort, Array) and not _is_new(term) else text


def _infix(symbol: str) -> Callable[[Term, list[str]], str]:
    return lambda node, a: "(" + symbol.join(a) + ")"


def _masked(symbol: str) -> Callable[[Term, list[str]], str]:
    return lambda node, a: f"(({symbol.join(a)}) & {_mask(node)})"


def _equal(node: Term, a: list[str]) -> str | None:
    return None if isinstance(node.args[0].sort, Array) else f"({a[0]} == {a[1]})"


def _shift_left(node: Term, a: list[str]) -> str:
    if node.args[1].is_value:
        amount = node.args[1].payload
        width = node.sort.width  # type: ignore[attr-defined]
        return f"(({a[0]} << {amount}) & {_mask(node)})" if amount < width else "0"
    return f"shl({a[0]}, {a[1]}, {node.sort.width}, {_mask(node)})"  # type: ignore[attr-defined]


def _extract(node: Term, a: list[str]) -> str:
    low = node.payload[1]
    shifted = f"({a[0]} >> {low})" if low else a[0]
    whole = node.payload[0] + 1 == node.args[0].sort.width  # type: ignore[attr-defined]
    return shifted if whole else f"({shifted} & {_mask(node)})"


def _concat(node: Term, a: list[str]) -> str:
    shift = 0
    parts = []
    for argument, text in zip(reversed(node.args), reversed(a), strict=True):
        parts.append(f"({text} << {shift})" if shift else text)
        shift += argument.sort.width  # type: ignore[attr-defined]
    return "(" + " | ".join(reversed(parts)) + ")"


def _sign_extend(node: Term, a: list[str]) -> str:
    half = _half(node.args[0])
    return f"((({a[0]} ^ {half}) - {half}) & {_mask(node)})"


_TEMPLATES: dict[Any, Callable[[Term, list[str]], str | None]] = {
    ops.NOT: lambda node, a: f"(not {a[0]})",
    ops.AND: _infix(" and "),
    ops.OR: _infix(" or "),
    ops.XOR: lambda node, a: f"({a[0]} != {a[1]})",
    ops.IMPLIES: lambda node, a: f"(not {a[0]} or {a[1]})",
    ops.EQ: _equal,
    ops.ITE: lambda node, a: f"({a[1]} if {a[0]} else {a[2]})",
    ops.BVADD: _masked(" + "),
    ops.BVMUL: _masked(" * "),
    ops.BVSUB: _masked(" - "),
    ops.BVAND: _infix(" & "),
    ops.BVOR: _infix(" | "),
    ops.BVXOR: _infix(" ^ "),
    ops.BVNOT: lambda node, a: f"({a[0]} ^ {_mask(node)})",
    ops.BVNEG: lambda node, a: f"(-{a[0]} & {_mask(node)})",
    ops.BVULT: _infix(" < "),
    ops.BVULE: _infix(" <= "),
    ops.BVSLT: lambda node, a: f"(({a[0]} ^ {_half(node.args[0])}) < ({a[1]} ^ {_half(node.args[0])}))",
    ops.BVSLE: lambda node, a: f"(({a[0]} ^ {_half(node.args[0])}) <= ({a[1]} ^ {_half(node.args[0])}))",
    ops.BVUDIV: lambda node, a: f"udiv({a[0]}, {a[1]}, {_mask(node)})",
    ops.BVUREM: lambda node, a: f"urem({a[0]}, {a[1]})",
    ops.BVSDIV: lambda node, a: f"sdiv({a[0]}, {a[1]}, {_half(node)}, {_mask(node)})",
    ops.BVSREM: lambda node, a: f"srem({a[0]}, {a[1]}, {_half(node)}, {_mask(node)})",
    ops.BVSHL: _shift_left,
    ops.BVLSHR: lambda node, a: f"({a[0]} >> {a[1]})",
    ops.BVASHR: lambda node, a: f"ashr({a[0]}, {a[1]}, {node.sort.width}, {_half(node)}, {_mask(node)})",  # type: ignore[attr-defined]
    ops.EXTRACT: _extract,
    ops.ZERO_EXTEND: lambda node, a: a[0],
    ops.SIGN_EXTEND: _sign_extend,
    ops.CONCAT: _concat,
}

SUPPORT: dict[str, Any] = {
    "constant_cells": constant_cells,
    "udiv": udiv,
    "urem": urem,
    "sdiv": sdiv,
    "srem": srem,
    "shl": shl,
    "ashr": ashr,
}
