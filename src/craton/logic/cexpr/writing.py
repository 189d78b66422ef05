"""`to_c` writes a term bottom-up, each operation by the writer of its theory; variables, constants and Bools here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from craton.errors import NotExpressible
from craton.logic import ops
from craton.logic.cexpr import bitvectors, floats
from craton.logic.cexpr.integers import cast, chosen, equal, literal, unsigned
from craton.logic.cexpr.pieces import (
    SIZES,
    Level,
    Piece,
    Writer,
    conditional,
    conjunction,
    container,
    differ,
    disjunction,
    negated,
    plain,
    same,
)
from craton.logic.cexpr.refusals import not_expressible, refuse_foreign
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, BitVec, Float
from craton.logic.terms import Term
from craton.logic.walk import post_order

MOST_CHARACTERS = 500_000  # guards write an operand more than once


def to_c(term: Term, is_signed: Callable[[Term], bool] | None = None) -> str:
    """The term as a C expression: Bool as 0 or 1, Float32 and Float64 as float and double, a bit-vector as its
    zero-extended number in the next larger unsigned type.

    Variables are the program's. `is_signed` tells whether a bit-vector variable (of 8, 16, 32 or 64 bits) is declared
    signed; without it every use is cast. Raises NotExpressible if C has no such expression.
    """
    refuse_foreign(term)
    pieces: dict[Term, Piece] = {}
    nodes = list(post_order(term))
    uses = Counter(arg for node in nodes for arg in node.args)
    for node in nodes:
        parts = [pieces[arg] for arg in node.args]
        piece = _variable(node, is_signed) if node.op is ops.VARIABLE else _WRITERS[node.op](node, parts)
        if len(piece.text) > MOST_CHARACTERS:
            raise NotExpressible(
                f"{node.op.name} as a C expression takes more than {MOST_CHARACTERS} characters: write its parts"
            )
        pieces[node] = piece
        for arg in node.args:  # texts of deep terms are long: drop each when no longer needed
            uses[arg] -= 1
            if not uses[arg]:
                del pieces[arg]
    result = pieces[term]
    if isinstance(term.sort, BitVec):
        result = cast(unsigned(result), container(term.sort.width, signed=False))
    return result.text


# --- variables and constants ------------------------------------------------------------------------------------------

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof "
    "_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local".split()
)


def _variable(node: Term, is_signed: Callable[[Term], bool] | None) -> Piece:
    if not _IDENTIFIER.fullmatch(node.name) or node.name in _KEYWORDS:
        raise not_expressible(node, "its name is no C identifier: rename it to the program's variable")
    if not isinstance(node.sort, BitVec):
        return Piece(node.name, Level.CALL)
    width = node.sort.width
    if width not in SIZES:
        raise not_expressible(node, f"C has no variables of {width} bits: extract it from one of 8, 16, 32 or 64 bits")
    if is_signed is None:
        unknown = Piece(node.name, Level.CALL, width, None, -(1 << (width - 1)), (1 << width) - 1)
        return cast(unknown, container(width, signed=False))
    declared = container(width, signed=is_signed(node))
    return Piece(node.name, Level.CALL, width, declared, declared.low, declared.high)


def _constant(node: Term, parts: Sequence[Piece]) -> Piece:
    if isinstance(node.sort, BitVec):
        return literal(node.payload, node.sort.width)
    if isinstance(node.sort, Float):
        return floats.float_literal(node)
    return Piece(str(int(node.payload)) if node.sort is BOOL else node.payload.value, Level.CALL)


# --- Bools and what every sort has ------------------------------------------------------------------------------------


def _equality(a: Term, b: Term, x: Piece, y: Piece) -> Piece:
    if isinstance(a.sort, BitVec):
        return equal(x, y)
    return floats.identical(a, b, x, y) if isinstance(a.sort, Float) else same(x, y)


def _distinct(node: Term, parts: Sequence[Piece]) -> Piece:
    pairs = combinations(zip(node.args, parts, strict=True), 2)
    return conjunction([negated(_equality(a, b, x, y)) for (a, x), (b, y) in pairs])


def _if_then_else(node: Term, parts: Sequence[Piece]) -> Piece:
    return chosen(*parts) if isinstance(node.sort, BitVec) else conditional(*parts)


_WRITERS: dict[Op, Writer] = {
    ops.VALUE: _constant,
    ops.NOT: plain(negated),
    ops.AND: lambda node, parts: conjunction(parts),
    ops.OR: lambda node, parts: disjunction(parts),
    ops.XOR: plain(differ),
    ops.IMPLIES: plain(lambda a, b: disjunction([negated(a), b])),
    ops.EQ: lambda node, parts: _equality(node.args[0], node.args[1], *parts),
    ops.DISTINCT: _distinct,
    ops.ITE: _if_then_else,
    **bitvectors.WRITERS,
    **floats.WRITERS,
}
