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
_NO_OPTIONS = frozenset("--no-config --config --help --show-properties".split())  # of a file


class BadConfiguration(CratonError):
    """A configuration file that is none."""


def configuration_of(words: Sequence[str]) -> Path | None:
    """The file that counts for these words of `craton verify`, if there is one."""
    return None if "--no-config" in words else _named(words) or _found(Path.cwd())


def with_configuration(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """The words of `craton verify` with those of the configuration file; `options` are those that there are."""
    path = configuration_of(words)
    if path is None:
        return list(words)
    return [*words[:1], *_words(_content(path), path, options), *words[1:]]


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
    except OSError as problem:
        raise BadConfiguration(f"cannot read {path}: {problem.strerror}") from None
    except ValueError as problem:
        raise BadConfiguration(f"cannot read {path}: {problem}") from None
    section = content.get("tool", {})
    section = section.get("craton") if isinstance(section, dict) else None
    if path.name == "pyproject.toml" or (section is not None and len(content) == 1):
        content = section or {}
    if not isinstance(content, dict):
        raise BadConfiguration(f"{path}: tool.craton must be a table")
    return content


def _words(content: Mapping[str, Any], path: Path, options: Sequence[str]) -> Iterator[str]:
    for key, value in content.items():
        option = _OPTION.get(key, f"--{key.replace('_', '-')}")
        if option not in options or option in _NO_OPTIONS:
            raise BadConfiguration(f"{path}: there is no option {key!r} for a file; {_known(key, options)}")
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, bool):
                yield from [option] if one else []
            elif isinstance(one, str | int | float):
                yield from (option, _placed(key, str(one), path))
            else:
                raise BadConfiguration(f"{path}: {key} must be a text, a number, true or false, or a list of those")


def _known(key: str, options: Sequence[str]) -> str:
    """What was meant, perhaps, or all that there is."""
    from difflib import get_close_matches

    known = [*_OPTION, *(one.removeprefix("--") for one in options if one.startswith("--") and one not in _NO_OPTIONS)]
    meant = get_close_matches(key, known, 1)
    return f"did you mean {meant[0]!r}?" if meant else f"known are {', '.join(sorted(known))}"


def _placed(key: str, value: str, path: Path) -> str:
    """Directories and files that are read are meant from where the file is."""
    there = key in ("include", "stages") or (key == "property" and (path.parent / value).is_file())
    return str(path.parent / value) if there else value
