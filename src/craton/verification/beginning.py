"""How a run begins: with what may veto its proofs, before the rest of the spine is even imported. A compiler takes as
long for a small program as that does, and both can be done at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from craton.processes.limits import Limits
from craton.verification.context import Context, Watcher, nobody
from craton.verification.scheduling import time_of
from craton.verification.veto import veto_beside

if TYPE_CHECKING:
    from craton.configuration.stage import Stage
    from craton.frontends.programs import Request
    from craton.program.cfa import Program
    from craton.verdicts.result import Result


def verify(
    request: Request,
    stages: Sequence[Stage],
    seconds: float | None = None,
    watch: Watcher = nobody,
    *,
    confirm: bool = True,
    jobs: int = 1,
    cpu: float | None = None,
    memory: int | None = None,
    deterministic: bool = False,
    loaded: Callable[[Program], None] = lambda program: None,
) -> Result:
    """The verdict on a program. The limit is of wall time; those who must keep it run this in a process they can end.
    Of several stages `jobs` work at once; `cpu` and `memory` are what all may have, in seconds and bytes. With a limit
    of processor time all times inside of the run are of that; if it is to be deterministic, all are of counted work,
    and one stage works at a time.

    `loaded` is told of the program as soon as it is known, for those who may have to speak for a run that was ended.
    Without `confirm` an engine's word is enough, and the result says that it is not confirmed.
    """
    started, limits = time.monotonic(), Limits(seconds, cpu, memory)
    with time_of(limits, deterministic=deterministic):
        context = Context.of(limits, request, confirm, watch, jobs)
        with veto_beside(request, context.clock.left, wanted=confirm) as context.veto:
            from craton.verification.run import verify_request

            return verify_request(request, stages, context, started, loaded)
