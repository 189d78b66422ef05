"""Initialisers: values for all parts of an object, zero for those that are not named."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import adapt, zero
from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.bulk import Bulk
from craton.frontends.c.lowering.cells import Cells
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.results import saved
from craton.frontends.c.syntax.initializers import Step, placed
from craton.frontends.c.syntax.nodes import Kind, Node, Storage
from craton.frontends.c.syntax.types import ArrayType, CType, Record, leaves
from craton.logic import Term, bv


class Initialization:
    """Gives objects their first values."""

    def __init__(self, frame: Frame, cells: Cells, access: Access, bulk: Bulk, expressions: Expressions) -> None:
        self._frame = frame
        self._builder = frame.builder
        self._touches = frame.context.touches
        self._memory = frame.memory
        self._cells = cells
        self._access = access
        self._bulk = bulk
        self._expressions = expressions

    def initialize(self, target: Lvalue, t: CType, value: Node) -> None:
        """Stores an initialiser; parts that it does not name are zero."""
        if value.kind is not Kind.INIT_LIST and not isinstance(t, ArrayType):
            given = self._expressions.value(value)
            if isinstance(given, Term):
                given = adapt(given, value.type, t)
            self._access.store(target, given)
            return
        items = placed(t, value)
        # Values are computed before the object is cleared: a compound literal in a loop is the same object again, and
        # they may read its old contents.
        scalars = [item.value for item in items if not isinstance(item.type, ArrayType)]
        values = self._expressions.values(scalars)
        if target.place is not None:
            values = [
                saved(self._builder, given) if self._touches.reads_place(node, target.place) else given
                for node, given in zip(scalars, values, strict=True)
            ]
        self.clear(target, t)
        given_values = iter(values)
        for item in items:
            part, part_type = self._part(target, t, item.path)
            if isinstance(item.type, ArrayType):
                self._store_string(part, item.type, item.value)
                continue
            given = next(given_values)
            if isinstance(given, Term):
                given = adapt(given, item.value.type, part_type)
            self._access.store(part, given)

    def _part(self, target: Lvalue, t: CType, path: tuple[Step, ...]) -> tuple[Lvalue, CType]:
        """The part of an object at a path, and the type it was declared with."""
        for step in path:
            if isinstance(step, int):
                assert isinstance(t, ArrayType)
                t = t.element
                target = self._access.element(target, t, self._memory.pointer(step * t.size))
            else:
                target = self._access.member(target, step)
                t = step.type
        return target, t

    def _store_string(self, target: Lvalue, t: ArrayType, string: Node) -> None:
        count = t.count if t.count is not None else len(string.value) + 1
        for i, unit in enumerate([*string.value, 0][:count]):
            part = self._access.element(target, t.element, self._memory.pointer(i * t.element.size))
            self._cells.store(part, t.element, bv(unit, 8 * t.element.size))

    def clear(self, target: Lvalue, t: CType) -> None:
        """Sets an object to zero."""
        if target.place is not None and self._cells.clear(target.place):
            return
        if target.plain is not None:
            for leaf in leaves(t):
                value = bv(0, 8 * leaf.type.size) if isinstance(leaf.type, Record) else zero(leaf.type)
                self._access.store_plain(target.plain, target.offset + leaf.offset, leaf.type, value)
            return
        size = self._frame.size_of(t)
        if self._frame.owns is Storage.GLOBAL:  # before the program starts all bytes are zero
            self._bulk.fill(target, t, size, 0)
        else:
            self._bulk.clear(target, t, size)

    def init_list(self, node: Node) -> Value:
        """A list as a value: a scalar in braces, or a struct."""
        if not isinstance(node.type, Record):
            if not node.children:
                return zero(node.type)
            return adapt(self._expressions.scalar(node.children[0]), node.children[0].type, node.type)
        raise self._frame.unsupported("an initialiser list here", node)
