"""What is peculiar to z3 in process: one context, which no two threads may use at once."""

from __future__ import annotations

import threading
import time

import pytest

from craton.errors import NotExpressible
from craton.logic import FALSE, INT, BitVec, add, bv, bvmul, bvult, eq, int_, lt, var
from craton.smt import make_solver
from craton.smt.contract import Sat, Undecided, Unsat
from craton.smt.reading import parse_script
from craton.smt.z3 import api
from craton.smt.z3.interrupt import Interrupt, forget_interrupt
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


def test_a_solver_that_was_stopped_has_all_that_was_asserted() -> None:
    """z3's own is left alone after that: with floats it has been seen to crash at the next pop."""
    a, b = var("a", BitVec(96)), var("b", BitVec(96))
    hard = eq(bvmul(a, b), bv((10**12 + 39) * (10**12 - 11), 96))
    solver = make_solver("z3")
    solver.add(bvult(a, bv(9, 96)), name="small")
    with solver.scope():
        solver.add(bvult(bv(3, 96), a), name="not so small")
        with solver.scope():
            solver.add(bvult(bv(1, 96), b), bvult(b, bv(10**13, 96)))
            stopped = solver.check(eq(bvmul(a, b, b), bvmul(b, a, a, a)), hard, time_limit=0.05)
            assert isinstance(stopped, Undecided | Unsat)
            solver._begin_again()  # type: ignore[attr-defined]
            assert isinstance(solver.check(), Sat)
        impossible = solver.check(eq(a, bv(2, 96)))
        assert isinstance(impossible, Unsat)
        assert "not so small" in impossible.core.names
        assert isinstance(solver.check(eq(a, bv(5, 96))), Sat)
    assert isinstance(solver.check(eq(a, bv(2, 96))), Sat)
    too_large = solver.check(eq(a, bv(20, 96)))
    assert isinstance(too_large, Unsat)
    assert "small" in too_large.core.names


def model_of_a_sum() -> dict[str, object]:
    """In a scope: such queries lose their models to an interrupt that came before."""
    x, y = var("x", INT), var("y", INT)
    solver = make_solver("z3")
    with solver.scope():
        solver.add(eq(x, add(y, int_(3))), lt(int_(4), y), lt(y, int_(6)))
        answer = solver.check()
        assert isinstance(answer, Sat)
        return {variable.name: value for variable, value in answer.model.values.items()}


def test_what_a_script_defined_is_in_no_model() -> None:
    """z3 keeps definitions for all scripts to come, and adds them to every model: in either order."""
    for name in ("x", "y"):
        assert parse_script(f"(define-fun {name} () Int 3) (assert (= {name} 4))") == [FALSE]
        assert model_of_a_sum() == {"x": 8, "y": 5}


def test_a_recursive_function_is_not_taken_for_an_unknown_one() -> None:
    with pytest.raises(NotExpressible, match="dbl is defined by recursion"):
        parse_script("(define-fun-rec dbl ((n Int)) Int (ite (< n 1) 0 (+ 2 (dbl (- n 1))))) (assert (< 7 (dbl 4)))")


def test_an_interrupt_is_forgotten_before_the_next_query() -> None:
    ref = Shared.get().context.ref
    for _ in range(3):
        api.interrupt(ref)
        forget_interrupt(ref)
        assert model_of_a_sum() == {"x": 8, "y": 5}


def test_an_interrupt_that_comes_at_the_end_disturbs_nobody() -> None:
    with Interrupt(Shared.get().context.ref, 0.001):
        time.sleep(0.05)
    assert model_of_a_sum() == {"x": 8, "y": 5}


def test_no_interrupt_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    come: list[object] = []
    monkeypatch.setattr(api, "interrupt", come.append)
    interrupt = Interrupt(Shared.get().context.ref, 60.0)
    with interrupt:
        pass
    interrupt._come()  # as a timer does that was about to when it was cancelled
    assert not come
