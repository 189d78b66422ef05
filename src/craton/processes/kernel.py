"""What only the kernel can promise. Elsewhere than on Linux these functions do nothing."""

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
    """Looked up once and before any fork: between a fork and the start of a program little is allowed."""
    return getattr(ctypes.CDLL(None), "prctl", None) if sys.platform == "linux" else None


_prctl = _found()


def end_with_parent(parent: int) -> None:
    """Called in a new process: the kernel kills it as soon as its parent is gone, however that came.

    To the kernel the parent is the thread that forked: that thread must live as long as the process is to live.
    """
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # it was gone before we asked
            os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """From now on descendants that lose their parent become our children; else families are seen only as far as they
    hold together.
    """
    if _prctl is not None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def exit_descriptor(pid: int) -> int | None:
    """A file descriptor, to be closed, that becomes readable when the process ends; None where there is none to have.

    Unlike the end of a pipe it is not held back by others who have inherited the pipe.
    """
    if hasattr(os, "pidfd_open"):
        with suppress(OSError):
            return os.pidfd_open(pid)
    return None
