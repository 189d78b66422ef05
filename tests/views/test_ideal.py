"""Integers that never overflow: what is found there is said only if it holds in bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.engines.configuration import Stage
from craton.frontends.programs import Request
from craton.verification import verify

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"

TOGETHER = (
    HEAD
    + """
int main(void) {
    int x = 0, y = 0;
    while (__VERIFIER_nondet_int()) { x++; y++; }
    if (x != y) reach_error();
    return 0;
}
"""
)
WRAPS = (
    HEAD
    + """
int main(void) {
    int x = 0;
    while (__VERIFIER_nondet_int()) x++;
    if (x < 0) reach_error();
    return 0;
}
"""
)
FAILS_ONLY_IDEALLY = (
    HEAD
    + """
int main(void) {
    unsigned char x = __VERIFIER_nondet_int() & 255;
    unsigned y = (unsigned) x * 16777216u;
    if (y / 16777216u != x) return 0;
    int z = x; z = z * 65536; z = z * 65536;
    if (z != 0) reach_error();
    return 0;
}
"""
)


@pytest.mark.parametrize(
    ("text", "engine", "allowed"),
    [
        (TOGETHER, "horn", ("true",)),
        (WRAPS, "horn", ("unknown",)),  # true of ideal integers; the error is 2^31 steps away
        (FAILS_ONLY_IDEALLY, "bounded", ("unknown",)),  # z is 0 in bits
    ],
    ids=["holds in both", "holds ideally", "fails ideally"],
)
def test_ideal_findings_are_confirmed_in_bits(tmp_path: Path, text: str, engine: str, allowed: tuple[str, ...]) -> None:
    file = tmp_path / "program.c"
    file.write_text(text)
    result = verify(Request((str(file),)), [Stage(engine, encoding="ideal")], 15)
    assert str(result.verdict) in allowed, result.reason
    if result.is_unknown:
        assert "proof was found" in result.reason or "counterexample of the view" in result.reason
