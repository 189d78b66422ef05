"""Calls as constraints: arguments are copied to parameters, results to where calls stand."""

from __future__ import annotations

from craton.frontends.c.memory.library_calls import Effects, LibraryCalls
from craton.frontends.c.memory.places import CallSite, Place, find, parts_of
from craton.frontends.c.memory.pointers import Pointers
from craton.frontends.c.syntax.expressions import direct_callee
from craton.frontends.c.syntax.nodes import Function, Node
from craton.frontends.c.syntax.types import CType, Record


class CallConstraints:
    """Joins the places that calls connect, by name and through pointers."""

    def __init__(self, pointers: Pointers, effects: Effects) -> None:
        self._pointers = pointers
        self._places = pointers.places
        self._library = LibraryCalls(pointers, effects)

    def call(self, node: Node, caller: Function | None) -> Place | None:
        """The place that holds the result."""
        arguments = node.children[1:]
        function = direct_callee(node)
        if function is not None and function.is_external:
            return self._library.constrain(function, caller, node)
        if function is None:
            callee = self._pointers.pointed(node.children[0])
        passed = [self._argument(argument) for argument in arguments]
        if function is not None:
            for given, parameter in zip(passed, function.parameters, strict=False):
                if given is not None:
                    self._places.copy(self._pointers.of_variable(parameter), given, parameter.type)
            if function.type.variadic:
                for given, argument in list(zip(passed, arguments, strict=True))[len(function.parameters) :]:
                    self._pass_variadic(function, given, argument.type)
            return self._pointers.of_return(function)
        result = self._places.new("result")
        site = CallSite(passed, [argument.type for argument in arguments], result)
        callee = find(callee)
        callee.calls.append(site)
        self._places.link(callee)
        self.drain()
        return result

    def _argument(self, argument: Node) -> Place | None:
        """A place that holds the argument's value."""
        if isinstance(argument.type, Record):
            place = self._pointers.contents(argument)
            self._places.touch(place, argument.type)
            return place
        value = self._pointers.of_value(argument)
        if value is None:
            return None
        holder = self._places.new("argument")
        holder.pointee = value
        return holder

    def _pass_variadic(self, function: Function, given: Place | None, t: CType) -> None:
        area = self._pointers.of_variadic(function)
        self._places.touch(area, t)
        if given is not None:
            self._places.copy(area, given, t)

    def drain(self) -> None:
        """Passes the arguments of calls through pointers to the functions that have turned out to be meant."""
        while self._places.on_call:
            site, function = self._places.on_call.pop()
            if function.body is None:
                held = [part.pointee for place in site.arguments if place is not None for part in parts_of(place)]
                self._places.escaped.extend(place for place in held if place is not None)
            for argument, parameter in zip(site.arguments, function.parameters, strict=False):
                if argument is not None:
                    self._places.copy(self._pointers.of_variable(parameter), argument, parameter.type)
            if function.type.variadic:
                for argument, t in list(zip(site.arguments, site.types, strict=True))[len(function.parameters) :]:
                    self._pass_variadic(function, argument, t)
            self._places.copy(site.result, self._pointers.of_return(function), function.type.result)
