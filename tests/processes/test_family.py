"""Families: who belongs to one, what it uses, and that nobody is left when it is ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from textwrap import dedent

import pytest

from craton.processes.family import end_family, family, figures, memory, usage
from craton.processes.limits import Exceeded, Kind, Limits
from craton.processes.watch import Scope, Watch
from support.processes import needs_proc, running, wait_until

pytestmark = needs_proc


def test_a_family_is_seen_used_up_and_ended() -> None:
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    parent = subprocess.Popen([sys.executable, "-c", script])
    try:
        assert wait_until(lambda: len(family(parent.pid)) == 2)
        members = family(parent.pid)
        assert members[0] == parent.pid
        assert usage(parent.pid).memory > usage(members[1]).memory > 0
    finally:
        end_family(parent.pid)
    assert parent.wait(5) == -signal.SIGKILL
    assert wait_until(lambda: not any(map(running, members)))


def test_a_process_that_is_gone_uses_nothing_and_is_no_trouble() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert family(gone.pid) == [gone.pid]
    assert usage(gone.pid).memory == 0
    end_family(gone.pid)


# --- memory -----------------------------------------------------------------------------------------------------------

MIB = 2**20


@pytest.fixture(scope="module")
def forked() -> Iterator[int]:
    """A process with 100 MiB that has forked three times, and does nothing more."""
    script = """
        import os, time
        held = bytearray(b"x" * (100 << 20))
        if os.fork() and os.fork():
            os.fork()
        print("ready", flush=True)
        time.sleep(600)
    """
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", dedent(script)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(4):
        assert process.stdout.readline() == b"ready\n"
    yield process.pid
    end_family(process.pid)
    process.wait()
    process.stdout.close()


def test_pages_that_forks_share_count_once(forked: int) -> None:
    members = family(forked)
    assert len(members) == 4
    assert sum(figures(member).resident for member in members) > 400 * MIB
    assert 100 * MIB < usage(forked).memory < 150 * MIB
    assert 100 * MIB < memory(members[1:]) < 150 * MIB, "without the one that they were forked from"
    assert 100 * MIB < memory(members[:1]) < 150 * MIB, "what is shared with others counts in full"


def test_memory_of_their_own_counts_for_each() -> None:
    code = "import time; held = bytearray(b'x' * (50 << 20)); print('ready', flush=True); time.sleep(600)"
    both = [subprocess.Popen([sys.executable, "-I", "-S", "-c", code], stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for process in both:
            assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        assert 100 * MIB < memory([process.pid for process in both]) < 150 * MIB
    finally:
        for process in both:
            process.kill()
            process.communicate()


def test_a_limit_is_for_memory_that_is_used_and_not_for_what_seems_to_be(forked: int) -> None:
    watch = Watch(forked, Limits(memory=200 * MIB))
    assert watch.look() is None
    assert 100 * MIB < watch.peak.memory < 150 * MIB
    assert Watch(forked, Limits(memory=80 * MIB)).look() == Exceeded(Kind.MEMORY, 80 * MIB)


def test_a_watch_of_descendants_leaves_out_the_first(forked: int) -> None:
    assert Watch(forked, Limits(), most_processes=3).look() == Exceeded(Kind.PROCESSES, 3)
    assert Watch(forked, Limits(), most_processes=3, scope=Scope.DESCENDANTS).look() is None


def test_who_watches_uses_processor_time_too(forked: int) -> None:
    alone, together = Watch(forked, Limits()), Watch(forked, Limits(cpu=0.05), scope=Scope.FAMILY_AND_WATCHER)
    begun = time.thread_time()
    while time.thread_time() - begun < 0.06:
        pass
    assert together.look() == Exceeded(Kind.CPU, 0.05)
    assert alone.look() is None and together.peak.cpu >= alone.peak.cpu + 0.05


def test_a_peak_stays() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        assert wait_until(lambda: usage(process.pid).memory > MIB)  # not yet while it starts
        watch = Watch(process.pid, Limits())
        watch.look()
    finally:
        process.kill()
        process.wait()
    peak = watch.peak
    assert peak.memory > MIB
    assert watch.last_look() == peak
