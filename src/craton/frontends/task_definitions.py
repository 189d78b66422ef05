"""Task definitions: YAML files (formats 1.0, 2.0 and 2.1) that name input files, properties and the data model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from craton.errors import CratonError
from craton.program.specification import Specification, read_specification

_VERSIONS = ("1.0", "2.0", "2.1")


class TaskError(CratonError):
    """A task definition that is missing, is not YAML, or lacks what a task needs."""


@dataclass(frozen=True, slots=True)
class TaskProperty:
    """A property of a task and, where the file says so, whether it holds."""

    file: Path
    expected: bool | None
    subproperty: str | None

    def specification(self) -> Specification:
        return read_specification(self.file)


@dataclass(frozen=True, slots=True)
class TaskDefinition:
    """What a file says; paths are relative to it no longer."""

    path: Path
    input_files: tuple[Path, ...]
    properties: tuple[TaskProperty, ...]
    data_model: str
    language: str


def read_task_definition(path: Path) -> TaskDefinition:
    import yaml

    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise TaskError(f"cannot read {path}: {problem.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise TaskError(f"{path} is no task definition: {problem}".replace("\n", " ")) from None
    if not isinstance(content, dict) or "input_files" not in content:
        raise TaskError(f"{path} is no task definition: it has no input_files")
    version = str(content.get("format_version", "1.0"))
    if version not in _VERSIONS:
        raise TaskError(f"{path}: task format {version} is not known; known are {', '.join(_VERSIONS)}")
    names = content["input_files"]
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names:
        raise TaskError(f"{path}: input_files must be a file name or a list of them")
    options = content.get("options") or {}
    properties = tuple(_property(path, entry) for entry in content.get("properties") or ())
    return TaskDefinition(
        path,
        tuple(path.parent / str(name) for name in names),
        properties,
        str(options.get("data_model", "ILP32")),
        str(options.get("language", "C")),
    )


def _property(path: Path, entry: Any) -> TaskProperty:
    if not isinstance(entry, dict) or "property_file" not in entry:
        raise TaskError(f"{path}: a property needs a property_file")
    expected = entry.get("expected_verdict")
    return TaskProperty(
        path.parent / str(entry["property_file"]),
        expected if isinstance(expected, bool) else None,
        entry.get("subproperty"),
    )
