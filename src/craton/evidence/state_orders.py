"""How numbers can be ordered, among each other and among constants, as values that are ordered so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from craton.logic import BitVec, Term, and_, free_variables
from craton.logic.columns import Columns, column
from craton.logic.semantics import to_signed


class TooManyOrders(Exception):
    """More than were asked for."""


class Reading(Enum):
    """What the bits of a number mean where it is extended."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"


@dataclass(frozen=True, slots=True)
class _Level:
    """Numbers that are equal; and the constant that they equal, if there is one."""

    constant: int | None
    symbols: tuple[Term, ...]


_Order = tuple[_Level, ...]  # from the least to the greatest


def orders(
    symbols: Sequence[Term],
    constants: Iterable[Term],
    reading: Reading | None,
    conditions: Sequence[Term],
    most: int,
) -> list[tuple[int, ...]]:
    """For each order of the symbols (all of one width) among the constants and the place where the sign changes, values
    that are ordered so, as unsigned numbers. Orders that contradict a condition over the symbols are left out.
    """
    if not symbols:
        return [()]
    assert isinstance(symbols[0].sort, BitVec)
    width = symbols[0].sort.width
    is_signed = reading is not Reading.UNSIGNED
    half = 1 << (width - 1)
    least, greatest = (-half, half - 1) if is_signed else (0, 2 * half - 1)
    cuts = {_number(x, is_signed) for x in constants} | {0 if is_signed else half}
    found: list[_Order] = [tuple(_Level(x, ()) for x in sorted(cuts) if least <= x <= greatest)]
    held: list[Mapping[Term, int]] = []
    placed: list[Term] = []
    for symbol in symbols:
        placed.append(symbol)
        wider = [(order, _values(order, least, greatest, width)) for one in found for order in _with(one, symbol)]
        possible = [(order, values) for order, values in wider if values is not None]
        about = [one for one in conditions if symbol in free_variables(one) <= frozenset(placed)]
        kept = _where(about, placed, [values for _, values in possible])
        if sum(kept) > most:
            raise TooManyOrders
        found = [order for (order, _), is_kept in zip(possible, kept, strict=True) if is_kept]
        held = [values for (_, values), is_kept in zip(possible, kept, strict=True) if is_kept]
    return [tuple(values[x] for x in symbols) for values in held]


def _where(conditions: Sequence[Term], symbols: Sequence[Term], rows: Sequence[Mapping[Term, int]]) -> list[bool]:
    """In which rows the conditions hold, as far as that can be computed."""
    columns = Columns((1 << len(rows)) - 1, {x: column([values[x] for values in rows]) for x in symbols})
    holds = columns.where(and_(*conditions))
    return [holds is None or bool(holds >> i & 1) for i in range(len(rows))]


def _number(constant: Term, is_signed: bool) -> int:
    assert isinstance(constant.sort, BitVec)
    return to_signed(constant.sort.width, constant.payload) if is_signed else int(constant.payload)


def _with(order: _Order, symbol: Term) -> Iterator[_Order]:
    """Where one more number may be: beside others, or between them."""
    for i in range(len(order) + 1):
        yield (*order[:i], _Level(None, (symbol,)), *order[i:])
        if i < len(order):
            beside = _Level(order[i].constant, (*order[i].symbols, symbol))
            yield (*order[:i], beside, *order[i + 1 :])


def _values(order: _Order, least: int, greatest: int, width: int) -> Mapping[Term, int] | None:
    """The least values that are ordered so; None if there is no room for them between the constants."""
    found: dict[Term, int] = {}
    free = least
    for level in order:
        if level.constant is not None:
            if level.constant < free:
                return None
            free = level.constant
        elif free > greatest:
            return None
        for x in level.symbols:
            found[x] = free % (1 << width)
        free += 1
    return found
