"""Verdicts as values: what they say, and the place of an error in the user's text."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.configuration.stages import Stage
from craton.frontends.programs import Request
from craton.verdicts.result import Result
from craton.verdicts.text import Limit
from craton.verdicts.verdict import Proved, Unknown, Violated
from craton.verification import verify
from support.programs import BY_NAME

CALLED = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
void fail(int x) {
  if (x == 5)
    reach_error();
}
int main(void) { fail(__VERIFIER_nondet_int()); fail(__VERIFIER_nondet_int()); return 0; }
"""


def asked(path: Path, *stages: Stage) -> Result:
    return verify(Request((str(path),), data_model="LP64"), stages, 60)


def test_proved() -> None:
    result = asked(BY_NAME["loops/together.c"].path, Stage("horn"))
    assert isinstance(result.verdict, Proved)
    assert (result.is_true, result.is_false, result.is_unknown, str(result.verdict)) == (True, False, False, "true")
    assert result.proof is result.verdict.proof and result.replay is None and result.reason == ""
    assert result.confirmed and result.proof.checked_by


@pytest.mark.parametrize("engine", ["bounded", "testing"])
def test_violated_with_property_and_place(engine: str, tmp_path: Path) -> None:
    """The run is known after `bounded`, and not after testing."""
    file = tmp_path / "called.c"
    file.write_text(CALLED)
    verdict = asked(file, Stage(engine)).verdict
    assert isinstance(verdict, Violated)
    assert str(verdict) == "false(unreach-call)"
    assert verdict.property.name == "unreach-call"
    assert verdict.place is not None and (verdict.place.file, verdict.place.line) == (str(file), 5)


def test_unknown_with_reason() -> None:
    result = asked(BY_NAME["loops/even.c"].path, Stage("bounded(depth=1)"))
    assert result.verdict == Unknown("no error within 1 steps")
    assert (result.is_unknown, result.reason, str(result.verdict)) == (True, "no error within 1 steps", "unknown")


def test_unknown_with_the_limit_that_was_reached() -> None:
    request = Request((str(BY_NAME["loops/even.c"].path),))
    verdict = verify(request, (Stage("horn"), Stage("bounded")), 0.0).verdict
    assert isinstance(verdict, Unknown)
    assert (verdict.reason, verdict.limit) == ("out of time", Limit.WALL)
