"""Names → engines, and the stages of a run: which engine with which refiner looks at which view for how long."""

from __future__ import annotations

from dataclasses import dataclass

from craton.config import refiner
from craton.engines.contract import Engine


@dataclass(frozen=True, slots=True)
class Stage:
    """One attempt. `share` is its part of the time that is left, against the stages behind it."""

    engine: str = "trace-abstraction"
    refine: str = "default"
    encoding: str = "bv"
    floats: str = "exact"
    solver: str = "z3"
    share: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.engine}, {self.refine}, {self.encoding}"


def make_engine(stage: Stage) -> Engine:
    from craton.engines.bounded import Bounded
    from craton.engines.horn import Horn
    from craton.engines.trace_abstraction import TraceAbstraction

    if stage.engine == "bounded":
        return Bounded()
    if stage.engine == "horn":
        return Horn()
    return TraceAbstraction(refiner(stage.refine), stage.solver)


def check_stage(stage: Stage) -> None:
    """Raises an error that tells the user what is wrong with a stage."""
    make_engine(stage)


DEFAULT = (Stage(),)
