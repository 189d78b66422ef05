"""Spacer on the clauses themselves."""

from __future__ import annotations

from dataclasses import dataclass

from craton.engines.contract import Budget, Unknown
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.horn.clauses import System
from craton.horn.grounding import Inference
from craton.horn.models import Model
from craton.horn.spacer import solved
from craton.smt import Undecided


@dataclass(frozen=True, slots=True)
class Spacer(SystemEngine):
    """z3's solver of Horn clauses, with global guidance or without."""

    guided: bool = True

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        with budget.statistics.spending("Horn clauses"):
            found = solved(system.clauses, budget.left, guided=self.guided, derive=True)
        if isinstance(found, Undecided):
            return Unknown(f"no model found: {found.reason}")
        if isinstance(found, Model):
            budget.statistics.predicates = len(found.meanings)
            return Solved(found, ("z3",))
        if not found.facts:
            return Unknown("false can be derived, but z3 does not tell how")
        return Contradicted(tuple(map(Inference, found.facts, found.premises)))
