"""Witnesses there and back: a right one leads to its verdict, a wrong one costs time and never flips a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from craton.cli import main
from craton.configuration.stages import DEFAULT, Stage
from craton.evidence.witness import make_witness
from craton.evidence.witness.graphml import read_graphml, write_graphml
from craton.evidence.witness.make import witness_of
from craton.evidence.witness.model import (
    Action,
    CorrectnessWitness,
    Invariant,
    InvariantKind,
    Place,
    Segment,
    ViolationWitness,
    Waypoint,
    WaypointKind,
)
from craton.evidence.witness.path import NoWitness
from craton.evidence.witness.yaml_format import read_yaml, write_yaml
from craton.frontends.programs import Request, load_program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.validation import validate_witness
from craton.verdicts.counterexample import ReadValue, Replay
from craton.verdicts.result import Result
from craton.verdicts.verdict import Unknown, violated
from craton.verification import verify
from support.programs import BY_NAME, EXAMPLES, Example

UNSAFE = [e for e in EXAMPLES if e.path.suffix == ".c" and not e.safe]
SAFE = (
    "loops/even.c loops/leads.c loops/modulo.c loops/together.c loops/skipping.c loops/at_least_once.c loops/bound.c"
    " control/machine.c bits/one_bit.c overflow/small_sum.c control/lock.c arrays/exchange.c"
).split()
SECONDS = 60.0  # a bound for hopeless cases; what is tested takes a fraction of a second


def _tested(example: Example) -> Result:
    """The verdict as testing would give it: inputs, but no path."""
    run = Interpreter(example.program).run(example.inputs or (), only_inputs=True)
    assert isinstance(run.outcome, ReachedError)
    inputs = tuple(ReadValue(*read, sort) for read, sort in zip(run.inputs, run.sorts, strict=True))
    verdict = violated(Replay(run.outcome.location, inputs, ()), example.program)
    assert str(verdict) == example.expected
    return Result(verdict)


@cache
def _violation(example: Example) -> ViolationWitness:
    witness = witness_of(example.request, example.program, _tested(example))
    assert isinstance(witness, ViolationWitness)
    return witness


@cache
def _correctness(example: Example) -> CorrectnessWitness:
    """By one engine: invariants of others may need more than themselves to be inductive."""
    engine = "horn" if example.path.name == "leads.c" else "trace-abstraction"
    result = verify(example.request, (Stage(engine),), SECONDS)
    assert result.is_true, result.reason
    witness = witness_of(example.request, example.program, result)
    assert isinstance(witness, CorrectnessWitness)
    return witness


# --- right witnesses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", UNSAFE, ids=str)
def test_a_failing_run_is_confirmed_from_its_witness(example: Example) -> None:
    witness = _violation(example)
    text = write_yaml(witness)
    for read in (read_yaml(text, "w"), read_graphml(write_graphml(witness), "w")):
        validation = validate_witness(example.request, read, SECONDS, confirm=False)
        assert str(validation.result.verdict) == example.expected, validation
        assert not validation.notes


@pytest.mark.parametrize("name", ["loops/odd.c", "bits/cut_off.c", "functions/larger_wrong.c", "memory/twice.c"])
@pytest.mark.parametrize("format", ["yaml", "graphml"])
def test_verify_gives_a_witness_that_is_confirmed(name: str, format: str, tmp_path: Path) -> None:
    example = BY_NAME[name]
    result = verify(example.request, DEFAULT, SECONDS)
    text = make_witness(example.request, example.program, result, "yaml" if format == "yaml" else "graphml")
    file = tmp_path / "witness"
    file.write_text(text, encoding="utf-8")
    option = [] if example.property_file is None else ["--property", str(example.property_file)]
    assert main(["validate", str(file), str(example.path), *option]) == 1


WAYS = "loops/odd.c loops/modulo_wrong.c loops/apart.c control/machine_wrong.c functions/fibonacci.c overflow/square.c"


@pytest.mark.parametrize("name", WAYS.split())
def test_branchings_alone_lead_to_the_error(name: str) -> None:
    """Without values, the search has to find them along the waypoints."""
    example = BY_NAME[name]
    witness = _violation(example)
    kept = [s for s in witness.segments if s.follow.kind is not WaypointKind.FUNCTION_RETURN]
    validation = validate_witness(example.request, replace(witness, segments=tuple(kept)), SECONDS, confirm=False)
    assert str(validation.result.verdict) == example.expected, validation
    replay = validation.result.replay
    assert replay is not None
    assert not validation.notes


@pytest.mark.parametrize("name", SAFE)
def test_a_proof_is_confirmed_from_its_witness(name: str) -> None:
    example = BY_NAME[name]
    witness = _correctness(example)
    validation = validate_witness(example.request, read_yaml(write_yaml(witness), "w"), SECONDS, confirm=False)
    assert validation.result.is_true, validation
    assert not validation.notes
    if witness.invariants:
        assert "inductive and suffice" in validation.role
    assert validation.result.proof is not None


COPIES = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int up(int from, int to) {
  int k = from;
  while (k < to && __VERIFIER_nondet_int()) k++;
  return k;
}
int main(void) {
  int a = up(0, 10), b = up(20, 25);
  if (a > 10 || b > 25) reach_error();
  for (int i = 0; ; i = (i + 1) % 5) { if (i > 4) reach_error(); }
}
"""


def _at(text: str, word: str, file: Path, value: str, kind: InvariantKind = InvariantKind.LOOP) -> Invariant:
    before = text[: text.index(word)]
    column = len(before) - (before.rfind("\n") + 1) + 1
    return Invariant(kind, Place(file.name, before.count("\n") + 1, column), value)


def test_invariants_of_others_are_used_in_every_copy_and_inside_of_for(tmp_path: Path) -> None:
    file = tmp_path / "copies.c"
    file.write_text(COPIES, encoding="utf-8")
    request = Request((str(file),), data_model="ILP32")
    example = BY_NAME["loops/even.c"]
    metadata = _correctness(example).metadata
    right = (
        _at(COPIES, "while", file, "k <= to"),
        _at(COPIES, "while", file, "to <= 25"),
        _at(COPIES, "while", file, "from == 20 || to == 10"),
        _at(COPIES, "for (", file, "0 <= i && i <= 4"),  # i is not in scope at the keyword, but others write so
    )
    validation = validate_witness(request, CorrectnessWitness(metadata, right), SECONDS, confirm=False)
    assert validation.result.is_true
    assert "suffice" in validation.role and "by themselves" not in validation.role
    assert len(validation.notes) == 1 and "another program" in validation.notes[0]


# --- wrong witnesses --------------------------------------------------------------------------------------------------

MUTATIONS: dict[str, Callable[[str], str]] = {
    "denied": lambda value: f"!({value})",
    "false": lambda value: "0",
    "stronger": lambda value: f"({value}) && x == 12345",
    "no C": lambda value: f"{value} &&",
    "unknown name": lambda value: f"{value} && nobody",
    "with a call": lambda value: f"({value}) && __VERIFIER_nondet_int()",
    "with an effect": lambda value: f"({value}) && (x = 5)",
    "out of the parentheses": lambda value: f"{value})); while (1",
    "of no use": lambda value: "1",
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_wrong_invariants_do_not_make_a_right_program_wrong(name: str) -> None:
    example = BY_NAME["loops/even.c"]
    witness = _correctness(example)
    wrong = tuple(replace(i, value=MUTATIONS[name](i.value)) for i in witness.invariants)
    validation = validate_witness(example.request, replace(witness, invariants=wrong), SECONDS, confirm=False)
    assert validation.result.is_true
    assert "inductive and suffice" not in validation.role
    assert "found with" in validation.role or "suffices" in validation.role or validation.notes or name == "of no use"


@pytest.mark.parametrize(
    ("right", "wrong"), [("loops/modulo.c", "loops/modulo_wrong.c"), ("loops/even.c", "loops/odd.c")]
)
@pytest.mark.parametrize("value", ["0", "1", "x < 3", "x % 2 == 0"])
def test_no_invariant_proves_a_wrong_program(right: str, wrong: str, value: str) -> None:
    witness = _correctness(BY_NAME[right])
    lie = tuple(replace(i, value=value) for i in witness.invariants)
    assert lie
    example = BY_NAME[wrong]
    validation = validate_witness(example.request, replace(witness, invariants=lie), SECONDS, confirm=False)
    assert str(validation.result.verdict) == example.expected
    assert "wrong" in validation.role
    assert any("another program" in note for note in validation.notes)


@pytest.mark.parametrize(
    ("wrong", "right"), [("loops/modulo_wrong.c", "loops/modulo.c"), ("control/lock_twice.c", "control/lock.c")]
)
def test_no_way_makes_a_right_program_wrong(wrong: str, right: str) -> None:
    witness = _violation(BY_NAME[wrong])
    validation = validate_witness(BY_NAME[right].request, witness, 10.0, confirm=False)
    assert str(validation.result.verdict) == "unknown"
    assert "not confirmed" in validation.result.reason
    assert any("another program" in note for note in validation.notes)


def _flipped(witness: ViolationWitness, number: int) -> ViolationWitness:
    follow = witness.segments[number].follow
    other = replace(follow, constraint="false" if follow.constraint == "true" else "true")
    return _with(witness, number, other)


def _with(witness: ViolationWitness, number: int, waypoint: Waypoint) -> ViolationWitness:
    segments = list(witness.segments)
    segments[number] = Segment(waypoint, segments[number].avoid)
    return replace(witness, segments=tuple(segments))


def test_a_way_that_no_run_takes_is_not_confirmed() -> None:
    example = BY_NAME["bits/cut_off.c"]
    witness = _violation(example)
    ways = [i for i, s in enumerate(witness.segments) if s.follow.kind is WaypointKind.BRANCHING]
    values = [i for i, s in enumerate(witness.segments) if s.follow.kind is WaypointKind.FUNCTION_RETURN]
    assert ways and values
    wrong = _flipped(witness, ways[-1])
    wrong = _with(wrong, values[0], replace(witness.segments[values[0]].follow, constraint="\\result == 0"))
    validation = validate_witness(example.request, wrong, SECONDS, confirm=False)
    assert str(validation.result.verdict) == "unknown"
    assert "not confirmed" in validation.result.reason


def test_a_target_where_no_error_is_is_not_confirmed() -> None:
    example = BY_NAME["loops/odd.c"]
    witness = _violation(example)
    values = [s for s in witness.segments if s.follow.kind is not WaypointKind.FUNCTION_RETURN]
    target = replace(values[-1].follow, place=Place(str(example.path), 2, 1))
    wrong = replace(witness, segments=(*values[:-1], Segment(target)))
    validation = validate_witness(example.request, wrong, SECONDS, confirm=False)
    assert str(validation.result.verdict) == "unknown"
    assert "no error location at its target" in validation.result.reason


def test_waypoints_beside_the_text_are_named_and_ignored() -> None:
    example = BY_NAME["loops/odd.c"]
    witness = _violation(example)
    shifted = [
        Segment(replace(s.follow, place=replace(s.follow.place, line=s.follow.place.line + 1000)))
        for s in witness.segments[:-1]
        if s.follow.kind is WaypointKind.BRANCHING
    ]
    wrong = replace(witness, segments=(*shifted, witness.segments[-1]))
    validation = validate_witness(example.request, wrong, SECONDS, confirm=False)
    assert str(validation.result.verdict) == example.expected  # found without them
    assert len(validation.notes) == len(shifted)
    assert all("nothing for the branching" in note for note in validation.notes)


ASSUMING = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int f(int a) {
  if (a == 77) reach_error();
  return a;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  f(1);
  f(x);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("line", "column", "value", "action", "confirmed"),
    [
        (9, 3, "x == 77", Action.FOLLOW, True),
        (9, 3, "x == 78", Action.FOLLOW, False),
        (4, 3, "a == 77", Action.FOLLOW, True),
        (4, 3, "a == 1", Action.FOLLOW, True),  # in the first copy
        (10, 3, "x > 70 && x < 78", Action.FOLLOW, True),
        (4, None, "a > 100", Action.FOLLOW, False),
    ],
)
def test_assumptions_guide_the_search(
    line: int, column: int | None, value: str, action: Action, confirmed: bool, tmp_path: Path
) -> None:
    file = tmp_path / "assuming.c"
    file.write_text(ASSUMING, encoding="utf-8")
    request = Request((str(file),))
    metadata = replace(_violation(BY_NAME["loops/odd.c"]).metadata, hashes={})
    assumption = Waypoint(WaypointKind.ASSUMPTION, Place("elsewhere/assuming.c", line, column), value, action)
    target = Waypoint(WaypointKind.TARGET, Place("elsewhere/assuming.c", 4))
    validation = validate_witness(
        request, ViolationWitness(metadata, (Segment(assumption), Segment(target))), SECONDS, confirm=False
    )
    assert str(validation.result.verdict) == ("false(unreach-call)" if confirmed else "unknown"), validation


def test_ways_to_avoid_are_avoided(tmp_path: Path) -> None:
    example = BY_NAME["loops/odd.c"]
    witness = _violation(example)
    target = witness.segments[-1].follow
    for number in [i for i, s in enumerate(witness.segments) if s.follow.kind is WaypointKind.BRANCHING][-1:]:
        last = witness.segments[number].follow
        avoiding = replace(witness, segments=(Segment(target, (replace(last, action=Action.AVOID),)),))
        validation = validate_witness(example.request, avoiding, SECONDS, confirm=False)
        assert str(validation.result.verdict) == "unknown"
    validation = validate_witness(
        example.request, replace(witness, segments=(Segment(target),)), SECONDS, confirm=False
    )
    assert str(validation.result.verdict) == example.expected


# --- the command, and what has no witness -----------------------------------------------------------------------------


def test_the_command_says_what_the_witness_gave(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = BY_NAME["loops/even.c"]
    file = tmp_path / "witness.yml"
    file.write_text(write_yaml(_correctness(example)), encoding="utf-8")
    assert main(["validate", str(file), str(example.path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "TRUE"
    assert any(line.startswith("  witness: the witness's invariants are inductive") for line in lines)
    assert main(["validate", str(file), str(example.path), "--json"]) == 0
    assert '"witness"' in capsys.readouterr().out


def test_the_command_does_not_confirm_what_it_cannot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "witness.yml"
    file.write_text(write_yaml(_violation(BY_NAME["control/lock_twice.c"])), encoding="utf-8")
    assert main(["validate", str(file), str(BY_NAME["control/lock.c"].path), "--time-limit", "10"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("UNKNOWN")
    assert "note: the witness was made for another program" in out


@pytest.mark.parametrize("content", ["- nothing", "<graphml/>", "a: &a [*a]"])
def test_bad_files_are_bad_input(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "witness"
    file.write_text(content, encoding="utf-8")
    assert main(["validate", str(file), str(BY_NAME["loops/even.c"].path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1


def test_there_is_no_witness_without_a_verdict_or_of_boogie() -> None:
    example = BY_NAME["loops/even.c"]
    with pytest.raises(NoWitness):
        make_witness(example.request, example.program, Result(Unknown("no reason")))
    boogie = BY_NAME["boogie/bound.bpl"]
    result = verify(boogie.request, (Stage("horn"), *DEFAULT), SECONDS)
    with pytest.raises(NoWitness, match="Boogie"):
        make_witness(boogie.request, load_program(boogie.request), result)
