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
# If the system is linear, the stages of programs are one more among them, after so many, with a share for all of them.
PROGRAMS_PLACE, PROGRAMS_SHARE = 5, 6.0


def system_engine(stage: Stage) -> SystemEngine | None:
    """The engine on systems that a stage names; None if it is one of programs only."""
    word = parse(stage.engine).name
    if word == "horn":
        from craton.engines.horn import Horn
        from craton.engines.systems.spacer import Spacer

        horn = make_engine(stage)
        assert isinstance(horn, Horn)
        return Spacer(guided=not horn.unguided)
    if word == "value":
        from craton.engines.systems.explicit import Explicit

        return Explicit(stage.solver)
    if word == "bounded":
        from craton.engines.bounded import Bounded
        from craton.engines.systems.bounded import BoundedDerivations

        bounded = make_engine(stage)
        assert isinstance(bounded, Bounded)
        return BoundedDerivations(bounded.depth)
    if word == "conjectures":
        from craton.engines.systems.conjectures import Conjectures

        return Conjectures(stage.solver, stage.seed)
    if word == "predicate":
        from craton.engines.predicate import PredicateAnalysis
        from craton.engines.systems.predicate import PredicateAbstraction

        engine = make_engine(stage)
        assert isinstance(engine, PredicateAnalysis)
        return PredicateAbstraction(engine.refiner, engine.abstraction, stage.solver)
    return None
