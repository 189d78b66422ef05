"""Assignments: `=`, `+=` and the like, `++` and `--`."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.c.automaton.arithmetic import (
    adapt,
    arithmetic,
    common,
    constant,
    convert,
    number,
    promoted,
    shift_amount,
    truth,
    width_of,
)
from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.bulk import Bulk
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.lvalues import Lvalues
from craton.frontends.c.lowering.operators import Operators
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.syntax.nodes import LVALUES, Kind, Node
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    count_leaves,
)
from craton.logic import Term, bvadd, bvsub

_MOST_COPIED = 512  # leaves of a struct that is copied in one go


class Assignments:
    """Lowers the operators that change what stands at an l-value."""

    def __init__(
        self,
        frame: Frame,
        expressions: Expressions,
        lvalues: Lvalues,
        operators: Operators,
        access: Access,
        bulk: Bulk,
        safety: Safety,
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._purity = frame.purity
        self._expressions = expressions
        self._lvalues = lvalues
        self._operators = operators
        self._access = access
        self._bulk = bulk
        self._safety = safety

    def assign(self, node: Node) -> Value:
        return self._access.load(self.assign_only(node))

    def assign_only(self, node: Node) -> Lvalue:
        """Where the value stands afterwards."""
        left, right = node.children
        if isinstance(left.type, Record) and count_leaves(left.type) > _MOST_COPIED and right.kind in LVALUES:
            source, target = self._lvalues.lvalue(right), self._lvalues.lvalue(left)
            if source.address is not None and target.address is not None:
                self._safety.check_access(source, left.type.size)
                self._safety.check_access(target, left.type.size)
                self._bulk.copy_elements(target, source, left.type, self._memory.pointer(left.type.size))
                return target
        if self._purity.is_pure(left):
            value = self._expressions.value(right)
            target = self._lvalues.lvalue(left)
        else:
            target = self._lvalues.lvalue(left)
            value = self._expressions.value(right)
        if not isinstance(value, tuple) and not isinstance(left.type, Record):
            value = adapt(value, right.type, left.type)
        self._access.store(target, value)
        return target

    def compound_assign(self, node: Node) -> Value:
        left, right = node.children
        b = self._expressions.scalar(right)
        target = self._stable(self._lvalues.lvalue(left))
        a = self._expressions.early(left) or self._access.load(target)
        assert isinstance(a, Term)
        if isinstance(left.type, Pointer):
            new = self._operators.pointer_arithmetic(node.op, a, left.type, b, right.type, left.type)
        elif node.op in ("<<", ">>"):
            t = promoted(self._promoted_member(left), self._context.int_type)
            wide = convert(a, left.type, t)
            amount = shift_amount(b, right.type, width_of(wide))
            if node.op == "<<":
                self._operators.check_shift(wide, b, right.type, amount, t)
            new = convert(arithmetic(node.op, wide, amount, t), t, left.type)
        else:
            right_type = right.type
            if isinstance(right_type, ArrayType | FunctionType):
                raise self._frame.unsupported("this compound assignment", node)
            t = common(self._promoted_member(left), right_type, self._context.int_type)
            result = self._operators.operate(node.op, convert(a, left.type, t), convert(b, right_type, t), t)
            new = self._frame.converted(result, t, left.type)
        if self._context.facts.addresses.tells(node):
            boolean = isinstance(left.type, Integer) and left.type.boolean
            new = number(self._frame.unsure(truth(new, left.type)), 8) if boolean else self._frame.unsure(new)
        self._access.store(target, new)
        return self._access.load(target)

    def step(self, node: Node) -> Value:
        target = self._stable(self._lvalues.lvalue(node.children[0]))
        old = self._access.load(target)
        assert isinstance(old, Term)
        if node.op.startswith("x"):
            old = self._builder.save(old)
            self._access.store(target, self._stepped(node, old))
            return old
        self._access.store(target, self._stepped(node, old))
        return self._access.load(target)

    def step_only(self, node: Node) -> None:
        target = self._stable(self._lvalues.lvalue(node.children[0]))
        old = self._access.load(target)
        assert isinstance(old, Term)
        self._access.store(target, self._stepped(node, old))

    def _stepped(self, node: Node, old: Term) -> Term:
        child = node.children[0]
        t = child.type
        op = "+" if "++" in node.op else "-"
        if isinstance(t, Pointer):
            one = self._frame.size_of(t.target)
            return bvadd(old, one) if op == "+" else bvsub(old, one)
        wide = promoted(self._promoted_member(child), self._context.int_type)
        if isinstance(t, Floating):
            return self._operators.operate(op, old, constant(1, t), t)
        return convert(self._operators.operate(op, convert(old, t, wide), constant(1, wide), wide), wide, t)

    def _promoted_member(self, node: Node) -> CType:
        """A bit-field of at most the width of int promotes to int or unsigned int, whatever its declared type.

        C leaves open what `long : 3` promotes to; gcc and clang agree on this.
        """
        t: CType = node.type
        if node.kind is Kind.MEMBER and node.value.bits is not None and isinstance(t, Integer):
            int_type, bits = self._context.int_type, node.value.bits
            if bits < int_type.width or (bits == int_type.width and t.signed):
                return int_type
            if bits == int_type.width:
                return replace(int_type, signed=False, name="unsigned int")
        return t

    def _stable(self, lvalue: Lvalue) -> Lvalue:
        """The l-value with an address that is computed once."""
        if lvalue.address is None or lvalue.address.is_value or lvalue.address.is_variable:
            return lvalue
        return lvalue.at(self._builder.save(lvalue.address))
