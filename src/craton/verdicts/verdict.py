"""The verdict: proved, violated or unknown, each with its evidence.

`str()` of a verdict gives the words of result files: `true`, `false(unreach-call)`, `unknown`. An engine's answer
(`craton.engines.contract.EngineAnswer`) is not a verdict: it is not yet confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass

from craton.program.cfa import Program, Property, Unmodelled
from craton.program.origin import SourceRange
from craton.verdicts.counterexample import Compiled, Replay, place_of
from craton.verdicts.proof import Proof
from craton.verdicts.text import Limit, VerdictKind, VerdictText


@dataclass(frozen=True, slots=True)
class Proved:
    """The property holds. Unless `confirmed`, only the engine says so."""

    proof: Proof
    confirmed: bool = True

    def __str__(self) -> str:
        return str(text_of(self))


@dataclass(frozen=True, slots=True)
class Violated:
    """The property does not hold: a run reaches the error, at a place in the source if that is known."""

    property: Property
    place: SourceRange | None
    replay: Replay
    compiled: Compiled | None = None  # the outcome of the replay in the compiled program, if tried
    confirmed: bool = True

    def __str__(self) -> str:
        return str(text_of(self))


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither was shown, and why. If a limit is the cause, which one; if a gap in Craton is the cause, what the program
    does that is not modelled.
    """

    reason: str
    limit: Limit | None = None
    construct: Unmodelled | None = None

    def __str__(self) -> str:
        return str(text_of(self))


Verdict = Proved | Violated | Unknown


def text_of(verdict: Verdict) -> VerdictText:
    """The verdict in the words of result files."""
    match verdict:
        case Proved():
            return VerdictText(VerdictKind.TRUE)
        case Violated():
            return VerdictText(VerdictKind.FALSE, verdict.property.name)
        case Unknown():
            return VerdictText(VerdictKind.UNKNOWN)


def violated(replay: Replay, program: Program) -> Violated:
    """The verdict for a run to an error location of a program, which was not yet tried in the compiled program."""
    return Violated(program.errors[replay.location], place_of(replay, program), replay)
