"""Formulas about floats that exclude each other, found by splitting the values of variables into cases.

Ranges lose what values have to do with each other: of x in [0, 1] they say that x - x is in [-1, 1]. In small cases
little is lost (Moore). What is found here is found with the machine's floats; `smt.intervals` shows it again with exact
bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from craton.facts import floats
from craton.facts.floats import FloatRange
from craton.facts.operations import MAYBE, YES
from craton.facts.ranges import Range, halved, roundest
from craton.facts.states import Known, State, anything, assumed, value
from craton.logic import FALSE, TRUE, Float, Term, alternatives, conjuncts, free_variables, ieee, not_, ops, post_order
from craton.logic.terms import format_of
from craton.logic.walk import replaced
from craton.processes.running_time import running_time

MOST_WORK = 100_000  # cases, times the parts of the formulas: counted, so that it is the same on every machine
MOST_PARTS = 5_000
ROUNDS = 3  # of assuming all formulas, in one case


def speak_of_floats(formulas: Sequence[Term]) -> bool:
    """Whether a part of them is a float of the machine's, and they are not too large for cases."""
    parts = list(islice(post_order(*formulas), MOST_PARTS + 1))
    if len(parts) > MOST_PARTS:
        return False
    return any(isinstance(node.sort, Float) and floats.has_ranges(node.sort) for node in parts)


@dataclass(frozen=True, slots=True)
class Case:
    """Formulas that hold, of values in these ranges."""

    formulas: tuple[Term, ...]
    state: State


def exclude_each_other(formulas: Sequence[Term], seconds: float | None = None) -> bool:
    """Whether no values satisfy all formulas, as far as a limited number of cases and seconds show."""
    end = float("inf") if seconds is None else running_time() + seconds
    waiting = [Case(tuple(formulas), {})]
    for _ in range(MOST_WORK // (1 + sum(1 for _ in post_order(*formulas)))):
        if not waiting:
            return True
        if running_time() > end:
            return False
        case = _where_all_hold(waiting.pop())
        if case is not None:
            parts = _split(case)
            if not parts:
                return False
            waiting += parts
    return not waiting


def _where_all_hold(case: Case) -> Case | None:
    state = case.state
    for _ in range(ROUNDS):
        before = state
        for formula in case.formulas:
            found = assumed(formula, state)
            if found is None:
                return None
            state = found
        if state == before:
            break
    return Case(case.formulas, state)


def _split(case: Case) -> list[Case]:
    """Of formulas that are open: the parts of a disjunction, else a choice, else the variable with the most values.
    There are none if there is nothing to split.
    """
    open_ = [formula for formula in case.formulas if value(formula, case.state) != YES]
    for formula in open_:
        parts = alternatives(formula)
        if len(parts) > 1:
            others = tuple(one for one in case.formulas if one is not formula)
            return [_assuming(part, others, case.state) for part in parts]
    for formula in open_:
        condition = _open_choice(formula, case.state)
        if condition is not None:
            return [_assuming(one, case.formulas, case.state) for one in (condition, not_(condition))]
    for formula in open_:
        known = {x: one for x in free_variables(formula) if (one := case.state.get(x) or anything(x.sort)) is not None}
        widest = max(known, key=lambda x: (_size(known[x]), -x.serial), default=None)
        if widest is not None and _size(known[widest]) > 1:
            return [Case(case.formulas, {**case.state, widest: half}) for half in halves(known[widest])]
    return []


def _assuming(formula: Term, others: Sequence[Term], state: State) -> Case:
    """The case in which one more formula holds; what it says of parts of others is put into them."""
    truths = {one.args[0] if one.op is ops.NOT else one: one.op is not ops.NOT for one in conjuncts(formula)}
    memo = {part: TRUE if holds else FALSE for part, holds in truths.items()}
    return Case((formula, *replaced(others, memo)), state)


def _open_choice(formula: Term, state: State) -> Term | None:
    """The condition of the innermost choice of which it is not known what is chosen."""
    for node in post_order(formula):
        if node.op is ops.ITE and value(node.args[0], state) == MAYBE:
            return node.args[0]
    return None


def _size(known: Known) -> int:
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
        return [*halved(known)]
    if not known.has_numbers:
        return [known]
    if known.nan:
        return [floats.only_nan(known.sort), FloatRange(known.sort, known.low, known.high, False)]
    low, high = _ranks(known)
    form, middle = format_of(known.sort), roundest(low, high) - 1 if low < high else low
    bound = ieee.to_python(form, middle if middle >= 0 else -middle | form.sign_mask)
    parts = (
        floats.some(known.sort, known.low, bound, nan=False),
        floats.some(known.sort, floats.above(known.sort, bound), known.high, nan=False),
    )
    return [part for part in parts if part is not None]
