"""Each construct of Boogie by a small program whose meaning is known: loop-free ones are decided by a solver."""

from __future__ import annotations

import pytest

from craton.frontends.boogie import load_boogie
from frontends.boogie.exploring import Found, explore

# name: what stands before `procedure main`, its body, and whether every assertion in it holds
BODIES: dict[str, tuple[str, str, bool]] = {
    # types and literals
    "booleans": ("", "var p, q: bool; assert p || !p; assert !(p && q) <==> (!p || !q);", True),
    "integers are unbounded": ("", "var x: int; assert x + 1 > x;", True),
    "reals are dense": ("", "var x, y: real; assume x < y; assert x < (x + y) / 2.0 && (x + y) / 2.0 < y;", True),
    "decimals": ("", "assert 1.5 * 2.0 == 3.0 && 25e-1 == 2.5;", True),
    "bit-vector literals": ("", "var x: bv8; x := 255bv8; assert x == 255bv8; assert x[8:4] == 15bv4;", True),
    "concatenation": ("", "var x: bv4; x := 9bv4; assert (x ++ 1bv4) == 145bv8;", True),
    "extraction": ("", "var x: bv8; assert x[8:4] ++ x[4:0] == x;", True),
    "bit-vectors wrap": (
        'function {:bvbuiltin "bvadd"} plus(bv8, bv8) returns (bv8);',
        "assert plus(255bv8, 1bv8) == 0bv8;",
        True,
    ),
    "indexed built-in": (
        'function {:bvbuiltin "zero_extend 8"} wide(bv8): bv16;'
        ' function {:bvbuiltin "(_ sign_extend 8)"} s(bv8): bv16;',
        "assert wide(255bv8) == 255bv16 && s(255bv8) == 65535bv16;",
        True,
    ),
    "built-in arithmetic": ('function {:builtin "abs"} magnitude(x: int): int;', "assert magnitude(-3) == 3;", True),
    "floats": (
        'type {:builtin "FloatingPoint"} {:indices 5, 11} half; function {:builtin "fp.eq"} feq(half, half): bool;',
        "var x: half; assert x == x; assert feq(x, x);",
        False,
    ),
    "rounding modes": (
        'type {:builtin "RoundingMode"} RM; const {:builtin "RNE"} rne: RM; type F = float24e8;'
        ' function {:builtin "fp.add"} fadd(RM, F, F): F; function {:builtin "+zero"} z(): F;',
        "assert fadd(rne, z(), z()) == z();",
        True,
    ),
    "defined by SMT-LIB text": (
        'function {:smtdefined "(+ x (* 2 y))"} f(x: int, y: int): int;',
        "assert f(1, 2) == 5;",
        True,
    ),
    "opaque types": ("type T; const a: T;", "var x: T; x := a; assert x == a;", True),
    "opaque values may differ": ("type T; const a: T;", "var x: T; assert x == a;", False),
    "synonyms": ("type A = [int]B; type B = bool;", "var m: A; m[1] := true; assert m[1];", True),
    "type constructors": ("type List a; const nil: List int;", "var l: List int; l := nil; assert l == nil;", True),
    "generic synonyms": ("type M a = [int]a;", "var m: M bool; m[0] := false; assert !m[0];", True),
    # maps and records
    "maps": ("", "var m: [int]int; m[1] := 2; m[2] := 3; assert m[1] == 2 && m[2] == 3;", True),
    "maps alias": ("", "var m: [int]int; var i, j: int; m[i] := 1; m[j] := 2; assert m[i] == 1;", False),
    "several indices": ("", "var m: [int, bool]int; m[1, true] := 2; m[1, false] := 3; assert m[1, true] == 2;", True),
    "maps of maps": ("", "var m: [int][int]int; m[1][2] := 3; assert m[1][2] == 3 && m[1] == m[1][2 := 3];", True),
    "updates": ("", "var m: [int]int; assert m[3 := 4][3] == 4; assert m[3 := m[3]] == m;", True),
    "maps are extensional": (
        "",
        "var m, n: [int]int; assume (forall i: int :: m[i] == n[i]); assert m == n;",
        True,
    ),
    "records": ("", "var p: { a: int, b: bool }; p!a := 3; assert p!a == 3; assert p == { a: 3, b: p!b };", True),
    "records in maps": (
        "type P = { a: int, b: int };",
        "var m: [int]P; m[1] := { a: 1, b: 2 }; m[1]!b := 5; assert m[1] == { a: 1, b: 5 };",
        True,
    ),
    "maps by records": (
        "type P = { a: int, b: int };",
        "var m: [P]int; m[{ a: 1, b: 2 }] := 3; m[{ a: 2, b: 1 }] := 4; assert m[{ a: 1, b: 2 }] == 3;",
        True,
    ),
    "polymorphic maps": (
        "type Ref; type Field a; const unique n: Field int; const unique m: Field int; const b: Field bool;"
        " type Heap = <a>[Ref, Field a]a;",
        "var h, k: Heap; var r: Ref; h[r, n] := 3; h[r, b] := true; h[r, m] := 4; k := h;"
        " assert k[r, n] == 3 && k[r, b]; assert h[r, n := 5][r, n] == 5; assert h == k; havoc h; assert h[r, n] == 3;",
        False,
    ),
    "polymorphic maps keep what is not written": (
        "type Field a; const unique n: Field int; const unique m: Field int; const b: Field bool;",
        "var h: <a>[Field a]a; h[n] := 3; h[b] := false; h[m] := 4; assert h[n] == 3 && !h[b];",
        True,
    ),
    "constant maps": ("function {:const_array} all(int): [int, int]int;", "assert all(7)[3, 4] == 7;", True),
    # constants, functions, axioms
    "constants": ("const c: int; axiom c == 23;", "assert c == 23;", True),
    "constants are open": ("const c: int;", "assert c == 23;", False),
    "unique constants": ("const unique a, b: int; const unique c: int;", "assert a != b && b != c && a != c;", True),
    "unique records": (
        "type P = { x: int, y: int }; const unique a: P; const unique b: P;",
        "assert a != b; assert a!x != b!x;",
        False,
    ),
    "function bodies": ("function sum(x, y: int): int { x + y }", "assert sum(2, sum(3, 4)) == 9;", True),
    "function bodies are unfolded without capture": (
        "function below(x: int): bool { (exists y: int :: y < x) } function f(y: int): bool { below(y) && y > 0 }",
        "var y: int; assume f(y); assert (forall y: int :: below(y)); assert y > 0;",
        True,
    ),
    "uninterpreted functions": ("function f(int): int;", "var x, y: int; assume x == y; assert f(x) == f(y);", True),
    "uninterpreted functions are open": ("function f(int): int;", "assert f(1) == f(2);", False),
    "functions without arguments": ("function f(): int; axiom f() > 0;", "assert f() >= 1;", True),
    "axioms": ("function f(int): int; axiom (forall i: int :: f(i) == i + 1);", "assert f(2) == 3;", True),
    "recursive functions": (
        "function f(n: int): int { if n <= 0 then 0 else f(n - 1) + 2 }",
        "assert f(0) == 0; assert f(1) == 2;",
        True,
    ),
    "polymorphic functions": (
        "function same<a>(x: a): a { x } function id<b>(x: b): b;",
        "assert same(3) == 3 && same(true); assert id(id(4)) == id(id(4));",
        True,
    ),
    # expressions
    "division is Euclidean": ("", "assert -7 div 2 == -4 && -7 mod 2 == 1 && 7 div -2 == -3 && 7 mod -2 == 1;", True),
    "division by zero is anything": ("", "var x: int; assert x div 0 == 0;", False),
    "slash on integers": ("", "assert 7 / 2 == 3 && 7 % 2 == 1;", True),
    "slash on integers where a real is wanted": ("", "var r: real; r := 7 / 2; assert r == 3.5;", True),
    "powers": ("", "var x: int; assert x ** 2 == x * x && 2 ** 3 ** 2 == 512 && 2 * 3 ** 2 == 18;", True),
    "coercions": ("", "assert real(3) == 3.0 && int(2.7) == 2 && int(-0.5) == -1;", True),
    "if-then-else": ("", "var x: int; x := if x > 0 then x else -x; assert x >= 0;", True),
    "if-then-else takes what follows": (
        "",
        "assert (1 + if true then 2 else 3 + 4) == 3; assert if true then true else 1 == 2;",
        True,
    ),
    "if-then-else at the right end": ("", "var x: int; assert x == 0 || if x > 0 then x >= 1 else x <= -1;", True),
    "records begin expressions": (
        "type P = { a: int }; function f(int): P;",
        "var m: [int]P; assume (forall i: int :: {m[i]} { a: i } == m[i]); assert { a: 3 } == m[3];",
        True,
    ),
    "implication groups to the right": ("", "assert false ==> false ==> false;", True),
    "explication groups to the left": ("", "assert !(false <== true <== true);", True),
    "conjunction before implication": ("", "assert false && true ==> false; assert !(true || false ==> false);", True),
    "subtraction groups to the left": ("", "assert 10 - 3 - 2 == 5 && 2 * 3 - 4 == 2 && -2 + 5 == 3;", True),
    "quantifiers": (
        "",
        "assert (forall x: int :: {:weight 3} x * x >= 0); assert (exists x, y: int :: x != y);",
        True,
    ),
    "triggers": ("function f(int): int;", "assert (forall x: int :: {f(x)} {f(x), f(x + 1)} f(x) == f(x));", True),
    "let": ("", "assert (var x, y := 1, 2; x + y) == 3;", True),
    "lambda": ("", "var m: [int]int; m := (lambda i: int :: 2 * i); assert m[21] == 42;", True),
    "lambda of a constant": ("", "assert (lambda i: int :: 5)[3] == 5;", True),
    "mathematical symbols": ("", "var x: int; assert (∀ y: int • y ≥ x ∨ ¬(y ≥ x)) ∧ (x ≠ 1 ⇒ x ≤ 0 ∨ x > 1);", True),
    # statements
    "uninitialised": ("", "var x: int; assert x == 0;", False),
    "havoc": ("", "var x: int; x := 1; havoc x; assert x == 1;", False),
    "where": ("", "var x: int where x > 0; assert x > 0; havoc x; assert x > 0;", True),
    "where does not bind assignments": ("", "var x: int where x > 0; x := -1; assert x > 0;", False),
    "assume": ("", "var x: int; assume x > 3; assert x > 2;", True),
    "assertions are assumed afterwards": ("", "var x: int; assume x == 1; assert x > 0; assert x != 0;", True),
    "parallel assignment": ("", "var x, y: int; assume x == 1 && y == 2; x, y := y, x; assert x == 2 && y == 1;", True),
    "parallel rotation": (
        "",
        "var a, b, c, d: int; a, b, c, d := 1, 2, 3, 4; a, b, c, d := b, c, a, a + d;"
        " assert a == 2 && b == 3 && c == 1 && d == 5;",
        True,
    ),
    "parallel indices are old": (
        "",
        "var m: [int]int; var i: int; i := 1; m[i], i := 7, 2; assert m[1] == 7 && i == 2;",
        True,
    ),
    "atomic": ("", "var x: int; atomic { x := 1; x := x + 1; } assert x == 2;", True),
    "words that are operators elsewhere": (
        "function mod(int): int { 3 }",
        "var div: int; div := 4; assert div mod mod(1) == 1;",
        True,
    ),
    "names": ("", "var é, x\\y, #t~1, a.b, q?, it's: int; é := 1; x\\y := é; assert x\\y == 1;", True),
    "order of constants": (
        "const a: int; const unique b: int <: unique a complete; const c: int extends a;",
        "assert b == b;",
        True,
    ),
    "texts in attributes": ("", 'assert {:msg "say \\"no\\""} {:line 3} true; assume {:print "x", 1 + 2} true;', True),
    "if": ("", "var x: int; if (x > 0) { x := 1; } else if (x < 0) { x := -1; } assert -1 <= x && x <= 1;", True),
    "if nondeterministic": ("", "var x: int; x := 0; if (*) { x := 1; } assert x == 0;", False),
    "goto": ("", "var x: int; goto A, B; A: x := 1; goto C; B: x := 2; C: assert x == 1 || x == 2;", True),
    "goto takes all ways": ("", "var x: int; goto A, B; A: x := 1; goto C; B: x := 2; C: assert x == 1;", False),
    "break": ("", "var x: int; x := 0; while (true) { x := x + 1; break; } assert x == 1;", True),
    "labelled break": (
        "",
        "var x: int; x := 0; out: while (true) { while (true) { x := 2; break out; } x := 3; } assert x == 2;",
        True,
    ),
    "break out of an if": ("", "var x: int; x := 1; on: if (*) { break on; } else { x := 1; } assert x == 1;", True),
    "return": ("", "var x: int; return; assert false;", True),
    "while": ("", "var x: int; x := 0; while (x < 3) { x := x + 1; } assert x == 3;", True),
    "invariants are checked first": ("", "var x: int; x := 0; while (x < 3) invariant x > 0; { x := x + 1; }", False),
    "invariants are checked again": (
        "",
        "var x: int; x := 0; while (x < 3) invariant x < 3; { x := x + 1; }",
        False,
    ),
    "invariants that hold": ("", "var x: int; x := 0; while (x < 3) invariant x <= 3; { x := x + 1; }", True),
    "free invariants are assumed": (
        "",
        "var x: int; x := 0; while (x < 3) free invariant x <= 1; { x := x + 1; } assert false;",
        True,
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str) -> None:
    before, body, holds = BODIES[name]
    program = load_boogie(f"{before}\nprocedure main() {{ {body} }}").program
    assert explore(program) is (Found.NONE if holds else Found.ERROR)


# Whole programs, and whether every check in them holds: with calls inlined, and by contract.
PROGRAMS: dict[str, tuple[str, bool, bool]] = {
    "calls": (
        "procedure main() { var x: int; call x := inc(4); assert x == 5; }"
        " procedure inc(x: int) returns (y: int) { y := x + 1; }",
        True,
        False,
    ),
    "calls by contract": (
        "procedure main() { var x: int; call x := inc(4); assert x == 5; }"
        " procedure inc(x: int) returns (y: int); ensures y == x + 1; implementation inc(a: int) returns (b: int)"
        " { b := a + 1; }",
        True,
        True,
    ),
    "a postcondition fails": (
        "procedure main() { var x: int; call x := inc(4); }"
        " procedure inc(x: int) returns (y: int) ensures y == x + 1; { y := x; }",
        False,
        False,
    ),
    "a precondition fails": (
        "procedure main() { call p(-1); } procedure p(x: int) requires x > 0; { assume true; }",
        False,
        False,
    ),
    "preconditions are checked in terms of the arguments": (
        "procedure main() { var x: int; x := -1; call p(x + 2, 0); } procedure p(x, y: int) requires x > y; { }",
        True,
        True,
    ),
    "free preconditions are assumed": (
        "procedure main() { call p(-1); } procedure p(x: int) free requires x > 0; { assert x > 0; }",
        True,
        True,
    ),
    "free postconditions are assumed": (
        "procedure main() { var y: int; call y := p(); assert y == 1; }"
        " procedure p() returns (y: int) free ensures y == 1; { y := 1; }",
        True,
        True,
    ),
    "without an implementation the contract counts": (
        "var g: int; procedure main() modifies g; { var y: int; g := 1; call y := p(2); assert y == 3 && g > 1; }"
        " procedure p(x: int) returns (y: int); modifies g; ensures y == x + old(g) && g > old(g);",
        True,
        True,
    ),
    "what a contract does not mention is arbitrary": (
        "var g: int; procedure main() modifies g; { g := 1; call p(); assert g == 1; } procedure p(); modifies g;",
        False,
        False,
    ),
    "a global takes the result": (
        "var g: int; procedure main() modifies g; { g := 5; call g := p(g); assert g == 6; }"
        " procedure p(x: int) returns (y: int); ensures y == x + 1 && g == 5;",
        True,
        True,
    ),
    "a result overwrites an argument": (
        "procedure main() { var x: int; x := 5; call x := p(x); assert x == 6; }"
        " procedure p(x: int) returns (y: int); ensures y == x + 1;",
        True,
        True,
    ),
    "old in bodies": (
        "var g: int; procedure main() modifies g; { g := 3; call p(); assert g == 4; }"
        " procedure p() modifies g; ensures g == old(g) + 1; { g := g + 1; assert g == old(g) + 1; }",
        True,
        True,
    ),
    "old does not touch locals": (
        "procedure main() { var x: int; x := 1; assert old(x) == 1; x := 2; assert old(x) == 2; }",
        True,
        True,
    ),
    "specification and implementation may name things differently": (
        "procedure main() { var c, d: int; call c, d := p(1, 2); assert c == 1 && d == 2; }"
        " procedure p(b, a: int) returns (d, c: int); requires b < a; ensures d == b && c == a;"
        " implementation p(a, b: int) returns (c, d: int) { c, d := a, b; }",
        True,
        True,
    ),
    "each call has new locals": (
        "procedure main() { var i, x, y: int; i := 0; while (i < 2) { y := x; call x := p(); i := i + 1; }"
        " assert x == y; } procedure p() returns (r: int) { var open: int; r := open; }",
        False,
        False,
    ),
    "several implementations are alternatives": (
        "procedure main() { var x: int; call x := p(); assert x == 1 || x == 2; }"
        " procedure p() returns (x: int); ensures 0 < x && x < 3; implementation p() returns (x: int) { x := 1; }"
        " implementation p() returns (y: int) { y := 2; }",
        True,
        True,
    ),
    "recursion": (
        "procedure main() { var x: int; call x := p(2); assert x == 2; }"
        " procedure p(n: int) returns (r: int) ensures r == n || n < 0; {"
        " if (n <= 0) { r := 0; return; } call r := p(n - 1); r := r + 1; }",
        True,
        True,
    ),
    "where of globals": (
        "var g: int where g > 0; procedure main() modifies g; { assert g > 0; havoc g; assert g > 0; call p();"
        " assert g > 0; } procedure p(); modifies g;",
        True,
        True,
    ),
    "where of results": (
        "procedure main() { var x: int; call x := p(); assert x > 0; } procedure p() returns (x: int where x > 0);",
        True,
        True,
    ),
    "each procedure is verified if none is the main one": (
        "procedure p(x: int) requires x > 0; { assert x > 0; } procedure q() { assert false; }",
        False,
        False,
    ),
    "records cross calls": (
        "type P = { a: int, b: bool }; procedure main() { var p: P; p := { a: 1, b: true }; call p := f(p);"
        " assert p!a == 2 && p!b; } procedure f(p: P) returns (q: P) ensures q!a == p!a + 1 && q!b == p!b;"
        " { q := p; q!a := q!a + 1; }",
        True,
        True,
    ),
}


@pytest.mark.parametrize("contracts", [False, True], ids=["inlined", "contracts"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, contracts: bool) -> None:
    text, inlined, by_contract = PROGRAMS[name]
    holds = by_contract if contracts else inlined
    program = load_boogie(text, contracts=contracts).program
    assert explore(program, steps=100) is (Found.NONE if holds else Found.ERROR)
