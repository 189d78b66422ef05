"""Several works that take turns: each in a process of its own, which is suspended when its turn is over and goes on
where it was when it comes again. Nothing is done twice, and nobody waits for somebody else's end.

Turns come in rounds: a turn is twice as long as it was in the round before. So whatever needs t seconds by itself ends
after a small multiple of t, whoever else is there; and work that goes on for long is rarely interrupted. Seconds are
those of the clock that deadlines are on (`running_time`): of wall time, of the processor time of a player's family, or
of work, as it counts it itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from craton.processes.family import family, figures, memory, resume, suspend_family
from craton.processes.limits import Exceeded, Kind
from craton.processes.running_time import (
    Ledger,
    Suspensions,
    counted,
    counts_work,
    slowed,
    spend,
    told_by,
    unsuspended,
    working,
)
from craton.processes.supervision import Ended, Ending, Report, Worker, end_all
from craton.processes.watch import GLANCE, readable

T = TypeVar("T")

Work = Callable[[Report], Any]
SecondsLeft = Callable[[], float | None]  # for the turns of all together; None: no limit

_ONE_SHARE = 0.025  # seconds in the first round: small programs need no more
_LOOK_AT_MEMORY = 0.5  # seconds between two looks
_LOOK_AT_WORK = 0.01  # the same


@dataclass(frozen=True, slots=True, eq=False)
class Player:
    """Who takes turns. A turn is as long as its share says, relative to the others; `most` is what all its turns are
    at most, in seconds. `prepared` is called when its first turn comes, in the process that gives the turns.
    """

    name: str
    share: float
    most: float | None
    prepared: Callable[[], Work]


class Game(Generic[T]):
    """The players, of whom `jobs` work at the same time.

    `ended` is called with each player who has ended, and how. What it returns, if anything, is the result: the others
    are ended then, whatever they are doing. `heard` gets what they report. `meanwhile` are small pieces of work for who
    gives the turns, and would wait otherwise, while the first ones work.
    """

    def __init__(
        self,
        players: Sequence[Player],
        heard: Callable[[Player, object], None],
        ended: Callable[[Player, Ending], T | None],
        *,
        jobs: int = 1,
        most_memory: int | None = None,
        meanwhile: Iterable[Callable[[], None]] = (),
    ) -> None:
        self._players = players
        self._heard = heard
        self._ended = ended
        self._jobs = jobs
        self._most_memory = most_memory
        self._meanwhile = deque(meanwhile)
        self._seats: dict[Player, _Seat] = {}  # of those who have begun and not ended
        self._out: set[Player] = set()
        self._looked = 0.0
        self.used: dict[Player, float] = {}  # seconds of the turns of those who have ended, or were ended

    def result(self, seconds_left: SecondsLeft, pause: Callable[[], T | None] = lambda: None) -> T | None:
        """None if all have ended without one, or the time is over. `pause` is called between turns, and may have a
        result, too.
        """
        with self._seated():
            for turns in self._rounds(seconds_left):
                waiting, playing = deque(turns), dict[Player, float]()  # who plays, until it has used so much
                while waiting or playing:
                    found = pause()
                    if found is not None:
                        return found
                    self._fill(waiting, playing)
                    found = self._watch(playing, seconds_left)
                    if found is not None:
                        return found
                    left = seconds_left()
                    if left is not None and left <= 0:
                        return None
        return None

    # --- rounds -------------------------------------------------------------------------------------------------------

    def _rounds(self, seconds_left: SecondsLeft) -> Iterator[list[tuple[Player, float]]]:
        number = 0
        while players := [player for player in self._players if player not in self._out]:
            together = sum(player.share for player in players)
            share = share_of_round(number, together, seconds_left())
            yield [(player, player.share * share) for player in players]
            number += 1

    def _fill(self, waiting: deque[tuple[Player, float]], playing: dict[Player, float]) -> None:
        """Those whose turn it is begin, or go on."""
        while waiting and len(playing) < self._jobs:
            player, seconds = waiting.popleft()
            if player in self._out:
                continue
            seat = self._seats.get(player)
            used = 0.0 if seat is None else seat.used
            until = playing[player] = used + seconds if player.most is None else min(used + seconds, player.most)
            if seat is None:
                self._seats[player] = _Seat(player.prepared(), until)
            else:
                seat.go_on(until)

    def _watch(self, playing: dict[Player, float], seconds_left: SecondsLeft) -> T | None:
        """Until the first turn of those that play is over, or there is news."""
        if not playing:
            return None
        left = seconds_left()
        soonest = min(until - self._seats[player].used for player, until in playing.items())
        wait = max(0.0, min(GLANCE * 4, soonest, GLANCE * 4 if left is None else left))
        if counts_work():
            wait = _LOOK_AT_WORK
        streams = [stream for player in playing for stream in self._seats[player].worker.streams]
        if self._meanwhile and not readable(streams, 0.0):
            self._meanwhile.popleft()()
        else:
            readable(streams, wait)
        for player in list(playing):
            seat = self._seats[player]
            used = seat.used  # before its reports are read: none of this turn comes later
            ending = seat.worker.poll()
            for report in seat.worker.receive():
                self._heard(player, report)
            if ending is None and player.most is not None and used >= player.most:
                ending = Ended(Exceeded(counted(), player.most))
            if ending is not None:
                del playing[player]
                found = self._leave(player, ending)
                if found is not None:
                    return found
            elif used >= playing[player]:
                del playing[player]
                seat.account()
                if self._others_wait(player):
                    seat.stop()
        return self._within_memory(playing)

    def _others_wait(self, player: Player) -> bool:
        """Whether it has to make room: with at most as many left as may work at once, all of them just go on. Unless
        work is counted: then it waits by itself.
        """
        return counts_work() or sum(other not in self._out for other in self._players) > self._jobs

    def _leave(self, player: Player, ending: Ending) -> T | None:
        self._out.add(player)
        seat = self._seats.pop(player)
        self.used[player] = seat.used
        seat.account()
        seat.worker.end()
        return self._ended(player, ending)

    # --- memory -------------------------------------------------------------------------------------------------------

    def _within_memory(self, playing: dict[Player, float]) -> T | None:
        """Ends the one that takes the most for its share if all together take too much."""
        limit = self._most_memory
        if limit is None or len(self._seats) < 2 or unsuspended() - self._looked < _LOOK_AT_MEMORY:
            return None
        self._looked = unsuspended()
        members = {player: family(seat.worker.pid) for player, seat in self._seats.items()}
        everybody = [member for some in members.values() for member in some]
        if sum(figures(member).resident for member in everybody) <= limit or memory(everybody) <= limit:
            return None
        taken = {player: sum(figures(member).resident for member in some) for player, some in members.items()}
        worst = max(taken, key=lambda player: taken[player] / player.share)
        playing.pop(worst, None)
        return self._leave(worst, Ended(Exceeded(Kind.MEMORY, limit)))

    @contextmanager
    def _seated(self) -> Iterator[None]:
        try:
            yield
        finally:
            self.used |= {player: seat.used for player, seat in self._seats.items()}
            end_all([seat.worker for seat in self._seats.values()])
            self._seats.clear()


def share_of_round(number: int, together: float, left: float | None) -> float:
    """How long a turn of share one is in a round, all turns being `together` shares.

    A round is twice as long as the one before, unless the time ends before the round after it does: then it takes all
    that is left, so that everybody has a part of it.
    """
    usual = _ONE_SHARE * 2.0**number
    return usual if left is None or usual * together * 3 <= left else left / together


@dataclass(slots=True)
class _Seat:
    """A process that can be suspended."""

    work: Work
    until: float  # it may use so much at first
    suspensions: Suspensions = field(default_factory=Suspensions)
    ledger: Ledger | None = None
    worker: Worker = field(init=False)
    _begun: float = field(default_factory=unsuspended)
    _stopped: list[int] = field(default_factory=list)  # processes
    _since: float = 0.0
    _most_used: float = 0.0
    _accounted: float = 0.0

    def __post_init__(self) -> None:
        if counts_work():
            self.ledger = Ledger()
            self.ledger.allow(self.until)
        self.worker = Worker(partial(_under, self.suspensions, self.ledger, self.work))

    @property
    def used(self) -> float:
        """The seconds of its turns."""
        if self.ledger is not None:
            return self.ledger.used
        until = self._since if self._stopped else unsuspended()
        wall = until - self._begun - self.suspensions.seconds
        if counted() is Kind.WALL:
            return wall
        processor = sum(figures(member).cpu for member in family(self.worker.pid))
        self._most_used = max(self._most_used, slowed(processor, wall))  # some may have ended since
        return self._most_used

    def stop(self) -> None:
        self._stopped = suspend_family(self.worker.pid)
        self._since = unsuspended()

    def account(self) -> None:
        """Its work is work of who gives the turns, too."""
        if self.ledger is not None:
            spend(self.ledger.used - self._accounted)
            self._accounted = self.ledger.used

    def go_on(self, until: float) -> None:
        if self.ledger is not None:
            self.ledger.allow(until)
        if self._stopped:
            self.suspensions.add(unsuspended() - self._since)
            stopped, self._stopped = self._stopped, []
            resume(stopped)


def _under(suspensions: Suspensions, ledger: Ledger | None, work: Work, report: Report) -> Any:
    with told_by(suspensions), nullcontext() if ledger is None else working(ledger):
        return work(report)
