"""Families of processes: who belongs to one, what it uses, how it is ended.

A family is a process and all that it started: solvers, workers and theirs. Figures come from /proc; where there is
none, a family is its first process, and only wall time can be watched.
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
    """The process and its descendants, as far as they can be seen."""
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
    """What a process has used itself, and what those have that it has waited for; and the bytes that are resident."""

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
    """The bytes that processes use together, where a page that several of them have counts once.

    The kernel does not tell which pages are shared with whom, but two lower bounds: what each has alone and the most
    that one shares, which is exact for forks of one process; and all pages divided by how many have them, which is
    exact where nobody else has them. The sum of what is resident is an upper bound and much cheaper: for the others
    the kernel walks through all pages, which takes 10 ms for a GiB.
    """
    found = [_pages(member) for member in members]
    alone = sum(pages.private for pages in found)
    return max(alone + max((pages.shared for pages in found), default=0), sum(pages.proportional for pages in found))


@dataclass(frozen=True, slots=True)
class _Pages:
    """Bytes that are resident: of this process alone, shared with others, and shared ones divided by how many have
    them.
    """

    private: int
    shared: int
    proportional: int


def _pages(pid: int) -> _Pages:
    try:
        fields = [line.split() for line in _content(f"/proc/{pid}/smaps_rollup").splitlines()[1:]]
    except ProcessLookupError:  # it has just ended
        return _Pages(0, 0, 0)
    except OSError:  # an old kernel, or a process of somebody else
        resident = figures(pid).resident
        return _Pages(resident, 0, resident)
    size = {name: 1024 * int(number) for name, number, *_ in fields}
    private = size.get(b"Private_Clean:", 0) + size.get(b"Private_Dirty:", 0)
    shared = size.get(b"Shared_Clean:", 0) + size.get(b"Shared_Dirty:", 0)
    return _Pages(private, shared, size.get(b"Pss:", 0))


def usage(pid: int) -> Usage:
    """What the family uses now; those who look again and again do it with a `Watch`."""
    members = family(pid)
    return Usage(sum(figures(member).cpu for member in members), memory(members))


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


# --- how they are ended -----------------------------------------------------------------------------------------------


def end_family(pid: int) -> None:
    """Ends a process and those it has started, and its group if it leads one: some may have lost their own parent.
    The process is stopped first, so that it starts no more of them.
    """
    _signal(pid, signal.SIGSTOP)
    for member in family(pid):
        _signal(member, signal.SIGKILL)
    end_group(pid)


def end_group(group: int) -> None:
    """All at once: the kernel lets none of them fork meanwhile. Our own group is spared."""
    if hasattr(os, "killpg") and group != os.getpgid(0):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def end_program(process: subprocess.Popen[bytes]) -> None:
    """Ends a program that was started as the leader of a group, with all that it has started, and waits for it.

    When it has been waited for already, its number may be that of a stranger; that of its group is not, as long as
    there is anybody in it.
    """
    if process.poll() is None:
        end_family(process.pid)
        process.wait()
    else:
        end_group(process.pid)


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
