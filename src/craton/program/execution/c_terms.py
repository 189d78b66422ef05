"""Terms as C source, for compiled execution: bit-vectors of at most 64 bits as `uint64_t`, truth values as 0 and 1.

The meaning is that of `logic.semantics`. What C leaves undefined (shifts by the width and more, the division of the
smallest number by -1) is never written: `HELPERS` has functions for these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from craton.logic import BOOL, BitVec, Term, ops
from craton.logic.walk import post_order
from craton.program.execution.codegen import CannotRun

WIDEST = 64
_LONGEST = 2000  # characters of an expression; what is longer becomes a variable of its own

HELPERS = """\
typedef uint64_t bits;
static inline int64_t sx(bits a, unsigned w) { return (int64_t)(a << (64 - w)) >> (64 - w); }
static inline bits cut(bits a, unsigned w) { return a << (64 - w) >> (64 - w); }
static inline bits udiv(bits a, bits b, unsigned w) { return b ? a / b : cut(~(bits)0, w); }
static inline bits urem(bits a, bits b) { return b ? a % b : a; }
static inline bits sdiv(bits a, bits b, unsigned w) {
    int64_t x = sx(a, w), y = sx(b, w);
    if (!y) return x < 0 ? 1 : cut(~(bits)0, w);
    return cut(y == -1 ? -(bits)x : (bits)(x / y), w);
}
static inline bits srem(bits a, bits b, unsigned w) {
    int64_t x = sx(a, w), y = sx(b, w);
    if (!y) return a;
    return cut(y == -1 ? 0 : (bits)(x % y), w);
}
static inline bits shl(bits a, bits b, unsigned w) { return b < w ? cut(a << b, w) : 0; }
static inline bits lshr(bits a, bits b, unsigned w) { return b < w ? a >> b : 0; }
static inline bits ashr(bits a, bits b, unsigned w) { return cut((bits)(sx(a, w) >> (b < w ? b : w - 1)), w); }
"""


def is_small(term: Term) -> bool:
    """Whether its values are ones that C code here can hold."""
    return term.sort is BOOL or (isinstance(term.sort, BitVec) and term.sort.width <= WIDEST)


class CCode:
    """Collects C lines; `names` are what variables are called there."""

    def __init__(self, names: Mapping[Term, str]) -> None:
        self.names = names
        self.lines: list[str] = []
        self._temporaries = 0

    def expression(self, root: Term) -> str:
        """Source of the term's value; lines are added for parts that are shared or long."""
        nodes = list(post_order(root))
        uses: dict[Term, int] = {}
        for node in nodes:
            for argument in node.args:
                uses[argument] = uses.get(argument, 0) + 1
        texts: dict[Term, str] = {}
        for node in nodes:
            if not is_small(node):
                raise CannotRun(f"a value of sort {node.sort} cannot be computed by compiled steps")
            text = self._text(node, [texts[argument] for argument in node.args])
            if node.args and node is not root and (uses[node] > 1 or len(text) > _LONGEST):
                text = self._temporary(text)
            texts[node] = text
        return texts[root]

    def _temporary(self, text: str) -> str:
        self._temporaries += 1
        self.lines.append(f"bits t{self._temporaries} = {text};")
        return f"t{self._temporaries}"

    def _text(self, node: Term, a: list[str]) -> str:
        if node.op is ops.VARIABLE:
            if node not in self.names:
                raise CannotRun(f"{node} has no value: a quantifier binds it")
            return self.names[node]
        if node.op is ops.VALUE:
            return number(int(node.payload))
        template = _TEMPLATES.get(node.op)
        if template is None:
            raise CannotRun(f"compiled steps do not know {node.op}")
        return template(node, a)


def number(value: int) -> str:
    return f"{value}ULL"


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _cut(text: str, width: int) -> str:
    if width == WIDEST:
        return f"({text})"
    return f"(bits)(uint{width}_t)({text})" if width in (8, 16, 32) else f"cut({text}, {width})"


def _joined(symbol: str) -> Callable[[Term, list[str]], str]:
    return lambda node, a: "(" + f" {symbol} ".join(a) + ")"


def _joined_and_cut(symbol: str) -> Callable[[Term, list[str]], str]:
    return lambda node, a: "(" + _cut(f" {symbol} ".join(a), _width(node)) + ")"


def _compared(symbol: str) -> Callable[[Term, list[str]], str]:
    def text(node: Term, a: list[str]) -> str:
        one, other = (f"sx({x}, {_width(node.args[0])})" for x in a)
        return f"({one} {symbol} {other})"

    return text


def _called(name: str) -> Callable[[Term, list[str]], str]:
    return lambda node, a: f"{name}({a[0]}, {a[1]}, {_width(node)})"


def _concatenated(node: Term, a: list[str]) -> str:
    text = a[0]
    for argument, part in zip(node.args[1:], a[1:], strict=True):
        text = f"({text} << {_width(argument)} | {part})"
    return text


_TEMPLATES: dict[Any, Callable[[Term, list[str]], str]] = {
    ops.NOT: lambda node, a: f"!{a[0]}" if a[0][0] == "(" or a[0].isalnum() else f"!({a[0]})",
    ops.AND: _joined("&&"),
    ops.OR: _joined("||"),
    ops.XOR: _joined("!="),
    ops.IMPLIES: lambda node, a: f"(!({a[0]}) || {a[1]})",
    ops.EQ: _joined("=="),
    ops.ITE: lambda node, a: f"({a[0]} ? {a[1]} : {a[2]})",
    ops.BVADD: _joined_and_cut("+"),
    ops.BVSUB: _joined_and_cut("-"),
    ops.BVMUL: _joined_and_cut("*"),
    ops.BVAND: _joined("&"),
    ops.BVOR: _joined("|"),
    ops.BVXOR: _joined("^"),
    ops.BVNOT: lambda node, a: "(" + _cut(f"~(bits){a[0]}", _width(node)) + ")",
    ops.BVNEG: lambda node, a: "(" + _cut(f"-(bits){a[0]}", _width(node)) + ")",
    ops.BVULT: _joined("<"),
    ops.BVULE: _joined("<="),
    ops.BVSLT: _compared("<"),
    ops.BVSLE: _compared("<="),
    ops.BVUDIV: _called("udiv"),
    ops.BVUREM: lambda node, a: f"urem({a[0]}, {a[1]})",
    ops.BVSDIV: _called("sdiv"),
    ops.BVSREM: _called("srem"),
    ops.BVSHL: _called("shl"),
    ops.BVLSHR: _called("lshr"),
    ops.BVASHR: _called("ashr"),
    ops.EXTRACT: lambda node, a: "(" + _cut(f"(bits){a[0]} >> {node.payload[1]}", _width(node)) + ")",
    ops.ZERO_EXTEND: lambda node, a: a[0],
    ops.SIGN_EXTEND: lambda node, a: "(" + _cut(f"(bits)sx({a[0]}, {_width(node.args[0])})", _width(node)) + ")",
    ops.CONCAT: _concatenated,
}
