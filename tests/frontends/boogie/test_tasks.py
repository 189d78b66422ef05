"""A directory of Boogie programs, if CRATON_BOOGIE_TASKS names one: all lower, and fast; what bounded exploration finds
agrees with the verdict in the first comment.
"""

from __future__ import annotations

import os
import re
import statistics
import time
from pathlib import Path

import pytest

from craton.errors import CratonError
from craton.frontends.boogie import load_boogie
from frontends.boogie.exploring import Found, explore

FOLDER = os.environ.get("CRATON_BOOGIE_TASKS", "")
TASKS = sorted(Path(FOLDER).glob("*.bpl")) if FOLDER else []
pytestmark = pytest.mark.skipif(not TASKS, reason="CRATON_BOOGIE_TASKS names no directory with Boogie programs")


@pytest.mark.parametrize("contracts", [False, True], ids=["inlined", "contracts"])
def test_tasks_lower(contracts: bool) -> None:
    failures, times = [], []
    for path in TASKS:
        start = time.perf_counter()
        try:
            load_boogie(path, contracts=contracts)
        except CratonError as problem:
            failures.append(f"{path.name}: {problem}")
        times.append(time.perf_counter() - start)
    assert len(failures) <= len(TASKS) // 20, "\n".join(failures)
    assert statistics.median(times) < 0.5


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.stem)
def test_verdicts(path: Path) -> None:
    verdict = re.search(r"#(Safe|Unsafe)", path.read_text(errors="replace"))
    if verdict is None:
        pytest.skip("no verdict in the file")
    loaded = load_boogie(path)
    found = explore(loaded.program, steps=80, states=400)
    if found is Found.ERROR and not loaded.overapproximated:
        assert verdict[1] == "Unsafe"
    if found is Found.NONE:
        assert verdict[1] == "Safe"
