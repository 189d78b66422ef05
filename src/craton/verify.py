"""The spine: load a program, look at it through a view, run an engine, confirm its answer, say it.

A run is a list of stages, each an engine with a refiner and a view of the program, with a share of the time. The first
answer that is confirmed is the verdict: a proof whose every condition a second solver has shown on the bit-precise
program, or inputs on which the compiled program reaches the error. What is not confirmed is not said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from craton.configuration.engines import TESTING, make_engine
from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Engine, Progress, Safe, Statistics, Unknown, Verdict
from craton.errors import CratonError
from craton.evidence.checker import Checked, Flaw, check_proof, others
from craton.evidence.replay import ReadValue, Replay, replay
from craton.frontends.programs import Request, load_program
from craton.logic import TRUE, Term, functions
from craton.logic.evaluation import CannotEvaluate
from craton.processes.limits import Limits
from craton.processes.supervision import Ended, Failed, Report, supervise
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.preparation import Prepared, prepare
from craton.program.statements import Block, Call
from craton.program.transformation import Transformed, unchanged
from craton.program.transitions import transition
from craton.traces.execution import Execution, execution
from craton.traces.trace import Trace

if TYPE_CHECKING:
    from craton.evidence.compiled import Compiled
    from craton.testing.compiled import Failing
    from craton.views import View

T = TypeVar("T")

RECURSION_DEPTHS = (2, 4, 7)  # how many calls may be open, tried one after the other
_CONFIRM_SECONDS, _CONFIRM_SHARE = 3.0, 0.4  # for confirming one answer, of the time that is left
_TESTING_SECONDS = 10.0  # where there is no limit
_TELL = 0.1  # seconds between two reports of progress
_GRACE = 0.5  # seconds for an engine to notice that its time is over
MOST_RECURSION_EDGES = 20_000  # no deeper when the program gets larger than this


@dataclass(frozen=True, slots=True)
class Proof:
    """Invariants of the prepared program in blocks of a size; the solver that found them and who has checked them."""

    program: Program
    blocks: int | None
    invariants: Mapping[Location, Term] = field(repr=False)
    found_with: str
    checked_by: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Result:
    """What a run says. `verdict` is in the words of result files: true, false(unreach-call), unknown."""

    verdict: str
    reason: str = ""
    stage: str = ""
    proof: Proof | None = None
    replay: Replay | None = None
    compiled: Compiled | None = None  # what came of running the replay in the compiled program
    confirmed: bool = True
    program: Program | None = field(default=None, repr=False)  # that the verdict is about
    assumptions: tuple[str, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)
    seconds: float = 0.0

    @property
    def is_true(self) -> bool:
        return self.verdict == "true"

    @property
    def is_false(self) -> bool:
        return self.verdict.startswith("false")

    @property
    def violated(self) -> str:
        """The property, as in false(unreach-call)."""
        return self.verdict.partition("(")[2].rstrip(")")


class StagePrograms:
    """A prepared program as stages see it: through views, in blocks. Each is made once for all stages."""

    def __init__(self, prepared: Prepared) -> None:
        self.whole = prepared.whole
        self.small = prepared.small
        self._views: dict[tuple[str, str], View | None] = {}
        self._blocks: dict[tuple[str, str, int | None], Transformed] = {}

    def view(self, stage: Stage) -> View | None:
        """What the stage looks at the program through; None for the bits themselves."""
        key = stage.encoding, stage.floats
        if key not in self._views:
            self._views[key] = None if stage.in_bits else _view(self.small.program, stage)
        return self._views[key]

    def blocks(self, stage: Stage, size: int | None) -> Transformed:
        """The program as the stage sees it, in blocks of a size."""
        key = stage.encoding, stage.floats, size
        if key not in self._blocks:
            view = self.view(stage)
            encoded = encode_blocks(self.small.program if view is None else view.program, size)
            for edge in encoded.program.main.edges:
                if isinstance(edge.statement, Block):
                    transition(edge.statement)  # here, where all stages get it, and not in each of their processes
            self._blocks[key] = encoded
        return self._blocks[key]


def verify(
    request: Request,
    stages: Sequence[Stage],
    seconds: float | None = None,
    watch: Callable[[Progress, Statistics], None] = lambda progress, statistics: None,
    *,
    confirm: bool = True,
) -> Result:
    """The verdict on a program. The limit is of time; those who must keep it run this in a process they can end.

    Without `confirm` an engine's word is enough, and the result says that it is not confirmed.
    """
    started = time.monotonic()
    statistics = Statistics()
    with statistics.spending("loading"):
        program = load_program(request)
    return _verified(_Run(program, stages, started, seconds, statistics, watch, request, confirm))


def verify_program(program: Program, stages: Sequence[Stage], seconds: float | None = None) -> Result:
    """The verdict on a program that is loaded already, such as one with hints from a witness. Without its text there is
    nothing to compile: a counterexample is replayed by the interpreter only.
    """
    run = _Run(program, stages, time.monotonic(), seconds, Statistics(), lambda progress, statistics: None, None, True)
    return _verified(run)


def run_for_real(result: Result, request: Request, program: Program, seconds: float | None) -> Result:
    """A counterexample that the interpreter has replayed, run in the compiled program: it counts unless that does
    something else.
    """
    from craton.evidence.compiled import NotCompiled, NotReached, run_compiled

    assert result.replay is not None
    compiled = run_compiled(request, program, result.replay, result.violated, seconds)
    if isinstance(compiled, NotCompiled) and program.approximated:
        named = ", ".join(program.approximated[:3])
        why = f"a counterexample was found, but {named} may have other results in C, and {compiled.reason}"
        return Result("unknown", why, result.stage)
    if not isinstance(compiled, NotReached):
        return replace(result, compiled=compiled)
    if compiled.late:
        why = f"evidence incomplete: the interpreter replays a counterexample, but {compiled.reason}"
    else:
        why = f"a counterexample was found, but {compiled.reason}"
    return Result("unknown", why, result.stage)


def _verified(run: _Run) -> Result:
    result = run.result()
    used = time.monotonic() - run.started
    program = run.program
    return replace(result, program=program, assumptions=program.assumptions, statistics=run.statistics, seconds=used)


class _Run:
    def __init__(
        self,
        program: Program,
        stages: Sequence[Stage],
        started: float,
        seconds: float | None,
        statistics: Statistics,
        watch: Callable[[Progress, Statistics], None],
        request: Request | None,
        confirm: bool,
    ) -> None:
        self.program = program
        self.stages = stages
        self.started = started
        self.seconds = seconds
        self.statistics = statistics
        self.watch = watch
        self.request = request
        self.confirm = confirm

    @property
    def left(self) -> float | None:
        return None if self.seconds is None else self.seconds - (time.monotonic() - self.started)

    def result(self) -> Result:
        recursive = recursive_procedures(self.program)
        if recursive:
            return self._recursive(recursive)
        with self.statistics.spending("passes"):
            programs = StagePrograms(prepare(self.program))
        calls = [e.statement.procedure for e in programs.whole.main.edges if isinstance(e.statement, Call)]
        if calls:
            return Result("unknown", f"the program is too large to inline its calls (of {calls[0]} among others)")
        return self._staged(programs)

    def _recursive(self, procedures: Sequence[str]) -> Result:
        """Only errors can be found, up to a bound."""
        from craton.program.unrolling import unroll_recursion

        named = ", ".join(procedures)
        for number, depth in enumerate(RECURSION_DEPTHS):
            with self.statistics.spending("passes"):
                bounded = StagePrograms(prepare(unroll_recursion(self.program, depth)))
            if number and len(bounded.whole.main.edges) > MOST_RECURSION_EDGES:
                break
            share = None if self.left is None else self.left / (len(RECURSION_DEPTHS) - number)
            result = self._staged(bounded, share)
            if result.is_false:
                return result
        return Result("unknown", f"recursion is not supported beyond a bound: {named}")

    def _staged(self, programs: StagePrograms, seconds: float | None = None) -> Result:
        if not programs.small.program.errors:
            program = encode_blocks(programs.small.program).program
            trivial = dict.fromkeys(program.main.locations, TRUE)
            return Result("true", stage="reachability", proof=Proof(program, None, trivial, "", "", 0))
        reasons: list[str] = []
        total = seconds if seconds is not None else self.left
        weights = sum(stage.share for stage in self.stages)
        for stage in self.stages:
            left = self.left if total is None or self.left is None else min(total, self.left)
            if left is not None and left <= 0:
                reasons.append("out of time")
                break
            limits = (stage.seconds, None if left is None else left * stage.share / weights)
            limit = min((seconds for seconds in limits if seconds is not None), default=None)
            weights -= stage.share
            begun = time.monotonic()
            try:
                result = self._stage(stage, programs, limit)
            except CannotEvaluate as problem:
                result = Result("unknown", f"a counterexample was found, but cannot be replayed: {problem}", stage.name)
            if total is not None:
                total -= time.monotonic() - begun
            if result.verdict != "unknown":
                return result
            reasons.append(f"{stage.name}: {result.reason}" if len(self.stages) > 1 else result.reason)
        return Result("unknown", "; ".join(dict.fromkeys(reasons)))

    def _stage(self, stage: Stage, programs: StagePrograms, seconds: float | None) -> Result:
        if stage.engine == TESTING:
            return self._tested(stage, programs, seconds)
        engine = make_engine(stage)
        view: View | None = None
        if not stage.in_bits:
            with self.statistics.spending("views"):
                view = programs.view(stage)
        with self.statistics.spending("passes"):
            blocks = programs.blocks(stage, engine.blocks)
        # What was prepared is for later stages, too, and does not count.
        limit = seconds if seconds is None or self.left is None else min(seconds, self.left)
        verdict = self._apart(engine, blocks.program, limit)
        if isinstance(verdict, Unknown):
            return Result("unknown", verdict.reason, stage.name)
        if isinstance(verdict, Safe):
            if view is None:
                return self._confirmed_proof(stage, blocks.program, engine.blocks, verdict)
            return self._proof_in_bits(stage, view, programs, verdict)
        run = execution(verdict.trace, verdict.model)
        if view is None:
            return self._confirmed_run(stage, programs, run, blocks)
        return self._run_in_bits(stage, view, programs, run, blocks)

    def _tested(self, stage: Stage, programs: StagePrograms, seconds: float | None) -> Result:
        from craton.program.interpreter import ReachedError
        from craton.testing.compiled import can_test
        from craton.testing.interpreted import failing_run

        if self.request is not None and self.confirm and can_test(self.request, programs.whole):
            answer = self._tested_compiled(stage, self.request, programs.whole, seconds)
            if answer is not None:
                return answer
        with self.statistics.spending("testing"):
            run = _within(seconds, lambda report: failing_run(programs.whole, seconds, stage.seed))
        if isinstance(run, Unknown):
            return Result("unknown", run.reason, stage.name)
        if run is None or not isinstance(run.outcome, ReachedError):
            return Result("unknown", "no test failed", stage.name)
        inputs = tuple(ReadValue(*read, sort) for read, sort in zip(run.inputs, run.sorts, strict=True))
        if programs.whole.over_approximated:
            return Result("unknown", "a test failed, but functions stand for more than the program means", stage.name)
        found = Replay(run.outcome.location, inputs, ())
        return self._false(Result(f"false({run.outcome.violated})", stage=stage.name, replay=found), programs.whole)

    def _tested_compiled(
        self, stage: Stage, request: Request, program: Program, seconds: float | None
    ) -> Result | None:
        """None if the program cannot be compiled here."""
        from craton.testing.compiled import CannotTest, failing_inputs

        limit = _TESTING_SECONDS if seconds is None else seconds

        def work(report: Report) -> Failing | CannotTest | None:
            try:
                return failing_inputs(request, program, limit, stage.seed)
            except CannotTest as problem:
                return problem

        with self.statistics.spending("testing"):
            failing = _within(limit, work)
        if isinstance(failing, CannotTest):
            return None
        if isinstance(failing, Unknown):
            return Result("unknown", failing.reason, stage.name)
        if failing is None or program.over_approximated:
            return Result("unknown", "no test failed", stage.name)
        verdict = f"false({failing.violated})"
        return Result(verdict, stage=stage.name, replay=failing.replay, compiled=failing.reached)

    def _apart(self, engine: Engine, program: Program, seconds: float | None) -> Verdict:
        def work(report: Report) -> tuple[Verdict, Statistics]:
            told = 0.0

            def tell(progress: Progress) -> None:  # a few times a second: more is of use to nobody, and costs
                nonlocal told
                if time.monotonic() - told >= _TELL:
                    told = time.monotonic()
                    report((progress, self.statistics))

            return engine.run(program, Budget(seconds, tell, statistics=self.statistics)), self.statistics

        def heard(content: Any) -> None:
            progress, self.statistics = content
            self.watch(progress, self.statistics)

        answer = _within(seconds, work, heard)
        if isinstance(answer, Unknown):
            return answer
        verdict: Verdict
        verdict, self.statistics = answer
        return verdict

    def _proof_in_bits(self, stage: Stage, view: View, programs: StagePrograms, found: Safe) -> Result:
        """A proof found in a view counts only if it is one of the bit-precise program."""
        from craton.engines import houdini

        blocks = programs.blocks(Stage(), None).program
        with self.statistics.spending("views"):
            translated = {
                location: view.weaker_in_bits(found.invariants[location])
                for location in blocks.main.locations
                if location in found.invariants
            }
        result = self._confirmed_proof(stage, blocks, None, Safe(translated, found.by))
        if result.is_true:
            return result
        with self.statistics.spending("repairing a proof"):
            left = _part_of(self.left)
            better = _within(left, lambda report: houdini.repaired(blocks, translated, Budget(left)))
        if isinstance(better, Unknown):
            return result
        return self._confirmed_proof(stage, blocks, None, Safe(better, houdini.SOLVER))

    def _confirmed_proof(self, stage: Stage, program: Program, size: int | None, found: Safe) -> Result:
        if not self.confirm and stage.in_bits:  # of a view nothing is known until bits have been asked
            return Result(
                "true", stage=stage.name, proof=Proof(program, size, found.invariants, found.by, "", 0), confirmed=False
            )
        begun = time.monotonic()
        checkers = others(found.by)
        with self.statistics.spending("checking the proof"):
            left = _part_of(self.left)
            checked = _within(left, lambda report: check_proof(program, found.invariants, checkers, left))
        if not isinstance(checked, Checked):
            why = checked.problem if isinstance(checked, Flaw) else checked.reason
            if isinstance(checked, Flaw) and checked.decided:
                return Result("unknown", f"a proof was found but not confirmed: {why}", stage.name)
            return Result("unknown", f"evidence incomplete: a proof was found, but {why}", stage.name)
        by = " and ".join(checked.by) or "simplification alone"
        proof = Proof(program, size, found.invariants, found.by, by, time.monotonic() - begun)
        return Result("true", stage=stage.name, proof=proof)

    def _run_in_bits(
        self, stage: Stage, view: View, programs: StagePrograms, run: Execution | None, blocks: Transformed
    ) -> Result:
        """A counterexample found in a view counts only if its path is feasible in bits."""
        if run is None:
            return Result("unknown", "a counterexample was found, but no execution fits its model", stage.name)
        from craton.traces.feasibility import feasible

        back = view.transformed.then(blocks)
        trace = Trace(tuple(old for step in run.steps for old in back.original_edges(step.edge)))
        with self.statistics.spending("counterexamples in bits"):
            left = _part_of(self.left)
            model = _within(left, lambda report: feasible(trace, left))
        if isinstance(model, Unknown):
            return Result("unknown", f"a counterexample of the view was found, but in bits: {model.reason}", stage.name)
        if model is None:
            return Result("unknown", "the counterexample of the view is not one of the bit-precise program", stage.name)
        return self._confirmed_run(stage, programs, execution(trace, model), unchanged(programs.small.program))

    def _confirmed_run(
        self, stage: Stage, programs: StagePrograms, run: Execution | None, later: Transformed
    ) -> Result:
        if run is None:
            return Result("unknown", "a counterexample was found, but no execution fits its model", stage.name)
        with self.statistics.spending("replay"):
            found = replay(programs.whole, run, programs.small.then(later))
        if found is None:
            return Result("unknown", "a counterexample was found, but its replay reaches no error", stage.name)
        loose = _over_approximated_functions(found.edges, programs.whole)
        if loose:
            return Result(
                "unknown", f"the counterexample found uses {loose}, which stands for any function", stage.name
            )
        violated = programs.whole.errors[found.location]
        return self._false(Result(f"false({violated})", stage=stage.name, replay=found), programs.whole)

    def _false(self, result: Result, program: Program) -> Result:
        if not self.confirm:
            return replace(result, confirmed=False)
        if self.request is None:
            return result
        with self.statistics.spending("compiled replay"):
            return run_for_real(result, self.request, program, _part_of(self.left))


def _within(
    seconds: float | None, work: Callable[[Report], T], heard: Callable[[Any], None] = lambda content: None
) -> T | Unknown:
    """Work in a process of its own: a solver that hangs or dies costs its own share only."""
    ending = supervise(work, Limits(None if seconds is None else max(0.0, seconds) + _GRACE), heard)
    if isinstance(ending, Ended):
        return Unknown(ending.reason)
    if isinstance(ending, Failed):
        known = isinstance(ending.error, CratonError)
        return Unknown(str(ending.error) if known else f"internal error: {ending.error!r}, please report it")
    value: T = ending.value
    return value


def _over_approximated_functions(edges: Sequence[Edge], program: Program) -> str:
    """The first function on the way that stands for more than the source means; "" if there is none."""
    if program.over_approximated:
        for edge in edges:
            statement = edge.statement
            for term in (getattr(statement, "condition", TRUE), getattr(statement, "value", TRUE)):
                for function in functions(term):
                    if function.name in program.over_approximated:
                        return function.name
    return ""


def _part_of(left: float | None) -> float | None:
    """The time to confirm an answer: not all, since another stage may find one that is easier to confirm."""
    return None if left is None else min(left, max(_CONFIRM_SECONDS, _CONFIRM_SHARE * left))


def _view(program: Program, stage: Stage) -> View:
    from craton.views import ideal_view, integer_view, real_view

    if stage.encoding == "bv":
        return real_view(program)
    make = ideal_view if stage.encoding == "ideal" else integer_view
    return make(program, "real" if stage.floats == "real" else "exact")
