"""Attempts that take turns: each is a process that is suspended when its turn is over, so none stands in another's way.
The first that is confirmed decides.

Stages on a program, stages on a system of Horn clauses, and whole runs of the spine on another program (a recursive one
unrolled, a linear system as a program) are attempts alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from craton.configuration.stages import Stage
from craton.engines.contract import Budget, Lemma, Progress, Statistics
from craton.processes.board import Board
from craton.processes.limits import least
from craton.processes.running_time import running_time
from craton.processes.supervision import Ending, Report
from craton.processes.turns import Game, Player, Work
from craton.verification.context import Context
from craton.verification.isolation import GRACE, NotDone, value_of
from craton.verification.knowledge import Knowledge
from craton.verification.scheduling import Clock, Patience

_LEAST_PATIENCE = 1.5  # seconds
AGAIN_SHARE = 1 / 3  # of the time, for asking again about answers that could not be confirmed
_TELL = 0.1  # seconds between two reports of progress

J = TypeVar("J")
K = TypeVar("K")

Found = Callable[[Budget], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Attempt(Generic[J]):
    """One way to an answer, with its share of the time and what it has of it at most.

    `prepared` makes its work for a number of seconds when its first turn comes: a function that reports (progress,
    statistics) and returns (what was found, statistics). `judged` makes of what was found, or of why nothing was, what
    is to be believed of it.
    """

    name: str
    share: float
    seconds: float | None
    prepared: Callable[[float | None], Work]
    judged: Callable[[Any], J]

    @classmethod
    def of(
        cls, stage: Stage, prepared: Callable[[float | None], Work], judged: Callable[[Any], J], name: str = ""
    ) -> Attempt[J]:
        return cls(name or stage.name, stage.share, stage.seconds, prepared, judged)

    def then(self, judged: Callable[[J], K]) -> Attempt[K]:
        """The same, judged further."""
        return Attempt(self.name, self.share, self.seconds, self.prepared, lambda found: judged(self.judged(found)))


@dataclass(slots=True)
class Portfolio(Generic[J]):
    """Attempts that take turns. What they count is added to the run's statistics in the end."""

    attempts: Sequence[Attempt[J]]
    context: Context
    knowledge: Knowledge | None = None  # of those that look at the same program
    meanwhile: Sequence[Callable[[], None]] = ()  # see `Game`
    counted: dict[Player, Statistics] = field(default_factory=dict)  # what each has counted, as far as it has told

    def result(
        self, clock: Clock, decides: Callable[[Attempt[J], J], Any], pause: Callable[[], Any] = lambda: None
    ) -> Any:
        """What `decides` makes of the first judgement of which it makes something, or `pause` between two turns."""
        players = {
            Player(attempt.name, attempt.share, attempt.seconds, self._preparation(attempt, clock)): attempt
            for attempt in self.attempts
        }

        waiting = _PutAside(self.context.patience, decides, alone=len(players) == 1)

        def ended(player: Player, ending: Ending) -> Any:
            attempt, found = players[player], value_of(ending)
            if not isinstance(found, NotDone):
                found, self.counted[player] = found
            return waiting.verdict(attempt, found)

        def between() -> Any:
            decided = pause()
            return waiting.next() if decided is None else decided

        def left() -> float | None:
            seconds = clock.left_for(jobs)
            return seconds if seconds is None or len(players) > 1 else seconds + GRACE  # who is alone says why it ends

        jobs = self.context.jobs
        memory = self.context.most_memory
        game = Game(tuple(players), self._heard, ended, jobs=jobs, most_memory=memory, meanwhile=self.meanwhile)
        try:
            decided = game.result(left, between)
            return waiting.last(clock) if decided is None else decided
        finally:
            self.context.statistics = self._together()
            self.context.statistics.took_turns((player.name, used) for player, used in game.used.items())

    def _preparation(self, attempt: Attempt[J], clock: Clock) -> Callable[[], Work]:
        return lambda: attempt.prepared(least(attempt.seconds, clock.left))

    def _heard(self, player: Player, content: Any) -> None:
        if isinstance(content, Lemma):
            if self.knowledge is not None:
                self.knowledge.learn(content)
            return
        progress, self.counted[player] = content
        by = f"{player.name}: {progress.by}" if progress.by else player.name
        self.context.watch(replace(progress, by=by if len(self.attempts) > 1 else progress.by), self._together())

    def _together(self) -> Statistics:
        return Statistics.sum((self.context.statistics, *(self._named(*one) for one in self.counted.items())))

    @staticmethod
    def _named(player: Player, counted: Statistics) -> Statistics:
        """What it has written down, with its name."""
        return replace(counted, log=[replace(entry, stage=player.name) for entry in counted.log])


class _PutAside(Generic[J]):
    """Answers that could not be confirmed in as much time as has passed before them are put aside until half as much
    time again has passed, so that what is found later and confirmed at once need not wait for them. Asking again has a
    third of the time at most: many answers are never confirmed.
    """

    def __init__(self, patience: Patience, decides: Callable[[Attempt[J], J], Any], alone: bool) -> None:
        self.patience = patience
        self.decides = decides
        self.alone = alone
        self.begun = running_time()
        self.aside: deque[tuple[float, Attempt[J], Any]] = deque()  # when they come again
        self.again = 0.0  # seconds that asking again has taken

    def verdict(self, attempt: Attempt[J], found: Any) -> Any:
        """What is decided now; None, also if the answer is put aside."""
        passed = running_time() - self.begun
        return self._within(None if self.alone else max(_LEAST_PATIENCE, passed), attempt, found)

    def next(self) -> Any:
        """What is decided of the first answer whose time has come, if there is one."""
        now = running_time()
        if not self.aside or self.aside[0][0] > now or self.again > AGAIN_SHARE * (now - self.begun):
            return None
        _, attempt, found = self.aside.popleft()
        decided = self.verdict(attempt, found)
        self.again += running_time() - now
        return decided

    def last(self, clock: Clock) -> Any:
        """What is decided of all that are left, when nobody waits any more."""
        while self.aside and not clock.is_over:
            _, attempt, found = self.aside.popleft()
            decided = self._within(None, attempt, found)
            if decided is not None:
                return decided
        return None

    def _within(self, seconds: float | None, attempt: Attempt[J], found: Any) -> Any:
        self.patience.begin(seconds)
        decided = self.decides(attempt, attempt.judged(found))
        again = decided is None and self.patience.was_too_short
        self.patience.begin(None)
        if again:
            now = running_time()
            self.aside.append((now + (now - self.begun) / 2, attempt, found))
        return decided


def budgeted(find: Found, seconds: float | None, board: Board | None = None) -> Work:
    """Work with a budget of so many seconds, which tells how it gets on now and then; and, where there is a board, what
    it knows of the program.
    """

    def work(report: Report) -> tuple[Any, Statistics]:
        statistics, told = Statistics(), 0.0

        def tell(progress: Progress) -> None:  # a few times a second: more is of use to nobody, and costs
            nonlocal told
            if running_time() - told >= _TELL:
                told = running_time()
                report((progress, statistics))

        budget = Budget(seconds, tell, statistics=statistics)
        if board is not None:
            budget.tell, budget.news = report, board.news
        return find(budget), statistics

    return work


def within_a_run(context: Context, find: Callable[[Context], Any], seconds: float | None) -> Work:
    """Work that is a run of the spine itself, and has attempts of its own: within so many seconds, and not beside the
    runs that may veto, which are for whoever is told the answer.
    """

    def work(report: Report) -> tuple[Any, Statistics]:
        def watch(progress: Progress, statistics: Statistics) -> None:
            report((progress, statistics))

        clock = context.clock.part(seconds)
        inner = replace(
            context, clock=clock, patience=Patience(), veto=None, statistics=Statistics(), watch=watch, jobs=1
        )
        return find(inner), inner.statistics

    return work


def told(reasons: Mapping[str, Sequence[str]], attempts: int) -> str:
    """Each reason once, after the attempts that gave it if there are several."""
    return "; ".join(f"{', '.join(names)}: {why}" if names and attempts > 1 else why for why, names in reasons.items())
