"""Interrupts of z3, for what does not keep its limits by itself.

z3 remembers an interrupt that finds nothing to stop, or that comes at the end of what it stops: the next incremental
query answers sat, and its model is empty. So no interrupt may come late, and one that came is taken by a query of
its own.
"""

from __future__ import annotations

import threading
from types import TracebackType

from craton.smt.z3 import api
from craton.smt.z3.api import Handle


class Interrupt:
    """A context whose work in z3 is interrupted after some seconds, if it lasts that long."""

    def __init__(self, ref: Handle, seconds: float) -> None:
        self._ref = ref
        self._lock = threading.Lock()
        self._is_over = False
        self._has_come = False
        self._timer = threading.Timer(seconds, self._come)
        self._timer.daemon = True

    def __enter__(self) -> Interrupt:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
        if self._has_come:
            forget_interrupt(self._ref)

    def _come(self) -> None:
        with self._lock:
            if not self._is_over:
                self._has_come = True
                api.interrupt(self._ref)


def forget_interrupt(ref: Handle) -> None:
    """An empty query, which z3 answers without a model of anything."""
    solver: Handle = api.mk_solver(ref)
    api.solver_inc_ref(ref, solver)
    api.solver_check_assumptions(ref, solver, 0, None)
    api.solver_dec_ref(ref, solver)
