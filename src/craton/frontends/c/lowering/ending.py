"""The end of the program: which memory is lost then."""

from __future__ import annotations

from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.cells import Cells
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.lowering.variables import Variables
from craton.frontends.c.memory.places import parts_of
from craton.frontends.c.syntax.types import CType, Pointer, count_leaves, leaves
from craton.logic import Term, and_, bvadd, eq, ite, not_, or_, select
from craton.program.cfa import MEMCLEANUP, MEMTRACK

_MOST_COUNTED = 64  # pointers in globals that are told apart at the end


class Ending:
    """Checks what is still allocated."""

    def __init__(self, frame: Frame, cells: Cells, safety: Safety, access: Access, variables: Variables) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._cells = cells
        self._safety = safety
        self._access = access
        self._variables = variables

    def at_end(self) -> None:
        """The entry function returns: what is still allocated is lost, unless a global points to it."""
        memory, specification = self._memory, self._context.specification
        if specification.memtrack:
            self._check_tracked()
        if specification.memcleanup:
            self._builder.check(eq(memory.live, memory.pointer(0)), MEMCLEANUP)

    def at_exit(self) -> None:
        """The program ends by a call of `exit`."""
        if self._context.specification.memtrack:
            self._context.assume("no memory is lost where the program calls exit")
        if self._context.specification.memcleanup:
            self._builder.check(eq(self._memory.live, self._memory.pointer(0)), MEMCLEANUP)

    def _check_tracked(self) -> None:
        """Every block that is still allocated must be pointed to by a global.

        Blocks are counted: as many as there are different ones that globals point to. Where such a block may itself
        point to others, more than that many may be fine, and nothing is said.
        """
        memory, builder = self._memory, self._builder
        tracked, leading_on = memory.pointer(0), []
        counted: list[tuple[Term, Term]] = []  # a block's number, and whether it is one
        for pointer, leads_on in self._global_pointers():
            number, is_block = self._safety.object_number(pointer), self._points_to_heap(pointer)
            if leads_on or len(counted) >= _MOST_COUNTED:
                leading_on.append(is_block)
            if len(counted) < _MOST_COUNTED:
                new = and_(is_block, *(not_(and_(known, eq(number, other))) for other, known in counted))
                tracked = bvadd(tracked, ite(new, memory.pointer(1), memory.pointer(0)))
                counted.append((number, is_block))
        all_tracked = eq(memory.live, tracked)
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

    def _points_to_heap(self, pointer: Term) -> Term:
        number = self._safety.object_number(pointer)
        alive = not_(eq(select(self._memory.sizes, number), self._memory.pointer(0)))
        return and_(self._safety.is_heap_number(number), alive)
