"""Programs with recursion that try to make Craton say something wrong (`recursion.txt`)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from craton.frontends.programs import Request
from craton.verdicts.verdict import Proved
from craton.verification.run import verify
from craton.verification.stages import DEFAULT

_HEADER = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
"""
_PROPERTIES = {
    "unreach-call": "G ! call(reach_error())",
    "no-overflow": "G ! overflow",
    "valid-deref": "G valid-deref",
    "valid-free": "G valid-free",
}
_PARTS = re.split(r"^== ", (Path(__file__).parent / "recursion.txt").read_text(), flags=re.MULTILINE)[1:]
PROGRAMS = {part.partition(" · ")[0]: part.partition(" · ")[2] for part in _PARTS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_recursion(name: str, tmp_path: Path) -> None:
    line, _, text = PROGRAMS[name].partition("\n")
    property_name, expected = line.split(": ")
    (tmp_path / "program.c").write_text(_HEADER + text)
    (tmp_path / "property.prp").write_text(f"CHECK( init(main()), LTL({_PROPERTIES[property_name]}) )\n")
    request = Request((str(tmp_path / "program.c"),), property_file=str(tmp_path / "property.prp"))
    result = verify(request, DEFAULT, 600.0, cpu=240.0)
    assert not result.is_unknown, result.reason
    assert result.is_true is (expected == "true")


def test_recursion_that_no_error_needs_is_not_unrolled(tmp_path: Path) -> None:
    """Errors come before it: passes leave no call, and a proof is one of a program without recursion."""
    path = tmp_path / "program.c"
    path.write_text(
        """extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
        int main(void) {
            int x = __VERIFIER_nondet_int(), n = 0;
            while (n < 5 && __VERIFIER_nondet_int()) n++;
            if (n > 5) reach_error();
            return gcd(x, n);
        }"""
    )
    verdict = verify(Request((str(path),)), DEFAULT, 60).verdict
    assert isinstance(verdict, Proved)
    assert not verdict.proof.contracts and not verdict.proof.unrolled
