"""What C cannot express, refused before anything is written, with the reason and a way out."""

from __future__ import annotations

from craton.errors import NotExpressible
from craton.logic import ops
from craton.logic.ops import Theory
from craton.logic.sorts import BOOL, FLOAT32, FLOAT64, ROUNDING_MODE, BitVec, Float
from craton.logic.terms import Term
from craton.logic.walk import fold, post_order

MOST_NODES = 10_000  # of the term as a tree, since a C expression cannot share subterms

_FOREIGN = {
    Theory.UF: "C has no uninterpreted functions",
    Theory.QUANTIFIERS: "a C expression cannot quantify: instantiate it first",
    Theory.ARITHMETIC: "C has no unbounded integers and reals: use bit-vectors",
    Theory.CONVERSIONS: "C has no unbounded integers: use bit-vectors",
    Theory.FLOATS_REALS: "C has no reals: use floats",
    Theory.ARRAYS: "arrays are no values in C: write the elements it depends on",
}


def not_expressible(node: Term, reason: str) -> NotExpressible:
    if node.op is ops.VALUE:
        name = f"a constant of sort {node.sort}"
    elif node.op is ops.VARIABLE:
        name = f"the variable {node.name}"
    else:
        name = f"the operation {node.op.name}"
    return NotExpressible(f"{name} is not expressible in C: {reason}")


def refuse_foreign(term: Term) -> None:
    """Raises NotExpressible for terms that are too large or use a theory or sort that C does not have."""
    if fold(term, _tree_size) > MOST_NODES:
        raise NotExpressible(
            f"{term.op.name} has more than {MOST_NODES} nodes as a tree, and C expressions cannot name shared parts: "
            "write its parts"
        )
    for node in post_order(term):  # before the sorts, as theories give the better reasons
        reason = _FOREIGN.get(node.op.theory)
        if reason is not None:
            raise not_expressible(node, reason)
    for node in post_order(term):
        sort = node.sort
        if isinstance(sort, BitVec):
            if sort.width > 64:
                raise not_expressible(node, f"C has no integers of {sort.width} bits: split it into parts of up to 64")
        elif isinstance(sort, Float):
            if sort not in (FLOAT32, FLOAT64):
                raise not_expressible(node, f"C's floats are {FLOAT32} and {FLOAT64}, not {sort}")
        elif sort is ROUNDING_MODE:
            if node.op is not ops.VALUE or node is term:
                raise not_expressible(node, "rounding modes are no values in C: substitute a constant mode")
        elif sort is not BOOL:
            raise not_expressible(node, f"C has no type for {sort}: use bit-vectors or floats")


def _tree_size(node: Term, sizes: list[int]) -> int:
    """Capped, since shared parts count each time they occur."""
    copies = len(sizes) - 1 if node.op is ops.DISTINCT else 1
    return min(1 + copies * sum(sizes), MOST_NODES + 1)
