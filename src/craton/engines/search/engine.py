"""A search for errors among states of values: the program's steps as C, compiled with the compiler that is there.

A reactive program whose error takes dozens of inputs is hopeless for formulas, and for inputs that are drawn. But it
has few kinds of states, and a compiled step takes a microsecond: states are explored breadth first, for all inputs that
the program tells apart (`candidates`), each kind of state in its turn (`search.c`). What is found is repeated by the
interpreter, so nothing of this is trusted; what is not found shows nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, Unknown, Unsafe, does_not_fit
from craton.engines.search.step_text import HEADER, StepText
from craton.logic import Model, Term, evaluate
from craton.logic.semantics import Value
from craton.processes.compilers import compilers
from craton.processes.running_time import counts_work
from craton.processes.sandbox import run_tool
from craton.program.cfa import Program
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.statements import Havoc, Input
from craton.program.transitions import chosen_value
from craton.traces.trace import Trace

MOST_STATES = 3_000_000
MEMORY = 1 << 30  # bytes for the search, and for the compiler
USUAL_SECONDS = 60.0  # where there is no limit
MOST_EDGES = 100_000  # of a trace that is told
_LARGE = 1200  # statements, from which on the compiler is not to take its time
_SEARCH = (Path(__file__).parent / "search.c").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Search(Engine):
    """States of values by compiled steps, for the inputs that the program tells apart; finds errors only."""

    word: ClassVar[str] = "search"

    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        if counts_work():
            return does_not_fit("how far compiled steps come depends on the machine")
        if not compilers():
            return does_not_fit("there is no C compiler")
        try:
            steps = StepText(program)
            text = steps.text()
            found = _searched(text, len(steps.edges), budget)
            return found if isinstance(found, Unknown) else _told(program, found)
        except CannotRun as problem:
            return does_not_fit(str(problem))


def _searched(text: str, size: int, budget: Budget) -> Sequence[int] | Unknown:
    """The inputs on the way to an error."""
    with tempfile.TemporaryDirectory(prefix="craton", ignore_cleanup_errors=True) as folder:
        directory = Path(folder)
        (directory / "step.h").write_text(text, encoding="utf-8")
        (directory / "search.c").write_text(
            f"{HEADER}enum {{ MOST_STATES = {MOST_STATES} }};\n{_SEARCH}", encoding="utf-8"
        )
        optimised = "-O0" if size > _LARGE else "-O1"
        command = (compilers()[0], "-w", optimised, "-fno-strict-aliasing", "search.c", "-o", "search")
        ending, _ = run_tool(command, directory, _left(budget), MEMORY)
        if ending.code != 0:
            return Unknown(f"steps were not compiled: {compilers()[0]} {ending}")
        ending, said = run_tool((str(directory / "search"),), directory, _left(budget), MEMORY)
    words = said.split()
    if ending.code != 0 or not words:
        return Unknown(f"the search for errors {ending}")
    budget.statistics.states += int(words[1])
    if words[0] == "error":
        return [int(word) for word in words[3:]]
    return Unknown(f"no error among {words[1]} states")


def _left(budget: Budget) -> float:
    budget.check()
    return USUAL_SECONDS if budget.left is None else budget.left


def _told(program: Program, inputs: Sequence[int]) -> EngineAnswer:
    """The error trace of a run on these inputs, with the values that are chosen on it as a model of its formula."""
    run = Interpreter(program, record=True).run(inputs, only_inputs=True)
    if not isinstance(run.outcome, ReachedError):
        return Unknown(f"the search found an error, but the interpreter says: {run.outcome}")
    if len(run.edges) > MOST_EDGES:
        return Unknown(f"the search found an error, but {len(run.edges)} statements are too many for a trace")
    trace = Trace(run.edges)
    return Unsafe(trace, _model(trace, iter(inputs)))


def _model(trace: Trace, inputs: Iterator[int]) -> Model:
    """Of its formula: with these inputs, and zero for all else that is open."""
    found: dict[Term, Value] = {}
    now: dict[Term, Value] = {}
    for number, (edge, step) in enumerate(zip(trace.edges, trace.steps, strict=True)):
        if isinstance(edge.statement, Havoc) and isinstance(edge.statement.source, Input):
            chosen: dict[Term, Value] = {chosen_value(x, 0): next(inputs) for x in edge.statement.variables}
            now |= chosen
            found |= {indexed: chosen[x] for x, indexed in trace.formula.inputs[number].items()}
        elif isinstance(edge.statement, Havoc):
            now |= {x: Model({})[x] for x in step.inputs}
        after = {x: evaluate(value, now) for x, value in step.updates.items()}
        now |= after
        found |= {trace.formula.indices[number + 1][x]: value for x, value in after.items()}
    return Model(found)
