"""Processes as tests see them: who is there, and who is gone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="families are seen through /proc")


def running(pid: int) -> bool:
    """Whether a process is there and has not ended; one that nobody has asked about yet counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether it has come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def processes_about(mark: str) -> list[str]:
    """Processes whose command line has the mark."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if mark in command and running(int(entry.name)) and int(entry.name) != os.getpid():
            found.append(command)
    return found
