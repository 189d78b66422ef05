"""Stages and schedules as data: a TOML file with a table `[[stage]]` for each stage, whose keys are the fields of
`Stage`, and a table `[[schedule]]` for each schedule. `default.toml` next to this file is the default.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from craton.configuration.schedules import Plan, Schedule, is_meant, read_condition
from craton.configuration.stage import ARRAYS, ENCODINGS, FLOATS, LOOPS
from craton.configuration.stage import Stage as Stage
from craton.configuration.stage import StagesError as StagesError


def read_stages(path: Path) -> Plan:
    """The stages of a file, and its schedules. They are well-formed; `check_stage` checks that engines and refiners
    exist.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise StagesError(f"cannot read {path}: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise StagesError(f"{path} is not TOML: {problem}") from None
    unknown = [key for key in content if key not in ("stage", "schedule")]
    if unknown:
        raise StagesError(f"{path}: unknown key {unknown[0]!r}; a file of stages has tables [[stage]] and [[schedule]]")
    tables = content.get("stage")
    if not isinstance(tables, list) or not tables:
        raise StagesError(f"{path}: no stages; each is a table [[stage]] with an engine")
    stages = tuple(_stage(table, f"{path}: stage {number}") for number, table in enumerate(tables, 1))
    schedules = content.get("schedule", [])
    if not isinstance(schedules, list):
        raise StagesError(f"{path}: schedule is not a table; write [[schedule]]")
    return Plan(
        stages,
        tuple(_schedule(table, stages, f"{path}: schedule {number}") for number, table in enumerate(schedules, 1)),
    )


def _stage(table: Any, where: str) -> Stage:
    _check_table(table, "stage", [one.name for one in fields(Stage)], _STAGE, where)
    if "engine" not in table:
        raise StagesError(f"{where} names no engine; see craton engines")
    return Stage(**table)


def _schedule(table: Any, stages: Sequence[Stage], where: str) -> Schedule:
    _check_table(table, "schedule", list(_SCHEDULE), _SCHEDULE, where)
    for key in ("name", "when"):
        if key not in table:
            raise StagesError(f"{where} has no {key}")
    shares, first = table.get("shares", {}), table.get("first", [])
    for key in (*shares, *first):
        if not any(is_meant(key, stage) for stage in stages):
            from difflib import get_close_matches

            known = [stage.seen_through(stage.engine) for stage in stages]
            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(dict.fromkeys(known))}"
            raise StagesError(f"{where}: no stage is called {key!r}; {hint}")
    try:
        conditions = tuple(map(read_condition, table["when"]))
    except StagesError as problem:
        raise StagesError(f"{where}: {problem}") from None
    return Schedule(table["name"], conditions, tuple(shares.items()), tuple(first))


def _check_table(table: Any, word: str, known: Sequence[str], expected: Mapping[str, _Expected], where: str) -> None:
    if not isinstance(table, dict):
        raise StagesError(f"{where} is not a table; write [[{word}]]")
    for key in table:
        if key not in known:
            from difflib import get_close_matches

            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(known))}"
            raise StagesError(f"{where}: unknown key {key!r}; {hint}")
    for key, (words, is_so) in expected.items():
        if key in table and not is_so(table[key]):
            raise StagesError(f"{where}: {key} must be {words}, found {table[key]!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


_Expected = tuple[str, Callable[[Any], bool]]
_TEXT: _Expected = ("a text", lambda value: isinstance(value, str))
_TEXTS: _Expected = ("a list of texts", _are_texts)
_NUMBER: _Expected = ("a positive number", _is_number)
_SCHEDULE: Mapping[str, _Expected] = {
    "name": _TEXT,
    "when": _TEXTS,
    "first": _TEXTS,
    "shares": (
        "a table of positive numbers",
        lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    ),
}
_STAGE: Mapping[str, _Expected] = {
    "engine": _TEXT,
    "refine": _TEXT,
    "solver": _TEXT,
    "encoding": (f"one of {', '.join(ENCODINGS)}", lambda value: value in ENCODINGS),
    "floats": (f"one of {', '.join(FLOATS)}", lambda value: value in FLOATS),
    "arrays": (f"one of {', '.join(ARRAYS)}", lambda value: value in ARRAYS),
    "loops": (f"one of {', '.join(LOOPS)}", lambda value: value in LOOPS),
    "share": _NUMBER,
    "seconds": _NUMBER,
    "seed": ("a number from 0 on", lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0),
}

DEFAULT = read_stages(Path(__file__).with_name("default.toml"))


def described(stages: Sequence[Stage]) -> list[tuple[str, str]]:
    """Each stage, and how much time it gets: its part of each round, and its cap."""
    together = sum(stage.share for stage in stages)
    caps = ["" if stage.seconds is None else f", at most {stage.seconds:g} s" for stage in stages]
    parts = [f"{100 * stage.share / together:.0f} %" for stage in stages]
    return [(stage.name, f"{part} of the time{cap}") for stage, part, cap in zip(stages, parts, caps, strict=True)]


def stages_text(plan: Plan) -> str:
    """The file that `read_stages` reads as the plan."""
    usual = Stage()
    tables = []
    for stage in plan:
        said = {one.name: getattr(stage, one.name) for one in fields(Stage)}
        lines = [f"{key} = {_toml(value)}" for key, value in said.items() if _is_said(key, value, usual)]
        tables.append("\n".join(["[[stage]]", *lines]))
    for schedule in plan.schedules:
        lines = [f"name = {_toml(schedule.name)}", f"when = [{', '.join(_toml(str(one)) for one in schedule.when)}]"]
        if schedule.first:
            lines.append(f"first = [{', '.join(map(_toml, schedule.first))}]")
        lines.append(
            "shares = { " + ", ".join(f"{_toml(key)} = {_toml(share)}" for key, share in schedule.shares) + " }"
        )
        tables.append("\n".join(["[[schedule]]", *lines]))
    return "\n\n".join(tables) + "\n"


def _is_said(key: str, value: Any, usual: Stage) -> bool:
    return key in ("engine", "share") or value != getattr(usual, key)


def _toml(value: str | float) -> str:
    import json

    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else f"{value:g}"
