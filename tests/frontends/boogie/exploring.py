"""Symbolic execution with a bound, as an oracle for small programs: is an error location reached on some path?"""

from __future__ import annotations

import enum
import itertools
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from craton.logic import FALSE, TRUE, Term, free_variables, substitute, var
from craton.program.cfa import Location, Procedure, Program
from craton.program.statements import Assign, Assume, Call, Havoc, Return
from craton.smt import make_solver
from craton.smt.contract import Solver, Unsat
from support.patience import Group, record


class Found(enum.Enum):
    ERROR = "an error is reached"
    NONE = "no path reaches an error"
    BOUND = "no path up to the bound reaches an error"


@dataclass(frozen=True)
class _Frame:
    """Where a call goes on: the caller, the location behind it, the variables for its results, the caller's locals."""

    procedure: Procedure
    location: Location
    results: tuple[Term, ...]
    locals: Mapping[Term, Term]


@dataclass(frozen=True)
class _State:
    procedure: Procedure
    location: Location
    values: Mapping[Term, Term]
    path: tuple[Term, ...]
    stack: tuple[_Frame, ...]
    steps: int


def explore(program: Program, *, steps: int = 60, states: int = 3_000) -> Found:
    """Breadth first; every assumption is checked when it is met."""
    return _Explorer(program, steps, states).run()


class _Explorer:
    def __init__(self, program: Program, steps: int, states: int) -> None:
        self.program, self.steps, self.states = program, steps, states
        self.solver: Solver = make_solver("z3", time_limit=2.0)
        self.numbers = itertools.count()
        self.bounded = False

    def run(self) -> Found:
        main = self.program.main
        values = {v: self._fresh(v) for v in self.program.globals}
        waiting = deque([_State(main, main.entry, values, (), (), 0)])
        while waiting:
            state = waiting.popleft()
            if state.location in self.program.errors:
                return Found.ERROR
            if state.steps >= self.steps or self.states <= 0:
                self.bounded = True
                continue
            self.states -= 1
            for edge in state.procedure.outgoing(state.location):
                after = self._step(state, edge.statement, edge.target)
                if after is not None:
                    waiting.append(after)
        return Found.BOUND if self.bounded else Found.NONE

    def _fresh(self, variable: Term) -> Term:
        return var(f"{variable.name}?{next(self.numbers)}", variable.sort)

    def _value(self, term: Term, values: Mapping[Term, Term]) -> Term:
        missing = [v for v in free_variables(term) if v not in values]
        assert isinstance(values, dict)
        for v in missing:  # a local that nothing was assigned to yet
            values[v] = self._fresh(v)
        return substitute(term, {v: values[v] for v in free_variables(term)})

    def _step(self, state: _State, statement: object, target: Location) -> _State | None:
        values, path, procedure, stack = dict(state.values), state.path, state.procedure, state.stack
        match statement:
            case Assume(condition):
                formula = self._value(condition, values)
                if formula is FALSE:
                    return None
                if formula is not TRUE:
                    path = (*path, formula)
                    answer = self.solver.check(*path)
                    record(Group.PATHS, formula, answer)  # an undecided one is gone on with
                    if isinstance(answer, Unsat):
                        return None
            case Assign(variable, value):
                values[variable] = self._value(value, values)
            case Havoc(variables):
                values.update((v, self._fresh(v)) for v in variables)
            case Call(name, arguments, results):
                callee = self.program.procedures[name]
                given = [self._value(a, values) for a in arguments]
                shared = {v: values[v] for v in self.program.globals}
                stack = (*stack, _Frame(procedure, target, results, values))
                values = {**shared, **dict(zip(callee.parameters, given, strict=True))}
                procedure, target = callee, callee.entry
            case Return() if stack:
                frame, stack = stack[-1], stack[:-1]
                returned = [self._value(r, values) for r in procedure.returns]
                shared = {v: values[v] for v in self.program.globals}
                values = {**frame.locals, **shared, **dict(zip(frame.results, returned, strict=True))}
                procedure, target = frame.procedure, frame.location
        return _State(procedure, target, values, path, stack, state.steps + 1)
