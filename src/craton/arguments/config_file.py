"""A configuration file: options of `craton verify` as TOML, in `craton.toml` or in `[tool.craton]` of pyproject.toml.

    time-limit = 60
    property = "reach,memsafety"
    include = ["include"]

They become words of the command line before those of the user, who so has the last word. The file is looked for in the
current directory and those above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from craton.errors import CratonError

_OPTION = {"include": "-I", "define": "-D"}
_SAID_ALREADY = ("--no-config", "--config")


class BadConfiguration(CratonError):
    """A configuration file that is none."""


def with_configuration(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """The words of `craton verify` with those of the configuration file; `options` are those that there are."""
    command, rest = list(words[:1]), list(words[1:])
    if "--no-config" in rest:
        return list(words)
    path = _named(rest) or _found(Path.cwd())
    if path is None:
        return list(words)
    return [*command, *_words(_content(path), path, options), *rest]


def _named(words: Sequence[str]) -> Path | None:
    for number, word in enumerate(words):
        if word == "--config" and number + 1 < len(words):
            return Path(words[number + 1])
        if word.startswith("--config="):
            return Path(word.partition("=")[2])
    return None


def _found(folder: Path) -> Path | None:
    for place in (folder, *folder.parents):
        if (place / "craton.toml").is_file():
            return place / "craton.toml"
        project = place / "pyproject.toml"
        if project.is_file():
            return project if _has_section(project) else None
    return None


def _has_section(path: Path) -> bool:
    """Most pyproject files have none: those are not even parsed."""
    try:
        return b"[tool.craton" in path.read_bytes()
    except OSError:
        return False


def _content(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise BadConfiguration(f"cannot read {path}: {problem}") from None
    if path.name == "pyproject.toml":
        content = content.get("tool", {}).get("craton", {})
    return content


def _words(content: Mapping[str, Any], path: Path, options: Sequence[str]) -> Iterator[str]:
    for key, value in content.items():
        option = _OPTION.get(key, f"--{key.replace('_', '-')}")
        if option not in options or option in _SAID_ALREADY:
            known = ", ".join(sorted(one.removeprefix("--") for one in options if one.startswith("--")))
            raise BadConfiguration(f"{path}: there is no option {key!r}, of {known}")
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, bool):
                yield from [option] if one else []
            elif isinstance(one, str | int | float):
                yield from (option, _placed(key, str(one), path))
            else:
                raise BadConfiguration(f"{path}: {key} must be a text, a number, true or false, or a list of those")


def _placed(key: str, value: str, path: Path) -> str:
    """Directories are meant from where the file is."""
    return str(path.parent / value) if key == "include" else value
