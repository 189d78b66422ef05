"""Contradictions that bounds of numbers show: arithmetic of the checker's own, for questions about one state.

`-90 <= a <= 12` makes `a % 25 - 8 <= 37` true, whoever computes it; for solvers that blast bits a remainder is a large
formula. Bit-vectors are read as signed numbers here, and each term has a least and a greatest value. What a formula
says of terms makes bounds closer, and of a disjunction each part is a case.

Law: what is called contradictory has no model. Operations whose result may wrap, and those that are not known here, may
have any value. Nothing is shared with `craton.facts`, which engines use, so that a mistake would have to be made twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod

from craton.logic import BOOL, BitVec, Term, and_, conjuncts, ops, post_order
from craton.logic.semantics import to_signed

BOUNDS = "bounds"  # what is told of who checked a proof
MOST_CASES = 200
_ROUNDS = 6
_MOST_PARTS = 3000

Bounds = tuple[int, int]  # of truth values, too: 0 and 1

_MAYBE, _NO, _YES = (0, 1), (0, 0), (1, 1)
_DECIDING = {ops.OR: _YES, ops.AND: _NO}
_ORDERS = (ops.BVSLE, ops.BVSLT, ops.BVULE, ops.BVULT)
_UNSIGNED = (ops.BVULE, ops.BVULT)


class _NoModel(Exception):
    """There is no value left for a term."""


def bounds_contradict(formulas: Sequence[Term]) -> bool:
    """Whether the formulas are shown to have no model together."""
    parts = conjuncts(and_(*formulas))
    nodes = list(post_order(*parts))
    if len(nodes) > _MOST_PARTS:
        return False
    waiting = [_Case(nodes, parts, {})]
    for _ in range(MOST_CASES):
        if not waiting:
            return True
        case = waiting.pop()
        try:
            case.settle()
        except _NoModel:
            continue
        choice = case.choice()
        if choice is None:
            return False
        waiting += [_Case(nodes, parts, {**case.said, part: bounds}) for part, bounds in choice]
    return False


class _Case:
    """What is said of terms, besides what follows from the bounds of their arguments."""

    def __init__(self, nodes: Sequence[Term], parts: Sequence[Term], said: dict[Term, Bounds]) -> None:
        self.nodes = nodes
        self.parts = parts
        self.said = said
        self.known: dict[Term, Bounds] = {}

    def settle(self) -> None:
        """Bounds, as close as a few rounds make them."""
        for _ in range(_ROUNDS):
            before = dict(self.said)
            for node in self.nodes:
                self.known[node] = _meet(_bounds(node, self.known), self.said.get(node))
            for part in self.parts:
                self._say(part, _YES)
            for part, bounds in list(self.said.items()):
                self._say(part, bounds)
            if self.said == before:
                return

    def choice(self) -> Sequence[tuple[Term, Bounds]] | None:
        """One of which has to hold: the parts of a disjunction of which none is known to."""
        for node, bounds in self.said.items():
            deciding = _DECIDING.get(node.op)
            if bounds == deciding and deciding not in [self.known[part] for part in node.args]:
                return [(part, deciding) for part in node.args if self.known[part] == _MAYBE]
        return None

    def _say(self, root: Term, bounds: Bounds) -> None:
        """That a term has such a value, and what this says of its parts, as far as that is new."""
        waiting = [(root, bounds)]
        while waiting:
            node, said = waiting.pop()
            now = _meet(self.known[node], said)
            is_new = now != self.known[node] or (node not in self.said and bool(node.args))
            if is_new:
                self.known[node] = self.said[node] = now
            if is_new or node is root:
                waiting += self._below(node, now)

    def _below(self, node: Term, now: Bounds) -> Sequence[tuple[Term, Bounds]]:
        args, known = node.args, self.known
        if node.op is ops.ITE and known[args[0]] != _MAYBE:
            return [(args[1] if known[args[0]] == _YES else args[2], now)]
        if node.sort is not BOOL:
            return _of_number(node, now, known)
        if now == _MAYBE:
            return ()
        if node.op is ops.NOT:
            return [(args[0], _NO if now == _YES else _YES)]
        if node.op in (ops.AND, ops.OR):
            return _of_junction(node, now, known)
        if node.op is ops.EQ:
            return _of_equation(args[0], args[1], now == _YES, known)
        if node.op in _ORDERS:
            return _of_order(node, now == _YES, known)
        return ()


# --- from a term to its parts -----------------------------------------------------------------------------------------


def _of_number(node: Term, now: Bounds, known: Mapping[Term, Bounds]) -> Sequence[tuple[Term, Bounds]]:
    if node.op is ops.SIGN_EXTEND:
        return [(node.args[0], now)]
    if node.op is ops.BVADD:
        low, high = (sum(known[x][i] for x in node.args) for i in (0, 1))
        if _fits((low, high), node):  # nothing wraps, whatever the values are
            return [(x, (now[0] - high + known[x][1], now[1] - low + known[x][0])) for x in node.args]
    return ()


def _of_junction(node: Term, now: Bounds, known: Mapping[Term, Bounds]) -> Sequence[tuple[Term, Bounds]]:
    deciding = _DECIDING[node.op]
    if now != deciding:
        return [(x, now) for x in node.args]
    open_ = [x for x in node.args if known[x] == deciding or known[x] == _MAYBE]
    if not open_:
        raise _NoModel
    return [(open_[0], deciding)] if len(open_) == 1 else ()


def _of_equation(one: Term, other: Term, holds: bool, known: Mapping[Term, Bounds]) -> Sequence[tuple[Term, Bounds]]:
    if one not in known or other not in known or not (_is_known(one) and _is_known(other)):
        return ()
    if holds:
        return [(one, known[other]), (other, known[one])]
    found = []
    for x, y in ((one, other), (other, one)):
        (low, high), (value, same) = known[x], known[y]
        if value == same and value in (low, high):
            found.append((x, (low + (value == low), high - (value == high))))
    return found


def _of_order(node: Term, holds: bool, known: Mapping[Term, Bounds]) -> Sequence[tuple[Term, Bounds]]:
    small, large = node.args if holds else node.args[::-1]
    strict = int((node.op in (ops.BVSLT, ops.BVULT)) == holds)
    (low, high), (least, most) = known[small], known[large]
    if node.op in _UNSIGNED:
        if least < 0:
            return ()  # as an unsigned number it may be larger than any that is not negative
        low = max(low, 0)  # nothing that is negative is below it
    return [(small, (low, min(high, most - strict))), (large, (max(least, low + strict), most))]


# --- from the parts to a term -----------------------------------------------------------------------------------------


def _bounds(node: Term, known: Mapping[Term, Bounds]) -> Bounds:
    if node.op is ops.VALUE and _is_known(node):
        value = int(node.payload) if node.sort is BOOL else to_signed(_width(node), node.payload)
        return value, value
    rule = _RULES.get(node.op)
    if rule is None or not all(map(_is_known, node.args)):
        return _any(node)
    return rule(node, [known[x] for x in node.args])


def _is_known(term: Term) -> bool:
    return term.sort is BOOL or isinstance(term.sort, BitVec)


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _any(node: Term) -> Bounds:
    if not isinstance(node.sort, BitVec):
        return _MAYBE
    half = 1 << (node.sort.width - 1)
    return -half, half - 1


def _fits(bounds: Bounds, node: Term) -> bool:
    least, most = _any(node)
    return least <= bounds[0] and bounds[1] <= most


def _exact(bounds: Bounds, node: Term) -> Bounds:
    """Of a result that would be this, were there no wrapping."""
    return bounds if _fits(bounds, node) else _any(node)


def _meet(a: Bounds, b: Bounds | None) -> Bounds:
    if b is None:
        return a
    low, high = max(a[0], b[0]), min(a[1], b[1])
    if low > high:
        raise _NoModel
    return low, high


def _truth(yes: bool, no: bool) -> Bounds:
    return _YES if yes else _NO if no else _MAYBE


def _sum(node: Term, a: Sequence[Bounds]) -> Bounds:
    return _exact((sum(low for low, _ in a), sum(high for _, high in a)), node)


def _difference(node: Term, a: Sequence[Bounds]) -> Bounds:
    return _exact((a[0][0] - a[1][1], a[0][1] - a[1][0]), node)


def _product(node: Term, a: Sequence[Bounds]) -> Bounds:
    corners = [prod(chosen) for chosen in product(*a)]
    return _exact((min(corners), max(corners)), node)


def _toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _quotient(node: Term, a: Sequence[Bounds]) -> Bounds:
    (low, high), (by, same) = a
    if by != same or by == 0:
        return _any(node)
    ends = _toward_zero(low, by), _toward_zero(high, by)
    return _exact((min(ends), max(ends)), node)


def _remainder(node: Term, a: Sequence[Bounds]) -> Bounds:
    """It has the sign of the dividend, and is no further from zero."""
    (low, high), (by, same) = a
    if by == same and by != 0:
        quotient = _toward_zero(low, by)
        if quotient == _toward_zero(high, by):
            return low - by * quotient, high - by * quotient
        return max(min(low, 0), 1 - abs(by)), min(max(high, 0), abs(by) - 1)
    return min(low, 0), max(high, 0)


def _unsigned_quotient(node: Term, a: Sequence[Bounds]) -> Bounds:
    (low, _), (by, same) = a
    return _quotient(node, a) if low >= 0 and by == same and by > 0 else _any(node)


def _unsigned_remainder(node: Term, a: Sequence[Bounds]) -> Bounds:
    (low, _), (by, same) = a
    if by != same or by <= 0:
        return _any(node)
    return _remainder(node, a) if low >= 0 else (0, by - 1)


def _masked(node: Term, a: Sequence[Bounds]) -> Bounds:
    """Where one is not negative, the result is not either, and is at most that."""
    highs = [high for low, high in a if low >= 0]
    return (0, min(highs)) if highs else _any(node)


def _extended(node: Term, a: Sequence[Bounds]) -> Bounds:
    return a[0] if a[0][0] >= 0 else (0, (1 << _width(node.args[0])) - 1)


def _extracted(node: Term, a: Sequence[Bounds]) -> Bounds:
    return _exact(a[0], node) if node.payload[1] == 0 else _any(node)


def _choice(node: Term, a: Sequence[Bounds]) -> Bounds:
    condition, one, other = a
    if condition != _MAYBE:
        return one if condition == _YES else other
    return min(one[0], other[0]), max(one[1], other[1])


def _equal(node: Term, a: Sequence[Bounds]) -> Bounds:
    (low, high), (least, most) = a
    return _truth(low == high == least == most, high < least or most < low)


def _below(strict: int, unsigned: bool) -> Callable[[Term, Sequence[Bounds]], Bounds]:
    def rule(node: Term, a: Sequence[Bounds]) -> Bounds:
        (low, high), (least, most) = a
        if unsigned and (low < 0 or least < 0):
            if low >= 0 and most < 0:
                return _YES
            return _NO if high < 0 and least >= 0 else _MAYBE
        return _truth(high + strict <= least, low + strict > most)

    return rule


_RULES: Mapping[ops.Op, Callable[[Term, Sequence[Bounds]], Bounds]] = {
    ops.NOT: lambda node, a: (1 - a[0][1], 1 - a[0][0]),
    ops.AND: lambda node, a: (min(low for low, _ in a), min(high for _, high in a)),
    ops.OR: lambda node, a: (max(low for low, _ in a), max(high for _, high in a)),
    ops.EQ: _equal,
    ops.ITE: _choice,
    ops.BVADD: _sum,
    ops.BVSUB: _difference,
    ops.BVNEG: lambda node, a: _exact((-a[0][1], -a[0][0]), node),
    ops.BVMUL: _product,
    ops.BVSDIV: _quotient,
    ops.BVSREM: _remainder,
    ops.BVUDIV: _unsigned_quotient,
    ops.BVUREM: _unsigned_remainder,
    ops.BVAND: _masked,
    ops.BVSLE: _below(0, unsigned=False),
    ops.BVSLT: _below(1, unsigned=False),
    ops.BVULE: _below(0, unsigned=True),
    ops.BVULT: _below(1, unsigned=True),
    ops.SIGN_EXTEND: lambda node, a: a[0],
    ops.ZERO_EXTEND: _extended,
    ops.EXTRACT: _extracted,
}
