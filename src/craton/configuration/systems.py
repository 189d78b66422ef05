"""Stages and engines for systems of Horn clauses: the engines of programs by name, where there is one on systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from craton.configuration.engines import make_engine
from craton.configuration.stages import Stage, read_stages
from craton.registry import parse

if TYPE_CHECKING:
    from craton.engines.systems.contract import SystemEngine

SYSTEMS = read_stages(Path(__file__).with_name("systems.toml"))


def system_engine(stage: Stage) -> SystemEngine | None:
    """The engine on systems that a stage names; None if it is one of programs only."""
    if parse(stage.engine).name != "horn":
        return None
    from craton.engines.horn import Horn
    from craton.engines.systems.spacer import Spacer

    engine = make_engine(stage)
    assert isinstance(engine, Horn)
    return Spacer(guided=not engine.unguided)
