"""Stages that take turns: each is a process that is suspended when its turn is over, so none stands in another's way.
The first answer that is confirmed is the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Engine, EngineAnswer, Progress, Statistics
from craton.processes.running_time import running_time
from craton.processes.supervision import Ending, Report
from craton.processes.turns import Game, Player, Work
from craton.program.cfa import Program
from craton.smt import make_solver
from craton.verdicts.verdict import Unknown, Verdict
from craton.verification.context import Context
from craton.verification.isolation import NotDone, value_of
from craton.verification.scheduling import Clock, least
from craton.verification.stage_programs import StagePrograms
from craton.verification.stages import engine_of, is_testing
from craton.verification.testing import tested

_TELL = 0.1  # seconds between two reports of progress

Judge = Callable[[Stage, EngineAnswer | NotDone], Verdict]


@dataclass(slots=True)
class Portfolio:
    """The stages of a run on one program. `judge` makes a verdict of an engine's answer."""

    stages: Sequence[Stage]
    programs: StagePrograms
    context: Context
    judge: Judge
    counted: dict[Player, Statistics] = field(default_factory=dict)  # what each has counted, as far as it has told

    def result(self, clock: Clock, decides: Callable[[Stage, Verdict], Any], pause: Callable[[], Any]) -> Any:
        """What `decides` makes of the first verdict of which it makes something, or `pause` between two turns."""
        players = {
            Player(stage.name, stage.share, stage.seconds, self._preparation(stage, clock)): stage
            for stage in self.stages
            if self.programs.can_be_seen(stage)
        }

        def ended(player: Player, ending: Ending) -> Any:
            stage = players[player]
            return decides(stage, self._verdict(player, stage, value_of(ending)))

        limits = self.context
        game = Game(tuple(players), self._heard, ended, jobs=limits.jobs, most_memory=limits.most_memory)
        try:
            return game.result(lambda: clock.left_for(limits.jobs), pause)
        finally:
            self.context.statistics = self._together()

    def _preparation(self, stage: Stage, clock: Clock) -> Callable[[], Work]:
        def prepared() -> Work:
            seconds = least(stage.seconds, clock.left)
            if is_testing(stage):
                alone = replace(self.context, veto=None, statistics=Statistics())
                return lambda report: (tested(alone, stage, self.programs.whole, seconds), alone.statistics)
            engine = engine_of(stage)
            make_solver(stage.solver).close()  # its library is loaded once, for all processes that are forked from here
            program = self.programs.prepared(stage, engine.blocks, self.context.statistics).program
            return lambda report: engine_answer(engine, program, seconds, Statistics(), report)

        return prepared

    def _heard(self, player: Player, content: Any) -> None:
        progress, self.counted[player] = content
        self.context.watch(replace(progress, by=player.name), self._together())

    def _verdict(self, player: Player, stage: Stage, found: Any) -> Verdict:
        if isinstance(found, NotDone):
            return Unknown(found.reason, found.limit) if is_testing(stage) else self.judge(stage, found)
        answer, self.counted[player] = found
        return answer if is_testing(stage) else self.judge(stage, answer)

    def _together(self) -> Statistics:
        return Statistics.sum((self.context.statistics, *(self._named(*one) for one in self.counted.items())))

    @staticmethod
    def _named(player: Player, counted: Statistics) -> Statistics:
        """What it has written down, with its name."""
        return replace(counted, log=[replace(entry, stage=player.name) for entry in counted.log])


def engine_answer(
    engine: Engine, program: Program, seconds: float | None, statistics: Statistics, report: Report
) -> tuple[EngineAnswer, Statistics]:
    """What the engine says, and what it has counted; it tells both how it gets on now and then."""
    told = 0.0

    def tell(progress: Progress) -> None:  # a few times a second: more is of use to nobody, and costs
        nonlocal told
        if running_time() - told >= _TELL:
            told = running_time()
            report((progress, statistics))

    return engine.run(program, Budget(seconds, tell, statistics=statistics)), statistics
