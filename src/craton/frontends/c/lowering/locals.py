"""Locals: where they begin to live and what they hold at first."""

from __future__ import annotations

from typing import Any

from craton.frontends.c.automaton.arithmetic import is_signed, resize
from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.bulk import Bulk
from craton.frontends.c.lowering.cells import Cells
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.heap import Heap
from craton.frontends.c.lowering.initialization import Initialization
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.lowering.variables import Variables
from craton.frontends.c.memory.lifetimes import Lifetime
from craton.frontends.c.memory.scopes import Scopes
from craton.frontends.c.syntax.nodes import Variable
from craton.frontends.c.syntax.types import count_leaves, has_variable_length
from craton.logic import Term, store

_MOST_SINGLE = 16  # leaves of an uninitialised object that get a variable each


class Locals:
    """Begins the lives of locals at their declarations and at calls, and ends them with the call."""

    def __init__(
        self,
        frame: Frame,
        scopes: Scopes,
        *,
        cells: Cells,
        safety: Safety,
        access: Access,
        bulk: Bulk,
        heap: Heap,
        unknowns: Unknowns,
        expressions: Expressions,
        variables: Variables,
        initialization: Initialization,
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._function = frame.function
        self._builder = frame.builder
        self._memory = frame.memory
        self._scopes = scopes
        self._cells = cells
        self._safety = safety
        self._access = access
        self._bulk = bulk
        self._heap = heap
        self._unknowns = unknowns
        self._expressions = expressions
        self._variables = variables
        self._initialization = initialization

    def measure(self, dimensions: tuple[Any, ...]) -> None:
        """Computes the lengths of variable-length arrays."""
        for array, length in dimensions:
            value = resize(self._expressions.scalar(length), self._context.pointer_width, signed=is_signed(length.type))
            self._frame.lengths[array] = self._builder.save(value)

    def declare(self, variable: Variable) -> None:
        """A declaration is reached: the variable gets its value, or loses that of an earlier life."""
        if variable.storage is not self._frame.owns:
            return  # static: initialised when the program starts
        if self._builder.here is None:
            self._variables.variable(variable)
        self.measure(variable.dimensions)
        if has_variable_length(variable.type):
            self._renew(variable, self._frame.size_of(variable.type))
            return
        target = self._variables.variable(variable)
        if variable.initializer is not None:
            self._initialization.initialize(target, variable.type, variable.initializer)
        else:
            self.lose_value(variable)

    def lose_value(self, variable: Variable) -> None:
        """The variable may hold anything."""
        target = self._variables.variable(variable)
        if target.plain is None:
            self._forget(variable, target)
            return
        self._builder.havoc(*(part.term for part in target.plain))
        for part in target.plain:
            self._unknowns.assume_bool(part.term, part.type)

    def _renew(self, variable: Variable, size: Term) -> None:
        """New memory for a local that lived before; what it had is dead."""
        known, memory = self._variables.object_of(variable), self._memory
        if memory.safety:
            dead = store(memory.sizes, self._safety.object_number(known.address), memory.pointer(0))
            self._builder.assign(memory.sizes, dead)
        self._builder.assign(known.address, self._heap.allocate(size, counted=False))

    def _forget(self, variable: Variable, target: Lvalue) -> None:
        """An uninitialised object in memory: arbitrary contents."""
        if self._builder.here is None:
            return
        assert target.place is not None
        t = variable.type
        lifetime = self._context.facts.lifetimes.get(variable)
        alone = self._context.facts.sole_regions(target.place)
        if lifetime is Lifetime.LOOP:
            self._renew(variable, self._memory.pointer(t.size))
        elif lifetime is Lifetime.LABEL:
            self._bulk.forget_elements(target, t)
        elif lifetime is not None:
            return  # its memory is new
        elif alone is not None and count_leaves(t) > _MOST_SINGLE:
            self._builder.havoc(*(self._memory.region(place).array for place in alone))
        elif count_leaves(t) > _MOST_SINGLE:
            self._bulk.forget_leaves(target, t)
        else:
            for part in self._access.all_lvalues(target, t):
                value = self._unknowns.arbitrary(part.type)
                self._cells.store(part, part.type, value[0] if isinstance(value, tuple) else value)

    def begin_all(self) -> None:
        """Locals in memory begin to live, some in new memory; those that the end of a block ends wait for its entry."""
        memory = self._memory
        later = {variable for scope in self._scopes.blocks.values() for variable in scope.mortal}
        for variable in self._context.scan.locals.get(self._function.symbol, ()):
            if not self._context.scan.in_memory(variable):
                continue
            if has_variable_length(variable.type) or variable in later:
                if memory.safety:  # nothing to bury yet
                    self._builder.assign(self._variables.object_of(variable).address, memory.pointer(0))
                continue
            known = self._variables.object_of(variable)
            if variable in self._variables.local_objects:
                self._builder.assign(known.address, self._heap.allocate(memory.pointer(known.size), counted=False))
            elif memory.safety:
                number = self._safety.object_number(known.address)
                self._builder.assign(memory.sizes, store(memory.sizes, number, memory.pointer(known.size + 1)))

    def end_all(self) -> None:
        """The end of the function: locals in memory die."""
        memory = self._memory
        if memory.safety and self._builder.here is not None:
            new = memory.sizes
            for variable in self._context.scan.locals.get(self._function.symbol, ()):
                known = self._variables.local_objects.get(variable) or self._context.objects.get(variable)
                if known is not None:
                    new = store(new, self._safety.object_number(known.address), memory.pointer(0))
            self._builder.assign(memory.sizes, new)
