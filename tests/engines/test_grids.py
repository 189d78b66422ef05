"""Matrices by row and column: rows of variable length, elements that their row and column tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.verdicts.verdict import Proved
from craton.verification.run import verify

ELEMENTS = Stage("elements", arrays="all", encoding="ideal")
BEGIN = """
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a[100][100];
int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    if (n <= 0 || n > 90 || m <= 0 || m > 90) return 0;
"""
ALL = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "
FLAT = "int *f = malloc(n * m * sizeof *f); " + ALL + "f[i * m + j] = 7; "
VARIABLE = "int v[n][m]; " + ALL + "v[i][j] = i + j; "
FIXED = ALL + "a[i][j] = i + j; "
BY_COLUMNS = "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) a[i][j] = i - j; "
SAFE = {
    "flat, rows of variable length": FLAT + ALL + "if (f[i * m + j] != 7) reach_error();",
    "rows of variable length": VARIABLE + ALL + "if (v[i][j] != i + j) reach_error();",
    "a part of a large matrix": FIXED + ALL + "if (a[i][j] != i + j) reach_error();",
    "columns first": BY_COLUMNS + ALL + "if (a[i][j] != i - j) reach_error();",
}
UNSAFE = {
    "one is another": VARIABLE + "v[n / 2][m - 1] = -1; " + ALL + "if (v[i][j] != i + j) reach_error();",
    "the last column is left out": VARIABLE.replace("j < m", "j < m - 1")
    + ALL
    + "if (v[i][j] != i + j) reach_error();",
    "one is another if there are many": VARIABLE
    + "if (n > 70) v[n / 2][m - 1] = -1; "
    + ALL
    + "if (v[i][j] != i + j) reach_error();",
    "rows of another length": FLAT.replace("= 7", "= j").replace("i * m", "i * n")
    + ALL
    + "if (f[i * m + j] != j) reach_error();",
    "row and column are mixed up": FIXED + "if (n > 1 && m > 1 && a[1][0] != a[0][1] + n - m) reach_error();",
    "one row too many": FIXED.replace("i + j", "i + j + 1") + "if (n < 5 && m < 5 && a[n][0] != n + 1) reach_error();",
}


def proved(folder: Path, body: str, seconds: float) -> bool:
    (folder / "p.c").write_text(f"{BEGIN}{body} return 0; }}\n")
    return isinstance(verify(Request((str(folder / "p.c"),)), (ELEMENTS,), seconds).verdict, Proved)


@pytest.mark.parametrize("name", SAFE)
def test_matrices_are_proved(tmp_path: Path, name: str) -> None:
    assert proved(tmp_path, SAFE[name], 200.0)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_not_so_is_not_proved(tmp_path: Path, name: str) -> None:
    assert not proved(tmp_path, UNSAFE[name], 60.0)
