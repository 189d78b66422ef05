"""Witnesses in format 2.0: YAML, checked against the JSON Schema that stands beside this file, both when read and when
written.

Reading expects the worst. Files are of limited size and depth and without aliases, so that what is small as a text is
small in memory; numbers and truth values are the only scalars that are more than texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

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
    Witness,
)

FORMAT_VERSION = "2.0"
MOST_CHARACTERS = 8_000_000
MOST_DEPTH = 24  # a witness needs eleven
_SHOWN = 120  # characters of a message about what does not fit


# --- writing ----------------------------------------------------------------------------------------------------------


def write_yaml(witness: Witness) -> str:
    import yaml

    entry: dict[str, Any] = {"entry_type": "", "metadata": _metadata(witness.metadata), "content": []}
    if isinstance(witness, CorrectnessWitness):
        entry["entry_type"] = "invariant_set"
        entry["content"] = [{"invariant": _invariant(invariant)} for invariant in witness.invariants]
    else:
        entry["entry_type"] = "violation_sequence"
        entry["content"] = [
            {"segment": [{"waypoint": _waypoint(w)} for w in (*segment.avoid, segment.follow)]}
            for segment in witness.segments
        ]
    text: str = yaml.safe_dump([entry], sort_keys=False, width=1_000_000, allow_unicode=True)
    return text


def _metadata(metadata: Metadata) -> dict[str, Any]:
    producer = {"name": metadata.producer, "version": metadata.version}
    if metadata.command_line:
        producer["command_line"] = metadata.command_line
    return {
        "format_version": FORMAT_VERSION,
        "uuid": metadata.uuid,
        "creation_time": metadata.created,
        "producer": producer,
        "task": {
            "input_files": list(metadata.hashes),
            "input_file_hashes": dict(metadata.hashes),
            "specification": metadata.specification,
            "data_model": metadata.data_model,
            "language": "C",
        },
    }


def _location(place: Place) -> dict[str, Any]:
    location: dict[str, Any] = {"file_name": place.file, "line": place.line}
    if place.column is not None:
        location["column"] = place.column
    if place.function is not None:
        location["function"] = place.function
    return location


def _invariant(invariant: Invariant) -> dict[str, Any]:
    return {
        "type": invariant.kind.value,
        "location": _location(invariant.place),
        "value": invariant.value,
        "format": "c_expression",
    }


_CONSTRAINT_FORMATS = {
    WaypointKind.ASSUMPTION: "c_expression",
    WaypointKind.FUNCTION_RETURN: "acsl_expression",
}


def _waypoint(waypoint: Waypoint) -> dict[str, Any]:
    told: dict[str, Any] = {"type": waypoint.kind.value, "action": waypoint.action.value}
    told["location"] = _location(waypoint.place)
    if waypoint.constraint is not None:
        told["constraint"] = {"value": waypoint.constraint}
        if waypoint.kind in _CONSTRAINT_FORMATS:
            told["constraint"]["format"] = _CONSTRAINT_FORMATS[waypoint.kind]
    return told


# --- reading ----------------------------------------------------------------------------------------------------------


def read_yaml(text: str, name: str) -> Witness:
    """The first entry of a kind that is known, all invariants together; `name` is for messages."""
    entries = _checked(text, name)
    metadata = _read_metadata(entries[0]["metadata"])
    sequences = [entry for entry in entries if entry["entry_type"] == "violation_sequence"]
    if sequences:
        if len(entries) > 1:
            raise BadWitness(f"{name}: a violation sequence stands alone, but the file has {len(entries)} entries")
        return ViolationWitness(metadata, _read_segments(sequences[0]["content"], name))
    items = [item["invariant"] for entry in entries for item in entry["content"]]
    return CorrectnessWitness(
        metadata,
        tuple(Invariant(InvariantKind(i["type"]), _read_place(i["location"]), i["value"]) for i in items),
    )


def check_yaml(text: str, name: str = "witness") -> None:
    """BadWitness with the first thing that does not fit the schema."""
    entries = _checked(text, name)
    for entry in entries:
        if entry["entry_type"] == "violation_sequence":
            _read_segments(entry["content"], name)


def _checked(text: str, name: str) -> list[dict[str, Any]]:
    content = _parsed(text, name)
    problem = next(_validator().iter_errors(content), None)
    if problem is not None:
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in problem.absolute_path)
        message = str(problem.message)
        message = message if len(message) <= _SHOWN else message[:_SHOWN] + "…"
        raise BadWitness(_in_one_line(f"{name} is no witness of format 2: at {where or 'the top'}: {message}"))
    entries: list[dict[str, Any]] = content
    return entries


def _parsed(text: str, name: str) -> Any:
    import yaml

    if len(text) > MOST_CHARACTERS:
        raise BadWitness(f"{name} is no witness: it has more than {MOST_CHARACTERS} characters")
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """Knows null, truth values and decimal numbers; dates and the like stay texts."""

        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [(tag, how) for tag, how in known if tag.rpartition(":")[2] in ("null", "bool", "int")]
            for first, known in base.yaml_implicit_resolvers.items()
        }

    try:
        depth = 0
        for event in yaml.parse(text, Loader=Loader):
            if isinstance(event, yaml.AliasEvent):
                raise BadWitness(f"{name} is no witness: aliases are not allowed, found *{event.anchor}")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MOST_DEPTH:
                    raise BadWitness(f"{name} is no witness: it is nested more than {MOST_DEPTH} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
        return yaml.load(text, Loader=Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        told = str(problem).replace('in "<unicode string>", ', "at ")
        raise BadWitness(_in_one_line(f"{name} is no YAML: {told}")) from None


def _in_one_line(message: str) -> str:
    return " ".join(message.split())


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(files(__package__).joinpath("schema.json").read_text(encoding="utf-8")))


def _read_metadata(told: Mapping[str, Any]) -> Metadata:
    task, producer = told["task"], told["producer"]
    return Metadata(
        producer["name"],
        producer["version"],
        told["uuid"],
        told["creation_time"],
        dict(task["input_file_hashes"]),
        task["specification"],
        task["data_model"],
        producer.get("command_line", ""),
    )


def _read_place(told: Mapping[str, Any]) -> Place:
    return Place(told["file_name"], told["line"], told.get("column"), told.get("function"))


def _read_segments(content: Sequence[Mapping[str, Any]], name: str) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for number, item in enumerate(content):
        *avoided, followed = [_read_waypoint(entry["waypoint"]) for entry in item["segment"]]
        if followed.action is not Action.FOLLOW or any(w.action is not Action.AVOID for w in avoided):
            raise BadWitness(f"{name}: segment {number} must be waypoints to avoid and then one to follow")
        if (followed.kind is WaypointKind.TARGET) != (number == len(content) - 1):
            raise BadWitness(
                f"{name}: the last segment, and no other, must end in a target; segment {number} does not fit"
            )
        segments.append(Segment(followed, tuple(avoided)))
    return tuple(segments)


def _read_waypoint(told: Mapping[str, Any]) -> Waypoint:
    value = told.get("constraint", {}).get("value")
    if isinstance(value, bool):
        value = "true" if value else "false"
    constraint = None if value is None else str(value)
    return Waypoint(WaypointKind(told["type"]), _read_place(told["location"]), constraint, Action(told["action"]))
