"""Programs run by the interpreter give the results that Boogie's semantics says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.frontends.boogie import load_boogie
from craton.logic import INT, var
from craton.program.execution.interpreter import run
from craton.program.execution.outcomes import Blocked, Exited, ReachedError, Run


def result(text: str) -> Any:
    """What the global `r` is in the end."""
    done = run(load_boogie(text).program)
    assert isinstance(done.outcome, Exited), done.outcome
    return done.values[var("r", INT)]


PROGRAMS = [
    ("a sum", "r := 0; i := 1; while (i <= 10) { r := r + i; i := i + 1; }", 55),
    ("a product", "r := 1; i := 1; while (i <= 10) { r := r * i; i := i + 1; }", 3628800),
    ("greatest common divisor", "r := 252; i := 105; while (i != 0) { r, i := i, r mod i; }", 21),
    ("a sieve", "i := 2; while (i < 50) { a[i] := 1; i := i + 1; } i := 2; r := 0; while (i < 50) {"
     " if (a[i] == 1) { r := r + 1; j := 2 * i; while (j < 50) { a[j] := 0; j := j + i; } } i := i + 1; }", 15),
    ("goto", "r := 1; head: if (r > 1000) { goto done; } r := 2 * r; goto head; done: r := r - 1;", 1023),
    ("break", "r := 0; out: while (true) { i := 0; while (true) { r := r + 1; i := i + 1; if (i > 3) { break; }"
     " if (r > 20) { break out; } } }", 21),
    ("recursion", "call r := fib(15);", 610),
    ("records", "p := { x: 1, y: 2 }; p!x := p!y + p!x; r := p!x * 10 + p!y;", 32),
    ("bits", "r := value((3bv8 ++ 5bv8)[12:4]);", 48),
]  # fmt: skip

FRAME = """
type Point = {{ x: int, y: int }};
var r: int; var a: [int]int;
function {{:bvbuiltin "ubv_to_int"}} value(bv8): int;
procedure fib(n: int) returns (f: int)
{{ var g: int; if (n <= 1) {{ f := n; return; }} call f := fib(n - 1); call g := fib(n - 2); f := f + g; }}
procedure main() modifies r, a; {{ var i, j: int; var p: Point; {body} }}
"""


@pytest.mark.parametrize(("name", "body", "expected"), PROGRAMS)
def test_known_results(name: str, body: str, expected: int) -> None:
    assert result(FRAME.format(body=body)) == expected


def outcome(body: str) -> Run:
    return run(load_boogie(f"procedure main() {{ {body} }}").program)


def test_outcomes() -> None:
    assert isinstance(outcome("var x: int; x := 1; assert x == 1;").outcome, Exited)
    assert isinstance(outcome("var x: int; x := 1; assert x == 2;").outcome, ReachedError)
    assert isinstance(outcome("var x: int; x := 1; assume x == 2; assert false;").outcome, Blocked)


# --- random expressions against Python --------------------------------------------------------------------------------

VARIABLES = {"x": 7, "y": -3, "z": 0}


@dataclass(frozen=True)
class Sample:
    """An expression in Boogie, its value, and how tightly its outermost operator binds."""

    text: str
    value: int
    binds: int

    def within(self, level: int) -> str:
        return self.text if self.binds >= level else f"({self.text})"


ATOM, UNARY, PRODUCT, SUM, COMPARISON, JUNCTION = 6, 5, 4, 3, 2, 1


def euclid(a: int, b: int) -> tuple[int, int]:
    quotient, remainder = divmod(a, abs(b))
    return (quotient if b > 0 else -quotient), remainder


def _product(a: Sample, operator: str, b: Sample) -> Sample:
    if operator != "*" and b.value == 0:
        operator = "*"
    value = {"*": lambda: a.value * b.value, "div": lambda: euclid(a.value, b.value)[0],
             "mod": lambda: euclid(a.value, b.value)[1], "/": lambda: euclid(a.value, b.value)[0],
             "%": lambda: euclid(a.value, b.value)[1]}[operator]()  # fmt: skip
    return Sample(f"{a.within(PRODUCT)} {operator} {b.within(UNARY)}", value, PRODUCT)


def _sum(a: Sample, operator: str, b: Sample) -> Sample:
    value = a.value + b.value if operator == "+" else a.value - b.value
    return Sample(f"{a.within(SUM)} {operator} {b.within(PRODUCT)}", value, SUM)


def _choice(condition: Sample, a: Sample, b: Sample) -> Sample:
    return Sample(f"(if {condition.text} then {a.text} else {b.text})", a.value if condition.value else b.value, ATOM)


def _comparison(a: Sample, operator: str, b: Sample) -> Sample:
    value = {"<": a.value < b.value, "<=": a.value <= b.value, ">": a.value > b.value, ">=": a.value >= b.value,
             "==": a.value == b.value, "!=": a.value != b.value}[operator]  # fmt: skip
    return Sample(f"{a.within(SUM)} {operator} {b.within(SUM)}", value, COMPARISON)


def _junction(a: Sample, operator: str, b: Sample) -> Sample:
    value = {"&&": a.value and b.value, "||": a.value or b.value, "==>": not a.value or b.value,
             "<==>": a.value == b.value}[operator]  # fmt: skip
    return Sample(f"{a.within(COMPARISON)} {operator} {b.within(COMPARISON)}", bool(value), JUNCTION)


def integers(depth: int) -> st.SearchStrategy[Sample]:
    leaf = st.one_of(
        st.integers(0, 9).map(lambda n: Sample(str(n), n, ATOM)),
        st.sampled_from(sorted(VARIABLES)).map(lambda name: Sample(name, VARIABLES[name], ATOM)),
    )
    if depth == 0:
        return leaf
    inner = integers(depth - 1)
    return st.one_of(
        leaf,
        st.builds(_sum, inner, st.sampled_from("+-"), inner),
        st.builds(_product, inner, st.sampled_from(["*", "div", "mod", "/", "%"]), inner),
        inner.map(lambda a: Sample(f"-{a.within(UNARY)}", -a.value, UNARY)),
        st.builds(_choice, booleans(depth - 1), inner, inner),
    )


def booleans(depth: int) -> st.SearchStrategy[Sample]:
    if depth == 0:
        return st.sampled_from([Sample("true", True, ATOM), Sample("false", False, ATOM)])
    inner = booleans(depth - 1)
    return st.one_of(
        st.builds(_comparison, integers(depth - 1), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
                  integers(depth - 1)),
        st.builds(_junction, inner, st.sampled_from(["&&", "||", "==>", "<==>"]), inner),
        inner.map(lambda a: Sample(f"!{a.within(UNARY)}", not a.value, UNARY)),
    )  # fmt: skip


@given(integers(4), booleans(3))
def test_random_expressions(number: Sample, condition: Sample) -> None:
    settings = "; ".join(f"{name} := {value}" for name, value in VARIABLES.items())
    text = f"var r, x, y, z: int; procedure main() modifies r, x, y, z; {{ {settings}; r := {number.text}; }}"
    assert result(text) == number.value
    text = f"procedure main() {{ var x, y, z: int; {settings}; assert {condition.text}; }}"
    expected = Exited if condition.value else ReachedError
    assert isinstance(run(load_boogie(text).program).outcome, expected)
