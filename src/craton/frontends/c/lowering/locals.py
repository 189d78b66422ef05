"""The lives of objects: where locals begin and end, what they hold at first, and what is lost at the end."""

from __future__ import annotations

from typing import Any

from craton.frontends.c.automaton.arithmetic import is_signed, resize
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context
from craton.frontends.c.lowering.access import Lvalue
from craton.frontends.c.lowering.calls import Calls
from craton.frontends.c.lowering.lvalues import has_variable_length
from craton.frontends.c.memory.lifetimes import Lifetime
from craton.frontends.c.memory.places import parts_of
from craton.frontends.c.memory.scopes import Scope, scopes
from craton.frontends.c.syntax.nodes import Function, Storage, Variable
from craton.frontends.c.syntax.types import CType, Pointer, count_leaves, leaves
from craton.logic import Term, and_, bvadd, eq, ite, not_, or_, select, store
from craton.program.cfa import MEMCLEANUP, MEMTRACK, Location

_MOST_SINGLE = 16  # leaves of an uninitialised object that get a variable each
_MOST_COUNTED = 64  # pointers in globals that are told apart at the end


class Lives(Calls):
    """Begins and ends the lives of locals, by blocks and by calls."""

    def __init__(self, context: Context, function: Function, builder: Builder) -> None:
        super().__init__(context, function, builder)
        self._scopes = scopes(context, function)
        self.renewed = self._scopes.renewed
        self._open: list[Scope] = []  # the watched ones that hold the current statement

    # --- declarations -------------------------------------------------------------------------------------------------

    def _measure(self, dimensions: tuple[Any, ...]) -> None:
        """Computes the lengths of variable-length arrays."""
        for array, length in dimensions:
            value = resize(self.scalar(length), self.context.pointer_width, signed=is_signed(length.type))
            self.lengths[array] = self.builder.save(value)

    def declare(self, variable: Variable) -> None:
        if variable.storage is not Storage.LOCAL:
            return  # static: initialised when the program starts
        if self.builder.here is None:
            self.variable(variable)
        self._measure(variable.dimensions)
        if has_variable_length(variable.type):
            self._renew(variable, self.size_of(variable.type))
            return
        target = self.variable(variable)
        if variable.initializer is not None:
            self.initialize(target, variable.type, variable.initializer)
        else:
            self._lose_value(variable)

    def _lose_value(self, variable: Variable) -> None:
        target = self.variable(variable)
        if target.plain is None:
            self._forget(variable, target)
            return
        self.builder.havoc(*(part.term for part in target.plain))
        for part in target.plain:
            self._assume_bool(part.term, part.type)

    def _renew(self, variable: Variable, size: Term) -> None:
        """New memory for a local that lived before; what it had is dead."""
        known, memory = self.object_of(variable), self.memory
        if memory.safety:
            dead = store(memory.sizes, self.object_number(known.address), memory.pointer(0))
            self.builder.assign(memory.sizes, dead)
        self.builder.assign(known.address, self.allocate(size, counted=False))

    def _forget(self, variable: Variable, target: Lvalue) -> None:
        """An uninitialised object in memory: arbitrary contents."""
        if self.builder.here is None:
            return
        assert target.place is not None
        t = variable.type
        lifetime = self.context.lifetimes.get(variable)
        alone = self.context.sole_regions(target.place)
        if lifetime is Lifetime.LOOP:
            self._renew(variable, self.memory.pointer(t.size))
        elif lifetime is Lifetime.LABEL:
            self.forget_elements(target, t)
        elif lifetime is not None:
            return  # its memory is new
        elif alone is not None and count_leaves(t) > _MOST_SINGLE:
            self.builder.havoc(*(self.memory.region(place).array for place in alone))
        elif count_leaves(t) > _MOST_SINGLE:
            self.forget_leaves(target, t)
        else:
            for part in self._leaf_lvalues(target, t):
                value = self.arbitrary(part.type)
                self.store_memory(part, part.type, value[0] if isinstance(value, tuple) else value)

    # --- scopes -------------------------------------------------------------------------------------------------------

    def _enter(self, scope: Scope) -> None:
        self._open.append(scope)
        self._begin(scope)

    def _quit(self, scope: Scope) -> None:
        self._end(scope)
        self._open.pop()

    def _begin(self, scope: Scope) -> None:
        """Locals begin to live, without a value."""
        for variable in scope.mortal:
            known = self.object_of(variable)
            if not has_variable_length(variable.type):
                self.builder.assign(known.address, self.allocate(self.memory.pointer(known.size), counted=False))
        for variable in scope.passed:
            self._lose_value(variable)

    def _end(self, scope: Scope) -> None:
        sizes = self.memory.sizes
        for variable in scope.mortal:
            number = self.object_number(self.object_of(variable).address)
            sizes = store(sizes, number, self.memory.pointer(0))
        self.builder.assign(self.memory.sizes, sizes)

    def _jump(self, target: Location, inside: tuple[Scope, ...]) -> None:
        """Control goes to a location in other scopes: those it leaves end, those it enters begin."""
        if self.builder.here is None:
            return
        common = 0
        while common < min(len(self._open), len(inside)) and self._open[common] is inside[common]:
            common += 1
        for scope in reversed(self._open[common:]):
            self._end(scope)
        for scope in inside[common:]:
            self._begin(scope)
        self.builder.go(target)

    def _way_to(self, target: Location, inside: tuple[Scope, ...]) -> Location:
        """Where an edge has to lead so that control gets to a location in other scopes."""
        if tuple(self._open) == inside:
            return target
        here, way = self.builder.here, self.builder.new()
        self.builder.here = way
        self._jump(target, inside)
        self.builder.here = here
        return way

    # --- calls --------------------------------------------------------------------------------------------------------

    def _open_locals(self) -> None:
        """Locals in memory begin to live, some in new memory; those that the end of a block ends wait for its entry."""
        memory = self.memory
        later = {variable for scope in self._scopes.blocks.values() for variable in scope.mortal}
        for variable in self.context.scan.locals.get(self.function.symbol, ()):
            if not self.context.scan.in_memory(variable):
                continue
            if has_variable_length(variable.type) or variable in later:
                if memory.safety:  # nothing to bury yet
                    self.builder.assign(self.object_of(variable).address, memory.pointer(0))
                continue
            known = self.object_of(variable)
            if variable in self.local_objects:
                self.builder.assign(known.address, self.allocate(memory.pointer(known.size), counted=False))
            elif memory.safety:
                number = self.object_number(known.address)
                self.builder.assign(memory.sizes, store(memory.sizes, number, memory.pointer(known.size + 1)))

    def _bury_locals(self) -> None:
        """The end of the function: locals in memory die."""
        memory = self.memory
        if memory.safety and self.builder.here is not None:
            new = memory.sizes
            for variable in self.context.scan.locals.get(self.function.symbol, ()):
                known = self.local_objects.get(variable) or self.context.objects.get(variable)
                if known is not None:
                    new = store(new, self.object_number(known.address), memory.pointer(0))
            self.builder.assign(memory.sizes, new)

    # --- the end of the program ---------------------------------------------------------------------------------------

    def at_end(self) -> None:
        """The entry function returns: what is still allocated is lost, unless a global points to it."""
        memory, specification = self.memory, self.context.specification
        if specification.memtrack:
            self.builder.check(self._all_tracked(), MEMTRACK)
        if specification.memcleanup:
            self.builder.check(eq(memory.live, memory.pointer(0)), MEMCLEANUP)

    def _all_tracked(self) -> Term:
        """Whether every block that is still allocated is pointed to by a global.

        Blocks are counted: as many as there are different ones that globals point to. Where such a block may itself
        point to others the count says nothing, and that nothing is lost becomes an assumption.
        """
        memory = self.memory
        tracked, leading_on = memory.pointer(0), []
        counted: list[tuple[Term, Term]] = []  # a block's number, and whether it is one
        for pointer, leads_on in self._global_pointers():
            number, is_block = self.object_number(pointer), self._points_to_heap(pointer)
            if leads_on or len(counted) >= _MOST_COUNTED:
                leading_on.append(is_block)
                continue
            new = and_(is_block, *(not_(and_(known, eq(number, other))) for other, known in counted))
            tracked = bvadd(tracked, ite(new, memory.pointer(1), memory.pointer(0)))
            counted.append((number, is_block))
        if leading_on:
            self.context.assume("no memory is lost where a global variable points to allocated memory at the end")
        return or_(eq(memory.live, tracked), *leading_on)

    def at_exit(self) -> None:
        if self.context.specification.memtrack:
            self.context.assume("no memory is lost where the program calls exit")
        if self.context.specification.memcleanup:
            self.builder.check(eq(self.memory.live, self.memory.pointer(0)), MEMCLEANUP)

    def _global_pointers(self) -> list[tuple[Term, bool]]:
        """The pointers in global variables, and whether what they point to may hold pointers."""
        found: list[tuple[Term, bool]] = []
        for variable in self.context.scan.globals:
            t: CType = variable.type
            if count_leaves(t) > _MOST_COUNTED or not any(isinstance(leaf.type, Pointer) for leaf in leaves(t)):
                continue  # what a large table points to counts as lost
            target = self.variable(variable)
            # Unification keeps one place for what all pointers of a plain struct point to, or one for each field.
            pointees = [place.pointee for place in parts_of(self.context.points_to.of_variable(variable))]
            leads_on = any(part.pointee for place in pointees if place is not None for part in parts_of(place))
            if target.plain is not None:
                found.extend((part.term, leads_on) for part in target.plain if isinstance(part.type, Pointer))
            else:
                pointers = [part for part in self._leaf_lvalues(target, t) if isinstance(part.type, Pointer)]
                found.extend((self.load_memory(part, part.type), leads_on) for part in pointers)
        return found

    def _points_to_heap(self, pointer: Term) -> Term:
        number = self.object_number(pointer)
        alive = not_(eq(select(self.memory.sizes, number), self.memory.pointer(0)))
        return and_(self.is_heap_number(number), alive)
