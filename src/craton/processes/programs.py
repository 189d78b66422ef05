"""Starting programs of others."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

from craton.processes.kernel import end_with_parent

Stream = int | IO[bytes] | None


def launch(
    command: Sequence[str],
    *,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.PIPE,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a program as the leader of a group, to be ended as one. It ends with the thread that has started it (on
    Linux), for which Python has to fork: 1 ms more for a small process, 12 ms for one of 200 MiB.
    """
    return subprocess.Popen(
        command,
        bufsize=0,
        cwd=directory,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environment,
        start_new_session=True,
        preexec_fn=partial(end_with_parent, os.getpid()),
    )
