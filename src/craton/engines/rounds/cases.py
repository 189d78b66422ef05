"""Many cases of what numbers and truth values may be: all combinations of few truth values, and many orders of numbers.

What is the same in all of them is believed to be the same always, where numbers are only copied and compared; the
checker has tables of its own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations

from craton.logic import BOOL, BitVec, Term, and_, conjuncts, free_variables, ops
from craton.logic.columns import Column, Columns, column, repeated

_MOST_BITS = 12  # of which all combinations are cases
_MOST_ORDERS = 1024
_ROWS = 1 << 18
_FEWEST = 64  # cases that count; with fewer, nothing is believed


@dataclass(frozen=True, slots=True)
class Roles:
    """Which symbols are numbers whose order counts, such as ids, and which ones count rounds: of these nothing is
    believed.
    """

    names: frozenset[Term] = frozenset()
    counters: frozenset[Term] = frozenset()


def cases(known: Term, symbols: Sequence[Term], roles: Roles) -> Columns | None:
    """Those in which what is known holds; None if they are few, or symbols have other roles."""
    parts = [part for part in conjuncts(known) if not free_variables(part) & roles.counters]
    small = {part.args[0] for part in parts if _is_truth_value(part)}
    bits = [x for x in symbols if x.sort is BOOL or x in small]
    numbers = [x for x in symbols if x not in bits and x not in roles.counters]
    if not roles.names.issuperset(numbers) or not all(isinstance(x.sort, BitVec) for x in numbers):
        return None
    block = 1 << min(len(bits), _MOST_BITS)
    drawing = random.Random(7)
    rows = _orders(numbers, max(2, min(_MOST_ORDERS, _ROWS // block)), drawing)
    length = block * len(rows)
    found: dict[Term, Column] = {x: column([row[i] for row in rows], block) for i, x in enumerate(numbers)}
    everywhere = (1 << length) - 1
    for i, x in enumerate(bits):
        every = i < _MOST_BITS
        holds = repeated(((1 << (1 << i)) - 1) << (1 << i), 2 << i, length) if every else drawing.getrandbits(length)
        no, yes = (False, True) if x.sort is BOOL else (0, 1)
        found[x] = {no: everywhere & ~holds, yes: holds}
    where = Columns(everywhere, found).where(and_(*parts))
    if where is None or where.bit_count() < _FEWEST:
        return None
    return Columns(where, found, names=numbers)


def _is_truth_value(part: Term) -> bool:
    return part.op is ops.BVULE and part.args[0].is_variable and part.args[1].is_value and part.args[1].payload == 1


def _orders(numbers: Sequence[Term], most: int, drawing: random.Random) -> list[tuple[int, ...]]:
    """Values of the numbers: all orders if these are few, else some; and some in which two are equal, one is zero or
    negative, so that nothing seems to be known that is only usual.
    """
    if not numbers:
        return [()]
    widths = [x.sort.width for x in numbers if isinstance(x.sort, BitVec)]
    apart = [3 + 5 * i for i in range(len(numbers))]
    unusual = [row for _ in range(3) for row in _unusual(apart, drawing)][: most // 2]
    found = [tuple(row) for row in islice(permutations(apart), most - len(unusual))]
    if len(found) == most - len(unusual):
        found = [tuple(drawing.sample(apart, len(apart))) for _ in found]
    found += unusual
    while len(found) < most:
        found.append(tuple(drawing.sample(range(5 * len(numbers)), len(numbers))))
    return [tuple(value % (1 << width) for value, width in zip(row, widths, strict=True)) for row in found]


def _unusual(apart: Sequence[int], drawing: random.Random) -> Iterator[tuple[int, ...]]:
    for i in range(len(apart)):
        for value in (0, 1, -1):
            row = drawing.sample(apart, len(apart))
            yield (*row[:i], value, *row[i + 1 :])
        for j in range(i):
            row = drawing.sample(apart, len(apart))
            yield (*row[:i], row[j], *row[i + 1 :])
