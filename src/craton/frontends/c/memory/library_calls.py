"""Calls of functions without a body, as constraints on places."""

from __future__ import annotations

from collections.abc import Callable

from craton.frontends.c.memory.effects import Gives, PointerEffects, Touch
from craton.frontends.c.memory.places import Place, find, parts_of
from craton.frontends.c.memory.pointers import Pointers
from craton.frontends.c.memory.views import clash, is_generic
from craton.frontends.c.syntax.expressions import (
    bytes_behind,
    constant_number,
    copied_type,
    element_type,
    is_multiple,
    literal_text,
    strip,
)
from craton.frontends.c.syntax.nodes import Function, Kind, Node
from craton.frontends.c.syntax.scan_formats import conversions, is_written_as
from craton.frontends.c.syntax.types import CType, Pointer, Record, Void

Effects = Callable[[str], PointerEffects]  # of a function, by its name


class LibraryCalls:
    """Joins the places that a call of a function without a body connects."""

    def __init__(self, pointers: Pointers, effects: Effects) -> None:
        self._pointers = pointers
        self._effects = effects
        self._places = pointers.places

    def constrain(self, function: Function, caller: Function | None, node: Node) -> Place | None:
        """The place that holds the result."""
        arguments = node.children[1:]
        for argument in arguments:
            self._pointers.of_value(argument)
        result = self._places.new(function.name)
        effects = self._effects(function.name)
        if effects.touch in (Touch.START_ARGUMENTS, Touch.COPY_ARGUMENTS):
            self._variable_arguments(effects.touch, caller, arguments)
            return None
        self._touch(effects, arguments)
        if effects.gives in (Gives.FIRST, Gives.RESIZED) and arguments:
            result.pointee = self._pointers.pointed(arguments[0])
            if effects.gives is Gives.RESIZED:
                find(result.pointee).allocated = True
                find(result.pointee).zeroed = True  # copied as a whole
        elif isinstance(node.type, Pointer) or (effects.gives is not Gives.UNKNOWN and self._tracked(node)):
            result.pointee = self._fresh(function.name, effects.gives)
        return result

    def _tracked(self, node: Node) -> bool:
        return self._pointers.is_tracked(node.type)

    def _fresh(self, name: str, gives: Gives) -> Place:
        fresh = self._places.new(f"{name}#{len(self._places.all)}")
        fresh.allocated = gives in (Gives.NEW, Gives.NEW_TEXT)
        fresh.external = not fresh.allocated
        fresh.zeroed = name.endswith("calloc")  # also where a kernel's function of such a name has no body
        if gives is Gives.NEW_TEXT:
            self._places.access(fresh, 1, "int")
        return fresh

    def _variable_arguments(self, touch: Touch, caller: Function | None, arguments: tuple[Node, ...]) -> None:
        places = self._places
        target = places.pointee(self._pointers.va_cursor(arguments[0]))
        if touch is Touch.START_ARGUMENTS:
            assert caller is not None
            places.union(target, self._pointers.of_variadic(caller))
        else:
            places.union(target, places.pointee(self._pointers.va_cursor(arguments[1])))

    def _touch(self, effects: PointerEffects, arguments: tuple[Node, ...]) -> None:
        match effects.touch:
            case Touch.COPY if len(arguments) >= 3:
                self._copy_memory(arguments)
            case Touch.SET if len(arguments) >= 3:
                self._set_memory(arguments)
            case Touch.SCAN:
                self._scan(arguments, effects.first)
            case Touch.ESCAPES:
                for argument in arguments:
                    self._escape(argument)
            case Touch.BYTES | Touch.FIRST_BYTES:
                touched = [
                    self._pointers.pointed(argument)
                    for argument in arguments[: 1 if effects.touch is Touch.FIRST_BYTES else None]
                    if isinstance(argument.type, Pointer)
                ]
                for place in touched:
                    self._places.access(place, 1, "int")
                    self._places.run_along(place)
                if effects.touch is Touch.FIRST_BYTES:
                    self._scramble(arguments[0])
                for place in touched[1:] if self._places.follow_numbers else ():
                    self._places.copy_bytes(touched[0], place)

    def _scan(self, arguments: tuple[Node, ...], first: int) -> None:
        """What is not written as the pointer's type says is written byte by byte."""
        template = literal_text(arguments[first - 1]) if len(arguments) >= first else None
        found = None if template is None else conversions(template, arguments[first - 1].type.size)
        for argument, conversion in zip(arguments[first:], found or (), strict=False):
            if isinstance(argument.type, Pointer):
                place, t = self._pointers.pointed(argument), element_type(argument)
                self._scramble(argument)
                if is_written_as(conversion, t):
                    self._places.touch(place, t)
                else:
                    self._places.access(place, 1, "int")
                    self._places.run_along(place)

    def _scramble(self, argument: Node) -> None:
        """Pointers that stand there may point anywhere afterwards."""
        find(self._pointers.pointed(argument)).scrambled = True

    def _escape(self, argument: Node) -> None:
        """What it points to, or what a struct's pointers do; nobody changes a literal."""
        if strip(argument).kind is Kind.STRING:
            return
        if isinstance(argument.type, Record):
            held = [part.pointee for part in parts_of(self._pointers.contents(argument))]
            self._places.escaped.extend(place for place in held if place is not None)
            return
        place = self._pointers.of_value(argument)
        if place is not None:
            self._places.escaped.append(place)

    def _copy_memory(self, arguments: tuple[Node, ...]) -> None:
        target, source = self._pointers.pointed(arguments[0]), self._pointers.pointed(arguments[1])
        for argument, place in zip(arguments, (target, source), strict=False):
            self._run_along(argument, place, arguments[2])
        t = copied_type(arguments)
        if t is not None:
            self._places.touch(target, t)
            self._places.touch(source, t)
            self._places.copy(target, source, t)
        else:
            for place in (target, source):
                self._places.access(place, 1, "int")
            self._copy_bytes(target, source, *map(element_type, arguments[:2]))

    def _run_along(self, argument: Node, place: Place, size: Node) -> None:
        """Bytes behind a pointer are accessed, perhaps more than what it says it points to."""
        number = constant_number(size)
        if number is None or not 0 <= number <= bytes_behind(argument):
            self._places.run_along(place)

    def _copy_bytes(self, target: Place, source: Place, to: CType, origin: CType) -> None:
        if is_generic(to) or is_generic(origin):
            self._places.copy_unseen(target, source)
            return
        if clash(to, origin):
            self._places.expose(target)
            self._places.expose(source)
        self._places.copy_bytes(target, source)

    def _set_memory(self, arguments: tuple[Node, ...]) -> None:
        target = self._pointers.pointed(arguments[0])
        self._run_along(arguments[0], target, arguments[2])
        t = element_type(arguments[0])
        if t.size and not isinstance(t, Void) and is_multiple(arguments[2], t.size):
            self._places.touch(target, t)
        else:
            self._places.access(target, 1, "set")
