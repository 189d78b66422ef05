"""Variables that count without end, while all else repeats: of them it is enough to know how small they can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from craton.logic import BitVec, Term, bv
from craton.logic.bitvectors import bvsle, bvule

_MANY = 14  # values at a loop head, after which a variable is one that counts
_SEEN = 3  # times that a state is there but for what counts, so that all that follows is believed to repeat

Row = tuple[Term, ...]


def counting(variables: Sequence[Term], rows: Sequence[Row]) -> Mapping[Term, Sequence[Term]]:
    """From the states of a loop head, in the order in which they were found: for each variable that counts, what may be
    true of it from where on the others repeat. Empty if there is none, or nothing repeats.
    """
    columns = [i for i, x in enumerate(variables) if _counts(x, [row[i] for row in rows])]
    if not columns:
        return {}
    others = [tuple(value for i, value in enumerate(row) if i not in columns) for row in rows]
    often = Counter(others)
    first = next((i for i in range(len(rows)) if all(often[other] >= _SEEN for other in others[i:])), len(rows))
    if len(rows) - first < _SEEN:
        return {}
    return {variables[i]: tuple(_bounds(variables[i], [row[i] for row in rows[first:]])) for i in columns}


def _counts(variable: Term, values: Sequence[Term]) -> bool:
    known = {value for value in values if value.is_value}
    return isinstance(variable.sort, BitVec) and len(known) > _MANY


def _bounds(variable: Term, values: Sequence[Term]) -> Iterator[Term]:
    assert isinstance(variable.sort, BitVec)
    width = variable.sort.width
    numbers = [value.payload for value in values if value.is_value]
    yield bvule(bv(min(numbers), width), variable)
    smallest = min(n - (1 << width) if n >> (width - 1) else n for n in numbers)
    yield bvsle(bv(smallest % (1 << width), width), variable)
