"""Constraints from the program's text to `places`: every assignment joins what both sides point to."""

from __future__ import annotations

from collections.abc import Container, Iterator

from craton.frontends.c.memory.calls import CallConstraints
from craton.frontends.c.memory.foreign import mark_foreign
from craton.frontends.c.memory.initial_values import InitialValues
from craton.frontends.c.memory.library_calls import Effects
from craton.frontends.c.memory.named_places import NamedPlaces
from craton.frontends.c.memory.places import Place, Places, find, parts_of
from craton.frontends.c.memory.scan import Scan, needs_memory
from craton.frontends.c.memory.spelling import (
    is_array,
    is_from_outside,
    is_inside,
    is_low_bits,
    is_member,
    is_outside,
    is_small_step,
)
from craton.frontends.c.syntax.expressions import (
    constant_number,
    is_constant_address,
    is_named_array,
    members_counted,
    without_conversions,
)
from craton.frontends.c.syntax.nodes import LVALUES, Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
)


class PointsTo:
    """The analysis. After `run`, `of_variable`, `of_lvalue` and `of_value` answer from memory."""

    def __init__(self, scan: Scan, effects: Effects, *, follow_numbers: bool = False) -> None:
        self.scan = scan
        self.follows_numbers = follow_numbers
        self.places = Places(follow_numbers=follow_numbers)
        named = NamedPlaces(self.places)
        self.of_variable = named.of_variable
        self.of_function = named.of_function
        self.of_return = named.of_return
        self.of_variadic = named.of_variadic
        self._calls = CallConstraints(self, effects)
        self._initial = InitialValues(self)
        self._lvalues: dict[Node, Place] = {}
        self._values: dict[Node, Place | None] = {}
        self._contents: dict[Node, Place] = {}
        self._numbers: list[tuple[Place, Place]] = []  # where numbers are stored, see `flow`
        self._current: Function | None = None

    # --- what lowering asks -------------------------------------------------------------------------------------------

    def of_lvalue(self, node: Node) -> Place:
        """The place an l-value lies in."""
        place = self._lvalues.get(node)
        if place is None:
            place = self._lvalues[node] = self._lvalue(node)
        return find(place)

    def of_value(self, node: Node) -> Place | None:
        """The place a value points to; None if it is no pointer."""
        if node in self._values:
            place = self._values[node]
        else:
            place = self._values[node] = self._value(node)
        return None if place is None else find(place)

    def pointed(self, node: Node) -> Place:
        """The place a pointer value points to; one of its own if nothing is known."""
        place = self.of_value(node)
        if place is None:
            place = self.places.new("external")
            place.external = True
            self._values[node] = place
        return place

    def is_tracked(self, t: CType) -> bool:
        """Whether values of that type may be pointers."""
        if isinstance(t, Pointer | ArrayType | FunctionType):
            return True
        return self.follows_numbers and isinstance(t, Integer | Floating)

    def va_cursor(self, node: Node) -> Place:
        """The place of the pointer inside a va_list."""
        t = node.type
        if isinstance(t, Pointer) and isinstance(t.target, Record):
            t = t.target
            place = self.pointed(node)
        elif isinstance(t, ArrayType):
            t = t.element
            place = self.of_lvalue(node)
        else:
            return self.of_lvalue(node) if node.kind in LVALUES else self.pointed(node)
        if isinstance(t, Record):
            for member in t.fields:
                if isinstance(member.type, Pointer):
                    sub = self.places.field(place, t, member.offset, member.name, member.type)
                    self.places.touch(sub, member.type)
                    return sub
        return place

    def expressions(self) -> list[Node]:
        """Those whose values were looked at."""
        return list(self._values)

    def literal_nodes(self) -> list[Node]:
        """The string literals whose addresses were looked at."""
        return [node for node in self._lvalues if node.kind is Kind.STRING]

    def literals(self) -> Iterator[Place]:
        """The places of string literals."""
        return (find(self._lvalues[node]) for node in self.literal_nodes())

    def unnamed(self) -> Iterator[Place]:
        """The places of string literals, of struct values that are put into memory, of extra arguments."""
        yield from self.literals()
        yield from (find(place) for place in self._contents.values())
        yield from (self.of_variadic(f) for f in self.scan.functions.values() if f.type.variadic)

    # --- the analysis -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        for variable in self.scan.globals:
            self._initial.initialize(variable)
        for function in self.scan.functions.values():
            self._current = function
            if function.body is not None:
                self._statement(function.body)
        self._calls.drain()
        self._mark_foreign()
        while self._join_numbers():
            self._calls.drain()
            self._mark_foreign()
        for variables in (self.scan.globals, *self.scan.locals.values()):
            for variable in variables:
                if isinstance(variable.type, Record | ArrayType) and self.scan.in_memory(variable):
                    self.places.touch(self.of_variable(variable), variable.type)
                    self.of_variable(variable).array |= isinstance(variable.type, ArrayType)
                    self.of_variable(variable).arithmetic |= isinstance(variable.type, ArrayType) and _has_tail(
                        variable.type
                    )
        self.places.settle()
        self._mark_foreign()
        while self._join_numbers():
            self.places.settle()
            self._mark_foreign()

    def _mark_foreign(self) -> None:
        handed_on = {find(place) for place in self.places.all if place.into is not None or place.invented}
        handed_on.update(find(source) for _, source in self._numbers)
        mark_foreign(self.scan, self.places.roots(), self.of_variable, handed_on)

    def flow(self, target: Place, source: Place | None, t: CType) -> None:
        """A value of type `t` comes to stand where another points to `target`. Numbers are joined only when one turns
        out to be an address, so that those that are added to addresses stay numbers.
        """
        if source is None:
            return
        if isinstance(t, Integer | Floating):
            self._numbers.append((target, source))
        else:
            self.places.union(target, source)

    def _join_numbers(self) -> bool:
        """Joins the targets of numbers that hold addresses; whether there were any new ones."""
        occupied = self.occupied() if self._numbers else {}
        later = [pair for pair in self._numbers if find(pair[1]) not in occupied]
        now = [pair for pair in self._numbers if find(pair[1]) in occupied]
        self._numbers = later
        for target, source in now:
            self.places.union(target, source)
        return bool(now)

    def occupied(self) -> dict[Place, int]:
        """The places that objects lie in, and to how many bytes each of those is aligned at least."""
        found: dict[Place, int] = {}

        def add(place: Place, align: int) -> None:
            for part in parts_of(place):
                found[part] = min(found.get(part, align), align)

        for variables in (self.scan.globals, *self.scan.locals.values()):
            for variable in variables:
                if self.scan.in_memory(variable):
                    add(self.of_variable(variable), variable.type.align)
        for place in self.unnamed():
            add(place, 1)
        for place in list(self.places.roots()):
            if place.external or place.functions:
                add(place, 1)
            elif place.allocated:
                add(place, 8)  # at least, on 32-bit platforms
        return found

    # --- l-values and structs -----------------------------------------------------------------------------------------

    def _lvalue(self, node: Node) -> Place:
        kind = node.kind
        if kind is Kind.VARIABLE:
            return self.of_variable(node.value)
        if kind is Kind.MEMBER:
            base = node.children[0]
            place = self.pointed(base) if node.op == "->" else self.contents(base)
            member = node.value
            if isinstance(member.type, ArrayType) and not member.type.count:
                self.places.reach_behind(place, member.record, member.offset)
            return self.places.field(place, member.record, member.offset, member.name, member.type)
        if kind is Kind.SUBSCRIPT:
            pointer, index = node.children
            if isinstance(pointer.type, Integer):
                pointer, index = index, pointer
            self.of_value(index)
            place = self.pointed(pointer)
            if not is_array(pointer):
                self._arithmetic(place, pointer.type)
            elif not is_named_array(pointer) or is_outside(pointer, index):
                self.places.run_along(place)
            return place
        if kind is Kind.DEREFERENCE:
            return self.pointed(node.children[0])
        if kind is Kind.STRING:
            place = self.places.new("string")
            place.array = True
            self.places.touch(place, node.type)
            return place
        if kind is Kind.COMPOUND_LITERAL:
            self._initial.initialize(node.value)
            return self.of_variable(node.value)
        return self.contents(node)

    def contents(self, node: Node) -> Place:
        """A place that holds a struct value: the l-value's own, or one for the temporary."""
        if node.kind in LVALUES:
            return self.of_lvalue(node)
        place = self._contents.get(node)
        if place is None:
            place = self._contents[node] = self.places.new("temporary")
            self._fill(place, node)
            if needs_memory(node.type):
                self.places.touch(place, node.type)
        return find(place)

    def _fill(self, place: Place, node: Node) -> None:
        kind = node.kind
        if kind is Kind.CALL:
            result = self._calls.call(node, self._current)
            if result is not None:
                self.places.copy(place, result, node.type)
        elif kind is Kind.ASSIGN:
            self._assign(node)
            self.places.copy(place, self.of_lvalue(node.children[0]), node.type)
        elif kind is Kind.CONDITIONAL:
            self.of_value(node.children[0])
            for child in node.children[1:]:
                self.places.copy(place, self._whole(child), node.type)
        elif kind is Kind.BINARY and node.op == ",":
            self._effect(node.children[0])
            self.places.copy(place, self._whole(node.children[1]), node.type)
        elif kind is Kind.STATEMENT_EXPRESSION:
            last = self._statement_expression(node)
            if last is not None:
                self.places.copy(place, self._whole(last), node.type)
        elif kind is Kind.VA_ARG:
            self.places.copy(place, self._va_arg(node), node.type)
        elif kind is Kind.CONVERT:
            self.places.copy(place, self._whole(node.children[0]), node.type)
        elif kind is Kind.INIT_LIST:
            self._initial.fill(place, node.type, node)
        else:
            for child in node.children:
                if child is not None:
                    self.of_value(child)

    def _whole(self, node: Node) -> Place:
        """The place of a struct that is read as a whole."""
        place = self.contents(node)
        self.places.touch(place, node.type)
        return place

    def _arithmetic(self, place: Place, pointer: CType) -> None:
        place = find(place)
        place.arithmetic = place.moved = True
        target = pointer.target if isinstance(pointer, Pointer) else None
        if target is None or (target.size == 1 and not isinstance(target, Record)):
            place.byte_arithmetic = True

    # --- values -------------------------------------------------------------------------------------------------------

    def _value(self, node: Node) -> Place | None:
        if isinstance(node.type, Record):
            self.contents(node)
            return None
        kind = node.kind
        if kind in LVALUES:
            place = self.of_lvalue(node)
            if isinstance(node.type, ArrayType):
                return place
            if isinstance(node.type, FunctionType):
                return place
            self._touch_lvalue(node, place)
            return self._held(node, place) if self.is_tracked(node.type) else None
        handler = _VALUES.get(kind)
        if handler is not None:
            found: Place | None = handler(self, node)
            return found
        for child in node.children:
            if child is not None:
                self.of_value(child)
        return None

    def _touch_lvalue(self, node: Node, place: Place) -> None:
        if node.kind is Kind.MEMBER and node.value.bits is not None:
            self.places.access(place, node.value.unit_size, "int")
        else:
            self.places.touch(place, node.type)
        self.places.seen(place, node.type)
        if isinstance(node.type, Integer | Floating) and not is_member(node):
            self.places.expose(place)

    def _held(self, node: Node, place: Place) -> Place:
        """What the address points to that an l-value in a place holds."""
        if isinstance(node.type, Integer | Floating) and is_member(node):
            return self.places.words_of(place)
        return self.places.pointee(place)

    def _address(self, node: Node) -> Place | None:
        child = node.children[0]
        if child.kind is Kind.FUNCTION:
            return self.of_function(child.value)
        place = self.of_lvalue(child)
        if child.kind is Kind.SUBSCRIPT and not is_inside(child):
            place.moved = True
            self.places.run_along(place)
        return place

    def _function(self, node: Node) -> Place | None:
        return self.of_function(node.value)

    def _binary(self, node: Node) -> Place | None:
        left, right = node.children
        if node.op == ",":
            self._effect(left)
            return self.of_value(right)
        a, b = self.of_value(left), self.of_value(right)
        if not self.is_tracked(node.type) or node.op in ("<", ">", "<=", ">=", "==", "!=", "&&", "||"):
            return None
        if isinstance(node.type, Pointer):
            pointer, place = (left, a) if isinstance(left.type, Pointer | ArrayType) else (right, b)
            place = place or self.pointed(pointer)
            found = self._containing(place, node)
            if found is not None:
                return found
            self._arithmetic(place, pointer.type)
            return place
        if isinstance(left.type, Pointer | ArrayType):  # the distance of two pointers into one object
            return None
        if is_low_bits(node) or (a is None and b is None):
            return None
        result = self.places.new("number")
        self._arithmetic(result, node.type)
        result.derived = not is_small_step(node)
        for operand in (a, b):
            self.flow(result, operand, node.type)
        return result

    def _containing(self, place: Place, node: Node) -> Place | None:
        """What a pointer points to from which the offset of a member is subtracted: a struct that has what it pointed
        to as this member.
        """
        pointer = node.type
        if node.op != "-" or not isinstance(pointer, Pointer):
            return None
        members = members_counted(node.children[1])
        if not members or (not isinstance(pointer.target, Void) and pointer.target.size != 1):
            return None
        if any(m.value.record.is_union or m.value.bits is not None or isinstance(m.type, ArrayType) for m in members):
            return None
        for member in members:
            place = self.places.container(place, member.value.record, member.value)
        return place

    def _unary(self, node: Node) -> Place | None:
        place = self.of_value(node.children[0])
        if place is None or node.op == "!" or not self.is_tracked(node.type):
            return None
        result = self.places.new("number")
        result.derived = node.op != "+"
        self.flow(result, place, node.type)
        return result

    def _assign(self, node: Node) -> Place | None:
        left, right = node.children
        target = self.of_lvalue(left)
        if isinstance(left.type, Record):
            source = self.contents(right)
            self.places.touch(target, left.type)
            if right.kind in LVALUES:
                self.places.touch(source, left.type)
            self.places.copy(target, source, left.type)
            return None
        value = self.of_value(right)
        self._touch_lvalue(left, target)
        if not isinstance(left.type, Pointer) and is_from_outside(right):
            find(target).scrambled = True
        if self.is_tracked(left.type):
            self.flow(self._held(left, target), value, left.type)
        return value

    def _compound_assign(self, node: Node) -> Place | None:
        left, right = node.children
        target = self.of_lvalue(left)
        self._touch_lvalue(left, target)
        value = self.of_value(right)
        if not self.is_tracked(left.type):
            return None
        held = self._held(left, target)
        if not isinstance(left.type, Pointer):
            self.flow(held, value, left.type)
            held.derived |= not is_small_step(node)
        self._arithmetic(held, left.type)
        return find(held)

    def _step(self, node: Node) -> Place | None:
        target = self.of_lvalue(node.children[0])
        self._touch_lvalue(node.children[0], target)
        if not self.is_tracked(node.type):
            return None
        held = self._held(node.children[0], target)
        self._arithmetic(held, node.type)
        return held

    def _conditional(self, node: Node) -> Place | None:
        *conditions, then, otherwise = node.children
        for condition in conditions:
            self.of_value(condition)
        a, b = self.of_value(then), self.of_value(otherwise)
        self.places.union(a, b)
        return a or b

    def _convert(self, node: Node) -> Place | None:
        child = node.children[0]
        if isinstance(node.type, Void):
            self._effect(child)
            return None
        place = self.of_value(child)
        if not self.is_tracked(node.type):
            return None
        if isinstance(node.type, Integer) and isinstance(child.type, Pointer) and is_constant_address(child):
            return None  # how far from its beginning a member is
        if isinstance(node.type, Pointer) and isinstance(child.type, Integer) and constant_number(child) != 0:
            place = find(place) if place is not None else self.places.new("invented")
            place.invented = True
        return place

    def _statement_expression(self, node: Node) -> Node | None:
        body = node.children[0]
        for child in body.children:
            self._statement(child)
        last: Node | None = body.children[-1] if body.children else None
        while last is not None and last.kind is Kind.LABEL and last.children:
            last = last.children[0]
        return last.children[0] if last is not None and last.kind is Kind.EXPRESSION else None

    def _statement_value(self, node: Node) -> Place | None:
        last = self._statement_expression(node)
        return self.of_value(last) if last is not None and not isinstance(node.type, Void) else None

    def _label(self, node: Node) -> Place | None:
        return None

    def _va_arg(self, node: Node) -> Place:
        area = self.places.pointee(self.va_cursor(node.children[0]))
        self.places.touch(area, node.type)
        return area

    def _va_value(self, node: Node) -> Place | None:
        place = self._va_arg(node)
        return self.places.pointee(place) if self.is_tracked(node.type) else None

    def _call_value(self, node: Node) -> Place | None:
        place = self._calls.call(node, self._current)
        if place is None or not self.is_tracked(node.type):
            return None
        return self.places.pointee(place)

    # --- statements ---------------------------------------------------------------------------------------------------

    def _effect(self, node: Node) -> None:
        if isinstance(node.type, Record):
            self.contents(node)
        else:
            self.of_value(node)

    def _statement(self, root: Node) -> None:
        stack = [root]
        while stack:
            node = stack.pop()
            kind = node.kind
            if kind is Kind.DECLARE:
                variable: Variable = node.value
                for _, length in variable.dimensions:
                    self.of_value(length)
                if variable.storage is Storage.LOCAL:
                    self._initial.initialize(variable)
                for cleanup in node.children:
                    self._effect(cleanup)
            elif kind is Kind.DECLARE_TYPE:
                for _, length in node.value:
                    self.of_value(length)
            elif kind is Kind.RETURN:
                self._return(node)
            elif kind is Kind.ASM:
                self._asm(node)
            elif kind in _STATEMENTS:
                stack.extend(child for child in reversed(node.children) if child is not None)
            else:
                self._effect(node)

    def _asm(self, node: Node) -> None:
        """Every output may be what any operand was."""
        operands = [child for child in node.children if child.kind is not Kind.GOTO]
        given = [self.of_value(operand) for operand in operands]
        for output in map(without_conversions, operands[: len(node.value.outputs)]):
            target = self.of_lvalue(output)
            self._touch_lvalue(output, target)
            if self.is_tracked(output.type):
                for value in given:
                    self.flow(self._held(output, target), value, output.type)

    def _return(self, node: Node) -> None:
        if not node.children or self._current is None:
            return
        place = self.of_return(self._current)
        value = node.children[0]
        if isinstance(value.type, Record):
            source = self.contents(value)
            self.places.touch(source, value.type)
            self.places.copy(place, source, value.type)
        else:
            pointed = self.of_value(value)
            if self.is_tracked(value.type):
                self.flow(self.places.pointee(place), pointed, value.type)


def analyse(scan: Scan, effects: Effects) -> PointsTo:
    """Follows pointers, and numbers too where a pointer may become one: by a conversion, or because a place that holds
    pointers is accessed as numbers or bytes. Elsewhere numbers hold no addresses.
    """
    if not (scan.integers_become_pointers or scan.pointers_become_integers):
        found = PointsTo(scan, effects)
        found.run()
        occupied = found.occupied()
        if not any(_is_mixed(place, occupied) for place in found.places.roots()):
            return found
    found = PointsTo(scan, effects, follow_numbers=True)
    found.run()
    return found


def _has_tail(array: ArrayType) -> bool:
    """Whether it has elements that end with an array without a length."""
    element: CType = array
    while isinstance(element, ArrayType):
        element = element.element
    last = element.fields[-1].type if isinstance(element, Record) and element.fields else None
    return isinstance(last, ArrayType) and not last.count


def _is_mixed(place: Place, occupied: Container[Place]) -> bool:
    """Whether it is accessed as numbers or bytes, and holds an address."""
    return place.raw and place.pointee is not None and find(place.pointee) in occupied


_STATEMENTS = frozenset(
    {
        Kind.COMPOUND,
        Kind.DECLARATIONS,
        Kind.EXPRESSION,
        Kind.IF,
        Kind.WHILE,
        Kind.DO,
        Kind.FOR,
        Kind.SWITCH,
        Kind.CASE,
        Kind.DEFAULT,
        Kind.LABEL,
        Kind.GOTO,
        Kind.COMPUTED_GOTO,
        Kind.BREAK,
        Kind.CONTINUE,
        Kind.EMPTY,
    }
)

_VALUES = {
    Kind.ADDRESS: PointsTo._address,
    Kind.FUNCTION: PointsTo._function,
    Kind.UNARY: PointsTo._unary,
    Kind.BINARY: PointsTo._binary,
    Kind.ASSIGN: PointsTo._assign,
    Kind.COMPOUND_ASSIGN: PointsTo._compound_assign,
    Kind.STEP: PointsTo._step,
    Kind.CONDITIONAL: PointsTo._conditional,
    Kind.ELVIS: PointsTo._conditional,
    Kind.CONVERT: PointsTo._convert,
    Kind.STATEMENT_EXPRESSION: PointsTo._statement_value,
    Kind.VA_ARG: PointsTo._va_value,
    Kind.CALL: PointsTo._call_value,
    Kind.LABEL_ADDRESS: PointsTo._label,
}
