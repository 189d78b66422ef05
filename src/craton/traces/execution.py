"""From a model of a trace formula to a concrete execution, statement by statement.

The model supplies only the values that were chosen on the way. The walk computes everything else itself, steps into
blocks, and checks every assumption, so it detects a wrong model or a wrong trace formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from craton.logic import Model, Term, and_, eq, evaluate, free_variables, ite, ops, substitute, var
from craton.logic.build import rebuild
from craton.logic.evaluation import CannotEvaluate, constant
from craton.logic.semantics import same
from craton.logic.walk import fold
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Return
from craton.program.transitions import chosen_value, exclusive, taken, transition
from craton.smt import make_solver
from craton.traces.trace import Trace

Values = Mapping[Term, Any]

_SECONDS = 5.0  # for a solver to decide one quantified condition when all values are known


@dataclass(frozen=True, slots=True)
class ExecutedStep:
    """One edge that is not a block, and the values chosen if it is a havoc."""

    edge: Edge
    chosen: Mapping[Term, Any]


@dataclass(frozen=True, slots=True)
class Execution:
    steps: tuple[ExecutedStep, ...]
    start: Mapping[Term, Any]  # the values before the first step
    end: Mapping[Term, Any]  # and after the last one
    model: Model  # its functions, and its choices for results the standard leaves open, hold throughout


def execution(trace: Trace, model: Model) -> Execution | None:
    """The execution that a model of the trace's formula describes; None if there is none."""
    start = {variable: model[indexed] for variable, indexed in trace.formula.indices[0].items()}
    values: Values = dict(start)
    steps: list[ExecutedStep] = []
    for number, edge in enumerate(trace.edges):
        inputs = {i: model[indexed] for i, indexed in trace.formula.inputs[number].items()}
        passed = through(edge, values, inputs, model)
        if passed is None:
            return None
        inside, values = passed
        steps += inside
    return Execution(tuple(steps), start, values, model)


def path_in(edge: Edge, values: Values, inputs: Values, model: Model) -> list[Edge] | None:
    """The statements inside of a step that are taken from some values on, as its inputs say; None if it has no path."""
    if not isinstance(edge.statement, Block):
        return [edge]
    block = edge.statement
    outgoing = _outgoing(block)
    path: list[Edge] = []
    here = block.begin
    while not path or here != block.end:
        free = not exclusive([inner for _, inner in outgoing.get(here, ())])
        for number, inner in outgoing.get(here, ()):
            if free and (number, inner) != outgoing[here][-1] and not _is_taken(number, inputs, model):
                continue
            after = _after(inner, number, values, inputs, model)
            if after is not None:
                path.append(inner)
                values, here = after[1], inner.target
                break
        else:
            return None
    return path


def _is_taken(number: int, inputs: Values, model: Model) -> bool:
    choice = taken(number)
    return bool(inputs[choice] if choice in inputs else model[choice])


def _outgoing(block: Block) -> dict[Location, list[tuple[int, Edge]]]:
    found: dict[Location, list[tuple[int, Edge]]] = {}
    for number, inner in block.numbered:
        found.setdefault(inner.source, []).append((number, inner))
    return found


def through(edge: Edge, values: Values, inputs: Values, model: Model) -> tuple[list[ExecutedStep], Values] | None:
    """The steps of an edge from a state by chosen inputs, and the state behind it; None if it cannot be taken."""
    if not isinstance(edge.statement, Block):
        after = _after(edge, 0, values, inputs, model)
        return None if after is None else ([after[0]], after[1])
    block = edge.statement
    outgoing = _outgoing(block)
    expected = _expected(edge, values, inputs, model)
    # Where the program may choose freely, try paths until one ends with the model's values.
    path: list[tuple[ExecutedStep, Values]] = []
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
    here = state({**values, **inputs}, model)
    return {variable: evaluate(value, here) for variable, value in step.updates.items()}


def _after(edge: Edge, number: int, values: Values, inputs: Values, model: Model) -> tuple[ExecutedStep, Values] | None:
    """The step and the values after it; None if it cannot be taken."""
    match edge.statement:
        case Assume(condition):
            return (ExecutedStep(edge, {}), values) if holds(condition, state(values, model)) else None
        case Assign(variable, value):
            return ExecutedStep(edge, {}), _changed(values, {variable: evaluate(value, state(values, model))})
        case Havoc(variables):
            chosen = {v: inputs[c] if (c := chosen_value(v, number)) in inputs else model[c] for v in variables}
            return ExecutedStep(edge, chosen), _changed(values, chosen)
        case Return():
            return ExecutedStep(edge, {}), values
    return None


def _changed(values: Values, changes: Values) -> Values:
    return values.changed(changes) if isinstance(values, Unread) else {**values, **changes}


class Unread(Mapping[Term, Any]):
    """Values of variables that are read when they are asked for, each under another name; and what has changed since:
    a path through a block asks for few of its variables.
    """

    def __init__(self, names: Mapping[Term, Term], read: Callable[[Term], Any], known: Values | None = None) -> None:
        self._names = names
        self._read = read
        self._known = dict(known or {})

    def changed(self, changes: Values) -> Unread:
        return Unread(self._names, self._read, {**self._known, **changes})

    def __getitem__(self, variable: Term) -> Any:
        if variable not in self._known:
            self._known[variable] = self._read(self._names[variable])
        return self._known[variable]

    def __contains__(self, variable: object) -> bool:
        return variable in self._known or variable in self._names

    def __iter__(self) -> Iterator[Term]:
        return iter({**self._names, **self._known})

    def __len__(self) -> int:
        return len({**self._names, **self._known})


def state(values: Mapping[Term, Any], model: Model) -> Model:
    """Variables that the trace formula lacks have their value in the model, or zero. Functions are the model's."""
    return Model(values, model.functions, model.choices)


def holds(condition: Term, model: Model) -> bool:
    """Whether a condition holds. If it is quantified, a solver decides it after substituting the model's values."""
    try:
        return evaluate(condition, model) is True
    except CannotEvaluate:
        known = {v: model.term(v) for v in sorted(free_variables(condition), key=lambda v: v.serial)}
        closed = _with_tables(substitute(condition, known), model)
        return make_solver("z3", time_limit=_SECONDS).is_valid(closed) is True


def _with_tables(term: Term, model: Model) -> Term:
    """Replaces function applications by case distinctions over the functions' tables."""

    def visit(node: Term, args: list[Term]) -> Term:
        table = model.functions.get(node.payload) if node.op is ops.APPLY else None
        if table is None:
            return rebuild(node, args) if args else node
        result = constant(table.default, node.sort)
        for entry, value in table.entries.items():
            here = and_(*(eq(a, constant(known, a.sort)) for a, known in zip(args, entry, strict=True)))
            result = ite(here, constant(value, node.sort), result)
        return result

    return fold(term, visit)


def initial(variable: Term, model: Model) -> Any:
    """The value of a variable before the first step."""
    return model[var(f"{variable.name}@0", variable.sort)]
