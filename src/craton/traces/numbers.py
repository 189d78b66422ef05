"""Interpolants of a trace formula over bits, found over integers.

The formula is translated as a view translates a program (`views`), interpolated, and the interpolants are brought back
to bits. With numbers that wrap around it stays the same formula, at the price of a case for every number that may wrap;
with ideal numbers it is another formula, whose interpolants are simple and right wherever nothing wraps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from craton.errors import NotExpressible
from craton.logic import BitVec, Float, Term, and_, free_variables, ops, var
from craton.program.statements import Assign, Assume, Statement
from craton.program.transitions import Transition
from craton.smt import Interpolants, Satisfiable, Undecided
from craton.traces.trace import Trace
from craton.views.arithmetic import Overflow
from craton.views.signs import Signedness, Signs
from craton.views.terms import Translator
from craton.views.to_bits import bit_formula


def over_bits(formulas: Sequence[Term]) -> bool:
    """Whether bit-vectors occur in the formulas, and may be read as numbers."""
    sorts = {variable.sort for formula in formulas for variable in free_variables(formula)}
    return any(isinstance(sort, BitVec) for sort in sorts) and not any(isinstance(sort, Float) for sort in sorts)


def over_numbers(
    formulas: Sequence[Term],
    interpolate: Callable[[Sequence[Term]], Interpolants],
    overflow: Overflow,
    signs: Signedness,
) -> Interpolants:
    """Interpolants in bits of formulas over bits, found over numbers. With ideal numbers they may break the law."""
    translator = Translator(signs, "exact", overflow)
    try:
        found = interpolate([_translated(f, translator) for f in formulas])
        if isinstance(found, tuple):
            return tuple(bit_formula(interpolant, translator) for interpolant in found)
    except NotExpressible as problem:
        return Undecided(f"as numbers: {problem}")
    return Undecided("the contradiction is not one of numbers") if isinstance(found, Satisfiable) else found


def _translated(formula: Term, translator: Translator) -> Term:
    """The formula with what is known of its numbers."""
    made = translator.formula(formula)
    ranges = map(translator.range, sorted(free_variables(formula), key=lambda v: v.serial))
    return and_(made, *translator.needs(formula).facts, *ranges)


def signs_along(trace: Trace) -> Signedness:
    """The signedness of indexed variables: that of the trace's variables, as its steps use them."""
    known = trace.answers.get(_Indexed)
    if known is None:
        known = trace.answers[_Indexed] = _Indexed(Signs.of_statements(_statements(trace.steps)))
    assert isinstance(known, _Indexed)
    return known


def _statements(steps: Sequence[Transition]) -> list[Statement]:
    found: list[Statement] = []
    for step in {id(step): step for step in steps}.values():
        found.append(Assume(step.guard))
        found += [Assign(variable, value) for variable, value in step.updates.items()]
    return found


@dataclass(frozen=True, slots=True)
class _Indexed:
    signs: Signs

    def signed(self, term: Term) -> bool:
        while term.op in (ops.STORE, ops.SELECT, ops.ITE):
            term = term.args[1] if term.op is ops.ITE else term.args[0]
        if term.op is not ops.VARIABLE:
            return False
        stem, _, _ = term.name.rpartition("@")
        return self.signs.signed(var(stem, term.sort))
