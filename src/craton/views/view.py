"""A program in integers or reals, and the ways back to bits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from craton.logic import Term
from craton.program.cfa import Edge, Program
from craton.program.statements import Block
from craton.program.transformation import Transformed
from craton.views.terms import Translator
from craton.views.to_bits import bit_formula


@dataclass(frozen=True)
class View:
    """Law: every run of the bit-precise program is one of `program`, edge by edge (`transformed`), with the numbers
    that the bits stand for. The other way round only along edges that are not `overapproximated`.
    """

    program: Program
    transformed: Transformed
    overapproximated: frozenset[Edge]
    _translator: Translator

    def is_exact(self, edges: Iterable[Edge]) -> bool:
        """Whether a feasible path of these edges, blocks among them, is feasible in bits for certain."""
        for edge in edges:
            if edge in self.overapproximated:
                return False
            if isinstance(edge.statement, Block) and not self.is_exact(edge.statement.edges):
                return False
        return True

    def to_bits(self, formula: Term) -> Term:
        """A formula over the view's variables as one over the variables of the bit-precise program that holds for the
        same values. Raises `NotExpressible` where there is none.
        """
        return bit_formula(formula, self._translator)
