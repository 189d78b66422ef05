"""A program over integers or reals, and the translations back to bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from craton.logic import Term, and_, conjuncts
from craton.program.cfa import Edge, Program
from craton.program.statements import Block
from craton.program.transformation import Transformed
from craton.views.terms import Translator
from craton.views.to_bits import bit_formula, weaker_bit_formula


@dataclass(frozen=True)
class View:
    """Another program to run engines on, and how it maps back to the bit-precise one: its edges (`transformed`) and its
    formulas (`to_bits`).

    A view by itself guarantees nothing about executions: neither a proof nor a counterexample found in it counts until
    it is confirmed in bits. Subclasses give stronger guarantees.
    """

    program: Program
    transformed: Transformed
    _translator: Translator

    def to_bits(self, formula: Term) -> Term:
        """A formula over the view's variables as one over the variables of the bit-precise program that holds for the
        same values. Raises `NotExpressible` if there is none.
        """
        return bit_formula(formula, self._translator)

    def weaker_in_bits(self, invariant: Term) -> Term:
        """The invariant in bits, without the parts that bits cannot express: it follows from the invariant, and may
        still be a proof.
        """
        return weaker_bit_formula(invariant, self._translator)


@dataclass(frozen=True)
class SoundView(View):
    """Law: every run of the bit-precise program is a run of `program`, edge by edge (`transformed`), with the numbers
    that the bits represent. The converse holds only along edges that are not `overapproximated`.
    """

    overapproximated: frozenset[Edge]

    def is_exact(self, edges: Iterable[Edge]) -> bool:
        """Whether a feasible path of these edges, including blocks, is certainly feasible in bits."""
        for edge in edges:
            if edge in self.overapproximated:
                return False
            if isinstance(edge.statement, Block) and not self.is_exact(edge.statement.edges):
                return False
        return True


@dataclass(frozen=True)
class IdealView(View):
    """The program over numbers that never overflow: it has runs that the bit-precise program does not have, and lacks
    some that it has. If nothing overflows, the two agree, which is why the view is useful.
    """

    _hints: Mapping[Term, Term] = field(default_factory=dict)  # of the program in bits, by what they say of the view

    def weaker_in_bits(self, invariant: Term) -> Term:
        """The invariant in bits; hints as they were given, since bits that never overflow would be wider."""
        parts = conjuncts(invariant)
        return and_(*(self._hints.get(part) or weaker_bit_formula(part, self._translator) for part in parts))
