"""Runs that learn from each other: errors behind many inputs are found, and what one run leaves behind is not seen by
the next.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from craton.evidence.building import Job, limits
from craton.evidence.compiled import outline_of, written_job
from craton.evidence.harness import NOTHING_UNSPECIFIED
from craton.frontends.programs import Request, c_source, load_program
from craton.processes.compilers import compilers
from craton.processes.running_time import running_time
from craton.program.cfa import Location
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.inlining import inline
from craton.testing.compiled import Failing, failing_inputs
from craton.testing.guided import can_be_guided, runs
from craton.verdicts.counterexample import Replay, as_number

pytestmark = pytest.mark.skipif(
    not compilers() or not can_be_guided(compilers()[0]), reason="there is no C compiler that tells where control comes"
)

HEAD = """
extern int __VERIFIER_nondet_int(void); extern double __VERIFIER_nondet_double(void); extern void reach_error(void);
extern void exit(int); extern void abort(void); extern void *calloc(unsigned long, unsigned long);
struct device { int state; struct device *next; }; extern struct device *find_device(int number);
"""
# Steps in a row, of which no drawn run makes more than one; what is wrong ends the run in one of several ways.
STEPS = """
int stop(int how) {
    if (how == 1) exit(1);
    if (how == 2) abort();
    if (how == 3) *(int *)0 = 1;
    if (how == 4) stop(4);
    exit(0);
}
int main(void) {
    static const int wanted[] = {70211, -300, 812, 90017, 7177, 12345678};
    int made = 0;
    while (made < 6) {
        int step = __VERIFIER_nondet_int();
        if (step != wanted[made]) stop(5 - made % 5);
        made++;
    }
    reach_error();
}
"""
STATES = """
int main(void) {
    int device = 0, lock = 0;
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 4021: if (device == 0) device = 1; break;
        case -977: if (device == 1 && lock == 3) device = 2; break;
        case 55: if (lock < 3) lock++; break;
        case 8190: if (device == 2 && __VERIFIER_nondet_double() > 2.5) reach_error(); break;
        default: for (;;) ;
        }
    }
}
"""
POINTERS = """
int main(void) {
    struct device *one = find_device(1), *two = find_device(2);
    if (!one || !two || (unsigned long)two > (unsigned long)-4096) return 0;
    two->state = 5;
    if (one->state == 0 && one->next == 0 && two->state == 5 && __VERIFIER_nondet_int() == 40404) reach_error();
}
"""
# The same in each place, for hundreds of rounds.
STEADY = """
int main(void) {
    for (int i = 0; i < 500; i++) {
        if (__VERIFIER_nondet_int() != 0) return 0;
        if (__VERIFIER_nondet_int() < 4000) return 0;
        if (__VERIFIER_nondet_int() == 0) return 0;
    }
    reach_error();
}
"""
LEFT_BEHIND = """
int global; static int *block;
int main(void) {
    static int local; int *own = calloc(4, 1), open;
    if (__VERIFIER_nondet_int() > 3) local++;
    if (++local > 2 || ++global > 1 || (*own)++ > 0 || block) reach_error();
    block = own; (void)open;
    if (__VERIFIER_nondet_int() > 5) exit(0);
}
"""


def _request(tmp_path: Path, text: str, data_model: str) -> Request:
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    return Request((str(file),), data_model=data_model)


def _found(tmp_path: Path, text: str, seconds: float, data_model: str = "LP64") -> tuple[Failing | None, bool]:
    """What is found, and whether the interpreter comes to the error as well."""
    request = _request(tmp_path, text, data_model)
    program = inline(load_program(request)).program
    found = failing_inputs(request, program, seconds)
    if found is None:
        return None, False
    run = Interpreter(program).run([as_number(read) for read in found.replay.inputs])
    return found, isinstance(run.outcome, ReachedError)


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
def test_steps_in_a_row(tmp_path: Path, data_model: str) -> None:
    found, repeated = _found(tmp_path, STEPS.replace("unsigned long,", "unsigned,"), 30, data_model)
    assert found is not None
    assert repeated
    assert [as_number(read) % 2**32 for read in found.replay.inputs][:3] == [70211, 2**32 - 300, 812]


@pytest.mark.parametrize("text", [STATES, POINTERS, STEADY], ids=["states", "pointers from outside", "steady"])
def test_what_learnt_inputs_find_is_repeated(tmp_path: Path, text: str) -> None:
    found, repeated = _found(tmp_path, text, 30)
    assert found is not None
    assert found.violated == "unreach-call"
    assert repeated


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Variables, static locals and memory are as at the beginning in each run: else one after the other would fail."""
    job = _job(tmp_path, LEFT_BEHIND)
    said = list(islice(runs(job, compilers()[0], 0, running_time() + 2), 2))
    assert said
    assert not any(said)


def test_a_failing_run_is_told(tmp_path: Path) -> None:
    job = _job(tmp_path, "int main(void) { if (__VERIFIER_nondet_int() == 4711) reach_error(); }")
    said = next(runs(job, compilers()[0], 0, running_time() + 20))
    assert said is not None
    assert any(line.startswith("R") for line in said)


def _job(tmp_path: Path, text: str) -> Job:
    source = c_source(_request(tmp_path, text, "LP64"))
    job = written_job(
        tmp_path, source, outline_of(source), Replay(Location(0), (), ()), "unreach-call", NOTHING_UNSPECIFIED
    )
    return replace(job, defines=("-DCRATON_SUPERVISED", "-DCRATON_DRAWN=5000", "-DCRATON_KNOWN=0", *limits("LP64")))
