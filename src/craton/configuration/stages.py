"""Stages: which engine runs with which refiner on which view for how long. They are data: a TOML file with a table
`[[stage]]` for each, whose keys are the fields of `Stage`. `default.toml` next to this file is the default.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from craton.errors import CratonError

ENCODINGS = ("bv", "int", "ideal")
FLOATS = ("exact", "real")
ARRAYS = ("exact", "cells")
LOOPS = ("exact", "accelerated")


class StagesError(CratonError):
    """A file of stages that cannot be read or makes no sense."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One attempt. `share` is its weight: how long its turns are, relative to those of the others."""

    engine: str = "trace-abstraction"
    refine: str = "default"
    encoding: str = "bv"
    floats: str = "exact"
    arrays: str = "exact"
    loops: str = "exact"
    solver: str = "z3"
    share: float = 1.0
    seconds: float | None = None  # at most, all turns together
    seed: int = 0  # for random inputs

    @property
    def in_bits(self) -> bool:
        """Whether numbers are bits, not integers or reals as a view has them."""
        return self.encoding == "bv" and self.floats == "exact"

    @property
    def sees_program(self) -> bool:
        """Whether it looks at the program itself, through no view."""
        return self.in_bits and self.arrays == "exact" and self.loops == "exact"

    @property
    def refiner(self) -> str:
        """The expression of the refiner that its engine uses; "" if it uses none."""
        from craton.configuration.engines import refines

        return self.refine if refines(self.engine) else ""

    @property
    def name(self) -> str:
        return self.seen_through(f"{self.engine} with {self.refiner}" if self.refiner else self.engine)

    def seen_through(self, name: str) -> str:
        """A name, with the view appended unless the stage runs on the program itself."""
        seen = (self.encoding, "bv"), (self.floats, "exact"), (self.arrays, "exact"), (self.loops, "exact")
        views = [word for word, usual in seen if word != usual]
        return f"{name} ({', '.join(views)})" if views else name


def read_stages(path: Path) -> tuple[Stage, ...]:
    """The stages of a file. They are well-formed; `check_stage` checks that their engines and refiners exist."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise StagesError(f"cannot read {path}: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise StagesError(f"{path} is not TOML: {problem}") from None
    unknown = [key for key in content if key != "stage"]
    if unknown:
        raise StagesError(f"{path}: unknown key {unknown[0]!r}; a file of stages has tables [[stage]] and nothing else")
    tables = content.get("stage")
    if not isinstance(tables, list) or not tables:
        raise StagesError(f"{path}: no stages; each is a table [[stage]] with an engine")
    return tuple(_stage(table, f"{path}: stage {number}") for number, table in enumerate(tables, 1))


def _stage(table: Any, where: str) -> Stage:
    if not isinstance(table, dict):
        raise StagesError(f"{where} is not a table; write [[stage]]")
    known = {one.name for one in fields(Stage)}
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(sorted(known))}"
            raise StagesError(f"{where}: unknown key {key!r}; {hint}")
    if "engine" not in table:
        raise StagesError(f"{where} names no engine; see craton engines")
    for key, expected in _EXPECTED.items():
        if key in table and not expected[1](table[key]):
            raise StagesError(f"{where}: {key} must be {expected[0]}, found {table[key]!r}")
    return Stage(**table)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


_TEXT = ("a text", lambda value: isinstance(value, str))
_NUMBER = ("a positive number", _is_number)
_EXPECTED: Mapping[str, tuple[str, Any]] = {
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
