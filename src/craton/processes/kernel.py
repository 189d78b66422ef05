"""Guarantees that only the kernel can give. On systems other than Linux these functions do nothing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _found() -> Callable[..., Any] | None:
    """Looked up once, before any fork: between fork and exec little is allowed."""
    return getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None


_prctl = _found()


def end_with_parent(parent: int) -> None:
    """Called in a new process: the kernel will kill it as soon as its parent is gone, for whatever reason.

    For the kernel the parent is the thread that forked, so that thread must live as long as the process should.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # the parent was gone already
            os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """From now on descendants that lose their parent become our children; otherwise we would lose track of them."""
    if _prctl is not None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def exit_descriptor(pid: int) -> int | None:
    """A file descriptor that becomes readable when the process ends; None if unavailable. The caller closes it.

    Unlike the end of a pipe, it is not delayed by other processes that inherited the pipe.
    """
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):
            return os.pidfd_open(pid)
    return None
