"""A run of the spine that has begun, top-down: the program is loaded and made small, stages have their turns, and the
first answer that is confirmed is the verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from craton.configuration.engines import TESTING, refines
from craton.configuration.schedules import schedule_for
from craton.configuration.stages import Stage
from craton.engines import contract
from craton.engines.contract import Budget, EngineAnswer, Safe, Statistics, Unsafe
from craton.errors import CratonError
from craton.evidence.checker import CHECKERS
from craton.frontends.programs import Request, load_program
from craton.logic import TRUE
from craton.logic.evaluation import CannotEvaluate
from craton.processes.garbage import nothing_collected
from craton.processes.running_time import counts_work
from craton.processes.turns import Work
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.execution.codegen import CannotRun
from craton.program.inlining import Inlining, inlining_pays
from craton.program.passes import CALLS_ARE_TYPED, Pass
from craton.program.preparation import prepare
from craton.program.statements import Call
from craton.smt import make_solver
from craton.verdicts.proof import Proof
from craton.verdicts.provenance import Provenance
from craton.verdicts.result import Result
from craton.verdicts.verdict import Proved, Unknown, Verdict, Violated
from craton.verification.beginning import verify as verify
from craton.verification.confirmation import Confirmation, confirmed_violation
from craton.verification.context import Context
from craton.verification.isolation import NotDone
from craton.verification.knowledge import Knowledge
from craton.verification.outcomes import ErrorWithin, Gaps, Outcome, Reasons
from craton.verification.portfolio import Attempt, Portfolio, budgeted, within_a_run
from craton.verification.scheduling import Clock
from craton.verification.stage_programs import StagePrograms
from craton.verification.stages import engine_of, has_templates, is_testing
from craton.verification.testing import tested
from craton.verification.veto import disagreement, shown_by_model, violates_what_was_left_out

if TYPE_CHECKING:
    from craton.testing.native_violation import NativeViolation
    from craton.verification.contracts import Judged

SHALLOW = (4, 2)  # calls that may be open at first: so many, or else so many
RECURSION_DEPTHS = (2, 4, 7)  # how many calls may be open
_SEEN_RUNS, _SEEN_STEPS = 30, 20_000  # runs that are to show how deep recursion is
MOST_UNROLLED = 40  # calls, where runs show that no more are open
MOST_RECURSION = 12  # calls, where a derivation says how many are needed; no deeper, since copies may double each time
MOST_RECURSION_EDGES = 20_000  # no deeper when the program gets larger than this
SMALL_UNROLLED = 1_000  # edges: procedures that call themselves once on each way
NOT_FAR_ENOUGH = ""  # which is said once for all depths
TOO_LARGE = "the program gets too large when its recursion is unrolled"
MOST_UNTYPED, UNTYPED_SHARE = 10.0, 0.25  # seconds, and of the time: for answers that assume nothing of calls
# Of runs of the spine on other programs, against the stages for systems, which have 25 together.
SHALLOW_SHARE, UNROLLED_SHARE, INLINED_SHARE = 3.0, 2.0, 10.0
ONE_RUN_SHARE = 4.0  # times as much for recursion unrolled, where there are no inputs
# The system, or a view, of a program of more edges takes long to make, and others are not to wait for it.
LARGE, LARGE_SHARE = 3_000, 4.0
NOTHING_TO_SEE = "there is nothing to look at: no arrays, or no loops in closed form"


def verify_request(
    request: Request, stages: Sequence[Stage], context: Context, started: float, loaded: Callable[[Program], None]
) -> Result:
    """The verdict on a program that is loaded now, in a run that has begun (`beginning.verify`)."""
    with context.statistics.spending("loading"), nothing_collected():
        program = load_program(request)
    loaded(program)
    if any(map(has_templates, stages)):
        from craton.verification.template_names import check_stages

        check_stages(stages, program)
    return _Run(program, stages, context).result(started)


def verify_program(program: Program, stages: Sequence[Stage], seconds: float | None = None) -> Result:
    """The verdict on a program that is loaded already, such as one with hints from a witness. Without its text there is
    nothing to compile: a counterexample is replayed by the interpreter only.
    """
    return run_on(program, stages, Context(Clock.lasting(seconds), None))


def run_on(program: Program, stages: Sequence[Stage], context: Context) -> Result:
    """The same within another run."""
    return _Run(program, stages, context).result(time.monotonic())


@dataclass(frozen=True, slots=True)
class _Run:
    program: Program
    stages: Sequence[Stage]
    context: Context

    def result(self, started: float) -> Result:
        found = self._found()
        passes = found.passes if Pass.TYPED_CALLS in found.passes else self.context.passes
        if found.proof is not None and found.proof.histories:
            passes = tuple(one for one in Pass if one in (*passes, Pass.HISTORIES))
        typed = Pass.TYPED_CALLS in passes and self.program.gaps_are_harmless_by_type
        return replace(
            found,
            program=self.program,
            assumptions=(*self.program.assumptions, *((CALLS_ARE_TYPED,) if typed else ())),
            passes=passes,
            statistics=self.context.statistics,
            seconds=time.monotonic() - started,
        )

    def _found(self) -> Result:
        """Where what is assumed of calls through pointers is a proof, it is looked first for one without it."""
        if not self.program.gaps_are_harmless_by_type or Pass.TYPED_CALLS in self.context.passes:
            return self._searched()
        left = self.context.clock.left
        clock = self.context.clock.part(MOST_UNTYPED if left is None else min(MOST_UNTYPED, UNTYPED_SHARE * left))
        within = replace(self, context=replace(self.context, clock=clock))
        found = within._searched()
        self.context.statistics = within.context.statistics
        if not found.is_unknown:
            return found
        typed = (*self.context.passes, Pass.TYPED_CALLS)
        programs = StagePrograms(prepare(self.program, typed))
        return replace(self._by_reachability(programs), passes=typed)

    def _searched(self) -> Result:
        recursive = recursive_procedures(self.program)
        if recursive:
            return self._recursive(recursive)
        return self._inlined() if inlining_pays(self.program) else self._by_summaries()

    def _inlined(self) -> Result:
        programs = self._prepared(self.program)
        calls = [e.statement.procedure for e in programs.whole.main.edges if isinstance(e.statement, Call)]
        if calls:
            return Result(Unknown(f"the program is too large to inline its calls (of {calls[0]} among others)"))
        return self._staged(programs)

    def _by_summaries(self) -> Result:
        """Where not every copy of a procedure would pay: tests, contracts, and all copies made all the same."""
        programs, reasons = self._prepared(self.program, Inlining.PAYING), Reasons()
        if not programs.small.program.errors:
            return self._by_reachability(programs)
        inlined = self._run_beside("inlined", INLINED_SHARE, _Run._inlined)
        attempts = [*self._tests(programs), *self._contracts(programs), inlined]
        found = self._first(attempts, programs.whole, self.context.clock, reasons)
        if isinstance(found, ErrorWithin):
            return Result(found.problem)
        return found if found is not None else reasons.result(self.context.clock, len(attempts))

    # --- recursion ----------------------------------------------------------------------------------------------------

    def _recursive(self, procedures: Sequence[str]) -> Result:
        """Tests, contracts, and recursion unrolled a few calls deep; or as deep as a derivation says, if there is one
        that could not be repeated. Where passes leave no call, nothing is left to unroll: the recursion is of no use to
        any error.
        """
        programs, reasons = self._prepared(self.program, Inlining.PAYING), Reasons()
        calls = any(isinstance(edge.statement, Call) for edge in programs.small.program.edges())
        if not calls and inlining_pays(self.program):
            return self._staged(programs)
        if not programs.small.program.errors:
            return self._by_reachability(programs)
        attempts = [*self._tests(programs), *self._contracts(programs), *self._unrollings(programs)]
        found = self._first(attempts, programs.whole, self.context.clock, reasons)
        if isinstance(found, ErrorWithin):
            return self._as_deep(found, programs)
        if found is not None:
            return found
        reasons.say(f"recursion was neither proved by contracts nor unrolled far enough: {', '.join(procedures)}")
        return reasons.result(self.context.clock, len(attempts))

    def _unrollings(self, programs: StagePrograms) -> list[Attempt[Outcome]]:
        """What stages find when so many calls may be open, and no more are. The first of several stages begins, as deep
        as runs are that were seen, at least. Where there are no inputs there is one run, and it has more time.
        """
        if all(map(is_testing, self.stages)):
            return []
        more = 1.0 if programs.features.inputs else ONE_RUN_SHARE
        shallow = self._run_beside("unrolled", more * SHALLOW_SHARE, _Run._shallow)
        several = [shallow] if len(self.stages) > 1 else []
        return [*several, *(self._unrolling(depth, more) for depth in RECURSION_DEPTHS)]

    def _unrolling(self, depth: int, more: float = 1.0) -> Attempt[Outcome]:
        share = more * UNROLLED_SHARE
        return self._run_beside(f"unrolled {depth} calls deep", share, lambda run: run._unrolled(depth))

    def _shallow(self) -> Result:
        """As deep as runs are that were seen; and deeper, if some run is, and that makes the program no larger."""
        first = replace(self, stages=self.stages[:1])
        for depth in dict.fromkeys((max(SHALLOW[0], _seen_depth(self.program)), *SHALLOW)):
            result = first._unrolled(depth)
            not_far = isinstance(result.verdict, Unknown) and result.reason == NOT_FAR_ENOUGH
            if not_far and depth < MOST_UNROLLED and self._is_small_unrolled(MOST_UNROLLED):
                return first._unrolled(MOST_UNROLLED)
            if result.reason != TOO_LARGE:
                return result
        return Result(Unknown(TOO_LARGE))

    def _is_small_unrolled(self, depth: int) -> bool:
        from craton.program.unrolling import unrolled_size

        return unrolled_size(self.program, depth) <= SMALL_UNROLLED

    def _unrolled(self, depth: int) -> Result:
        from craton.program.unrolling import Beyond, is_beyond, unroll_recursion, unrolled_size

        if unrolled_size(self.program, depth) > MOST_RECURSION_EDGES:
            return Result(Unknown(TOO_LARGE))
        result = self._staged(self._prepared(unroll_recursion(self.program, depth, Beyond.GAP)))
        if isinstance(result.verdict, Proved):
            proof = replace(result.verdict.proof, unrolled=depth)
            return replace(result, verdict=replace(result.verdict, proof=proof))
        if isinstance(result.verdict, Unknown) and result.verdict.construct and is_beyond(result.verdict.construct):
            return Result(Unknown(NOT_FAR_ENOUGH))
        return result

    def _as_deep(self, error: ErrorWithin, programs: StagePrograms) -> Result:
        """The error that a derivation says there is."""
        shown = self._shown_by_run(programs.whole)
        if shown is not None:
            return shown
        told = () if error.depth > MOST_RECURSION else (max(1, error.depth),)
        unrolled = [self._unrolling(depth) for depth in dict.fromkeys((*told, *RECURSION_DEPTHS))]
        clock = self.context.clock
        found = self._first([*self._tests(programs), *unrolled], programs.whole, clock, Reasons())
        if isinstance(found, Result):
            return found
        if error.problem.construct is not None:
            return Result(error.problem)
        deep = f"an error can be reached {error.depth} calls deep, says {error.found_by}, but {error.problem.reason}"
        return Result(Unknown(deep, clock.reached))

    # --- attempts -----------------------------------------------------------------------------------------------------

    def _run_beside(self, name: str, share: float, find: Callable[[_Run], Outcome]) -> Attempt[Outcome]:
        """A run of the spine on another program, with attempts of its own."""

        def prepared(seconds: float | None) -> Work:
            later = replace(self.context, compiled=False)  # what vetoes proofs may help to confirm errors
            return within_a_run(later, lambda inner: find(replace(self, context=inner)), seconds)

        def judged(found: Outcome | NotDone) -> Outcome:
            if isinstance(found, NotDone):
                return Result(Unknown(found.reason, found.limit))
            if isinstance(found, Result) and isinstance(found.verdict, Violated) and found.verdict.compiled is None:
                return replace(found, verdict=confirmed_violation(self.context, found.verdict, self.program))
            return found

        return Attempt(name, share, None, prepared, judged)

    def _stages_for(self, programs: StagePrograms) -> Sequence[Stage]:
        """As the program's schedule has them. Without tests beside others where work is counted: how many there are
        depends on the machine.
        """
        several = counts_work() and len(self.stages) > 1
        schedule = schedule_for(self.stages, programs.features)
        self.context.statistics.schedule = "" if schedule is None else schedule.name
        arranged = self.stages if schedule is None else schedule.arranged(self.stages)
        return [stage for stage in arranged if not (several and is_testing(stage))]

    @property
    def _runs_may_answer(self) -> bool:
        """Whether an error that the runs beside have come to is an answer. Not where how far they came depends on the
        machine; nor for an engine that was chosen alone: the answer is to be its own, and they only veto its proofs.
        """
        return not counts_work() and (len(self.stages) > 1 or any(map(is_testing, self.stages)))

    def _tests(self, programs: StagePrograms) -> list[Attempt[Outcome]]:
        """The program with its calls as they are, on inputs from seeds, if that is among the stages."""
        return [self._of_stage(stage, programs) for stage in self._stages_for(programs) if is_testing(stage)][:1]

    def _contracts(self, programs: StagePrograms) -> list[Attempt[Outcome]]:
        """Proofs by contracts, if an engine that is chosen does not forbid it; by the usual stages if none is."""
        from craton.configuration.systems import system_engine
        from craton.verification.contracts import by_contracts, contract_attempts

        chosen = None
        if len(self.stages) == 1 or all(refines(stage.engine) for stage in self.stages):
            chosen = [stage for stage in self.stages if not is_testing(stage) and system_engine(stage) is not None]
            if not chosen:
                return []  # engines of programs only

        def judged(found: Judged) -> Outcome:
            answer, stage = found
            return answer if isinstance(answer, ErrorWithin) else Result(answer, stage)

        if sum(len(procedure.edges) for procedure in programs.small.program.procedures.values()) > LARGE:

            def find(run: _Run) -> Outcome:
                return judged(by_contracts(programs, run.context, chosen))

            return [self._run_beside("contracts", LARGE_SHARE, find)]
        return [attempt.then(judged) for attempt in contract_attempts(programs, self.context, chosen)]

    def _of_stage(self, stage: Stage, programs: StagePrograms, knowledge: Knowledge | None = None) -> Attempt[Outcome]:
        shared = None if knowledge is None or not stage.sees_program else knowledge.board

        def prepared(seconds: float | None) -> Work:
            if is_testing(stage):
                return within_a_run(
                    self.context, lambda inner: _replayable(lambda: tested(inner, stage, programs.whole, seconds)), None
                )
            engine = engine_of(stage)
            _load_library(engine.asks_first)

            def program(statistics: Statistics) -> Program:
                return programs.prepared(stage, engine.blocks, statistics).program

            def apart(budget: Budget) -> EngineAnswer:
                if not programs.can_be_seen(stage):
                    return contract.Unknown(NOTHING_TO_SEE)
                return engine.run(program(budget.statistics), budget)

            if programs.size > LARGE and programs.is_new_view(stage):  # others are not to wait until it is made
                return budgeted(apart, seconds, shared)
            return budgeted(partial(engine.run, program(self.context.statistics)), seconds, shared)

        def judged(found: Any) -> Result:
            if isinstance(found, NotDone):
                return Result(Unknown(found.reason, found.limit), stage.name)
            if is_testing(stage):
                return Result(found, stage.name)
            return Result(_replayable(lambda: self._confirmed(stage, programs, knowledge, found)), stage.name)

        return Attempt.of(stage, prepared, judged)

    def _prepared(self, program: Program, inlining: Inlining = Inlining.ALL) -> StagePrograms:
        statistics = self.context.statistics
        with statistics.spending("passes"), nothing_collected():
            programs = StagePrograms(prepare(program, self.context.passes, inlining))
        with statistics.spending("features"):
            statistics.features = statistics.features or programs.features
        return programs

    def _staged(self, programs: StagePrograms) -> Result:
        """The first verdict of a stage; unknown, with what each stage has to say, if there is none."""
        if not programs.small.program.errors:
            return self._by_reachability(programs)
        clock, reasons = self.context.clock, Reasons()
        found = self._by_stages(programs, reasons)
        if found is not None and found.is_unknown:
            # What is not modelled can be reached: only errors before it are of interest now.
            modelled = self._prepared(programs.whole.only_modelled())
            error = self._by_stages(modelled, reasons) if modelled.small.program.errors else None
            return error if error is not None and error.is_false else found
        return reasons.result(clock, len(self.stages)) if found is None else found

    def _by_reachability(self, programs: StagePrograms) -> Result:
        return self._unless_vetoed(Result(_unreachable(programs), "reachability"), programs.whole)

    def _by_stages(self, programs: StagePrograms, reasons: Reasons) -> Result | None:
        large = programs.size > LARGE  # then it takes long to find out, and stages do so in their own time
        stages = [stage for stage in self._stages_for(programs) if large or programs.can_be_seen(stage)]
        if not stages:
            reasons.say(NOTHING_TO_SEE)
        knowledge = Knowledge() if len(stages) > 1 else None
        attempts = [self._of_stage(stage, programs, knowledge) for stage in stages]
        found = self._first(attempts, programs.whole, self.context.clock, reasons, Gaps.DECIDE, knowledge)
        assert not isinstance(found, ErrorWithin)
        return found

    def _first(
        self,
        attempts: Sequence[Attempt[Outcome]],
        whole: Program,
        clock: Clock,
        reasons: Reasons,
        gaps: Gaps = Gaps.ARE_REASONS,
        knowledge: Knowledge | None = None,
    ) -> Outcome | None:
        """What decides; None, with the reasons, if nothing does."""

        def decides(attempt: Attempt[Outcome], found: Outcome) -> Outcome | None:
            if isinstance(found, ErrorWithin):
                return found
            match found.verdict:
                case Violated():
                    return found
                case Proved():
                    return self._unless_vetoed(found, whole)
            if found.verdict.construct is not None and gaps is Gaps.DECIDE:
                return found
            reasons.say(found.verdict.reason, attempt.name)
            return None

        seen: list[NativeViolation] = []  # one that the interpreter does not come to is not looked at again

        def shown() -> Result | None:
            violation = self.context.veto.violation if self.context.veto is not None and self._runs_may_answer else None
            if violation is None or violation in seen:
                return None
            seen.append(violation)
            return self._shown_by_run(whole)

        checkers = [partial(_load_library, name) for name in CHECKERS[:2]] if self.context.confirm else []
        found: Outcome | None = Portfolio(attempts, self.context, knowledge, checkers).result(clock, decides, shown)
        return found

    def _unless_vetoed(self, proved: Result, whole: Program) -> Result:
        """The proof stands unless the program itself was seen to violate the property."""
        if self.context.veto is None:
            return proved
        with self.context.statistics.spending("waiting for runs"):
            found = self.context.veto.last_word()
        if found is None or violates_what_was_left_out(found, self.program):
            return proved
        return self._shown_by_run(whole) or Result(disagreement(found))

    def _shown_by_run(self, whole: Program) -> Result | None:
        """The violation that the compiled program has shown by now, if the interpreter comes to it, too."""
        found = None if self.context.veto is None else self.context.veto.violation
        verdict = None if found is None else shown_by_model(found, whole)
        return None if verdict is None else Result(verdict, TESTING)

    def _confirmed(
        self, stage: Stage, programs: StagePrograms, knowledge: Knowledge | None, answer: EngineAnswer | NotDone
    ) -> Verdict:
        confirmation = Confirmation(self.context, programs, stage, engine_of(stage).blocks, knowledge)
        match answer:
            case Safe():
                return confirmation.proof(answer)
            case Unsafe():
                return confirmation.counterexample(answer)
            case contract.Unknown(reason):
                return Unknown(reason)
            case NotDone(reason, reached):
                return Unknown(reason, reached)


def _load_library(solver: str) -> None:
    """Once, for all processes that are forked from here later. Where it is missing, who needs it will say so."""
    with suppress(CratonError):
        make_solver(solver).close()


def _replayable(verdict: Callable[[], Verdict]) -> Verdict:
    try:
        return verdict()
    except CannotEvaluate as problem:
        return Unknown(f"a counterexample was found, but cannot be replayed: {problem}")


def _seen_depth(program: Program) -> int:
    """How many calls a few runs have open at a time; 0 if that is too many to unroll."""
    from craton.program.execution.interpreter import Interpreter

    try:
        interpreter, deepest = Interpreter(program), 0
        for seed in (None, *range(_SEEN_RUNS)):
            run = interpreter.run(seed=seed, only_inputs=True, step_limit=_SEEN_STEPS)
            deepest = max(deepest, run.depth)
            if not run.inputs or deepest > MOST_UNROLLED:
                break
    except (CannotRun, RecursionError):
        return 0
    return deepest if deepest <= MOST_UNROLLED else 0


def _unreachable(programs: StagePrograms) -> Proved:
    """Where no error is left after the passes, any annotation is a proof."""
    program = encode_blocks(programs.small.program).program
    trivial = dict.fromkeys(program.main.locations, TRUE)
    return Proved(Proof(program, None, trivial, Provenance("reachability"), "", 0))
