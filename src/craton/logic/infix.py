"""Terms in mathematical notation: `x + 1 ≤ y ∧ ¬done`.

Parts that occur often or get long are named: `$1 ∨ b  where $1 = …`.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.logic import ieee, ops
from craton.logic.ops import Op
from craton.logic.rendering import Binding, Piece, fresh_names, render
from craton.logic.semantics import to_signed
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, BitVec, Float
from craton.logic.terms import Term, format_of
from craton.logic.walk import QUANTIFIERS


def infix(term: Term) -> str:
    bindings, body = render(term, _Infix(), fresh_names(term))
    return _Infix().let(bindings, body).text


# How tightly operators bind, loosest first.
_QUANTIFIED, _IMPLIES, _OR, _AND, _NOT, _COMPARE, _BITOR, _BITXOR, _BITAND, _SHIFT, _SUM, _PRODUCT, _UNARY, _CALL = (
    range(14)
)

_BINARY: dict[Op, tuple[str, int]] = {
    ops.AND: ("∧", _AND),
    ops.OR: ("∨", _OR),
    ops.XOR: ("⊕", _COMPARE),
    ops.IMPLIES: ("→", _IMPLIES),
    ops.EQ: ("=", _COMPARE),
    ops.ADD: ("+", _SUM),
    ops.SUB: ("-", _SUM),
    ops.MUL: ("*", _PRODUCT),
    ops.DIVIDE: ("/", _PRODUCT),
    ops.DIV: ("div", _PRODUCT),
    ops.MOD: ("mod", _PRODUCT),
    ops.LE: ("≤", _COMPARE),
    ops.LT: ("<", _COMPARE),
    ops.BVADD: ("+", _SUM),
    ops.BVSUB: ("-", _SUM),
    ops.BVMUL: ("*", _PRODUCT),
    ops.BVAND: ("&", _BITAND),
    ops.BVOR: ("|", _BITOR),
    ops.BVXOR: ("^", _BITXOR),
    ops.BVSHL: ("<<", _SHIFT),
    ops.BVLSHR: (">>u", _SHIFT),
    ops.BVASHR: (">>", _SHIFT),
    ops.BVUDIV: ("/u", _PRODUCT),
    ops.BVUREM: ("%u", _PRODUCT),
    ops.BVSDIV: ("/", _PRODUCT),
    ops.BVSREM: ("%", _PRODUCT),
    ops.BVULT: ("<u", _COMPARE),
    ops.BVULE: ("≤u", _COMPARE),
    ops.BVSLT: ("<", _COMPARE),
    ops.BVSLE: ("≤", _COMPARE),
    ops.CONCAT: ("∘", _SHIFT),
    ops.FP_ADD: ("+", _SUM),
    ops.FP_SUB: ("-", _SUM),
    ops.FP_MUL: ("*", _PRODUCT),
    ops.FP_DIV: ("/", _PRODUCT),
    ops.FP_LE: ("≤", _COMPARE),
    ops.FP_LT: ("<", _COMPARE),
    ops.FP_EQ: ("==", _COMPARE),
}
_ROUNDED = (ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_DIV)
_PREFIX = {ops.NEG: "-", ops.BVNEG: "-", ops.BVNOT: "~", ops.FP_NEG: "-"}
# Comparisons with a constant on the left read better the other way round.
_TURNED = {"<": ">", "≤": "≥", "<u": ">u", "≤u": "≥u"}


class _Infix:
    """How one node is written."""

    longest = 400
    shared_from = 40

    def node(self, term: Term, parts: Sequence[Piece]) -> Piece:
        op = term.op
        if op is ops.VALUE:
            return _value(term)
        if op is ops.VARIABLE:
            return Piece(term.name, _CALL)
        if op is ops.NOT:
            return (
                Piece(parts[0].opposite, _COMPARE)
                if parts[0].opposite
                else Piece(f"¬{_within(parts[0], _UNARY)}", _NOT)
            )
        if op in _ROUNDED and term.args[0].op is ops.VALUE and term.args[0].payload is ieee.RoundingMode.RNE:
            parts = parts[1:]  # the default rounding mode is not shown
        if op in _BINARY and len(parts) == len(term.args) - (op in _ROUNDED):
            return self._operator(term, parts)
        if op in _PREFIX:
            return Piece(f"{_PREFIX[op]}{_within(parts[0], _UNARY)}", _UNARY)
        if op is ops.ITE:
            condition, then, otherwise = (_within(p, _IMPLIES + 1) for p in parts)
            return Piece(f"({condition} ? {then} : {otherwise})", _CALL)
        if op in QUANTIFIERS:
            sign = "∀" if op is ops.FORALL else "∃"
            return Piece(f"{sign}{', '.join(v.name for v in term.payload)}. {parts[0].text}", _QUANTIFIED)
        if op is ops.SELECT:
            return Piece(f"{_within(parts[0], _CALL)}[{parts[1].text}]", _CALL)
        if op is ops.STORE:
            return Piece(f"{_within(parts[0], _CALL)}[{parts[1].text} := {parts[2].text}]", _CALL)
        if op is ops.EXTRACT:
            return Piece(f"{_within(parts[0], _CALL)}[{term.payload[0]}:{term.payload[1]}]", _CALL)
        return self._call(term, parts)

    def _operator(self, term: Term, parts: Sequence[Piece]) -> Piece:
        op = term.op
        symbol, level = _BINARY[op]
        if op in (ops.BVADD, ops.ADD):
            return Piece(_sum(term, parts), level)
        if symbol in _TURNED and term.args[-2].op is ops.VALUE and term.args[-1].op is not ops.VALUE:
            symbol, parts = _TURNED[symbol], parts[::-1]
        # Comparisons do not associate; → is right-associative; other operators are left-associative.
        first = level + 1 if level in (_COMPARE, _IMPLIES) else level
        rest = level + 1 if op is not ops.IMPLIES else level
        texts = [_within(parts[0], first), *(_within(p, rest) for p in parts[1:])]
        opposite = " ≠ ".join(texts) if op is ops.EQ else ""
        return Piece(f" {symbol} ".join(texts), level, opposite)

    def _call(self, term: Term, parts: Sequence[Piece]) -> Piece:
        name = term.payload.name if term.op is ops.APPLY else term.op.name
        if isinstance(term.sort, Float) and term.op.name.startswith("to_fp"):
            name = f"float{term.sort.width}"
        indices = ""
        if isinstance(term.payload, tuple) and not isinstance(term.sort, Float):
            indices = f"[{','.join(map(str, term.payload))}]"
        return Piece(f"{name}{indices}({', '.join(p.text for p in parts)})", _CALL)

    def let(self, bindings: Sequence[Binding], body: Piece) -> Piece:
        if not bindings:
            return body
        return Piece(f"{body.text}  where {', '.join(f'{b.name} = {b.text}' for b in bindings)}", _QUANTIFIED)


def _within(piece: Piece, level: int) -> str:
    """In parentheses if it binds less tightly than its context requires."""
    return piece.text if piece.level >= level else f"({piece.text})"


def _sum(term: Term, parts: Sequence[Piece]) -> str:
    """`x + -1` reads better as `x - 1`."""
    text = _within(parts[0], _SUM)
    for arg, part in zip(term.args[1:], parts[1:], strict=True):
        if (arg.op is ops.VALUE and part.text.startswith("-")) or (
            arg.op in (ops.NEG, ops.BVNEG) and part.text.startswith("-")
        ):
            text += f" - {part.text[1:]}"
        else:
            text += f" + {_within(part, _SUM + 1)}"
    return text


def _value(term: Term) -> Piece:
    sort, payload = term.sort, term.payload
    if sort is BOOL:
        return Piece("true" if payload else "false", _CALL)
    if sort is ROUNDING_MODE:
        return Piece(payload.value, _CALL)
    if isinstance(sort, Float):
        text = repr(ieee.to_python(format_of(sort), payload))
    elif isinstance(sort, BitVec):
        text = str(to_signed(sort.width, payload) if sort.width > 1 else payload)
    else:
        assert sort in (INT, REAL)
        text = str(payload)
    return Piece(text, _UNARY if text.startswith("-") or "/" in text else _CALL)
