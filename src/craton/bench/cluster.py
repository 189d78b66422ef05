"""Runs on a Dask cluster, one per worker thread. Workers need Craton, and must see the tasks under the same paths.

When a worker is lost, its runs go to others; each run is counted once, since it is one future of the cluster. A lost
worker's keepers end with it, so nothing of a lost run keeps running.
"""

from __future__ import annotations

import importlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from craton.bench.runs import CRATON
from craton.errors import CratonError
from craton.processes.keeper import Contained, contain

if TYPE_CHECKING:
    from craton.bench.runner import Finished, Work

_PATIENCE = 0.2  # maximal seconds until an interrupt is noticed
_CONNECT = 10  # seconds


class NoCluster(CratonError):
    """The cluster cannot be reached, or its library is not installed."""


@dataclass(frozen=True, slots=True)
class ClusterPool:
    client: Any
    command: Sequence[str] = CRATON

    @classmethod
    def at(cls, address: str, command: Sequence[str] = CRATON) -> ClusterPool:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise NoCluster("--cluster needs the library `distributed`: pip install 'craton[cluster]'") from None
        try:
            distributed.comm.get_address_host(address)  # first: a client with an invalid address hangs when dropped
            client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as problem:  # also for an invalid address
            raise NoCluster(f"no Dask scheduler answers at {address}: {problem}".splitlines()[0]) from None
        return cls(client, command)

    @property
    def jobs(self) -> int:
        """The current number of worker threads; more may join."""
        return sum(self.client.nthreads().values())

    def finished(self, works: deque[Work], stopped: Callable[[], bool]) -> Iterator[Finished | None]:
        distributed: Any = importlib.import_module("distributed")
        futures: dict[Any, Work] = {}
        # With results, since a worker may be lost after a run ends and before we fetch its outcome.
        waiting = distributed.as_completed((), loop=self.client.loop, with_results=True, raise_errors=False)
        try:
            while (futures or works) and not stopped():
                self._submit(works, futures, waiting)
                batch = waiting.next_batch(block=False)
                for future, result in batch:
                    yield futures.pop(future), _what_came(result)
                if not batch:
                    time.sleep(_PATIENCE)
                    yield None
        finally:
            self.client.cancel(list(futures))
            self.client.close()

    def _submit(self, works: deque[Work], futures: dict[Any, Work], waiting: Any) -> None:
        while works:
            work = works.popleft()
            order = replace(work.order(self.command), directory=os.getcwd())  # tasks may be named from here
            future = self.client.submit(contain, order, pure=False)
            futures[future] = work
            waiting.add(future)


def _what_came(result: Any) -> Contained:
    """The run's outcome; the cluster reports errors as the type of the error, the error and its traceback."""
    if isinstance(result, Contained):
        return result
    error = result[1] if isinstance(result, tuple) and len(result) > 1 else result
    reason = f"the cluster could not do it: {error}".splitlines()[0]
    return Contained(None, problem=reason, log=reason + "\n")
