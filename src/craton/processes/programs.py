"""Starting external programs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import IO

from craton.processes.kernel import end_with_parent

Stream = int | IO[bytes] | None


class Orphan(Enum):
    """What happens to a program when the thread that started it is gone.

    The kernel can kill it (on Linux). To request that, Python has to fork, which takes 1 ms more in a small process and
    10 ms in one of 100 MiB; so programs that take care of it themselves are left alone.
    """

    KILLED = auto()
    LEFT_ALONE = auto()


def launch(
    command: Sequence[str],
    *,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.PIPE,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    orphan: Orphan = Orphan.KILLED,
) -> subprocess.Popen[bytes]:
    """Starts a program as the leader of a process group, so that the group can be killed as a whole."""
    return subprocess.Popen(
        command,
        bufsize=0,
        cwd=directory,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environment,
        start_new_session=True,
        preexec_fn=partial(end_with_parent, os.getpid()) if orphan is Orphan.KILLED else None,
    )
