"""Operators: arithmetic, comparisons, conversions, and choices between values."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import (
    arithmetic,
    compare,
    complement,
    constant,
    convert,
    is_signed,
    negate,
    number,
    resize,
    shift_amount,
    truth,
    width_of,
)
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context, part_sort
from craton.frontends.c.lowering.access import Value
from craton.frontends.c.lowering.lvalues import Lvalues
from craton.frontends.c.lowering.purity import Purity
from craton.frontends.c.syntax.nodes import Function, Kind, Node
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    leaves,
)
from craton.logic import (
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvnego,
    bvsaddo,
    bvsdiv,
    bvsdivo,
    bvshl,
    bvsmulo,
    bvssubo,
    bvsub,
    bvult,
    eq,
    ite,
    not_,
    or_,
)
from craton.logic import bvashr as arithmetic_shift
from craton.program.cfa import OVERFLOW, Location

COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_OVERFLOW = {"+": bvsaddo, "-": bvssubo, "*": bvsmulo, "/": bvsdivo}


class Operators(Lvalues):
    """Lowers operators without side effects of their own."""

    def __init__(self, context: Context, function: Function, builder: Builder) -> None:
        super().__init__(context, function, builder)
        self.purity = Purity(context.specification)
        self.label_numbers: dict[str, int] = {}

    def effect(self, node: Node) -> None:
        raise NotImplementedError

    def condition(self, node: Node) -> Term:
        raise NotImplementedError

    def branch(self, node: Node, then: Location, otherwise: Location) -> None:
        raise NotImplementedError

    # --- simple values ------------------------------------------------------------------------------------------------

    def _number(self, node: Node) -> Value:
        if isinstance(node.type, Void):
            return ()
        return constant(node.value, node.type)

    def _function(self, node: Node) -> Value:
        self.context.called[node.value.symbol] = node.value
        return self.memory.address_of_function(node.value)

    def _address(self, node: Node) -> Value:
        child = node.children[0]
        if child.kind is Kind.FUNCTION:
            return self._function(child)
        if child.kind is Kind.DEREFERENCE:
            return self.scalar(child.children[0])
        lvalue = self.lvalue(child)
        if lvalue.address is None:
            raise self.unsupported("the address of this expression", node)
        return lvalue.address

    def _convert(self, node: Node) -> Value:
        child = node.children[0]
        if isinstance(node.type, Void):
            self.effect(child)
            return ()
        if isinstance(node.type, Record):
            if isinstance(child.type, Record):
                return self.value(child)
            return self._to_union(node, child)
        if isinstance(node.type, Integer) and node.type.boolean and not isinstance(child.type, ArrayType):
            return number(self.condition(child), node.type.width)
        value = self.scalar(child)
        if isinstance(child.type, ArrayType | FunctionType):
            return resize(value, node.type.size * 8, signed=False) if not isinstance(node.type, Floating) else value
        if isinstance(child.type, Record | Void) or not isinstance(node.type, Integer | Floating | Pointer):
            raise self.unsupported(f"conversion from {child.type} to {node.type}", node)
        return convert(value, child.type, node.type)

    def _to_union(self, node: Node, child: Node) -> Value:
        """GNU's cast to a union type."""
        assert isinstance(node.type, Record)
        bits = self.to_bits(self.scalar(child), child.type)
        return (resize(bits, 8 * node.type.size, signed=False),)

    def _size_of(self, node: Node) -> Value:
        return resize(self.size_of(node.value), node.type.size * 8, signed=False)

    def _label_address(self, node: Node) -> Value:
        numbers = self.label_numbers
        return self.memory.pointer(numbers.setdefault(node.value, len(numbers) + 1))

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def _unary(self, node: Node) -> Value:
        child = node.children[0]
        if node.op == "!":
            return number(not_(self.condition(child)), node.type.size * 8)
        value = self.scalar(child)
        if node.op == "+":
            return value
        if node.op == "~":
            return complement(value)
        if self.context.specification.overflow and is_signed(node.type):
            self.builder.check(not_(bvnego(value)), OVERFLOW)
        return negate(value, node.type)

    def _binary(self, node: Node) -> Value:
        op = node.op
        if op == ",":
            self.effect(node.children[0])
            return self.value(node.children[1])
        if op in COMPARISONS:
            return number(self._comparison(node), node.type.size * 8)
        if op in ("&&", "||"):
            return number(self._logical(node), node.type.size * 8)
        return self._chain(node)

    def _chain(self, node: Node) -> Value:
        """Operands that lean to the left (a + b + c …) in a loop, so that long sums need no depth."""
        spine = [node]
        while True:
            left = spine[-1].children[0]
            if left.kind is not Kind.BINARY or left.op in COMPARISONS or left.op in ("&&", "||", ","):
                break
            spine.append(left)
        value = self.scalar(spine[-1].children[0])
        while spine:
            step = spine.pop()
            left, right = step.children
            other = self.scalar(right)
            value = self._apply(step.op, value, left.type, other, right.type, step.type)
        return value

    def _apply(self, op: str, a: Term, a_type: CType, b: Term, b_type: CType, t: CType) -> Term:
        """One arithmetic operation on operands as clang converted them."""
        if isinstance(a_type, Pointer | ArrayType) or isinstance(b_type, Pointer | ArrayType):
            return self._pointer_arithmetic(op, a, a_type, b, b_type, t)
        if op in ("<<", ">>"):
            amount = shift_amount(b, b_type, width_of(a))
            if op == "<<":
                self._check_shift(a, b, b_type, amount, t)
            return arithmetic(op, a, amount, t)
        return self.operate(op, a, b, t)

    def operate(self, op: str, a: Term, b: Term, t: CType) -> Term:
        """`a op b` in type `t`, with the checks that the property asks for; division by zero stops."""
        if isinstance(t, Integer):
            if op in ("/", "%"):
                self.builder.assume(not_(eq(b, bv(0, width_of(b)))))
            if self.context.specification.overflow and t.signed:
                test = _OVERFLOW.get(op)
                if test is not None:
                    self.builder.check(not_(test(a, b)), OVERFLOW)
        return arithmetic(op, a, b, t)

    def _check_shift(self, a: Term, b: Term, b_type: CType, amount: Term, t: CType) -> None:
        """A left shift overflows if the number a·2^b is not representable."""
        if not self.context.specification.overflow or not is_signed(t):
            return
        width = width_of(a)
        in_range = bvult(b, bv(width, width_of(b)))
        lost = not_(eq(arithmetic_shift(bvshl(a, amount), amount), a))
        bad = and_(not_(eq(a, bv(0, width))), or_(not_(in_range), lost))
        self.builder.check(not_(bad), OVERFLOW)

    def _pointer_arithmetic(self, op: str, a: Term, a_type: CType, b: Term, b_type: CType, t: CType) -> Term:
        if isinstance(a_type, Integer):
            a, a_type, b, b_type = b, b_type, a, a_type
        target = a_type.target if isinstance(a_type, Pointer) else a_type.element  # type: ignore[attr-defined]
        if isinstance(b_type, Pointer | ArrayType):  # the distance of two pointers
            size = self.size_of(target)
            distance = bvsub(a, b)
            if size.is_value and size.payload in (0, 1):
                return resize(distance, t.size * 8, signed=True)
            return resize(bvsdiv(distance, size), t.size * 8, signed=True)
        offset = self._scaled(b, b_type, target)
        return bvadd(a, offset) if op == "+" else bvsub(a, offset)

    def _comparison(self, node: Node) -> Term:
        left, right = node.children
        a, b = self.scalar(left), self.scalar(right)
        t = left.type
        if isinstance(t, ArrayType | FunctionType):
            t = right.type
        if isinstance(left.type, Pointer | ArrayType) or isinstance(right.type, Pointer | ArrayType):
            width = self.context.pointer_width
            a = resize(a, width, signed=is_signed(left.type))
            b = resize(b, width, signed=is_signed(right.type))
            return compare(node.op, a, b, left.type if isinstance(left.type, Pointer) else right.type)
        return compare(node.op, a, b, t)

    # --- choices ------------------------------------------------------------------------------------------------------

    def _logical(self, node: Node) -> Term:
        if self.purity.is_pure(node.children[1]):
            spine = [node]
            while True:  # a && b && c … in a loop
                first = spine[-1].children[0]
                if first.kind is not Kind.BINARY or first.op != node.op or not self.purity.is_pure(first.children[1]):
                    break
                spine.append(first)
            result = self.condition(spine[-1].children[0])
            rest = [self.condition(step.children[1]) for step in reversed(spine)]
            return and_(result, *rest) if node.op == "&&" else or_(result, *rest)
        builder = self.builder
        result = builder.temporary(BitVec(8))
        then, otherwise, after = builder.new(), builder.new(), builder.new()
        self.branch(node, then, otherwise)
        for start, outcome in ((then, 1), (otherwise, 0)):
            builder.enter(start)
            builder.assign(result, bv(outcome, 8))
            builder.go(after)
        builder.enter(after)
        return eq(result, bv(1, 8))

    def _conditional(self, node: Node) -> Value:
        test, then, otherwise = node.children
        void = isinstance(node.type, Void)
        if not void and self.purity.is_pure(then) and self.purity.is_pure(otherwise):
            condition = self.condition(test)
            a, b = self.value(then), self.value(otherwise)
            if isinstance(a, tuple) and isinstance(b, tuple):
                return tuple(ite(condition, x, y) for x, y in zip(a, b, strict=True))
            assert isinstance(a, Term) and isinstance(b, Term)
            return ite(condition, self._same_width(a, node.type), self._same_width(b, node.type))
        builder = self.builder
        left, right, after = builder.new(), builder.new(), builder.new()
        self.branch(test, left, right)
        results: tuple[Term, ...] = ()
        if not void:
            results = tuple(builder.temporary(part_sort(leaf.type)) for leaf in leaves(node.type))
        for start, arm in ((left, then), (right, otherwise)):
            builder.enter(start)
            if void:
                self.effect(arm)
            else:
                self._assign_all(results, self.value(arm), node.type)
            builder.go(after)
        builder.enter(after)
        if void:
            return ()
        return results if isinstance(node.type, Record) else results[0]

    def _same_width(self, term: Term, t: CType) -> Term:
        if isinstance(t, Pointer) and width_of(term) != t.size * 8:
            return resize(term, t.size * 8, signed=False)
        return term

    def _assign_all(self, targets: tuple[Term, ...], value: Value, t: CType) -> None:
        values = value if isinstance(value, tuple) else (self._same_width(value, t),)
        for target, term in zip(targets, values, strict=True):
            self.builder.assign(target, term)

    def _elvis(self, node: Node) -> Value:
        """`a ?: b`: the value of `a` is computed once."""
        first, otherwise = node.children
        value = self.builder.save(self.scalar(first))
        condition = truth(value, first.type)
        converted = value if first.type is node.type else convert(value, first.type, node.type)
        if self.purity.is_pure(otherwise):
            return ite(condition, converted, self.scalar(otherwise))
        builder = self.builder
        result = builder.temporary(converted.sort)
        left, right, after = builder.new(), builder.new(), builder.new()
        builder.fork(condition, left, right)
        builder.enter(left)
        builder.assign(result, converted)
        builder.go(after)
        builder.enter(right)
        builder.assign(result, self.scalar(otherwise))
        builder.go(after)
        builder.enter(after)
        return result
