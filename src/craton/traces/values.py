"""Interpolation for explicit values ([RS] 3): which constants of which variables contradict a trace.

A state of the value domain knows the values of some variables and nothing about the others. A trace that is
contradictory in this domain is refuted by the values it assigns, step by step, without a solver. At each position, only
the values that the rest of the trace needs are kept (elimination of constraint sequences).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from craton.logic import FALSE, TRUE, Array, Term, and_, conjuncts, eq, free_variables, ops, substitute
from craton.processes.running_time import running_time
from craton.program.transitions import Transition
from craton.registry import keyed_seconds
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.prefixes import prefixes_in
from craton.traces.refutation import Analysis, Answer, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace

Values = Mapping[Term, Term]  # variable → constant


def after(known: Values, step: Transition) -> Values | None:
    """All values known after a step; None if no state gets through.

    An assumption `x = 3` also gives a value, and so does one that becomes such an equation after substituting values.
    """
    learned = dict(known)
    guard = substitute(step.guard, learned)
    while True:
        if guard is FALSE:
            return None
        told = dict(filter(None, map(told_value, conjuncts(guard))))
        if not told:
            break
        learned |= told
        guard = substitute(guard, told)
    changed = {variable: substitute(value, learned) for variable, value in step.updates.items()}
    for variable, value in changed.items():
        if value.is_value and not isinstance(variable.sort, Array):
            learned[variable] = value
        else:
            learned.pop(variable, None)
    for chosen in step.inputs:
        learned.pop(chosen, None)
    return learned


def told_value(condition: Term) -> tuple[Term, Term] | None:
    """The variable whose value an assumption fixes, and the value."""
    if condition.op is ops.VARIABLE:
        return condition, TRUE
    if condition.op is ops.NOT and condition.args[0].op is ops.VARIABLE:
        return condition.args[0], FALSE
    if condition.op is ops.EQ and len(condition.args) == 2:
        a, b = condition.args if condition.args[1].is_value else condition.args[::-1]
        if a.op is ops.VARIABLE and b.is_value and not isinstance(a.sort, Array):
            return a, b
    return None


def contradicts(known: Values, steps: Sequence[Transition]) -> bool:
    """Whether, judging by known values, no state gets through the steps."""
    return length_of_contradiction(known, steps) is not None


def length_of_contradiction(known: Values, steps: Sequence[Transition]) -> int | None:
    """The number of steps after which the contradiction is clear; None if there is none."""
    here: Values | None = known
    for number, step in enumerate(steps):
        assert here is not None
        here = after(here, step)
        if here is None:
            return number + 1
    return None


@dataclass(frozen=True, slots=True)
class ExplicitValues(Refiner):
    """The constants that contradict the trace, such as x = 3 ∧ y = 0; uses no solver."""

    word: ClassVar[str] = "values"

    time_limit: float | None = keyed_seconds(5.0)  # for making assertions small

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        length = length_of_contradiction({}, trace.steps)
        if length is None:
            return GaveUp("the values of variables do not contradict each other")
        end = float("inf") if self.time_limit is None else running_time() + self.time_limit
        steps = trace.steps[:length]
        matters = _relevant(steps)
        known: Values = {}
        assertions = [TRUE]
        for number in range(1, length):
            found = after(known, steps[number - 1])
            assert found is not None, "less is known than when the contradiction was found"
            known = {v: value for v, value in found.items() if v in matters[number]}
            known = _needed(known, steps[number:], end)
            assertions.append(and_(*map(eq, known, known.values())))
        sequence = (*assertions, *[FALSE] * (len(trace) - length + 1))
        return Refutation(sequence, self.name, analysis=Analysis.VALUE)

    def sliced_prefixes(self, trace: Trace) -> list[Trace]:
        """The prefixes found in the value domain, which detects fewer contradictions than a solver."""
        return prefixes_in(_Known(), trace)


class _Known:
    """The values known so far, as a domain for finding prefixes."""

    def __init__(self) -> None:
        self._known: Values = {}

    def take(self, step: Transition) -> bool:
        then = after(self._known, step)
        if then is not None:
            self._known = then
        return then is not None


def _needed(known: Values, rest: Sequence[Transition], end: float) -> Values:
    """The known values that the contradiction needs: values are dropped one by one while the rest stays infeasible."""
    for variable in tuple(known):
        if running_time() > end:
            break
        fewer = {v: value for v, value in known.items() if v is not variable}
        if contradicts(fewer, rest):
            known = fewer
    return known


def _relevant(steps: Sequence[Transition]) -> list[frozenset[Term]]:
    """For each position, the variables that may contribute to the contradiction at the end of the steps."""
    matters = free_variables(steps[-1].guard)
    found = [frozenset[Term](), matters]
    for step in reversed(steps[:-1]):
        before = matters - step.written
        for variable in matters & step.written:
            before |= free_variables(step.updates[variable])
        while True:  # a condition relates its variables, in both directions
            more = [v for c in conjuncts(step.guard) if free_variables(c) & before for v in free_variables(c)]
            if before.issuperset(more):
                break
            before |= frozenset(more)
        matters = before
        found.append(matters)
    return found[::-1]
