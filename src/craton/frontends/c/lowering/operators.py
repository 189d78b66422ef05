"""Operators: arithmetic on numbers and pointers, with the checks that a property asks for."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import (
    arithmetic,
    complement,
    is_signed,
    negate,
    number,
    resize,
    shift_amount,
    width_of,
)
from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.lowering.conditions import COMPARISONS, Conditions
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.relations import Relations
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import ArrayType, CType, Integer, Pointer
from craton.frontends.c.syntax.wide_fields import field_type
from craton.logic import (
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
    not_,
    or_,
)
from craton.logic import bvashr as arithmetic_shift
from craton.program.cfa import DIVISION, OVERFLOW, Unmodelled

_SIGNAL, _TRAP = "signal", "division by zero where a signal may be handled"
_OVERFLOW = {"+": bvsaddo, "-": bvssubo, "*": bvsmulo, "/": bvsdivo, "%": bvsdivo}


class Operators:
    """Lowers operators without side effects of their own."""

    def __init__(
        self, frame: Frame, expressions: Expressions, conditions: Conditions, safety: Safety, relations: Relations
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._expressions = expressions
        self._conditions = conditions
        self._safety = safety
        self._relations = relations

    def unary(self, node: Node) -> Value:
        child = node.children[0]
        if node.op == "!":
            return number(not_(self._conditions.condition(child)), node.type.size * 8)
        self._check_fields(node, node.children)
        value = self._expressions.scalar(child)
        if node.op == "+":
            return value
        if node.op == "~":
            return complement(value)
        if self._context.specification.overflow and is_signed(node.type):
            self._builder.check(not_(bvnego(value)), OVERFLOW)
        return negate(value, node.type)

    def _check_fields(self, node: Node, operands: tuple[Node, ...]) -> None:
        """Where overflow is an error, its bounds are those of the type in which we compute."""
        if self._context.specification.overflow and any(field_type(operand) is not None for operand in operands):
            raise self._frame.unsupported(f"{node.op} on a bit-field wider than int", node)

    def binary(self, node: Node) -> Value:
        op = node.op
        if op == ",":
            self._expressions.effect(node.children[0])
            return self._expressions.value(node.children[1])
        if op in COMPARISONS:
            return number(self._conditions.comparison(node), node.type.size * 8)
        if op in ("&&", "||"):
            return number(self._conditions.logical(node), node.type.size * 8)
        return self._chain(node)

    def _chain(self, node: Node) -> Value:
        """Operands that lean to the left (a + b + c …) in a loop, so that long sums need no depth."""
        spine = [node]
        while True:
            left = spine[-1].children[0]
            if left.kind is not Kind.BINARY or left.op in COMPARISONS or left.op in ("&&", "||", ","):
                break
            if self._expressions.early(left) is not None:
                break
            spine.append(left)
        value = self._expressions.scalar(spine[-1].children[0])
        while spine:
            step = spine.pop()
            left, right = step.children
            if step.op in _OVERFLOW or step.op == "<<":
                self._check_fields(step, step.children)
            other = self._expressions.scalar(right)
            self._frame.fail_if(self._context.facts.addresses.needs_layout(step), step)
            first = value
            value = self._apply(step.op, first, left.type, other, right.type, step.type)
            if isinstance(left.type, Pointer | ArrayType) and isinstance(right.type, Pointer | ArrayType):
                value = self._relations.distance(step, first, other, value)
            if self._context.facts.addresses.tells(step):
                value = self._frame.unsure(value)
        return value

    def _apply(self, op: str, a: Term, a_type: CType, b: Term, b_type: CType, t: CType) -> Term:
        """One arithmetic operation on operands as clang converted them."""
        if isinstance(a_type, Pointer | ArrayType) or isinstance(b_type, Pointer | ArrayType):
            return self.pointer_arithmetic(op, a, a_type, b, b_type, t)
        if op in ("<<", ">>"):
            amount = shift_amount(b, b_type, width_of(a))
            if op == "<<":
                self.check_shift(a, b, b_type, amount, t)
            return arithmetic(op, a, amount, t)
        return self.operate(op, a, b, t)

    def operate(self, op: str, a: Term, b: Term, t: CType) -> Term:
        """`a op b` in type `t`, with the checks that the property asks for; division by zero stops."""
        if isinstance(t, Integer):
            if op in ("/", "%"):
                nonzero = not_(eq(b, bv(0, width_of(b))))
                if self._context.specification.division:
                    self._builder.check(nonzero, DIVISION)
                elif _SIGNAL in self._context.scan.functions:
                    self._builder.check(nonzero, Unmodelled("unmodelled", _TRAP, where=self._builder.origin))
                else:
                    self._builder.assume(nonzero)
            if self._context.specification.overflow and t.signed:
                test = _OVERFLOW.get(op)
                if test is not None:
                    self._builder.check(not_(test(a, b)), OVERFLOW)
        return arithmetic(op, a, b, t)

    def check_shift(self, a: Term, b: Term, b_type: CType, amount: Term, t: CType) -> None:
        """A left shift overflows if the number a·2^b is not representable."""
        if not self._context.specification.overflow or not is_signed(t):
            return
        width = width_of(a)
        in_range = bvult(b, bv(width, width_of(b)))
        lost = not_(eq(arithmetic_shift(bvshl(a, amount), amount), a))
        bad = and_(not_(eq(a, bv(0, width))), or_(not_(in_range), lost))
        self._builder.check(not_(bad), OVERFLOW)

    def pointer_arithmetic(self, op: str, a: Term, a_type: CType, b: Term, b_type: CType, t: CType) -> Term:
        """A pointer and an index, or the distance of two pointers."""
        if isinstance(a_type, Integer):
            a, a_type, b, b_type = b, b_type, a, a_type
        target = a_type.target if isinstance(a_type, Pointer) else a_type.element  # type: ignore[attr-defined]
        if isinstance(b_type, Pointer | ArrayType):  # the distance of two pointers
            size = self._frame.size_of(target)
            distance = bvsub(a, b)
            if size.is_value and size.payload in (0, 1):
                return resize(distance, t.size * 8, signed=True)
            return resize(bvsdiv(distance, size), t.size * 8, signed=True)
        offset = self._frame.scaled(b, b_type, target)
        moved = bvadd(a, offset) if op == "+" else bvsub(a, offset)
        self._safety.check_nearness(moved, a, offset)
        return moved
