"""Arrays of pointers to structs: what is true of all objects is proved; what is not is not."""

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
struct s { int *p; int n; int flag; };
struct s *a[100000];
int main(void) {
    int n = __VERIFIER_nondet_int(), i;
    if (n <= 0 || n > 100000) return 0;
    for (i = 0; i < n; i++) {
        struct s *q = malloc(sizeof *q);
"""
FLAGGED = (
    "int x = __VERIFIER_nondet_int(); if (x > 5) { q->n = x; q->flag = 1; } else { q->n = 0; q->flag = 0; } a[i] = q; }"
    "for (i = 0; i < n; i++) if (a[i]->flag == 1 && a[i]->n <= 5) reach_error();"
)
NUMBERED = "q->n = i; a[i] = q; } for (i = 0; i < n; i++) if (a[i]->n != i) reach_error();"
CONSTANT = NUMBERED.replace("= i;", "= 10;").replace("!= i", "!= 10")  # the proof needs no order, its bounds do
SAFE = {"flags": FLAGGED, "numbers": NUMBERED, "constants": CONSTANT}
UNSAFE = {
    "one that the flag does not exclude": FLAGGED.replace("x > 5", "x > 4"),
    "one is changed": NUMBERED.replace("} for", "} a[n / 2]->n = 7; for"),
    "two are the same": NUMBERED.replace("} for", "} a[n / 2] = a[0]; for"),
    "one object for all": NUMBERED.replace("a[i] = q;", "a[i] = i ? a[0] : q; a[i]->n = i;"),
}


def written(folder: Path, body: str) -> Request:
    (folder / "p.c").write_text(f"{BEGIN}{body} return 0; }}\n")
    return Request((str(folder / "p.c"),))


@pytest.mark.parametrize("name", SAFE)
def test_what_holds_of_all_objects_is_proved(tmp_path: Path, name: str) -> None:
    verdict = verify(written(tmp_path, SAFE[name]), (ELEMENTS,), 200.0).verdict
    assert isinstance(verdict, Proved), verdict


@pytest.mark.parametrize("name", UNSAFE)
def test_what_some_object_is_not_is_not_proved(tmp_path: Path, name: str) -> None:
    assert not isinstance(verify(written(tmp_path, UNSAFE[name]), (ELEMENTS,), 60.0).verdict, Proved)
