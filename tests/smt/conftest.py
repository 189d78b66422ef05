"""Every solver in this process, for suites over all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from craton.smt.contract import Solver
from craton.smt.registry import LIBRARIES, make_solver


@pytest.fixture(params=tuple(LIBRARIES))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if LIBRARIES[found].version() is None:
        pytest.skip(f"{found} is not installed")
    return found


@pytest.fixture
def solver(name: str) -> Iterator[Solver]:
    with make_solver(name, time_limit=60.0) as made:  # against hanging, also on a busy machine
        yield made
