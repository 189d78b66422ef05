"""Mistakes are answered in one line: file, line, column, and what was expected or is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.errors import CratonError
from craton.frontends.boogie import (
    BadBoogieInput,
    BoogieError,
    BoogieSyntaxError,
    BoogieTypeError,
    UnsupportedBoogie,
    load_boogie,
)

SYNTAX = [
    ("procedure main() {\n  x := ;\n}", "<text>:2:8: expected an expression, found ';'"),
    ("procedure main() { x = 1; }", "<text>:1:22: expected '!', ',', ':', ':=' or '[', found '='"),
    ("var x int;", "<text>:1:7: expected ',' or ':', found 'int'"),
    ("procedure main() {\n  if x { }\n}", "<text>:2:6: expected '(', found 'x'"),
    ("procedure main() {\n", "<text>:2:1: the file ends where a statement"),
    ("foo {", "<text>:1:1: expected a declaration or the end of the file, found 'foo'"),
    ("var x: int;\n/* never", "<text>:2:1: this comment is never closed"),
    ("procedure main() { x := 256bv8; }", "<text>:1:25: 256 does not fit into 8 bits"),
    ("procedure main() { assume 1 < 2 < 3; }", "<text>:1:35: comparisons do not chain"),
    ("procedure main() { assume p ==> q <== r; }", "<text>:1:39: '==>' and '<==' need parentheses between them"),
    ("procedure main() { @ }", "<text>:1:20: expected"),
]


@pytest.mark.parametrize(("text", "message"), SYNTAX)
def test_syntax_errors(text: str, message: str) -> None:
    with pytest.raises(BoogieSyntaxError) as caught:
        load_boogie(text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


# what stands before `procedure main`, its body, and the message behind the position
TYPES = [
    ("", "var x: int; x := true;", "1:37: expected int, found bool"),
    ("", "var x: int; assert x;", "expected bool, found int"),
    ("", "var x: int; assert x == 1.0;", "expected int, found real"),
    ("", "var x: int; x := x && 1;", "expected bool, found int"),
    ("", "var b: bool; assert b < b;", "'<' expects int or real, found bool"),
    ("", "var x: int; x := y;", "y is not declared"),
    ("", "var x: int; y := x;", "y is not declared"),
    ("", "var x, x: int;", "x is declared twice"),
    ("", "var x: T;", "type T is not declared"),
    ("type T = U; type U = T;", "var x: T;", "type T is defined by itself"),
    ("type T; type T;", "", "type T is declared twice"),
    ("type L a;", "var x: L;", "type L takes 1 arguments, found 0"),
    ("", "var x: int int;", "type int takes no arguments"),
    ("", "var x: int; assert x[1] == 0;", "expected a map, found int"),
    ("", "var m: [int]int; assert m[true] == 0;", "expected int, found bool"),
    ("", "var m: [int, int]int; assert m[1] == 0;", "a map of type [int, int]int takes 2 indices, found 1"),
    ("", "var m: [int]int; m[0] := false;", "expected int, found bool"),
    ("", "var r: { a: int }; assert r!b == 0;", "there is no field b in { a: int }"),
    ("", "var x: bv8; assert x[9:0] == 0bv9;", "[9:0] are no bits of a bv8"),
    ("", "var x: int; assert x[1:0] == 0bv1;", "expected a bit-vector, found int"),
    ("function f(int): int;", "assert f(true) == 1;", "argument 1 of f: expected int, found bool"),
    ("function f(int): int;", "assert f(1, 2) == 1;", "function f takes 1 arguments, found 2"),
    ("function f(int): int; function f(int): int;", "", "function f is declared twice"),
    ("function f(x: int): bool { x }", "assert f(1);", "expected bool, found int"),
    ("", "assert f(1);", "function f is not declared"),
    ("const c: int;", "c := 1;", "c is a constant and cannot change"),
    ("var g: int;", "g := 1;", "g changes, but procedure main does not say 'modifies g;'"),
    ("var g: int; procedure p(); modifies g;", "call p();", "g changes, but procedure main does not say"),
    ("var g: int; axiom g > 0;", "", "the global variable g cannot be used here"),
    ("const c: int; axiom old(c) > 0;", "", "'old' has no meaning here"),
    ("", "call p();", "procedure p is not declared"),
    ("procedure p(x: int);", "call p();", "procedure p takes 1 arguments, found 0"),
    ("procedure p() returns (x: int);", "call p();", "procedure p returns 1 values, found 0 to take them"),
    ("procedure p() returns (x: int);", "var b: bool; call b := p();", "expected bool for b, found int"),
    ("procedure p() returns (x, y: int);", "var b: int; call b, b := p();", "a variable takes two results"),
    ("procedure p(); procedure p();", "", "procedure p is declared twice"),
    ("implementation p() { }", "", "procedure p is not declared"),
    ("procedure p(x: int); implementation p(x: bool) { }", "", "the parameters of this implementation are not those"),
    ("procedure p(); modifies g;", "", "g is not a global variable"),
    ("", "var x: int; x, x := 1, 2;", "x is assigned twice"),
    ("", "var x, y: int; x, y := 1;", "2 variables, but 1 values"),
    ("", "goto nowhere;", "there is no label nowhere in this procedure"),
    ("", "L: L: return;", "label L is declared twice"),
    ("", "break;", "'break' outside of a loop"),
    ("", "while (true) { break L; }", "there is no statement labelled L around this 'break'"),
]


@pytest.mark.parametrize(("before", "body", "message"), TYPES)
def test_type_errors(before: str, body: str, message: str) -> None:
    with pytest.raises(BoogieTypeError) as caught:
        load_boogie(f"{before} procedure main() {{ {body} }}".lstrip())
    assert message in str(caught.value)
    assert str(caught.value).startswith("<text>:1:")


UNSUPPORTED = [
    ("procedure main() { call forall lemma(*, 1); }", "call forall"),
    ("procedure main() { fork 1 p(); } procedure p() { }", "a program with threads"),
    ("procedure main() { par p() | p(); } procedure p() { }", "a program with threads"),
    ("procedure main() { var x, y: int; assert x ** y == 1; }", "'**' with an exponent that is no small constant"),
    ("procedure main() { assert (forall<a> x: a :: x == x); }", "a forall over types"),
    ("procedure main<a>(x: a) { }", "a polymorphic procedure"),
    ("procedure main() { assert 1 <: 2; }", "the operator '<:'"),
    (
        'function {:builtin "magic"} f(int): int; procedure main() { assert f(1) == 1; }',
        "the built-in function 'magic'",
    ),
]


@pytest.mark.parametrize(("text", "construct"), UNSUPPORTED)
def test_what_is_not_supported_is_named(text: str, construct: str) -> None:
    with pytest.raises(UnsupportedBoogie, match=r"<text>:1:\d+: .* is not supported") as caught:
        load_boogie(text)
    assert construct in str(caught.value)


def test_a_built_in_of_the_wrong_shape() -> None:
    use = "procedure main() { assert f(1bv8, 1bv8) == 1bv8; }"
    with pytest.raises(BoogieTypeError, match="function f cannot be built"):
        load_boogie('function {:bvbuiltin "bvnot"} f(bv8, bv8): bv8; ' + use)
    with pytest.raises(BoogieTypeError, match="function f should return bv8"):
        load_boogie('function {:bvbuiltin "bvult"} f(bv8, bv8): bv8; ' + use)


def test_files(tmp_path: Path) -> None:
    missing = tmp_path / "missing.bpl"
    with pytest.raises(BadBoogieInput, match=r"cannot read .*missing\.bpl"):
        load_boogie(missing)
    wrong = tmp_path / "wrong.bpl"
    wrong.write_text("// a comment\nprocedure main() { assert 1; }")
    with pytest.raises(BoogieError) as caught:
        load_boogie(str(wrong))
    assert str(caught.value) == f"{wrong}:2:27: expected bool, found int"
    assert isinstance(caught.value, CratonError)


def test_entries() -> None:
    with pytest.raises(BadBoogieInput, match=r"there is no procedure mian; did you mean main\?"):
        load_boogie("procedure main() { }", entry="mian")
    with pytest.raises(BadBoogieInput, match="procedure p has no implementation"):
        load_boogie("procedure main() { } procedure p();", entry="p")
    with pytest.raises(BadBoogieInput, match="there is nothing to verify"):
        load_boogie("procedure p();")


def test_deep_nesting_is_no_crash() -> None:
    deep = load_boogie(f"procedure main() {{ assert {'(!' * 1000} true {')' * 1000}; }}")
    assert not deep.program.errors
    mixed = "(x && " * 1000 + "x" + " || x)" * 1000
    assert load_boogie(f"procedure main() {{ var x: bool; assume {mixed}; }}").program
    with pytest.raises(BadBoogieInput, match="nested too deep"):
        load_boogie(f"procedure main() {{ var x: int; x := {'-(x + ' * 50_000} 1 {')' * 50_000}; }}")


def test_long_chains_do_not_nest() -> None:
    program = load_boogie(f"procedure main() {{ var x: int; assert {' && '.join(['x == x + 0'] * 20_000)}; }}").program
    assert not program.errors
