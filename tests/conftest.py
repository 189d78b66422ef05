"""Random tests repeat exactly, unless CRATON_FUZZ asks for a long run with new examples."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from support import FUZZ

_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.register_profile("repeatable", _COMMON, derandomize=True, database=None)
settings.register_profile("fuzz", _COMMON, print_blob=True)
settings.load_profile("fuzz" if FUZZ else "repeatable")
