"""Comparisons of sums as people write them: `low + high >= -1`, where exact bits would need casts.

Only sums that cannot wrap are written so: terms whose numbers were extended far enough (as invariants of integers are,
when they are brought back to bits). Read as numbers, the text then means what the bits mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from craton.logic import BitVec, Term, ops
from craton.logic.semantics import to_signed
from craton.program.spelling import Name

_TURNED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class _Sum:
    """Σ coefficient · name + constant, with the least and the largest value it can have."""

    parts: Mapping[str, int]
    constant: int
    least: int
    most: int

    def plus(self, other: _Sum) -> _Sum:
        names = dict.fromkeys((*self.parts, *other.parts))
        parts = {name: self.parts.get(name, 0) + other.parts.get(name, 0) for name in names}
        return _Sum(parts, self.constant + other.constant, self.least + other.least, self.most + other.most)

    def times(self, factor: int) -> _Sum:
        ends = sorted((self.least * factor, self.most * factor))
        parts = {name: factor * number for name, number in self.parts.items()}
        return _Sum(parts, self.constant * factor, *ends)


@dataclass(frozen=True, slots=True)
class Comparison:
    left: str
    operator: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


def comparison(formula: Term, name: Name) -> Comparison | None:
    """The formula as a comparison of sums; None if it is none, or if one of them may wrap."""
    negated = formula.op is ops.NOT
    inner = formula.args[0] if negated else formula
    kinds = {ops.BVSLE: "<=", ops.BVSLT: "<", ops.BVULE: "<=", ops.BVULT: "<", ops.EQ: "=="}
    if inner.op not in kinds or not isinstance(inner.args[0].sort, BitVec):
        return None
    signed = None if inner.op is ops.EQ else inner.op in (ops.BVSLE, ops.BVSLT)
    sides = [_sum(side, name, signed) for side in inner.args]
    if sides[0] is None or sides[1] is None:
        return None
    operator = kinds[inner.op]
    if negated:
        operator = {"<=": ">", "<": ">=", "==": "!="}[operator]
    return _arranged(sides[0].plus(sides[1].times(-1)), operator)


def _sum(term: Term, name: Name, signed: bool | None) -> _Sum | None:
    """The number that the bits are read as: with a sign, without one, or either where that does not matter."""
    assert isinstance(term.sort, BitVec)
    width = term.sort.width
    if term.op is ops.VALUE:
        number = term.payload if signed is False else to_signed(width, term.payload)
        return _Sum({}, number, number, number)
    if term.is_variable:
        text, has_sign = name(term)
        return _named(text, width, has_sign) if signed in (None, has_sign) else None
    if term.op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND):
        inner = term.args[0]
        if not inner.is_variable or not isinstance(inner.sort, BitVec):
            return None
        text, has_sign = name(inner)
        return _named(text, inner.sort.width, has_sign) if has_sign is (term.op is ops.SIGN_EXTEND) else None
    found = None if signed is False else _computed(term, name)
    return found if found is not None and -(1 << (width - 1)) <= found.least and found.most < 1 << (width - 1) else None


def _named(text: str, width: int, signed: bool) -> _Sum:
    least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    return _Sum({text: 1}, 0, least, most)


def _computed(term: Term, name: Name) -> _Sum | None:
    parts = (
        [_sum(part, name, True) for part in term.args]
        if term.op in (ops.BVADD, ops.BVSUB, ops.BVMUL, ops.BVNEG)
        else []
    )
    known = [part for part in parts if part is not None]
    if not parts or len(known) < len(parts):
        return None
    if term.op is ops.BVNEG:
        return known[0].times(-1)
    if term.op is ops.BVSUB:
        return known[0].plus(known[1].times(-1))
    if term.op is ops.BVMUL:
        if len(known) != 2 or any(known[0].parts.values()):
            return None
        return known[1].times(known[0].constant)
    total = known[0]
    for part in known[1:]:
        total = total.plus(part)
    return total


def _arranged(difference: _Sum, operator: str) -> Comparison | None:
    """difference ⋈ 0, with no minus before a name, and as few constants as may be."""
    left = {name: number for name, number in difference.parts.items() if number > 0}
    right = {name: -number for name, number in difference.parts.items() if number < 0}
    constant = -difference.constant
    if not left and not right:
        return None
    if not left or (right and not constant and min(right) < min(left)):
        left, right, constant, operator = right, left, -constant, _TURNED[operator]
    if operator == ">" and constant < 0:
        constant, operator = constant + 1, ">="
    elif operator == "<" and constant > 0:
        constant, operator = constant - 1, "<="
    if right and not constant and min(right) < min(left):
        left, right, operator = right, left, _TURNED[operator]
    shown = [_product(*part) for part in right.items()] + ([str(constant)] if constant or not right else [])
    return Comparison(" + ".join(_product(*part) for part in left.items()), operator, " + ".join(shown))


def _product(name: str, factor: int) -> str:
    return name if factor == 1 else f"{factor} * {name}"


def merged(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """`a <= b` and `a >= b` are `a == b`."""
    found: dict[tuple[str, str], Comparison] = {}
    result: list[Comparison] = []
    for one in comparisons:
        same = found.get((one.left, one.right))
        if same is not None and {same.operator, one.operator} == {"<=", ">="}:
            result[result.index(same)] = Comparison(one.left, "==", one.right)
            continue
        found[one.left, one.right] = one
        if one not in result:
            result.append(one)
    return result
