"""Tests of the compiled program: inputs drawn from seeds come back as they were, and improper ways do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request, load_program
from craton.processes.compilers import compilers
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.inlining import inline
from craton.testing.compiled import can_test, failing_inputs
from craton.verdicts.counterexample import NotCompiled, as_number
from craton.verdicts.verdict import Violated
from craton.verification.run import verify

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

HEAD = """
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void); extern double __VERIFIER_nondet_double(void);
extern long long __VERIFIER_nondet_longlong(void); extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
"""
FAILING = {
    "every kind of input": """
        int i = __VERIFIER_nondet_int(); unsigned char c = __VERIFIER_nondet_uchar();
        _Bool b = __VERIFIER_nondet_bool();
        double d = __VERIFIER_nondet_double(); long long l = __VERIFIER_nondet_longlong();
        if (i < 0 && c > 3 && b && d > 0.5 && l != 7) reach_error();""",
    "a number of the program": "if (__VERIFIER_nondet_int() == 918273) reach_error();",
    "far away": "unsigned n = 0; while (n < 700000000u) n += 3; if (n == 700000002u) reach_error();",
    "many inputs": """
        int s = 0; for (int i = 0; i < 3000; i++) s += __VERIFIER_nondet_bool();
        if (s > 1000) reach_error();""",
}


def request_for(tmp_path: Path, body: str, before: str = "") -> Request:
    file = tmp_path / "program.c"
    file.write_text(HEAD + before + "int main(void) {" + body + " return 0; }")
    return Request((str(file),), data_model="LP64")  # 32 bits take libraries that not every machine has


@pytest.mark.parametrize("body", FAILING.values(), ids=FAILING)
def test_a_failing_run_is_found(tmp_path: Path, body: str) -> None:
    request = request_for(tmp_path, body)
    program = inline(load_program(request)).program
    found = failing_inputs(request, program, 60)
    assert found is not None
    assert found.violated == "unreach-call"
    if "700000000" not in body:  # too far for the interpreter
        inputs = [as_number(read) for read in found.replay.inputs]
        assert isinstance(Interpreter(program).run(inputs).outcome, ReachedError)


def test_the_verdict_has_the_compiled_run_as_its_evidence(tmp_path: Path) -> None:
    result = verify(request_for(tmp_path, FAILING["a number of the program"]), [Stage("testing")], 60)
    assert str(result.verdict) == "false(unreach-call)"
    assert result.replay is not None
    assert [read.value for read in result.replay.inputs] == [918273]


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("", "int n = __VERIFIER_nondet_int(); if (n != n) reach_error();"),
        ("", "int n = __VERIFIER_nondet_int(); while (n == n) n++;"),
        (  # at the first step: the interpreter sees that no error is reached
            "int wall[2]; int behind;",
            "for (int i = 0; i < 9; i++) wall[i] = 5; if (behind == 5) reach_error();",
        ),
        (  # too far for the interpreter, so that it is the address sanitizer who sees it
            "int wall[2]; int behind;",
            "unsigned n = 0; while (n < 90000000u) n += 3;"
            "for (int i = 0; i < 40; i++) wall[i] = 5; if (behind == 5) reach_error();",
        ),
    ],
    ids=["nothing to find", "no end", "through a wall", "through a wall far away"],
)
def test_what_is_no_failure_is_not_one(tmp_path: Path, before: str, body: str) -> None:
    request = request_for(tmp_path, body, before)
    assert failing_inputs(request, inline(load_program(request)).program, 3) is None


def test_memory_and_boogie_are_left_to_the_interpreter(tmp_path: Path) -> None:
    request = request_for(tmp_path, "int *p = 0; *p = 1;")
    (tmp_path / "safe.prp").write_text("CHECK( init(main()), LTL(G valid-deref) )\n")
    memory = Request(request.files, str(tmp_path / "safe.prp"))
    assert not can_test(memory, load_program(memory))
    boogie = tmp_path / "program.bpl"
    boogie.write_text("procedure main() { assert false; }\n")
    other = Request((str(boogie),))
    assert not can_test(other, load_program(other))


def test_where_nothing_can_be_compiled_the_interpreter_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho 'error: not today' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = verify(request_for(tmp_path, "if (__VERIFIER_nondet_int() > 3) reach_error();"), [Stage("testing")], 60)
    assert str(result.verdict) == "false(unreach-call)"
    assert isinstance(result.verdict, Violated)
    assert isinstance(result.verdict.compiled, NotCompiled)
    assert "not today" in result.verdict.compiled.reason
