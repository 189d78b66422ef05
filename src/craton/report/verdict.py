"""The outcome of a verification as plain data, and in words."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from craton.errors import CratonError, bug
from craton.verdicts.text import Limit, VerdictKind, VerdictText
from craton.words import OUT_OF_TIME, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from craton.engines.contract import Refined, Statistics
    from craton.frontends.programs import Asked
    from craton.processes.supervision import Failed
    from craton.program.cfa import Program
    from craton.report.checks import SourceTexts
    from craton.report.way import Rounds, Step
    from craton.verdicts.counterexample import ReadValue
    from craton.verdicts.proof import Proof
    from craton.verdicts.result import Result
    from craton.verdicts.verdict import Violated


SCHEMA_VERSION = 1  # of `schema.json`
_LONGEST = 160  # characters of a formula that is printed
_MOST_REMEMBERED = 10  # sets of templates


@dataclass(slots=True)
class Outcome:
    """What is told of a run: plain data that crosses processes, and that `as_data` makes JSON of."""

    verdict: VerdictText
    reason: str = ""
    evidence: str = ""
    confirmed: bool = True
    found_by: str = ""
    checked: list[dict[str, Any]] = field(default_factory=list)  # properties, and how many checks each has
    warnings: list[str] = field(default_factory=list)
    data_model: str = ""  # of C programs: what was verified is the program for such a machine
    undefined: list[str] = field(default_factory=list)  # functions that are called, and that nobody defines
    loops: list[str] = field(default_factory=list)  # where the text has them
    passes: str = ""  # which made the program smaller before engines saw it
    inputs: list[dict[str, str]] = field(default_factory=list)
    invariants: list[dict[str, Any]] = field(default_factory=list)  # `partial`: without what C has no words for
    assumptions: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)  # of evidence: which were written, or why not
    violated: dict[str, Any] | None = None  # which property, and where in the user's text
    way: list[dict[str, Any]] = field(default_factory=list)  # lines, and what changed there; {"rounds": n} left out
    limit: str | None = None  # which limit of the run kept it from an answer
    statistics: dict[str, Any] = field(default_factory=dict)
    answer: str = ""  # of a system of Horn clauses, in the words of that world: sat, unsat, unknown
    refinements: list[dict[str, Any]] = field(default_factory=list)  # of traces: what was learned, by whom
    sources: dict[str, str] = field(default_factory=dict)  # the texts of the program's files, for pages
    picture: str = ""  # of the automaton, for pages
    unwritten: str = ""  # why a file of evidence could not be written: an error, whatever the verdict


def outcome_of_failure(failed: Failed, *, debug: bool) -> Outcome:
    """Of work that raised an error: one that is meant for the user is raised again, any other is a bug of ours."""
    if isinstance(failed.error, CratonError):
        raise failed.error
    if debug:
        print(failed.traceback, file=sys.stderr)
    return outcome_without_result(bug(failed.error))


def outcome_without_result(reason: str, limit: Limit | None = None) -> Outcome:
    """Of a run that did not live to say something itself."""
    return Outcome(VerdictText(VerdictKind.UNKNOWN), reason, limit=None if limit is None else limit.value)


def outcome_at_start(program: Program) -> Outcome:
    """Of a run of which nothing is known yet but its program, should it not live to say something itself."""
    told = outcome_without_result("")
    told.assumptions = list(program.assumptions)
    _tell_program(told, program)
    return told


def outcome(result: Result) -> Outcome:
    from craton.program.passes import told as passes_told
    from craton.verdicts.verdict import Proved, Unknown, Violated, text_of

    told = Outcome(text_of(result.verdict), result.reason, found_by=result.stage, assumptions=list(result.assumptions))
    told.confirmed = result.confirmed
    if result.program is not None:
        _tell_program(told, result.program)
    told.passes = passes_told(result.passes)
    told.statistics = figures(result.statistics)
    told.refinements = refinements(result.statistics.log, result.program)
    match result.verdict:
        case Proved(proof, confirmed):
            _tell_proof(told, proof, result.program, confirmed=confirmed)
        case Violated() as verdict:
            _tell_violation(told, verdict, result.program)
        case Unknown(_, limit):
            told.limit = None if limit is None else limit.value
    return told


def _tell_program(told: Outcome, program: Program) -> None:
    from craton.report.checks import SourceTexts, warnings, what_was_checked

    told.data_model = program.data_model
    told.undefined = list(program.unknown_functions)
    told.checked = what_was_checked(program)
    places = sorted({(one.file, one.line) for one in program.loop_heads.values() if one and one.file in program.files})
    told.loops = [f"{file}:{line}" for file, line in places]
    told.warnings = warnings(program)
    texts = SourceTexts()
    told.sources = {file: "\n".join(texts.lines(file)) for file in program.files}


def refinements(log: Sequence[Refined], program: Program | None) -> list[dict[str, Any]]:
    """What was learned, with the names of the text."""
    if not log:
        return []
    from craton.logic import infix
    from craton.program.readable import Readable

    told = infix if program is None else Readable(program, across=True).formula
    return [
        {
            "steps": entry.steps,
            "lines": entry.lines,
            "by": entry.by,
            "core": entry.core,
            "learned": [_beginning(told(one)) for one in entry.learned],
            "seconds": entry.seconds,
            "stage": entry.stage,
        }
        for entry in log
    ]


def _tell_violation(told: Outcome, verdict: Violated, program: Program | None) -> None:
    from craton.evidence.surroundings import is_read_from_outside
    from craton.report.checks import SourceTexts, failure
    from craton.report.way import way

    place, texts = verdict.place, SourceTexts()
    told.violated = {
        "property": verdict.property.name,
        "check": verdict.property.check,
        "what": failure(verdict.property, texts),
        "file": None if place is None else place.file,
        "line": None if place is None else place.line,
        "text": "" if place is None else texts.line(place.file, place.line),
    }
    told.inputs = [
        {"function": read.source.function, "type": read.source.type, "value": _value(read)}
        for read in verdict.replay.inputs
    ]
    found = way(verdict.replay, program, verdict.property, texts.of(verdict.property.where))
    told.way = [_step_data(step, texts) for step in found.steps]
    told.violated["there"] = found.there
    told.violated["because"] = found.because
    told.evidence = _replay([one for one in told.inputs if not is_read_from_outside(one["function"])], verdict)


def _step_data(step: Step | Rounds, texts: SourceTexts) -> dict[str, Any]:
    from craton.report.way import Rounds

    if isinstance(step, Rounds):
        return {"rounds": step.number}
    place = {"file": step.file, "line": step.line, "text": texts.line(step.file, step.line)}
    told = {**place, "depth": step.depth, "changes": step.changes, "inputs": sorted(step.inputs)}
    return {**told, "unspecified": sorted(step.unspecified), "calls": step.calls}


def _replay(inputs: Sequence[dict[str, str]], verdict: Violated) -> str:
    from craton.verdicts.counterexample import NotCompiled, Reached

    shown = ", ".join(entry["value"] for entry in inputs[:8]) + (", …" if len(inputs) > 8 else "")
    around = [f"with {told}" for told in verdict.replay.found_around.sentences]
    after = f"after {counted(len(inputs), 'input')}: {shown}" if inputs else "without inputs"
    after = "; ".join(around if around and not inputs else [after, *around])
    match verdict.compiled:
        case Reached(compiler):
            return f"replay: error reached in the compiled program ({compiler}) {after}"
        case NotCompiled(why):
            return f"replay: error reached by the interpreter {after}; not in a compiled program: {why}"
    return f"replay: error reached by the interpreter {after}"


def _tell_proof(told: Outcome, proof: Proof, loaded: Program | None, *, confirmed: bool) -> None:
    from craton.report.contracts import told_contract, told_invariant

    program = proof.program
    heads = [location for location in program.loop_heads if location in proof.invariants]
    for location in heads:
        told.invariants.append(told_invariant(location, proof.invariants[location], program, loaded))
    for contract in proof.contracts:
        told.invariants += told_contract(contract, program)
    count = counted(len(heads), "loop invariant") if heads else "no loop needs an invariant"
    if proof.contracts:
        more = f" and {count}" if heads else ""
        count = counted(len(proof.contracts), "contract") + more
    if proof.runs is not None:
        count = f"all runs end, none at an error ({counted(proof.runs.states, 'state')} followed)"
    if proof.k > 1:
        count += f", {proof.k}-inductive"
    deep = f" (recursion unrolled: {counted(proof.unrolled, 'call')} deep at most)" if proof.unrolled else ""
    count += deep
    if not confirmed:
        told.evidence = f"unconfirmed: {count}, not checked again"
    elif proof.checked_by:
        told.evidence = f"proof: {count}, re-checked by {proof.checked_by} in {proof.seconds:.2f} s"
    else:
        told.evidence = f"proof: no error location is reachable in the control flow{deep}"


def _value(read: ReadValue) -> str:
    from craton.report.values import value_text

    name = read.source.type
    signed = not ("unsigned" in name or name in ("_Bool", "size_t") or "*" in name)
    return value_text(read.value, read.sort, signed=signed)


def figures(statistics: Statistics) -> dict[str, Any]:
    return {
        "iterations": statistics.iterations,
        "traces that came back": statistics.returned,
        "refutations": dict(statistics.refutations),
        "analyses that can follow them": dict(statistics.analyses),
        "perfect sequences": f"{statistics.perfect} of {statistics.tested}",
        "eliminated": dict(statistics.eliminated),
        "refinements to select from": _choices(statistics.choices),
        "frontier": _spread(statistics.frontiers, "smallest", "largest"),
        "frontiers found in part": statistics.unexplored,
        "templates remembered": dict(statistics.remembered.most_common(_MOST_REMEMBERED)),
        "trace length": _spread(statistics.trace_lengths, "shortest", "longest"),
        "traces to": {f"{file}:{line}": number for (file, line), number in statistics.ends.most_common()},
        "predicates": statistics.predicates,
        "states": statistics.states,
        "states unwound": statistics.unwound,
        "features": {} if statistics.features is None else statistics.features.data(),
        "schedule": statistics.schedule or "default",
        "seconds of stages": {name: round(used, 3) for name, used in statistics.turns.items()},
        "time (s)": {
            name: {"calls": tally.calls, "seconds": round(tally.seconds, 3)}
            for name, tally in statistics.purposes.items()
        },
    }


def _choices(numbers: Sequence[int]) -> dict[str, float]:
    """How many refinements there were to select from, and how often more than one ([RS] 7)."""
    spread = _spread(numbers, "fewest", "most")
    return spread | {"with several": sum(number > 1 for number in numbers)} if spread else {}


def _spread(numbers: Sequence[int], least: str, most: str) -> dict[str, float]:
    if not numbers:
        return {}
    from statistics import median

    return {least: min(numbers), "median": median(numbers), most: max(numbers)}


def as_data(outcome: Outcome) -> dict[str, Any]:
    """For `--json`."""
    told = {"schema_version": SCHEMA_VERSION, **asdict(outcome), "verdict": str(outcome.verdict)}
    for name in ("unwritten", "answer"):
        if not told[name]:
            del told[name]
    for name in ("sources", "picture"):
        del told[name]
    return told


def outcome_of_data(content: Mapping[str, Any]) -> Outcome | None:
    """What `as_data` was made of, as far as it is there; None if it is no verdict."""
    verdict = VerdictText.parse(content.get("verdict"))
    if verdict is None:
        return None
    known = {one.name for one in fields(Outcome)} - {"verdict"}
    return Outcome(verdict, **{name: value for name, value in content.items() if name in known})


@dataclass(frozen=True, slots=True)
class Output:
    """How verdicts are printed: as text, json, sarif, github or junit."""

    format: str = "text"
    stats: bool = False
    quiet: bool = False
    picture: bool = False  # of the automaton, in JSON


def print_outcome(outcome: Outcome, output: Output, name: str = "") -> None:
    """The verdict on what was asked."""
    if output.format == "json":
        print_json({**as_data(outcome), **({"picture": outcome.picture} if output.picture else {})})
    elif output.format != "text":
        from craton.report.checks import in_words
        from craton.report.formats import FORMATS

        print(FORMATS[output.format]([(name or in_words(outcome.checked) or "the property", outcome)]))
    else:
        print(_headline(outcome) + ("" if output.quiet else what_fails(outcome)))
        if not output.quiet:
            print_details(outcome, stats=output.stats)


def _headline(outcome: Outcome) -> str:
    return (outcome.answer or outcome.verdict.headline) + ("" if outcome.confirmed else " (unconfirmed)")


def what_fails(outcome: Outcome) -> str:
    """`: assertion "y > 6" fails at two.c:8`; "" for other verdicts."""
    place = outcome.violated
    if place is None or not place.get("what"):
        return ""
    return f": {place['what']}" + ("" if place["file"] is None else f" at {place['file']}:{place['line']}")


def held_there(violated: Mapping[str, Any]) -> str:
    """`p = NULL, i = 10`: what the variables held of which the failing statement speaks."""
    return ", ".join(f"{name} = {value}" for name, value in violated.get("there", {}).items())


def print_details(outcome: Outcome, *, stats: bool) -> None:
    from craton.program.passes import ALL
    from craton.program.passes import told as passes_told

    for warning in outcome.warnings:
        print(f"  warning: {warning}")
    _print_unknown(outcome)
    place = outcome.violated
    if place is not None and place["file"] is not None:
        text = f": {place['text'][:_LONGEST]}" if place["text"] else ""
        print(f"  at {place['file']}:{place['line']}{text}")
        if place.get("because"):
            print(f"  because {place['because']}")
        if place.get("there"):
            print(f"  where {held_there(place)}")
    if outcome.evidence:
        print(f"  {outcome.evidence}")
    _print_way(outcome.way)
    if place is not None and not outcome.way and outcome.checked:  # not of witnesses, which have their own
        print("  the way there: not known; --harness DIR keeps the failing run for a debugger")
    if outcome.found_by and outcome.verdict.kind is not VerdictKind.UNKNOWN:
        print(f"  found by: {outcome.found_by}")
    if outcome.checked:
        from craton.report.checks import in_words

        print(f"  checked: {in_words(outcome.checked)}")
    if outcome.data_model:
        print(f"  data model: {outcome.data_model}")
    if outcome.passes not in ("", passes_told(ALL)):
        print(f"  passes: {outcome.passes}")
    _print_invariants(outcome.invariants)
    for assumption in outcome.assumptions:
        print(f"  assumed: {assumption}")
    for line in outcome.files:
        print(f"  {line}")
    if stats:
        _print_figures(outcome.statistics)


def _print_invariants(invariants: Sequence[Mapping[str, Any]]) -> None:
    """Those of which C can say nothing share a line."""
    unsaid: list[str] = []
    for entry in invariants:
        text = invariant_text(entry)
        if text == NO_NAME:
            unsaid.append(entry["location"])
        elif text or "requires" in entry["location"]:
            print(f"  {entry['location']}: {_beginning(text or entry['invariant'])}")
    if unsaid:
        print(f"  {', '.join(dict.fromkeys(unsaid))}: {NO_NAME}")


NO_NAME = "… (of memory that C has no name for there)"


def invariant_text(entry: Mapping[str, Any]) -> str:
    """With a sign of what was left out; "" if nothing needs to be known there."""
    nothing = entry["invariant"] in ("1", "true")
    if entry.get("partial"):
        return NO_NAME if nothing else f"{entry['invariant']} && …"
    return "" if nothing else str(entry["invariant"])


def _print_unknown(outcome: Outcome) -> None:
    from craton.report.unknown import in_the_way

    if outcome.reason:
        print(f"  reason: {in_the_way(outcome.reason)}")
    if outcome.verdict.kind is VerdictKind.UNKNOWN and not outcome.answer:
        for word, sentence in done_and_open(outcome):
            print(f"  {word}: {sentence}")


def done_and_open(unknown: Outcome, *, options: bool = True) -> list[tuple[str, str]]:
    """How far it came and what to try, as far as there is something to say; `options`: those of the command line."""
    from craton.report.unknown import how_far, to_try, went_alone, without_invariant

    checks = sum(one["checks"] for one in unknown.checked)
    timed_out = unknown.limit in ("wall", "cpu") or OUT_OF_TIME in unknown.reason
    done = how_far(unknown.statistics, checks)
    left = without_invariant(unknown.loops) if timed_out else ""
    alone = went_alone(unknown.statistics)
    ideas = to_try(unknown.reason, unknown.limit, checks, unknown.undefined, alone=alone, options=options)
    return [(word, sentence) for word, sentence in (("how far", done), ("open", left), ("try", ideas)) if sentence]


def _beginning(formula: str) -> str:
    """As many parts of a conjunction as fit in a line."""
    if len(formula) <= _LONGEST:
        return formula
    joint = " && " if " && " in formula else " ∧ "
    kept: list[str] = []
    for part in formula.split(joint):
        if sum(map(len, kept)) + len(joint) * len(kept) + len(part) > _LONGEST:
            break
        kept.append(part)
    text = joint.join(kept)
    balanced = text.count("(") == text.count(")")
    return f"{text}{joint}…" if kept and balanced else f"{formula[:_LONGEST]} …"


def _print_way(way: Sequence[dict[str, Any]]) -> None:
    """The first and the last steps, if there are many."""
    from craton.report.lines import way_lines

    if len(way) > 1:
        half = _MOST_STEPS // 2
        left = len(way) - _MOST_STEPS
        shown = [*way[:half], {"left": left}, *way[-half:]] if left > 0 else list(way)
        print("  the way there:")
        for line in way_lines(shown):
            print(f"    {line}")


_MOST_STEPS = 40
_WORST_FIRST = (VerdictKind.FALSE, VerdictKind.UNKNOWN, VerdictKind.TRUE)


def worst_of(outcomes: Sequence[Outcome]) -> Outcome:
    return min(outcomes, key=lambda outcome: _WORST_FIRST.index(outcome.verdict.kind))


def print_outcomes(told: Sequence[tuple[Asked, Outcome]], output: Output) -> Outcome:
    """Of several properties: the worst verdict, which is returned, and then each with its own."""
    from craton.report.checks import table
    from craton.report.formats import FORMATS

    worst = worst_of([outcome for _, outcome in told])
    if output.format in FORMATS:
        print(FORMATS[output.format]([(one.formula, outcome) for one, outcome in told]))
        return worst
    if output.format == "json":
        properties = [{"property": one.formula, "file": one.file, **as_data(outcome)} for one, outcome in told]
        print_json({**as_data(worst), "properties": properties})
        return worst
    print(_headline(worst))
    names = [f"{one.formula} ({one.file})" if one.file else one.formula for one, _ in told]
    for line in table([(name, _headline(outcome)) for name, (_, outcome) in zip(names, told, strict=True)]):
        print(line)
    if not output.quiet:
        for name, (_, outcome) in zip(names, told, strict=True):
            print(f"{name}{what_fails(outcome) or ':'}")
            print_details(outcome, stats=output.stats)
    return worst


def print_json(content: dict[str, Any]) -> None:
    import json

    plain = (getattr(sys.stdout, "encoding", None) or "utf-8").lower() not in ("utf-8", "utf8")
    print(json.dumps(content, indent=2, ensure_ascii=plain))


def _print_figures(statistics: dict[str, Any]) -> None:
    print("statistics:")
    for name, value in statistics.items():
        if name == "time (s)":
            for purpose, tally in sorted(value.items(), key=lambda item: -item[1]["seconds"]):
                print(f"  {'time: ' + purpose:28} {tally['seconds']:8.2f} s in {tally['calls']} calls")
        elif isinstance(value, dict):
            inside = ", ".join(f"{key} {'not known' if one is None else one}" for key, one in value.items() if one != 0)
            print(f"  {name:28} {inside or 'none'}")
        else:
            print(f"  {name:28} {value}")
