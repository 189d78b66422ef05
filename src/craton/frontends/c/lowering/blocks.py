"""Blocks: the locals whose lives they begin and end, also where control jumps into or out of them."""

from __future__ import annotations

from collections.abc import Iterable

from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.heap import Heap
from craton.frontends.c.lowering.locals import Locals
from craton.frontends.c.lowering.safety import Safety
from craton.frontends.c.lowering.variables import Variables
from craton.frontends.c.memory.scopes import Scope
from craton.frontends.c.syntax.nodes import Variable
from craton.frontends.c.syntax.types import has_variable_length
from craton.logic import store
from craton.program.cfa import Location


class Blocks:
    """The watched blocks (see `memory.scopes`) that hold the current statement."""

    def __init__(self, frame: Frame, safety: Safety, heap: Heap, variables: Variables, locals_: Locals) -> None:
        self._builder = frame.builder
        self._memory = frame.memory
        self._safety = safety
        self._heap = heap
        self._variables = variables
        self._locals = locals_
        self.open: list[Scope] = []  # the outermost first

    def enter(self, scope: Scope) -> None:
        self.open.append(scope)
        self._begin(scope)

    def quit(self, scope: Scope) -> None:
        self._end(scope)
        self.open.pop()

    def _begin(self, scope: Scope) -> None:
        """Locals begin to live, without a value."""
        for variable in scope.mortal:
            known = self._variables.object_of(variable)
            if not has_variable_length(variable.type):
                self._builder.assign(
                    known.address, self._heap.allocate(self._memory.pointer(known.size), counted=False)
                )
        for variable in scope.passed:
            self._locals.lose_value(variable)

    def _end(self, scope: Scope) -> None:
        self.bury(scope.mortal)

    def bury(self, variables: Iterable[Variable]) -> None:
        """Their lives have ended, if they had begun."""
        if not self._memory.safety:
            return
        sizes = self._memory.sizes
        for variable in variables:
            number = self._safety.object_number(self._variables.object_of(variable).address)
            sizes = store(sizes, number, self._memory.pointer(0))
        if sizes is not self._memory.sizes:
            self._builder.assign(self._memory.sizes, sizes)

    def jump(self, target: Location, inside: tuple[Scope, ...]) -> None:
        """Control goes to a location in other scopes: those it leaves end, those it enters begin."""
        if self._builder.here is None:
            return
        common = 0
        while common < min(len(self.open), len(inside)) and self.open[common] is inside[common]:
            common += 1
        for scope in reversed(self.open[common:]):
            self._end(scope)
        for scope in inside[common:]:
            self._begin(scope)
        self._builder.go(target)

    def way_to(self, target: Location, inside: tuple[Scope, ...]) -> Location:
        """Where an edge has to lead so that control gets to a location in other scopes."""
        if tuple(self.open) == inside:
            return target
        here, way = self._builder.here, self._builder.new()
        self._builder.here = way
        self.jump(target, inside)
        self._builder.here = here
        return way
