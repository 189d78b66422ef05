"""Features of small programs, and what they are not fooled by."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.frontends.programs import Request, load_program
from craton.program.analysis.features import features_of
from craton.program.features import FEATURES, Features
from craton.program.preparation import prepare

_HEAD = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
"""


def features(text: str, folder: Path) -> Features:
    file = folder / "program.c"
    file.write_text(_HEAD + text, encoding="utf-8")
    return features_of(prepare(load_program(Request((str(file),)))).small.program)


# Programs, and what is expected of some features.
CASES: dict[str, tuple[str, dict[str, int | None]]] = {
    "straight": (
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3) x = 3; if (x > 4) reach_error(); return 0; }",
        {"loops": 0, "rounds": 0, "inputs": 1, "arrays": 0, "nonlinear": 0, "recursive": 0, "reacting": 0},
    ),
    "counted to a constant": (
        "int main(void) { int s = 0; for (int i = 0; i < 30; i += 3) s += __VERIFIER_nondet_int();"
        " if (s == 7) reach_error(); return 0; }",
        {"loops": 1, "uncounted": 0, "rounds": 10, "nesting": 1},
    ),
    "counted down, unsigned, inside of another": (
        "int main(void) { unsigned char s = 1; for (int i = 0; i < 5; i++) for (unsigned j = 7; j > 0; j--) s += j * s;"
        " if (s == 7) reach_error(); return 0; }",
        {"loops": 2, "uncounted": 0, "rounds": 35, "nesting": 2, "nonlinear": 1},
    ),
    "counted to an input": (
        "int main(void) { int n = __VERIFIER_nondet_int(), s = 0; for (int i = 0; i < n; i++) s += 2;"
        " if (s == 7) reach_error(); return 0; }",
        {"loops": 1, "uncounted": 0, "rounds": None},
    ),
    "as far as another counter": (
        "int main(void) { int s = 0; for (int i = 0; i < 6; i++) for (int j = i + 1; j < 6 - i; j++)"
        " s += __VERIFIER_nondet_int(); if (s == 7) reach_error(); return 0; }",
        {"loops": 2, "uncounted": 0, "nesting": 2},
    ),
    "up and down": (
        "int main(void) { int k = 0; while (__VERIFIER_nondet_int()) { if (k < 8 && __VERIFIER_nondet_int()) k++;"
        " else if (k > 0) k--; if (k > 8) reach_error(); } }",
        {"loops": 1, "uncounted": 1, "rounds": None},
    ),
    "left early": (
        "int main(void) { int k = 0; while (k < 8 && __VERIFIER_nondet_int()) k++;"
        " if (k > 8) reach_error(); return 0; }",
        {"loops": 1, "uncounted": 0, "rounds": 8},
    ),
    "reacting": (
        "int main(void) { int s = 0; while (1) { int i = __VERIFIER_nondet_int(); if (s == 0 && i == 1) s = 2;"
        " else if (s == 2) s = 3; else if (s == 3 && i) s = 0; if (s == 5) reach_error(); } }",
        {"loops": 1, "uncounted": 1, "rounds": None},
    ),
    "nothing behind the loop": (
        "int a[9]; int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < 9; i++) a[i] = n;"
        " for (int i = 0; i < 7; i++) if (a[i] != n) reach_error(); return 0; }",
        {"loops": 2, "uncounted": 0, "rounds": 9},
    ),
    "an array, and bits": (
        "int a[9]; int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < 9; i++) a[i] = n ^ i;"
        " if (a[3] == (n | 4)) reach_error(); return 0; }",
        {"arrays": 1, "bits": 2, "rounds": 9, "heap": 0, "floats": 0},
    ),
    "floats": (
        "int main(void) { double d = 0; for (int i = 0; i < 4; i++) d += 0.5; if (d > 2) reach_error(); return 0; }",
        {"rounds": 4, "nonlinear": 0},
    ),
    "a list": (
        "struct n { struct n *next; int v; }; int main(void) { struct n *p = 0; int k = __VERIFIER_nondet_int();"
        " while (k-- > 0) { struct n *q = malloc(sizeof *q); q->next = p; q->v = 1; p = q; }"
        " for (; p; p = p->next) if (p->v != 1) reach_error(); return 0; }",
        {"loops": 2, "uncounted": 1, "rounds": None},
    ),
    "two arrays of any size": (
        "int main(void) { int n = __VERIFIER_nondet_int(); int *a = malloc(n), *b = malloc(n); if (n < 4 || !a || !b)"
        " return 0; for (int i = 0; i < n / 4; i++) b[i] = a[i]; if (b[0] != a[0]) reach_error(); return 0; }",
        {"loops": 1, "heap": 0},
    ),
    "recursion": (
        "int f(int n) { return n < 1 ? n : f(n - 1); }"
        " int main(void) { if (f(__VERIFIER_nondet_int())) reach_error(); }",
        {"recursive": 1, "loops": 0},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_features(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    found = features(text, tmp_path).data()
    assert found.keys() == set(FEATURES)
    assert {key: found[key] for key in expected} == expected


def test_how_much_there_is_of_something(tmp_path: Path) -> None:
    rounds = features(CASES["as far as another counter"][0], tmp_path).rounds
    assert rounds is not None and 36 <= rounds <= 200
    reacting = features(CASES["reacting"][0], tmp_path)
    assert reacting.reacting >= 4 and reacting.branches >= reacting.reacting
    assert features(CASES["floats"][0], tmp_path).floats > 0
    assert features(CASES["a list"][0], tmp_path).heap > 0
    frame = "int main(void) {{ int x = __VERIFIER_nondet_int(), y = 0; {} if (y > x) reach_error(); }}"
    shallow, deep = (features(frame.format("if (x) y = x / 2; " * times), tmp_path) for times in (1, 9))
    assert shallow.depth < deep.depth and shallow.edges < deep.edges
