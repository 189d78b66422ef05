"""Runs of the compiled program that learn from each other: inputs are kept that lead somewhere new, and what an input
was compared with is tried as that input (`evidence/guided.c`). Tens of thousands of runs a second, in one process.

After AFL (Zalewski) and libFuzzer, as far as the coverage goes; what comparisons say of inputs is after Aschermann et
al.: REDQUEEN (NDSS 2019). Nothing is believed: what fails here is only a suggestion of inputs.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path

from craton.evidence.building import Failed, Job, accepts, build
from craton.processes.running_time import running_time
from craton.processes.sandbox import run_replay

FIRST_SECONDS, LONGER = 0.3, 2.0  # of the first search, and how many times as long each next one is
MOST_MEMORY = 512 << 20  # bytes
_COVERAGE = "-fsanitize-coverage=trace-pc,trace-cmp"
_FAST = ("-O1", "-fno-omit-frame-pointer")  # the harness finds out who calls it


@functools.cache
def can_be_guided(compiler: str) -> bool:
    """Whether the compiler puts calls into a program that tell where it is."""
    return accepts(compiler, (_COVERAGE,))


def runs(job: Job, compiler: str, first: int, deadline: float) -> Iterator[list[str] | None]:
    """What the harness says of runs that fail; None where a search has found none in its time. Each begins anew."""
    with tempfile.TemporaryDirectory(prefix="craton", ignore_cleanup_errors=True) as folder:
        binary = _built(job, Path(folder), compiler, deadline)
        if isinstance(binary, Failed):
            return
        seconds, seed = FIRST_SECONDS, first
        while (left := deadline - running_time()) > 0:
            seed += 1
            _, said = run_replay(binary, min(seconds, left), MOST_MEMORY, seed)
            if any(line[:1] == "S" for line in said):
                return
            failed = any(line[:1] == "R" for line in said)
            yield said if failed else None
            if not failed:
                seconds *= LONGER


def _built(job: Job, folder: Path, compiler: str, deadline: float) -> Path | Failed:
    """The program in a directory of its own."""
    for file in job.directory.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    limit = f"-DCRATON_SECONDS={ceil(max(0.0, deadline - running_time())) + 1}u"
    defines = (*(d for d in job.defines if not d.startswith("-DCRATON_SECONDS")), "-DCRATON_GUIDED", limit, *_FAST)
    options = (*job.options, _COVERAGE)
    guided = replace(job, directory=folder, options=options, own_main=True, other_main=True, defines=defines)
    return build(guided, compiler, deadline)
