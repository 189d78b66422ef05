"""Engine expressions: `predicate(sbe, cartesian)`, `bounded(depth=50)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
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
    Entry("explicit", "craton.engines.explicit:Explicit"),
    Entry("search", "craton.engines.search:Search"),
    Entry("bounded", "craton.engines.bounded:Bounded"),
    Entry("kinduction", "craton.engines.kinduction:KInduction"),
    Entry("conjectures", "craton.engines.conjectures:Conjectures"),
    Entry("elements", "craton.engines.elements:Elements"),
    Entry("shapes", "craton.engines.shapes:Shapes"),
    Entry("rounds", "craton.engines.rounds:Rounds"),
    Entry("horn", "craton.engines.horn:Horn"),
)

# Of our own, those that use a refiner: known by name, since the names of all stages say it and few stages have a turn
# in a short run. A test compares it with what the engines themselves say.
_REFINING = frozenset({"trace-abstraction", "predicate", "splitting", "value", "value-predicate", "explicit"})

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
    return word.name in _REFINING if word.name in ENGINES.own else has_refiner(entry)


def has_refiner(entry: Entry) -> bool:
    """What the engine itself says of that."""
    return any(one.name == "refiner" for one in fields(entry.kind))


def _solvers(value: object) -> Iterator[str]:
    """The solvers that an engine or a refiner names, and those of its parts."""
    from craton.smt import known_solvers

    if isinstance(value, str):
        if value in known_solvers():
            yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _solvers(part)
    elif is_dataclass(value):
        for one in fields(value):
            yield from _solvers(getattr(value, one.name))


def check_stage(stage: Stage) -> None:
    """Raises an error that tells the user what is wrong with a stage, if anything is."""
    from craton.smt import make_solver

    make_solver(stage.solver).close()
    if parse(stage.engine).name != TESTING:
        # A refiner that the engine has no use for may have mistakes as well.
        unused = () if refines(stage.engine) or stage.refine == "default" else (refiner(stage.refine),)
        for name in dict.fromkeys(_solvers((make_engine(stage), *unused))):
            make_solver(name).close()  # says how to get it, if it is not here
    elif stage.engine != TESTING:
        raise ExpressionError(stage.engine, len(TESTING), f"{TESTING} takes neither arguments nor a value")
