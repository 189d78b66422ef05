"""Processes and their families: what they use, and how to end them.

A family is a process and all that it started, solvers and workers. Figures come from /proc; where there is none, only
the wall time can be watched.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# A forked child has all terms and translations already; elsewhere they are sent.
_CAN_FORK = "fork" in multiprocessing.get_all_start_methods()
CONTEXT: Any = multiprocessing.get_context("fork" if _CAN_FORK else "spawn")

_PROC = Path("/proc")
_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True)
class Usage:
    """Processor seconds, and bytes of memory that are resident, of a family."""

    cpu: float
    memory: int


def family(pid: int) -> list[int]:
    """The process and its descendants, as far as they can be seen."""
    try:
        threads = list((_PROC / str(pid) / "task").iterdir())
        children = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return [pid]
    return [pid, *(member for child in children for member in family(child))]


def usage(pid: int) -> Usage:
    cpu, memory = 0.0, 0
    for member in family(pid):
        try:
            fields = (_PROC / str(member) / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # utime, stime and those of children that have been waited for
        cpu += sum(map(int, fields[11:15])) / _TICK
        memory += int(fields[21]) * _PAGE
    return Usage(cpu, memory)


def end_family(pid: int) -> None:
    """Ends a process and those it has started, and its group if it leads one: some may have lost their own parent.
    The process is stopped first, so that it starts no more of them.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    for member in family(pid):
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
