"""Values of which nothing is known: inputs, results of unknown functions, what was never initialised."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Value, part_sort
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.syntax.types import CType, FunctionType, Integer, Record, Void, leaves
from craton.logic import Term, bv, bvule
from craton.program.statements import Input


class Unknowns:
    """Makes variables with arbitrary values."""

    def __init__(self, frame: Frame) -> None:
        self._builder = frame.builder

    def arbitrary(self, t: CType) -> Value:
        """A value of which nothing is known."""
        if isinstance(t, Void | FunctionType):
            return ()
        terms = tuple(self._builder.temporary(part_sort(leaf.type)) for leaf in leaves(t))
        self._builder.havoc(*terms)
        for leaf, term in zip(leaves(t), terms, strict=True):
            self.assume_bool(term, leaf.type)
        return terms if isinstance(t, Record) else terms[0]

    def input(self, name: str, t: CType) -> Value:
        """What a function that the program lacks returned: an input of the program."""
        if isinstance(t, Void):
            return ()
        if isinstance(t, Record):
            return self.arbitrary(t)
        result = self._builder.temporary(part_sort(t))
        self._builder.havoc(result, source=Input(name, str(t)))
        self.assume_bool(result, t)
        return result

    def assume_bool(self, term: Term, t: CType) -> None:
        """A `_Bool` holds 0 or 1, whoever gave it its value."""
        if isinstance(t, Integer) and t.boolean:
            self._builder.assume(bvule(term, bv(1, 8)))
