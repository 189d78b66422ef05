"""What expressions are made of: constants, addresses, sizes, and conversions between types."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import constant, number, resize
from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.library.table import library_function
from craton.frontends.c.lowering.cells import to_bits
from craton.frontends.c.lowering.conditions import Conditions
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.lvalues import Lvalues
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.syntax.nodes import Function, Kind, Node
from craton.frontends.c.syntax.types import ArrayType, Floating, FunctionType, Integer, Pointer, Record, Void


class Operands:
    """Lowers the leaves of expressions, and conversions."""

    def __init__(
        self, frame: Frame, expressions: Expressions, conditions: Conditions, lvalues: Lvalues, safety: Safety
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._expressions = expressions
        self._conditions = conditions
        self._lvalues = lvalues
        self._safety = safety

    def number(self, node: Node) -> Value:
        if isinstance(node.type, Void):
            return ()
        return constant(node.value, node.type)

    def function(self, node: Node) -> Value:
        function: Function = node.value
        if function.weak and function.body is None:
            if library_function(function.name).handler is not None:
                raise self._frame.unsupported(f"{function.name}, which is weak,", node)
            return self._memory.pointer(0)
        self._context.called[function.symbol] = function
        return self._memory.address_of_function(function)

    def address(self, node: Node) -> Value:
        child = node.children[0]
        if child.kind is Kind.FUNCTION:
            return self.function(child)
        if child.kind is Kind.DEREFERENCE:
            return self._expressions.scalar(child.children[0])
        lvalue = self._lvalues.lvalue(child)
        if lvalue.address is None:
            raise self._frame.unsupported("the address of this expression", node)
        if lvalue.origin is not None:
            self._safety.check_nearness(lvalue.address, lvalue.origin, lvalue.address)
        return lvalue.address

    def convert(self, node: Node) -> Value:
        child = node.children[0]
        if isinstance(node.type, Void):
            self._expressions.effect(child)
            return ()
        if isinstance(node.type, Record):
            if isinstance(child.type, Record):
                return self._expressions.value(child)
            return self._to_union(node, child)
        if isinstance(node.type, Integer) and node.type.boolean and not isinstance(child.type, ArrayType):
            return number(self._conditions.condition(child), node.type.width)
        value = self._expressions.scalar(child)
        if isinstance(child.type, ArrayType | FunctionType):
            return resize(value, node.type.size * 8, signed=False) if not isinstance(node.type, Floating) else value
        if isinstance(child.type, Record | Void) or not isinstance(node.type, Integer | Floating | Pointer):
            raise self._frame.unsupported(f"conversion from {child.type} to {node.type}", node)
        return self._frame.converted(value, child.type, node.type)

    def _to_union(self, node: Node, child: Node) -> Value:
        """GNU's cast to a union type."""
        assert isinstance(node.type, Record)
        bits = to_bits(self._builder, self._expressions.scalar(child), child.type)
        return (resize(bits, 8 * node.type.size, signed=False),)

    def size_of(self, node: Node) -> Value:
        for operand in node.children:  # evaluated, since its type has a variable length
            if not self._frame.purity.is_pure(operand):
                self._lvalues.lvalue(operand)
        return resize(self._frame.size_of(node.value), node.type.size * 8, signed=False)

    def label_address(self, node: Node) -> Value:
        return self._memory.pointer(self._context.label_number(node.op, node.value))
