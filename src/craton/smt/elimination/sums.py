"""Sums of bit-vectors with like terms collected: x - (y + x) becomes -y.

Solving one equation after another leaves sums in which a variable occurs twice although it cancels out, or could be
solved for if it occurred once. Sums without like terms are left as they are.
"""

from __future__ import annotations

from craton.logic import ops
from craton.logic.bitvectors import bvadd, bvmul, bvneg, bvsub
from craton.logic.build import rebuild
from craton.logic.sorts import BitVec
from craton.logic.terms import Term, bv
from craton.logic.walk import fold, is_quantified

_SUMS = frozenset((ops.BVADD, ops.BVSUB, ops.BVNEG, ops.BVMUL))
_MOST_TERMS = 64  # in one sum; longer ones are left alone


def collected(formula: Term) -> Term:
    """An equivalent formula. Quantified formulas are not changed."""
    return formula if is_quantified(formula) else fold(formula, _visit)


def _visit(node: Term, args: list[Term]) -> Term:
    made = rebuild(node, args) if args else node
    return _collected_sum(made) if made.op in _SUMS else made


def _collected_sum(term: Term) -> Term:
    assert isinstance(term.sort, BitVec)
    width = term.sort.width
    factors: dict[Term, int] = {}
    constant = 0
    terms = 0
    stack = [(1, term)]
    while stack:
        factor, part = stack.pop()
        if part.op is ops.BVADD:
            stack += [(factor, argument) for argument in part.args]
        elif part.op is ops.BVSUB:
            stack += [(factor, part.args[0]), (-factor, part.args[1])]
        elif part.op is ops.BVNEG:
            stack.append((-factor, part.args[0]))
        elif part.op is ops.BVMUL and len(part.args) == 2 and any(a.is_value for a in part.args):
            number, other = part.args if part.args[0].is_value else part.args[::-1]
            stack.append((factor * number.payload, other))
        elif part.is_value:
            constant += factor * part.payload
        else:
            terms += 1
            factors[part] = (factors.get(part, 0) + factor) % (1 << width)
        if terms > _MOST_TERMS:
            return term
    left = {part: factor for part, factor in sorted(factors.items(), key=lambda pair: pair[0].serial) if factor}
    return term if len(left) == terms else _sum(left, constant, width)


def _sum(factors: dict[Term, int], constant: int, width: int) -> Term:
    """Added terms first, then subtracted ones."""
    half = 1 << (width - 1)
    added = [_times(factor, part, width) for part, factor in factors.items() if factor <= half]
    taken = [_times((1 << width) - factor, part, width) for part, factor in factors.items() if factor > half]
    if not added and taken:
        result = bvneg(taken.pop(0))
    else:
        result = bvadd(*added) if len(added) > 1 else added[0] if added else bv(0, width)
    for part in taken:
        result = bvsub(result, part)
    return bvadd(result, bv(constant, width)) if constant % (1 << width) else result


def _times(factor: int, part: Term, width: int) -> Term:
    return part if factor == 1 else bvmul(bv(factor, width), part)
