"""A case: what is known of every part of a formula, if all its conjuncts hold.

Knowledge goes up, from arguments to results, and down: from the truth of a comparison to what is compared, from a
choice to what was chosen. Each step keeps every value that a model may have, so a part without a value left means that
the case has no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from craton.facts import backwards
from craton.facts import operations as bits
from craton.facts.operations import MAYBE, NO, YES
from craton.facts.ranges import Range, join, made, meet
from craton.logic import BOOL, Float, Term, ieee, ops, post_order
from craton.logic.terms import format_of
from craton.smt.intervals.operations import Known, anything, computed, literal, number, opposite, patterns
from craton.smt.intervals.spans import Span, common, hull, none_but_nan, outermost, pattern, rank, span

ROUNDS = 4  # up and down, in one case


class NoModel(Exception):
    """Nothing is left for a part of the formula."""


class Formula:
    """Conjuncts, and their parts in the order in which they are computed."""

    def __init__(self, conjuncts: Sequence[Term]) -> None:
        self.conjuncts = tuple(conjuncts)
        self.parts = tuple(post_order(*conjuncts))


class Case:
    """What is known of the parts of a formula. Parts of sorts that are not followed are not in it."""

    def __init__(self, formula: Formula, known: dict[Term, Known]) -> None:
        self.formula = formula
        self.known = known
        self.changed = False

    @classmethod
    def of(cls, formula: Formula) -> Case:
        begun = cls(formula, {})
        for node in formula.parts:
            nothing = anything(node.sort)
            if nothing is not None:
                begun.known[node] = literal(node) if node.op is ops.VALUE else nothing
        return begun

    def where(self, part: Term, known: Known) -> Case:
        """The case in which a part has one of these values. Raises NoModel if it has none."""
        found = Case(self.formula, dict(self.known))
        found.meet(part, known)
        return found

    def meet(self, part: Term, known: Known | None) -> None:
        """One more thing that is known of a part; None says nothing."""
        here = self.known.get(part)
        if here is None or known is None:
            return
        shared = _common(here, known)
        if shared is None:
            raise NoModel
        if shared != here:
            self.known[part] = shared
            self.changed = True

    def propagate(self) -> None:
        """Raises NoModel if the case has none, as far as intervals can tell."""
        for conjunct in self.formula.conjuncts:
            self.meet(conjunct, YES)
        for _ in range(ROUNDS):
            self.changed = False
            for node in self.formula.parts:
                if node.args and node in self.known:
                    self.meet(node, _upwards(node, self.known))
            for node in reversed(self.formula.parts):
                if node.args and node in self.known:
                    self._downwards(node)
            if not self.changed:
                return

    def open_conjuncts(self) -> list[Term]:
        """Those that do not hold for all values of the variables in this case."""
        known: dict[Term, Known] = {}
        for node in self.formula.parts:
            if node in self.known:
                told = _upwards(node, known) or anything(node.sort) if node.args else self.known[node]
                assert told is not None
                known[node] = told
        return [conjunct for conjunct in self.formula.conjuncts if known[conjunct] != YES]

    # --- from results to arguments ---

    def _downwards(self, node: Term) -> None:
        here = self.known[node]
        if node.op is ops.ITE:
            self._choice(node, here)
        elif node.sort is BOOL:
            if here != MAYBE:
                self._truth(node, here == YES)
        elif isinstance(here, Range):
            self._bits(node, here)
        else:
            self._float(node, here)

    def _choice(self, node: Term, here: Known) -> None:
        condition, then, otherwise = node.args
        truth = self.known[condition]
        if truth == MAYBE:
            for branch, excluded in ((then, NO), (otherwise, YES)):
                known = self.known.get(branch)
                if known is not None and _common(known, here) is None:
                    self.meet(condition, excluded)
        else:
            self.meet(then if truth == YES else otherwise, here)

    def _truth(self, node: Term, holds: bool) -> None:
        op, args = node.op, node.args
        if op is ops.NOT:
            self.meet(args[0], NO if holds else YES)
        elif op in (ops.AND, ops.OR):
            self._junction(args, YES if op is ops.AND else NO, (op is ops.AND) == holds)
        elif op is ops.IMPLIES:
            self._implication(node, holds)
        elif len(args) == 2:
            a, b = (self.known.get(arg) for arg in args)
            told: Sequence[Known | None] = (None, None)
            if isinstance(a, Span) and isinstance(b, Span):
                told = _floats_compared(op, a, b, holds)
            elif isinstance(a, Range) and isinstance(b, Range):
                told = _bits_compared(op, a, b, holds)
            for arg, known in zip(args, told, strict=True):
                self.meet(arg, known)
        elif len(args) == 1:
            self.meet(args[0], _of_class(op, self.known.get(args[0]), holds))

    def _junction(self, args: Sequence[Term], unit: Range, all_of_them: bool) -> None:
        """A conjunction that holds, or one that does not and has all parts but one; disjunctions are its mirror."""
        if all_of_them:
            for arg in args:
                self.meet(arg, unit)
            return
        others = [arg for arg in args if self.known[arg] != unit]
        if len(others) == 1:
            self.meet(others[0], NO if unit == YES else YES)

    def _implication(self, node: Term, holds: bool) -> None:
        premise, conclusion = node.args
        if not holds:
            self.meet(premise, YES)
            self.meet(conclusion, NO)
        elif self.known[premise] == YES:
            self.meet(conclusion, YES)
        elif self.known[conclusion] == NO:
            self.meet(premise, NO)

    def _bits(self, node: Term, here: Range) -> None:
        op, args = node.op, node.args
        if op in (ops.BVADD, ops.BVSUB) and len(args) == 2:
            a, b = self.known[args[0]], self.known[args[1]]
            assert isinstance(a, Range) and isinstance(b, Range)
            self.meet(args[0], bits.minus(here, b) if op is ops.BVADD else bits.plus(here, b))
            self.meet(args[1], bits.minus(here, a) if op is ops.BVADD else bits.minus(a, here))
        elif op in (ops.ZERO_EXTEND, ops.SIGN_EXTEND):
            inner = self.known[args[0]]
            assert isinstance(inner, Range)
            unsigned, signed = (here.low, here.high), (here.least, here.most)
            found = made(inner.width, unsigned) if op is ops.ZERO_EXTEND else made(inner.width, None, signed)
            if found is None:
                raise NoModel
            self.meet(args[0], found)
        else:
            for arg, told in backwards.inside(node, here, self._range):
                self.meet(arg, told)

    def _range(self, part: Term) -> Range | None:
        known = self.known.get(part)
        return known if isinstance(known, Range) else None

    def _float(self, node: Term, here: Span) -> None:
        if node.op is ops.FP_NEG:
            self.meet(node.args[0], opposite(here))
        elif node.op is ops.FP_FROM_BITS:
            self.meet(node.args[0], patterns(here))
        elif node.op is ops.FP_FROM_FP:
            self.meet(node.args[1], _narrower(node, here))
        elif node.op in (ops.FP_ADD, ops.FP_SUB):
            self._sum(node, here)

    def _sum(self, node: Term, here: Span) -> None:
        """Of a + b (or a - b) and one of them, what the other one is."""
        a, b = self.known[node.args[1]], self.known[node.args[2]]
        assert isinstance(a, Span) and isinstance(b, Span)
        subtracted = node.op is ops.FP_SUB
        self.meet(node.args[1], addend(here, opposite(b) if subtracted else b))
        right = addend(here, a)
        if right is not None:
            self.meet(node.args[2], opposite(right) if subtracted else right)


def _upwards(node: Term, known: Mapping[Term, Known]) -> Known | None:
    """What arguments tell of the result."""
    args = [known.get(arg) for arg in node.args]
    if node.op is not ops.ITE:
        return computed(node, args)
    condition, then, otherwise = args
    if condition in (YES, NO):
        return then if condition == YES else otherwise
    return None if then is None or otherwise is None else _either(then, otherwise)


# --- the two kinds of values ------------------------------------------------------------------------------------------


def _common(a: Known, b: Known) -> Known | None:
    if isinstance(a, Range):
        assert isinstance(b, Range)
        return meet(a, b)
    assert isinstance(b, Span)
    return common(a, b)


def _either(a: Known, b: Known) -> Known:
    if isinstance(a, Range):
        assert isinstance(b, Range)
        return join(a, b)
    assert isinstance(b, Span)
    return hull(a, b)


# --- what comparisons say of their arguments --------------------------------------------------------------------------


def _floats_compared(op: object, a: Span, b: Span, holds: bool) -> Sequence[Known | None]:
    if op is ops.EQ:
        return (b, a) if holds else (None, None)
    if op is ops.FP_EQ:
        return (_zeros_alike(b), _zeros_alike(a)) if holds else (None, None)
    if holds:
        return _smaller(a, b, strict=op is ops.FP_LT)
    if a.nan or b.nan:
        return None, None
    right, left = _smaller(b, a, strict=op is ops.FP_LE)
    return left, right


def _zeros_alike(a: Span) -> Span:
    """The numbers that are equal to members."""
    if not a.has_numbers:
        raise NoModel
    return Span(a.sort, -1 if a.low == 0 else a.low, 0 if a.high == -1 else a.high, False)


def _smaller(a: Span, b: Span, *, strict: bool) -> tuple[Span, Span]:
    """What a < b, or a ≤ b, says of a and of b."""
    if not (a.has_numbers and b.has_numbers):
        raise NoModel
    least, most = outermost(a.sort)
    high, low = number(b.high) - strict, number(a.low) + strict
    # As numbers both zeros are 0: as an upper bound it is the rank of +0, as a lower bound that of -0.
    left = span(a.sort, least, high if high >= 0 else high - 1, nan=False)
    right = span(a.sort, low - 1 if low <= 0 else low, most, nan=False)
    if left is None or right is None:
        raise NoModel
    return left, right


def _of_class(op: object, known: Known | None, holds: bool) -> Known | None:
    if op is not ops.FP_IS_NAN or not isinstance(known, Span):
        return None
    return none_but_nan(known.sort) if holds else Span(known.sort, *outermost(known.sort), False)


def _bits_compared(op: object, a: Range, b: Range, holds: bool) -> Sequence[Known | None]:
    if op is ops.EQ:
        return (b, a) if holds else (_without(a, b), _without(b, a))
    if op not in (ops.BVULT, ops.BVULE, ops.BVSLT, ops.BVSLE):
        return None, None
    signed = op in (ops.BVSLT, ops.BVSLE)
    strict = op in (ops.BVULT, ops.BVSLT)
    if holds:
        return _ordered(a, b, signed=signed, strict=strict)
    right, left = _ordered(b, a, signed=signed, strict=not strict)
    return left, right


def _ordered(a: Range, b: Range, *, signed: bool, strict: bool) -> tuple[Range, Range]:
    width, extreme = a.width, 1 << a.width
    if signed:
        left, right = made(width, None, (-extreme, b.most - strict)), made(width, None, (a.least + strict, extreme))
    else:
        left, right = made(width, (0, b.high - strict)), made(width, (a.low + strict, extreme))
    if left is None or right is None:
        raise NoModel
    return left, right


def _without(a: Range, b: Range) -> Range | None:
    """Of two that differ, what one constant leaves of the other's ends."""
    if b.constant is None:
        return None
    found = made(
        a.width,
        (a.low + (a.low == b.constant), a.high - (a.high == b.constant)),
        (a.least + (a.least == b.least), a.most - (a.most == b.least)),
    )
    if found is None:
        raise NoModel
    return found


def addend(total: Span, other: Span) -> Span | None:
    """What x is, if x + other is in `total`, in whatever mode that is rounded; None if that says nothing.

    Let z be the least of `total`. A number that is not above the float below z is not rounded to z or above, whatever
    the mode: so the exact sum x + other is above it, and x above it less the largest other, rounded downwards. It is
    looked for two ranks below z, since the two zeros are one number.
    """
    if total.nan or not total.has_numbers or not other.has_numbers:
        return None
    form = format_of(total.sort)
    least, most = outermost(total.sort)
    low = _difference(form, ieee.RoundingMode.RTN, max(least, total.low - 2), other.high)
    high = _difference(form, ieee.RoundingMode.RTP, min(most, total.high + 2), other.low)
    if low is None or high is None:
        return None
    return Span(total.sort, -1 if low == 0 else low, 0 if high == -1 else high, False)


def _difference(form: ieee.Format, mode: ieee.RoundingMode, a: int, b: int) -> int | None:
    """The rank of a difference; None if there is none."""
    bits = ieee.subtract(form, mode, pattern(form, a), pattern(form, b))
    return None if ieee.is_nan(form, bits) else rank(form, bits)


def _narrower(node: Term, here: Span) -> Span | None:
    """Of a conversion to a format that has all the numbers of the other: the numbers that were converted."""
    inner = node.args[1].sort
    assert isinstance(inner, Float)
    source, target = format_of(inner), format_of(here.sort)
    wider = (
        target.exponent_bits >= source.exponent_bits
        and target.significand_bits >= source.significand_bits
        and target.quantum <= source.quantum
    )
    if not wider or not here.has_numbers:
        return None
    low, high = (
        rank(source, ieee.convert(target, source, mode, pattern(target, bound)))
        for mode, bound in ((ieee.RoundingMode.RTP, here.low), (ieee.RoundingMode.RTN, here.high))
    )
    return span(inner, low, high, here.nan) or _nothing()


def _nothing() -> Span:
    raise NoModel
