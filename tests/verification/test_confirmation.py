"""Proofs of views: what they lack in bits is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from craton.configuration.stages import Stage
from craton.engines import houdini
from craton.frontends.programs import Request
from craton.verdicts.verdict import Proved, Unknown
from craton.verification import confirmation
from craton.verification.run import verify

HEAD = "void reach_error(void) {}\nextern int __VERIFIER_nondet_int(void);\n"
SMALL = (
    "int main(void) { int x = 0; while (__VERIFIER_nondet_int()) { x = x + 1; if (x > 50) x = 0; }"
    " if (x < 0) reach_error(); return 0; }"
)


def verdict(text: str, folder: Path) -> Any:
    (folder / "p.c").write_text(HEAD + text)
    stage = Stage("trace-abstraction", "newton(it, wp, lv, late)", encoding="ideal")
    return verify(Request((str(folder / "p.c"),), data_model="LP64"), [stage], 60).verdict


def test_facts_are_the_bounds_that_a_proof_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In integers a successor of x ≥ 0 is not negative; in bits it takes a bound of x."""
    monkeypatch.setattr(houdini, "repaired", lambda program, invariants, budget: {})
    assert isinstance(verdict(SMALL, tmp_path), Proved)


def test_without_facts_it_is_not_confirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(invariants: Mapping[Any, Any], program: object) -> Mapping[Any, Any]:
        return invariants

    monkeypatch.setattr(houdini, "repaired", lambda program, invariants, budget: {})
    monkeypatch.setattr(confirmation, "_with_facts", nothing)
    found = verdict(SMALL, tmp_path)
    assert isinstance(found, Unknown)
    assert "not confirmed" in found.reason
