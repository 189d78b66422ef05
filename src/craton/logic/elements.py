"""Formulas about arrays as formulas about their elements: a decision procedure that any solver of bits can finish.

What is read from an array that was written is what was written, if the indices are the same, and otherwise what the
array held before. What is read from an array that nobody has written is a number of its own, one for each index; the
numbers of equal indices are equal. Both sets of formulas contradict each other, or neither does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from craton.logic import Term, eq, fold, free_variables, implies, is_quantified, ite, ops, rebuild
from craton.logic.core import fresh
from craton.logic.sorts import Array

_MOST_PAIRS = 4000  # of indices of one array: beyond it there is nothing to win

_DEEPEST = 150  # array of arrays: readers call each other

Reader = Callable[[Term], Term]


def without_arrays(formulas: Sequence[Term]) -> list[Term] | None:
    """Formulas without arrays that are contradictory if and only if these are; None if arrays are compared with each
    other, or handed to functions, or there are quantifiers, or too many indices or writes.
    """
    if any(map(is_quantified, formulas)):
        return None
    elements = _Elements(formulas)
    try:
        found = [elements.scalar(formula) for formula in formulas]
    except _Compared:
        return None
    same = elements.same()
    return None if same is None else [*same, *found]


class _Compared(Exception):
    """An array stands where only its elements may, or is made of too many others."""


class _Elements:
    def __init__(self, formulas: Sequence[Term]) -> None:
        self._taken = set[Term]().union(*map(free_variables, formulas))
        self._read: dict[Term, dict[Term, Term]] = {}  # of arrays that were not written, by indices
        self._memo: dict[Term, Term | Reader] = {}
        self._depth: dict[Term, int] = {}  # of arrays: how many writes and cases they are made of

    def scalar(self, term: Term) -> Term:
        found = fold(term, self._visit, self._memo)
        if not isinstance(found, Term):
            raise _Compared
        return found

    def same(self) -> list[Term] | None:
        """That elements with the same index are the same; None if there are too many."""
        pairs = [pair for read in self._read.values() for pair in combinations(read.items(), 2)]
        if len(pairs) > _MOST_PAIRS:
            return None
        return [implies(eq(i, j), eq(x, y)) for (i, x), (j, y) in pairs]

    def _visit(self, node: Term, args: list[Term | Reader]) -> Term | Reader:
        if node.op is ops.SELECT:
            array, index = args
            if isinstance(array, Term) or not isinstance(index, Term):
                raise _Compared
            return array(index)
        if isinstance(node.sort, Array):
            return self._array(node, args)
        scalars = [arg for arg in args if isinstance(arg, Term)]
        if len(scalars) < len(args):
            raise _Compared
        return rebuild(node, scalars) if scalars else node

    def _array(self, node: Term, args: list[Term | Reader]) -> Reader:
        below = max((self._depth[arg] for arg in node.args if arg in self._depth), default=0)
        if below >= _DEEPEST:
            raise _Compared
        self._depth[node] = below + 1
        known: dict[Term, Term] = {}  # arrays share parts: what was read from one is not read again

        def read(index: Term) -> Term:
            if index not in known:
                known[index] = self._read_at(node, args, index)
            return known[index]

        return read

    def _read_at(self, node: Term, args: list[Term | Reader], index: Term) -> Term:
        match node.op, args:
            case ops.VARIABLE, []:
                return self._element(node, index)
            case ops.CONST_ARRAY, [Term() as element]:
                return element
            case ops.STORE, [array, Term() as at, Term() as new] if not isinstance(array, Term):
                return ite(eq(at, index), new, array(index))
            case ops.ITE, [Term() as condition, one, other] if not isinstance(one, Term) and not isinstance(
                other, Term
            ):
                return ite(condition, one(index), other(index))
        raise _Compared

    def _element(self, array: Term, index: Term) -> Term:
        assert isinstance(array.sort, Array)
        if isinstance(array.sort.element, Array):
            raise _Compared
        read = self._read.setdefault(array, {})
        if index not in read:
            read[index] = fresh(f"{array.name} at {len(read)}", array.sort.element, self._taken)
            self._taken.add(read[index])
        return read[index]
