"""Families: who belongs to one, what it uses, and that nobody is left when it is ended."""

from __future__ import annotations

import signal
import subprocess
import sys

from craton.processes.family import end_family, family, usage
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
