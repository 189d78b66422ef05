"""What all parts of one run share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from craton.engines.contract import Progress, Statistics
from craton.frontends.programs import Request
from craton.processes.limits import Limits, least
from craton.processes.running_time import counts_work
from craton.program.passes import ALL, Passes
from craton.verification.scheduling import Clock, Patience, for_stages, time_to_confirm
from craton.verification.veto import Veto

Watcher = Callable[[Progress, Statistics], None]


def nobody(progress: Progress, statistics: Statistics) -> None:
    """Watches nothing."""


@dataclass(slots=True)
class Context:
    """The time of a run, its figures, who watches, and how much its verdict needs.

    `statistics` is another object after each engine: it counts in its own process, and what it has counted comes back.
    Without a request there is no text to compile, and a counterexample is replayed by the interpreter only. `veto` has
    runs of the program itself, where it can be compiled. Unless `compiled`, counterexamples are not run in the compiled
    program here, but by whoever is told. `jobs` stages may work at once, and those that have begun may
    have so many bytes of memory together. `patience` is for one answer after the other.
    """

    clock: Clock
    request: Request | None
    confirm: bool = True
    watch: Watcher = nobody
    statistics: Statistics = field(default_factory=Statistics)
    veto: Veto | None = None
    compiled: bool = True
    jobs: int = 1
    most_memory: int | None = None
    patience: Patience = field(default_factory=Patience)

    @classmethod
    def of(cls, limits: Limits, request: Request | None, confirm: bool, watch: Watcher, jobs: int) -> Context:
        """Of a run that begins now. Where work is counted one stage works at a time, and memory is not looked at: who
        is ended for it depends on the machine.
        """
        if counts_work():
            return cls(Clock.within(limits), request, confirm, watch)
        return cls(Clock.within(limits), request, confirm, watch, jobs=jobs, most_memory=for_stages(limits.memory))

    @property
    def passes(self) -> Passes:
        return ALL if self.request is None else self.request.passes

    @property
    def time_to_confirm(self) -> float | None:
        return time_to_confirm(self.clock.left)

    @property
    def time_for_proof(self) -> float | None:
        """The same while others wait, who may have an answer that is easier to confirm."""
        return least(self.time_to_confirm, self.patience.left)
