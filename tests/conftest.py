"""Random tests repeat exactly, unless CRATON_FUZZ asks for a long run with new examples; and a session fails in which
too many cases ran out of time (`support.patience`).
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support import FUZZ
from support.patience import LEDGER

_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.register_profile("repeatable", _COMMON, derandomize=True, database=None)
settings.register_profile("fuzz", _COMMON, print_blob=True)
settings.load_profile("fuzz" if FUZZ else "repeatable")

_SENT_AS = "out of time"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Terms live as long as their process, and a large process forks slowly: a verdict took five times as long."""
    items.sort(key=lambda item: item.get_closest_marker("large") is not None)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker of xdist has ended; what it has counted comes with it, unless it crashed."""
    LEDGER.add(getattr(node, "workeroutput", {}).get(_SENT_AS, {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    sent: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if sent is not None:
        sent[_SENT_AS] = LEDGER.as_data()
    elif LEDGER.problems() and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in LEDGER.lines():
        terminalreporter.write_line(line)
    problems = LEDGER.problems()
    if problems:
        terminalreporter.section("too many cases ran out of time", red=True)
        for line in problems:
            terminalreporter.write_line(line)
