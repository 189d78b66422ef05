"""Witnesses as files: what is written fits the schema and is read as it was; what is hostile is one clear line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from craton.errors import CratonError
from craton.evidence.witness import read_witness, validate_witness_text
from craton.evidence.witness.graphml import read_graphml, write_graphml
from craton.evidence.witness.model import (
    Action,
    BadWitness,
    CorrectnessWitness,
    Invariant,
    InvariantKind,
    Metadata,
    Place,
    Segment,
    ViolationWitness,
    Waypoint,
    WaypointKind,
)
from craton.evidence.witness.yaml_format import read_yaml, write_yaml

METADATA = Metadata(
    "Craton",
    "1.0",
    "91023a0f-9f45-4385-88c4-1152ade45537",
    "2026-11-15T14:00:00Z",
    {"dir/prog.c": "ab" * 32},
    "CHECK( init(main()), LTL(G ! call(reach_error())) )",
    "LP64",
)
CORRECT = CorrectnessWitness(
    METADATA,
    (
        Invariant(InvariantKind.LOOP, Place("dir/prog.c", 4, 3, "main"), "x <= 5 && u < 10U"),
        Invariant(InvariantKind.LOCATION, Place("dir/prog.c", 5, 7, "main"), "yes: 'x' # \"&<>\" == 1"),
        Invariant(InvariantKind.LOOP, Place("dir/prog.c", 9), "1"),
    ),
)
AT = Place("dir/prog.c", 7, 5)
VIOLATION = ViolationWitness(
    METADATA,
    (
        Segment(
            Waypoint(WaypointKind.BRANCHING, AT, "true"),
            (Waypoint(WaypointKind.BRANCHING, Place("dir/prog.c", 3, 1), "false", Action.AVOID),),
        ),
        Segment(Waypoint(WaypointKind.BRANCHING, AT, "-3")),
        Segment(Waypoint(WaypointKind.BRANCHING, AT, "default")),
        Segment(Waypoint(WaypointKind.ASSUMPTION, AT, "x == 5")),
        Segment(Waypoint(WaypointKind.FUNCTION_ENTER, AT)),
        Segment(Waypoint(WaypointKind.FUNCTION_RETURN, AT, "\\result == -7")),
        Segment(Waypoint(WaypointKind.TARGET, Place("dir/prog.c", 12, 3, "f"))),
    ),
)


@pytest.mark.parametrize("witness", [CORRECT, VIOLATION], ids=["correctness", "violation"])
def test_yaml_is_read_as_it_was_written(witness: CorrectnessWitness | ViolationWitness) -> None:
    text = write_yaml(witness)
    validate_witness_text(text)
    assert read_yaml(text, "witness") == witness
    assert yaml.safe_load(text)[0]["metadata"]["format_version"] == "2.0"


def test_graphml_is_read_as_far_as_the_format_goes() -> None:
    kept = ViolationWitness(METADATA, (VIOLATION.segments[0], VIOLATION.segments[5], VIOLATION.segments[6]))
    returned = Waypoint(WaypointKind.FUNCTION_RETURN, AT, "\\result == -7", callee="__VERIFIER_nondet_int")
    text = write_graphml(ViolationWitness(METADATA, (kept.segments[0], Segment(returned), kept.segments[2])))
    validate_witness_text(text)
    read = read_graphml(text, "witness")
    assert isinstance(read, ViolationWitness)
    assert [(s.follow.kind, s.follow.place.line, s.follow.constraint) for s in read.segments] == [
        (s.follow.kind, s.follow.place.line, s.follow.constraint) for s in kept.segments
    ]
    assert read.metadata.hashes == METADATA.hashes
    assert read.metadata.data_model == "LP64"
    assert read.metadata.specification == METADATA.specification


def test_graphml_has_the_invariants_of_loops() -> None:
    text = write_graphml(CORRECT)
    validate_witness_text(text)
    read = read_graphml(text, "witness")
    assert isinstance(read, CorrectnessWitness)
    assert [(i.place.line, i.place.function, i.value) for i in read.invariants] == [
        (4, "main", "x <= 5 && u < 10U"),
        (9, None, "1"),
    ]


def test_a_graphml_assumption_about_a_variable_is_the_value_of_an_input() -> None:
    text = write_graphml(VIOLATION).replace(
        '<data key="control">condition-true</data>', '<data key="assumption">x == (5);</data>'
    )
    read = read_graphml(text, "witness")
    assert isinstance(read, ViolationWitness)
    assert read.segments[0].follow.constraint == "\\result == 5"


def test_the_schema_is_one() -> None:
    schema = json.loads(files("craton.evidence.witness").joinpath("schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)


# --- what does not fit ------------------------------------------------------------------------------------------------

CONTENT = yaml.safe_load(write_yaml(VIOLATION))
INVARIANTS = yaml.safe_load(write_yaml(CORRECT))


def _set(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        content[path[-1]] = to

    return change


def _drop(*path: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        del content[path[-1]]

    return change


def _waypoint(segment: int, number: int = 0) -> tuple[Any, ...]:
    return (0, "content", segment, "segment", number, "waypoint")


BROKEN: dict[str, tuple[Any, Callable[[Any], None]]] = {
    "no metadata": (CONTENT, _drop(0, "metadata")),
    "another entry": (CONTENT, _set(0, "entry_type", to="loop_invariant")),
    "version 1": (CONTENT, _set(0, "metadata", "format_version", to="1.0")),
    "uuid": (CONTENT, _set(0, "metadata", "uuid", to="no uuid")),
    "time": (CONTENT, _set(0, "metadata", "creation_time", to="yesterday")),
    "hash": (CONTENT, _set(0, "metadata", "task", "input_file_hashes", "dir/prog.c", to="abc")),
    "data model": (CONTENT, _set(0, "metadata", "task", "data_model", to="LP128")),
    "no segments": (CONTENT, _set(0, "content", to=[])),
    "no waypoints": (CONTENT, _set(0, "content", 0, "segment", to=[])),
    "line 0": (CONTENT, _set(*_waypoint(1), "location", "line", to=0)),
    "line as a text": (CONTENT, _set(*_waypoint(1), "location", "line", to="7")),
    "huge line": (CONTENT, _set(*_waypoint(1), "location", "line", to=10**30)),
    "no line": (CONTENT, _drop(*_waypoint(1), "location", "line")),
    "kind of waypoint": (CONTENT, _set(*_waypoint(1), "type", to="identifier")),
    "branching without constraint": (CONTENT, _drop(*_waypoint(1), "constraint")),
    "branching by expression": (CONTENT, _set(*_waypoint(1), "constraint", "value", to="x > 0")),
    "return of anything": (CONTENT, _set(*_waypoint(5), "constraint", "value", to="x == 5")),
    "target with constraint": (CONTENT, _set(*_waypoint(6), "constraint", to={"value": "1"})),
    "target to avoid": (CONTENT, _set(*_waypoint(6), "action", to="avoid")),
    "avoided last": (CONTENT, _set(*_waypoint(1), "action", to="avoid")),
    "followed twice": (CONTENT, _set(*_waypoint(0), "action", to="follow")),
    "no target": (CONTENT, _drop(0, "content", 6)),
    "early target": (CONTENT, _set(0, "content", 1, to=copy.deepcopy(CONTENT[0]["content"][6]))),
    "content as a text": (CONTENT, _set(0, "content", to="x")),
    "invariant in ACSL": (INVARIANTS, _set(0, "content", 0, "invariant", "format", to="acsl_expression")),
    "empty invariant": (INVARIANTS, _set(0, "content", 0, "invariant", "value", to="")),
    "invariant as a number": (INVARIANTS, _set(0, "content", 0, "invariant", "value", to=1)),
    "kind of invariant": (INVARIANTS, _set(0, "content", 0, "invariant", "type", to="invariant")),
    "waypoint as invariant": (INVARIANTS, _set(0, "content", 0, to={"segment": []})),
    "not a list": (CONTENT, lambda content: content.clear()),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_does_not_fit_is_refused_in_one_line(name: str) -> None:
    content, change = BROKEN[name]
    changed = copy.deepcopy(content)
    change(changed)
    text = yaml.safe_dump(changed)
    with pytest.raises(BadWitness) as caught:
        read_yaml(text, "w.yml")
    assert str(caught.value).startswith("w.yml")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    with pytest.raises(BadWitness):
        validate_witness_text(text)


LAUGHS = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(ord('b') + i)}: &{chr(ord('b') + i)} [{', '.join(['*' + chr(ord('a') + i)] * 8)}]\n" for i in range(12)
)
ENTITIES = (
    '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    + "]><graphml>&j;</graphml>"
)
HOSTILE = {
    "aliases": LAUGHS,
    "deep flow": "[" * 100_000 + "]" * 100_000,
    "deep blocks": "".join("- " * 1 + " " * i + "\n" for i in range(30)) + "- " * 5000 + "x",
    "deep map": "{a: " * 5000 + "1" + "}" * 5000,
    "objects of Python": "!!python/object/apply:os.system ['echo no']",
    "a huge number": "- entry_type: " + "9" * 10_000,
    "not closed": '- "abc',
    "a control character": "- \x01",
    "empty": "",
    "a scalar": "hello",
    "too long": "#" * 8_000_001,
    "entities": ENTITIES,
    "an external entity": '<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>',
    "deep xml": "<graphml>" + "<a>" * 50_000,
    "xml that does not end": "<graphml><graph>",
    "xml of something else": "<html><body/></html>",
    "a graph that says nothing": "<graphml><graph/></graphml>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "witness"
    path.write_text(HOSTILE[name], encoding="utf-8")
    with pytest.raises(BadWitness) as caught:
        read_witness(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<data key="violation">true</data>', ""),
        ('<data key="entry">true</data>', ""),
        ('target="N1"', 'target="N77"'),
        ('<data key="startline">7</data>', '<data key="startline">-7</data>'),
        ('<data key="startline">7</data>', '<data key="startline">99999999999999999999</data>'),
        ("64bit", "65bit"),
        ("violation_witness", "witness"),
        ('<data key="programhash">', '<data key="hash">'),
    ],
)
def test_graphml_that_does_not_fit_is_refused_in_one_line(old: str, new: str) -> None:
    text = write_graphml(VIOLATION)
    assert old in text
    with pytest.raises(BadWitness) as caught:
        read_graphml(text.replace(old, new), "w.graphml")
    assert str(caught.value).startswith("w.graphml")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "witness.yml"
    path.write_bytes(b"\xff\xfe- \x00")
    with pytest.raises(BadWitness, match="UTF-8"):
        read_witness(path)
    with pytest.raises(CratonError, match="cannot read"):
        read_witness(tmp_path / "none.yml")
