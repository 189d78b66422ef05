"""What the range of a result says of its arguments, where bits are cut out, put together or masked. Law: arguments
whose result is in the range stay.

This is how programs look into floats: words of a union, an exponent below a sign, "no bit of either is set".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from craton.facts.ranges import Range, made
from craton.logic import Term, ops

Values = Callable[[Term], Range | None]


def inside(node: Term, known: Range, values: Values) -> Iterator[tuple[Term, Range | None]]:
    """The arguments of an operation, and what they are then; None says nothing."""
    if node.op is ops.EXTRACT:
        high, low = node.payload
        whole = values(node.args[0])
        if whole is not None:
            yield node.args[0], of_slice(high, low, whole, known)
    elif node.op is ops.BVOR:
        yield from ((arg, made(known.width, (0, known.high))) for arg in node.args)
    elif node.op is ops.BVAND:
        yield from _masked(node, known, values)
    elif node.op is ops.CONCAT and len(node.args) == 2:
        yield from _joined(node, known, values)


def of_slice(high: int, low: int, whole: Range, part: Range) -> Range | None:
    """The numbers whose bits from `low` to `high` are in a range, if those above are known. The range may go beyond
    what so few bits can be.
    """
    above, ones = high + 1, (1 << (high + 1 - low)) - 1
    if whole.low >> above != whole.high >> above or part.low > ones:
        return None
    rest, most = whole.low >> above << above, min(part.high, ones)
    return made(whole.width, (rest | part.low << low, rest | most << low | ((1 << low) - 1)))


def _masked(node: Term, known: Range, values: Values) -> Iterator[tuple[Term, Range | None]]:
    """None has fewer bits than the result; below a mask of ones at the end, the bits of the result."""
    masks = {arg: found.constant for arg in node.args if (found := values(arg)) is not None}
    for arg in node.args:
        yield arg, made(known.width, (known.low, (1 << known.width) - 1))
        others = [masks.get(other) for other in node.args if other is not arg]
        if len(others) == 1 and others[0] and others[0] & (others[0] + 1) == 0:
            whole, ones = values(arg), others[0].bit_length()
            if whole is not None:
                yield arg, of_slice(ones - 1, 0, whole, known)


def _joined(node: Term, known: Range, values: Values) -> Iterator[tuple[Term, Range | None]]:
    upper, lower = values(node.args[0]), values(node.args[1])
    if upper is None or lower is None:
        return
    bits = lower.width
    yield node.args[0], made(upper.width, (known.low >> bits, known.high >> bits))
    if known.low >> bits == known.high >> bits:
        ones = (1 << bits) - 1
        yield node.args[1], made(bits, (known.low & ones, known.high & ones))
