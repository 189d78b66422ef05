"""Elimination of an array that is only read at a few places (Ackermann's reduction).

∃a. φ(a[i], a[j]) is ∃d e. φ(d, e) ∧ (i = j ⇒ d = e). The elements are left to the other methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from craton.logic import ops
from craton.logic.arrays import select
from craton.logic.build import rebuild
from craton.logic.core import and_, eq, fresh, implies, ite
from craton.logic.sorts import Array, Sort
from craton.logic.terms import Term
from craton.logic.walk import fold, free_variables, is_quantified, post_order
from craton.smt.elimination.syntactic import Quantified, literals, occurring

_MOST_ELEMENTS = 4  # each pair of them adds a condition
_MOST_WRITES = 40  # that all reads together pass through


def resolve_reads(variables: Sequence[Term], body: Term) -> Quantified:
    """Replaces arrays that are only read by variables for their elements."""
    for variable in occurring(variables, body):
        if not isinstance(variable.sort, Array):
            continue
        parts = literals(body)
        mentioning = [p for p in parts if variable in free_variables(p)]
        reading = _Reading(variable, set(free_variables(body).union(variables)))
        if not all(map(reading.is_only_read, mentioning)):
            continue
        read = [fold(p, reading.visit) for p in mentioning]
        if reading.writes > _MOST_WRITES or len(reading.elements) > _MOST_ELEMENTS:
            continue
        consistent = [implies(eq(i, j), eq(d, e)) for (i, d), (j, e) in combinations(reading.elements.items(), 2)]
        body = and_(*read, *consistent, *(p for p in parts if p not in mentioning))
        variables = [*(v for v in variables if v is not variable), *reading.elements.values()]
    return tuple(occurring(variables, body)), body


@dataclass(slots=True)
class _Reading:
    array: Term
    taken: set[Term]
    elements: dict[Term, Term] = field(default_factory=dict)  # index → the element there
    writes: int = 0
    _memo: dict[tuple[Term, Term], Term] = field(default_factory=dict)

    def is_only_read(self, formula: Term) -> bool:
        """Does the array occur only in reads, possibly through writes and if-then-elses?"""
        if is_quantified(formula):
            return False  # an index may be a bound variable
        for node in post_order(formula):
            for place, arg in enumerate(node.args):
                if self._holds_array(arg) and place not in _READING_PLACES.get(node.op, ()):
                    return False
        return True

    def _holds_array(self, term: Term) -> bool:
        return term.sort is self.array.sort and self.array in free_variables(term) and term.op is not ops.SELECT

    def visit(self, node: Term, args: list[Term]) -> Term:
        if node.op is ops.SELECT and self._holds_array(node.args[0]):
            return self._read(args[0], args[1])
        return node if all(map(_same, args, node.args)) else rebuild(node, args)

    def _read(self, array: Term, index: Term) -> Term:
        """The element at an index, with writes and if-then-elses resolved into cases."""
        known = self._memo.get((array, index))
        if known is not None:
            return known
        if array is self.array:
            if index not in self.elements:
                element = fresh(f"{array.name}.at", self._element_sort(), self.taken)
                self.taken.add(element)
                self.elements[index] = element
            found = self.elements[index]
        elif self.writes > _MOST_WRITES or not self._holds_array(array):
            found = select(array, index)
        elif array.op is ops.STORE:
            self.writes += 1
            before, place, written = array.args
            found = ite(eq(place, index), written, self._read(before, index))
        elif array.op is ops.ITE:
            self.writes += 1
            condition, then, otherwise = array.args
            found = ite(condition, self._read(then, index), self._read(otherwise, index))
        else:
            found = select(array, index)
        self._memo[array, index] = found
        return found

    def _element_sort(self) -> Sort:
        assert isinstance(self.array.sort, Array)
        return self.array.sort.element


def _same(a: Term, b: Term) -> bool:
    return a is b


# Where an array may occur if it is only read: first argument of reads and writes, branches of an if-then-else.
_READING_PLACES = {ops.SELECT: (0,), ops.STORE: (0,), ops.ITE: (1, 2)}
