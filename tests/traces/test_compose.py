"""Refiners made of refiners: who is asked, whose answer counts, and that losers end."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from craton.configuration.refiners import refiner
from craton.logic import FALSE, TRUE, Model, add, eq, int_
from craton.traces.compose import Fallback, Memo, Race, UntilPerfect
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.newton import Newton
from craton.traces.refutation import Answer, Feasible, GaveUp, Quality, Refiner, Refutation, law_violation
from craton.traces.trace import Trace
from support.judge import SOLVERS, Judge
from support.newtons import IT_SP, IT_SP_LV
from support.traces import INFEASIBLE

COUNTERS = INFEASIBLE["counter pair, one round"]
OTHER = INFEASIBLE["contradictory assumptions"]


@dataclass
class Says(Refiner):
    """A refiner that always says the same, and counts how often."""

    answer: Answer
    name: str = "says"
    asked: int = field(default=0, compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        self.asked += 1
        return self.answer


def sequence(name: str) -> Refutation:
    return Refutation((TRUE, FALSE), name)


def invariant(name: str) -> Refutation:
    """A perfect sequence for COUNTERS."""
    i, j = COUNTERS.variable("i"), COUNTERS.variable("j")
    same = eq(i, j)
    return Refutation((TRUE, eq(i, int_(0)), same, same, eq(i, add(j, int_(1))), same, same, FALSE), name)


def imperfect(name: str) -> Refutation:
    answer = Newton(core=None, live=False).refute(COUNTERS.trace)
    assert isinstance(answer, Refutation)
    return Refutation(answer.assertions, name)


GAVE_UP = GaveUp("no idea")


# --- fallback ---------------------------------------------------------------------------------------------------------


def test_fallback_takes_the_first_answer() -> None:
    a, b, c = Says(GAVE_UP), Says(sequence("b")), Says(sequence("c"))
    assert Fallback((a, b, c)).refute(COUNTERS.trace) == sequence("b")
    assert (a.asked, b.asked, c.asked) == (1, 1, 0)


def test_fallback_gives_every_reason() -> None:
    both = Fallback((Says(GaveUp("too hard"), "a"), Says(GaveUp("too long"), "b")))
    assert both.refute(COUNTERS.trace) == GaveUp("a: too hard; b: too long")


def test_fallback_believes_in_feasibility() -> None:
    feasible = Feasible(Model({}))
    b = Says(sequence("b"))
    assert Fallback((Says(feasible), b)).refute(COUNTERS.trace) is feasible
    assert b.asked == 0


def test_a_trace_that_comes_back_goes_to_the_next() -> None:
    memory = RunMemory()
    chain = Fallback((Says(sequence("a")), Says(sequence("b")), Says(sequence("c"))))
    turns = [chain.refute(COUNTERS.trace, memory) for _ in range(4)]
    assert [t.by for t in turns if isinstance(t, Refutation)] == ["a", "b", "c", "a"]
    other = chain.refute(OTHER.trace, memory)
    assert isinstance(other, Refutation) and other.by == "a"


def test_the_same_edges_are_the_same_trace() -> None:
    memory = RunMemory()
    chain = Fallback((Says(sequence("a")), Says(sequence("b"))))
    chain.refute(Trace(COUNTERS.trace.edges), memory)
    assert chain.refute(Trace((*COUNTERS.trace.edges[:3], *COUNTERS.trace.edges[3:])), memory) == sequence("b")


def test_a_returned_trace_skips_who_gives_up() -> None:
    memory = RunMemory()
    chain = Fallback((Says(sequence("a")), Says(GAVE_UP), Says(sequence("c"))))
    assert chain.refute(COUNTERS.trace, memory) == sequence("a")
    assert chain.refute(COUNTERS.trace, memory) == sequence("c")
    assert chain.refute(COUNTERS.trace, memory) == sequence("a")


# --- until perfect ----------------------------------------------------------------------------------------------------


def test_until_perfect_takes_the_first_perfect_sequence() -> None:
    a, b, c, d = Says(GAVE_UP), Says(imperfect("b")), Says(invariant("c")), Says(invariant("d"))
    answer = UntilPerfect((a, b, c, d)).refute(COUNTERS.trace)
    assert answer == replace(invariant("c"), quality=Quality.PERFECT)
    assert d.asked == 0


def test_until_perfect_takes_the_first_of_none() -> None:
    memory = RunMemory()
    a, b = Says(imperfect("a")), Says(imperfect("b"))
    chain = UntilPerfect((Says(GAVE_UP), a, b))
    assert chain.refute(COUNTERS.trace, memory) == replace(imperfect("a"), quality=Quality.TRACE)
    assert (a.asked, b.asked) == (1, 1)
    again = chain.refute(COUNTERS.trace, memory)
    assert again == replace(imperfect("b"), quality=Quality.TRACE), "the next time, the next one"


def test_the_note_of_a_perfect_sequence_keeps_the_others() -> None:
    answer = UntilPerfect((Says(replace(invariant("a"), core=frozenset((1,)))),)).refute(COUNTERS.trace)
    assert isinstance(answer, Refutation)
    assert (answer.core, answer.perfect) == (frozenset((1,)), True)


def test_until_perfect_gives_every_reason() -> None:
    assert UntilPerfect((Says(GAVE_UP, "a"), Says(GAVE_UP, "b"))).refute(COUNTERS.trace) == GaveUp(
        "a: no idea; b: no idea"
    )


def test_until_perfect_believes_in_feasibility() -> None:
    feasible = Feasible(Model({}))
    assert UntilPerfect((Says(feasible), Says(invariant("b")))).refute(COUNTERS.trace) is feasible


# --- memo -------------------------------------------------------------------------------------------------------------


def test_memo_asks_once() -> None:
    memory = RunMemory()
    inner = Says(sequence("a"))
    memo = Memo(inner)
    assert memo.refute(COUNTERS.trace, memory) is memo.refute(COUNTERS.trace, memory)
    assert inner.asked == 1
    memo.refute(OTHER.trace, memory)
    assert inner.asked == 2


def test_memo_stops_fallback_from_moving_on() -> None:
    memory = RunMemory()
    memo = Memo(Fallback((Says(sequence("a")), Says(sequence("b")))))
    assert memo.refute(COUNTERS.trace, memory) == memo.refute(COUNTERS.trace, memory) == sequence("a")


# --- race -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hangs(Refiner):
    """Writes the number of its process, and then sleeps."""

    file: Path
    name: str = "hangs"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        self.file.write_text(str(os.getpid()))
        time.sleep(120)
        return GAVE_UP


@dataclass(frozen=True)
class Spins(Refiner):
    """Hangs where no signal handler of Python gets a turn: a solver that does not look at the clock."""

    file: Path
    name: str = "spins"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        import re

        self.file.write_text(str(os.getpid()))
        assert re.match("(a+)+$", "a" * 40 + "b") is None
        return GAVE_UP


@dataclass(frozen=True)
class Raises(Refiner):
    name: str = "raises"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        raise ValueError("a bug")


@dataclass(frozen=True)
class Dies(Refiner):
    name: str = "dies"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        os._exit(13)


@dataclass(frozen=True)
class After(Refiner):
    """Answers when a file is there, so that the order of events is known."""

    file: Path
    answer: Answer
    name: str = "after"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        while not (self.file.exists() and self.file.read_text()):
            time.sleep(0.005)
        return self.answer


def is_gone(pid: int) -> bool:
    """Within a second: the process is dead, or waits only for somebody to take note."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


def test_race_takes_the_first_answer() -> None:
    answer = Race((IT_SP_LV, IT_SP)).refute(COUNTERS.trace)
    assert isinstance(answer, Refutation)
    assert law_violation(COUNTERS.trace, answer, Judge(SOLVERS)) == ""


@pytest.mark.parametrize("kind", [Hangs, Spins])
def test_losers_end(kind: type[Hangs] | type[Spins], tmp_path: Path) -> None:
    file = tmp_path / "pid"
    start = time.monotonic()
    assert Race((kind(file), After(file, sequence("b")))).refute(COUNTERS.trace) == sequence("b")
    assert time.monotonic() - start < 60
    assert is_gone(int(file.read_text()))


@pytest.mark.parametrize("loser", [Raises(), Dies(), Says(GAVE_UP)], ids=["raises", "dies", "gives up"])
def test_who_gives_up_or_crashes_loses(loser: Refiner) -> None:
    assert Race((loser, Says(sequence("b")))).refute(COUNTERS.trace) == sequence("b")


def test_race_gives_every_reason() -> None:
    answer = Race((Raises(), Dies(), Says(GAVE_UP))).refute(COUNTERS.trace)
    assert isinstance(answer, GaveUp)
    assert sorted(answer.reason.split("; ")) == ["dies: its process died", "raises: ValueError: a bug", "says: no idea"]


def test_a_race_without_end_ends(tmp_path: Path) -> None:
    marks = [tmp_path / "a", tmp_path / "b"]
    start = time.monotonic()
    answer = Race((Hangs(marks[0]), Hangs(marks[1])), time_limit=1.5).refute(COUNTERS.trace)
    assert isinstance(answer, GaveUp) and answer.reason.count("no answer in time") == 2
    assert time.monotonic() - start < 20
    assert all(is_gone(int(mark.read_text())) for mark in marks)


def test_what_a_race_allows_itself() -> None:
    assert refiner("newton(it, sp, time=3)").allowance == 3
    assert refiner("fallback(newton(it, sp, time=3), memo(craig(z3, time=4)))").allowance == 7
    assert refiner("lean(newton(it, sp, time=3, level=edge))").allowance == 5
    assert refiner("until-perfect(newton(it, time=3), newton(wp, time=4))").allowance == 13
    assert refiner("race(newton(it, time=3), newton(wp, time=4))").allowance == 8
    assert refiner("race(newton(it, time=3), newton(wp, time=4), time=1)").allowance == 1


def test_refiners_remember_what_they_did_in_a_race() -> None:
    """A trace that comes back goes to the next refiner there too, and a memo need not ask again."""
    memory = RunMemory()
    race = Race((Fallback((Says(sequence("a")), Says(sequence("b")))), Says(GAVE_UP)))
    turns = [race.refute(COUNTERS.trace, memory) for _ in range(3)]
    assert [t.by for t in turns if isinstance(t, Refutation)] == ["a", "b", "a"]
    memory = RunMemory()  # of another run: equal refiners remember the same
    inner = Memo(Fallback((Says(sequence("a")), Says(sequence("b")))))
    inside = Race((Race((inner, Says(GAVE_UP))), Says(GAVE_UP)))
    assert [inside.refute(COUNTERS.trace, memory) for _ in range(2)] == [sequence("a")] * 2
    assert inner.refute(COUNTERS.trace, memory) == sequence("a"), "what it said in the race"


def test_a_race_in_a_race(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    inner = Race((Hangs(first), Hangs(second)))
    assert Race((inner, After(first, sequence("b")))).refute(COUNTERS.trace) == sequence("b")
    assert is_gone(int(first.read_text()))
    if second.exists() and second.read_text():
        assert is_gone(int(second.read_text()))
    assert Race((Race((Says(GAVE_UP), Says(sequence("a")))), Says(GAVE_UP))).refute(COUNTERS.trace) == sequence("a")


def test_the_solver_process_of_a_loser_ends(tmp_path: Path) -> None:
    """A solver that computes does not read its input, so it would not notice that its owner is gone."""
    file = tmp_path / "pid"
    script = tmp_path / "busy.py"
    script.write_text(
        f"import os, time\nopen({str(file)!r}, 'w').write(str(os.getpid()))\nwhile True:\n    time.sleep(0.01)\n"
    )
    busy = Newton(solver=f"{sys.executable} {script}", time_limit=100.0)
    assert Race((busy, After(file, sequence("b")))).refute(COUNTERS.trace) == sequence("b")
    assert is_gone(int(file.read_text()))


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "fallback(newton(it,sp,lv), craig(z3))",
        "until-perfect(newton(sp), memo(craig(cvc5)), newton(wp,lv))",
        "race(newton(it,sp), newton(it,wp))",
        "memo(fallback(race(newton(sp), newton(wp)), until-perfect(newton(it,sp,lv), craig(z3))))",
    ],
)
def test_compositions_compose(expression: str) -> None:
    composed = refiner(expression)
    assert composed.name == expression
    answer = composed.refute(COUNTERS.trace)
    assert isinstance(answer, Refutation)
