"""For how many rounds a condition goes on to hold.

A comparison of what is counted with what stays is a set of values [lo, hi], taken modulo 2^w (for `x ≠ b` it is
[b + 1, b - 1]), in which the counted value moves by δ in each round. If it is in the set now, it is there in the next
m rounds, too, if m·δ ≤ hi - x (as numbers): it does not come past hi. Once it has come past hi it is outside, provided
that it cannot jump over all that is outside: lo - hi - 1 ≥ δ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from craton.logic import (
    FALSE,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvmul,
    bvsgt,
    bvslt,
    bvsub,
    bvudiv,
    bvuge,
    bvugt,
    bvule,
    bvult,
    eq,
    extract,
    free_variables,
    ite,
    not_,
    ops,
    or_,
    sign_extend,
    substitute,
    zero_extend,
)
from craton.logic.walk import fold
from craton.program.acceleration.closed_forms import ClosedForms, NotAccelerated, resized

_STRICT = (ops.BVULT, ops.BVSLT)
_SIGNED = (ops.BVSLT, ops.BVSLE)
_EXTENSIONS = (ops.SIGN_EXTEND, ops.ZERO_EXTEND)
_ORDERS = (ops.BVULT, ops.BVULE, ops.BVSLT, ops.BVSLE)


class Duration(Enum):
    FOREVER = "it holds in all rounds or in none"
    OPEN = "nobody knows"


@dataclass(frozen=True, slots=True)
class Stay:
    """`condition`: it holds now and in the next m rounds. If `exact` holds, which no round changes, there is no other
    m for which it does. `rounds`: the largest such m if it holds now.
    """

    condition: Term
    exact: Term
    rounds: Term | Duration


def stay(atom: Term, forms: ClosedForms, m: Term) -> Stay:
    """When the atom, which speaks of nothing that is reset, holds now and in m more rounds."""
    if _is_settled(atom, forms):
        return Stay(atom, TRUE, Duration.FOREVER)
    negated = atom.op is ops.NOT
    inner = atom.args[0] if negated else atom
    if inner.op is ops.EQ and isinstance(inner.args[0].sort, BitVec):
        return _of_difference(atom, forms, m, negated)
    if negated or inner.op not in _ORDERS:
        raise NotAccelerated
    return _of_order(atom, forms, m)


def _of_difference(atom: Term, forms: ClosedForms, m: Term, differs: bool) -> Stay:
    """Of `a ≠ b` or `a = b`, whose sides change."""
    distance = bvsub(*_narrow((atom.args[0] if differs else atom).args))
    step = _constant_step(distance, forms)
    if step is None or step == 0:
        raise NotAccelerated
    width = _width(distance)
    if not differs:
        return Stay(and_(atom, eq(m, bv(0, _width(m)))), TRUE, bv(0, width))
    found = _Mover(distance, step, bv(1, width), bv(-1, width)).stay(atom, m)
    bits = (step & -step).bit_length() - 1
    if bits == 0:
        return found
    never = not_(eq(extract(bits - 1, 0, distance), bv(0, bits)))  # equal: these bits stay as they are
    return replace(found, condition=and_(atom, or_(never, found.condition)))


def _narrow(sides: Sequence[Term]) -> Sequence[Term]:
    """Both sides of an equation, without an extension that both have; numbers have any that they fit into."""
    kinds = {(side.op, _width(side.args[0])) if side.op in _EXTENSIONS else None for side in sides if not side.is_value}
    if len(kinds) != 1 or None in kinds:
        return sides
    extension, width = next(kind for kind in kinds if kind is not None)
    found = [resized(side, width) if side.is_value else side.args[0] for side in sides]
    extend = sign_extend if extension is ops.SIGN_EXTEND else zero_extend
    fits = all(extend(_width(sides[0]) - width, one) is side for one, side in zip(found, sides, strict=True))
    return found if fits else sides


def _of_order(atom: Term, forms: ClosedForms, m: Term) -> Stay:
    """Of `a < b` or `a ≤ b`."""
    small, large = atom.args
    signed, strict = atom.op in _SIGNED, atom.op in _STRICT
    one = bv(1, _width(small))
    if _is_settled(large, forms):
        return _mover(small, forms, signed).below(bvsub(large, one) if strict else large).stay(atom, m)
    if _is_settled(small, forms):
        return _mover(large, forms, signed).above(bvadd(small, one) if strict else small).stay(atom, m)
    # Both change: as long as neither wraps, so does their distance, and it holds between two rounds in which it holds.
    sides = [_mover(side, forms, signed).anywhere().stay(TRUE, m) for side in atom.args if not _is_settled(side, forms)]
    last = substitute(atom, forms.counted(m))
    return Stay(and_(atom, last, *(side.condition for side in sides)), FALSE, Duration.OPEN)


# --- values that move -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mover:
    """A value that changes by `step` in each round, and the set [lo, hi] in which it has to stay."""

    value: Term
    step: int
    lo: Term
    hi: Term

    def stay(self, atom: Term, m: Term) -> Stay:
        width, size = _width(self.value), abs(self.step)
        way = bvsub(self.hi, self.value) if self.step > 0 else bvsub(self.value, self.lo)
        fits = bvule(bvmul(resized(m, width), bv(size, width)), way)
        most = ((1 << width) - 1) // size
        small = TRUE if most >= (1 << _width(m)) - 1 else bvule(m, bv(most, _width(m)))
        outside = bvsub(self.lo, self.hi, bv(1, width))
        exact = bvuge(outside, bv(size, width))
        if size & (size - 1) == 0 and size > 1:  # what is left of the way modulo a power of two is always the same
            past = bvadd(way, bv(1, width))
            meets = eq(extract(size.bit_length() - 2, 0, past), bv(0, size.bit_length() - 1))
            exact = or_(exact, and_(meets, bvuge(outside, bv(1, width))))
        return Stay(and_(atom, small, fits), exact, bvudiv(way, bv(size, width)))


@dataclass(frozen=True, slots=True)
class _Range:
    """A value that changes by `step` in each round: `value` itself as the comparison sees it, or extended to more bits,
    which is a number from `least` to `most` there.
    """

    value: Term
    step: int
    width: int  # of the comparison
    least: int
    most: int
    signed: bool

    def anywhere(self) -> _Mover:
        return self._mover(self._wide(self.least), self._wide(self.most))

    def below(self, bound: Term) -> _Mover:
        """Where it is at most the bound, which is at least `least`, since the comparison holds."""
        most, greater = self._wide(self.most), bvsgt if self.signed else bvugt
        return self._mover(self._wide(self.least), ite(greater(bound, most), most, bound) if self.extended else bound)

    def above(self, bound: Term) -> _Mover:
        least, less = self._wide(self.least), bvslt if self.signed else bvult
        return self._mover(ite(less(bound, least), least, bound) if self.extended else bound, self._wide(self.most))

    @property
    def extended(self) -> bool:
        return self.width > _width(self.value)

    def _wide(self, number: int) -> Term:
        return bv(number, self.width)

    def _mover(self, lo: Term, hi: Term) -> _Mover:
        width = _width(self.value)
        return _Mover(self.value, self.step, resized(lo, width), resized(hi, width))


def _mover(side: Term, forms: ClosedForms, signed: bool) -> _Range:
    width = _width(side)
    extended = side.op is ops.ZERO_EXTEND or (side.op is ops.SIGN_EXTEND and signed)
    value = side.args[0] if extended else side
    step = _constant_step(value, forms)
    if step is None:
        raise NotAccelerated
    half = 1 << (_width(value) - 1)
    if side.op is ops.ZERO_EXTEND or not signed:
        return _Range(value, step, width, 0, 2 * half - 1, signed)
    return _Range(value, step, width, -half, half - 1, signed)


def _constant_step(term: Term, forms: ClosedForms) -> int | None:
    """By how much a term changes in each round, as the number nearest to zero; None if that is not a number."""
    change = forms.difference(term)
    if change is None or not change.is_value:
        return None
    half = 1 << (_width(term) - 1)
    step: int = (change.payload + half) % (2 * half) - half
    return step


# --- what does not change ---------------------------------------------------------------------------------------------


def _is_settled(root: Term, forms: ClosedForms) -> bool:
    """Whether a term has the same value in all rounds, as far as it shows: nothing in it changes, or it looks only at
    low bits of what changes by a multiple of a power of two.
    """
    changed = forms.changed
    if free_variables(root).isdisjoint(changed):
        return True

    def visit(node: Term, settled: list[bool]) -> bool:
        if node.op is ops.VARIABLE:
            return node not in changed
        return all(settled) or _is_settled_by_itself(node, forms)

    return fold(root, visit, {})


def _is_settled_by_itself(node: Term, forms: ClosedForms) -> bool:
    """For a node with a part that changes."""
    looked_at = _low_bits(node)
    if looked_at is None:
        return isinstance(node.sort, BitVec) and _constant_step(node, forms) == 0
    value, bits = looked_at
    step = _constant_step(value, forms)
    return step is not None and step % (1 << bits) == 0


def _low_bits(node: Term) -> tuple[Term, int] | None:
    """Of which term it sees how many of the low bits only."""
    if node.op is ops.EXTRACT:
        return node.args[0], node.payload[0] + 1
    if node.op is ops.EQ:  # the sign of a remainder does not matter if it is zero
        for one, other in (node.args, node.args[::-1]):
            if one.op is ops.BVSREM and other.is_value and other.payload == 0 and _is_power(one.args[1]):
                return one.args[0], one.args[1].payload.bit_length() - 1
    if node.op is ops.BVUREM and _is_power(node.args[1]):
        return node.args[0], node.args[1].payload.bit_length() - 1
    if node.op is ops.BVAND:
        masks = [arg for arg in node.args if arg.is_value]
        rest = [arg for arg in node.args if not arg.is_value]
        if len(masks) == 1 and len(rest) == 1:
            return rest[0], masks[0].payload.bit_length()
    return None


def _is_power(term: Term) -> bool:
    return term.is_value and term.payload > 0 and term.payload & (term.payload - 1) == 0


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width
