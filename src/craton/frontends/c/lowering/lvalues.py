"""L-values: variables, members, elements, what pointers point to, and the objects in memory behind them."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import (
    is_signed,
    resize,
)
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context, Part, part_sort
from craton.frontends.c.lowering.access import Access, Lvalue, Value
from craton.frontends.c.memory.layout import Object
from craton.frontends.c.memory.lifetimes import Lifetime
from craton.frontends.c.memory.scan import root_variable
from craton.frontends.c.syntax.initializers import length_of, placed
from craton.frontends.c.syntax.nodes import LVALUES, Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    FunctionType,
    Integer,
    Pointer,
    Record,
    leaves,
)
from craton.logic import (
    BitVec,
    Term,
    bvadd,
    bvmul,
)

_RENEWED = (Lifetime.CALL, Lifetime.LOOP)


class Lvalues(Access):
    """Lowers l-values; what they are computed from is left to the lowering of expressions."""

    def __init__(self, context: Context, function: Function, builder: Builder) -> None:
        super().__init__(context, function, builder)
        self.lengths: dict[ArrayType, Term] = {}  # of variable-length arrays
        self.local_objects: dict[Variable, Object] = {}
        self.renewed: set[Variable] = set()  # locals that get new memory in each life

    def value(self, node: Node) -> Value:
        raise NotImplementedError

    def scalar(self, node: Node) -> Term:
        raise NotImplementedError

    def declare(self, variable: Variable) -> None:
        raise NotImplementedError

    def lvalue(self, node: Node) -> Lvalue:
        kind = node.kind
        if kind is Kind.VARIABLE:
            return self.variable(node.value)
        if kind is Kind.MEMBER:
            base = node.children[0]
            if node.op == "->":
                address = self.scalar(base)
                place = self.context.points_to.pointed(base)
                whole = Lvalue(node.value.record, None, 0, address, place, None, self._object_of(base))
            elif base.kind in LVALUES:
                whole = self.lvalue(base)
            else:
                whole = self._materialize(base)
            return self.member(whole, node.value)
        if kind is Kind.SUBSCRIPT:
            return self._subscript(node)
        if kind is Kind.DEREFERENCE:
            pointer = node.children[0]
            address = self.scalar(pointer)
            if isinstance(node.type, FunctionType):
                return Lvalue(ArrayType(node.type, 0), None, 0, address)
            place = self.context.points_to.pointed(pointer)
            return Lvalue(node.type, None, 0, address, place, None, self._object_of(pointer))
        if kind is Kind.STRING:
            string = self._string(node)
            return Lvalue(node.type, None, 0, string.address, string.place, None, string)
        if kind is Kind.COMPOUND_LITERAL:
            variable: Variable = node.value
            self.declare(variable)
            return self.variable(variable)
        return self._materialize(node)

    def _subscript(self, node: Node) -> Lvalue:
        base, index = node.children
        if isinstance(base.type, Integer):
            base, index = index, base
        address = self.scalar(base)
        offset = self._scaled(self.scalar(index), index.type, node.type)
        place = self.context.points_to.pointed(base)
        return Lvalue(node.type, None, 0, bvadd(address, offset), place, None, self._object_of(base))

    def _scaled(self, index: Term, index_type: CType, element: CType) -> Term:
        """An index as a number of bytes."""
        wide = resize(index, self.context.pointer_width, signed=is_signed(index_type))
        return bvmul(wide, self.size_of(element))

    def size_of(self, t: CType) -> Term:
        """sizeof as a term: the size of a variable-length array is computed."""
        if isinstance(t, ArrayType):
            count = self.lengths.get(t)
            if count is not None:
                return bvmul(count, self.size_of(t.element))
            return bvmul(self.memory.pointer(t.count or 0), self.size_of(t.element))
        return self.memory.pointer(t.size)

    def _materialize(self, node: Node) -> Lvalue:
        """A struct value that is no l-value, put into variables so that its members can be read."""
        value = self.value(node)
        assert isinstance(value, tuple)
        parts = []
        for leaf, term in zip(leaves(node.type), value, strict=True):
            parts.append(Part(leaf.offset, leaf.type, term))
        if any(isinstance(leaf.type, ArrayType) for leaf in leaves(node.type)) or _has_array(node.type):
            return self._spill(node, value)
        return Lvalue(node.type, tuple(parts), 0)

    def _spill(self, node: Node, value: tuple[Term, ...]) -> Lvalue:
        """The same in memory, where its arrays can be indexed."""
        place = self.context.points_to.contents(node)
        temporary = self.memory.add("temporary", place, node.type, node.type.size)
        target = Lvalue(node.type, None, 0, temporary.address, place, None, temporary)
        self.store(target, value)
        return target

    # --- objects ------------------------------------------------------------------------------------------------------

    def object_behind(self, pointer: Node) -> Object | None:
        """The array that is handed over as a whole, if that is what the pointer expression shows."""
        while pointer.kind is Kind.CONVERT and isinstance(pointer.children[0].type, ArrayType | Pointer):
            pointer = pointer.children[0]
        if pointer.kind is Kind.VARIABLE and isinstance(pointer.type, ArrayType):
            return self.object_of(pointer.value)
        return None

    def _object_of(self, pointer: Node) -> Object | None:
        """The object a pointer expression surely points into: an array that decays, an address taken."""
        while pointer.kind is Kind.CONVERT and isinstance(pointer.children[0].type, ArrayType | Pointer):
            pointer = pointer.children[0]
        if not isinstance(pointer.type, ArrayType) and pointer.kind is not Kind.ADDRESS:
            return None
        root = root_variable(pointer.children[0] if pointer.kind is Kind.ADDRESS else pointer)
        return self.object_of(root) if root is not None and self.context.scan.in_memory(root) else None

    def variable(self, variable: Variable) -> Lvalue:
        if self.context.scan.in_memory(variable):
            known = self.object_of(variable)
            fixed = known if not has_variable_length(variable.type) else None
            place = self.context.points_to.of_variable(variable)
            return Lvalue(variable.type, None, 0, known.address, place, None, fixed)
        plain = self.context.plain.get(variable)
        if plain is None:
            plain = self._make_plain(variable)
        return Lvalue(variable.type, plain, 0)

    def _make_plain(self, variable: Variable) -> tuple[Part, ...]:
        shared = variable.storage in (Storage.GLOBAL, Storage.STATIC)
        parts = []
        for leaf in leaves(variable.type):
            prefix = f"{variable.function}::" if variable.storage is not Storage.GLOBAL else ""
            term = self.context.names.variable(f"{prefix}{variable.name}{leaf.name}", part_sort(leaf.type))
            self.context.note(term, variable, leaf.name, leaf.type)
            if shared:
                self.context.globals[term] = None
            else:
                self.builder.locals[term] = None
            parts.append(Part(leaf.offset, leaf.type, term))
        plain = self.context.plain[variable] = tuple(parts)
        return plain

    def object_of(self, variable: Variable) -> Object:
        """A variable in memory. The address of a local is a variable too if each of its lives has memory of its own."""
        context = self.context
        known = self.local_objects.get(variable) or context.objects.get(variable)
        if known is not None:
            return known
        place = context.points_to.of_variable(variable)
        local = variable.storage in (Storage.LOCAL, Storage.PARAMETER)
        if local and (
            self.function.symbol in context.recursive
            or has_variable_length(variable.type)
            or context.lifetimes.get(variable) in _RENEWED
            or variable in self.renewed
        ):
            address = self.builder.local(f"&{variable.name}", BitVec(context.pointer_width))
            known = Object(variable.name, place, variable.type, variable.type.size, address, variable=variable)
            self.local_objects[variable] = known
            return known
        size = variable.type.size
        if isinstance(variable.type, ArrayType) and variable.type.count is None and variable.initializer is not None:
            size = variable.type.element.size * length_of(variable.type, variable.initializer)
        elif isinstance(variable.type, Record):
            size += _flexible_bytes(variable)
        known = self.memory.add(variable.name, place, variable.type, size)
        known.variable = variable
        context.objects[variable] = known
        return known

    def _string(self, node: Node) -> Object:
        known = self.context.strings.get(node)
        if known is None:
            assert isinstance(node.type, ArrayType)
            unit = node.type.element.size
            units = [*node.value, 0]
            place = self.context.points_to.of_lvalue(node)
            known = self.memory.add("string", place, node.type, unit * len(units))
            known.initial = b"".join((u & ((1 << 8 * unit) - 1)).to_bytes(unit, "little") for u in units)
            known.unit = unit
            self.context.strings[node] = known
        return known


def has_variable_length(t: CType) -> bool:
    while isinstance(t, ArrayType):
        if t.variable:
            return True
        t = t.element
    return False


def _has_array(t: CType) -> bool:
    return isinstance(t, Record) and any(isinstance(f.type, ArrayType) or _has_array(f.type) for f in t.fields)


def _flexible_bytes(variable: Variable) -> int:
    """What an initialiser adds to a struct that ends in a flexible array."""
    t = variable.type
    if not isinstance(t, Record) or not t.fields or variable.initializer is None:
        return 0
    last = t.fields[-1]
    if not isinstance(last.type, ArrayType) or last.type.count is not None:
        return 0
    most = 0
    for item in placed(t, variable.initializer):
        if item.path and item.path[0] is last:
            if len(item.path) > 1 and isinstance(item.path[1], int):
                most = max(most, item.path[1] + 1)
            elif item.value.kind is Kind.STRING:
                most = max(most, len(item.value.value) + 1)
    return most * last.type.element.size
