"""Values of terms in many rows at once: rows give variables values, a *column* says which a term has in which rows.

A column maps each value to a number whose i-th bit says whether it is the value in row i. Connectives are then
operations on long numbers, and a term that has few values costs microseconds, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from craton.logic import ops
from craton.logic.ieee import Unspecified
from craton.logic.ops import Theory
from craton.logic.semantics import compute
from craton.logic.sorts import BOOL, BitVec
from craton.logic.terms import Term
from craton.logic.walk import fold

Column = Mapping[Any, int]

MOST_VALUES = 48  # of a term
_MOST_COMBINATIONS = 2500  # of values of an operation's arguments
_COPIES = (ops.ITE, ops.EXTRACT, ops.ZERO_EXTEND, ops.SIGN_EXTEND)
_THEORIES = (Theory.CORE, Theory.BITVECTORS)


class Columns:
    """Of terms over variables that have columns; all of them speak of the same `rows`, each of which has one value.
    Variables that are `names` may be copied and compared; what is computed with them has no column.
    """

    def __init__(self, rows: int, variables: Mapping[Term, Column], names: Iterable[Term] = ()) -> None:
        self.rows = rows
        self._names = set(names)  # and copies of them
        self._known: dict[Term, Column | None] = {
            x: {value: mask & rows for value, mask in column.items() if mask & rows} for x, column in variables.items()
        }

    def of(self, term: Term) -> Column | None:
        """None if it has too many values, or speaks of something that has no column."""
        return fold(term, self._visit, self._known)

    def where(self, term: Term) -> int | None:
        """The rows in which a condition holds."""
        column = self.of(term)
        return None if column is None else column.get(True, 0)

    def _visit(self, node: Term, args: list[Column | None]) -> Column | None:
        if node.op is ops.VALUE:
            return {node.payload: self.rows} if self.rows else {}
        known = [column for column in args if column is not None]
        if not args or len(known) < len(args) or not _is_plain(node):
            return None
        if node.sort is not BOOL and any(x in self._names for x in node.args):
            if node.op not in _COPIES:
                return None
            self._names.add(node)
        if node.op is ops.ITE:
            found: Column | None = self._chosen(*known)
        elif node.op is ops.NOT:
            found = {not value: mask for value, mask in known[0].items()}
        elif node.op is ops.AND:
            found = self._all(known, deciding=False)
        elif node.op is ops.OR:
            found = self._all(known, deciding=True)
        elif node.op is ops.EQ and len(known) == 2:
            found = self._truth(sum(mask & known[1][value] for value, mask in known[0].items() if value in known[1]))
        else:
            found = self._computed(node, known)
        return None if found is None or len(found) > MOST_VALUES else found

    def _truth(self, yes: int) -> Column:
        column = {True: yes, False: self.rows & ~yes}
        return {value: mask for value, mask in column.items() if mask}

    def _all(self, columns: Sequence[Column], *, deciding: bool) -> Column:
        decided = 0
        for column in columns:
            decided |= column.get(deciding, 0)
        return self._truth(decided if deciding else self.rows & ~decided)

    def _chosen(self, condition: Column, one: Column, other: Column) -> Column:
        found: dict[Any, int] = {}
        for rows, column in ((condition.get(True, 0), one), (condition.get(False, 0), other)):
            for value, mask in column.items() if rows else ():
                if here := mask & rows:
                    found[value] = found.get(value, 0) | here
        return found

    def _computed(self, node: Term, columns: Sequence[Column]) -> Column | None:
        """What the operation makes of each combination of values that some row has."""
        combinations: dict[tuple[Any, ...], int] = {(): self.rows} if self.rows else {}
        for column in columns:
            combinations = {
                (*values, value): both
                for values, rows in combinations.items()
                for value, mask in column.items()
                if (both := rows & mask)
            }
            if len(combinations) > _MOST_COMBINATIONS:
                return None
        sorts = [x.sort for x in node.args]
        found: dict[Any, int] = {}
        for values, rows in combinations.items():
            try:
                value = compute(node.op, sorts, node.payload, values)
            except Unspecified:
                return None
            found[value] = found.get(value, 0) | rows
        return found


def _is_plain(node: Term) -> bool:
    return node.op.theory in _THEORIES and all(x.sort is BOOL or isinstance(x.sort, BitVec) for x in (node, *node.args))


def column(values: Sequence[Any], times: int = 1) -> Column:
    """Of these values, row after row, or each of them in so many rows."""
    names = {value: chr(1 + number) for number, value in enumerate(dict.fromkeys(values))}
    text = "".join([names[value] for value in reversed(values)])
    digits = {ord(name): "0" * times for name in names.values()}
    return {value: int(text.translate(digits | {ord(name): "1" * times}), 2) for value, name in names.items() if times}


def repeated(mask: int, period: int, length: int) -> int:
    """The first rows again and again, in so many rows."""
    while period < length:
        mask |= mask << period
        period *= 2
    return mask & ((1 << length) - 1)
