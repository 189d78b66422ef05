"""Sums, counts and maxima of prefixes, told by histories: what is proved is a proof, also for who did not find it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.evidence.certificates.checking import Accepted, check_certificate
from craton.evidence.certificates.format import BadCertificate
from craton.evidence.certificates.writing import make_certificate
from craton.frontends.programs import Request
from craton.program.passes import Pass
from craton.verdicts.verdict import Proved
from craton.verification.run import verify

PREFIXES = Stage("elements", arrays="prefixes", encoding="ideal")
BEGIN = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a[1000], b[1000];
int main(void) {
    int n = __VERIFIER_nondet_int(), x = 0, y = 0; long long s = 0, t = 0;
    if (n <= 0 || n > 1000) return 0;
    for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
"""
SUM = "for (int i = 0; i < n; i++) s += a[i];"
COPY = "for (int i = 0; i < n; i++) b[i] = a[i];"
BACK = "for (int i = n - 1; i >= 0; i--) t += a[i];"
COUNT = "for (int i = 0; i < n; i++) if (a[i] > 0) x++;"
MOST = "x = a[0]; for (int i = 0; i < n; i++) if (a[i] > x) x = a[i];"
SAFE = {
    "a sum of a copy": SUM + COPY + "for (int i = 0; i < n; i++) t += b[i]; if (s != t) reach_error();",
    "a sum from behind": SUM + BACK + "if (s != t) reach_error();",
    "what is counted and what is not": COUNT + "for (int i = 0; i < n; i++) if (a[i] <= 0) y++;"
    "if (x + y != n) reach_error();",
    "two ways to the largest": MOST + "y = a[0]; for (int i = 0; i < n; i++) y = a[i] > y ? a[i] : y;"
    "if (x != y) reach_error();",
}
UNSAFE = {
    "one is changed in between": SUM + "a[n / 2]++;" + BACK + "if (s != t) reach_error();",
    "the copy lacks one": SUM
    + COPY.replace("i < n", "i < n - 1")
    + "for (int i = 0; i < n; i++) t += b[i]; if (s != t) reach_error();",
    "the first is left out": SUM + BACK.replace(">= 0", "> 0") + "if (s != t) reach_error();",
    "zero is counted twice": COUNT + "for (int i = 0; i < n; i++) if (a[i] >= 0) y++; if (x != y) reach_error();",
    "a sum that wraps": SUM.replace("s +=", "x +=") + BACK + "if (x != t) reach_error();",
}


def written(folder: Path, body: str) -> Request:
    (folder / "p.c").write_text(f"{BEGIN}{body} return 0; }}\n")
    return Request((str(folder / "p.c"),))


@pytest.mark.parametrize("name", SAFE)
def test_prefixes_are_compared(tmp_path: Path, name: str) -> None:
    verdict = verify(written(tmp_path, SAFE[name]), (PREFIXES,), 120.0).verdict
    assert isinstance(verdict, Proved), verdict


def test_certificates_name_histories(tmp_path: Path) -> None:
    request = written(tmp_path, SAFE["two ways to the largest"])
    result = verify(request, (PREFIXES,), 120.0)
    assert Pass.HISTORIES in result.passes
    certificate = make_certificate(request, result)
    assert isinstance(check_certificate(certificate, request, seconds=60), Accepted)
    task = replace(certificate.task, passes=tuple(p for p in certificate.task.passes if p is not Pass.HISTORIES))
    with pytest.raises(BadCertificate, match="no variable history of"):
        check_certificate(replace(certificate, task=task), request, seconds=60)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_is_wrong_is_not_proved(tmp_path: Path, name: str) -> None:
    assert not isinstance(verify(written(tmp_path, UNSAFE[name]), (PREFIXES,), 30.0).verdict, Proved)
