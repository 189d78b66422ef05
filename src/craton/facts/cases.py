"""Formulas about floats that exclude each other, found by splitting the values of variables into cases.

Ranges lose what values have to do with each other: of x in [0, 1] they say that x - x is in [-1, 1]. In small cases
little is lost (Moore). What is found here is found with the machine's floats; `smt.intervals` shows it again with exact
bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.facts import floats
from craton.facts.floats import FloatRange
from craton.facts.operations import YES
from craton.facts.ranges import Range, made
from craton.facts.states import Known, State, anything, assumed, value
from craton.logic import Float, Term, free_variables, ieee, post_order
from craton.logic.terms import format_of
from craton.processes.running_time import running_time

MOST_CASES = 3_000
ROUNDS = 3  # of assuming all formulas, in one case


def speak_of_floats(formulas: Sequence[Term]) -> bool:
    """Whether a part of them is a float of the machine's."""
    return any(isinstance(node.sort, Float) and floats.has_ranges(node.sort) for node in post_order(*formulas))


def exclude_each_other(formulas: Sequence[Term], seconds: float) -> bool:
    """Whether no values satisfy all formulas, as far as that many cases and seconds show."""
    end = running_time() + seconds
    waiting: list[State] = [{}]
    for _ in range(MOST_CASES):
        if not waiting:
            return True
        if running_time() > end:
            return False
        state = _where_all_hold(formulas, waiting.pop())
        if state is None:
            continue
        variable = _to_split(formulas, state)
        if variable is None:
            return False
        known = state.get(variable) or anything(variable.sort)
        assert known is not None
        waiting += [{**state, variable: half} for half in halves(known)]
    return False


def _where_all_hold(formulas: Sequence[Term], state: State) -> State | None:
    for _ in range(ROUNDS):
        before = state
        for formula in formulas:
            found = assumed(formula, state)
            if found is None:
                return None
            state = found
        if state == before:
            break
    return state


def _to_split(formulas: Sequence[Term], state: State) -> Term | None:
    """Of the first formula that is open, the variable with the most values."""
    for formula in formulas:
        if value(formula, state) != YES:
            sizes = {x: _size(state.get(x) or anything(x.sort)) for x in free_variables(formula)}
            widest = max(sizes, key=lambda x: (sizes[x], -x.serial), default=None)
            if widest is not None and sizes[widest] > 1:
                return widest
    return None


def _size(known: Known | None) -> int:
    if known is None:
        return 1
    if isinstance(known, Range):
        return min(known.high - known.low, known.most - known.least) + 1
    low, high = _ranks(known)
    return (high - low + 1 if known.has_numbers else 0) + known.nan


def _ranks(known: FloatRange) -> tuple[int, int]:
    """The bounds, counted from zero."""
    form = format_of(known.sort)
    low, high = (ieee.from_python(form, bound) for bound in (known.low, known.high))
    return (
        -(low & form.magnitude_mask) if low & form.sign_mask else low,
        -(high & form.magnitude_mask) if high & form.sign_mask else high,
    )


def halves(known: Known) -> list[Known]:
    """Sets with all members; one of them, if it is NaN alone."""
    if isinstance(known, Range):
        return _halved_bits(known)
    if not known.has_numbers:
        return [known]
    if known.nan:
        return [floats.only_nan(known.sort), FloatRange(known.sort, known.low, known.high, False)]
    low, high = _ranks(known)
    form, middle = format_of(known.sort), (low + high) // 2
    bound = ieee.to_python(form, middle if middle >= 0 else -middle | form.sign_mask)
    parts = (
        floats.some(known.sort, known.low, bound, nan=False),
        floats.some(known.sort, floats.above(known.sort, bound), known.high, nan=False),
    )
    return [part for part in parts if part is not None]


def _halved_bits(known: Range) -> list[Known]:
    if known.most - known.least < known.high - known.low:
        middle = (known.least + known.most) // 2
        parts = made(known.width, None, (known.least, middle)), made(known.width, None, (middle + 1, known.most))
    else:
        middle = (known.low + known.high) // 2
        parts = made(known.width, (known.low, middle)), made(known.width, (middle + 1, known.high))
    return [part for part in parts if part is not None]
