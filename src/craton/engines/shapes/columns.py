"""The value of a term at many states at once: guesses share most of their parts, and each part is looked at once.

What is true or false has a number for its values, bit i for the i-th state, so that "and" and "or" cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

from craton.logic import BOOL, BitVec, CannotEvaluate, Model, Term, ops
from craton.logic.evaluation import zero
from craton.logic.ieee import Unspecified
from craton.logic.semantics import compute
from craton.logic.walk import QUANTIFIERS, fold


class Columns:
    """States, each with one of its nodes, in their order; the variable `node` is that one's address."""

    def __init__(self, rows: Sequence[tuple[Model, int]], node: Term | None) -> None:
        self.rows = rows
        self.node = node
        self.everywhere = (1 << len(rows)) - 1
        self._memo: dict[Term, Any] = {}

    def where(self, formula: Term) -> int:
        """Where a formula is true: a set of rows."""
        found: int = self._of(formula)
        return found

    def values(self, term: Term) -> Sequence[Any]:
        """Of a term, row by row."""
        return self._row_by_row(term, self._of(term))

    def _of(self, term: Term) -> Any:
        return fold(term, self._visit, self._memo)

    def _visit(self, node: Term, columns: list[Any]) -> Any:
        if node.op is ops.VARIABLE:
            return self._noted(node, [at if node is self.node else model[node] for model, at in self.rows])
        if node.op is ops.VALUE:
            return self._noted(node, [node.payload] * len(self.rows))
        if node.sort is BOOL and (made := self._connected(node, columns)) is not None:
            return made
        if node.op is ops.APPLY or node.op in QUANTIFIERS:
            raise CannotEvaluate(f"{node.op} is not looked at in runs")
        args = zip(*map(self._row_by_row, node.args, columns), strict=True) if columns else [()] * len(self.rows)
        sorts = [a.sort for a in node.args]
        return self._noted(node, [_computed(node, sorts, held) for held in args])

    def _connected(self, node: Term, columns: list[Any]) -> Any:
        """What needs no look at single rows, or only at whether they have the same number."""
        match node.op:
            case ops.AND:
                return reduce(and_, columns)
            case ops.OR:
                return reduce(or_, columns)
            case ops.NOT:
                return self.everywhere & ~int(columns[0])
            case ops.IMPLIES:
                *premises, conclusion = columns
                return reduce(or_, (self.everywhere & ~premise for premise in premises), conclusion)
            case ops.EQ if len(columns) == 2 and isinstance(node.args[0].sort, BitVec):
                return _set(one == other for one, other in zip(*columns, strict=True))
        return None

    def _noted(self, node: Term, held: list[Any]) -> Any:
        return _set(held) if node.sort is BOOL else held

    def _row_by_row(self, term: Term, column: Any) -> Sequence[Any]:
        return [bool(column >> n & 1) for n in range(len(self.rows))] if term.sort is BOOL else column


def _set(rows: Any) -> int:
    found = 0
    for number, holds in enumerate(rows):
        if holds:
            found |= 1 << number
    return found


def _computed(node: Term, sorts: Sequence[Any], held: Sequence[Any]) -> Any:
    try:
        return compute(node.op, sorts, node.payload, held)
    except Unspecified:
        return zero(node.sort)
