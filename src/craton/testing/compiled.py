"""Testing the compiled program: it runs on inputs that its harness draws from seeds, or finds by learning from other
runs (`guided`), thousands of times faster than an interpreter would, and tells the inputs of a run that fails.

What the run shows counts only if the way to the error was a proper one: memory that the program must not touch would
make anything possible. So the interpreter repeats the run or, where it is too long for that, the address sanitizer
watches over it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from pathlib import Path

from craton.errors import CratonError
from craton.evidence.building import Failed, Job, build, limits
from craton.evidence.compiled import MEMORY, outline_of, run_compiled, written_job
from craton.evidence.harness import NOTHING_UNSPECIFIED, is_real
from craton.frontends.c.library.table import MODELLED
from craton.frontends.c.syntax.types import X87, CType, Floating, Record, Void
from craton.frontends.programs import Request, c_source
from craton.logic import BitVec, ops
from craton.logic.semantics import to_signed
from craton.logic.walk import post_order
from craton.processes.compilers import compilers
from craton.processes.running_time import running_time
from craton.processes.sandbox import run_replay
from craton.program.cfa import DEREF, OVERFLOW, UNREACH, Location, Program, Unmodelled
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError, StepLimit
from craton.program.statements import Assume, Input
from craton.testing import guided
from craton.verdicts.counterexample import Compiled, NotReached, Reached, ReadValue, Replay, as_number

MOST_INPUTS = 300_000  # of one run
MOST_RUNS = 100
MOST_CONSTANTS = 200
MOST_LOOKED_AT = 6  # failing runs
LONGEST = 0.06  # share of the time for one run …
SHORTEST = 0.5  # … but seconds at least
LONGEST_ON_ZEROS = 0.3  # share for the first; all the time if there are no inputs, and so no other runs
START = 0.8  # seconds that learning runs have before others begin: two searches
_REPEATED_STEPS = 2_000_000  # of the interpreter
_KINDS = frozenset((UNREACH.name, OVERFLOW.name))  # memory is the interpreter's business


@dataclass(frozen=True, slots=True)
class Failing:
    """A run of the compiled program that violates a property, and the inputs it has read."""

    violated: str
    replay: Replay
    reached: Reached


def can_test(request: Request, program: Program) -> bool:
    """Whether there is something to compile, and to compile it with."""
    kinds = {violated.name for violated in program.errors.values() if not isinstance(violated, Unmodelled)}
    return not any(name.endswith(".bpl") for name in request.files) and kinds <= _KINDS and bool(compilers())


class _Search(Enum):
    """Who has found a run that fails."""

    DRAWN = "inputs from a seed"  # the compiled program has failed in a process of its own
    GUIDED = "inputs learnt from other runs"  # in a process that ran it often: a suggestion only


class CannotTest(CratonError):
    """The program cannot be compiled here."""


def failing_inputs(request: Request, program: Program, seconds: float, seed: int = 0) -> Failing | None:
    """The first run that was found, if there is one."""
    begun = running_time()
    kinds = {p.name: location for location, p in program.errors.items() if not isinstance(p, Unmodelled)}
    known = _constants(program)
    for violated, location in kinds.items():
        for search, inputs in islice(_failing(request, violated, known, seed, begun + seconds), MOST_LOOKED_AT):
            found = Replay(location, inputs, ())
            where = _proper(request, program, found, violated, seconds - (running_time() - begun))
            if where is None:
                continue
            found, left = replace(found, location=where), seconds - (running_time() - begun)
            reached: Compiled = Reached(compilers()[0], len(inputs), running_time() - begun)
            if search is _Search.GUIDED:
                reached = run_compiled(request, program, found, violated, left)
            if isinstance(reached, Reached):
                return Failing(violated, found, reached)
    return None


def _failing(
    request: Request, violated: str, known: Sequence[int], first: int, deadline: float
) -> Iterator[tuple[_Search, tuple[ReadValue, ...]]]:
    """The inputs of runs that fail, and who has found them: those that learn from each other and those that draw their
    inputs from seeds take turns.
    """
    source = c_source(request)
    outline = outline_of(source)
    functions = [(Input(f.name, str(f.type.result)), f.type.result) for f in outline.functions]
    reads = any(
        f.function not in MODELLED and not is_real(f.function) and not isinstance(result, Void | Record)
        for f, result in functions
    )
    with tempfile.TemporaryDirectory(prefix="craton", ignore_cleanup_errors=True) as folder:
        try:
            nothing = Replay(Location(0), (), ())
            job = written_job(Path(folder), source, outline, nothing, violated, NOTHING_UNSPECIFIED)
        except (CratonError, OSError) as problem:
            raise CannotTest(str(problem)) from problem
        defines = (
            "-DCRATON_SUPERVISED",
            f"-DCRATON_DRAWN={MOST_INPUTS}",
            f"-DCRATON_KNOWN={','.join(map(str, known))}",
        )
        job = replace(job, defines=(*defines, *limits(job.data_model)))
        searches = {_Search.DRAWN: _drawn(job, reads, first, deadline)}
        if reads and guided.can_be_guided(compilers()[0]):
            searches = {_Search.GUIDED: guided.runs(job, compilers()[0], first, deadline), **searches}
        for search, said in _in_turns(searches):
            yield search, tuple(_read(said, functions))


def _in_turns(searches: Mapping[_Search, Iterator[list[str] | None]]) -> Iterator[tuple[_Search, list[str]]]:
    """What harnesses said of runs that fail. It is the turn of the search that has had the least time; those that learn
    have a start, as the first drawn run may take long.
    """
    used = {search: 0.0 if search is _Search.GUIDED else START for search in searches}
    while used:
        search = min(used, key=lambda each: used[each])
        begun = running_time()
        try:
            said = next(searches[search])
        except StopIteration:
            del used[search]
            continue
        used[search] += running_time() - begun
        if said is not None:
            yield search, said


def _drawn(job: Job, reads: bool, first: int, deadline: float) -> Iterator[list[str] | None]:
    """What the harnesses of runs on drawn inputs say if they fail; None for those that do not."""
    binary = build(job, compilers()[0], deadline)
    if isinstance(binary, Failed):
        raise CannotTest(binary.reason)
    for seed in range(MOST_RUNS if reads else 1):
        left = deadline - running_time()
        if left <= 0:
            return
        limit = max(SHORTEST, left * LONGEST) if seed else left * LONGEST_ON_ZEROS if reads else left
        _, said = run_replay(binary, min(limit, left), MEMORY, seed and first * MOST_RUNS + seed)
        if any(line[:1] in ("S", "U") for line in said) and not any(line[:1] == "R" for line in said):
            raise CannotTest("the compiled program cannot be confined, or calls what nobody defines")
        yield said if any(line[:1] == "R" for line in said) else None


def _read(said: Sequence[str], functions: Sequence[tuple[Input, CType]]) -> Iterator[ReadValue]:
    """The inputs that a harness told of: "function value function value …" in lines."""
    for line in said:
        if line[:1] == "I":
            words = line[1:].split()
            for function, digits in zip(words[::2], words[1::2], strict=True):
                source, t = functions[int(function, 16)]
                number = int.from_bytes(bytes.fromhex(digits), "little")
                if not isinstance(t, Floating):
                    yield ReadValue(source, number, BitVec(8 * t.size))
                    continue
                if t.sort == X87:  # has its leading bit in the open, and we do not
                    number = number >> 64 << 63 | number & ((1 << 63) - 1)
                yield ReadValue(source, number, t.sort)


def _constants(program: Program) -> list[int]:
    """Numbers that the program compares with: inputs like these decide more than others."""
    found: dict[int, None] = {0: None}
    for edge in program.edges():
        if isinstance(edge.statement, Assume):
            for term in post_order(edge.statement.condition):
                if term.op is ops.VALUE and isinstance(term.sort, BitVec) and term.sort.width in (8, 16, 32):
                    found[to_signed(term.sort.width, term.payload)] = None
    return [number for number in found if number > -(1 << 31)][:MOST_CONSTANTS]


def _proper(request: Request, program: Program, replay: Replay, violated: str, seconds: float) -> Location | None:
    """The error that the inputs lead to, if they do so without touching what is not the program's."""
    try:
        run = Interpreter(program).run(
            [as_number(read) for read in replay.inputs], step_limit=_REPEATED_STEPS, only_inputs=True
        )
    except (CannotRun, RecursionError):
        return None
    if isinstance(run.outcome, ReachedError):
        return run.outcome.location if run.outcome.violated.name == violated else None
    if not isinstance(run.outcome, StepLimit) or violated != UNREACH.name or program.left_out:
        return None  # which of several errors it is only the interpreter could say
    watched = run_compiled(request, program, replay, DEREF.name, seconds)
    return replay.location if isinstance(watched, NotReached) and watched.elsewhere else None
