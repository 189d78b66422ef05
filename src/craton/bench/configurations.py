"""Configurations: lines of options of `craton verify`, with names.

    --engine predicate --refine 'newton(it, sp)'        a line is its own name
    fast=--engine bounded                               a line with a name
    refiners.toml:craig                                 a named line of a file
    refiners.toml                                       all lines of a file
    default                                             no options

A file has a table of lines: `[configurations]`, then `craig = "--refine 'craig(z3)'"`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.errors import CratonError
from craton.processes.keeper import FILE

if TYPE_CHECKING:
    from craton.configuration.stages import Stage

WITNESS = "{witness}"  # in an option: the path of the run's witness

_NAMED = re.compile(r"([A-Za-z0-9][\w.+ -]*?)\s*=\s*(-.*|)", re.DOTALL)
_OURS = ("--json", "--quiet", "--stats", "--time-limit", "--cpu-limit", "--memory-limit", "--property")


class BadConfiguration(CratonError):
    """A configuration that `craton verify` would not accept, or that is not found."""


@dataclass(frozen=True, slots=True)
class Configuration:
    name: str
    options: tuple[str, ...]

    def arguments(self) -> list[str]:
        """The options, with the placeholder for the witness replaced by the file that the keeper returns."""
        return [option.replace(WITNESS, FILE % "witness") for option in self.options]


def configurations(texts: Sequence[str]) -> list[Configuration]:
    """The configurations that the texts denote; each is checked the way `craton verify` checks its options."""
    found: dict[str, Configuration] = {}
    for text in texts or ["default"]:
        for configuration in _meaning(text.strip()):
            if found.setdefault(configuration.name, configuration) != configuration:
                raise BadConfiguration(f"two configurations are called {configuration.name!r}; give one another name")
    for configuration in found.values():
        check(configuration)
    return list(found.values())


def _meaning(text: str) -> list[Configuration]:
    if text in ("", "default"):
        return [Configuration("default", ())]
    if text.startswith("-"):
        return [Configuration(text, _words(text, text))]
    named = _NAMED.fullmatch(text)
    if named:
        return [Configuration(named.group(1), _words(named.group(2), named.group(1)))]
    path, colon, name = text.rpartition(":")
    if not colon and text.endswith(".toml"):
        return _file(Path(text))
    if colon and path.endswith(".toml"):
        known = {configuration.name: configuration for configuration in _file(Path(path))}
        if name not in known:
            raise BadConfiguration(f"{path} has no configuration {name!r}; it has: {', '.join(known)}")
        return [known[name]]
    raise BadConfiguration(
        f"{text!r} is no configuration: write options of `craton verify`, NAME=options, FILE.toml:NAME, or default"
    )


def _file(path: Path) -> list[Configuration]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadConfiguration(f"{path}: cannot be read: {problem.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise BadConfiguration(f"{path}: not TOML: {problem}") from None
    table: Any = content.get("configurations")
    if not isinstance(table, dict) or not table:
        raise BadConfiguration(f'{path}: there is no table [configurations] with lines NAME = "options"')
    return [Configuration(name, _entry(path, name, value)) for name, value in table.items()]


def _entry(path: Path, name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return _words(value, name)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise BadConfiguration(f"{path}: {name} must be a line of options, or a list of words")


def _words(line: str, name: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError as problem:
        raise BadConfiguration(f"configuration {name!r}: {problem}") from None


# --- checking ---------------------------------------------------------------------------------------------------------


def check(configuration: Configuration) -> None:
    """Raises for invalid options now instead of in a thousand runs."""
    from craton.configuration.engines import check_stage

    for option in configuration.options:
        if option.partition("=")[0] in _OURS:
            raise BadConfiguration(
                f"configuration {configuration.name!r}: {option} is for all runs alike; give it to `craton bench`"
            )
    for stage in stages_of(configuration):
        try:
            check_stage(stage)
        except CratonError as problem:
            raise BadConfiguration(f"configuration {configuration.name!r}: {problem}") from problem


def stages_of(configuration: Configuration) -> Sequence[Stage]:
    """What `craton verify` tries with these options. Engines and refiners may not exist."""
    from craton.arguments.verifying import stages_of as stages_of_arguments

    complaints = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaints), contextlib.redirect_stdout(complaints):
            args = _verify_parser().parse_args(["program.c", *configuration.options])
    except SystemExit:
        lines = complaints.getvalue().strip().splitlines() or ["not understood"]
        problem = lines[-1].partition("error: ")[2] or lines[-1]
        raise BadConfiguration(f"configuration {configuration.name!r}: {problem}") from None
    if len(args.files) > 1:
        raise BadConfiguration(f"configuration {configuration.name!r}: {args.files[1]!r} is no option")
    return stages_of_arguments(args)


def source_options(configuration: Configuration) -> list[str]:
    """Those of the options that say how a program's text is read, as all commands take them."""
    args = _verify_parser().parse_args(["program.c", *configuration.options])
    single = (("--data-model", args.data_model), ("--unknown-functions", args.unknown_functions))
    return [
        *(word for option, value in single if value is not None for word in (option, value)),
        *(f"-I{directory}" for directory in args.include),
        *(f"-D{macro}" for macro in args.define),
    ]


def _verify_parser() -> argparse.ArgumentParser:
    from craton.arguments.verifying import add_verify_arguments

    parser = argparse.ArgumentParser(prog="craton verify")
    add_verify_arguments(parser)
    return parser


def with_witnesses(configurations: Sequence[Configuration]) -> list[Configuration]:
    """The configurations, each with an option that requests a witness."""
    return [
        configuration
        if any(WITNESS in option for option in configuration.options)
        else Configuration(configuration.name, (*configuration.options, "--witness", WITNESS))
        for configuration in configurations
    ]
