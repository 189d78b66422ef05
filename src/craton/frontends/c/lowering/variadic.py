"""Extra arguments of variadic functions: slots in memory, and a pointer that walks over them."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.cells import Cells
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.heap import Heap
from craton.frontends.c.lowering.lvalues import Lvalues
from craton.frontends.c.syntax.nodes import Function, Node
from craton.frontends.c.syntax.types import ArrayType, CType, FunctionType, Pointer, Record
from craton.logic import Term, bvadd

_SLOT = 16  # bytes between the extra arguments of a variadic call


class VariableArguments:
    """Both sides: the caller's and the callee's."""

    def __init__(
        self,
        frame: Frame,
        cells: Cells,
        access: Access,
        heap: Heap,
        expressions: Expressions,
        lvalues: Lvalues,
    ) -> None:
        self._context = frame.context
        self._function = frame.function
        self._builder = frame.builder
        self._memory = frame.memory
        self._cells = cells
        self._access = access
        self._heap = heap
        self._expressions = expressions
        self._lvalues = lvalues

    def stored(self, function: Function, extra: list[tuple[Value, CType]]) -> Term:
        """Stores extra arguments in slots of 16 bytes; the callee gets the first one's address."""
        size = sum(_slot(t) for _, t in extra)
        place = self._context.points_to.of_variadic(function)
        if not extra:
            return self._memory.pointer(0)
        if self._function.symbol in self._context.facts.recursive:
            address = self._heap.allocate(self._memory.pointer(size), counted=False)
            area = None
        else:
            area = self._memory.add(f"{function.name}...", place, self._context.char_type, size)
            address = area.address
        offset = 0
        for value, t in extra:
            where = bvadd(address, self._memory.pointer(offset))
            if isinstance(t, ArrayType | FunctionType):
                t = Pointer(self._context.pointer_width // 8, 4, self._context.char_type)
            part = Lvalue(t, None, 0, where, place, None, area)
            if isinstance(t, Record):
                assert isinstance(value, tuple)
                self._access.store(part, value)
            else:
                assert isinstance(value, Term)
                self._cells.store(part, t, value)
            offset += _slot(t)
        return address

    def next(self, node: Node) -> Value:
        """`va_arg`: the argument the cursor points to, and one step further."""
        cursor = self.cursor(node.children[0])
        address = self._access.load(cursor)
        assert isinstance(address, Term)
        address = self._builder.save(address)
        place = self._context.points_to.places.pointee(self._context.points_to.va_cursor(node.children[0]))
        value = self._access.load(Lvalue(node.type, None, 0, address, place))
        if isinstance(value, Term):
            value = self._builder.save(value)
        self._access.store(cursor, bvadd(address, self._memory.pointer(_slot(node.type))))
        return value

    def cursor(self, node: Node) -> Lvalue:
        """The pointer inside a va_list."""
        t = node.type
        place = self._context.points_to.va_cursor(node)
        record = t.target if isinstance(t, Pointer) else t.element if isinstance(t, ArrayType) else None
        if isinstance(record, Record):
            address = self._expressions.scalar(node)
            for member in record.fields:
                if isinstance(member.type, Pointer):
                    where = bvadd(address, self._memory.pointer(member.offset))
                    return Lvalue(member.type, None, 0, where, place)
        return self._lvalues.lvalue(node)


def _slot(t: CType) -> int:
    return max(-(-t.size // _SLOT), 1) * _SLOT
