"""Engine expressions: `predicate(sbe, cartesian)`, `bounded(depth=50)`."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from craton.configuration.refiners import refiner
from craton.registry import Entry, ExpressionError, Group, Registry, parse
from craton.registry.expressions import Meaning

if TYPE_CHECKING:
    from craton.configuration.stages import Stage
    from craton.engines.contract import Engine

_ENTRIES = (
    Entry("trace-abstraction", "craton.engines.trace_abstraction:TraceAbstraction"),
    Entry("predicate", "craton.engines.predicate:PredicateAnalysis"),
    Entry("splitting", "craton.engines.splitting:Splitting"),
    Entry("value", "craton.engines.value:ValueAnalysis"),
    Entry("value-predicate", "craton.engines.value_predicate:ValuePredicateAnalysis"),
    Entry("bounded", "craton.engines.bounded:Bounded"),
    Entry("kinduction", "craton.engines.kinduction:KInduction"),
    Entry("conjectures", "craton.engines.conjectures:Conjectures"),
    Entry("horn", "craton.engines.horn:Horn"),
)

ENGINES: Registry[Engine] = Registry(
    "engine",
    {entry.name: entry for entry in _ENTRIES},
    group=Group("craton.engines", "craton.engines.contract:Engine"),
)

TESTING = "testing"  # a stage without an engine: runs on seeded random inputs
TESTING_SUMMARY = "runs on inputs drawn from seeds; finds errors only"


def make_engine(stage: Stage) -> Engine:
    """The engine of a stage, with its refiner, solver and seed."""
    given = {"solver": stage.solver, "seed": stage.seed}
    if refines(stage.engine):
        return ENGINES.read(stage.engine, refiner=refiner(stage.refine), **given)
    return ENGINES.read(stage.engine, **given)


def refines(expression: str) -> bool:
    """Whether the engine uses a refiner."""
    word = parse(expression)
    if word.name == TESTING:
        return False
    entry = ENGINES.find(word.name)
    if entry is None:
        raise Meaning(expression).unknown(word, "engine", [*ENGINES.entries, TESTING])
    return any(one.name == "refiner" for one in fields(entry.kind))


def check_stage(stage: Stage) -> None:
    """Raises an error that tells the user what is wrong with a stage, if anything is."""
    from craton.smt import make_solver

    make_solver(stage.solver).close()
    if parse(stage.engine).name != TESTING:
        make_engine(stage)
    elif stage.engine != TESTING:
        raise ExpressionError(stage.engine, len(TESTING), f"{TESTING} takes neither arguments nor a value")
