"""The stage without an engine: the program runs on inputs drawn from seeds, compiled where that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.configuration.stages import Stage
from craton.frontends.programs import Request, is_boogie
from craton.processes.supervision import Report
from craton.program.activations import path_without_calls
from craton.program.cfa import Program
from craton.verdicts.counterexample import ReadValue, Replay
from craton.verdicts.verdict import Unknown, Verdict, violated
from craton.verification.confirmation import confirmed_violation
from craton.verification.context import Context
from craton.verification.isolation import NotDone, within

if TYPE_CHECKING:
    from craton.testing.compiled import Failing

_USUAL_SECONDS = 10.0  # where there is no limit
_NONE_FAILED = "no test failed"


def tested(context: Context, stage: Stage, program: Program, seconds: float | None) -> Verdict:
    """A violation, or that no test has shown one. The program is the whole one; its calls may be inlined or not."""
    from craton.testing.compiled import can_test

    request = context.request
    if request is not None and context.confirm and can_test(request, program):
        verdict = _compiled(context, stage, request, program, seconds)
        if verdict is not None:
            return verdict
    return _interpreted(context, stage, program, seconds)


def _compiled(
    context: Context, stage: Stage, request: Request, program: Program, seconds: float | None
) -> Verdict | None:
    """None if the program cannot be compiled here. What fails here was run in the compiled program already."""
    from dataclasses import replace

    from craton.testing.compiled import CannotTest, failing_inputs

    limit = _USUAL_SECONDS if seconds is None else seconds

    def work(report: Report) -> Failing | CannotTest | None:
        try:
            return failing_inputs(request, program, limit, stage.seed)
        except CannotTest as problem:
            return problem

    with context.statistics.spending("testing"):
        failing = within(limit, work)
    if isinstance(failing, CannotTest):
        return None
    if isinstance(failing, NotDone):
        return Unknown(failing.reason, failing.limit)
    if failing is None or program.over_approximated:
        return Unknown(_NONE_FAILED)
    return replace(violated(failing.replay, program), compiled=failing.reached)


def _interpreted(context: Context, stage: Stage, program: Program, seconds: float | None) -> Verdict:
    from craton.program.execution.outcomes import ReachedError
    from craton.testing.interpreted import failing_run

    with context.statistics.spending("testing"):
        # Where nothing can be compiled, the path is wanted, for a second judge.
        judged = context.request is not None and is_boogie(context.request)
        run = within(seconds, lambda report: failing_run(program, seconds, stage.seed, with_path=judged))
    if isinstance(run, NotDone):
        return Unknown(run.reason, run.limit)
    if run is None or not isinstance(run.outcome, ReachedError):
        return Unknown(_NONE_FAILED)
    if program.over_approximated:
        return Unknown("a test failed, but functions stand for more than the program means")
    inputs = tuple(ReadValue(*read, sort) for read, sort in zip(run.inputs, run.sorts, strict=True))
    path = path_without_calls(program, run.edges)
    return confirmed_violation(context, violated(Replay(run.outcome.location, inputs, path), program), program)
