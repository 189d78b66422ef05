"""Objects in memory: their addresses, the regions that hold them, and what the program does first.

Every place of the points-to analysis that is accessed becomes a region, an array from addresses to elements: floats,
bit-vectors of one width, or bytes where the place collapsed. Addresses are byte addresses in all of them.

Addresses of static objects and of locals of functions that are not recursive are constants. Two policies exist.
Plainly, objects lie one behind the other and `heap top` marks where the next allocated one begins. Where memory
safety is checked, an address is an object's number in the high bits and an offset in the low ones, and the array
`object sizes` gives for every object 1 + its size, or 0 when it is not allocated. Of the numbers that are given while
the program runs, the lower half is for what can be freed and the upper half for what lives on the stack.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from craton.frontends.c.errors import Unsupported
from craton.frontends.c.memory.places import Place, find
from craton.frontends.c.syntax.nodes import Function, Variable
from craton.frontends.c.syntax.types import CType, Floating
from craton.logic import Array, BitVec, Float, Sort, Term, bv
from craton.logic.sorts import FLOAT32, FLOAT64
from craton.program.storage import MEMORY

_FIRST_ADDRESS = 0x1000_0
_GAP = 16
_FLOATS = {4: FLOAT32, 8: FLOAT64}
FLOAT_TYPES = {4: Floating(4, 4, "float", FLOAT32), 8: Floating(8, 8, "double", FLOAT64)}


@dataclass(frozen=True, slots=True)
class Region:
    """An array of memory. `size` is that of an element in bytes."""

    array: Term
    size: int

    @property
    def element(self) -> BitVec | Float:
        sort = self.array.sort
        assert isinstance(sort, Array) and isinstance(sort.element, BitVec | Float)
        return sort.element


@dataclass(eq=False, slots=True)
class Object:
    """Something that has an address: a variable, a string literal, the extra arguments of a call."""

    name: str
    place: Place
    type: CType
    size: int
    address: Term
    initial: bytes | None = None  # contents of a string literal
    unit: int = 1  # bytes of one of its characters
    variable: Variable | None = None


@dataclass(eq=False)
class Memory:
    """The regions and objects of a program."""

    new_variable: Callable[[str, Sort], Term]  # of a name like that one
    pointer_width: int
    safety: bool
    offset_bits: int = 0
    objects: list[Object] = field(default_factory=list)
    regions: dict[Place, Region] = field(default_factory=dict)
    functions: dict[str, Term] = field(default_factory=dict)
    _next: int = _FIRST_ADDRESS
    _number: int = 1

    def __post_init__(self) -> None:
        sort = BitVec(self.pointer_width)
        # Names with a space are names that no C text can spell; `new_variable` keeps ours apart from each other.
        self.heap = self.new_variable("heap top", sort)
        self.heap_begin = self.new_variable("heap begin", sort)  # known only when all code is lowered
        self.stack = self.new_variable("stack top", sort)  # the next number for a local, where safety is checked
        self.lengths = self.new_variable("block lengths", Array(sort, sort))  # of allocated blocks, for realloc
        self.freed = self.new_variable("freed blocks", Array(sort, BitVec(1)))  # by the addresses where they began
        self.some_freed = self.new_variable("some block freed", BitVec(1))  # whether any was
        self.given_again = self.new_variable("block given again", BitVec(1))  # whether one was given after that
        self.sizes = self.new_variable("object sizes", Array(sort, sort))
        self.live = self.new_variable("live blocks", sort)
        self.blocks = self.new_variable("allocated blocks", Array(sort, BitVec(1)))  # by the addresses where they begin
        if self.safety:
            self.offset_bits = 32 if self.pointer_width == 64 else 19
        self.remembers = False  # where blocks begin; else they are counted, where memory safety is checked
        self.uses_heap = False
        self.uses_stack = False
        self.keeps_lengths = False
        self.keeps_freed = False
        self.knows_reuse = False  # whether `given_again` says when a block may lie where a freed one has lain
        self.loses_blocks = False  # some end with the function that has them from alloca

    @property
    def most(self) -> int:
        """Objects are smaller, where memory safety is checked: half of the offsets. The other half lies before the next
        object, so that pointers a little before an object are told from those into the one before.
        """
        return 1 << (self.offset_bits - 1)

    @property
    def events(self) -> tuple[Term, ...]:
        """What is remembered to have happened at all: a block was freed, and another given afterwards."""
        if self.knows_reuse:
            return self.some_freed, self.given_again
        return (self.some_freed,) if self.keeps_freed and not self.safety else ()

    @property
    def gives_again(self) -> bool:
        """Whether numbers of freed objects are given again when there are no others: few enough to run out."""
        return self.pointer_width == 32

    @property
    def stack_begin(self) -> Term:
        """The first number for objects on the stack."""
        return self.pointer(1 << (self.pointer_width - self.offset_bits - 1))

    def make_room(self, largest: int) -> None:
        """Where addresses have few bits, offsets get as many as the largest object needs."""
        if self.safety and self.pointer_width == 32:
            self.offset_bits = min(max(self.offset_bits, largest.bit_length() + 2), 25)

    def pointer(self, value: int) -> Term:
        return bv(value, self.pointer_width)

    def region(self, place: Place) -> Region:
        place = find(place)
        region = self.regions.get(place)
        if region is None:
            region = self.regions[place] = self._make_region(place)
        return region

    def _make_region(self, place: Place) -> Region:
        sizes = {size for size, _ in place.scalars}
        kinds = {kind for _, kind in place.scalars}
        size = 1 if place.collapsed or len(sizes) != 1 else next(iter(sizes))
        element: BitVec | Float = BitVec(8 * size)
        if not place.collapsed and kinds == {"float"} and size in _FLOATS:
            element = _FLOATS[size]
        array = self.new_variable(f"{MEMORY}{place.name}", Array(BitVec(self.pointer_width), element))
        return Region(array, size)

    def allocate(self, size: int, align: int, what: str) -> Term:
        """A constant address for a new object."""
        if self.safety:
            if size >= self.most:
                raise Unsupported(f"an object of {size} bytes ({what}) where memory safety is checked", None)
            number = self._number
            self._number += 1
            return self.pointer(number << self.offset_bits)
        align = max(align, 1)
        self._next = -(-self._next // align) * align
        address = self._next
        self._next += max(size, 1) + _GAP
        return self.pointer(address)

    def add(self, name: str, place: Place, t: CType, size: int) -> Object:
        new = Object(name, place, t, size, self.allocate(size, max(t.align, 4), name))
        self.objects.append(new)
        return new

    def heap_start(self) -> int:
        """Where allocated memory begins, once all static objects have their place."""
        if self.safety:
            return self._number
        return -(-self._next // 4096) * 4096

    def address_of_function(self, function: Function) -> Term:
        known = self.functions.get(function.symbol)
        if known is None:
            known = self.functions[function.symbol] = self.pointer(16 * (len(self.functions) + 1))
        return known
