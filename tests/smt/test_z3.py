"""What is peculiar to z3 in process: one context, which no two threads may use at once."""

from __future__ import annotations

import threading

from craton.logic import INT, int_, lt, var
from craton.smt import make_solver
from craton.smt.contract import Sat
from craton.smt.z3.solver import Shared


def test_a_solver_dropped_in_another_thread_is_freed_by_the_next_that_asks() -> None:
    """Python collects garbage wherever it happens to run, for example in the thread of some library."""
    shared = Shared.get()
    shared.free_dropped()
    solvers = [make_solver("z3")]
    solvers[0].add(lt(var("x", INT), int_(3)))
    thread = threading.Thread(target=solvers.clear)
    thread.start()
    thread.join()
    assert len(shared.dropped) == 1
    assert isinstance(make_solver("z3").check(), Sat)
    assert len(shared.dropped) == 1  # the first is gone; the second came and went


def test_a_closed_solver_is_not_freed_again() -> None:
    shared = Shared.get()
    shared.free_dropped()
    make_solver("z3").close()
    assert not shared.dropped
