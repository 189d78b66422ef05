"""The spine for systems of Horn clauses: a system is made small, stages have their turns, and the first answer that is
confirmed on the clauses of the user's file is the result.

A stage's engine runs on the system itself if it is one of `engines.systems`; on a linear system every other engine runs
on its program, by the spine of programs. All of them take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from craton.configuration.stages import DEFAULT, Stage
from craton.configuration.systems import PROGRAMS_PLACE, PROGRAMS_SHARE, SYSTEMS, system_engine
from craton.engines.contract import Budget, OutOfTime, Statistics, Unknown, does_not_fit
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.evidence.checker import CHECKERS, Confirmed, Flaw, others
from craton.evidence.systems import check_derivation, check_model
from craton.horn.clauses import System
from craton.horn.grounding import Inference, grounded
from craton.horn.models import EMPTY, Model
from craton.horn.preprocessing import preprocessed
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.processes.limits import Limits
from craton.processes.running_time import running_time
from craton.processes.supervision import Report
from craton.processes.turns import Work
from craton.verdicts import verdict as verdicts
from craton.verdicts.verdict import Proved, Violated
from craton.verification.context import Context, Watcher, nobody
from craton.verification.isolation import NotDone, within
from craton.verification.portfolio import Attempt, Found, Portfolio, budgeted, told, within_a_run
from craton.verification.scheduling import time_of
from craton.words import OUT_OF_TIME

if TYPE_CHECKING:
    from craton.horn.ideal import IdealSystem
    from craton.horn.programs import SystemProgram
    from craton.verdicts.result import Result

Answer = Satisfiable | Unsatisfiable | verdicts.Unknown


@dataclass(frozen=True, slots=True)
class SystemResult:
    """The outcome of a run on a system."""

    system: System
    answer: Answer
    stage: str = ""
    statistics: Statistics = field(default_factory=Statistics)
    seconds: float = 0.0


def verify_system(
    system: System,
    stages: Sequence[Stage] | None = None,
    seconds: float | None = None,
    watch: Watcher = nobody,
    *,
    confirm: bool = True,
    jobs: int = 1,
    cpu: float | None = None,
    memory: int | None = None,
    deterministic: bool = False,
) -> SystemResult:
    """Whether the system is satisfiable. Without stages, those for systems and, for linear ones, those of programs. The
    limits are those of `verify`.
    """
    limits = Limits(seconds, cpu, memory)
    with time_of(limits, deterministic=deterministic):
        return answered(system, stages, Context.of(limits, None, confirm, watch, jobs))


def answered(system: System, stages: Sequence[Stage] | None, context: Context) -> SystemResult:
    """The same within a run."""
    started = time.monotonic()
    reasons: dict[str, list[str]] = {}

    def decides(attempt: Attempt[SystemResult], result: SystemResult) -> SystemResult | None:
        if not isinstance(result.answer, verdicts.Unknown):
            return result
        reasons.setdefault(result.answer.reason, []).append(attempt.name)
        return None

    attempts = system_attempts(system, stages, context)
    found: SystemResult | None = Portfolio(attempts, context).result(context.clock, decides)
    if found is None:
        if context.clock.is_over:
            reasons.setdefault(OUT_OF_TIME, [])
        found = SystemResult(system, verdicts.Unknown(told(reasons, len(attempts)), context.clock.reached))
    return replace(found, statistics=context.statistics, seconds=time.monotonic() - started)


def system_attempts(
    system: System, stages: Sequence[Stage] | None, context: Context, kept: frozenset[str] = frozenset()
) -> list[Attempt[SystemResult]]:
    """The stages as attempts on the system. Predicates of the names `kept` are not inlined."""
    return _Run(system, context, kept).attempts(stages)


class _Run:
    def __init__(self, system: System, context: Context, kept: frozenset[str]) -> None:
        self.system = system
        self.context = context
        with context.statistics.spending("passes"):
            self.small = preprocessed(system, kept=kept)

    def attempts(self, stages: Sequence[Stage] | None) -> list[Attempt[SystemResult]]:
        small = self.small.system
        if not small.queries:
            judged = partial(self._result, "cone of influence", self._confirmed)
            return [Attempt("", 1.0, None, partial(budgeted, lambda budget: Solved(EMPTY, ())), judged)]
        found = [self._of_stage(stage) for stage in (SYSTEMS if stages is None else stages)]
        if small.is_linear and stages is None:
            found.insert(PROGRAMS_PLACE, self._of_program("as a program", PROGRAMS_SHARE, None, DEFAULT))
        return found

    def _of_stage(self, stage: Stage) -> Attempt[SystemResult]:
        engine = system_engine(stage)
        if engine is not None and not stage.in_bits:
            return self._of_view(stage, engine)
        if engine is not None:
            return self._attempt(stage, partial(engine.run, self.small.system), self._confirmed)
        if self.small.system.is_linear:
            return self._of_program(stage.name, stage.share, stage.seconds, (stage,))
        problem = f"{stage.engine} runs on programs, and this system is not linear"
        return self._attempt(stage, lambda budget: Unknown(problem), self._confirmed)

    def _attempt(self, stage: Stage, find: Found, judged: Callable[[Any], Answer]) -> Attempt[SystemResult]:
        return Attempt.of(stage, partial(budgeted, find), partial(self._result, stage.name, judged))

    def _result(self, name: str, judged: Callable[[Any], Answer], found: Any) -> SystemResult:
        answer = verdicts.Unknown(found.reason, found.limit) if isinstance(found, NotDone) else judged(found)
        return SystemResult(self.system, answer, name)

    # --- integers that never overflow ---

    def _of_view(self, stage: Stage, engine: SystemEngine) -> Attempt[SystemResult]:
        """Answers found in integers that never overflow, in bits."""

        def prepared(seconds: float | None) -> Work:
            view = self._view
            if view is None:
                return budgeted(lambda budget: does_not_fit("the system has no view in integers"), seconds)
            return budgeted(partial(engine.run, view.system), seconds)

        return Attempt.of(stage, prepared, partial(self._result, stage.name, self._confirmed_of_view))

    @cached_property
    def _view(self) -> IdealSystem | None:
        from craton.horn.ideal import ideal_system

        with self.context.statistics.spending("views"):
            return ideal_system(self.small.system)

    def _confirmed_of_view(self, answer: SystemAnswer) -> Answer:
        if isinstance(answer, Unknown):
            return verdicts.Unknown(answer.reason)
        view = self._view
        assert view is not None
        if isinstance(answer, Contradicted):
            return self._unsatisfiable(view.inferences(answer.inferences))
        in_bits = view.model(answer.model)
        found = self._satisfiable(Solved(in_bits, answer.by))
        return found if isinstance(found, Satisfiable) else self._repaired(in_bits, answer.model)

    def _repaired(self, in_bits: Model, ideal: Model) -> Answer:
        """What of a model in integers, and of equations, is a model in bits."""
        from craton.engines.systems import houdini

        limit, system = self.context.time_to_confirm, self.small.system

        def work(report: Report) -> Model | NotDone:
            guesses = houdini.guesses_in_bits(system, in_bits, ideal)
            try:
                return houdini.inductive(system, guesses, Budget(limit))
            except OutOfTime:
                return NotDone("there was no time to repair it")

        with self.context.statistics.spending("repairing a model"):
            better = within(limit, work)
        if isinstance(better, NotDone):
            return verdicts.Unknown(f"a model of the view is not one in bits, and {better.reason}")
        return self._satisfiable(Solved(better, (houdini.SOLVER,)))

    # --- programs of linear systems ---

    def _of_program(
        self, name: str, share: float, most: float | None, stages: Sequence[Stage]
    ) -> Attempt[SystemResult]:
        """Stages of programs, on the program of a linear system; they take turns among themselves."""

        def prepared(seconds: float | None) -> Work:
            from craton.verification.run import run_on

            return within_a_run(self.context, partial(run_on, self._program.program, stages), seconds)

        return Attempt(name, share, most, prepared, self._of_result)

    @cached_property
    def _program(self) -> SystemProgram:
        from craton.horn.programs import program_of

        return program_of(self.small.system)

    def _of_result(self, result: Result | NotDone) -> SystemResult:
        if isinstance(result, NotDone):
            return SystemResult(self.system, verdicts.Unknown(result.reason, result.limit))
        match result.verdict:
            case Proved(proof) if proof.runs is not None:  # which says nothing of what predicates mean
                answer: Answer = verdicts.Unknown("all derivations end, but no model was found")
            case Proved(proof):
                model = self._program.model(proof.invariants)
                answer = self._satisfiable(Solved(model, proof.found_by.solvers))
            case Violated() as violated:
                answer = self._along(self._program.clauses_of(violated.replay.edges))
            case verdicts.Unknown() as unknown:
                answer = unknown
        return SystemResult(self.system, answer, result.stage)

    def _along(self, path: Sequence[int]) -> Answer:
        """The derivation by clauses along a path, whose facts a solver finds."""
        from craton.trees.feasibility import inferences_of
        from craton.trees.tree import Node, Tree

        nodes = tuple(Node(clause, (number - 1,) if number else ()) for number, clause in enumerate(path))
        limit = self.context.time_to_confirm
        found = within(limit, lambda report: inferences_of(Tree(self.small.system, nodes), limit))
        if isinstance(found, NotDone):
            return verdicts.Unknown(f"a path to false was found, but {found.reason}")
        return verdicts.Unknown(found) if isinstance(found, str) else self._unsatisfiable(found)

    # --- nobody is believed ---

    def _confirmed(self, answer: SystemAnswer) -> Answer:
        match answer:
            case Solved():
                return self._satisfiable(answer)
            case Contradicted(inferences):
                return self._unsatisfiable(inferences)
            case Unknown(reason):
                return verdicts.Unknown(reason)

    def _satisfiable(self, found: Solved) -> Satisfiable | verdicts.Unknown:
        begun = running_time()
        checkers = others(found.by) or CHECKERS
        limit = self.context.time_to_confirm

        def work(report: Report) -> tuple[Model, Flaw | Confirmed]:
            model = self.small.model(found.model, None if limit is None else limit / 4)
            if not self.context.confirm:
                return model, Confirmed((), 0)
            return model, check_model(self.system, model, checkers, limit)

        with self.context.statistics.spending("checking the model"):
            checked = within(limit, work)
        if isinstance(checked, NotDone):
            return verdicts.Unknown(f"evidence incomplete: a model was found, but {checked.reason}", checked.limit)
        model, verdict = checked
        if isinstance(verdict, Flaw):
            return verdicts.Unknown(f"a model was found but not confirmed: {verdict.problem}")
        by = " and ".join(verdict.by) or "simplification alone"
        used = running_time() - begun
        return Satisfiable(model, found.by, by, verdict.conditions, used, self.context.confirm)

    def _unsatisfiable(self, inferences: Sequence[Inference]) -> Unsatisfiable | verdicts.Unknown:
        begun = running_time()
        limit = self.context.time_to_confirm

        def work(report: Report) -> Unsatisfiable | str:
            derivation = grounded(self.small, inferences, limit)
            if isinstance(derivation, str):
                return derivation
            problem = check_derivation(self.system, derivation, limit) if self.context.confirm else ""
            return problem or Unsatisfiable(derivation, "evaluation and a solver", 0.0, self.context.confirm)

        with self.context.statistics.spending("checking the derivation"):
            found = within(limit, work)
        if isinstance(found, NotDone):
            return verdicts.Unknown(f"evidence incomplete: false was derived, but {found.reason}", found.limit)
        if isinstance(found, str):
            return verdicts.Unknown(f"false was derived, but this is not confirmed: {found}")
        return replace(found, seconds=running_time() - begun)
