"""What the documentation says of refiners and engines of one's own, in Python, works as it stands there."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

import pytest

import craton
from support.console import DOCS

PROGRAM = """extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { unsigned x = 0; while (__VERIFIER_nondet_int()) if (x < 9) x++;
  if (x > BOUND) reach_error(); return 0; }
"""


@pytest.fixture
def of_page(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the first block of a page defines."""
    text = (DOCS / request.param).read_text(encoding="utf-8")
    block = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    module = ModuleType("documented")
    monkeypatch.setitem(sys.modules, "documented", module)  # dataclasses look up the module of their class
    vars(module)["__name__"] = "documented"
    exec(compile(block, request.param, "exec"), vars(module))
    return vars(module)


@pytest.mark.parametrize("of_page", ["engines.md"], indirect=True)
@pytest.mark.parametrize(("bound", "told"), [(9, "true"), (3, "false(unreach-call)")])
def test_an_engine_of_ones_own(of_page: dict[str, Any], bound: int, told: str) -> None:
    source = PROGRAM.replace("BOUND", str(bound))
    result = craton.verify(source=source, engine=of_page["ErrorsFirst"](), time_limit=100)
    assert str(result.verdict) == told


@pytest.mark.parametrize("of_page", ["algebra.md"], indirect=True)
def test_a_refiner_of_ones_own(of_page: dict[str, Any]) -> None:
    engine = craton.TraceAbstraction(of_page["Twice"](craton.Newton()))
    assert engine.name == "trace-abstraction" and "twice(newton" in repr(engine.refiner.name)
    result = craton.verify(source=PROGRAM.replace("BOUND", "9"), engine=engine, time_limit=100)
    assert str(result.verdict) == "true"
