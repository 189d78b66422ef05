"""The law as a refiner: what breaks it does not pass."""

from __future__ import annotations

import pytest

from craton.cli import main
from craton.configuration.refiners import refiner
from craton.logic import FALSE, INT, TRUE, Term, eq, int_, lt, var
from craton.traces.checked import Checked
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace
from support.patience import Group, record
from support.programs import EXAMPLES
from support.sampling import sample
from support.trace_reader import read_trace
from support.traces import FEASIBLE, INFEASIBLE, Example

X = var("x", INT)
TRACE = read_trace("x: Int", "x := 0\nx := (+ x 1)\n(< x 0)")


class Says(Refiner):
    name = "says"

    def __init__(self, *assertions: Term) -> None:
        self.assertions = assertions

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return Refutation(self.assertions, self.name)


def test_what_holds_passes() -> None:
    answer = Checked(Says(TRUE, eq(X, int_(0)), lt(int_(0), X), FALSE)).refute(TRACE)
    assert isinstance(answer, Refutation)
    assert answer.unchecked == 0


@pytest.mark.parametrize(
    ("assertions", "problem"),
    [
        ((TRUE, eq(X, int_(1)), lt(int_(0), X), FALSE), "step 1 leads from true to what is not x = 1"),
        ((TRUE, TRUE, lt(int_(0), X), FALSE), "step 2"),
        ((TRUE, TRUE, TRUE, FALSE), "step 3"),
        ((TRUE, FALSE), "does not run from true to false"),
        ((TRUE, TRUE, TRUE, TRUE), "does not run from true to false"),
    ],
)
def test_what_breaks_the_law_does_not(assertions: tuple[Term, ...], problem: str) -> None:
    answer = Checked(Says(*assertions)).refute(TRACE)
    assert isinstance(answer, GaveUp)
    assert "says broke the law" in answer.reason
    assert problem in answer.reason


@pytest.mark.parametrize("example", sample(INFEASIBLE.values(), 9, "checked"), ids=str)
def test_refiners_keep_the_law(example: Example) -> None:
    answer = refiner("checked(newton(it, sp, lv))").refute(example.trace)
    record(Group.REFUTATIONS, f"checked(newton(it, sp, lv)) on {example}", answer)
    assert "broke the law" not in getattr(answer, "reason", "")


def test_other_answers_pass() -> None:
    assert isinstance(refiner("checked(newton)").refute(next(iter(FEASIBLE.values())).trace), Feasible)


def test_the_option_of_verify(capsys: pytest.CaptureFixture[str]) -> None:
    path = next(example.path for example in EXAMPLES if example.path.name == "together.c")
    options = ["--engine", "trace-abstraction", "--refine", "newton(it, wp, lv)", "--check-refutations", "--stats"]
    assert main(["verify", str(path), *options, "--time-limit", "60"]) == 0
    assert "checked(newton(it,wp,lv))" in capsys.readouterr().out
