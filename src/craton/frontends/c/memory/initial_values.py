"""Initialisers as constraints: each value is stored in its part of the object."""

from __future__ import annotations

from craton.frontends.c.memory.places import Place, scalar_class
from craton.frontends.c.memory.pointers import Pointers
from craton.frontends.c.syntax.initializers import Placed, placed
from craton.frontends.c.syntax.nodes import Node, Variable
from craton.frontends.c.syntax.types import ArrayType, CType, Field, Floating, Integer, Record


class InitialValues:
    """Joins what parts of objects point to with what their first values point to."""

    def __init__(self, pointers: Pointers) -> None:
        self._pointers = pointers
        self._places = pointers.places

    def initialize(self, variable: Variable) -> None:
        """The variable gets the value that its declaration says."""
        place = self._pointers.of_variable(variable)
        for parameter_length in variable.dimensions:
            self._pointers.of_value(parameter_length[1])
        if variable.initializer is not None:
            self.fill(place, variable.type, variable.initializer)

    def fill(self, place: Place, t: CType, value: Node) -> None:
        """An object of type `t` is initialised with a value or a list of values."""
        for item in placed(t, value):
            self._store(place, item)

    def _store(self, place: Place, item: Placed) -> None:
        t, value = item.type, item.value
        for step in item.path:
            if isinstance(step, Field):
                place = self._places.field(place, step.record, step.offset, step.name, step.type)
        if isinstance(t, ArrayType):  # a string literal
            self._places.touch(place, t)
            return
        if isinstance(t, Record):
            source = self._pointers.contents(value)
            self._places.touch(place, t)
            self._places.touch(source, t)
            self._places.copy(place, source, t)
            return
        pointed = self._pointers.of_value(value)
        last = item.path[-1] if item.path else None
        if isinstance(last, Field) and last.bits is not None:
            self._places.access(place, last.unit_size, "int")
        else:
            self._places.access(place, t.size, scalar_class(t))
        self._places.seen(place, t)
        if pointed is not None and self._pointers.is_tracked(t):
            fields = [step for step in item.path if isinstance(step, Field)]
            in_struct = bool(fields) and not any(step.record.is_union for step in fields)
            in_struct = in_struct and isinstance(t, Integer | Floating)
            held = self._places.words_of(place) if in_struct else self._places.pointee(place)
            self._pointers.flow(held, pointed, t)
