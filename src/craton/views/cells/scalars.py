"""A step of a program with arrays as one over their cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from craton.logic import (
    Term,
    fold,
    ite,
    ops,
    rebuild,
    var,
)
from craton.logic.sorts import Array
from craton.views.cells.layout import NotSeen, same_index

Reader = Callable[[Term], Term]  # an array, as a function of the index


@dataclass(slots=True)
class Scalars:
    """A step in which arrays are read and written cell by cell. What is read elsewhere is chosen: the same for the same
    array and index.
    """

    cells: Mapping[Term, Mapping[Term, Term]]  # of each array, by their addresses
    chosen: dict[tuple[Term, Term], Term] = field(default_factory=dict)
    _memo: dict[Term, Term | Reader] = field(default_factory=dict)

    def scalar(self, term: Term) -> Term:
        found = fold(term, self._visit, self._memo)
        if not isinstance(found, Term):
            raise NotSeen
        return found

    def reader(self, array: Term) -> Reader:
        found = fold(array, self._visit, self._memo)
        assert not isinstance(found, Term)
        return found

    def _visit(self, node: Term, args: list[Term | Reader]) -> Term | Reader:
        if node.op is ops.SELECT:
            array, index = args
            assert isinstance(index, Term) and not isinstance(array, Term)
            return array(index)
        if isinstance(node.sort, Array):
            return self._array(node, args)
        scalars = [arg for arg in args if isinstance(arg, Term)]
        if len(scalars) != len(args) or node.op in (ops.FORALL, ops.EXISTS):
            raise NotSeen  # arrays compared with each other, or handed to a function
        return rebuild(node, scalars) if scalars else node

    def _array(self, node: Term, args: list[Term | Reader]) -> Reader:
        if node.op is ops.VARIABLE:
            return lambda index: self._read(node, index)
        if node.op is ops.STORE:
            array, at, new = args
            assert isinstance(at, Term) and isinstance(new, Term) and not isinstance(array, Term)
            return lambda index: ite(same_index(at, index), new, array(index))
        if node.op is ops.ITE:
            condition, then, otherwise = args
            assert isinstance(condition, Term) and not isinstance(then, Term) and not isinstance(otherwise, Term)
            return lambda index: ite(condition, then(index), otherwise(index))
        if node.op is ops.CONST_ARRAY and isinstance(args[0], Term):
            element = args[0]
            return lambda index: element
        raise NotSeen

    def _read(self, array: Term, index: Term) -> Term:
        known = self.cells.get(array, {})
        if index in known:
            return known[index]
        sort = array.sort
        assert isinstance(sort, Array)
        key = array, index
        if key not in self.chosen:
            self.chosen[key] = var(f"{array.name} elsewhere {len(self.chosen)}", sort.element)
        value = self.chosen[key]
        for address, cell in reversed(tuple(known.items())):
            value = ite(same_index(index, address), cell, value)
        return value
