"""The end of the program: which memory is lost then."""

from __future__ import annotations

from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.allocated import Allocated
from craton.frontends.c.lowering.cells import Cells
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.variables import Variables
from craton.frontends.c.memory.places import parts_of
from craton.frontends.c.syntax.types import CType, Pointer, count_leaves, leaves
from craton.logic import Term, not_, or_
from craton.program.cfa import MEMCLEANUP, MEMTRACK

_MOST_COUNTED = 64  # pointers in globals that are told apart at the end


class Ending:
    """Checks what is still allocated."""

    def __init__(self, frame: Frame, cells: Cells, allocated: Allocated, access: Access, variables: Variables) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._cells = cells
        self._allocated = allocated
        self._access = access
        self._variables = variables

    def at_end(self) -> None:
        """The entry function returns: what is still allocated is lost, unless a global points to it."""
        specification = self._context.specification
        if specification.memory and self._context.program.destructors:
            raise Unsupported("memory that destructors may free", self._builder.origin)
        if specification.memtrack:
            self._check_tracked()
        if specification.memcleanup:
            self._builder.check(self._allocated.are_those_of(()), MEMCLEANUP)

    def at_exit(self) -> None:
        """The program ends by a call of `exit`."""
        if self._context.specification.memtrack:
            fine, more = self._builder.new(), self._builder.new()
            self._builder.fork(self._allocated.are_those_of(()), fine, more)
            self._builder.enter(more)
            self._builder.unmodelled("memory that is allocated where exit is called")
            self._builder.enter(fine)
        if self._context.specification.memcleanup:
            self._builder.check(self._allocated.are_those_of(()), MEMCLEANUP)

    def _check_tracked(self) -> None:
        """Every block that is still allocated must be pointed to by a global.

        Where such a block may itself point to others, more than those may be fine, and nothing is said.
        """
        builder, pointers = self._builder, self._global_pointers()
        leading_on = [
            self._allocated.is_block(pointer)
            for number, (pointer, leads_on) in enumerate(pointers)
            if leads_on or number >= _MOST_COUNTED
        ]
        all_tracked = self._allocated.are_those_of(pointer for pointer, _ in pointers[:_MOST_COUNTED])
        if leading_on:
            fine, more = builder.new(), builder.new()
            builder.fork(or_(all_tracked, not_(or_(*leading_on))), fine, more)
            builder.enter(more)
            builder.unmodelled("memory that only other allocated memory points to at the end")
            builder.enter(fine)
        builder.check(all_tracked, MEMTRACK)

    def _global_pointers(self) -> list[tuple[Term, bool]]:
        """The pointers in global variables, and whether what they point to may hold pointers."""
        found: list[tuple[Term, bool]] = []
        for variable in self._context.scan.globals:
            t: CType = variable.type
            if count_leaves(t) > _MOST_COUNTED or not any(isinstance(leaf.type, Pointer) for leaf in leaves(t)):
                continue  # what a large table points to counts as lost
            target = self._variables.variable(variable)
            # Unification keeps one place for what all pointers of a plain struct point to, or one for each field.
            pointees = [place.pointee for place in parts_of(self._context.points_to.of_variable(variable))]
            leads_on = any(part.pointee for place in pointees if place is not None for part in parts_of(place))
            if target.plain is not None:
                found.extend((part.term, leads_on) for part in target.plain if isinstance(part.type, Pointer))
            else:
                pointers = [part for part in self._access.leaf_lvalues(target, t) if isinstance(part.type, Pointer)]
                found.extend((self._cells.load(part, part.type), leads_on) for part in pointers)
        return found
