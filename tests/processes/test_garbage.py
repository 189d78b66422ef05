from __future__ import annotations

import gc

import pytest

from craton.processes.garbage import nothing_collected


def test_nothing_is_collected_inside_and_everything_afterwards() -> None:
    assert gc.isenabled()
    with nothing_collected():
        assert not gc.isenabled()
        cycle: list[object] = []
        cycle.append(cycle)
    assert gc.isenabled()
    assert any(found is cycle for found in gc.get_objects(generation=2))
    with pytest.raises(ValueError, match="not ours"), nothing_collected():
        raise ValueError("not ours")
    assert gc.isenabled()


def test_who_has_turned_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with nothing_collected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
