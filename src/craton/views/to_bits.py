"""Formulas of a view as formulas over bits: how an invariant found over integers is carried back to the program.

Every Int becomes a signed bit-vector that is wide enough for its value, according to constant bounds of the variables
and of everything computed from them; so nothing wraps around. Formulas without such bounds have no counterpart.
"""

from __future__ import annotations

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
    bvsle,
    bvslt,
    disjuncts,
    eq,
    exists,
    forall,
    fp_is_nan,
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
)
from craton.logic.affine import low_part
from craton.logic.ops import Op
from craton.logic.semantics import to_signed
from craton.logic.walk import QUANTIFIERS, fold
from craton.views.scaled_floats import Scaled, floats_compared, not_in_bits, scaled
from craton.views.terms import Translator
from craton.views.wide_numbers import ARITHMETIC, Number, choice, constant, extended, number_of


def bit_formula(formula: Term, translator: Translator) -> Term:
    """The formula over bits that holds for the same values. The translator knows what the variables represent."""
    result = _Back(translator).formula(formula)
    assert result.sort is BOOL
    return result


def weaker_bit_formula(formula: Term, translator: Translator) -> Term:
    """The formula over bits, with `true` for parts of conjunctions and disjunctions that bits cannot express.

    Law: for the same values it follows from the formula. Inside a negation it would not, so negations are not split.
    """
    try:
        return bit_formula(formula, translator)
    except NotExpressible:
        if formula.op not in (ops.AND, ops.OR):
            return TRUE
        parts = [weaker_bit_formula(part, translator) for part in formula.args]
        return and_(*parts) if formula.op is ops.AND else or_(*parts)


@dataclass(frozen=True, slots=True)
class Cells:
    """An array of the bit-precise program that holds signed or unsigned numbers."""

    term: Term
    signed: bool


Value = Term | Number | Cells | Scaled


class _Back:
    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self.bound: dict[Term, Number] = {}
        self.memo: dict[Term, Value] = {}
        self.kept = {x for x, original in translator.originals.items() if x is original}
        self.keeps_numbers = any(x.sort is not BOOL for x in self.kept)

    def _is_kept(self, node: Term) -> bool:
        """Whether a formula is only about variables that the view left as they are: unbounded integers, say."""
        if not self.keeps_numbers or node.sort is not BOOL:
            return False
        spoken_of = free_variables(node)
        unbound = spoken_of <= self.kept and not any(x in self.bound for x in spoken_of)
        return unbound and not any(part.op is ops.APPLY for part in _nodes(node))

    def formula(self, formula: Term) -> Term:
        result = self._value(formula)
        assert isinstance(result, Term)
        return result

    def _value(self, root: Term) -> Value:
        """Bottom-up, except that quantified formulas open their own scope."""
        memo = self.memo
        stack = [root]
        while stack:
            node = stack[-1]
            if node in memo:
                stack.pop()
                continue
            if self._is_kept(node):
                stack.pop()
                memo[node] = node
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
                return constant(node.payload)
            return Scaled(Fraction(0), None, node.payload) if node.sort is REAL else node
        if op in (ops.EQ, ops.LE, ops.LT) and not isinstance(args[0], Term):
            return self._compared(op, *args)
        if op is ops.DISTINCT and not isinstance(args[0], Term):
            pairs = [(x, y) for i, x in enumerate(args) for y in args[:i]]
            return and_(*(not_(self._compared(ops.EQ, x, y)) for x, y in pairs))
        if op is ops.ITE and isinstance(args[1], Number):
            condition, then, otherwise = args
            assert isinstance(condition, Term) and isinstance(otherwise, Number)
            return choice(condition, args[1], otherwise)
        if op is ops.ITE and isinstance(args[1], Cells):
            condition, then, otherwise = args
            assert isinstance(condition, Term) and isinstance(then, Cells) and isinstance(otherwise, Cells)
            return Cells(ite(condition, then.term, otherwise.term), otherwise.signed)
        if op in (ops.SELECT, ops.STORE, ops.CONST_ARRAY):
            return self._array(node, args)
        if op is ops.APPLY:
            return self._application(node, args)
        if node.sort is REAL:
            return scaled(node, args)
        arithmetic = ARITHMETIC.get(op)
        if arithmetic is not None:
            numbers = [a for a in args if isinstance(a, Number)]
            if len(numbers) == len(args):
                return arithmetic(*numbers)
        if all(isinstance(a, Term) for a in args):
            return rebuild(node, [a for a in args if isinstance(a, Term)])
        raise not_in_bits(f"{op.name} in {node}")

    # --- variables ----------------------------------------------------------------------------------------------------

    def _variable(self, node: Term) -> Value:
        if node in self.bound:
            return self.bound[node]
        original = self.translator.originals.get(node)
        if original is None:
            raise not_in_bits(f"{node}, which is not a variable of the program,")
        return self._original(node, original)

    def _original(self, node: Term, original: Term) -> Value:
        sort, signed = original.sort, self.translator.signs.signed(original)
        if isinstance(sort, BitVec):
            return number_of(original, signed)
        if node.sort is REAL and isinstance(sort, Float):
            return Scaled(Fraction(1), original, Fraction(0))
        if node.sort is BOOL and isinstance(sort, Float):
            return fp_is_nan(original)
        if isinstance(sort, Array):
            if self.translator.real and isinstance(sort.element, Float):
                raise not_in_bits(f"{node}, an array of floats,")
            return Cells(original, signed)
        if sort is INT:
            raise not_in_bits(f"{node}, an unbounded integer,")
        return original

    # --- comparisons --------------------------------------------------------------------------------------------------

    def _compared(self, op: Op, a: Value, c: Value) -> Term:
        if isinstance(a, Number) and isinstance(c, Number):
            width = max(a.width, c.width)
            compare = {ops.EQ: eq, ops.LE: bvsle, ops.LT: bvslt}[op]
            return compare(extended(a, width), extended(c, width))
        if isinstance(a, Cells) and isinstance(c, Cells) and op is ops.EQ:
            return eq(a.term, c.term)
        if isinstance(a, Scaled) and isinstance(c, Scaled):
            return floats_compared(op, a, c)
        raise not_in_bits(f"a comparison by {op.name}")

    # --- arrays and functions -----------------------------------------------------------------------------------------

    def _array(self, node: Term, args: list[Value]) -> Value:
        array = args[0]
        if not isinstance(array, Cells) or node.op is ops.CONST_ARRAY:
            raise not_in_bits(str(node))
        sort = array.term.sort
        assert isinstance(sort, Array)
        index = _into(args[1], sort.index)
        if node.op is ops.STORE:
            return Cells(store(array.term, index, _into(args[2], sort.element)), array.signed)
        found = select(array.term, index)
        if isinstance(sort.element, BitVec):
            return number_of(found, array.signed)
        return Cells(found, array.signed) if isinstance(sort.element, Array) else found

    def _application(self, node: Term, args: list[Value]) -> Value:
        function = self.translator.functions.get(node.payload)
        if function is None:
            if all(isinstance(a, Term) for a in args) and node.sort not in (INT, REAL):
                return rebuild(node, [a for a in args if isinstance(a, Term)])
            raise not_in_bits(str(node))
        applied = apply(function, *(_into(a, sort) for a, sort in zip(args, function.params, strict=True)))
        return number_of(applied, False) if isinstance(function.result, BitVec) else applied

    # --- quantifiers --------------------------------------------------------------------------------------------------

    def _quantified(self, node: Term) -> Term:
        """A bound integer named after a program variable is one of its values. One that selects from an array is an
        index, provided that the formula is trivial outside the range of indices: there, a universal body must be true
        and an existential body false.
        """
        body = node.args[0]
        universal = node.op is ops.FORALL
        outer, self.memo, saved = self.memo, {}, dict(self.bound)
        bound: list[Term] = []
        indices: list[Term] = []
        for variable in node.payload:
            number = self._old_value(variable)
            if number is None:
                number = number_of(var(variable.name, self._index_sort(variable, body)), False)
                indices.append(variable)
            self.bound[variable] = number
            bound += free_variables(number.term)
        for variable in indices:
            self._check_guard(variable, body if universal else not_(body))
        inner = self.formula(body)
        self.memo, self.bound = outer, saved
        return forall(bound, inner) if universal else exists(bound, inner)

    def _old_value(self, variable: Term) -> Number | None:
        """Preconditions of a havoc bind x itself, and postconditions of an assignment to x call its old value x!old:
        both are in the range of x.
        """
        stem, mark, _ = variable.name.rpartition("!")
        named_after = var(stem, variable.sort) if mark else variable
        original = self.translator.originals.get(variable) or self.translator.originals.get(named_after)
        if original is None or not isinstance(original.sort, BitVec):
            return None
        return number_of(var(variable.name, original.sort), self.translator.signs.signed(original))

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
        raise not_in_bits(f"a quantifier over {variable} of sort {variable.sort}")

    def _check_guard(self, variable: Term, body: Term) -> None:
        """Checks that `body` is true outside the variable's range, because of one of its disjuncts."""
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
            raise not_in_bits(f"a quantifier over {variable}, which the formula does not keep in the range of indices,")


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


def _spread(number: Term, width: int) -> Term:
    """The bits of a number, extended: of a sum or product, in which nothing wraps, those of its parts, as the program
    computes indices.
    """
    assert isinstance(number.sort, BitVec)
    if number.op is ops.VALUE:
        return bv(to_signed(number.sort.width, number.payload), width)
    if number.op in (ops.BVADD, ops.BVMUL, ops.BVSUB, ops.BVNEG):
        parts = [_spread(part, width) for part in number.args]
        return rebuild(number, parts)
    if number.op is ops.SIGN_EXTEND:
        return _spread(number.args[0], width)
    return sign_extend(width - number.sort.width, number)


def _into(value: Value, sort: Sort) -> Term:
    """The value as an index, element or argument: the bits of the number, as the sum that the program has for it."""
    if isinstance(value, Number) and isinstance(sort, BitVec):
        if value.width >= sort.width:
            return low_part(value.term, sort.width)
        return _spread(value.term, sort.width)
    if isinstance(value, Cells):
        return value.term
    if isinstance(value, Term) and value.sort is sort:
        return value
    raise not_in_bits(f"something of sort {sort}")
