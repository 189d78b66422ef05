"""Names → engines, and the stages of a run: which engine with which refiner looks at which view for how long.

    predicate(sbe, cartesian)        trace-abstraction        bounded(depth=50)

A new engine is one module in `engines/` and one entry of `ENGINES` here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from craton.expressions import ExpressionError, Meaning, Word, parse
from craton.program.blocks import CHAINS

if TYPE_CHECKING:
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
    seconds: float | None = None  # at most
    seed: int = 0  # of runs on inputs that are drawn

    @property
    def in_bits(self) -> bool:
        """Whether it looks at the program itself, and not at a view of it."""
        return self.encoding == "bv" and self.floats == "exact"

    @property
    def refiner(self) -> str:
        """The expression of the refiner that its engine runs with; "" if it takes none."""
        return "" if self.engine.partition("(")[0] in _WITHOUT_REFINER else self.refine

    @property
    def name(self) -> str:
        name = f"{self.engine} with {self.refiner}" if self.refiner else self.engine
        views = [word for word, usual in ((self.encoding, "bv"), (self.floats, "exact")) if word != usual]
        return f"{name} ({', '.join(views)})" if views else name


@dataclass(frozen=True, slots=True)
class Entry:
    """One engine a user may write."""

    usage: str
    summary: str
    make: Callable[[Mapping[str, Any], Stage], Engine] = field(repr=False)
    words: Callable[[], Mapping[str, tuple[str, Any]]] = dict  # a word → the setting it makes, and to what
    numbers: Mapping[str, str] = field(default_factory=dict)  # an option with a number → the setting


TESTING = "testing"  # a stage that needs no engine: runs on inputs from seeds


def make_engine(stage: Stage) -> Engine:
    meaning = Meaning(stage.engine)
    word = parse(stage.engine)
    if word.name not in ENGINES:
        raise meaning.unknown(word, "engine", [*ENGINES, TESTING])
    entry = ENGINES[word.name]
    return entry.make(_settings(word, entry, meaning), stage)


def check_stage(stage: Stage) -> None:
    """Raises an error that tells the user what is wrong with a stage."""
    from craton.smt import make_solver

    make_solver(stage.solver).close()
    if stage.engine != TESTING:
        make_engine(stage)


def _settings(word: Word, entry: Entry, meaning: Meaning) -> dict[str, Any]:
    words = entry.words()
    settings: dict[str, Any] = {}
    for argument in word.arguments or ():
        if argument.value is not None and argument.name in entry.numbers:
            setting, value = entry.numbers[argument.name], _number(argument.value, meaning)
        elif argument.name in words:
            meaning.plain(argument)
            setting, value = words[argument.name]
        else:
            raise meaning.unknown(argument, f"option of {word.name}", [*words, *(f"{n}=…" for n in entry.numbers)])
        if setting in settings:
            raise ExpressionError(
                meaning.text, argument.position, f"{argument.name} contradicts or repeats another word"
            )
        settings[setting] = value
    return settings


def _number(word: Word, meaning: Meaning) -> int:
    if not word.name.isdecimal() or int(word.name) < 1:
        raise ExpressionError(meaning.text, word.position, f"expected a positive number, found {word.name!r}")
    meaning.plain(word)
    return int(word.name)


# --- the engines, each imported when it is asked for ------------------------------------------------------------------

_BLOCKS = {"lbe": ("blocks", None), "chains": ("blocks", CHAINS), "sbe": ("blocks", 1)}


def _trace_abstraction(settings: Mapping[str, Any], stage: Stage) -> Engine:
    from craton.config import refiner
    from craton.engines.trace_abstraction import TraceAbstraction

    return TraceAbstraction(refiner(stage.refine), stage.solver, **settings)


def _predicate(settings: Mapping[str, Any], stage: Stage) -> Engine:
    from craton.config import refiner
    from craton.engines.predicate import PredicateAnalysis

    return PredicateAnalysis(refiner(stage.refine), stage.solver, **settings)


def _predicate_words() -> Mapping[str, tuple[str, Any]]:
    from craton.engines.predicate import Abstracting, Kind, Refinement, Search, Sharing

    choices = {"abstraction": Abstracting, "sharing": Sharing, "refinement": Refinement, "predicates": Kind}
    choices |= {"search": Search}
    return _BLOCKS | {choice.value: (setting, choice) for setting, kind in choices.items() for choice in kind}


def _splitting(settings: Mapping[str, Any], stage: Stage) -> Engine:
    from craton.config import refiner
    from craton.engines.splitting import Splitting

    return Splitting(refiner(stage.refine), stage.solver, **settings)


def _value(settings: Mapping[str, Any], stage: Stage) -> Engine:
    from craton.config import refiner
    from craton.engines.value import ValueAnalysis

    return ValueAnalysis(refiner(stage.refine), **settings)


def _value_words() -> Mapping[str, tuple[str, Any]]:
    from craton.engines.value import Tracking

    return _BLOCKS | {choice.value: ("tracking", choice) for choice in Tracking}


def _bounded(settings: Mapping[str, Any], stage: Stage) -> Engine:
    from craton.engines.bounded import Bounded

    return Bounded(**settings)


def _conjectures(settings: Mapping[str, Any], stage: Stage) -> Engine:
    from craton.engines.conjectures import Conjectures

    return Conjectures(stage.solver, stage.seed, **settings)


def _horn(settings: Mapping[str, Any], stage: Stage) -> Engine:
    from craton.engines.horn import Horn

    return Horn(**settings)


ENGINES: dict[str, Entry] = {
    "trace-abstraction": Entry(
        "trace-abstraction(lbe|chains|sbe|blocks=N)",
        "refutations as automata; subtracts refuted traces from the program until none is left",
        _trace_abstraction,
        lambda: _BLOCKS,
        {"blocks": "blocks"},
    ),
    "predicate": Entry(
        "predicate(lbe|chains|sbe|blocks=N, boolean|cartesian, location|function|global, lazy|restart, whole|atoms,"
        " bfs|dfs|weighted)",
        "predicate abstraction on a reachability graph, refined lazily",
        _predicate,
        _predicate_words,
        {"blocks": "blocks"},
    ),
    "splitting": Entry(
        "splitting(lbe|chains|sbe|blocks=N)",
        "splits the nodes of the program graph by assertions and cuts edges that cannot be taken",
        _splitting,
        lambda: _BLOCKS,
        {"blocks": "blocks"},
    ),
    "value": Entry(
        "value(chains|sbe|lbe|blocks=N, location|global)",
        "explicit values of the variables that refutations speak of; try it with --refine 'fallback(values, newton)'",
        _value,
        _value_words,
        {"blocks": "blocks"},
    ),
    "bounded": Entry(
        "bounded(depth=N)",
        "all paths up to a length at once; finds errors, and proves only where all paths end; needs no refiner",
        _bounded,
        numbers={"depth": "depth"},
    ),
    "conjectures": Entry(
        "conjectures",
        "invariants conjectured from runs, those that are inductive together; proves only; needs no refiner",
        _conjectures,
    ),
    "horn": Entry(
        "horn(lbe|chains|sbe|blocks=N)",
        "invariants from z3's solver of Horn clauses; proves, but shows no error; needs no refiner",
        _horn,
        lambda: _BLOCKS,
        {"blocks": "blocks"},
    ),
}
_WITHOUT_REFINER = ("bounded", "conjectures", "horn", TESTING)

# First what is quick, for the many programs for which it is enough. Then errors that lie deeper; then proofs: from Horn
# clauses, in bits and in integers that do not overflow, where they come quickly or not at all; by trace abstraction
# over large blocks where loops are the difficulty, over straight lines where branches are.
DEFAULT = (
    Stage("bounded(depth=12)", share=5, seconds=5),
    Stage("horn", share=1, seconds=1),
    Stage("trace-abstraction", "newton(it, wp, lv, late)", share=2, seconds=2),
    Stage("conjectures", share=2, seconds=5),
    Stage(TESTING, share=10, seconds=12),
    Stage("bounded", share=4, seconds=60),
    Stage("horn", encoding="ideal", share=1, seconds=60),
    Stage("trace-abstraction(chains)", "newton(it, sp, lv)", share=4),
    Stage("trace-abstraction", "newton(it, wp, lv, late)", share=3),
    Stage("trace-abstraction", "newton(it, sp, lv)", "int", share=2),
    Stage("horn", share=2),
)
