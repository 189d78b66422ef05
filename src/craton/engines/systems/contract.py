"""The contract of engines on systems of Horn clauses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from craton.engines.contract import Budget, Unknown
from craton.horn.clauses import System
from craton.horn.grounding import Inference
from craton.horn.models import Model


@dataclass(frozen=True, slots=True)
class Solved:
    """A model; `by` names the solvers that it relies on: a different one has to check it."""

    model: Model
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contradicted:
    """Facts that derive false, premises first."""

    inferences: tuple[Inference, ...]


SystemAnswer = Solved | Contradicted | Unknown


class SystemEngine(ABC):
    """A value; see `Engine`."""

    __slots__ = ()

    @abstractmethod
    def run(self, system: System, budget: Budget) -> SystemAnswer: ...
