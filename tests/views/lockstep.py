"""Runs of a bit-precise program beside its view: every step in bits must be a step of the view.

The program runs here by `evaluate` alone. Before and behind each step the state in bits is turned into numbers, and the
view's edges for that step must be able to lead from the one to the other, with some choice of what it leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from craton.logic import TRUE, Array, ArrayValue, BitVec, Float, Sort, Term, Value, and_, evaluate, substitute, zero
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assign, Assume, BitsOf, Havoc, Return
from craton.views import SoundView
from views.numbers import equal_to, numbers, possible


@dataclass
class Lockstep:
    """`problems` says what went wrong; `steps` and `exact` count what was compared."""

    program: Program
    view: SoundView
    random: Random
    problems: list[str] = field(default_factory=list)
    steps: int = 0
    exact: int = 0
    error: bool = False

    def run(self, most_steps: int) -> Lockstep:
        main = self.program.main
        self.outgoing: dict[Edge, list[Edge]] = {}
        variables = dict.fromkeys((*self.program.globals, *main.locals, *main.parameters, *main.returns))
        state: dict[Term, Value] = {v: self._arbitrary(v.sort) for v in variables}
        location = main.entry
        while self.steps < most_steps and not self.problems:
            if location in self.program.errors:
                self.error = True
                return self
            taken = None
            for edge in main.outgoing(location):
                enabled = not isinstance(edge.statement, Assume) or evaluate(edge.statement.condition, state) is True
                after = self._after(edge, state) if enabled else None
                self._compare(location, edge, state, after)
                if enabled and taken is None:
                    taken = edge, after
            if taken is None or isinstance(taken[0].statement, Return):
                return self
            assert taken[1] is not None
            location, state = taken[0].target, taken[1]
            self.steps += 1
        return self

    def _after(self, edge: Edge, state: dict[Term, Value]) -> dict[Term, Value]:
        statement = edge.statement
        if isinstance(statement, Assign):
            return {**state, statement.variable: evaluate(statement.value, state)}
        if isinstance(statement, Havoc):
            if isinstance(statement.source, BitsOf):
                return {**state, statement.variables[0]: evaluate(statement.source.value, state)}
            return {**state, **{v: self._arbitrary(v.sort) for v in statement.variables}}
        assert isinstance(statement, Assume | Return), statement
        return state

    def _arbitrary(self, sort: Sort) -> Value:
        if isinstance(sort, BitVec):
            small = self.random.randint(-4, 12) & ((1 << sort.width) - 1)
            return small if self.random.random() < 0.6 else self.random.getrandbits(sort.width)
        if isinstance(sort, Array):
            return ArrayValue(self._arbitrary(sort.element), {})
        if isinstance(sort, Float):
            from craton.logic import fp_value

            return fp_value(self.random.choice([0.0, 1.5, -3.25, 1e9, float("inf"), float("nan")]), sort).payload
        return zero(sort)

    # --- the view's side ----------------------------------------------------------------------------------------------

    def _numbers(self, state: dict[Term, Value]) -> dict[Term, Value]:
        result: dict[Term, Value] = {}
        for variable, value in state.items():
            result.update(numbers(self.view._translator, variable, value))
        return result

    def _compare(
        self, location: Location, old: Edge, before: dict[Term, Value], after: dict[Term, Value] | None
    ) -> None:
        """The view's path for an edge: enabled if the edge is, and only then if it is exact."""
        path = self._path(location, old)
        start = self._numbers(before)
        chosen: dict[Term, None] = {}
        values: dict[Term, Term] = {}
        guard = TRUE
        end = self._numbers(after) if after is not None else {}
        for edge in path:
            match edge.statement:
                case Assume(condition):
                    guard = and_(guard, substitute(condition, values))
                case Assign(variable, value):
                    values[variable] = substitute(value, values)
                case Havoc(variables):
                    for variable in variables:
                        if variable in end:  # the program's own choice, which is known
                            from craton.logic import constant

                            values[variable] = constant(end[variable], variable.sort)
                        else:
                            chosen[variable] = None
                            values.pop(variable, None)
        exact = self.view.is_exact(path)
        if after is None:
            if exact and possible(guard, start, tuple(chosen)):
                self.problems.append(f"only the view can take {old}")
            return
        changed = [v for v, value in end.items() if v in values or value != start[v]]
        goal = equal_to(tuple(values.get(v, v) for v in changed), tuple(end[v] for v in changed))
        if possible(and_(guard, goal), start, tuple(chosen)) is False:
            self.problems.append(f"the view cannot take {old}")
        self.exact += exact

    def _path(self, location: Location, old: Edge) -> list[Edge]:
        """The edges of the view that stand for an edge."""
        main = self.view.program.main
        path: list[Edge] = []
        while True:
            edges = main.outgoing(location)
            mine = [e for e in edges if self.view.transformed.original_edges(e) == (old,)]
            edge = mine[0] if mine and not any(self._stands(e) for e in path) else edges[0]
            path.append(edge)
            location = edge.target
            if any(self._stands(e) for e in path) and location == old.target:
                return path

    def _stands(self, edge: Edge) -> bool:
        return self.view.transformed.original_edges(edge) != ()
