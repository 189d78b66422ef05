"""From a model of a trace formula to a concrete execution, statement by statement.

The model says which values were chosen on the way; the walk here computes everything else itself, looks into blocks,
and checks every assumption, so that a wrong model or a wrong trace formula is found out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from craton.logic import Model, Term, evaluate, var
from craton.logic.semantics import same
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Return
from craton.program.transitions import chosen_value, transition
from craton.traces.trace import Trace

Values = dict[Term, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge that is no block, and the values that a havoc on it chose."""

    edge: Edge
    chosen: Mapping[Term, Any]


@dataclass(frozen=True, slots=True)
class Execution:
    steps: tuple[Step, ...]
    start: Mapping[Term, Any]  # the values before the first step
    end: Mapping[Term, Any]  # and after the last one


def execution(trace: Trace, model: Model) -> Execution | None:
    """The execution that a model of the trace's formula describes; None if there is none."""
    start = {variable: model[indexed] for variable, indexed in trace.formula.indices[0].items()}
    values: Values = dict(start)
    steps: list[Step] = []
    for number, edge in enumerate(trace.edges):
        inputs = {i: model[indexed] for i, indexed in trace.formula.inputs[number].items()}
        taken = _through(edge, values, inputs, model)
        if taken is None:
            return None
        inside, values = taken
        steps += inside
    return Execution(tuple(steps), start, values)


def _through(edge: Edge, values: Values, inputs: Values, model: Model) -> tuple[list[Step], Values] | None:
    if not isinstance(edge.statement, Block):
        after = _after(edge, 0, values, inputs, model)
        return None if after is None else ([after[0]], after[1])
    block = edge.statement
    outgoing: dict[Location, list[tuple[int, Edge]]] = {}
    for number, inner in enumerate(block.edges):
        outgoing.setdefault(inner.source, []).append((number, inner))
    expected = _expected(edge, values, inputs, model)
    # Where a choice is free, paths are tried until one ends with the values that the model wants.
    path: list[tuple[Step, Values]] = []
    choices = [iter(outgoing[block.begin])]
    while choices:
        here = path[-1][1] if path else values
        for number, inner in choices[-1]:
            after = _after(inner, number, here, inputs, model)
            if after is None:
                continue
            if inner.target == block.end:
                if all(same(v.sort, after[1][v], wanted) for v, wanted in expected.items()):
                    return [*(step for step, _ in path), after[0]], after[1]
                continue
            path.append(after)
            choices.append(iter(outgoing.get(inner.target, ())))
            break
        else:
            choices.pop()
            if path:
                path.pop()
    return None


def _expected(edge: Edge, values: Values, inputs: Values, model: Model) -> Values:
    step = transition(edge.statement)
    state = _state({**values, **inputs}, model)
    return {variable: evaluate(value, state) for variable, value in step.updates.items()}


def _after(edge: Edge, number: int, values: Values, inputs: Values, model: Model) -> tuple[Step, Values] | None:
    """The step and the values after it; None if it cannot be taken."""
    match edge.statement:
        case Assume(condition):
            return (Step(edge, {}), values) if evaluate(condition, _state(values, model)) is True else None
        case Assign(variable, value):
            return Step(edge, {}), {**values, variable: evaluate(value, _state(values, model))}
        case Havoc(variables):
            chosen = {v: inputs[c] if (c := chosen_value(v, number)) in inputs else model[c] for v in variables}
            return Step(edge, chosen), {**values, **chosen}
        case Return():
            return Step(edge, {}), values
    return None


def _state(values: Values, model: Model) -> Model:
    """Variables the trace formula does not have are as in the model, or zero. Functions are the model's."""
    return Model(values, model.functions, model.choices)


def initial(variable: Term, model: Model) -> Any:
    """The value of a variable before the first step."""
    return model[var(f"{variable.name}@0", variable.sort)]
