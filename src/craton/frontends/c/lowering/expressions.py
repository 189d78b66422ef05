"""Expressions without calls: their values, conditions and side effects, in C's order of evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from craton.frontends.c.automaton.arithmetic import (
    arithmetic,
    common,
    constant,
    convert,
    promoted,
    shift_amount,
    truth,
    width_of,
    zero,
)
from craton.frontends.c.lowering.access import Lvalue, Value
from craton.frontends.c.lowering.operators import COMPARISONS, Operators
from craton.frontends.c.syntax.initializers import placed
from craton.frontends.c.syntax.nodes import LVALUES, Kind, Node
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    count_leaves,
    leaves,
)
from craton.logic import (
    Term,
    bv,
    bvadd,
    bvsub,
    not_,
)
from craton.program.cfa import Location

_MOST_COPIED = 512  # leaves of a struct that is copied in one go


class Expressions(Operators):
    """Lowers expressions to terms, emitting the edges of their side effects."""

    def value(self, node: Node) -> Value:
        """The value of an expression: a term, or the leaves of a struct; `()` for void."""
        kind = node.kind
        if kind in LVALUES:
            return self.load(self.lvalue(node))
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise self.unsupported(kind.value, node)
        found: Value = handler(self, node)
        return found

    def scalar(self, node: Node) -> Term:
        found = self.value(node)
        if isinstance(found, tuple):
            raise self.unsupported(f"a {node.type} where a scalar is expected", node)
        return found

    def effect(self, node: Node) -> None:
        """Evaluates for side effects only."""
        kind = node.kind
        if kind is Kind.CONVERT and isinstance(node.type, Void):
            self.effect(node.children[0])
        elif kind is Kind.STEP:
            self._step_without_value(node)
        elif kind is Kind.ASSIGN:
            self._assign_without_value(node)
        elif kind is Kind.BINARY and node.op == ",":
            self.effect(node.children[0])
            self.effect(node.children[1])
        elif not self.purity.is_pure(node):
            self.value(node)

    def condition(self, node: Node) -> Term:
        """The truth of a scalar expression as a Bool."""
        kind = node.kind
        if kind is Kind.UNARY and node.op == "!":
            return not_(self.condition(node.children[0]))
        if kind is Kind.BINARY:
            if node.op in COMPARISONS:
                return self._comparison(node)
            if node.op in ("&&", "||"):
                return self._logical(node)
        if kind is Kind.CONVERT and isinstance(node.type, Integer) and isinstance(node.children[0].type, Integer):
            child = node.children[0]
            assert isinstance(child.type, Integer)
            if node.type.boolean or node.type.size >= child.type.size:
                return self.condition(child)
        return truth(self.scalar(node), node.type)

    def branch(self, node: Node, then: Location, otherwise: Location) -> None:
        """Control goes to `then` or `otherwise`; short circuits become control flow where they have to."""
        kind = node.kind
        if kind is Kind.UNARY and node.op == "!":
            self.branch(node.children[0], otherwise, then)
            return
        if kind is Kind.BINARY and node.op in ("&&", "||") and not self.purity.is_pure(node.children[1]):
            middle = self.builder.new()
            if node.op == "&&":
                self.branch(node.children[0], middle, otherwise)
            else:
                self.branch(node.children[0], then, middle)
            self.builder.enter(middle)
            self.branch(node.children[1], then, otherwise)
            return
        self.builder.fork(self.condition(node), then, otherwise)

    # --- assignments --------------------------------------------------------------------------------------------------

    def _assign_without_value(self, node: Node) -> Lvalue:
        left, right = node.children
        if isinstance(left.type, Record) and count_leaves(left.type) > _MOST_COPIED and right.kind in LVALUES:
            source, target = self.lvalue(right), self.lvalue(left)
            if source.address is not None and target.address is not None:
                self.check_access(source, left.type.size)
                self.check_access(target, left.type.size)
                self.copy_elements(target, source, left.type, self.memory.pointer(left.type.size))
                return target
        if self.purity.is_pure(left):
            value = self.value(right)
            target = self.lvalue(left)
        else:
            target = self.lvalue(left)
            value = self.value(right)
        if not isinstance(value, tuple) and not isinstance(left.type, Record):
            value = self._adapt(value, right.type, left.type)
        self.store(target, value)
        return target

    def _adapt(self, value: Term, source: CType, target: CType) -> Term:
        """Inside initialiser lists and calls without prototype clang may leave a conversion to us."""
        if isinstance(source, ArrayType | FunctionType) or isinstance(target, ArrayType | FunctionType | Void):
            return value
        return convert(value, source, target)

    def _assign(self, node: Node) -> Value:
        return self.load(self._assign_without_value(node))

    def _compound_assign(self, node: Node) -> Value:
        left, right = node.children
        b = self.scalar(right)
        target = self._stable(self.lvalue(left))
        a = self.load(target)
        assert isinstance(a, Term)
        if isinstance(left.type, Pointer):
            new = self._pointer_arithmetic(node.op, a, left.type, b, right.type, left.type)
        elif node.op in ("<<", ">>"):
            t = promoted(self._promoted_member(left), self.context.int_type)
            wide = convert(a, left.type, t)
            amount = shift_amount(b, right.type, width_of(wide))
            if node.op == "<<":
                self._check_shift(wide, b, right.type, amount, t)
            new = convert(arithmetic(node.op, wide, amount, t), t, left.type)
        else:
            right_type = right.type
            if isinstance(right_type, ArrayType | FunctionType):
                raise self.unsupported("this compound assignment", node)
            t = common(self._promoted_member(left), right_type, self.context.int_type)
            result = self.operate(node.op, convert(a, left.type, t), convert(b, right_type, t), t)
            new = convert(result, t, left.type)
        self.store(target, new)
        return self.load(target)

    def _promoted_member(self, node: Node) -> CType:
        """A bit-field of at most the width of int promotes to int or unsigned int, whatever its declared type.

        C leaves open what `long : 3` promotes to; gcc and clang agree on this.
        """
        t: CType = node.type
        if node.kind is Kind.MEMBER and node.value.bits is not None and isinstance(t, Integer):
            int_type, bits = self.context.int_type, node.value.bits
            if bits < int_type.width or (bits == int_type.width and t.signed):
                return int_type
            if bits == int_type.width:
                return replace(int_type, signed=False, name="unsigned int")
        return t

    def _stable(self, lvalue: Lvalue) -> Lvalue:
        """The l-value with an address that is computed once."""
        if lvalue.address is None or lvalue.address.is_value or lvalue.address.is_variable:
            return lvalue
        return Lvalue(
            lvalue.type,
            lvalue.plain,
            lvalue.offset,
            self.builder.save(lvalue.address),
            lvalue.place,
            lvalue.field,
            lvalue.base,
        )

    def _stepped(self, node: Node, old: Term) -> Term:
        child = node.children[0]
        t = child.type
        op = "+" if "++" in node.op else "-"
        if isinstance(t, Pointer):
            one = self.size_of(t.target)
            return bvadd(old, one) if op == "+" else bvsub(old, one)
        wide = promoted(self._promoted_member(child), self.context.int_type)
        if isinstance(t, Floating):
            return self.operate(op, old, constant(1, t), t)
        return convert(self.operate(op, convert(old, t, wide), constant(1, wide), wide), wide, t)

    def _step_without_value(self, node: Node) -> None:
        target = self._stable(self.lvalue(node.children[0]))
        old = self.load(target)
        assert isinstance(old, Term)
        self.store(target, self._stepped(node, old))

    def _step(self, node: Node) -> Value:
        target = self._stable(self.lvalue(node.children[0]))
        old = self.load(target)
        assert isinstance(old, Term)
        if node.op.startswith("x"):
            old = self.builder.save(old)
            self.store(target, self._stepped(node, old))
            return old
        self.store(target, self._stepped(node, old))
        return self.load(target)

    # --- initialisers -------------------------------------------------------------------------------------------------

    def _init_list(self, node: Node) -> Value:
        """A list as a value: a scalar in braces, or a struct."""
        if not isinstance(node.type, Record):
            if not node.children:
                return zero(node.type)
            return self._adapt(self.scalar(node.children[0]), node.children[0].type, node.type)
        raise self.unsupported("an initialiser list here", node)

    def initialize(self, target: Lvalue, t: CType, value: Node) -> None:
        """Stores an initialiser; parts that it does not name are zero."""
        if value.kind is not Kind.INIT_LIST and not isinstance(t, ArrayType):
            given = self.value(value)
            if isinstance(given, Term):
                given = self._adapt(given, value.type, t)
            self.store(target, given)
            return
        items = placed(t, value)
        # Values are computed before the object is cleared: they may read its old contents only by mistake, but a
        # compound literal in a loop is the same object again.
        self.clear(target, t)
        for item in items:
            part = target
            part_type = t
            for step in item.path:
                if isinstance(step, int):
                    assert isinstance(part_type, ArrayType)
                    part_type = part_type.element
                    part = self.element(part, part_type, self.memory.pointer(step * part_type.size))
                else:
                    part = self.member(part, step)
                    part_type = step.type
            if isinstance(item.type, ArrayType):
                self._store_string(part, item.type, item.value)
                continue
            given = self.value(item.value)
            if isinstance(given, Term):
                given = self._adapt(given, item.value.type, part_type)
            self.store(part, given)

    def _store_string(self, target: Lvalue, t: ArrayType, string: Node) -> None:
        count = t.count if t.count is not None else len(string.value) + 1
        for i, unit in enumerate([*string.value, 0][:count]):
            part = self.element(target, t.element, self.memory.pointer(i * t.element.size))
            self.store_memory(part, t.element, bv(unit, 8 * t.element.size))

    def clear(self, target: Lvalue, t: CType) -> None:
        """Sets an object to zero."""
        if target.plain is not None:
            for leaf in leaves(t):
                value = bv(0, 8 * leaf.type.size) if isinstance(leaf.type, Record) else zero(leaf.type)
                self._store_plain(target.plain, target.offset + leaf.offset, leaf.type, value)
            return
        self.fill(target, t, self.size_of(t), 0)

    def fill(self, target: Lvalue, t: CType, size: Term, byte: int) -> None:
        raise NotImplementedError

    def copy_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        raise NotImplementedError


_HANDLERS: dict[Kind, Any] = {
    Kind.NUMBER: Expressions._number,
    Kind.FUNCTION: Expressions._function,
    Kind.ADDRESS: Expressions._address,
    Kind.CONVERT: Expressions._convert,
    Kind.SIZE_OF: Expressions._size_of,
    Kind.LABEL_ADDRESS: Expressions._label_address,
    Kind.UNARY: Expressions._unary,
    Kind.BINARY: Expressions._binary,
    Kind.CONDITIONAL: Expressions._conditional,
    Kind.ELVIS: Expressions._elvis,
    Kind.ASSIGN: Expressions._assign,
    Kind.COMPOUND_ASSIGN: Expressions._compound_assign,
    Kind.STEP: Expressions._step,
    Kind.INIT_LIST: Expressions._init_list,
    Kind.CALL: lambda self, node: self.call(node),
    Kind.VA_ARG: lambda self, node: self.va_arg(node),
    Kind.STATEMENT_EXPRESSION: lambda self, node: self.statement_expression(node),
}
