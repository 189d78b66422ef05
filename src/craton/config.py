"""Names → refiners: the refinement expressions a user may write.

    newton(it, sp, lv, level=block, solver=z3)
    until-perfect(newton(it, sp), craig(bitwuzla))

A new refiner is one file in `traces/` and one entry of `REFINERS` here. A mistake in an expression is answered with its
position and the nearest valid words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from craton.expressions import ExpressionError, Meaning, Word, parse
from craton.smt import known_solvers
from craton.traces.checked import Checked
from craton.traces.compose import Fallback, Memo, Race, UntilPerfect
from craton.traces.cores import Granularity
from craton.traces.craig import Craig
from craton.traces.lattice import Lattice
from craton.traces.lean import Lean
from craton.traces.levels import AtLevel, Level
from craton.traces.newton import Direction, Newton, Quantifiers
from craton.traces.perfect import Quality
from craton.traces.prefixes import Sliced
from craton.traces.refutation import Refiner
from craton.traces.scorers import SCORERS, ByChance, Scorer
from craton.traces.values import ExplicitValues

# --- meaning ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """One refiner a user may write."""

    usage: str
    summary: str
    make: Callable[[Word, _Meaning], Refiner] = field(repr=False)


class _Meaning(Meaning):
    def refiner(self, word: Word) -> Refiner:
        if word.value is not None:
            raise ExpressionError(self.text, word.position, f"{word.name}=… is an option, not a refiner")
        if word.arguments is None and word.name in PRESETS:
            return refiner(PRESETS[word.name])
        entry = REFINERS.get(word.name)
        if word.name in PRESETS:
            raise ExpressionError(self.text, word.position, f"{word.name} is a preset and takes no arguments")
        if entry is None:
            raise self.unknown(word, "refiner", [*REFINERS, *PRESETS])
        return entry.make(word, self)

    def refiners(self, word: Word, at_least: int) -> tuple[Refiner, ...]:
        arguments = word.arguments or ()
        if len(arguments) < at_least:
            few = "one refiner" if at_least == 1 else f"{at_least} refiners"
            raise ExpressionError(self.text, word.position, f"{word.name} needs at least {few} in parentheses")
        return tuple(self.refiner(argument) for argument in arguments)


_FLAGS: dict[str, dict[str, object]] = {
    "it": {"core": Granularity.CONJUNCT},
    "sp": {"direction": Direction.SP},
    "wp": {"direction": Direction.WP},
    "lv": {"live": True},
    "late": {"late": True},
    "drop": {"drop": True},
}
_OPTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "core": ("core", {g.value: g for g in Granularity}),
    "quantifiers": ("quantifiers", {q.value: q for q in Quantifiers}),
}
_VALUED = (*_OPTIONS, "solver", "level", "time")


def _newton(word: Word, meaning: _Meaning) -> Refiner:
    settings: dict[str, object] = {"core": None, "live": False}
    level = Level.BLOCK
    meaning.once(word.arguments or (), lambda argument: "direction" if argument.name in ("sp", "wp") else argument.name)
    # Options last, so that `core=statement` says more than `it`, wherever it stands.
    for argument in sorted(word.arguments or (), key=lambda argument: argument.value is not None):
        if argument.value is None and argument.name in _VALUED:
            raise ExpressionError(meaning.text, argument.position, f"{argument.name} needs a value: {argument.name}=…")
        if argument.value is None:
            settings |= meaning.choose(argument, _FLAGS, "option of newton")
        elif argument.name in _OPTIONS:
            key, choices = _OPTIONS[argument.name]
            settings[key] = meaning.choose(argument.value, choices, argument.name)
        elif argument.name == "solver":
            settings["solver"] = meaning.choose(argument.value, {s: s for s in known_solvers()}, "solver")
        elif argument.name == "level":
            level = meaning.choose(argument.value, {x.value: x for x in Level}, "level")
        elif argument.name == "time":
            settings["time_limit"] = meaning.seconds(argument.value)
        else:
            if argument.name in _FLAGS:
                meaning.plain(argument)
            raise meaning.unknown(argument, "option of newton", [*_FLAGS, *_VALUED])
    made = Newton(**settings)  # type: ignore[arg-type]
    return AtLevel(level, made) if level is Level.EDGE else made


def _craig(word: Word, meaning: _Meaning) -> Refiner:
    settings: dict[str, object] = {}
    meaning.once(
        word.arguments or (),
        lambda argument: "source" if argument.value is None and argument.name != "it" else argument.name,
    )
    for argument in sorted(word.arguments or (), key=lambda argument: argument.value is not None):
        if argument.value is None and argument.name == "it":
            meaning.plain(argument)
            settings["core"] = Granularity.CONJUNCT
        elif argument.value is None and argument.name not in ("core", "time"):
            settings["source"] = meaning.choose(argument, {s: s for s in known_solvers()}, "solver")
        elif argument.value is None:
            raise ExpressionError(meaning.text, argument.position, f"{argument.name} needs a value: {argument.name}=…")
        elif argument.name == "core":
            settings["core"] = meaning.choose(argument.value, {g.value: g for g in Granularity}, "core")
        elif argument.name == "time":
            settings["time_limit"] = meaning.seconds(argument.value)
        else:
            raise meaning.unknown(argument, "option of craig", ["it", "core", "time", *known_solvers()])
    return Craig(**settings)  # type: ignore[arg-type]


def _race(word: Word, meaning: _Meaning) -> Refiner:
    arguments = word.arguments or ()
    limits = [a for a in arguments if a.name == "time" and a.value is not None]
    meaning.once(limits, lambda argument: argument.name)
    runners = meaning.refiners(replace(word, arguments=tuple(a for a in arguments if a not in limits)), 2)
    return Race(runners, meaning.seconds(limits[0].value)) if limits and limits[0].value else Race(runners)


def _lean(word: Word, meaning: _Meaning) -> Refiner:
    return Lean(_one_and_options(word, meaning, ())[0])


def _sliced(word: Word, meaning: _Meaning) -> Refiner:
    inner: list[Word] = []
    scorers: list[Scorer] = []
    settings: dict[str, object] = {}
    level = Level.BLOCK
    arguments = word.arguments or ()
    meaning.once([a for a in arguments if a.value is not None and a.name != "random"], lambda argument: argument.name)
    for argument in arguments:
        if argument.name == "random":
            scorers.append(ByChance(0 if argument.value is None else meaning.number(argument.value)))
        elif argument.name in SCORERS:
            scorers.append(meaning.choose(argument, SCORERS, "scorer"))
        elif argument.value is None and argument.name in (*REFINERS, *PRESETS):
            inner.append(argument)
        elif argument.value is None:
            raise meaning.unknown(argument, "refiner or scorer", [*REFINERS, *PRESETS, *SCORERS, "random"])
        elif argument.name == "solver":
            settings["solver"] = meaning.choose(argument.value, {s: s for s in known_solvers()}, "solver")
        elif argument.name == "time":
            settings["time_limit"] = meaning.seconds(argument.value)
        elif argument.name == "level":
            level = meaning.choose(argument.value, {x.value: x for x in Level}, "level")
        else:
            raise meaning.unknown(argument, "option of sliced", ["solver", "time", "level", "random"])
    if scorers:
        settings["scorers"] = tuple(scorers)
    made = Sliced(meaning.refiners(replace(word, arguments=tuple(inner)), 1), **settings)  # type: ignore[arg-type]
    return AtLevel(level, made) if level is Level.EDGE else made


def _lattice(word: Word, meaning: _Meaning) -> Refiner:
    inner, settings = _one_and_options(word, meaning, ("solver", "time"))
    return Lattice(inner, **settings)  # type: ignore[arg-type]


def _checked(word: Word, meaning: _Meaning) -> Refiner:
    inner, settings = _one_and_options(word, meaning, ("time",))
    return Checked(inner, **settings)  # type: ignore[arg-type]


def _one_and_options(word: Word, meaning: _Meaning, known: tuple[str, ...]) -> tuple[Refiner, dict[str, object]]:
    arguments = word.arguments or ()
    options = [a for a in arguments if a.value is not None and known]
    meaning.once(options, lambda argument: argument.name)
    settings: dict[str, object] = {}
    for argument in options:
        assert argument.value is not None
        if argument.name not in known:
            raise meaning.unknown(argument, f"option of {word.name}", known)
        if argument.name == "solver":
            settings["solver"] = meaning.choose(argument.value, {s: s for s in known_solvers()}, "solver")
        else:
            settings["time_limit"] = meaning.seconds(argument.value)
    inner, *others = meaning.refiners(replace(word, arguments=tuple(a for a in arguments if a not in options)), 1)
    if others:
        raise ExpressionError(meaning.text, word.position, f"{word.name} takes one refiner")
    return inner, settings


def _values(word: Word, meaning: _Meaning) -> Refiner:
    arguments = word.arguments or ()
    meaning.once(arguments, lambda argument: argument.name)
    for argument in arguments:
        if argument.name != "time" or argument.value is None:
            raise meaning.unknown(argument, "option of values", ["time=…"])
    return ExplicitValues(meaning.seconds(arguments[0].value)) if arguments and arguments[0].value else ExplicitValues()


def _memo(word: Word, meaning: _Meaning) -> Refiner:
    return Memo(_one_and_options(word, meaning, ())[0])


REFINERS: dict[str, Entry] = {
    "newton": Entry(
        "newton(it, sp|wp, lv, late, drop, core=statement|conjunct, quantifiers=none|light|full, level=edge|block,"
        " solver=S, time=T)",
        "symbolic execution, forwards (sp) or backwards (wp), over an infeasible core (it; late: near the error),"
        " live variables only (lv)",
        _newton,
    ),
    "craig": Entry(
        "craig(S, it, core=statement|conjunct, time=T)",
        "sequence interpolants from solver S, of an infeasible core (it) or of the whole trace",
        _craig,
    ),
    "values": Entry(
        "values(time=T)", "the constants that contradict the trace, as x = 3 ∧ y = 0; no solver is asked", _values
    ),
    "lean": Entry("lean(R)", "the assertions of R without what its proof does not need", _lean),
    "sliced": Entry(
        "sliced(R, …, short|long|good|bad|narrow|wide|shallow|deep|random=N, …, level=edge|block, solver=S, time=T)",
        "of what R learns from each reason why a trace is infeasible, the best: by the length of its prefix, the use of"
        " its variables (good: flags, not counters), the width or the depth of what is tracked",
        _sliced,
    ),
    "lattice": Entry(
        "lattice(R, solver=S, time=T)",
        "what R learns when the trace forgets, at its loops, all but a few terms: differences rather than counters",
        _lattice,
    ),
    "fallback": Entry(
        "fallback(R, R, …)",
        "the first refiner that answers; a trace that comes back goes to the next",
        lambda word, meaning: Fallback(meaning.refiners(word, 2)),
    ),
    "until-perfect": Entry(
        "until-perfect(R, R, …)",
        "the first sequence that proves the whole path program; else one with a loop invariant; else the first",
        lambda word, meaning: UntilPerfect(meaning.refiners(word, 1)),
    ),
    "until-inductive": Entry(
        "until-inductive(R, R, …)",
        "the first sequence with a loop invariant, whether or not the start of the path leads to it; else the first",
        lambda word, meaning: UntilPerfect(meaning.refiners(word, 1), Quality.INDUCTIVE),
    ),
    "race": Entry(
        "race(R, R, …, time=T)",
        "all at once in processes of their own; the first answer wins",
        _race,
    ),
    "memo": Entry("memo(R)", "remembers its answers", _memo),
    "checked": Entry("checked(R, time=T)", "what R says, if other solvers find no step that breaks the law", _checked),
}

PRESETS: dict[str, str] = {
    # The cheap ones first: Spacer takes its time with bit-vectors, and then often has no answer.
    "default": "until-inductive(newton(it, wp, lv, late), newton(it, sp, lv), craig(z3, it, time=2))",
    "perfect": "until-perfect(newton(it, sp, lv), newton(it, wp, lv), craig(z3, it, time=2))",
    "it-sp-lv": "newton(it, sp, lv)",
    "it-wp-lv": "newton(it, wp, lv)",
    "newton-or-craig": "fallback(newton(it, sp, lv), craig(z3))",
    "bits": "until-perfect(newton(it, sp, lv), craig(z3, it, time=2), craig(bitwuzla, it, time=2))",
}


def refiner(expression: str) -> Refiner:
    """The refiner an expression or the name of a preset stands for."""
    return _Meaning(expression).refiner(parse(expression))
