"""A run may veto a proof: beside the first stages the program itself is compiled and run, on drawn inputs, and what it
does counts more than what Craton makes of its text.

It begins with loading, so that small programs do not wait for it, and takes a tenth of the time at most.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from craton.errors import CratonError
from craton.frontends.programs import CSource, Request, c_source
from craton.logic import BitVec
from craton.logic.semantics import to_signed
from craton.processes.supervision import Done, Report, Worker
from craton.program.cfa import Program
from craton.testing.native_violation import NativeViolation, News
from craton.verdicts.counterexample import Reached, ReadValue, Replay, Surroundings, as_number
from craton.verdicts.verdict import Unknown, Violated, violated

if TYPE_CHECKING:
    from craton.program.execution.outcomes import ReachedError

_COMPILERS = ("cc", "gcc", "clang")
_SHARE = 0.1  # of the time of a run
_USUAL_SECONDS = 6.0  # where there is no limit
_LEAST_SECONDS = 0.5
# Seconds from the start until a proof stops waiting for the first runs: 0.3 on an idle machine. A program that is not
# compiled by then is not tried.
_FIRST_RUNS = 4.0
_CLOSER_LOOK = 4.0  # seconds that it waits for more about a run that violates the property
_STEPS = 6_000_000  # of the interpreter: three seconds
_MOST_TOLD = 10  # inputs in a sentence


class Veto:
    """Runs of the compiled program in a process of their own."""

    def __init__(self, source: CSource, directory: Path, seconds: float) -> None:
        def work(report: Report) -> NativeViolation | None:
            from craton.testing.native import native_violation

            return native_violation(source, directory, seconds, report)

        begun = time.monotonic()
        self._worker = Worker(work)
        self._deadline = begun + max(seconds, _FIRST_RUNS)
        self._has_run = False  # often enough for a proof to stand
        self._suspected: NativeViolation | None = None  # and looked at more closely just now
        self._violation: NativeViolation | None = None

    @property
    def violation(self) -> NativeViolation | None:
        """What is known now; waits for nothing."""
        self._hear()
        return self._violation

    def last_word(self) -> NativeViolation | None:
        """After the first runs, unless they take far too long; what is suspected counts if it is not withdrawn soon."""
        suspected = time.monotonic() + _CLOSER_LOOK
        while not self._hear() and time.monotonic() < (self._deadline if self._suspected is None else suspected):
            self._worker.wait()
        return self._violation or self._suspected

    def end(self) -> None:
        self._worker.end()

    def _hear(self) -> bool:
        """Whether a proof need wait no longer."""
        if self._violation is not None:
            return True
        ending = self._worker.poll()
        for news in self._worker.receive():
            self._has_run |= news is News.ENOUGH
            self._suspected = news if isinstance(news, NativeViolation) else None
        if ending is not None:
            self._violation = ending.value if isinstance(ending, Done) else self._suspected
            self._suspected = None
        return ending is not None or (self._has_run and self._suspected is None)


@contextmanager
def veto_beside(request: Request | None, seconds: float | None, *, wanted: bool = True) -> Iterator[Veto | None]:
    """The runs, as long as the context lasts; None where there is nothing to compile."""
    source = _compilable(request) if wanted and request is not None else None
    if source is None:
        yield None
        return
    budget = _USUAL_SECONDS if seconds is None else max(_LEAST_SECONDS, _SHARE * seconds)
    with tempfile.TemporaryDirectory(prefix="craton", ignore_cleanup_errors=True) as folder:
        veto = Veto(source, Path(folder), budget)
        try:
            yield veto
        finally:
            veto.end()


def _compilable(request: Request) -> CSource | None:
    if any(name.endswith((".bpl", ".smt2")) for name in request.files) or not any(map(shutil.which, _COMPILERS)):
        return None
    try:
        return c_source(request)
    except CratonError:  # loading says it better
        return None


def shown_by_model(found: NativeViolation, program: Program) -> Violated | None:
    """The violation, if the interpreter comes to it on the same inputs, too. The program is the whole one."""
    outcome = None if program.over_approximated else _error_on(found, program)
    if outcome is None or outcome.violated.name != found.violated:
        return None
    verdict = violated(Replay(outcome.location, found.inputs, (), surroundings=found.surroundings), program)
    return Violated(
        verdict.property, verdict.place, verdict.replay, Reached(found.compiler, len(found.inputs), found.seconds)
    )


def violates_what_was_left_out(found: NativeViolation, program: Program) -> bool:
    """Whether the run violates a check that was not asked for, says the interpreter. The program is as loaded."""
    if not program.left_out:
        return False
    reached = _error_on(found, replace(program, errors={**program.errors, **program.left_out}))
    return reached is not None and reached.location in program.left_out


def _error_on(found: NativeViolation, program: Program) -> ReachedError | None:
    """The error that the interpreter comes to on the same inputs, in the same surroundings. If it does not come to one
    there, as the model of the library leaves open what a text holds, the run without them counts where there is but
    one error that can be meant.
    """
    around = found.surroundings
    reached = _error_in(found, program, around) if around else None
    if reached is not None or (around and _choices(found, program) > 1):
        return reached
    return _error_in(found, program, None)


def _choices(found: NativeViolation, program: Program) -> int:
    return sum(one.name == found.violated for one in program.errors.values())


def _error_in(found: NativeViolation, program: Program, around: Surroundings | None) -> ReachedError | None:
    from craton.evidence.typed_input import run_around
    from craton.program.execution.codegen import CannotRun
    from craton.program.execution.interpreter import Interpreter
    from craton.program.execution.outcomes import ReachedError

    numbers = [as_number(read) for read in found.inputs]
    try:
        if around is None:
            run = Interpreter(program).run(numbers, step_limit=_STEPS, only_inputs=True)
        else:
            run = run_around(program, numbers, around, _STEPS).run
    except (CannotRun, RecursionError):
        return None
    return run.outcome if isinstance(run.outcome, ReachedError) else None


def disagreement(found: NativeViolation) -> Unknown:
    """The program violates what the model has been shown to keep."""
    inputs = ", ".join(f"{read.source.function}() = {_number(read)}" for read in found.inputs[:_MOST_TOLD])
    more = ", …" if len(found.inputs) > _MOST_TOLD else ""
    on = f"on the inputs {inputs}{more}" if inputs else "without any input"
    return Unknown(
        f"program and model disagree: the model was proved, but the program compiled with {found.compiler} violates "
        f"{found.violated} {on} ({found.propriety.value}); please report it"
    )


def _number(read: ReadValue) -> str:
    if isinstance(read.sort, BitVec):
        unsigned = "unsigned" in read.source.type or read.source.type in ("_Bool", "void *")
        return str(read.value if unsigned else to_signed(read.sort.width, read.value))
    return str(float(as_number(read)))
