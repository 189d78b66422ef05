"""Is a witness right? It is used as a hint: what counts in the end is evidence of our own.

The invariants of a correctness witness are tried as they are, then what of them is inductive, then as hints of an
ordinary run. The values of a violation witness are given to the program; if that does not fail, errors are searched
along its waypoints. A wrong witness costs time, and cannot make a verdict wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from craton.configuration.stages import DEFAULT, Stage
from craton.engines import houdini
from craton.engines.contract import Budget, OutOfTime
from craton.errors import CratonError
from craton.evidence.checker import Confirmed, check_proof, others
from craton.evidence.conditions import vocabulary
from craton.evidence.replay import replay
from craton.evidence.witness.make import hash_of
from craton.evidence.witness.model import (
    CorrectnessWitness,
    Invariant,
    InvariantKind,
    Metadata,
    Place,
    Segment,
    ViolationWitness,
    Waypoint,
    WaypointKind,
    Witness,
)
from craton.evidence.witness.scope import NotInScope, Snippet, terms_in_scope
from craton.evidence.witness.source import LOOPS, Source, tokens
from craton.frontends.programs import CSource, Request, c_source, load_program
from craton.logic import TRUE, Term, and_, conjuncts, free_variables, substitute
from craton.processes.limits import Limits
from craton.processes.supervision import Done, Failed, supervise
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.inlining import instances
from craton.program.preparation import prepare
from craton.program.specification import property_text
from craton.program.statements import Call
from craton.program.transformation import unchanged
from craton.program.unrolling import unroll_recursion
from craton.traces.execution import execution
from craton.traces.feasibility import feasible
from craton.traces.refutation import Feasible
from craton.traces.trace import Trace
from craton.validation.guided import Guide, TooLarge, guided, returned_number
from craton.verdicts.counterexample import ReadValue, Replay, as_number
from craton.verdicts.proof import Proof
from craton.verdicts.provenance import Provenance
from craton.verdicts.result import Result
from craton.verdicts.verdict import Proved, Unknown, Violated, violated
from craton.verification.confirmation import run_for_real
from craton.verification.run import RECURSION_DEPTHS, verify_program

T = TypeVar("T")

# The engine that tries hints comes first.
HINTED = (Stage("trace-abstraction", "newton(core=conjunct, minimise=1, sp, lv)", seconds=30), *DEFAULT)
SEARCHING = (Stage("bounded(depth=12)", seconds=5), Stage("bounded"), Stage("trace-abstraction"))
_SHARE = 0.4  # of the time that is left, for what is tried before something else
_MOST_STEPS = 20_000_000
_NOT_CONFIRMED = "the witness is not confirmed"
_STAGE = "the witness"  # that found the verdict


@dataclass(frozen=True, slots=True)
class Validation:
    """The verdict with its evidence, what the witness had to do with it, and what about it is odd."""

    result: Result
    role: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Task:
    """What is validated against, and until when."""

    source: CSource
    program: Program
    deadline: float | None
    notes: list[str] = field(default_factory=list)

    @property
    def texts(self) -> dict[str, Source]:
        return {str(path): Source(path) for path in self.source.files}

    @property
    def left(self) -> float | None:
        return None if self.deadline is None else max(0.1, self.deadline - time.monotonic())

    def part(self) -> float | None:
        return None if self.left is None else self.left * _SHARE

    def local(self, place: Place) -> Place:
        """With the name that the file has here: witnesses are made elsewhere."""
        names = [str(path) for path in self.source.files]
        if place.file in names:
            return place
        alike = [name for name in names if Path(name).name == Path(place.file).name]
        if len(alike) == 1 or len(names) == 1:
            return replace(place, file=(alike or names)[0])
        return place


def validate_witness(
    request: Request, witness: Witness, seconds: float | None = None, *, confirm: bool = True
) -> Validation:
    """Without `confirm` the interpreter's word is enough for FALSE: the program is not compiled and run."""
    if any(Path(name).suffix == ".bpl" for name in request.files):
        raise CratonError("witnesses speak of C programs: there is no format for Boogie")
    deadline = None if seconds is None else time.monotonic() + seconds
    task = _Task(c_source(request), load_program(request), deadline)
    task.notes += _oddities(witness.metadata, task.source)
    found = _correctness(witness, task) if isinstance(witness, CorrectnessWitness) else _violation(witness, task)
    if confirm and isinstance(found.result.verdict, Violated):
        verdict = run_for_real(found.result.verdict, request, task.program, task.left)
        role = found.role if isinstance(verdict, Violated) else _NOT_CONFIRMED
        return replace(found, result=replace(found.result, verdict=verdict), role=role)
    return found


def _oddities(metadata: Metadata, source: CSource) -> list[str]:
    """Where the witness speaks of another task than this one."""
    theirs = {digest.lower() for digest in metadata.hashes.values()}
    found = [
        f"the witness was made for another program: the hash of {path} is not among its own"
        for path in source.files
        if hash_of(path) not in theirs
    ]
    if metadata.data_model != source.options.data_model:
        found.append(f"the witness was made for the data model {metadata.data_model}, not {source.options.data_model}")
    ours = property_text(source.specification)
    if "".join(metadata.specification.split()) != "".join(ours.split()):
        found.append("the witness was made for another property")
    return found


# --- correctness ------------------------------------------------------------------------------------------------------


def _correctness(witness: CorrectnessWitness, task: _Task) -> Validation:
    program, used = _hinted(witness.invariants, task)
    told = f"{used} of {len(witness.invariants)} invariants could be used"
    if witness.invariants and used < len(witness.invariants):
        task.notes.append(told)
    if used and not recursive_procedures(program):
        proved = _sufficient(program, task)
        if proved is not None:
            return replace(proved, notes=tuple(task.notes))
    result = verify_program(program, HINTED if used else DEFAULT, task.left)
    if result.is_true:
        role = "the witness's invariants do not suffice by themselves; the proof was found with them as hints"
        if not used:
            role = "the witness has no invariants that say anything; the proof was found without it"
    elif result.is_false:
        role = "the witness is wrong: the program violates the property"
    else:
        role = _NOT_CONFIRMED
    return Validation(result, role, tuple(task.notes))


def _hinted(invariants: Sequence[Invariant], task: _Task) -> tuple[Program, int]:
    """The program with the invariants as hints, and how many of them mean something here."""
    texts, paths = task.texts, {str(path): path for path in task.source.files}
    placed: list[tuple[Invariant, tuple[Location, ...], Snippet]] = []
    for invariant in invariants:
        place = task.local(invariant.place)
        text = texts.get(place.file)
        heads = _heads(invariant.kind, place, task.program)
        offset = None if text is None else _offset(place, text, LOOPS if invariant.kind is InvariantKind.LOOP else ())
        if text is None or offset is None or not heads:
            task.notes.append(f"ignored: no loop for the {invariant.kind.value} at {invariant.place}")
            continue
        placed.append((invariant, heads, Snippet(paths[place.file], offset, invariant.value, inside=True)))
    hints: dict[Location, tuple[Term, ...]] = dict(task.program.hints)
    used = 0
    meanings = terms_in_scope([snippet for _, _, snippet in placed], task.source, task.program)
    for (invariant, heads, _), meaning in zip(placed, meanings, strict=True):
        if isinstance(meaning, NotInScope):
            task.notes.append(f"ignored: the invariant at {invariant.place}: {meaning.reason}")
            continue
        used += 1
        for head in heads:
            hints[head] = (*hints.get(head, ()), meaning)
    return replace(task.program, hints=hints), used


def _heads(kind: InvariantKind, place: Place, program: Program) -> tuple[Location, ...]:
    """The heads of the loop at a place; for an invariant of a location, of all loops around it."""
    found = []
    for head, loop in program.loop_heads.items():
        if loop is None or loop.file != place.file:
            continue
        if kind is InvariantKind.LOOP:
            if loop.line == place.line and place.column in (None, loop.column):
                found.append(head)
        elif (loop.line, loop.column) <= (place.line, place.column or 10**6) and place.line <= loop.end_line:
            found.append(head)
    if kind is InvariantKind.LOCATION:  # loops that goto makes have no text of their own
        found += [
            edge.source
            for edge in program.edges()
            for span in (edge.branching or edge.origin,)
            if edge.source in program.loop_heads
            and span is not None
            and (span.file, span.line, span.column) == (place.file, place.line, place.column)
        ]
    return tuple(dict.fromkeys(found))


def _offset(place: Place, source: Source, words: Sequence[str]) -> int | None:
    """Of the place; without a column of the first token of the line, or of the first of some words."""
    if place.column is not None:
        return source.offset(place.line, place.column)
    start = source.offset(place.line, 1)
    if start is None:
        return None
    end = source.text.find("\n", start)
    for token in tokens(source.text[: end if end >= 0 else None], start):
        if not words or token.text in words:
            return token.offset
    return None


def _sufficient(program: Program, task: _Task) -> Validation | None:
    """A proof by the hints: all together, or what remains of them when those that are not inductive are taken out."""
    prepared = prepare(program)
    if any(isinstance(edge.statement, Call) for edge in prepared.whole.main.edges):
        return None
    if not prepared.small.program.errors:
        return None  # there is nothing to prove, as the spine will say
    blocks = encode_blocks(prepared.small.program).program
    known = vocabulary(blocks)  # without what cannot matter for the errors
    given = {
        location: and_(
            *(
                part
                for hint in prepared.small.program.hints.get(location, ())
                for part in conjuncts(hint)
                if free_variables(part) <= known
            )
        )
        for location in blocks.main.locations
        if location not in blocks.errors
    }
    given[blocks.main.entry] = TRUE
    for invariants, found_with, role in (
        (lambda: given, (), "the witness's invariants are inductive and suffice"),
        (
            lambda: houdini.repaired(blocks, given, Budget(task.part())),
            (houdini.SOLVER,),
            "of the witness's invariants and bounds of variables, what is inductive suffices",
        ),
    ):
        begun = time.monotonic()
        answer = _apart(task.part(), lambda make=invariants, by=found_with: _checked(blocks, make, by, task.part()))  # type: ignore[misc]
        if answer is not None:
            proof, checkers = answer
            by = " and ".join(checkers) or "simplification alone"
            found_by = Provenance(_STAGE, solvers=found_with)
            found = Proof(blocks, None, proof, found_by, by, time.monotonic() - begun)
            result = Result(Proved(found), _STAGE, assumptions=program.assumptions)
            return Validation(result, role)
    return None


def _checked(
    program: Program, make: Callable[[], Mapping[Location, Term]], found_with: tuple[str, ...], seconds: float | None
) -> tuple[dict[Location, Term], tuple[str, ...]] | None:
    try:
        invariants = {at: term for at, term in make().items() if at not in program.errors}
    except OutOfTime:
        return None
    answer = check_proof(program, invariants, others(found_with), seconds)
    return (invariants, answer.by) if isinstance(answer, Confirmed) else None


def _apart(seconds: float | None, work: Callable[[], T | None]) -> T | None:
    """In a process of its own: solvers hang and crash. None if it comes to nothing."""
    ending = supervise(lambda report: work(), Limits(seconds), lambda content: None)
    if isinstance(ending, Failed) and not isinstance(ending.error, CratonError):
        raise ending.error
    if not isinstance(ending, Done):
        return None
    answer: T | None = ending.value
    return answer


# --- violation --------------------------------------------------------------------------------------------------------


def _violation(witness: ViolationWitness, task: _Task) -> Validation:
    segments = tuple(_localised(segment, task) for segment in witness.segments)
    found = _apart(task.part(), lambda: _executed(segments, task))
    if found is not None:
        return Validation(found, "the program fails on the witness's values", tuple(task.notes))
    recursive = recursive_procedures(task.program)
    reason = ""
    for depth in RECURSION_DEPTHS if recursive else (0,):
        bounded = unroll_recursion(task.program, depth) if recursive else task.program
        whole = prepare(bounded).whole
        if any(isinstance(edge.statement, Call) for edge in whole.main.edges):
            reason = "the program is too large to inline its calls"
            break
        answer = _searched(whole, bounded, segments, task, quiet=depth not in (0, RECURSION_DEPTHS[0]))
        if isinstance(answer, Result):
            return Validation(answer, "an error was found along the witness's waypoints", tuple(task.notes))
        reason = answer
    result = Result(Unknown(f"witness not confirmed: {reason}"), assumptions=task.program.assumptions)
    return Validation(result, _NOT_CONFIRMED, tuple(task.notes))


def _localised(segment: Segment, task: _Task) -> Segment:
    def here(waypoint: Waypoint) -> Waypoint:
        return replace(waypoint, place=task.local(waypoint.place))

    return Segment(here(segment.follow), tuple(map(here, segment.avoid)))


def _executed(segments: Sequence[Segment], task: _Task) -> Result | None:
    """A run of the program on the values that the waypoints say inputs have, in their order."""
    numbers = [returned_number(s.follow) or 0 for s in segments if s.follow.kind is WaypointKind.FUNCTION_RETURN]
    program = task.program
    whole = program if recursive_procedures(program) else prepare(program).whole
    try:
        run = Interpreter(whole).run(numbers, step_limit=_MOST_STEPS, only_inputs=True)
    except CannotRun:
        return None
    if not isinstance(run.outcome, ReachedError) or whole.over_approximated:
        return None
    inputs = tuple(ReadValue(*read, sort) for read, sort in zip(run.inputs, run.sorts, strict=True))
    found = Replay(run.outcome.location, inputs, ())
    return Result(violated(found, whole), _STAGE, assumptions=program.assumptions)


def _searched(
    whole: Program, program: Program, segments: Sequence[Segment], task: _Task, *, quiet: bool
) -> Result | str:
    """An error on a way that the segments allow, confirmed on the program itself; or why there is none."""
    guide = Guide(whole, task.texts, _assumed(segments, whole, program, task))
    *passed, last = segments
    if not guide.fits(last.follow):
        return f"there is no error location at its target {last.follow.place}"
    fitting = []
    for segment in passed:
        if guide.fits(segment.follow):
            fitting.append(segment)
        elif not quiet:
            task.notes.append(f"ignored: nothing for the {segment.follow.kind.value} at {segment.follow.place}")
    reason = "no run along its waypoints reaches an error"
    for strict in (True, False):
        try:
            product = guided(guide, (*fitting, last), strict=strict)
        except TooLarge:
            return "the program restricted to its waypoints is too large"
        if not product.program.errors:
            continue
        found = verify_program(product.program, SEARCHING, task.part() if strict else task.left)
        if found.is_false and found.replay is not None:
            edges = _edges(product.program, found.replay)
            confirmed = _confirmed(whole, [product.back[edge] for edge in edges if edge in product.back], task)
            if confirmed is not None:
                return confirmed
            reason = "an error found along its waypoints could not be confirmed"
        elif found.is_unknown:
            reason = f"the search along its waypoints ended without an answer: {found.reason}"
    return reason


def _edges(product: Program, found: Replay) -> Sequence[Edge]:
    if found.edges:
        return found.edges
    run = Interpreter(product, record=True).run([as_number(read) for read in found.inputs], only_inputs=True)
    return run.edges


def _confirmed(whole: Program, path: Sequence[Edge], task: _Task) -> Result | None:
    """By the spine's own means: the path is feasible in the program itself, and a run along it fails."""
    if whole.over_approximated:
        return None
    trace = Trace(tuple(path))
    decided = _apart(task.left, lambda: feasible(trace, task.left))
    run = execution(trace, decided.model) if isinstance(decided, Feasible) else None
    found = None if run is None else replay(whole, run, unchanged(whole))
    if found is None:
        return None
    return Result(violated(found, whole), _STAGE, assumptions=whole.assumptions)


def _assumed(
    segments: Sequence[Segment], whole: Program, program: Program, task: _Task
) -> dict[Waypoint, dict[Location, Term]]:
    """What assumptions mean, at each location of the inlined program where their statement begins."""
    paths = {str(path): path for path in task.source.files}
    texts = task.texts
    wanted = [s.follow for s in segments if s.follow.kind is WaypointKind.ASSUMPTION and s.follow.place.file in texts]
    wanted = list(dict.fromkeys(wanted))
    offsets = [(w, _offset(w.place, texts[w.place.file], ())) for w in wanted]
    known = [(w, offset) for w, offset in offsets if offset is not None]
    snippets = [Snippet(paths[w.place.file], offset, w.constraint or "1") for w, offset in known]
    copies = instances(program)
    found: dict[Waypoint, dict[Location, Term]] = {}
    for (waypoint, offset), meaning in zip(known, terms_in_scope(snippets, task.source, task.program), strict=True):
        if isinstance(meaning, NotInScope):
            task.notes.append(f"ignored: the assumption at {waypoint.place}: {meaning.reason}")
            continue
        line, column = texts[waypoint.place.file].position(offset)
        found[waypoint] = {
            location: substitute(meaning, copies[location].variables if location in copies else {})
            for location in _begins(whole, Place(waypoint.place.file, line, column))
        }
    return found


def _begins(program: Program, place: Place) -> list[Location]:
    """Where the statement at a place begins: an edge of its text leaves there, and another one came there."""
    spans = [
        span
        for edge in program.main.edges
        for span in (edge.branching, edge.origin)
        if span is not None and (span.file, span.line, span.column) == (place.file, place.line, place.column)
    ]
    if not spans:
        return []
    end = max((span.end_line, span.end_column) for span in spans)

    def inside(edge: Edge) -> bool:
        at = edge.origin
        return at is not None and at.file == place.file and (place.line, place.column) <= (at.line, at.column) < end

    return [
        location
        for location in program.main.locations
        if any(map(inside, program.main.outgoing(location))) and not all(map(inside, program.main.incoming(location)))
    ]
