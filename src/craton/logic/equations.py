"""What equations say that variables are, extended or not."""

from __future__ import annotations

from collections.abc import Iterator

from craton.logic import ops
from craton.logic.bitvectors import extract
from craton.logic.build import rebuild
from craton.logic.sorts import BitVec
from craton.logic.terms import Term


def said_equal(part: Term) -> Iterator[tuple[Term, Term]]:
    """Variables, and what they are said to be, both ways; what is extended in the same way is equal without that."""
    if part.op is not ops.EQ:
        return
    for one, other in (part.args, part.args[::-1]):
        while one.op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND):
            shorter = _without_extension(other, one)
            if shorter is None:
                break
            one, other = one.args[0], shorter
        if one.is_variable and (other.is_value or other.is_variable):
            yield one, other


def _without_extension(term: Term, like: Term) -> Term | None:
    inner = like.args[0]
    if term.is_value and isinstance(inner.sort, BitVec):
        value = extract(inner.sort.width - 1, 0, term)
        return value if rebuild(like, [value]) is term else None
    same = term.op is like.op and term.args[0].sort is inner.sort
    return term.args[0] if same else None
