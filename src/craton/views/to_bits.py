"""Formulas of a view as formulas over bits: how an invariant found over integers returns to the program it is for.

Every Int becomes a signed bit-vector of as many bits as its value can need, which constant bounds of the variables and
of all that is computed from them decide; so nothing wraps around. Formulas without such bounds have no counterpart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from craton.errors import NotExpressible
from craton.logic import (
    BOOL,
    INT,
    REAL,
    TRUE,
    Array,
    BitVec,
    Float,
    Sort,
    Term,
    and_,
    apply,
    bv,
    bvadd,
    bvmul,
    bvneg,
    bvsdiv,
    bvsle,
    bvslt,
    bvsmod,
    bvsub,
    disjuncts,
    eq,
    exists,
    extract,
    forall,
    fp_bits,
    fp_eq,
    fp_is_nan,
    fp_le,
    fp_lt,
    free_variables,
    ite,
    not_,
    ops,
    or_,
    rebuild,
    select,
    sign_extend,
    store,
    var,
    zero_extend,
)
from craton.logic.ieee import RoundingMode, from_fraction
from craton.logic.ops import Op
from craton.logic.terms import format_of
from craton.logic.walk import QUANTIFIERS, fold
from craton.views import bits as b
from craton.views.reals import infinity
from craton.views.terms import Translator


def bit_formula(formula: Term, translator: Translator) -> Term:
    """The formula over bits that holds for the same values. The translator knows what the variables stand for."""
    result = _Back(translator).formula(formula)
    assert result.sort is BOOL
    return result


def weaker_bit_formula(formula: Term, translator: Translator) -> Term:
    """The formula over bits, `true` in place of the parts of its conjunctions and disjunctions that bits cannot say.

    Law: for the same values it follows from the formula. Under a negation it would not, so none is looked into.
    """
    try:
        return bit_formula(formula, translator)
    except NotExpressible:
        if formula.op not in (ops.AND, ops.OR):
            return TRUE
        parts = [weaker_bit_formula(part, translator) for part in formula.args]
        return and_(*parts) if formula.op is ops.AND else or_(*parts)


@dataclass(frozen=True, slots=True)
class Number:
    """An integer as a signed bit-vector, with its bounds."""

    term: Term
    low: int
    high: int

    @property
    def width(self) -> int:
        assert isinstance(self.term.sort, BitVec)
        return self.term.sort.width


@dataclass(frozen=True, slots=True)
class Cells:
    """An array of the bit-precise program that holds signed or unsigned numbers."""

    term: Term
    signed: bool


@dataclass(frozen=True, slots=True)
class Scaled:
    """factor · x + offset for the real number that a float x stands for; a constant if there is no float."""

    factor: Fraction
    float: Term | None
    offset: Fraction


Value = Term | Number | Cells | Scaled


def _bits_for(low: int, high: int) -> int:
    """How many bits a signed number between the bounds takes."""
    return 1 + max(max(high, -low - 1).bit_length(), 0)


def _extended(number: Number, width: int) -> Term:
    return sign_extend(width - number.width, number.term)


def _constant(number: int) -> Number:
    return Number(bv(number, _bits_for(number, number)), number, number)


class _Back:
    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self.bound: dict[Term, Number] = {}
        self.memo: dict[Term, Value] = {}

    def formula(self, formula: Term) -> Term:
        result = self._value(formula)
        assert isinstance(result, Term)
        return result

    def _value(self, root: Term) -> Value:
        """Bottom-up, but quantified formulas open their own scope."""
        memo = self.memo
        stack = [root]
        while stack:
            node = stack[-1]
            if node in memo:
                stack.pop()
                continue
            if node.op in QUANTIFIERS:
                stack.pop()
                memo[node] = self._quantified(node)
                continue
            missing = [a for a in node.args if a not in memo]
            if missing:
                stack.extend(missing)
            else:
                stack.pop()
                memo[node] = self._visit(node, [memo[a] for a in node.args])
        return memo[root]

    def _visit(self, node: Term, args: list[Value]) -> Value:
        op = node.op
        if op is ops.VARIABLE:
            return self._variable(node)
        if op is ops.VALUE:
            if node.sort is INT:
                return _constant(node.payload)
            return Scaled(Fraction(0), None, node.payload) if node.sort is REAL else node
        if op in (ops.EQ, ops.LE, ops.LT) and not isinstance(args[0], Term):
            return self._compared(op, *args)
        if op is ops.DISTINCT and not isinstance(args[0], Term):
            pairs = [(x, y) for i, x in enumerate(args) for y in args[:i]]
            return and_(*(not_(self._compared(ops.EQ, x, y)) for x, y in pairs))
        if op is ops.ITE and isinstance(args[1], Number):
            return _choice(*args)
        if op is ops.ITE and isinstance(args[1], Cells):
            condition, then, otherwise = args
            assert isinstance(condition, Term) and isinstance(then, Cells) and isinstance(otherwise, Cells)
            return Cells(ite(condition, then.term, otherwise.term), otherwise.signed)
        if op in (ops.SELECT, ops.STORE, ops.CONST_ARRAY):
            return self._array(node, args)
        if op is ops.APPLY:
            return self._application(node, args)
        if node.sort is REAL:
            return _scaled(node, args)
        arithmetic = _ARITHMETIC.get(op)
        if arithmetic is not None:
            numbers = [a for a in args if isinstance(a, Number)]
            if len(numbers) == len(args):
                return arithmetic(*numbers)
        if all(isinstance(a, Term) for a in args):
            return rebuild(node, [a for a in args if isinstance(a, Term)])
        raise _lost(f"{op.name} in {node}")

    # --- variables ----------------------------------------------------------------------------------------------------

    def _variable(self, node: Term) -> Value:
        if node in self.bound:
            return self.bound[node]
        original = self.translator.originals.get(node)
        if original is None:
            raise _lost(f"{node}, which is not a variable of the program,")
        return self._original(node, original)

    def _original(self, node: Term, original: Term) -> Value:
        sort, signed = original.sort, self.translator.signs.signed(original)
        if isinstance(sort, BitVec):
            return _number(original, signed)
        if node.sort is REAL and isinstance(sort, Float):
            return Scaled(Fraction(1), original, Fraction(0))
        if node.sort is BOOL and isinstance(sort, Float):
            return fp_is_nan(original)
        if isinstance(sort, Array):
            if self.translator.real and isinstance(sort.element, Float):
                raise _lost(f"{node}, an array of floats,")
            return Cells(original, signed)
        if sort is INT:
            raise _lost(f"{node}, an unbounded integer,")
        return original

    # --- comparisons --------------------------------------------------------------------------------------------------

    def _compared(self, op: Op, a: Value, c: Value) -> Term:
        if isinstance(a, Number) and isinstance(c, Number):
            width = max(a.width, c.width)
            compare = {ops.EQ: eq, ops.LE: bvsle, ops.LT: bvslt}[op]
            return compare(_extended(a, width), _extended(c, width))
        if isinstance(a, Cells) and isinstance(c, Cells) and op is ops.EQ:
            return eq(a.term, c.term)
        if isinstance(a, Scaled) and isinstance(c, Scaled):
            return _floats_compared(op, a, c)
        raise _lost(f"a comparison by {op.name}")

    # --- arrays and functions -----------------------------------------------------------------------------------------

    def _array(self, node: Term, args: list[Value]) -> Value:
        array = args[0]
        if not isinstance(array, Cells) or node.op is ops.CONST_ARRAY:
            raise _lost(str(node))
        sort = array.term.sort
        assert isinstance(sort, Array)
        index = _into(args[1], sort.index)
        if node.op is ops.STORE:
            return Cells(store(array.term, index, _into(args[2], sort.element)), array.signed)
        found = select(array.term, index)
        if isinstance(sort.element, BitVec):
            return _number(found, array.signed)
        return Cells(found, array.signed) if isinstance(sort.element, Array) else found

    def _application(self, node: Term, args: list[Value]) -> Value:
        function = self.translator.functions.get(node.payload)
        if function is None:
            if all(isinstance(a, Term) for a in args) and node.sort not in (INT, REAL):
                return rebuild(node, [a for a in args if isinstance(a, Term)])
            raise _lost(str(node))
        applied = apply(function, *(_into(a, sort) for a, sort in zip(args, function.params, strict=True)))
        return _number(applied, False) if isinstance(function.result, BitVec) else applied

    # --- quantifiers --------------------------------------------------------------------------------------------------

    def _quantified(self, node: Term) -> Term:
        """A bound integer that is named after a variable of the program is one of its values. One that selects from an
        array is an index, if the formula says nothing beyond the range of indices: outside of it, what is universal
        must hold and what is existential must not.
        """
        body = node.args[0]
        universal = node.op is ops.FORALL
        outer, self.memo, saved = self.memo, {}, dict(self.bound)
        bound: list[Term] = []
        indices: list[Term] = []
        for variable in node.payload:
            number = self._old_value(variable)
            if number is None:
                number = _number(var(variable.name, self._index_sort(variable, body)), False)
                indices.append(variable)
            self.bound[variable] = number
            bound += free_variables(number.term)
        for variable in indices:
            self._check_guard(variable, body if universal else not_(body))
        inner = self.formula(body)
        self.memo, self.bound = outer, saved
        return forall(bound, inner) if universal else exists(bound, inner)

    def _old_value(self, variable: Term) -> Number | None:
        """Preconditions of a havoc bind x itself, postconditions of an assignment to x name the value before it x!old:
        both are in the range of x.
        """
        stem, mark, _ = variable.name.rpartition("!")
        named_after = var(stem, variable.sort) if mark else variable
        original = self.translator.originals.get(variable) or self.translator.originals.get(named_after)
        if original is None or not isinstance(original.sort, BitVec):
            return None
        return _number(var(variable.name, original.sort), self.translator.signs.signed(original))

    def _index_sort(self, variable: Term, body: Term) -> BitVec:
        if variable.sort is INT:
            for node in _nodes(body):
                if node.op is ops.SELECT and variable in free_variables(node.args[1]):
                    base = node.args[0]
                    while base.op is ops.STORE:
                        base = base.args[0]
                    original = self.translator.originals.get(base)
                    if original is not None and isinstance(original.sort, Array):
                        if isinstance(original.sort.index, BitVec):
                            return original.sort.index
        raise _lost(f"a quantifier over {variable} of sort {variable.sort}")

    def _check_guard(self, variable: Term, body: Term) -> None:
        """`body` is true outside of the variable's range: one of its disjuncts says so."""
        number = self.bound[variable]
        below = above = False
        for part in _alternatives(body):
            if part.op not in (ops.LE, ops.LT):
                continue
            small, large = part.args
            strict = 1 if part.op is ops.LT else 0
            if small is variable and variable not in free_variables(large):  # v < t covers all v < 0 if t ≥ 0
                other = self._value(large)
                below = below or (isinstance(other, Number) and other.low - strict >= -1)
            if large is variable and variable not in free_variables(small):  # t ≤ v covers all v > high
                other = self._value(small)
                above = above or (isinstance(other, Number) and other.high + strict <= number.high + 1)
        if not (below and above):
            raise _lost(f"a quantifier over {variable}, which the formula does not keep in the range of indices,")


def _alternatives(formula: Term) -> list[Term]:
    """The disjuncts of a formula, looking through implications and negated conjunctions."""
    found: list[Term] = []
    stack = [formula]
    while stack:
        part = stack.pop()
        if part.op is ops.OR:
            stack.extend(disjuncts(part))
        elif part.op is ops.IMPLIES:
            stack.extend((not_(part.args[0]), part.args[1]))
        elif part.op is ops.NOT and part.args[0].op is ops.AND:
            stack.extend(map(not_, part.args[0].args))
        else:
            found.append(part)
    return found


def _nodes(root: Term) -> list[Term]:
    found: list[Term] = []
    fold(root, lambda node, args: found.append(node))
    return found


def _lost(what: str) -> NotExpressible:
    return NotExpressible(f"{what} of the view has no counterpart in bits")


# --- numbers ----------------------------------------------------------------------------------------------------------


def _number(term: Term, signed: bool) -> Number:
    """The value of a bit-vector."""
    sort = term.sort
    assert isinstance(sort, BitVec)
    low, high = b.bounds(sort.width, signed)
    return Number(term if signed else zero_extend(1, term), low, high)


def _into(value: Value, sort: Sort) -> Term:
    """As an index, element or argument: the bits of the number."""
    if isinstance(value, Number) and isinstance(sort, BitVec):
        if value.width >= sort.width:
            return extract(sort.width - 1, 0, value.term)
        return _extended(value, sort.width)
    if isinstance(value, Cells):
        return value.term
    if isinstance(value, Term) and value.sort is sort:
        return value
    raise _lost(f"something of sort {sort}")


def _computed(operation: Callable[..., Term], low: int, high: int, *numbers: Number) -> Number:
    """In as many bits as operands and result need."""
    width = max(_bits_for(low, high), *(n.width for n in numbers))
    return Number(operation(*(_extended(n, width) for n in numbers)), low, high)


def _sum(*parts: Number) -> Number:
    return _computed(bvadd, sum(p.low for p in parts), sum(p.high for p in parts), *parts)


def _difference(a: Number, c: Number) -> Number:
    return _computed(bvsub, a.low - c.high, a.high - c.low, a, c)


def _negation(a: Number) -> Number:
    return _computed(bvneg, -a.high, -a.low, a)


def _product(*parts: Number) -> Number:
    result = parts[0]
    for part in parts[1:]:
        corners = [x * y for x in (result.low, result.high) for y in (part.low, part.high)]
        result = _computed(bvmul, min(corners), max(corners), result, part)
    return result


def _absolute(a: Number) -> Number:
    high = max(abs(a.low), abs(a.high))
    wide = _computed(lambda x: x, min(a.low, -a.high), high, a).term
    zero = bv(0, _width(wide))
    return Number(ite(bvslt(wide, zero), bvneg(wide), wide), 0, high)


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _modulo(a: Number, c: Number) -> Number:
    """Euclidean: never negative, as `bvsmod` by a positive number is."""
    positive = _absolute(c)
    most = max(positive.high - 1, 0)
    if c.low <= 0 <= c.high:  # what is open in integers is the dividend in bits
        return _computed(bvsmod, min(a.low, 0), max(a.high, most), a, positive)
    return _computed(bvsmod, 0, most, a, positive)


def _quotient(a: Number, c: Number) -> Number:
    """a - (a mod c) is a multiple of c, of which division is exact."""
    multiple = _difference(a, _modulo(a, c))
    largest = max(abs(multiple.low), abs(multiple.high), 1)
    return _computed(bvsdiv, -largest, largest, multiple, c)


def _choice(condition: Value, then: Value, otherwise: Value) -> Number:
    assert isinstance(condition, Term) and isinstance(then, Number) and isinstance(otherwise, Number)
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    return _computed(lambda x, y: ite(condition, x, y), low, high, then, otherwise)


_ARITHMETIC: dict[Op, Callable[..., Number]] = {
    ops.ADD: _sum,
    ops.SUB: _difference,
    ops.NEG: _negation,
    ops.MUL: _product,
    ops.ABS: _absolute,
    ops.DIV: _quotient,
    ops.MOD: _modulo,
}


# --- reals ------------------------------------------------------------------------------------------------------------


def _scaled(node: Term, args: list[Value]) -> Scaled:
    """Sums and multiples with one float variable at most."""
    parts = [a for a in args if isinstance(a, Scaled)]
    if len(parts) == len(args):
        if node.op is ops.NEG:
            return _times(Fraction(-1), parts[0])
        if node.op is ops.ADD:
            result = parts[0]
            for part in parts[1:]:
                result = _plus(result, part)
            return result
        if node.op is ops.SUB:
            return _plus(parts[0], _times(Fraction(-1), parts[1]))
        if node.op is ops.MUL and sum(p.float is not None for p in parts) <= 1:
            factor = Fraction(1)
            rest = Scaled(Fraction(0), None, Fraction(1))
            for part in parts:
                if part.float is None:
                    factor *= part.offset
                else:
                    rest = part
            return _times(factor, rest)
    raise _lost(str(node))


def _times(factor: Fraction, a: Scaled) -> Scaled:
    return Scaled(factor * a.factor, a.float if factor else None, factor * a.offset)


def _plus(a: Scaled, c: Scaled) -> Scaled:
    if a.float is None or c.float is None or a.float is c.float:
        factor = a.factor + c.factor
        return Scaled(factor, (a.float or c.float) if factor else None, a.offset + c.offset)
    raise _lost(f"a sum of {a.float} and {c.float}")


def _floats_compared(op: Op, a: Scaled, c: Scaled) -> Term:
    """Two floats with the same factor, or one float with a constant."""
    if a.float is not None and c.float is not None and a.float is not c.float:
        if a.factor != c.factor or a.offset != c.offset or a.float.sort is not c.float.sort:
            raise _lost(f"a comparison of {a.float} and {c.float}")
        x, y = (a.float, c.float) if a.factor > 0 else (c.float, a.float)
        return _pair_compared(op, x, y)
    difference = _plus(a, _times(Fraction(-1), c))  # compared with zero
    subject = difference.float
    if subject is None:
        number = difference.offset
        holds = {ops.EQ: number == 0, ops.LE: number <= 0, ops.LT: number < 0}[op]
        return TRUE if holds else not_(TRUE)
    limit = -difference.offset / difference.factor
    return _against(op, subject, limit, above=difference.factor < 0)


def _pair_compared(op: Op, x: Term, y: Term) -> Term:
    """NaN counts as zero in the view."""
    sort = x.sort
    assert isinstance(sort, Float)
    compare = {ops.EQ: fp_eq, ops.LE: fp_le, ops.LT: fp_lt}[op]
    zero = fp_bits(0, sort)
    return compare(ite(fp_is_nan(x), zero, x), ite(fp_is_nan(y), zero, y))


def _against(op: Op, x: Term, limit: Fraction, *, above: bool) -> Term:
    """x = limit, x ≤ limit, x < limit or, with `above`, x ≥ limit, x > limit; the limit need not be a float."""
    sort = x.sort
    assert isinstance(sort, Float)
    x = ite(fp_is_nan(x), fp_bits(0, sort), x)
    top = infinity(sort)
    if abs(limit) > top:
        return not_(TRUE) if op is ops.EQ or (limit > 0) == above else TRUE
    down = _float(limit, RoundingMode.RTN, sort)
    up = _float(limit, RoundingMode.RTP, sort)
    if op is ops.EQ:
        return fp_eq(x, down) if down is up else not_(TRUE)
    # Between two floats, ≤ and < are the same.
    if above:
        return fp_lt(down, x) if down is not up or op is ops.LT else fp_le(up, x)
    return fp_lt(x, up) if down is not up or op is ops.LT else fp_le(x, down)


def _float(number: Fraction, mode: RoundingMode, sort: Float) -> Term:
    if abs(number) == infinity(sort):  # the view's name for an infinity
        form = format_of(sort)
        return fp_bits(form.infinity | (form.sign_mask if number < 0 else 0), sort)
    return fp_bits(from_fraction(format_of(sort), mode, number), sort)
