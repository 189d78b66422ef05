"""Programs of others: ended at their limits with all they have started, and told for what they did."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.processes.limits import Exceeded, Kind
from craton.processes.sandbox import Ending, run_tool
from support.processes import needs_proc, running, wait_until


@needs_proc
def test_a_tool_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    script = "sleep 600 & echo $!; setsid sleep 600 & echo $!; sh -c 'sleep 600 & echo $!; wait' & echo $!; wait"
    ending, said = run_tool(("sh", "-c", script), tmp_path, 0.5, 1 << 30)
    assert ending.exceeded == Exceeded(Kind.WALL, 0.5)
    started = [int(line) for line in said.split()]
    assert len(started) == 4
    assert wait_until(lambda: not any(map(running, started)))  # a signal takes a moment


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        (Ending(3), "ends with exit code 3"),
        (Ending(-11), "dies of signal 11"),
        (Ending(None, Exceeded(Kind.WALL, 2.0)), "is ended: its time is over"),
        (Ending(None, Exceeded(Kind.MEMORY, 64 << 20)), "is ended: it uses more than 64 MiB of memory"),
    ],
)
def test_an_ending_is_told(ending: Ending, told: str) -> None:
    assert str(ending) == told


def test_a_tool_says_something_and_ends(tmp_path: Path) -> None:
    assert run_tool(("sh", "-c", "echo first; echo second >&2; exit 3"), tmp_path, 20, 1 << 30) == (
        Ending(3),
        "first\nsecond\n",
    )
