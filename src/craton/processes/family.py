"""Families of processes: their members, what they use, how to end them.

A family is a process and everything it started: solvers, workers and their children. Figures come from /proc; on
systems without it, a family is just its first process, and only wall time can be watched.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from craton.processes.limits import Usage

_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def family(pid: int) -> list[int]:
    """The process and its descendants, as far as /proc shows them."""
    return [pid, *(member for child in children(pid) for member in family(child))]


def children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        return [int(child) for thread in threads for child in _content(f"/proc/{pid}/task/{thread}/children").split()]
    except OSError:
        return []


# --- what they use ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figures:
    """Processor time of a process and of the children it has waited for; and its resident bytes."""

    own: float
    waited: float
    resident: int

    @property
    def cpu(self) -> float:
        return self.own + self.waited


_GONE = Figures(0.0, 0.0, 0)


def figures(pid: int) -> Figures:
    try:
        fields = _content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return _GONE
    user, system, waited_user, waited_system = (int(field) / _TICK for field in fields[11:15])
    return Figures(user + system, waited_user + waited_system, int(fields[21]) * _PAGE)


def memory(members: Iterable[int]) -> int:
    """The bytes that processes use together, where a shared page counts once.

    The kernel does not say who shares which pages, but it gives two lower bounds: the private pages of each process
    plus the most that one of them shares, which is exact for forks of one process; and all pages divided by the number
    of their users, which is exact if nobody else uses them. The sum of the resident sizes is an upper bound and much
    cheaper: for the others the kernel walks through all pages, which takes 10 ms per GiB.
    """
    found = [_pages(member) for member in members]
    alone = sum(pages.private for pages in found)
    return max(alone + max((pages.shared for pages in found), default=0), sum(pages.proportional for pages in found))


@dataclass(frozen=True, slots=True)
class _Pages:
    """Resident bytes: private, shared, and with shared ones divided by the number of processes that have them."""

    private: int
    shared: int
    proportional: int


def _pages(pid: int) -> _Pages:
    try:
        fields = [line.split() for line in _content(f"/proc/{pid}/smaps_rollup").splitlines()[1:]]
    except ProcessLookupError:  # it has just ended
        return _Pages(0, 0, 0)
    except OSError:  # an old kernel, or another user's process
        resident = figures(pid).resident
        return _Pages(resident, 0, resident)
    size = {name: 1024 * int(number) for name, number, *_ in fields}
    private = size.get(b"Private_Clean:", 0) + size.get(b"Private_Dirty:", 0)
    shared = size.get(b"Shared_Clean:", 0) + size.get(b"Shared_Dirty:", 0)
    return _Pages(private, shared, size.get(b"Pss:", 0))


def usage(pid: int) -> Usage:
    """What the family uses now; for repeated checks use a `Watch`."""
    members = family(pid)
    return Usage(sum(figures(member).cpu for member in members), memory(members))


def available() -> int | None:
    """The bytes of memory that the machine could give to new processes; None if it does not say."""
    try:
        fields = dict(line.split(b":", 1) for line in _content("/proc/meminfo").splitlines())
        return 1024 * int(fields[b"MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        return None


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


# --- suspending them --------------------------------------------------------------------------------------------------


def suspend_family(pid: int) -> list[int]:
    """Stops a process and its descendants and returns all of them. Parents come first: who is stopped starts nobody.
    A signal may take a moment to arrive, so it looks until it finds nobody new.
    """
    stopped: dict[int, None] = {}
    while new := [member for member in family(pid) if member not in stopped]:
        for member in new:
            _signal(member, signal.SIGSTOP)
        stopped |= dict.fromkeys(new)
    return list(stopped)


def resume(members: Iterable[int]) -> None:
    """Lets processes go on that were stopped."""
    for member in members:
        _signal(member, signal.SIGCONT)


# --- ending them ------------------------------------------------------------------------------------------------------


def end_family(pid: int) -> None:
    """Kills a process and its descendants, and its group if it leads one: some members may have lost their parent.
    The process is stopped first, so that it cannot start new ones.
    """
    _signal(pid, signal.SIGSTOP)
    for member in family(pid):
        _signal(member, signal.SIGKILL)
    end_group(pid)


def end_group(group: int) -> None:
    """Kills a whole group at once: the kernel lets none of them fork meanwhile. Never kills our own group."""
    if hasattr(os, "killpg") and group != os.getpgid(0):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def end_program(process: subprocess.Popen[bytes]) -> None:
    """Kills a program that was started as a group leader, with everything it has started, and waits for it.

    If it has been waited for already, its pid may belong to another process by now; its group id does not, as long as
    the group has a member.
    """
    if process.poll() is None:
        end_family(process.pid)
        process.wait()
    else:
        end_group(process.pid)


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
