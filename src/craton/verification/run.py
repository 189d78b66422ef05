"""A run of the spine, top-down: the program is loaded and made small, stages have their turns, and the first answer
that is confirmed is the verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from craton.configuration.engines import TESTING
from craton.configuration.stages import Stage
from craton.engines import contract
from craton.engines.contract import Engine, EngineAnswer, Safe, Unsafe
from craton.frontends.programs import Request, load_program
from craton.logic import TRUE
from craton.logic.evaluation import CannotEvaluate
from craton.processes.limits import Limits
from craton.processes.running_time import counting
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.codegen import CannotRun
from craton.program.inlining import Inlining, inlining_pays
from craton.program.preparation import prepare
from craton.program.statements import Call
from craton.verdicts.proof import Proof
from craton.verdicts.provenance import Provenance
from craton.verdicts.result import Result
from craton.verdicts.verdict import Proved, Unknown, Verdict, Violated
from craton.verification.confirmation import Confirmation
from craton.verification.context import Context, Watcher, nobody
from craton.verification.isolation import NotDone, within
from craton.verification.portfolio import Portfolio, engine_answer
from craton.verification.scheduling import Clock, equal_part, for_stages, least
from craton.verification.stage_programs import StagePrograms
from craton.verification.stages import engine_of, is_testing
from craton.verification.template_names import check_stages
from craton.verification.testing import tested
from craton.verification.veto import disagreement, shown_by_model, veto_beside, violates_what_was_left_out

if TYPE_CHECKING:
    from craton.testing.native import NativeViolation
    from craton.verification.contracts import ErrorWithin

SHALLOW = (4, 2)  # calls that may be open at first: so many, or else so many
RECURSION_DEPTHS = (2, 4, 7)  # how many calls may be open, tried one after the other
_SEEN_RUNS, _SEEN_STEPS = 30, 20_000  # runs that are to show how deep recursion is
MOST_UNROLLED = 40  # calls, where runs show that no more are open
MOST_RECURSION = 12  # calls, where a derivation says how many are needed; no deeper, since copies may double each time
_EARLY, _EARLY_SECONDS = 0.08, 4.0  # of the time, for each of what finds errors before proofs are tried
_QUICK_SECONDS = 1.5  # for contracts that are found at once
_SUMMARIES = 0.5  # of the time, for programs that grow too much when they are inlined
_CONTRACTS = 0.75  # of the time that is left then, for a proof of a recursive program
MOST_RECURSION_EDGES = 20_000  # no deeper when the program gets larger than this


def verify(
    request: Request,
    stages: Sequence[Stage],
    seconds: float | None = None,
    watch: Watcher = nobody,
    *,
    confirm: bool = True,
    jobs: int = 1,
    cpu: float | None = None,
    memory: int | None = None,
) -> Result:
    """The verdict on a program. The limit is of wall time; those who must keep it run this in a process they can end.
    Of several stages `jobs` work at once; `cpu` and `memory` are what all may have, in seconds and bytes. With a limit
    of processor time all times inside of the run are of that.

    Without `confirm` an engine's word is enough, and the result says that it is not confirmed.
    """
    started, limits = time.monotonic(), Limits(seconds, cpu, memory)
    with counting(limits.time):
        clock = Clock.within(limits)
        context = Context(clock, request, confirm, watch, jobs=jobs, most_memory=for_stages(memory))
        with veto_beside(request, clock.left, wanted=confirm) as context.veto:
            with context.statistics.spending("loading"):
                program = load_program(request)
            check_stages(stages, program)
            return _Run(program, stages, context).result(started)


def verify_program(program: Program, stages: Sequence[Stage], seconds: float | None = None) -> Result:
    """The verdict on a program that is loaded already, such as one with hints from a witness. Without its text there is
    nothing to compile: a counterexample is replayed by the interpreter only.
    """
    return _Run(program, stages, Context(Clock.lasting(seconds), None)).result(time.monotonic())


@dataclass(frozen=True, slots=True)
class _Run:
    program: Program
    stages: Sequence[Stage]
    context: Context

    def result(self, started: float) -> Result:
        recursive = recursive_procedures(self.program)
        found = self._recursive(recursive) if recursive else self._found()
        return replace(
            found,
            program=self.program,
            assumptions=self.program.assumptions,
            passes=self.context.passes,
            statistics=self.context.statistics,
            seconds=time.monotonic() - started,
        )

    def _found(self) -> Result:
        early = None if inlining_pays(self.program) else self._by_summaries()
        if early is not None:
            return early
        programs = self._prepared(self.program)
        calls = [e.statement.procedure for e in programs.whole.main.edges if isinstance(e.statement, Call)]
        if calls:
            found = self._by_contracts(_part(self.context.clock.left, _CONTRACTS))
            if isinstance(found, Result):
                return found
            return Result(Unknown(f"the program is too large to inline its calls (of {calls[0]} among others)"))
        return self._staged(programs, self.context.clock)

    def _by_summaries(self) -> Result | None:
        """What tests and contracts say of a program in which not every copy of a procedure would pay."""
        programs = self._prepared(self.program, Inlining.PAYING)
        early = self._tested(programs) or self._quick_contracts()
        if early is not None:
            return early
        found = self._by_contracts(_part(self.context.clock.left, _SUMMARIES))
        return found if isinstance(found, Result) else self._shown_by_run(programs.whole)

    def _recursive(self, procedures: Sequence[str]) -> Result:
        """What tests show, what contracts are found at once, and what lies a few calls deep, before anything else: it
        costs little. Then contracts in earnest, or the run that a derivation is; then recursion unrolled.
        """
        clock, programs = self.context.clock, self._prepared(self.program, Inlining.PAYING)
        early = self._tested(programs) or self._quick_contracts() or self._shallow(programs)
        if early is not None:
            return early
        found = self._by_contracts(_part(clock.left, _CONTRACTS))
        if isinstance(found, Result):
            return found
        shown = self._shown_by_run(programs.whole)
        if shown is not None:
            return shown
        told = () if isinstance(found, Unknown) or found.depth > MOST_RECURSION else (max(1, found.depth),)
        depths = tuple(dict.fromkeys((*told, *RECURSION_DEPTHS)))
        for number, depth in enumerate(depths):
            result = self._unrolled(depth, equal_part(clock.left, len(depths) - number))
            if result is None:
                break
            if not result.is_unknown:
                return result
        if isinstance(found, Unknown):
            bound = f"recursion was neither proved by contracts nor unrolled far enough: {', '.join(procedures)}"
            return Result(Unknown(f"{found.reason}; {bound}" if found.reason else bound))
        if found.problem.construct is not None:
            return Result(found.problem)
        deep = f"an error can be reached {found.depth} calls deep, says {found.found_by}, but {found.problem.reason}"
        return Result(Unknown(deep))

    def _tested(self, programs: StagePrograms) -> Result | None:
        """The program with its calls as they are, on inputs from seeds, if that is among the stages."""
        for stage in self.stages:
            if is_testing(stage):
                verdict = self._verdict(stage, programs, self._early)
                return Result(verdict, stage.name) if isinstance(verdict, Violated) else None
        return None

    def _shallow(self, programs: StagePrograms) -> Result | None:
        """What the first of several stages finds a few calls deep; as deep as runs are that were seen, at least."""
        if len(self.stages) == 1:
            return None
        first = replace(self, stages=self.stages[:1])
        for depth in dict.fromkeys((max(SHALLOW[0], _seen_depth(programs.whole)), *SHALLOW)):
            result = first._unrolled(depth, self._early)
            if result is not None:
                return None if result.is_unknown else result
        return None

    @property
    def _early(self) -> float | None:
        """Seconds for what is tried before proofs."""
        return least(_EARLY_SECONDS, _part(self.context.clock.left, _EARLY))

    def _unrolled(self, depth: int, seconds: float | None) -> Result | None:
        """What stages find when so many calls may be open, and no more are; None if the program gets too large."""
        from craton.program.unrolling import Beyond, unroll_recursion, unrolled_size

        if unrolled_size(self.program, depth) > MOST_RECURSION_EDGES:
            return None
        bounded = self._prepared(unroll_recursion(self.program, depth, Beyond.GAP))
        result = self._staged(bounded, self.context.clock.part(seconds))
        if isinstance(result.verdict, Proved):
            proof = replace(result.verdict.proof, unrolled=depth)
            return replace(result, verdict=replace(result.verdict, proof=proof))
        return result

    def _quick_contracts(self) -> Result | None:
        """What the first of the stages for systems finds."""
        from craton.configuration.systems import SYSTEMS

        if len(self.stages) == 1:
            return None
        found = self._by_contracts(least(_QUICK_SECONDS, self._early), SYSTEMS[:1])
        return found if isinstance(found, Result) else None

    def _by_contracts(
        self, seconds: float | None, usual: Sequence[Stage] | None = None
    ) -> Result | ErrorWithin | Unknown:
        """A proof by contracts, if an engine that is chosen does not forbid it; by `usual` stages if none is."""
        from craton.configuration.systems import system_engine
        from craton.verification.contracts import by_contracts

        stages = usual if len(self.stages) > 1 else self.stages
        if len(self.stages) == 1 and stages is not None and (is_testing(stages[0]) or system_engine(stages[0]) is None):
            return Unknown("")  # an engine of programs only
        answer, stage = by_contracts(self.program, self.context, stages, seconds)
        if isinstance(answer, Proved):
            return self._unless_vetoed(Result(answer, stage), self.program)
        return Result(answer, stage) if isinstance(answer, Violated) else answer

    def _prepared(self, program: Program, inlining: Inlining = Inlining.ALL) -> StagePrograms:
        with self.context.statistics.spending("passes"):
            return StagePrograms(prepare(program, self.context.passes, inlining))

    def _staged(self, programs: StagePrograms, clock: Clock) -> Result:
        """The first verdict of a stage; unknown, with what each stage has to say, if there is none."""
        if not programs.small.program.errors:
            return self._unless_vetoed(Result(_unreachable(programs), "reachability"), programs.whole)
        reasons: dict[str, list[str]] = {}  # with the stages that said so
        found = self._decided(programs, clock, reasons)
        if isinstance(found, Result):
            return found
        if found is not None:  # what is not modelled can be reached: only errors before it are of interest now
            modelled = self._prepared(programs.whole.only_modelled())
            error = self._decided(modelled, clock, reasons) if modelled.small.program.errors else None
            return error if isinstance(error, Result) and error.is_false else Result(found)
        if clock.is_over:
            reasons.setdefault("out of time", [])
        return Result(Unknown(self._told(reasons), clock.reached))

    def _decided(self, programs: StagePrograms, clock: Clock, reasons: dict[str, list[str]]) -> Result | Unknown | None:
        """The result; or that something can be reached which is not modelled; or None, with the reasons."""

        def decides(stage: Stage, verdict: Verdict) -> Result | Unknown | None:
            match verdict:
                case Violated():
                    return Result(verdict, stage.name)
                case Proved():
                    return self._unless_vetoed(Result(verdict, stage.name), programs.whole)
            if verdict.construct is not None:
                return verdict
            reasons.setdefault(verdict.reason, []).append(stage.name)
            return None

        if len(self.stages) == 1:  # an engine that is chosen runs alone
            alone = self.stages[0]
            return decides(alone, self._verdict(alone, programs, clock.left))

        def judge(stage: Stage, answer: EngineAnswer | NotDone) -> Verdict:
            return self._replayable(lambda: self._confirmed(stage, programs, answer))

        seen: list[NativeViolation] = []  # one that the interpreter does not come to is not looked at again

        def shown() -> Result | None:
            violation = None if self.context.veto is None else self.context.veto.violation
            if violation is None or violation in seen:
                return None
            seen.append(violation)
            return self._shown_by_run(programs.whole)

        found: Result | Unknown | None = Portfolio(self.stages, programs, self.context, judge).result(
            clock, decides, shown
        )
        return found

    def _told(self, reasons: dict[str, list[str]]) -> str:
        """Each reason once, after the stages that gave it if there are several."""
        several = len(self.stages) > 1
        return "; ".join(f"{', '.join(names)}: {why}" if names and several else why for why, names in reasons.items())

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

    def _verdict(self, stage: Stage, programs: StagePrograms, seconds: float | None) -> Verdict:
        """Of a stage that runs alone."""
        seconds = least(stage.seconds, seconds)
        if is_testing(stage):
            return self._replayable(lambda: tested(self.context, stage, programs.whole, seconds))
        if not programs.can_be_seen(stage):
            return Unknown("there is nothing to look at: no arrays, or no loops in closed form")
        engine = engine_of(stage)
        encoded = programs.prepared(stage, engine.blocks, self.context.statistics)
        answer = _answer(engine, encoded.program, least(seconds, self.context.clock.left), self.context)
        return self._replayable(lambda: self._confirmed(stage, programs, answer))

    def _replayable(self, verdict: Callable[[], Verdict]) -> Verdict:
        try:
            return verdict()
        except CannotEvaluate as problem:
            return Unknown(f"a counterexample was found, but cannot be replayed: {problem}")

    def _confirmed(self, stage: Stage, programs: StagePrograms, answer: EngineAnswer | NotDone) -> Verdict:
        confirmation = Confirmation(self.context, programs, stage, engine_of(stage).blocks)
        match answer:
            case Safe():
                return confirmation.proof(answer)
            case Unsafe():
                return confirmation.counterexample(answer)
            case contract.Unknown(reason):
                return Unknown(reason)
            case NotDone(reason, reached):
                return Unknown(reason, reached)


def _part(seconds: float | None, share: float) -> float | None:
    return None if seconds is None else share * seconds


def _seen_depth(program: Program) -> int:
    """How many calls a few runs have open at a time; 0 if that is too many to unroll."""
    from craton.program.interpreter import Interpreter

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


def _answer(engine: Engine, program: Program, seconds: float | None, context: Context) -> EngineAnswer | NotDone:
    """What the engine says, from a process of its own; what it counts there becomes the run's statistics."""

    def heard(content: Any) -> None:
        progress, context.statistics = content
        context.watch(progress, context.statistics)

    found = within(seconds, lambda report: engine_answer(engine, program, seconds, context.statistics, report), heard)
    if isinstance(found, NotDone):
        return found
    answer, context.statistics = found
    return answer
