"""The spine for systems of Horn clauses: a system is made small, stages have their turns, and the first answer that is
confirmed on the clauses of the user's file is the result.

A stage's engine runs on the system itself if it is one of `engines.systems`; on a linear system every other engine runs
on its program, by the spine of programs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from craton.configuration.stages import DEFAULT, Stage
from craton.configuration.systems import FIRST, SYSTEMS, system_engine
from craton.engines.contract import Budget, OutOfTime, Statistics, Unknown
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.evidence.checker import CHECKERS, Confirmed, Flaw, others
from craton.evidence.systems import check_derivation, check_model
from craton.horn.clauses import System
from craton.horn.grounding import Inference, grounded
from craton.horn.models import EMPTY, Model
from craton.horn.preprocessing import Preprocessed, preprocessed
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.processes.limits import Limits
from craton.processes.running_time import counting, running_time
from craton.processes.supervision import Report
from craton.verdicts import verdict as verdicts
from craton.verdicts.verdict import Proved, Violated
from craton.verification.context import Context, Watcher, nobody
from craton.verification.isolation import NotDone, within
from craton.verification.scheduling import Clock, for_stages, least, time_to_confirm, turn

_PROGRAMS = 0.5  # of the time that is left, for the program of a linear system

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
) -> SystemResult:
    """Whether the system is satisfiable. Without stages, those for systems and, for linear ones, those of programs. The
    limits are those of `verify`.
    """
    limits = Limits(seconds, cpu, memory)
    with counting(limits.time):
        context = Context(Clock.within(limits), None, confirm, watch, jobs=jobs, most_memory=for_stages(memory))
        return answered(system, stages, context)


def answered(
    system: System, stages: Sequence[Stage] | None, context: Context, kept: frozenset[str] = frozenset()
) -> SystemResult:
    """The same within a run. Predicates of the names `kept` are not inlined."""
    started = time.monotonic()
    run = _Run(system, context, kept)
    answer, stage = run.answer(stages)
    return SystemResult(system, answer, stage, run.statistics, time.monotonic() - started)


class _Run:
    def __init__(self, system: System, context: Context, kept: frozenset[str]) -> None:
        self.system = system
        self.kept = kept
        self.context = context
        self.clock = context.clock
        self.watch = context.watch
        self.confirm = context.confirm
        self.statistics = Statistics()
        self.reasons: list[str] = []

    def answer(self, stages: Sequence[Stage] | None) -> tuple[Answer, str]:
        with self.statistics.spending("passes"):
            small = preprocessed(self.system, kept=self.kept)
        if not small.system.queries:
            return self._satisfiable(small, Solved(EMPTY, ())), "cone of influence"
        if stages is not None:
            return self._staged(small, stages)
        found = self._staged(small, SYSTEMS[:FIRST])
        if isinstance(found[0], verdicts.Unknown) and small.system.is_linear:
            found = self._by_program(small, DEFAULT, _PROGRAMS)
        if isinstance(found[0], verdicts.Unknown):
            found = self._staged(small, SYSTEMS[FIRST:])
        return found

    def _staged(self, small: Preprocessed, stages: Sequence[Stage]) -> tuple[Answer, str]:
        for position, stage in enumerate(stages):
            if self.clock.is_over:
                self.reasons.append("out of time")
                break
            share = turn(stages[position:], self.clock.left)
            engine = system_engine(stage)
            if engine is not None and not stage.in_bits:
                answer, name = self._of_view(small, engine, share), stage.name
            elif engine is not None:
                answer = self._confirmed(small, self._run(engine, small.system, share))
                name = stage.name
            elif small.system.is_linear:
                answer, name = self._by_program(small, (stage,), 1.0)
            else:
                answer = verdicts.Unknown(f"{stage.engine} runs on programs, and this system is not linear")
            if not isinstance(answer, verdicts.Unknown):
                return answer, name
            self.reasons.append(f"{stage.name}: {answer.reason}" if len(stages) > 1 else answer.reason)
        return self._unknown(), ""

    def _unknown(self) -> verdicts.Unknown:
        reason = "; ".join(dict.fromkeys(self.reasons)) or "no engine has an answer"
        return verdicts.Unknown(reason, self.clock.reached)

    def _run(self, engine: SystemEngine, system: System, share: float | None) -> SystemAnswer:
        """What the engine says, from a process of its own."""
        limit = least(share, self.clock.left)

        def work(report: Report) -> tuple[SystemAnswer, Statistics]:
            budget = Budget(limit, lambda progress: report((progress, self.statistics)), statistics=self.statistics)
            return engine.run(system, budget), self.statistics

        def heard(content: Any) -> None:
            progress, self.statistics = content
            self.watch(progress, self.statistics)

        found = within(limit, work, heard)
        if isinstance(found, NotDone):
            return Unknown(found.reason)
        answer, self.statistics = found
        return answer

    def _of_view(self, small: Preprocessed, engine: SystemEngine, share: float | None) -> Answer:
        """An answer found in integers that never overflow, in bits."""
        from craton.horn.ideal import ideal_system

        view = ideal_system(small.system)
        if view is None:
            return verdicts.Unknown("the system has no view in integers")
        answer = self._run(engine, view.system, share)
        match answer:
            case Contradicted(inferences):
                return self._unsatisfiable(small, view.inferences(inferences))
            case Solved(model, by):
                in_bits = view.model(model)
                found = self._satisfiable(small, Solved(in_bits, by))
                return found if isinstance(found, Satisfiable) else self._repaired(small, in_bits, model)
            case Unknown(reason):
                return verdicts.Unknown(reason)

    def _repaired(self, small: Preprocessed, in_bits: Model, ideal: Model) -> Answer:
        """What of a model in integers, and of equations, is a model in bits."""
        from craton.engines.systems import houdini

        limit = self._to_confirm

        def work(report: Report) -> Model | NotDone:
            guesses = houdini.guesses_in_bits(small.system, in_bits, ideal)
            try:
                return houdini.inductive(small.system, guesses, Budget(limit))
            except OutOfTime:
                return NotDone("there was no time to repair it")

        with self.statistics.spending("repairing a model"):
            better = within(limit, work)
        if isinstance(better, NotDone):
            return verdicts.Unknown(f"a model of the view is not one in bits, and {better.reason}")
        return self._satisfiable(small, Solved(better, (houdini.SOLVER,)))

    # --- programs of linear systems ---

    def _by_program(self, small: Preprocessed, stages: Sequence[Stage], share: float) -> tuple[Answer, str]:
        from craton.horn.programs import program_of
        from craton.verification.run import verify_program

        made = program_of(small.system)
        left = self.clock.left
        result = verify_program(made.program, stages, None if left is None else share * left)
        self.statistics = result.statistics
        match result.verdict:
            case Proved(proof):
                return self._satisfiable(
                    small, Solved(made.model(proof.invariants), proof.found_by.solvers)
                ), result.stage
            case Violated() as violated:
                path = made.clauses_of(violated.replay.edges)
                return self._along(small, path), result.stage
            case verdicts.Unknown() as unknown:
                self.reasons.append(unknown.reason)
        return self._unknown(), ""

    def _along(self, small: Preprocessed, path: Sequence[int]) -> Answer:
        """The derivation by clauses along a path, whose facts a solver finds."""
        from craton.trees.feasibility import inferences_of
        from craton.trees.tree import Node, Tree

        nodes = tuple(Node(clause, (number - 1,) if number else ()) for number, clause in enumerate(path))
        found = within(self._to_confirm, lambda report: inferences_of(Tree(small.system, nodes), self._to_confirm))
        if isinstance(found, NotDone):
            return verdicts.Unknown(f"a path to false was found, but {found.reason}")
        return verdicts.Unknown(found) if isinstance(found, str) else self._unsatisfiable(small, found)

    # --- nobody is believed ---

    @property
    def _to_confirm(self) -> float | None:
        return time_to_confirm(self.clock.left)

    def _confirmed(self, small: Preprocessed, answer: SystemAnswer) -> Answer:
        match answer:
            case Solved():
                return self._satisfiable(small, answer)
            case Contradicted(inferences):
                return self._unsatisfiable(small, inferences)
            case Unknown(reason):
                return verdicts.Unknown(reason)

    def _satisfiable(self, small: Preprocessed, found: Solved) -> Satisfiable | verdicts.Unknown:
        begun = running_time()
        checkers = others(found.by) or CHECKERS
        limit = self._to_confirm

        def work(report: Report) -> tuple[Model, Flaw | Confirmed]:
            model = small.model(found.model, None if limit is None else limit / 4)
            if not self.confirm:
                return model, Confirmed((), 0)
            return model, check_model(self.system, model, checkers, limit)

        with self.statistics.spending("checking the model"):
            checked = within(limit, work)
        if isinstance(checked, NotDone):
            return verdicts.Unknown(f"evidence incomplete: a model was found, but {checked.reason}", checked.limit)
        model, verdict = checked
        if isinstance(verdict, Flaw):
            return verdicts.Unknown(f"a model was found but not confirmed: {verdict.problem}")
        by = " and ".join(verdict.by) or "simplification alone"
        used = running_time() - begun
        return Satisfiable(model, found.by, by, verdict.conditions, used, self.confirm)

    def _unsatisfiable(self, small: Preprocessed, inferences: Sequence[Inference]) -> Unsatisfiable | verdicts.Unknown:
        begun = running_time()
        limit = self._to_confirm

        def work(report: Report) -> Unsatisfiable | str:
            derivation = grounded(small, inferences, limit)
            if isinstance(derivation, str):
                return derivation
            problem = check_derivation(self.system, derivation, limit) if self.confirm else ""
            return problem or Unsatisfiable(derivation, "evaluation and a solver", 0.0, self.confirm)

        with self.statistics.spending("checking the derivation"):
            found = within(limit, work)
        if isinstance(found, NotDone):
            return verdicts.Unknown(f"evidence incomplete: false was derived, but {found.reason}", found.limit)
        if isinstance(found, str):
            return verdicts.Unknown(f"false was derived, but this is not confirmed: {found}")
        return replace(found, seconds=running_time() - begun)
