"""Which procedures are verified, and that those which are not are named."""

from __future__ import annotations

from craton.frontends.boogie import load_boogie
from craton.program.execution.interpreter import run
from craton.program.execution.outcomes import Exited, ReachedError

FAILING = "procedure foo() { assert false; }"


def test_procedures_that_main_does_not_call_are_verified_too() -> None:
    alone = load_boogie(f"procedure main() {{ assert true; }} {FAILING}").program
    assert len(alone.errors) == 1 and not alone.assumptions


def test_procedures_that_main_calls_are_verified_where_they_are_called() -> None:
    text = "procedure main() { call half(4); } procedure half(x: int) { assert x mod 2 == 0; }"
    program = load_boogie(text).program
    assert program.entry == "main" and isinstance(run(program).outcome, Exited)


def test_a_group_that_nothing_calls_is_started_where_it_starts() -> None:
    text = "procedure main() {} procedure b(x: int) { assert x == 1; } procedure a() { call b(1); }"
    program = load_boogie(text).program
    assert len(program.errors) == 1, "b is verified inside of a, not with any argument"
    ring = "procedure main() {} procedure a() { call b(); } procedure b() { call a(); assert false; }"
    assert load_boogie(ring).program.errors


def test_the_start_that_a_tool_marks_is_alone_and_the_others_are_named() -> None:
    program = load_boogie(f"procedure ULTIMATE.start() {{ assert true; }} {FAILING}").program
    assert not program.errors
    assert program.assumptions == ("procedure foo is not verified: nothing calls it from where the program starts",)
    marked = load_boogie(f"procedure {{:entrypoint}} go() {{ assert true; }} {FAILING}").program
    assert "procedure foo is not verified" in marked.assumptions[0]
    chosen = load_boogie(f"procedure main() {{}} {FAILING}", entry="foo").program
    assert isinstance(run(chosen).outcome, ReachedError)
    assert "procedure main is not verified" in chosen.assumptions[0]
