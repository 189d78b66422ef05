"""Can the program tell where its objects lie?

Objects have fixed addresses in the model (`layout`), which is right as long as nothing that the program does depends on
them: then every other layout gives the same run. Here is decided, operation by operation, where that ends: numbers that
hold addresses are found by the points-to analysis, and an operation on them whose result depends on the layout *tells*.
The lowering makes it unmodelled. `docs/memory.md` has the argument.
"""

from __future__ import annotations

from craton.frontends.c.memory.effects import Touch
from craton.frontends.c.memory.foreign import is_foreign
from craton.frontends.c.memory.library_calls import Effects
from craton.frontends.c.memory.places import Place, find, is_allocated
from craton.frontends.c.memory.points_to import PointsTo
from craton.frontends.c.syntax.expressions import constant_number, direct_callee
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import ArrayType, CType, Floating, Integer, Pointer

_FIRST_PAGES = 0x1_0000  # no object lies below, nor in the last page: platforms keep both free
_LAST_PAGE = 4096
_ADDRESS_BYTES = 6  # 64-bit platforms use 48 bits at most
_ORDER = frozenset({"<", ">", "<=", ">="})
_EQUALITY = frozenset({"==", "!="})
_KEEP_DISTANCE = frozenset({"+", "-", "^", ","})  # what is computed back with the same address is the same anywhere

INVENTED = "an access through a pointer that was made from a number"


class Addresses:
    """Which expressions hold addresses, and which operations tell them."""

    def __init__(self, points_to: PointsTo, effects: Effects, pointer_size: int) -> None:
        self._points_to = points_to
        self._effects = effects
        self._pointer_size = pointer_size
        self._alignments = points_to.occupied()
        self._scrambled = frozenset(
            find(place.pointee) for place in points_to.places.roots() if place.scrambled and place.pointee is not None
        )
        self._literals = frozenset(points_to.literals())

    # --- numbers that hold addresses ----------------------------------------------------------------------------------

    def _place(self, node: Node) -> Place | None:
        """What the address points to that a number holds; None if it holds none."""
        if not isinstance(node.type, Integer | Floating):
            return None
        place = self._points_to.of_value(node)
        return place if place is not None and find(place) in self._alignments else None

    def holds(self, node: Node) -> bool:
        """Whether a number holds an address, or a part of one."""
        return self._place(node) is not None

    def _is_derived(self, node: Node) -> bool:
        """Whether a number may be something else than the address of a byte of the object."""
        place = self._place(node)
        while node.kind is Kind.CONVERT and node.children[0].type.size == node.type.size:
            node = node.children[0]
        return place is not None and find(place).derived and not isinstance(node.type, Pointer | ArrayType)

    def is_occupied(self, place: Place) -> bool:
        """Whether an object lies there."""
        return find(place) in self._alignments

    def is_invented(self, pointer: Node) -> bool:
        """Whether a pointer was made from numbers that hold no address, as far as their computation shows. It may point
        to any object whose address the program has looked at.
        """
        place = find(self._points_to.pointed(pointer))
        return place.invented and place not in self._alignments

    def may_be_astray(self, place: Place) -> bool:
        """Whether pointers to a place with objects may point anywhere: somebody outside of the program may have put any
        bytes where they stand, or some were made from numbers, which may hold other addresses or none. Memory from
        outside is somewhere.
        """
        place = find(place)
        return place in self._scrambled or (place.invented and place in self._alignments and not is_foreign(place))

    def are_literals(self, left: Place, right: Place) -> bool:
        """Whether two pointers may point to string literals, which may be merged."""
        return find(left) in self._literals and find(right) in self._literals

    def compares_blocks(self) -> bool:
        """Whether addresses of allocated blocks are compared with each other."""
        for node in self._points_to.expressions():
            if node.kind is Kind.BINARY and node.op in _EQUALITY:
                places = [self._points_to.of_value(child) for child in node.children]
                if all(place is not None and is_allocated(place) for place in places):
                    if all(constant_number(child) is None for child in node.children):
                        return True
        return False

    # --- operations that tell -----------------------------------------------------------------------------------------

    def tells(self, node: Node) -> str | None:
        """What the operation at the top of an expression tells of addresses by its value, None if nothing."""
        if not self._points_to.follows_numbers:
            return None
        match node.kind:
            case Kind.BINARY | Kind.COMPOUND_ASSIGN if node.op not in ("&&", "||") and not self.needs_layout(node):
                return self._binary(node)
            case Kind.UNARY if self.holds(node) and isinstance(node.type, Floating):
                return "arithmetic on the bytes of an address"
            case Kind.CONVERT:
                return self._conversion(node)
        return None

    def needs_layout(self, node: Node) -> str | None:
        """What an operation does that is more than a value, and cannot be said without knowing the layout."""
        if not self._points_to.follows_numbers:
            return None
        match node.kind:
            case Kind.SUBSCRIPT if any(self.holds(child) for child in node.children):
                return "an address as an index"
            case Kind.BINARY | Kind.COMPOUND_ASSIGN if isinstance(node.type, Pointer) and node.op in ("+", "-"):
                return "an address as an index" if any(self.holds(child) for child in node.children) else None
            case Kind.CALL:
                return self._call(node)
            case Kind.DEREFERENCE if self.is_invented(node.children[0]):
                return INVENTED
            case Kind.ELVIS:
                return self.truth_tells(node.children[0])
        return None

    def truth_tells(self, node: Node) -> str | None:
        """A test for zero: an address is not zero, but some of its bytes may be."""
        if self.holds(node):
            if isinstance(node.type, Floating) or node.type.size < self._pointer_size or self._is_derived(node):
                return "a test of a number computed from an address"
        return None

    def _binary(self, node: Node) -> str | None:
        left, right = node.children
        a, b = self._place(left), self._place(right)
        if a is None and b is None:
            return self._constant_comparison(node) if node.op in _ORDER | _EQUALITY else None
        if node.op in _ORDER | _EQUALITY:
            return self._comparison(node)
        if isinstance(left.type, Floating) or isinstance(right.type, Floating):
            return "arithmetic on the bytes of an address"
        if node.op in _KEEP_DISTANCE or self._is_tag(node, a or b):
            return None
        return f"{node.op} on an address"

    def _is_tag(self, node: Node, place: Place | None) -> bool:
        """Whether an operation looks at or changes only bits that are the same wherever the object lies."""
        assert place is not None
        left, right = node.children
        number = constant_number(right)
        if number is None and node.kind is Kind.BINARY:
            number = constant_number(left) if node.op in ("&", "|") else None
        if number is None:
            return False
        align = self._alignments[find(place)]
        bits = 8 * self._pointer_size
        if node.op == "&":
            return 0 <= number < align or (~number) % (1 << bits) < align
        if node.op == "|":
            return 0 <= number < align
        return node.op == "%" and 0 < number <= align and number & (number - 1) == 0

    def _comparison(self, node: Node) -> str | None:
        left, right = node.children
        full = min(left.type.size, right.type.size) >= self._pointer_size
        integers = isinstance(left.type, Integer) and isinstance(right.type, Integer)
        if full and integers and not any(self._is_derived(child) for child in (left, right)):
            if node.op in _EQUALITY and self.holds(left) and self.holds(right):
                return None  # like pointers
            other = constant_number(right if self.holds(left) else left)
            unsigned = isinstance(left.type, Integer) and not left.type.signed
            ordered = (
                unsigned or node.op in _EQUALITY or (other is not None and other < _FIRST_PAGES and self._are_positive)
            )
            if other is not None and self._is_beyond(other, ordered):
                return None
        return "a comparison of an address as a number"

    @property
    def _are_positive(self) -> bool:
        """Whether addresses are positive as signed numbers: of 64 bits they are, with 32 the stack is not."""
        return self._pointer_size > 4

    def _constant_comparison(self, node: Node) -> str | None:
        """A pointer against a number that may be an address."""
        left, right = node.children
        for pointer, other in ((left, right), (right, left)):
            if isinstance(pointer.type, Pointer | ArrayType) and isinstance(other.type, Pointer | Integer):
                number = constant_number(other)
                if number is not None and not self._is_beyond(number, True):
                    return "a comparison of an address with a number"
        return None

    def _is_beyond(self, number: int, ordered: bool) -> bool:
        """Whether every address compares with the number in the same way."""
        width = 8 * self._pointer_size
        number %= 1 << width
        return ordered and (number < _FIRST_PAGES or number >= (1 << width) - _LAST_PAGE)

    def _conversion(self, node: Node) -> str | None:
        child = node.children[0]
        t: CType = node.type
        if isinstance(t, Integer) and t.boolean:
            return None  # a test
        if isinstance(child.type, Pointer | ArrayType) and isinstance(t, Integer):
            place = self._points_to.of_value(child)
            if place is None or not self.is_occupied(place):
                return None
            return "a part of an address" if self._is_cut(t.size) else self._widened(child.type, t)
        if not self.holds(child):
            return None
        if isinstance(t, Floating) or isinstance(child.type, Floating):
            return "a conversion of the bytes of an address" if t is not child.type else None
        if isinstance(t, Integer) and t.size < child.type.size and self._is_cut(t.size):
            return "a part of an address"
        return self._widened(child.type, t)

    def _widened(self, given: CType, t: CType) -> str | None:
        """Its sign becomes bits; gcc extends the sign of pointers, too."""
        signed = not isinstance(given, Integer) or given.signed
        wider = isinstance(t, Integer) and t.size > given.size == self._pointer_size
        return "the sign of an address" if signed and wider and not self._are_positive else None

    def _is_cut(self, size: int) -> bool:
        return size < min(self._pointer_size, _ADDRESS_BYTES)

    def _call(self, node: Node) -> str | None:
        function = direct_callee(node)
        if function is None or function.body is not None:
            return None
        arguments = node.children[1:]
        touch = self._effects(function.name).touch
        if touch in (Touch.BYTES, Touch.FIRST_BYTES):
            for argument in arguments:
                if isinstance(argument.type, Pointer) and self._holds_pointers(self._points_to.pointed(argument)):
                    return f"{function.name} on the bytes of an address"
        if isinstance(node.type, Integer | Floating) and touch is Touch.NOTHING and "print" not in function.name:
            if any(self.holds(argument) for argument in arguments):
                return f"an address as an argument of {function.name}"
        return None

    def _holds_pointers(self, place: Place) -> bool:
        held = find(place).pointee
        return held is not None and self.is_occupied(held)
