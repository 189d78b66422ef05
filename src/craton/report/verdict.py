"""The outcome of a verification as plain data, and in words."""

from __future__ import annotations

import json
import statistics as averages
import sys
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from craton.errors import CratonError
from craton.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from craton.engines.contract import Statistics
    from craton.evidence.replay import ReadValue
    from craton.processes.supervision import Failed
    from craton.verify import Result


@dataclass(slots=True)
class Outcome:
    """What is told of a run: plain data that crosses processes and becomes JSON as it is."""

    verdict: str
    reason: str = ""
    evidence: str = ""
    confirmed: bool = True
    found_by: str = ""
    inputs: list[dict[str, str]] = field(default_factory=list)
    invariants: list[dict[str, str]] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)  # of evidence: which were written, or why not
    statistics: dict[str, Any] = field(default_factory=dict)


def exit_code(outcome: Outcome) -> int:
    if outcome.verdict == "true":
        return 0
    return 1 if outcome.verdict.startswith("false") else 3


def outcome_of_failure(failed: Failed, *, debug: bool) -> Outcome:
    """Of work that raised an error: one that is meant for the user is raised again, any other is a bug of ours."""
    if isinstance(failed.error, CratonError):
        raise failed.error
    if debug:
        print(failed.traceback, file=sys.stderr)
    return Outcome("unknown", f"internal error: {failed.error!r}; this is a bug in Craton: please report it")


def outcome(result: Result) -> Outcome:
    told = Outcome(result.verdict, result.reason, found_by=result.stage, assumptions=list(result.assumptions))
    told.confirmed = result.confirmed
    told.statistics = figures(result.statistics)
    if result.proof is not None:
        _tell_proof(told, result)
    if result.replay is not None:
        told.inputs = [
            {"function": read.source.function, "type": read.source.type, "value": _value(read)}
            for read in result.replay.inputs
        ]
        told.evidence = _replay(told.inputs, result)
    return told


def _replay(inputs: Sequence[dict[str, str]], result: Result) -> str:
    from craton.evidence.compiled import NotCompiled, Reached

    shown = ", ".join(entry["value"] for entry in inputs[:8]) + (", …" if len(inputs) > 8 else "")
    after = f"after {counted(len(inputs), 'input')}" + (f": {shown}" if shown else "")
    match result.compiled:
        case Reached(compiler):
            return f"replay: error reached in the compiled program ({compiler}) {after}"
        case NotCompiled(why):
            return f"replay: error reached by the interpreter {after}; not in a compiled program: {why}"
    return f"replay: error reached by the interpreter {after}"


def _tell_proof(told: Outcome, result: Result) -> None:
    from craton.logic.infix import infix

    proof = result.proof
    assert proof is not None
    program = proof.program
    heads = [location for location in program.loop_heads if location in proof.invariants]
    for location in heads:
        place = program.loop_heads[location]
        told.invariants.append({"location": str(place or location), "invariant": infix(proof.invariants[location])})
    count = counted(len(heads), "loop invariant")
    if not result.confirmed:
        told.evidence = f"unconfirmed: {count}, not checked again"
    elif proof.checked_by:
        told.evidence = f"proof: {count}, re-checked by {proof.checked_by} in {proof.seconds:.2f} s"
    else:
        told.evidence = "proof: no error location is reachable in the control flow"


def _value(read: ReadValue) -> str:
    from fractions import Fraction

    from craton.logic import BitVec, Float
    from craton.logic.ieee import to_python
    from craton.logic.semantics import to_signed
    from craton.logic.terms import format_of

    type_name, value, sort = read.source.type, read.value, read.sort
    if isinstance(sort, BitVec):
        signed = not ("unsigned" in type_name or type_name in ("_Bool", "size_t") or "*" in type_name)
        return str(to_signed(sort.width, value) if signed else value)
    if isinstance(sort, Float):
        return repr(to_python(format_of(sort), value))
    return str(value) if not isinstance(value, Fraction) else f"{value.numerator}/{value.denominator}"


def figures(statistics: Statistics) -> dict[str, Any]:
    lengths = statistics.trace_lengths
    return {
        "iterations": statistics.iterations,
        "refutations": dict(statistics.refutations),
        "perfect sequences": f"{statistics.perfect} of {statistics.tested}",
        "eliminated": dict(statistics.eliminated),
        "trace length": (
            {"shortest": min(lengths), "median": averages.median(lengths), "longest": max(lengths)} if lengths else {}
        ),
        "predicates": statistics.predicates,
        "states": statistics.states,
        "time (s)": {
            name: {"calls": tally.calls, "seconds": round(tally.seconds, 3)}
            for name, tally in statistics.purposes.items()
        },
    }


def print_outcome(outcome: Outcome, *, as_json: bool, stats: bool, quiet: bool) -> None:
    if as_json:
        print(json.dumps(asdict(outcome), indent=2, ensure_ascii=False))
        return
    name, bracket, rest = outcome.verdict.partition("(")
    print(name.upper() + bracket + rest + ("" if outcome.confirmed else " (unconfirmed)"))
    if quiet:
        return
    if outcome.reason:
        print(f"  reason: {outcome.reason}")
    if outcome.evidence:
        print(f"  {outcome.evidence}")
    if outcome.found_by and outcome.verdict != "unknown":
        print(f"  found by: {outcome.found_by}")
    for entry in outcome.invariants:
        if len(entry["invariant"]) <= 160:
            print(f"  {entry['location']}: {entry['invariant']}")
    for assumption in outcome.assumptions:
        print(f"  assumed: {assumption}")
    for line in outcome.files:
        print(f"  {line}")
    if stats:
        _print_figures(outcome.statistics)


def _print_figures(statistics: dict[str, Any]) -> None:
    print("statistics:")
    for name, value in statistics.items():
        if name == "time (s)":
            for purpose, tally in sorted(value.items(), key=lambda item: -item[1]["seconds"]):
                print(f"  {'time: ' + purpose:28} {tally['seconds']:8.2f} s in {tally['calls']} calls")
        elif isinstance(value, dict):
            inside = ", ".join(f"{key} {number}" for key, number in value.items())
            print(f"  {name:28} {inside or 'none'}")
        else:
            print(f"  {name:28} {value}")
