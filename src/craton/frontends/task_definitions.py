"""Task definitions: YAML files (formats 1.0, 2.0 and 2.1) that name input files, properties and the data model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
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
    try:
        return _defined(path, path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise TaskError(f"cannot read {path}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise TaskError(f"{path} is no task definition: {problem}") from None


@lru_cache(maxsize=16)  # a run asks again and again, and reading YAML takes longer than other steps of a start
def _defined(path: Path, text: str) -> TaskDefinition:
    """What the text of a file says."""
    content = _content(path, text)
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
    if not isinstance(options, dict):
        raise TaskError(f"{path}: options must be keys and values")
    entries = content.get("properties") or ()
    if not isinstance(entries, list | tuple):
        raise TaskError(f"{path}: properties must be a list")
    properties = _consistent(path, [_property(path, entry) for entry in entries])
    return TaskDefinition(
        path,
        tuple(path.parent / str(name) for name in names),
        properties,
        str(options.get("data_model", "ILP32")),
        str(options.get("language", "C")),
    )


def _content(path: Path, text: str) -> Any:
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        _refuse_duplicate_keys(path, root)
        return None if root is None else loader.construct_document(root)
    except yaml.YAMLError as problem:
        told = " ".join(str(problem).replace('in "<unicode string>", ', "at ").split()).removesuffix(": ^")
        raise TaskError(f"{path} is no task definition: {told}") from None


def _refuse_duplicate_keys(path: Path, root: Any) -> None:
    """YAML forbids a key that stands twice in a mapping; its readers take the last one and say nothing."""
    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        children: list[Any] = list(getattr(node, "value", ())) if node.id != "scalar" else []
        if node.id == "mapping":
            keys: set[str] = set()
            for key in (key for key, _ in children if key.id == "scalar"):
                if key.value in keys:
                    raise TaskError(f"{path}:{key.start_mark.line + 1}: the key {key.value} stands there twice")
                keys.add(key.value)
            children = [part for pair in children for part in pair]
        waiting += children


def _consistent(path: Path, properties: list[TaskProperty]) -> tuple[TaskProperty, ...]:
    """Without repetitions; entries for one property that contradict each other are a mistake."""
    known: dict[Path, TaskProperty] = {}
    for entry in properties:
        earlier = known.setdefault(entry.file, entry)
        if earlier != entry:
            raise TaskError(f"{path}: the entries for property_file {entry.file.name} contradict each other")
    return tuple(known.values())


def _property(path: Path, entry: Any) -> TaskProperty:
    if not isinstance(entry, dict) or "property_file" not in entry:
        raise TaskError(f"{path}: a property needs a property_file")
    expected = entry.get("expected_verdict")
    return TaskProperty(
        path.parent / str(entry["property_file"]),
        expected if isinstance(expected, bool) else None,
        entry.get("subproperty"),
    )
