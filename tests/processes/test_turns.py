"""Works that take turns."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from craton.processes.family import figures, resume, suspend_family
from craton.processes.limits import Exceeded, Kind
from craton.processes.running_time import counting, running_time
from craton.processes.supervision import Done, Ended, Ending, Failed, Report
from craton.processes.turns import Game, Player, share_of_round
from support.processes import wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="families are read from /proc")

LONG = 60.0


def player(name: str, work: Callable[[Report], object], share: float = 1.0, most: float | None = None) -> Player:
    return Player(name, share, most, lambda: work)


def works_for(seconds: float) -> Callable[[Report], str]:
    """Busy for so much processor time; then it says so."""

    def work(report: Report) -> str:
        while time.process_time() < seconds:
            pass
        return f"{seconds:g}"

    return work


def for_ever(report: Report) -> None:
    while True:
        report(os.getpid())
        time.sleep(0.01)


def until(seconds: float) -> Callable[[], float]:
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()


def nobody(who: Player, what: object) -> None:
    """Hears nothing."""


def first_done(who: Player, ending: Ending) -> str | None:
    return f"{who.name}: {ending.value}" if isinstance(ending, Done) else None


def test_nobody_stands_in_the_way_of_another() -> None:
    players = [player("endless", for_ever), player("also", for_ever), player("quick", works_for(0.2))]
    assert Game(players, nobody, first_done).result(until(LONG)) == "quick: 0.2"


def test_work_goes_on_where_it_was() -> None:
    """Longer than any of the first turns: it would never end if it began anew each time."""
    players = [player("endless", for_ever), player("long", works_for(1.6))]
    assert Game(players, nobody, first_done).result(until(LONG)) == "long: 1.6"


def test_who_gives_the_turns_has_work_of_its_own_meanwhile() -> None:
    done: list[int] = []
    pieces = [lambda: done.append(1), lambda: done.append(2)]
    game = Game([player("a", lambda report: time.sleep(LONG))], nobody, first_done, meanwhile=pieces)
    assert game.result(until(LONG), lambda: str(done) if len(done) == 2 else None) == "[1, 2]"


def test_all_end_without_a_result() -> None:
    ended: dict[str, Ending] = {}

    def fails(report: Report) -> None:
        raise ValueError("no")

    def dies(report: Report) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def note(who: Player, ending: Ending) -> None:
        ended[who.name] = ending

    players = [player("fails", fails), player("dies", dies), player("capped", for_ever, most=0.3)]
    assert Game(players, nobody, note).result(until(LONG)) is None
    assert isinstance(ended["fails"], Failed)
    assert isinstance(ended["dies"], Ended)
    assert ended["capped"] == Ended(Exceeded(Kind.WALL, 0.3))


def test_the_time_is_over() -> None:
    began = time.monotonic()
    assert Game([player("endless", for_ever), player("also", for_ever)], nobody, first_done).result(until(0.5)) is None
    assert time.monotonic() - began >= 0.5


def test_turns_of_processor_time() -> None:
    """Who sleeps uses up nothing, or nearly so; who works does."""
    used: dict[str, float] = {}

    def works(report: Report) -> None:
        while True:
            report(time.process_time())

    def sleeps(report: Report) -> None:
        while True:
            time.sleep(0.01)
            report(time.process_time())

    def hear(who: Player, what: object) -> None:
        assert isinstance(what, float)
        used[who.name] = what

    with counting(Kind.CPU):
        end = running_time() + 1.0
        Game([player("works", works), player("sleeps", sleeps)], hear, first_done, jobs=2).result(
            lambda: end - running_time()
        )
        assert running_time() >= end
    assert used["works"] > 3 * used["sleeps"]


def test_a_cap_of_processor_time() -> None:
    ended: dict[str, Ending] = {}

    def note(who: Player, ending: Ending) -> bool:
        ended[who.name] = ending
        return True

    with counting(Kind.CPU):
        Game([player("capped", works_for(LONG), most=0.3)], nobody, note).result(lambda: None)
    assert ended["capped"] == Ended(Exceeded(Kind.CPU, 0.3))


def test_nobody_survives_the_game() -> None:
    pids: set[int] = set()

    def hear(who: Player, what: object) -> None:
        assert isinstance(what, int)
        pids.add(what)

    Game([player("endless", for_ever), player("also", for_ever)], hear, first_done).result(until(1.5))
    assert len(pids) == 2
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_one_at_a_time_or_several() -> None:
    """How many work at once is seen from the states of those that have begun, and from the signals on their way."""
    for jobs in (1, 2):
        at_once: Counter[int] = Counter()
        begun: dict[str, int] = {}

        def hear(who: Player, what: object, begun: dict[str, int] = begun, at_once: Counter[int] = at_once) -> None:
            assert isinstance(what, int)
            begun[who.name] = what
            at_once[sum(map(_works, begun.values()))] += 1

        players = [player(name, for_ever) for name in "abc"]
        Game(players, hear, first_done, jobs=jobs).result(until(2.5))
        assert len(begun) == 3
        assert at_once[jobs] and max(at_once) <= jobs


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _works(pid: int) -> bool:
    """Neither stopped, nor told to: where the processor is busy, a process learns of it when it has its next turn."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    waiting = int(status["SigPnd"], 16) | int(status["ShdPnd"], 16)
    return _state(pid) != "T" and not waiting >> (signal.SIGSTOP - 1) & 1


def test_clocks_of_those_who_wait_stand_still() -> None:
    def own_time(report: Report) -> float:
        began = running_time()
        while time.process_time() < 1.2:
            pass
        return running_time() - began

    seen: list[float] = []

    def note(who: Player, ending: Ending) -> bool | None:
        if isinstance(ending, Done):
            seen.append(ending.value)
            return True
        return None

    began = time.monotonic()
    Game([player("endless", for_ever), player("counts", own_time)], nobody, note).result(until(LONG))
    assert seen[0] < time.monotonic() - began - 0.4  # it waited at least for the first turn of the other


def test_who_takes_too_much_memory_is_ended_first() -> None:
    def greedy(report: Report) -> None:
        kept = bytearray(os.urandom(1 << 20) * 300)
        while kept:
            time.sleep(0.01)

    ended: dict[str, Ending] = {}

    def note(who: Player, ending: Ending) -> bool | None:
        ended[who.name] = ending
        return True if who.name == "modest" else None

    players = [player("greedy", greedy), player("modest", works_for(3.0))]
    limit = figures(os.getpid()).resident + 100 * 2**20
    assert Game(players, nobody, note, most_memory=limit).result(until(LONG))
    assert ended["greedy"] == Ended(Exceeded(Kind.MEMORY, limit))


def test_families_are_suspended_whole() -> None:
    with subprocess.Popen(["sh", "-c", "setsid sleep 60 & sleep 60 & wait"]) as shell:
        try:
            while len(members := suspend_family(shell.pid)) < 3:
                resume(members)
                time.sleep(0.05)
            assert wait_until(lambda: all(_state(pid) == "T" for pid in members))
            resume(members)
            assert wait_until(lambda: "T" not in [_state(pid) for pid in members])
        finally:
            for pid in members:
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("jobs", "limit"), [(1, None), (1, 100.0), (1, 3.0), (2, 30.0)])
def test_rounds_grow_and_use_the_time_up(jobs: int, limit: float | None) -> None:
    left, shares = limit, 4.0
    lengths = []
    for number in range(20):
        share = share_of_round(number, shares, None if left is None else left * jobs)
        lengths.append(share)
        if left is not None:
            left -= share * shares / jobs
            assert left >= -1e-9
            if left <= 1e-9:
                break
    assert all(later >= earlier for earlier, later in pairwise(lengths))
    assert left is None or left == pytest.approx(0)
