"""L-values: variables, members, elements, what pointers point to."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.c.automaton.lvalue import Lvalue, Part, Value
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.locals import Locals
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.lowering.variables import Variables
from craton.frontends.c.memory.addresses import INVENTED
from craton.frontends.c.memory.places import Place, find, leaves_members
from craton.frontends.c.memory.scan import begins_at_number
from craton.frontends.c.syntax.expressions import without_decay
from craton.frontends.c.syntax.nodes import LVALUES, Kind, Node
from craton.frontends.c.syntax.types import ArrayType, CType, FunctionType, Integer, Pointer, Record, leaves
from craton.logic import TRUE, Term, and_, bvadd, bvsub, bvule

_PASSING = "an array in a struct that is a value and no object"


class Lvalues:
    """Lowers l-values, by the kind of the expression."""

    def __init__(
        self,
        frame: Frame,
        expressions: Expressions,
        access: Access,
        safety: Safety,
        variables: Variables,
        locals_: Locals,
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._memory = frame.memory
        self._expressions = expressions
        self._access = access
        self._safety = safety
        self._variables = variables
        self._locals = locals_
        self._insides: dict[Node, Term] = {}  # whether arrays lie inside of those that they seem to be a part of

    def read(self, node: Node) -> Value:
        """The value that stands there."""
        return self._access.load(self.lvalue(node))

    def _followed(self, node: Node, found: Lvalue) -> None:
        """Following a pointer that was made from numbers is not modelled, nor is one that may be such a pointer, or
        whose bytes came from outside, and that points to no object of its place.
        """
        follows = node.kind in (Kind.SUBSCRIPT, Kind.DEREFERENCE) or (node.kind is Kind.MEMBER and node.op == "->")
        if not follows or isinstance(node.type, FunctionType):
            return
        addresses = self._context.facts.addresses
        pointer = next((c for c in node.children if not isinstance(c.type, Integer)), node.children[0])
        if begins_at_number(pointer):
            return
        if addresses.is_invented(pointer):
            self._frame.fail_if(INVENTED, node)
        elif found.address is not None and addresses.may_be_astray(self._context.points_to.pointed(pointer)):
            self._frame.fail_if(INVENTED, node, self._variables.is_astray(found.address, found.place))

    def lvalue(self, node: Node) -> Lvalue:
        """Where an expression's value stands; a struct that is none is put somewhere."""
        found = self._stands(node)
        self._followed(node, found)
        if isinstance(node.type, ArrayType) and found.inside is not TRUE:
            # Its address may be used when what the indices were computed from has changed.
            self._insides[node] = self._frame.builder.save(found.inside)
        return replace(found, volatile=True) if node.volatile else found

    def _stands(self, node: Node) -> Lvalue:
        match node.kind:
            case Kind.VARIABLE:
                return self._variables.variable(node.value)
            case Kind.MEMBER:
                return self._member(node)
            case Kind.SUBSCRIPT:
                return self._subscript(node)
            case Kind.DEREFERENCE:
                return self._dereference(node)
            case Kind.STRING:
                string = self._variables.string(node)
                return Lvalue(node.type, None, 0, string.address, string.place, None, string)
            case Kind.COMPOUND_LITERAL:
                self._locals.declare(node.value)
                return self._variables.variable(node.value)
            case _:
                return self._materialize(node)

    def _member(self, node: Node) -> Lvalue:
        base = node.children[0]
        if isinstance(node.type, ArrayType):
            self._outlive(node)
        if node.op == "->":
            address = self._expressions.scalar(base)
            place = self._context.points_to.pointed(base)
            whole = Lvalue(node.value.record, None, 0, address, place, None, self._variables.object_pointed(base))
        elif base.kind in LVALUES:
            whole = self.lvalue(base)
        else:
            whole = self._materialize(base)
        return self._access.member(whole, node.value)

    def _outlive(self, array: Node) -> None:
        """Arrays of values, which die with the expression, may not be where that matters: see `_spill`."""
        whole = array
        while whole.kind is Kind.MEMBER and whole.op != "->":
            whole = whole.children[0]
        if whole.kind in LVALUES:
            return
        if self._memory.safety:
            raise self._frame.unsupported(f"{_PASSING}, where memory safety is checked,", array)
        if self._frame.function.symbol in self._context.facts.recursive:
            raise self._frame.unsupported(f"{_PASSING}, in a recursive function,", array)

    def _dereference(self, node: Node) -> Lvalue:
        pointer = node.children[0]
        if isinstance(pointer.type, Pointer) and pointer.kind is Kind.BINARY and pointer.op in ("+", "-"):
            return self._at_offset(pointer, node.type)
        address = self._expressions.scalar(pointer)
        if isinstance(node.type, FunctionType):
            return Lvalue(ArrayType(node.type, 0), None, 0, address)
        place = self._context.points_to.pointed(pointer)
        return Lvalue(node.type, None, 0, address, place, None, self._variables.object_pointed(pointer))

    def _subscript(self, node: Node) -> Lvalue:
        base, index = node.children
        if isinstance(base.type, Integer):
            base, index = index, base
        self._frame.fail_if(self._context.facts.addresses.needs_layout(node), node)
        address = self._expressions.scalar(base)
        offset = self._frame.scaled(self._expressions.scalar(index), index.type, node.type)
        found = self._indexed(node.type, base, address, bvadd(address, offset), offset)
        return replace(found, inside=self._inside(without_decay(base), offset, node.type.size))

    def _inside(self, array: Node, offset: Term, size: int) -> Term:
        """Whether an element lies in the array that it seems to lie in, where that is part of a struct."""
        if not self._memory.safety or not isinstance(array.type, ArrayType) or not array.type.size:
            return TRUE
        if not leaves_members(find(self._context.points_to.of_lvalue(array))):
            return TRUE
        inside = bvule(offset, self._memory.pointer(array.type.size - size))
        return and_(self._insides.get(array, TRUE), inside)

    def _at_offset(self, sum_: Node, t: CType) -> Lvalue:
        """`*(p + i)` is `p[i]`."""
        self._frame.fail_if(self._context.facts.addresses.needs_layout(sum_), sum_)
        base, index = sum_.children
        if isinstance(base.type, Integer):
            base, index = index, base
        address = self._expressions.scalar(base)
        element = sum_.type.target if isinstance(sum_.type, Pointer) else t
        offset = self._frame.scaled(self._expressions.scalar(index), index.type, element)
        moved = bvadd(address, offset) if sum_.op == "+" else bvsub(address, offset)
        return self._indexed(t, base, address, moved, offset, self._context.points_to.pointed(sum_))

    def _indexed(
        self, t: CType, base: Node, address: Term, moved: Term, offset: Term, place: Place | None = None
    ) -> Lvalue:
        place = place or self._context.points_to.pointed(base)
        origin = address if self._safety.may_stray(offset) else None
        return Lvalue(t, None, 0, moved, place, None, self._variables.object_pointed(base), origin=origin)

    def _materialize(self, node: Node) -> Lvalue:
        """A struct value that is no l-value, put into variables so that its members can be read."""
        value = self._expressions.value(node)
        assert isinstance(value, tuple)
        parts = []
        for leaf, term in zip(leaves(node.type), value, strict=True):
            parts.append(Part(leaf.offset, leaf.type, term))
        if any(isinstance(leaf.type, ArrayType) for leaf in leaves(node.type)) or _has_array(node.type):
            return self._spill(node, value)
        return Lvalue(node.type, tuple(parts), 0)

    def _spill(self, node: Node, value: tuple[Term, ...]) -> Lvalue:
        """The same in memory, where its arrays can be indexed. It is one object that never dies."""
        place = self._context.points_to.contents(node)
        temporary = self._memory.add("temporary", place, node.type, node.type.size)
        target = Lvalue(node.type, None, 0, temporary.address, place, None, temporary)
        self._access.store(target, value)
        return target


def _has_array(t: CType) -> bool:
    return isinstance(t, Record) and any(isinstance(f.type, ArrayType) or _has_array(f.type) for f in t.fields)
