"""All elements of arrays at once: what is true of each is used where others are read. What is proved is a proof."""

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
int main(void) {
    int n = __VERIFIER_nondet_int(), i;
    if (n <= 0 || n > 100000) return 0;
"""
ONES = "long long *a = malloc(n * sizeof *a), s = 0; for (i = 0; i < n; i++) a[i] = 1;"
SUM = "for (i = 0; i < n; i++) s += a[i];"
STEPS = "long long *a = malloc(n * sizeof *a); a[0] = 6; for (i = 1; i < n; i++) a[i] = a[i - 1] + 6;"
TWO = (
    "int *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b); for (i = 0; i < n; i++) { a[i] = 1; b[i] = a[i] + i; }"
)
MARKS = (
    "int *a = malloc(n * sizeof *a), q; long long s = 0;"
    " for (i = 0; i < n; i++) { q = __VERIFIER_nondet_int(); if (q < 2 || q > 10) q = 5; a[i] = q; }"
)
BOUNDS = "if (s > 10LL * n || s < 2LL * n) reach_error();"
GREATEST = (
    "int *a = malloc(n * sizeof *a), k, at = 0; for (i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();"
    " int most = a[0];"
    " for (i = 1; i < n; i++) if (a[i] > most) { most = a[i]; at = i; } k = __VERIFIER_nondet_int();"
)
SAFE = {
    "the greatest and where it is": GREATEST + "if (k >= 0 && k < n && (a[at] != most || a[k] > a[at])) reach_error();",
    "a sum of inputs within bounds": MARKS + SUM + BOUNDS,
    "a sum of ones, added to each": ONES + SUM + "for (i = 0; i < n; i++) a[i] += s;"
    "for (i = 0; i < n; i++) if (a[i] != n + 1) reach_error();",
    "each from the one before": STEPS + "for (i = 0; i < n; i++) if (a[i] != 6 * (long long)i + 6) reach_error();",
    "behind a block of unknown size": TWO + "for (i = 0; i < n; i++) if (b[i] != i + 1) reach_error();",
}
UNSAFE = {
    "one behind the greatest": GREATEST + "if (k >= 0 && k <= n && n < 9 && a[k] > a[at]) reach_error();",
    "a sum of inputs, one of which may be beyond": MARKS.replace("q > 10", "q > 11") + SUM + BOUNDS,
    "a sum with one too many": MARKS + SUM + "s += a[0];" + BOUNDS,
    "one is another": ONES + "a[n / 2] = 2;" + SUM + "if (s != n) reach_error();",
    "the first is left out": ONES + SUM.replace("i = 0", "i = 1") + "if (s != n) reach_error();",
    "it wraps": STEPS.replace("long long", "signed char")
    + "for (i = 0; i < n; i++) if (a[i] != 6 * i + 6) reach_error();",
    "the last is not written": TWO.replace("i < n;", "i < n - 1;")
    + "for (i = 0; i < n; i++) if (b[i] != i + 1) reach_error();",
}


def written(folder: Path, body: str) -> Request:
    (folder / "p.c").write_text(f"{BEGIN}{body} return 0; }}\n")
    return Request((str(folder / "p.c"),))


@pytest.mark.parametrize("name", SAFE)
def test_what_holds_of_all_is_used_where_one_is_read(tmp_path: Path, name: str) -> None:
    verdict = verify(written(tmp_path, SAFE[name]), (ELEMENTS,), 120.0).verdict
    assert isinstance(verdict, Proved), verdict


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_wrong_is_not_proved(tmp_path: Path, name: str) -> None:
    assert not isinstance(verify(written(tmp_path, UNSAFE[name]), (ELEMENTS,), 60.0).verdict, Proved)
