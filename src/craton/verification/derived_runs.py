"""From a derivation of false in the system of a program to the run that it is.

The steps of an activation are a chain of premises that ends where it was entered. A step behind a call has the summary
of the callee as its second premise: what happened inside is the chain that leads to it. An error inside of a call is
at the end of one chain through all activations that are open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from craton.horn.derivations import Derivation
from craton.horn.procedures import ProcedureSystem
from craton.logic import Model, Term
from craton.program.statements import Call
from craton.traces.execution import ExecutedStep, Execution, through

MOST_STEPS = 1_000_000  # of a run; what a derivation shares is executed each time


class TooLong(Exception):
    """The run has more steps than anybody would execute one by one."""


def run_of(made: ProcedureSystem, derivation: Derivation) -> Execution | None:
    """The run, statement by statement, with what was chosen on the way; None if the derivation is none."""
    return _Run(made, derivation).result()


class _Run:
    def __init__(self, made: ProcedureSystem, derivation: Derivation) -> None:
        self.made = made
        self.steps = derivation.steps
        program = made.program
        self.entries = {made.locations[procedure.entry] for procedure in program.procedures.values()}

    def result(self) -> Execution | None:
        taken: list[ExecutedStep] = []
        start: Mapping[Term, Any] | None = None
        for number, enters in self._in_order():
            values = dict(self.steps[number].values)
            edge = self.made.edges.get(self.steps[number].clause)
            if edge is None:
                continue
            if start is None:
                start = self._state(values)
            if enters is not None:
                taken.append(ExecutedStep(edge, self._begun(enters)))
            else:
                found = through(edge, values, values, Model({}))
                if found is None:
                    return None
                taken += found[0]
            if len(taken) > MOST_STEPS:
                raise TooLong
        return Execution(tuple(taken), start or {}, {}, Model({}))

    def _state(self, values: Mapping[Term, Any]) -> dict[Term, Any]:
        main = self.made.program.main
        own = frozenset((*self.made.program.globals, *main.parameters, *main.returns, *main.locals))
        return {v: value for v, value in values.items() if v in own}

    def _in_order(self) -> Iterator[tuple[int, int | None]]:
        """The numbers of steps as the run takes them; with those that enter a call, the first one inside of it."""
        waiting = [iter(self._chain(len(self.steps) - 1, through_calls=True))]
        while waiting:
            number = next(waiting[-1], None)
            if number is None:
                waiting.pop()
                continue
            step = self.steps[number]
            if len(step.premises) > 1:
                inside = self._chain(step.premises[-1], through_calls=False)
                yield number, inside[0]
                waiting.append(iter(inside[1:]))
            elif self._enters(number) and step.premises:
                yield number, number
            else:
                yield number, None

    def _chain(self, last: int, *, through_calls: bool) -> list[int]:
        """From the entry of an activation, or of the program, to a step of it."""
        found = [last]
        while self.steps[found[-1]].premises and (through_calls or not self._enters(found[-1])):
            found.append(self.steps[found[-1]].premises[0])
        return found[::-1]

    def _enters(self, number: int) -> bool:
        """Whether the step enters a procedure: it is of a call, or the first of all."""
        step = self.steps[number]
        if step.derived is None or step.derived.predicate not in self.entries:
            return False
        edge = self.made.edges.get(step.clause)
        return edge is None or isinstance(edge.statement, Call)

    def _begun(self, number: int) -> dict[Term, Any]:
        """What the own variables of a callee hold when it is entered."""
        derived = self.steps[number].derived
        assert derived is not None
        program = self.made.program
        for procedure in program.procedures.values():
            if self.made.locations[procedure.entry] == derived.predicate:
                state = self.made.state_of(procedure)
                held = zip(state, derived.values[len(derived.values) - len(state) :], strict=True)
                own = frozenset((*procedure.returns, *procedure.locals)) - frozenset(procedure.parameters)
                return {v: value for v, value in held if v in own}
        return {}
