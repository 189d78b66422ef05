"""Concrete execution of a program on given inputs.

Where the program leaves a value open (an uninitialised variable) it is zero, or drawn from the seed; where several
edges are enabled the first one is taken (programs of the C front end are deterministic but for their inputs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from craton.logic import Term
from craton.program.cfa import Location, Procedure, Program, Property, Unmodelled
from craton.program.execution.codegen import CannotRun
from craton.program.execution.open_values import Number, Outside, Source, nobody
from craton.program.execution.outcomes import Blocked, Exited, Outcome, ReachedError, ReachedUnmodelled, Run, StepLimit
from craton.program.execution.translation import CALL, ERROR, RETURN, STOP, Translation

NOTHING_KNOWN: Mapping[Term, Any] = {}


@dataclass(slots=True)
class _Machine:
    """One execution: globals, the frame of the procedure that runs, and the frames of those that wait for it, each with
    where to go on and what to do with the results (negative numbers are globals).
    """

    source: Source
    state: list[Any]
    frame: list[Any]
    waiting: list[tuple[list[Any], Location, tuple[int, ...]]] = field(default_factory=list)
    deepest: int = 0  # how many have waited at a time, at most


class Interpreter:
    """A program made ready to run any number of times.

    `seen` is told the values of the variables watched at a location, whenever control passes there.
    """

    def __init__(
        self,
        program: Program,
        *,
        record: bool = False,
        watched: Mapping[Location, tuple[Term, ...]] | None = None,
        seen: Callable[[Location, tuple[Any, ...]], None] = lambda location, values: None,
    ) -> None:
        self.program = program
        self.record = record
        self._translation = Translation(program, record=record, watched=watched or {}, seen=seen)
        self._trace: list[int] = []

    def run(
        self,
        inputs: Sequence[Number] = (),
        *,
        seed: int | None = None,
        step_limit: int = 10_000_000,
        only_inputs: bool = False,
        outside: Outside = nobody,
        start: Mapping[Term, Any] = NOTHING_KNOWN,
        favourites: Sequence[int] = (),
    ) -> Run:
        """With `only_inputs` the seed is for inputs; what the program leaves open besides is zero. Who is `outside` may
        answer for an input before the others are used. At the start, global variables and parameters have the values of
        `start`. What is drawn is mostly one of the `favourites`, if there are any.
        """
        source = Source(inputs, seed, only_inputs, outside, favourites)
        state = [start[one] if one in start else source.arbitrary(one.sort) for one in self.program.globals]
        self._translation.namespace.update(
            G=state, T=self._trace.append, read=source.input, arbitrary=source.arbitrary, fresh=count()
        )
        self._trace.clear()
        machine = _Machine(source, state, self._frame(self.program.main, source))
        for slot, parameter in enumerate(self.program.main.parameters):
            machine.frame[slot] = start.get(parameter, machine.frame[slot])
        outcome, steps = self._execute(machine, step_limit)
        final = {variable: state[i] for variable, i in self._translation.globals.items()}
        edges = tuple(self._translation.edges[i] for i in self._trace)
        return Run(outcome, steps, tuple(source.read), final, edges, tuple(source.sorts), machine.deepest)

    def _execute(self, machine: _Machine, step_limit: int) -> tuple[Outcome, int]:
        """Code that stays in a procedure says which code comes next; what it cannot say so is a tuple, for `_after`."""
        block = self._translation.block(self.program.main.entry)
        steps = 0
        while True:
            frame = machine.frame
            few = min(1024, step_limit - steps)
            for done in range(few):  # noqa: B007 (it is needed behind the loop)
                result = block(frame)
                if result.__class__ is tuple:
                    break
                block = result
            else:
                steps += few
                if steps >= step_limit:
                    return StepLimit(step_limit), steps
                continue
            steps += done + 1
            block = self._after(machine, result)
            if not callable(block):
                return block, steps
            if steps >= step_limit:
                return StepLimit(step_limit), steps

    def _after(self, machine: _Machine, result: tuple[Any, ...]) -> Any:
        """The code that comes next, or the outcome."""
        kind = result[0]
        if kind == CALL:
            return self._call(machine, result)
        if kind == RETURN:
            return self._return(machine, result[1])
        if kind == STOP:
            return Exited(None)
        if kind == ERROR:
            return _reached(result[1], self.program.errors[result[1]])
        return Blocked(result[1], result[2])

    def _call(self, machine: _Machine, result: tuple[Any, ...]) -> Any:
        _, name, arguments, back, results = result
        procedure = self.program.procedures.get(name)
        if procedure is None:
            raise CannotRun(f"procedure {name} is called but not defined")
        machine.waiting.append((machine.frame, back, results))
        machine.deepest = max(machine.deepest, len(machine.waiting))
        machine.frame = frame = self._frame(procedure, machine.source)
        frame[: len(arguments)] = arguments
        return self._translation.block(procedure.entry)

    def _return(self, machine: _Machine, procedure: Procedure) -> Any:
        slots, frame = self._translation.slots(procedure), machine.frame
        values = [frame[slots[term]] for term in procedure.returns]
        if not machine.waiting:
            return Exited(tuple(values))
        machine.frame, back, targets = machine.waiting.pop()
        for target, value in zip(targets, values, strict=True):
            if target < 0:
                machine.state[-1 - target] = value
            else:
                machine.frame[target] = value
        return self._translation.block(back)

    def _frame(self, procedure: Procedure, source: Source) -> list[Any]:
        """Locals, parameters first; all arbitrary."""
        if source.random is not None:
            return [source.arbitrary(variable.sort) for variable in self._translation.slots(procedure)]
        start, arrays = self._translation.start(procedure)
        frame = list(start)
        for slot, sort in arrays:
            frame[slot] = source.arbitrary(sort)
        return frame


def run(
    program: Program, inputs: Sequence[Number] = (), *, seed: int | None = None, step_limit: int = 10_000_000
) -> Run:
    """Runs a program once."""
    return Interpreter(program).run(inputs, seed=seed, step_limit=step_limit)


def _reached(location: Location, violated: Property) -> ReachedError | ReachedUnmodelled:
    return (
        ReachedUnmodelled(location, violated) if isinstance(violated, Unmodelled) else ReachedError(location, violated)
    )
