"""A proof that assumes how functions are called: given after others were looked for, and checked as what it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from craton.configuration.stages import Stage
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.reading import from_data
from craton.evidence.certificates.task import described
from craton.evidence.certificates.writing import as_data, make_certificate
from craton.frontends.programs import Request
from craton.program.passes import CALLS_ARE_TYPED, Pass
from craton.verdicts.result import Result
from craton.verification import verify

STAGES = (Stage("bounded(loops)"),)
TEXT = """
extern void reach_error(void);
struct a { int x; }; struct b { int y; };
static int locked = 0;
static int of_a(struct a *p) { locked = 1; return 0; }
static int of_b(struct b *p) { return 0; }
struct operations { int (*g)(struct a *); int (*f)(struct b *); } all[2];
static void clobber(int *p) { __asm__ volatile ("movl $0, %0" : "=r" (*p) : : "memory"); }
int main(void) {
  int n; struct b b;
  all[0].g = of_a; all[0].f = of_b;
  clobber(&n);
  all[n & 1].f(&b);
  if (locked) reach_error();
  return n;
}
"""


def result(text: str, folder: Path) -> tuple[Request, Result]:
    path = folder / "program.c"
    path.write_text(text)
    request = Request((str(path),), unknown_functions="pure")
    return request, verify(request, STAGES, 20.0)


def test_what_is_assumed_is_told_and_checked(tmp_path: Path) -> None:
    request, found = result(TEXT, tmp_path)
    assert found.is_true and found.stage == "reachability"
    assert CALLS_ARE_TYPED in found.assumptions and Pass.TYPED_CALLS in found.passes
    certificate = from_data(as_data(make_certificate(request, found)))
    checked = check_certificate(certificate, request)
    assert isinstance(checked, Accepted) and CALLS_ARE_TYPED in checked.assumptions
    untyped = replace(certificate, task=replace(certificate.task, passes=certificate.task.passes[:-1]))
    assert isinstance(check_certificate(untyped, request), Refused)


def test_first_it_is_looked_for_what_assumes_nothing(tmp_path: Path) -> None:
    _, found = result(TEXT.replace("f = of_b", "f = (int (*)(struct b *))of_a"), tmp_path)
    assert found.is_false and CALLS_ARE_TYPED not in found.assumptions


def test_a_certificate_proves_no_program_that_fails(tmp_path: Path) -> None:
    certificate = make_certificate(*result(TEXT, tmp_path))
    other, found = result(TEXT.replace("locked = 0", "locked = 1"), tmp_path)
    assert found.is_false
    forged = replace(certificate, task=replace(certificate.task, files=described(other).files))
    assert isinstance(check_certificate(forged, other), Refused)
