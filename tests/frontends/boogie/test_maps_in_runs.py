"""Random statements on maps, maps of maps, parallel assignments, calls and old values: the interpreter ends with the
values that `logic.evaluation` gives to the trace formula of the edges it took.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.frontends.boogie import load_boogie
from craton.logic import Array
from craton.logic.evaluation import zero
from craton.logic.semantics import same
from craton.program.execution.codegen import array_value
from craton.program.execution.interpreter import Interpreter, run
from craton.program.execution.outcomes import Exited, Run
from craton.traces.judgement import judged
from craton.traces.trace import Trace
from support import examples

FRAME = """
var x, y: int; var a, b: [int]int; var m, n: [int][int]int; var t, u: [int, bool]int; var f: bool;
procedure twist(p: [int]int, k: int) returns (q: [int]int, o: int)
  modifies a, m, x;
  ensures o == old(a)[k] && a[k] == p[k];
{ q := a; a := p; m[k] := q; o := old(a)[k]; q[k] := x; x := old(m)[k][k]; }
procedure main() modifies x, y, a, b, m, n, t, u, f; { %s }
"""

Texts = st.SearchStrategy[str]


def expressions(depth: int) -> tuple[Texts, Texts, Texts, Texts]:
    """Integers, truth values, maps, and maps of maps, that nest so deep: without a bound most of them are too large."""
    integers = st.one_of(st.integers(-1, 2).map(str), st.sampled_from(["x", "y", "old(x)"]))
    truths = st.sampled_from(["f", "!f", "true"])
    singles, doubles = st.sampled_from(["a", "b", "old(a)"]), st.sampled_from(["m", "n"])
    if depth == 0:
        return integers, truths, singles, doubles
    integer, truth, single, double = expressions(depth - 1)
    return (
        st.one_of(
            integers,
            st.builds("({}) + ({})".format, integer, integer),
            st.builds("({}) div ({})".format, integer, st.integers(1, 2).map(str)),
            st.builds("({})[{}]".format, single, integer),
            st.builds("{}[{}, {}]".format, st.sampled_from(["t", "u"]), integer, truth),
            st.builds("(if {} then {} else {})".format, truth, integer, integer),
        ),
        st.one_of(
            truths,
            st.builds("({}) < ({})".format, integer, integer),
            st.builds("({}) == ({})".format, single, single),
        ),
        st.one_of(
            singles,
            st.builds("({})[{} := {}]".format, single, integer, integer),
            st.builds("({})[{}]".format, double, integer),
            st.builds("(if {} then {} else {})".format, truth, single, single),
        ),
        st.one_of(
            doubles,
            st.builds("({})[{} := {}]".format, double, integer, single),
            st.builds("(if {} then {} else {})".format, truth, double, double),
        ),
    )


integer, truth, single, double = expressions(3)
one, two = st.sampled_from(["a", "b"]), st.sampled_from(["m", "n"])
statement = st.one_of(
    st.builds("x, {} := {}, {};".format, one, integer, single),
    st.builds("a, b := {}, {};".format, single, single),
    st.builds("m, b := {}, {};".format, double, single),
    st.builds("n, y := {}, {};".format, double, integer),
    st.builds("{}[{}] := {};".format, one, integer, integer),
    st.builds("{}[{}][{}] := {};".format, two, integer, integer, integer),
    st.builds("{}[{}] := {};".format, two, integer, single),
    st.builds("t := u[{}, {} := {}];".format, integer, truth, integer),
    st.builds("u[{}, f] := {};".format, integer, integer),
    st.builds("f := {};".format, truth),
    st.builds("havoc {};".format, st.sampled_from(["x", "a", "m", "f", "t"])),
    st.builds("call {}, y := twist({}, {});".format, one, single, integer),
    st.builds("if ({}) {{ b := {}; }} else {{ m[{}] := a; }}".format, truth, single, integer),
)


def assert_the_judges_agree(done: Run) -> None:
    end = judged(Trace(done.edges), {}, ()).values
    for variable, held in done.values.items():
        expected = end.get(variable, zero(variable.sort))
        assert same(variable.sort, array_value(held, variable.sort), expected), variable


@pytest.mark.large
@examples(60)
@given(st.lists(statement, min_size=1, max_size=6).map(" ".join))
def test_random_statements(body: str) -> None:
    done = Interpreter(load_boogie(FRAME % body).program, record=True).run()
    assert isinstance(done.outcome, Exited), done.outcome
    assert_the_judges_agree(done)


@pytest.mark.parametrize(
    "body",
    [
        "a[1] := 7; a := b[0 := a[1]]; assert a[0] == 7;",
        "a[1] := 7; a := b[a[1] := a[1]]; assert a[7] == 7 && a[1] == b[1];",
        "a[1] := 7; m[0] := a; a[1] := 8; assert m[0][1] == 7;",
        "a[1] := 7; m := n[0 := a]; a[1] := 8; assert m[0][1] == 7;",
        "a := m[0]; a[1] := 8; assert m[0][1] == n[0][1];",
        "a, b := b[0 := a[0] + 1], a[0 := b[0] + 2]; assert a[0] == 1 && b[0] == 2;",
        "a := b; assert a == b; a[3] := 1; assert a != b; b[3] := 1; assert a == b;",
    ],
)
def test_maps_are_values(body: str) -> None:
    done = Interpreter(load_boogie(FRAME % body).program, record=True).run()
    assert isinstance(done.outcome, Exited), done.outcome
    assert_the_judges_agree(done)


def test_copies_of_what_was_never_written_are_equal() -> None:
    program = load_boogie(FRAME % "b := a; assert b[5] == a[5]; n := m; assert n[1][2] == m[1][2];").program
    for seed in range(10):
        assert isinstance(run(program, seed=seed).outcome, Exited)
    assert any(isinstance(variable.sort, Array) for variable in program.globals)
