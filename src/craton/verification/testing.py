"""The stage without an engine: the program runs on inputs drawn from seeds, compiled where that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.configuration.stages import Stage
from craton.frontends.programs import Request, is_boogie
from craton.processes.supervision import Report
from craton.program.activations import path_without_calls
from craton.program.cfa import Location, Program
from craton.program.transformation import unchanged
from craton.verdicts.counterexample import ReadValue, Replay
from craton.verdicts.verdict import Unknown, Verdict, Violated, violated
from craton.verification.confirmation import confirmed_violation
from craton.verification.context import Context
from craton.verification.isolation import NotDone, within

if TYPE_CHECKING:
    from craton.program.execution.outcomes import Run
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
    """Where values that the program leaves open have led to an error, and cannot be found out, inputs alone may do."""
    # Where nothing can be compiled, the path is wanted, for a second judge.
    judged = context.request is not None and is_boogie(context.request)
    verdict: Verdict = Unknown(_NONE_FAILED)
    for opened in (False,) if judged or len(program.procedures) > 1 else (True, False):
        found = _failing_run(context, stage, program, seconds, with_path=judged, opened=opened)
        if isinstance(found, Unknown):
            return found
        if not found.only_inputs:
            verdict = _with_open_values(context, program, found)
            if isinstance(verdict, Violated):
                return verdict
            continue
        inputs = tuple(ReadValue(*read, sort) for read, sort in zip(found.inputs, found.sorts, strict=True))
        path = path_without_calls(program, found.edges)
        return confirmed_violation(context, violated(Replay(_error(found), inputs, path), program), program)
    return verdict


def _failing_run(
    context: Context, stage: Stage, program: Program, seconds: float | None, *, with_path: bool, opened: bool
) -> Run | Unknown:
    """Or why there is none."""
    from craton.program.execution.outcomes import ReachedError
    from craton.testing.interpreted import failing_run

    def work(report: Report) -> Run | None:
        return failing_run(program, seconds, stage.seed, with_path=with_path, opened=opened)

    with context.statistics.spending("testing"):
        run = within(seconds, work)
    if isinstance(run, NotDone):
        return Unknown(run.reason, run.limit)
    if run is None or not isinstance(run.outcome, ReachedError):
        return Unknown(_NONE_FAILED)
    if program.over_approximated:
        return Unknown("a test failed, but functions stand for more than the program means")
    return run


def _error(run: Run) -> Location:
    from craton.program.execution.outcomes import ReachedError

    assert isinstance(run.outcome, ReachedError)
    return run.outcome.location


def _with_open_values(context: Context, program: Program, run: Run) -> Verdict:
    """What the way of a run shows, on which the program leaves values open: a solver says which they may be."""
    from craton.traces.execution import execution
    from craton.traces.feasibility import feasible
    from craton.traces.refutation import Feasible
    from craton.traces.trace import Trace
    from craton.verification.confirmation import replayed

    trace, left = Trace(run.edges), context.time_to_confirm
    with context.statistics.spending("testing"):
        found = within(left, lambda report: feasible(trace, left))
    if isinstance(found, NotDone):
        return Unknown(found.reason, found.limit)
    chosen = execution(trace, found.model) if isinstance(found, Feasible) else None
    if chosen is None:
        return Unknown("a test failed on values that the program leaves open, and nobody knows which")
    return replayed(context, program, chosen, unchanged(program))
