"""What happens before the entry function: memory is laid out, globals and string literals get their values."""

from __future__ import annotations

from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context
from craton.frontends.c.lowering.access import Lvalue
from craton.frontends.c.lowering.statements import Control
from craton.frontends.c.memory.places import Place, covered
from craton.frontends.c.syntax.nodes import Function, Storage, Variable
from craton.frontends.c.syntax.types import CType, FunctionType, Void, unit_type
from craton.logic import Array, Float, Term, bv, bvadd, const_array, fp_bits, store, substitute

START = "<start>"
_MOST_STORES = 4096


class Start(Control):
    """Lowers the values of globals. Stores to memory are gathered into one term per array."""

    unroll = _MOST_STORES

    def __init__(self, context: Context, unit: int) -> None:
        function = Function(START, START, FunctionType(Void(), (), False, True), unit)
        super().__init__(context, function, Builder(context.names, START))
        self._stores: dict[Term, Term] = {}
        self._cells: dict[Term, dict[Term, Term]] = {}  # the same by address
        self._zeroed: set[Place] = set()

    def globals(self) -> None:
        for variable in self.context.scan.globals:
            if variable.defined or variable.initializer is not None:
                self.builder.origin = variable.range
                self._global(variable)
            elif not self.context.scan.in_memory(variable):  # arbitrary, but a bool is one
                for part in self.variable(variable).plain or ():
                    self._assume_bool(part.term, part.type)

    def _global(self, variable: Variable) -> None:
        target = self.variable(variable)
        if variable.initializer is not None:
            self.initialize(target, variable.type, variable.initializer)
        elif variable.type.size:
            self.clear(target, variable.type)

    def strings(self) -> None:
        for string in self.context.strings.values():
            assert string.initial is not None
            character = unit_type(string.unit)
            for i in range(0, len(string.initial), string.unit):
                value = int.from_bytes(string.initial[i : i + string.unit], "little")
                where = Lvalue(character, None, 0, self.memory.pointer(string.address.payload + i), string.place)
                self.store_memory(where, character, bv(value, 8 * string.unit))

    def finish(self) -> None:
        for array, value in self._stores.items():
            self.builder.assign(array, value)
        self._stores.clear()

    def declare(self, variable: Variable) -> None:
        """A compound literal of file scope."""
        if variable.storage is Storage.GLOBAL and variable.initializer is not None:
            self.initialize(self.variable(variable), variable.type, variable.initializer)

    def clear(self, target: Lvalue, t: CType) -> None:
        if target.place is not None and self._clear_region(target.place):
            return
        super().clear(target, t)

    def _clear_region(self, place: Place) -> bool:
        """Memory that holds globals only starts as a constant array of zeros."""
        parts = covered(place)
        if any(part.external or part.allocated or part in self.context.local_places for part in parts):
            return False
        for part in parts:
            if part not in self._zeroed:
                self._zeroed.add(part)
                self.zero_first.append(self.memory.region(part).array)
        return True

    @property
    def zero_first(self) -> list[Term]:
        return self.context.zeroed

    def store_memory(self, lvalue: Lvalue, t: CType, value: Term) -> None:
        """Gathers: static initialisers are constants, so their order among other statements does not matter."""
        assert lvalue.place is not None
        array = self.memory.region(lvalue.place).array
        outer = self.builder
        probe = _Gather(outer)
        self.builder = probe  # type: ignore[assignment]
        try:
            super().store_memory(lvalue, t, value)
        finally:
            self.builder = outer
        cells = self._cells.setdefault(array, {})
        for written, term in probe.assigned:
            assert written is array
            self._stores[array] = _rebase(term, array, self._stores.get(array, array), cells)

    def load_memory(self, lvalue: Lvalue, t: CType) -> Term:
        """Bit-fields are read before they are written. Only what was stored there counts, not the thousands of other
        stores of a large initialiser.
        """
        assert lvalue.place is not None and lvalue.address is not None
        region = self.memory.region(lvalue.place)
        cells = self._cells.get(region.array, {})
        current = region.array
        if current in self.zero_first:
            current = const_array(current.sort, _zero_element(current))  # type: ignore[arg-type]
        for i in range(0, t.size, region.size):
            address = bvadd(lvalue.address, self.memory.pointer(i))
            if address in cells:
                current = store(current, address, cells[address])
        return substitute(super().load_memory(lvalue, t), {region.array: current})


class _Gather:
    """A builder that only notes assignments; everything else goes to the real one."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self.assigned: list[tuple[Term, Term]] = []

    def assign(self, variable: Term, value: Term) -> None:
        if isinstance(variable.sort, Array):
            self.assigned.append((variable, value))
        else:
            self._builder.assign(variable, value)

    def __getattr__(self, name: str) -> object:
        return getattr(self._builder, name)


def _rebase(term: Term, array: Term, onto: Term, cells: dict[Term, Term]) -> Term:
    """The stores of `term` on top of another array term; `cells` remembers them."""
    writes = []
    while term is not array:
        term, index, value = term.args
        writes.append((index, value))
    for index, value in reversed(writes):
        onto = store(onto, index, value)
        cells[index] = value
    return onto


def _zero_element(array: Term) -> Term:
    sort = array.sort
    assert isinstance(sort, Array)
    element = sort.element
    if isinstance(element, Float):
        return fp_bits(0, element)
    return bv(0, element.width)  # type: ignore[attr-defined]


def layout(context: Context, first: Builder) -> None:
    """The very first edges: arrays of zeros, the heap, the sizes of static objects."""
    memory = context.memory
    for array in context.zeroed:
        first.assign(array, const_array(array.sort, _zero_element(array)))  # type: ignore[arg-type]
    start = memory.pointer(memory.heap_start())
    if memory.safety:
        sizes = const_array(memory.sizes.sort, memory.pointer(0))  # type: ignore[arg-type]
        shift = memory.offset_bits
        for known in memory.objects:
            variable = known.variable
            if variable is None or variable.storage in (Storage.GLOBAL, Storage.STATIC):
                if variable is None or variable.defined:
                    number = memory.pointer(known.address.payload >> shift)
                    sizes = store(sizes, number, memory.pointer(known.size + 1))
        first.assign(memory.sizes, sizes)
        first.assign(memory.live, memory.pointer(0))
        context.globals[memory.sizes] = None
        context.globals[memory.live] = None
    if memory.uses_heap:
        first.assign(memory.heap, start)
        context.globals[memory.heap] = None
    if memory.uses_stack:
        first.assign(memory.stack, memory.stack_begin)
        context.globals[memory.stack] = None
    if memory.keeps_lengths:
        context.globals[memory.lengths] = None
    from craton.logic import BitVec, var

    begin = var("heap begin", BitVec(memory.pointer_width))
    if begin in context.globals:
        first.assign(begin, start)
