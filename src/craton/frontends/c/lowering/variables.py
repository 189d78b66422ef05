"""Variables as l-values, and the objects in memory behind them."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Lvalue, Part, part_sort
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.storage import stored
from craton.frontends.c.memory.layout import Object
from craton.frontends.c.memory.lifetimes import Lifetime
from craton.frontends.c.memory.places import Place, is_allocated
from craton.frontends.c.syntax.expressions import root_variable
from craton.frontends.c.syntax.initializers import length_of, placed
from craton.frontends.c.syntax.nodes import Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import ArrayType, Pointer, Record, has_variable_length, leaves
from craton.logic import FALSE, BitVec, Term, and_, bvsub, bvule, bvult, not_, or_
from craton.program.cfa import Symbol

_RENEWED = (Lifetime.CALL, Lifetime.LOOP)


class Variables:
    """Where variables and string literals stand. What is not in memory becomes variables of the program, one for each
    leaf; what is gets an object, when it is first asked for.
    """

    def __init__(self, frame: Frame, renewed: set[Variable]) -> None:
        self._context = frame.context
        self._function = frame.function
        self._builder = frame.builder
        self._memory = frame.memory
        self._renewed = renewed  # locals that get new memory in each life
        self.local_objects: dict[Variable, Object] = {}  # whose addresses are variables

    def variable(self, variable: Variable) -> Lvalue:
        if self._context.scan.in_memory(variable):
            known = self.object_of(variable)
            fixed = known if not has_variable_length(variable.type) else None
            place = self._context.points_to.of_variable(variable)
            return Lvalue(variable.type, None, 0, known.address, place, None, fixed)
        plain = self._context.plain.get(variable)
        if plain is None:
            plain = self._make_plain(variable)
        return Lvalue(variable.type, plain, 0)

    def _make_plain(self, variable: Variable) -> tuple[Part, ...]:
        shared = variable.storage in (Storage.GLOBAL, Storage.STATIC)
        parts = []
        for leaf in leaves(variable.type):
            prefix = f"{variable.function}::" if variable.storage is not Storage.GLOBAL else ""
            term = self._context.names.variable(f"{prefix}{variable.name}{leaf.name}", part_sort(leaf.type))
            self._context.note(term, variable, leaf.name, leaf.type)
            if shared:
                self._context.globals[term] = None
            else:
                self._builder.locals[term] = None
            parts.append(Part(leaf.offset, leaf.type, term))
        plain = self._context.plain[variable] = tuple(parts)
        return plain

    def object_of(self, variable: Variable) -> Object:
        """A variable in memory. The address of a local is a variable too if each of its lives has memory of its own."""
        context = self._context
        known = self.local_objects.get(variable) or context.objects.get(variable)
        if known is not None:
            return known
        place = context.points_to.of_variable(variable)
        local = variable.storage in (Storage.LOCAL, Storage.PARAMETER)
        if local and (
            self._function.symbol in context.facts.recursive
            or has_variable_length(variable.type)
            or context.facts.lifetimes.get(variable) in _RENEWED
            or variable in self._renewed
        ):
            address = self._builder.local(f"&{variable.name}", BitVec(context.pointer_width))
            known = Object(variable.name, place, variable.type, variable.type.size, address, variable=variable)
            self.local_objects[variable] = known
            context.symbols[address] = Symbol("", "", variable.function, variable.range, object=stored(known))
            return known
        size = variable.type.size
        if isinstance(variable.type, ArrayType) and variable.type.count is None and variable.initializer is not None:
            size = variable.type.element.size * length_of(variable.type, variable.initializer)
        elif isinstance(variable.type, Record):
            size += _flexible_bytes(variable)
        known = self._memory.add(variable.name, place, variable.type, size)
        known.variable = variable
        context.objects[variable] = known
        return known

    def is_astray(self, address: Term, place: Place | None) -> Term:
        """Whether an address lies in none of a place's objects that are known so far; all allocated ones count."""
        memory, holds = self._memory, self._context.points_to.places.holds
        inside = [
            bvult(bvsub(address, known.address), memory.pointer(known.size))
            for known in (*memory.objects, *self.local_objects.values())
            if place is not None and holds(known.place, place)
        ]
        if place is not None and is_allocated(place):
            if memory.safety:
                return FALSE
            memory.uses_heap = True
            self._context.globals[memory.heap_begin] = None
            inside.append(and_(bvule(memory.heap_begin, address), bvult(address, memory.heap)))
        return not_(or_(*inside))

    def string(self, node: Node) -> Object:
        known = self._context.strings.get(node)
        if known is None:
            assert isinstance(node.type, ArrayType)
            unit = node.type.element.size
            units = [*node.value, 0]
            place = self._context.points_to.of_lvalue(node)
            known = self._memory.add("string", place, node.type, unit * len(units))
            known.initial = b"".join((u & ((1 << 8 * unit) - 1)).to_bytes(unit, "little") for u in units)
            known.unit = unit
            self._context.strings[node] = known
        return known

    def object_behind(self, pointer: Node) -> Object | None:
        """The array that is handed over as a whole, if that is what the pointer expression shows."""
        while pointer.kind is Kind.CONVERT and isinstance(pointer.children[0].type, ArrayType | Pointer):
            pointer = pointer.children[0]
        if pointer.kind is Kind.VARIABLE and isinstance(pointer.type, ArrayType):
            return self.object_of(pointer.value)
        return None

    def object_pointed(self, pointer: Node) -> Object | None:
        """The object a pointer expression surely points into: an array that decays, an address taken."""
        while pointer.kind is Kind.CONVERT and isinstance(pointer.children[0].type, ArrayType | Pointer):
            pointer = pointer.children[0]
        if not isinstance(pointer.type, ArrayType) and pointer.kind is not Kind.ADDRESS:
            return None
        root = root_variable(pointer.children[0] if pointer.kind is Kind.ADDRESS else pointer)
        return self.object_of(root) if root is not None and self._context.scan.in_memory(root) else None


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
