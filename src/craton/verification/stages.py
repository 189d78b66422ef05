"""Stages as the spine knows them: which engine looks at which view for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from craton.configuration.engines import TESTING, check_stage, make_engine, refines
from craton.configuration.stages import DEFAULT, Stage
from craton.engines.contract import Engine
from craton.errors import CratonError

__all__ = [
    "DEFAULT",
    "GivenEngine",
    "Stage",
    "check_stage",
    "chosen_stages",
    "engine_of",
    "has_templates",
    "is_testing",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenEngine(Stage):
    """A stage with an engine that somebody made, not one that is named."""

    value: Engine

    @classmethod
    def of(
        cls,
        engine: Engine,
        encoding: str | None = None,
        floats: str | None = None,
        arrays: str | None = None,
        loops: str | None = None,
    ) -> GivenEngine:
        usual = Stage()
        views = encoding or usual.encoding, floats or usual.floats, arrays or usual.arrays, loops or usual.loops
        return cls(engine.name, "", *views, value=engine)

    @property
    def refiner(self) -> str:
        refiner = getattr(self.value, "refiner", None)
        return "" if refiner is None else str(refiner.name)


def chosen_stages(
    engine: str | None = None,
    refine: str | None = None,
    *,
    usual: Sequence[Stage] = DEFAULT,
    encoding: str | None = None,
    floats: str | None = None,
    arrays: str | None = None,
    loops: str | None = None,
    solver: str | None = None,
    seed: int | None = None,
    check_refutations: bool = False,
) -> Sequence[Stage]:
    """With an engine, one stage; without one the usual stages, each with what was chosen, or as they are. With a
    refiner only those that refine: what others find would not be the refiner's.
    """
    names = ("engine", "refine", "encoding", "floats", "arrays", "loops", "solver", "seed")
    values = (engine, refine, encoding, floats, arrays, loops, solver, seed)
    chosen: dict[str, Any] = {name: value for name, value in zip(names, values, strict=True) if value is not None}
    if not chosen and not check_refutations:
        return usual
    if engine is not None:
        stages: tuple[Stage, ...] = (Stage(**chosen),)
    else:
        kept = [stage for stage in usual if refine is None or refines(stage.engine)]
        if not kept:
            raise CratonError(f"none of the stages refines, so none can use {refine}: name an engine with --engine")
        stages = tuple(dict.fromkeys(replace(stage, **chosen) for stage in kept))
    if check_refutations:
        stages = tuple(replace(stage, refine=f"checked({stage.refine})") for stage in stages)
    return stages


def engine_of(stage: Stage) -> Engine:
    return stage.value if isinstance(stage, GivenEngine) else make_engine(stage)


def has_templates(stage: Stage) -> bool:
    """Whether its refiner has templates that the user wrote."""
    return "templates=" in (stage.refiner if isinstance(stage, GivenEngine) else stage.refine)


def is_testing(stage: Stage) -> bool:
    """Whether it runs the program on inputs from seeds instead of an engine."""
    return not isinstance(stage, GivenEngine) and stage.engine == TESTING
