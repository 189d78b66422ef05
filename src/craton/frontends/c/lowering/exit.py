"""The end of a function."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.c.lowering.ending import Ending
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.locals import Locals
from craton.logic import Term, bv
from craton.logic.sorts import BitVec
from craton.program.statements import Return


class Exit:
    """Where control leaves the function: locals die, and with the entry function the program ends."""

    def __init__(self, frame: Frame, locals_: Locals, ending: Ending) -> None:
        self._builder = frame.builder
        self._is_entry = frame.function.symbol == frame.context.specification.entry
        self._locals = locals_
        self._ending = ending
        self.location = frame.builder.new()

    def fall_off(self, returns: tuple[Term, ...]) -> None:
        """The end of the body without a return statement: the entry function returns 0, others something arbitrary."""
        if not self._is_entry:
            self._builder.havoc(*returns)
        else:
            for term in returns:
                if isinstance(term.sort, BitVec):
                    self._builder.assign(term, bv(0, term.sort.width))
        self.leave()

    def leave(self) -> None:
        """The way to the exit."""
        builder = self._builder
        self._locals.end_all()
        if self._is_entry:
            self._ending.at_end()
        if builder.here is not None:
            builder.emit(Return())
            builder.edges[-1] = replace(builder.edges[-1], target=self.location)
            builder.here = None
