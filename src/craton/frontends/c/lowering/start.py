"""What happens before the entry function: memory is laid out, globals and string literals get their values."""

from __future__ import annotations

from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context
from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.lowering.allocated import no_blocks
from craton.frontends.c.lowering.cells import MemoryCells
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.function import FunctionLowering
from craton.frontends.c.memory.foreign import is_foreign
from craton.frontends.c.memory.places import Place, covered, is_allocated
from craton.frontends.c.syntax.nodes import Function, Storage, Variable
from craton.frontends.c.syntax.types import CType, FunctionType, Pointer, Void, unit_type
from craton.logic import Array, Float, Term, bv, bvadd, const_array, eq, fp_bits, ite, store, substitute

START = "<start>"
_STREAMS = frozenset({"stdin", "stdout", "stderr"})  # the C library has opened them


class Start:
    """Lowers the values of globals, as the body of a function that nobody wrote."""

    def __init__(self, context: Context, unit: int) -> None:
        function = Function(START, START, FunctionType(Void(), (), False, True), unit)
        self.builder = Builder(context.names, START)
        self._context = context
        self._memory = context.memory
        frame = Frame(context, function, self.builder, owns=Storage.GLOBAL)
        self._cells = InitialCells(frame)
        lowering = FunctionLowering(frame, self._cells)
        self._variables = lowering.variables
        self._initialization = lowering.initialization
        self._unknowns = lowering.unknowns

    def globals(self) -> None:
        if self._context.specification.deref:
            for literal in self._context.points_to.literal_nodes():
                self._variables.string(literal)
        for variable in self._context.scan.globals:
            if variable.defined or variable.initializer is not None:
                self.builder.origin = variable.range
                self._global(variable)
            elif not self._context.scan.in_memory(variable):  # arbitrary, but a bool is one
                for part in self._variables.variable(variable).plain or ():
                    self._unknowns.assume_bool(part.term, part.type)
                    if variable.name in _STREAMS and isinstance(part.type, Pointer):
                        null = eq(part.term, self._memory.pointer(0))
                        self.builder.assign(part.term, ite(null, self._memory.pointer(8), part.term))

    def _global(self, variable: Variable) -> None:
        target = self._variables.variable(variable)
        if variable.initializer is not None:
            self._initialization.initialize(target, variable.type, variable.initializer)
        elif variable.type.size:
            self._initialization.clear(target, variable.type)

    def strings(self) -> None:
        for string in self._context.strings.values():
            assert string.initial is not None
            character = unit_type(string.unit)
            for i in range(0, len(string.initial), string.unit):
                value = int.from_bytes(string.initial[i : i + string.unit], "little")
                where = Lvalue(character, None, 0, self._memory.pointer(string.address.payload + i), string.place)
                self._cells.store(where, character, bv(value, 8 * string.unit))

    def finish(self) -> None:
        """Emits what was gathered."""
        self._cells.emit()


class InitialCells:
    """Memory before the program starts. Stores are gathered into one term per array: static initialisers are constants,
    so their order among other statements does not matter.
    """

    unroll = 4096

    def __init__(self, frame: Frame) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._cells = MemoryCells(frame)
        self._stores: dict[Term, Term] = {}
        self._by_address: dict[Term, dict[Term, Term]] = {}  # the same by array and address
        self._zeroed: set[Place] = set()

    def store(self, lvalue: Lvalue, t: CType, value: Term) -> None:
        array, written = self._cells.written(lvalue, t, value)
        cells = self._by_address.setdefault(array, {})
        self._stores[array] = _rebase(written, array, self._stores.get(array, array), cells)

    def load(self, lvalue: Lvalue, t: CType) -> Term:
        """Bit-fields are read before they are written. Only what was stored there counts, not the thousands of other
        stores of a large initialiser.
        """
        assert lvalue.place is not None and lvalue.address is not None
        region = self._memory.region(lvalue.place)
        cells = self._by_address.get(region.array, {})
        current = region.array
        if current in self._context.zeroed:
            current = _zeros(current)
        for i in range(0, t.size, region.size):
            address = bvadd(lvalue.address, self._memory.pointer(i))
            if address in cells:
                current = store(current, address, cells[address])
        return substitute(self._cells.load(lvalue, t), {region.array: current})

    def clear(self, place: Place) -> bool:
        """Memory that holds globals only starts as a constant array of zeros."""
        parts = covered(place)
        if any(is_foreign(part) or is_allocated(part) or part in self._context.facts.local_places for part in parts):
            return False
        for part in parts:
            if part not in self._zeroed:
                self._zeroed.add(part)
                self._context.zeroed.append(self._memory.region(part).array)
        return True

    def emit(self) -> None:
        for array, value in self._stores.items():
            self._builder.assign(array, value)
        self._stores.clear()


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


def _zeros(array: Term) -> Term:
    """An array of zeros of the same sort."""
    sort = array.sort
    assert isinstance(sort, Array)
    element = sort.element
    zero = fp_bits(0, element) if isinstance(element, Float) else bv(0, element.width)  # type: ignore[attr-defined]
    return const_array(sort, zero)


def layout(context: Context, first: Builder) -> None:
    """The very first edges: arrays of zeros, the heap, the sizes of static objects."""
    memory = context.memory
    for array in context.zeroed:
        first.assign(array, _zeros(array))
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
        context.globals[memory.sizes] = None
        known_blocks = memory.blocks if memory.remembers else memory.live
        first.assign(known_blocks, no_blocks(memory) if memory.remembers else memory.pointer(0))
        context.globals[known_blocks] = None
    if memory.uses_heap:
        first.assign(memory.heap, start)
        context.globals[memory.heap] = None
    if memory.uses_stack:
        first.assign(memory.stack, memory.stack_begin)
        context.globals[memory.stack] = None
    if memory.keeps_freed and not memory.safety:
        first.assign(memory.freed, const_array(memory.freed.sort, bv(0, 1)))  # type: ignore[arg-type]
        context.globals[memory.freed] = None
    for happened in memory.events:
        first.assign(happened, bv(0, 1))
        context.globals[happened] = None
    if memory.keeps_lengths:
        context.globals[memory.lengths] = None
    if memory.heap_begin in context.globals:
        first.assign(memory.heap_begin, start)
