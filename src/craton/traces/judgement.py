"""The trace formula of a run, evaluated under the values of the run: a judge of counterexamples who shares no code with
the interpreter.

The values at the start and those chosen on the way are given; all others follow from the updates of the steps, and then
every conjunct of F[1] ∧ … ∧ F[n] must be true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from craton.logic import Model, Term, evaluate
from craton.logic.evaluation import zero
from craton.program.transitions import chosen_value
from craton.traces.execution import holds, state
from craton.traces.trace import SSA, Part, Trace

NOTHING = Model({})


@dataclass(frozen=True, slots=True)
class Judged:
    """The values behind the last step, and the first step that the run cannot have taken; None if it can."""

    values: Mapping[Term, Any]
    impossible: int | None


def judged(
    trace: Trace, start: Mapping[Term, Any], chosen: Sequence[Mapping[Term, Any]], model: Model = NOTHING
) -> Judged:
    """`chosen` has for each step what its havoc chose; what is not given is zero. The model says what functions are,
    and the results that the standard leaves open.
    """
    every = frozenset[Term]().union(*(step.read | step.written for step in trace.steps))
    growing = SSA()  # and not the formula as a whole: a deep recursion has many variables, at each of its steps
    values: dict[Term, Any] = {growing.at(v): start.get(v, zero(v.sort)) for v in every}
    parts: list[Part] = []
    for number, step in enumerate(trace.steps):
        given = chosen[number] if number < len(chosen) else {}
        inputs = {chosen_value(variable, 0): value for variable, value in given.items()}
        known = {i: inputs.get(i, zero(i.sort)) for i in step.inputs}
        here = state({**{v: values[growing.at(v)] for v in step.read}, **known}, model)
        parts += growing.parts(step)
        values.update({indexed: known[i] for i, indexed in growing.take(step).items()})
        values.update({growing.at(variable): evaluate(new, here) for variable, new in step.updates.items()})
    everything = state(values, model)
    wrong = next((part.step for part in parts if not holds(part.formula, everything)), None)
    return Judged({variable: values[growing.at(variable)] for variable in every}, wrong)
