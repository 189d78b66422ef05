"""A concrete executor of traces that owes nothing to the code under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from craton.logic import Model, Term, Value, evaluate, free_variables
from craton.logic.semantics import same
from craton.program.cfa import Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.traces.trace import Trace

State = dict[Term, Value]


@dataclass
class Replay:
    """Runs a trace concretely with the values of a model: at the start, and wherever something is chosen."""

    trace: Trace
    model: Model
    state: State = field(default_factory=dict)

    def problem(self) -> str:
        """Why the run fails; "" if it does not."""
        at = self.trace.formula.at
        variables = sorted(variables_of(*(e.statement for e in self.trace.edges)), key=lambda v: v.serial)
        self.state = {v: self.model[at(0, v)] for v in variables}
        for i, edge in enumerate(self.trace.edges):
            expected = {v: self.model[at(i + 1, v)] for v in variables}
            reached = [
                s for s in executions(edge.statement, self.state, self._choices(expected)) if _agree(s, expected)
            ]
            if not reached:
                return f"step {i + 1}, {edge.statement}, does not lead from {self.state} to {expected}"
            self.state = reached[0]
        return ""

    def _choices(self, expected: State) -> Mapping[Term, list[Value]]:
        """What a havoc may choose: the value after the step; inside of a block, any value of the model."""
        return {
            v: [value, *(x for w, x in self.model.values.items() if w.sort is v.sort)] for v, value in expected.items()
        }


def executions(statement: Statement, state: State, choices: Mapping[Term, list[Value]]) -> Iterator[State]:
    """The states after a statement. A havoc chooses among `choices`."""
    match statement:
        case Assume(condition):
            if evaluate(condition, state) is True:
                yield state
        case Assign(variable, value):
            yield {**state, variable: evaluate(value, state)}
        case Havoc(variables):
            for chosen in product(*(choices[v] for v in variables)):
                yield {**state, **dict(zip(variables, chosen, strict=True))}
        case Block():
            yield from _through(statement, None, state, choices)
        case _:
            raise AssertionError(f"not a statement of a trace: {statement}")


def _through(block: Block, at: Location | None, state: State, choices: Mapping[Term, list[Value]]) -> Iterator[State]:
    """`at` is None at the start, which may be where the block ends, too."""
    if at == block.end:
        yield state
        return
    for edge in block.edges:
        if edge.source == (at or block.begin):
            for after in executions(edge.statement, state, choices):
                yield from _through(block, edge.target, after, choices)


def _agree(state: State, expected: State) -> bool:
    return all(same(v.sort, state[v], value) for v, value in expected.items())


def variables_of(*statements: Statement) -> frozenset[Term]:
    found: set[Term] = set()
    for statement in statements:
        match statement:
            case Assume(condition):
                found |= free_variables(condition)
            case Assign(variable, value):
                found |= {variable, *free_variables(value)}
            case Havoc(variables):
                found.update(variables)
            case Block(edges):
                found |= variables_of(*(edge.statement for edge in edges))
            case _:
                raise AssertionError(f"not a statement of a trace: {statement}")
    return frozenset(found)
