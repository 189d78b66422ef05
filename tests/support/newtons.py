"""Newtons that many tests use."""

from __future__ import annotations

from craton.traces.cores import Granularity
from craton.traces.newton import Newton

IT_SP_LV = Newton(core=Granularity.STATEMENT, live=True)
IT_SP = Newton(core=Granularity.STATEMENT)
