"""Formulas over a program's variables as C says them: `q.count <= 8`, `a[i] == 0`, with the names of the text.

What lies in memory is named by what has its address (`Program.storage`). Signs and ranges that engines say in bits are
said in numbers (`plain`). Where C cannot say something, `NotExpressible` is raised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from craton.errors import NotExpressible
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    Array,
    BitVec,
    Float,
    Term,
    and_,
    bv,
    bvsle,
    bvslt,
    bvule,
    bvult,
    conjuncts,
    eq,
    free_variables,
    ite,
    not_,
    ops,
    or_,
    select,
    substitute,
    var,
)
from craton.logic.build import rebuild
from craton.logic.cexpr import to_c
from craton.logic.semantics import to_signed
from craton.logic.walk import fold
from craton.program.cfa import Program
from craton.program.storage import Scalar, StoredObject, cell_at, indexed

Name = Callable[[Term], tuple[str, bool]]  # how a variable is called, and whether it is a signed number
_MOST_CHOICES = 6  # of memories, one in another
_ORDERS = {ops.BVULE: (False, 0), ops.BVULT: (False, 1), ops.BVSLE: (True, 0), ops.BVSLT: (True, 1)}  # sign, strict
_COMPARISONS = {ops.EQ: eq, ops.BVULE: bvule, ops.BVULT: bvult}


def spelled(term: Term, program: Program, name: Name) -> str:
    """As C; `name` raises NotExpressible for variables that have none."""
    return _Spelling(program, name).text(term)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    signed: bool


class _Spelling:
    """Variables and parts of memory stand as names that no program has, until the text is written."""

    def __init__(self, program: Program, name: Name) -> None:
        self.program = program
        self.name = name
        self.words: dict[Term, _Word] = {}

    def text(self, term: Term) -> str:
        named = {v: self._word(v, *self.name(v)) for v in free_variables(term) if not isinstance(v.sort, Array)}
        without_memory = fold(substitute(term, named), self._named_memory)
        return self._written(without_memory)

    def _word(self, like: Term, text: str, signed: bool) -> Term:
        stand_in = var(f"craton_{len(self.words)}_", like.sort)
        self.words[stand_in] = _Word(text, signed)
        return stand_in

    def _written(self, term: Term) -> str:
        for variable in free_variables(term):
            if variable not in self.words:
                raise NotExpressible(f"{variable.name} has no name in C")
        texts = {stand_in.name: word.text for stand_in, word in self.words.items()}
        text = to_c(term, lambda variable: self.words[variable].signed)
        return re.sub(r"\bcraton_[0-9]+_\b", lambda match: texts[match.group()], text)

    def _named_memory(self, node: Term, args: list[Term]) -> Term:
        if node.op is ops.SELECT and args[0].is_variable:
            found = self._lvalue(args[1], node.sort)
            if found is not None:
                text, scalar = found
                known = next((w for w, word in self.words.items() if word.text == text and w.sort is node.sort), None)
                return known or self._word(node, text, scalar.signed)
        return rebuild(node, args) if args else node

    def _lvalue(self, address: Term, sort: object) -> tuple[str, Scalar] | None:
        constant, stride, index = _linear(address)
        for known in self.program.storage.objects:
            if known.text is not None or known.shape is None or not known.contains(constant):
                continue
            for text, scalar in self._parts(known, constant - (known.address or 0), stride, index):
                if _fits(scalar, sort):
                    return text, scalar
        return None

    def _parts(self, known: StoredObject, offset: int, stride: int, index: Term | None) -> Iterator[tuple[str, Scalar]]:
        assert known.shape is not None
        if index is None:
            cell = cell_at(known.shape, offset)
            if cell is not None and cell.offset == offset:
                yield known.name + cell.path, cell.scalar
            return
        for before, behind, scalar in indexed(known.shape, offset, stride):
            yield f"{known.name}{before}[{self._index(index)}]{behind}", scalar

    def _index(self, index: Term) -> str:
        """Without the conversion that C does by itself."""
        extended = index.op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND)
        known = self.words.get(index.args[0] if extended else index)
        if known is not None and (not extended or known.signed is (index.op is ops.SIGN_EXTEND)):
            return known.text
        return self._written(index)


def _fits(scalar: Scalar, sort: object) -> bool:
    if isinstance(sort, Float):
        return scalar.type in ("float", "double")
    return isinstance(sort, BitVec) and sort.width == 8 * scalar.size and not scalar.pointee


def _linear(address: Term) -> tuple[int, int, Term | None]:
    """The address as constant + stride · index, where it is one; (-1, 0, None) otherwise."""
    if address.op is ops.VALUE:
        return address.payload, 0, None
    if address.op is not ops.BVADD:
        return -1, 0, None
    constants = [part.payload for part in address.args if part.op is ops.VALUE]
    others = [part for part in address.args if part.op is not ops.VALUE]
    if len(constants) != 1 or len(others) != 1:
        return -1, 0, None
    (other,) = others
    if other.op is ops.BVMUL and other.args[0].op is ops.VALUE and len(other.args) == 2:
        return constants[0], other.args[0].payload, other.args[1]
    if other.op is ops.BVSHL and other.args[1].op is ops.VALUE:
        return constants[0], 1 << other.args[1].payload, other.args[0]
    return constants[0], 1, other


# --- numbers instead of bits ------------------------------------------------------------------------------------------


def plain(formula: Term) -> Term:
    """The same in numbers where engines speak of bits: `x[31:31] = 1` is `x < 0`, `x[31:4] = 0` is `x ≤ 15`."""
    return _with_ranges(fold(fold(formula, _with_signs), _both_ways)[0])


def _both_ways(node: Term, args: list[tuple[Term, Term]]) -> tuple[Term, Term]:
    """The formula, and its negation, both with negations of nothing but comparisons: `a || b`, not `!(!a && !b)`."""
    if node.op is ops.NOT:
        return args[0][1], args[0][0]
    if node.op in (ops.AND, ops.OR):
        join, dual = (and_, or_) if node.op is ops.AND else (or_, and_)
        return join(*(one for one, _ in args)), dual(*(other for _, other in args))
    same = rebuild(node, [one for one, _ in args]) if args else node
    return same, not_(same) if same.sort is BOOL else same


def _with_signs(node: Term, args: list[Term]) -> Term:
    """Comparisons of a number's first bit say that it is negative, or not; what was extended is compared as it is; what
    is read from memory that was chosen is a choice of what is read.
    """
    again = _read(args[0], args[1], _MOST_CHOICES) if node.op is ops.SELECT else rebuild(node, args) if args else node
    if again.op in _ORDERS and (decided := _decided(again)) is not None:
        return decided
    if again.op in _COMPARISONS and all(one.op in (ops.ZERO_EXTEND, ops.VALUE) for one in again.args):
        return _narrowed(again)
    if again.op is not ops.EQ or again.args[0].op is not ops.EXTRACT:
        return again
    number, bit = again.args[0].args[0], again.args[1]
    assert isinstance(number.sort, BitVec)
    top = number.sort.width - 1
    if again.args[0].payload != (top, top) or bit.op is not ops.VALUE:
        return again
    zero = bv(0, number.sort.width)
    return bvslt(number, zero) if bit.payload else bvsle(zero, number)


def _decided(comparison: Term) -> Term | None:
    """What was extended is compared with a number that it cannot reach: `i < 0 || i > 4294967295` of an unsigned i."""
    signed, strict = _ORDERS[comparison.op]
    left, right = (_span(side, signed) for side in comparison.args)
    if left is None or right is None:
        return None
    if left[1] + strict <= right[0]:
        return TRUE
    return FALSE if left[0] + strict > right[1] else None


def _span(term: Term, signed: bool) -> tuple[int, int] | None:
    """The least and the greatest number that it can be, if it is a constant or was extended."""
    assert isinstance(term.sort, BitVec)
    if term.op is ops.VALUE:
        number = to_signed(term.sort.width, term.payload) if signed else term.payload
        return number, number
    if term.op not in (ops.ZERO_EXTEND, ops.SIGN_EXTEND) or not term.payload[0]:
        return None
    width = term.sort.width - term.payload[0]
    if term.op is ops.ZERO_EXTEND:
        return 0, (1 << width) - 1
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else None


def _read(memory: Term, address: Term, choices: int) -> Term:
    if memory.op is not ops.ITE or not choices:
        return select(memory, address)
    condition, then, otherwise = memory.args
    return ite(condition, _read(then, address, choices - 1), _read(otherwise, address, choices - 1))


def _narrowed(comparison: Term) -> Term:
    """`0x ≤ 0y` is `x ≤ y`, and `0x ≤ 5` is `x ≤ 5` where 5 fits."""
    inner = [one.args[0] for one in comparison.args if one.op is ops.ZERO_EXTEND]
    widths = {one.sort.width for one in inner if isinstance(one.sort, BitVec)}
    if len(widths) != 1:
        return comparison
    (width,) = widths
    if any(one.op is ops.VALUE and one.payload >> width for one in comparison.args):
        return comparison
    narrow = [bv(one.payload, width) if one.op is ops.VALUE else one.args[0] for one in comparison.args]
    return _COMPARISONS[comparison.op](*narrow)


def _with_ranges(formula: Term) -> Term:
    """In a conjunction: leading bits that are zero, and what is said of the others, as bounds of the number."""
    parts = list(conjuncts(formula))
    for number in dict.fromkeys(_with_leading_zeros(parts)):
        parts = _bounded(number, parts)
    return and_(*parts) if parts else TRUE


def _with_leading_zeros(parts: Iterable[Term]) -> Iterator[Term]:
    for part in parts:
        if part.op is ops.EQ and part.args[0].op is ops.EXTRACT:
            number = part.args[0].args[0]
            assert isinstance(number.sort, BitVec)
            if part.args[0].payload[0] == number.sort.width - 1 and _is_value(part.args[1], 0):
                yield number


def _is_value(term: Term, value: int) -> bool:
    return term.op is ops.VALUE and term.payload == value


def _bounded(number: Term, parts: list[Term]) -> list[Term]:
    """Law: the conjunction means the same."""
    assert isinstance(number.sort, BitVec)
    width = number.sort.width
    free = width  # bits that may be one
    changed = True
    while changed:
        changed = False
        for part in parts:
            low = _zero_bits(part, number, free)
            if low is not None:
                parts = [one for one in parts if one is not part]
                free, changed = low, True
                break
    found = [(part, _bound(part, number, free)) for part in parts]
    rest = [part for part, bound in found if bound is None]
    bounds = [bound for _, bound in found if bound is not None]
    most = min([(1 << free) - 1, *bounds])
    return [*rest, bvule(number, bv(most, width))] if free < width or bounds else rest


def _zero_bits(part: Term, number: Term, free: int) -> int | None:
    """Down to which bit the part says that the bits below `free` are zero."""
    comparison, negated = (part.args[0], True) if part.op is ops.NOT else (part, False)
    if comparison.op is not ops.EQ or comparison.args[0].op is not ops.EXTRACT:
        return None
    if comparison.args[0].args[0] is not number:
        return None
    high, low = comparison.args[0].payload
    says_zero = _is_value(comparison.args[1], 0) and not negated
    says_not_one = negated and high == low and _is_value(comparison.args[1], 1)
    return low if high == free - 1 and (says_zero or says_not_one) else None


def _bound(part: Term, number: Term, free: int) -> int | None:
    """What the part says the number is at most, if it is about all bits that may be one."""
    if part.op is not ops.BVULE or part.args[1].op is not ops.VALUE:
        return None
    said = part.args[0]
    if said.op is ops.EXTRACT and said.args[0] is number and said.payload[1] == 0 and said.payload[0] >= free - 1:
        return int(part.args[1].payload)
    return None
