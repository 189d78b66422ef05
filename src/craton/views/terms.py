"""Translates terms of the bit-precise program to terms of a view, together with what they need.

The translation of a term is exact except for its `Need`s: fresh variables for results that integers or reals cannot
express (with facts about them), and facts about values read from arrays, whose cells are arbitrary integers. Before a
statement uses the term, the variables must be chosen and the facts assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from craton.errors import NotExpressible
from craton.logic import (
    BOOL,
    FALSE,
    INT,
    REAL,
    RNE,
    TRUE,
    Array,
    BitVec,
    Float,
    Function,
    Sort,
    Term,
    add,
    and_,
    apply,
    const_array,
    eq,
    exists,
    forall,
    free_variables,
    implies,
    int_,
    ite,
    le,
    lt,
    mul,
    not_,
    ops,
    rebuild,
    select,
    store,
    sub,
    var,
)
from craton.logic.ops import Op, Theory
from craton.logic.walk import QUANTIFIERS, fold
from craton.views import bits as b
from craton.views import reals as r
from craton.views.arithmetic import Arithmetic, Overflow, Unknowns
from craton.views.bits import Bits
from craton.views.conversions import float_near, float_of, integer_near
from craton.views.operations import BITS, BITWISE, SHIFTS, Bitwise
from craton.views.reals import Rounding
from craton.views.signs import Signedness
from craton.views.values import (
    Pair,
    Value,
    holds_floats,
    integer_sort,
    mentions_bits,
    mentions_floats,
    pair_sorts,
)

Floats = Literal["exact", "real"]


@dataclass(frozen=True, slots=True)
class Need:
    """What one operation needs: variables to choose, facts to assume. Unless `exact`, this allows more results than the
    operation has.
    """

    variables: tuple[Term, ...]
    facts: tuple[Term, ...]
    exact: bool


@dataclass
class Needs:
    """What one or several terms need, operands before the operations that use them."""

    variables: dict[Term, None] = field(default_factory=dict)
    facts: dict[Term, None] = field(default_factory=dict)
    exact: bool = True

    def include(self, need: Need | Needs) -> None:
        self.variables.update(dict.fromkeys(need.variables))
        self.facts.update(dict.fromkeys(need.facts))
        self.exact = self.exact and need.exact


class Translator:
    """Translates terms of one program, each term once. For numbers that leave their range, the law of `Arithmetic`
    holds.
    """

    def __init__(self, signs: Signedness, floats: Floats = "exact", overflow: Overflow = Overflow.WRAPS) -> None:
        self.signs = signs
        self.arithmetic = Arithmetic(overflow)
        self.real = floats == "real"
        self.originals: dict[Term, Term] = {}  # view variable → variable of the program
        self.functions: dict[Function, Function] = {}  # likewise
        self.fresh_variables: dict[Term, None] = {}
        self._values: dict[Term, Value] = {}
        self._needs: dict[Term, Need] = {}
        self._number = 0

    # --- what callers use ---------------------------------------------------------------------------------------------

    def value(self, term: Term) -> Value:
        return fold(term, self._visit, self._values)

    def formula(self, term: Term) -> Term:
        result = self.value(term)
        assert isinstance(result, Term)
        return result

    def parts(self, term: Term, target: Term) -> tuple[Term, ...]:
        """The values to assign to the `variables` of `target`, which has the same sort as the term."""
        value = self.value(term)
        if isinstance(value, Bits):
            return (self.arithmetic.valued(value, self.signs.signed(target)).term,)
        return (value.number, value.nan) if isinstance(value, Pair) else (value,)

    def variables(self, variable: Term) -> tuple[Term, ...]:
        """The variables that represent a variable of the program."""
        value = self.value(variable)
        if isinstance(value, Pair):
            return (value.number, value.nan)
        return (value.term if isinstance(value, Bits) else value,)

    def range(self, variable: Term) -> Term:
        """What every value of a variable satisfies; `true` for arrays."""
        value = self.value(variable)
        if isinstance(value, Bits):
            return b.in_range(value.term, value.width, self.signs.signed(variable))
        if isinstance(value, Pair) and isinstance(variable.sort, Float):
            return r.well_formed(value, variable.sort)
        return TRUE

    def needs(self, *roots: Term) -> Needs:
        """What translated terms need."""
        found = Needs()
        for root in roots:
            self.value(root)
        for node in self._needing(roots):
            found.include(self._needs[node])
        return found

    def _needing(self, roots: Sequence[Term]) -> Iterator[Term]:
        """The nodes that need something, operands first. Quantified formulas need what their parts need."""
        seen: set[Term] = set()
        stack = [(root, False) for root in reversed(roots)]
        while stack:
            node, done = stack.pop()
            if done:
                if node in self._needs:
                    yield node
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                if node.op not in QUANTIFIERS:
                    stack.extend((a, False) for a in reversed(node.args))

    # --- fresh variables ----------------------------------------------------------------------------------------------

    def _fresh(self, sort: Sort) -> Term:
        while True:
            chosen = var(f"view!{self._number}", sort)
            self._number += 1
            if chosen not in self.originals:
                self.fresh_variables[chosen] = None
                return chosen

    def _unknown(self, node: Term, sort: Sort, *facts: Callable[[Term], Term]) -> Term:
        """A fresh variable for the value of a node."""
        chosen = self._fresh(sort)
        self._needs[node] = Need((chosen,), tuple(fact(chosen) for fact in facts), exact=False)
        return chosen

    def _unknown_value(self, node: Term) -> Value:
        sort = node.sort
        if isinstance(sort, BitVec):
            width = sort.width
            return b.of_range(self._unknown(node, INT, lambda v: b.in_range(v, width, False)), width, False)
        if self.real and isinstance(sort, Float):
            return self._rounding(node, lambda out: out.arbitrary(sort))
        if isinstance(sort, Array):
            raise NotExpressible(
                f"the view has no counterpart of {node.op.name} of sort {sort}; use the bit-precise one"
            )
        return self._unknown(node, sort)

    def _bitwise(self, node: Term, operation: Callable[[Unknowns], Bits]) -> Bits:
        unknowns = Unknowns(lambda: self._fresh(INT))
        result = operation(unknowns)
        if unknowns.variables:
            self._needs[node] = Need(tuple(unknowns.variables), tuple(unknowns.facts), exact=False)
        return result

    def _folded(self, operation: Bitwise, args: list[Value], unknowns: Unknowns) -> Bits:
        result, *rest = map(_bits, args)
        for part in rest:
            result = operation(self.arithmetic, result, part, unknowns)
        return result

    def _rounding(self, node: Term, operation: Callable[[Rounding], Value]) -> Value:
        out = Rounding(self._fresh)
        result = operation(out)
        if out.variables:
            self._needs[node] = Need(tuple(out.variables), tuple(out.facts), exact=False)
        return result

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _visit(self, node: Term, args: list[Value]) -> Value:
        op = node.op
        if op is ops.VARIABLE:
            return self._variable(node)
        if op is ops.VALUE:
            return self._constant(node)
        if op is ops.ITE:
            return self._choice(*args)
        if op is ops.EQ:
            return self._equal(node, args)
        if op is ops.DISTINCT:
            return self._distinct(node, args)
        if op in QUANTIFIERS:
            return self._quantified(node, args[0])
        if op is ops.APPLY:
            return self._application(node, args)
        if op.theory is Theory.ARRAYS:
            return self._array(node, args)
        if self.real and op.theory in (Theory.FLOATS, Theory.FLOATS_REALS):
            return self._real_float(node, args)
        operation = BITS.get(op)
        if operation is not None:
            return operation(self.arithmetic, node.payload, *args)
        bitwise = BITWISE.get(op)
        if bitwise is not None:
            return self._bitwise(node, lambda unknowns: self._folded(bitwise, args, unknowns))
        shift = SHIFTS.get(op)
        if shift is not None:
            a, amount = args
            assert isinstance(a, Bits) and isinstance(amount, Bits)
            return self._bitwise(node, lambda unknowns: self.arithmetic.shift(shift, a, amount, unknowns))
        if op in _FROM_BITS or op in _TO_BITS:
            return self._conversion(node, args)
        plain = [a for a in args if isinstance(a, Term)]
        assert len(plain) == len(args), f"{op.name} over bits"
        return rebuild(node, plain)

    def _variable(self, node: Term) -> Value:
        sort = node.sort
        if isinstance(sort, BitVec):
            return b.of_range(self._named(node, INT), sort.width, self.signs.signed(node))
        if self.real and mentions_floats(sort):
            if not holds_floats(sort):
                raise NotExpressible(f"{node.name} of sort {sort} has no counterpart in the real view")
            number, nan = pair_sorts(sort)
            return Pair(self._named(node, number), self._named(node, nan, ".nan"))
        return self._named(node, integer_sort(sort))

    def _named(self, node: Term, sort: Sort, suffix: str = "") -> Term:
        """A variable of the same name, unless variables of several sorts have that name."""
        name = node.name + suffix
        while self.originals.get(var(name, sort), node) is not node or var(name, sort) in self.fresh_variables:
            name += "'"
        self.originals[var(name, sort)] = node
        return var(name, sort)

    def _constant(self, node: Term) -> Value:
        sort = node.sort
        if isinstance(sort, BitVec):
            return b.constant(node.payload, sort.width)
        if self.real and isinstance(sort, Float):
            return r.constant(node.payload, sort)
        return node

    def _choice(self, condition: Value, then: Value, otherwise: Value) -> Value:
        assert isinstance(condition, Term)
        if isinstance(then, Bits) and isinstance(otherwise, Bits):
            return self.arithmetic.choice(condition, then, otherwise)
        if isinstance(then, Pair) and isinstance(otherwise, Pair):
            return Pair(ite(condition, then.number, otherwise.number), ite(condition, then.nan, otherwise.nan))
        assert isinstance(then, Term) and isinstance(otherwise, Term)
        return ite(condition, then, otherwise)

    def _equal(self, node: Term, args: list[Value]) -> Term:
        x, y = args
        if isinstance(x, Bits) and isinstance(y, Bits):
            return self.arithmetic.same(x, y)
        sort = node.args[0].sort
        if isinstance(sort, Array) and (mentions_bits(sort) or isinstance(x, Pair)):
            # Equal arrays may differ in cells that exist only in the view.
            return self._unknown(node, BOOL)
        if isinstance(x, Pair) and isinstance(y, Pair):
            result = self._rounding(node, lambda out: r.identical(x, y, out))
            assert isinstance(result, Term)
            return result
        assert isinstance(x, Term) and isinstance(y, Term)
        return eq(x, y)

    def _distinct(self, node: Term, args: list[Value]) -> Term:
        if all(isinstance(a, Term) for a in args) and not isinstance(node.args[0].sort, Array):
            return rebuild(node, [a for a in args if isinstance(a, Term)])
        if isinstance(args[0], Bits):
            pairs = [(x, y) for i, x in enumerate(args) for y in args[:i]]
            return and_(
                *(not_(self.arithmetic.same(x, y)) for x, y in pairs if isinstance(x, Bits) and isinstance(y, Bits))
            )
        return self._unknown(node, BOOL)

    def _quantified(self, node: Term, body: Value) -> Term:
        """Quantifies over the integers in range. The whole formula is left open if a bound variable ranges over more
        values in the view than in bits, or if a choice inside would depend on a bound variable.
        """
        assert isinstance(body, Term)
        bound: tuple[Term, ...] = node.payload
        if any(isinstance(v.sort, Array) or (self.real and isinstance(v.sort, Float)) for v in bound):
            return self._unknown(node, BOOL)
        needs = Needs()
        for inner in self._needing(node.args):
            need = self._needs[inner]
            if free_variables(inner).isdisjoint(bound):
                needs.include(need)
            elif need.variables:
                return self._unknown(node, BOOL)
            else:  # without facts about what is read, cells out of range count too
                needs.exact = False
        if needs.variables or needs.facts or not needs.exact:
            self._needs[node] = Need(tuple(needs.variables), tuple(needs.facts), needs.exact)
        ranges = and_(*(self.range(variable) for variable in bound))
        variables = [v for variable in bound for v in self.variables(variable)]
        if node.op is ops.FORALL:
            return forall(variables, implies(ranges, body))
        return exists(variables, and_(ranges, body))

    def _application(self, node: Term, args: list[Value]) -> Value:
        function: Function = node.payload
        sorts = (*function.params, function.result)
        if any(isinstance(s, Array) and mentions_bits(s) for s in sorts) or any(isinstance(a, Pair) for a in args):
            return self._unknown_value(node)
        if self.real and mentions_floats(function.result):
            return self._unknown_value(node)
        if not any(map(mentions_bits, sorts)):
            return rebuild(node, [a for a in args if isinstance(a, Term)])
        view = Function(function.name, tuple(map(integer_sort, function.params)), integer_sort(function.result))
        self.functions[view] = function
        applied = apply(view, *(self.arithmetic.unsigned(a).term if isinstance(a, Bits) else _plain(a) for a in args))
        if not isinstance(function.result, BitVec):
            return applied
        return self._read(node, applied, function.result.width, False)

    def _read(self, node: Term, found: Term, width: int, signed: bool) -> Bits:
        """The content of a cell, or the result of a function, is in range."""
        if found.op is ops.SELECT or found.op is ops.APPLY:
            self._needs[node] = Need((), (b.in_range(found, width, signed),), exact=True)
        return b.of_range(found, width, signed)

    # --- arrays -------------------------------------------------------------------------------------------------------

    def _array(self, node: Term, args: list[Value]) -> Value:
        if node.op is ops.CONST_ARRAY:
            return self._constant_array(node, args[0])
        array, index = args[0], self._index(args[1])
        sort = node.args[0].sort
        assert isinstance(sort, Array)
        if node.op is ops.SELECT:
            if isinstance(array, Pair):
                found = Pair(select(array.number, index), select(array.nan, index))
                if isinstance(sort.element, Float) and found.number.op is ops.SELECT:
                    self._needs[node] = Need((), (r.well_formed(found, sort.element),), exact=True)
                return found
            read = select(_plain(array), index)
            if isinstance(sort.element, BitVec):
                return self._read(node, read, sort.element.width, self.signs.signed(node.args[0]))
            return read
        element = args[2]
        if isinstance(array, Pair):
            assert isinstance(element, Pair)
            return Pair(store(array.number, index, element.number), store(array.nan, index, element.nan))
        return store(_plain(array), index, self._element(node, element))

    def _index(self, value: Value) -> Term:
        if isinstance(value, Pair):
            raise NotExpressible("arrays indexed by floats have no counterpart in the real view")
        return self.arithmetic.unsigned(value).term if isinstance(value, Bits) else value

    def _element(self, array: Term, element: Value) -> Term:
        if isinstance(element, Bits):
            return self.arithmetic.valued(element, self.signs.signed(array)).term
        return _plain(element)

    def _constant_array(self, node: Term, element: Value) -> Value:
        sort = node.sort
        if isinstance(element, Pair):
            number, nan = pair_sorts(sort)
            assert isinstance(number, Array) and isinstance(nan, Array)
            return Pair(const_array(number, element.number), const_array(nan, element.nan))
        view = integer_sort(sort)
        assert isinstance(view, Array)
        return const_array(view, self._element(node, element))

    # --- floats -------------------------------------------------------------------------------------------------------

    def _conversion(self, node: Term, args: list[Value]) -> Value:
        """Between bits and exact floats. Solvers hardly support floats and integers together, so the results are left
        open within their bounds.
        """
        op, sort = node.op, node.sort
        if op is ops.FP_FROM_BITS:
            return self._unknown_value(node)
        if op in _TO_BITS:
            assert isinstance(sort, BitVec)
            mode, x = map(_plain, args)
            low, high = b.bounds(sort.width, op is ops.FP_TO_SBV)
            chosen = self._unknown(
                node,
                INT,
                lambda v: and_(le(int_(low), v), le(v, int_(high))),
                lambda v: integer_near(v, x, low, high),
            )
            return b.made(sort.width, chosen, low, high)
        mode, number = _plain(args[0]), args[1]
        assert isinstance(number, Bits) and isinstance(sort, Float)
        number = self.arithmetic.valued(number, op is ops.FP_FROM_SIGNED)
        if mode.is_value and number.high - number.low < _FEW_NUMBERS:
            result = float_of(number.high, mode, sort)
            for n in reversed(range(number.low, number.high)):
                result = ite(eq(number.term, int_(n)), float_of(n, mode, sort), result)
            return result
        return self._unknown(node, sort, lambda v: float_near(v, number, sort))

    def _real_float(self, node: Term, args: list[Value]) -> Value:
        op, sort = node.op, node.sort
        floats = [a for a in args if isinstance(a, Pair)]
        modes = [a for a in args if isinstance(a, Term)]
        mode = modes[0] if modes else RNE
        source = node.args[-1].sort
        if op in _COMPARISONS:
            return r.compared(_COMPARISONS[op], *floats)
        if op in _CLASSES:
            assert isinstance(source, Float)
            return _CLASSES[op](floats[0], source)
        if op in (ops.FP_IS_NEGATIVE, ops.FP_IS_POSITIVE):
            return self._rounding(node, lambda out: r.has_sign(floats[0], op is ops.FP_IS_NEGATIVE, out))
        if op is ops.FP_TO_REAL:
            assert isinstance(source, Float)
            x, number_like = floats[0], r.finite(floats[0], source)
            return self._rounding(node, lambda out: ite(number_like, x.number, out.unknown(REAL)))
        if op in _TO_BITS:
            assert isinstance(sort, BitVec) and isinstance(source, Float)
            low, high = b.bounds(sort.width, op is ops.FP_TO_SBV)
            width, fmt = sort.width, source
            return self._rounding(
                node, lambda out: b.made(width, r.to_integer(mode, floats[0], low, high, fmt, out), low, high)
            )
        assert isinstance(sort, Float)
        return self._rounding(node, lambda out: self._real_result(node, sort, mode, args, floats, out))

    def _real_result(
        self, node: Term, sort: Float, mode: Term, args: list[Value], floats: list[Pair], out: Rounding
    ) -> Pair:
        op = node.op
        if op in _ARITHMETIC:
            return r.binary(_ARITHMETIC[op], mode, floats[0], floats[1], sort, out)
        if op is ops.FP_DIV:
            return r.quotient(mode, floats[0], floats[1], sort, out)
        if op is ops.FP_NEG:
            return r.negative(floats[0])
        if op is ops.FP_ABS:
            return r.absolute(floats[0])
        if op is ops.FP_MIN:
            return r.smaller(*floats)
        if op is ops.FP_MAX:
            return r.larger(*floats)
        if op is ops.FP_SQRT:
            return r.square_root(floats[0], sort, out)
        if op is ops.FP_ROUND:
            return r.integral(mode, floats[0], out)
        if op is ops.FP_FROM_FP:
            source = node.args[1].sort
            assert isinstance(source, Float)
            return r.converted(mode, floats[0], source, sort, out)
        if op in (ops.FP_FROM_SIGNED, ops.FP_FROM_UNSIGNED):
            number = args[1]
            assert isinstance(number, Bits)
            number = self.arithmetic.valued(number, op is ops.FP_FROM_SIGNED)
            return r.from_integer(mode, number.term, number.low, number.high, sort, out)
        if op is ops.FP_FROM_REAL:
            return Pair(out.rounded(_plain(args[1]), sort, mode), FALSE)
        return out.arbitrary(sort)  # from bits; fma, rem


# --- helpers and tables -----------------------------------------------------------------------------------------------

_FEW_NUMBERS = 4


def _plain(value: Value) -> Term:
    assert isinstance(value, Term)
    return value


def _bits(value: Value) -> Bits:
    assert isinstance(value, Bits)
    return value


_FROM_BITS = frozenset((ops.FP_FROM_BITS, ops.FP_FROM_SIGNED, ops.FP_FROM_UNSIGNED))
_TO_BITS = frozenset((ops.FP_TO_SBV, ops.FP_TO_UBV))
_COMPARISONS = {ops.FP_LE: le, ops.FP_LT: lt, ops.FP_EQ: eq}
_CLASSES: dict[Op, Callable[[Pair, Float], Term]] = {
    ops.FP_IS_NAN: lambda a, sort: a.nan,
    ops.FP_IS_INFINITE: r.infinite,
    ops.FP_IS_ZERO: lambda a, sort: and_(not_(a.nan), eq(a.number, r.ZERO)),
    ops.FP_IS_NORMAL: r.is_normal,
    ops.FP_IS_SUBNORMAL: r.is_subnormal,
}
_ARITHMETIC: dict[Op, Callable[[Term, Term], Term]] = {ops.FP_ADD: add, ops.FP_SUB: sub, ops.FP_MUL: mul}
