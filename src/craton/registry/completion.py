"""How an expression that somebody is writing may go on: for shells, and for the editor of the playground."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from craton.registry.entries import Entry
from craton.registry.options import Keyed, Parts
from craton.registry.registry import Registry

_WORD = re.compile(r"[A-Za-z0-9_.-]*\Z")


def completions(registry: Registry[Any], text: str) -> list[str]:
    """The text with its last word completed, in every way there is. Law: each begins with the text."""
    match = _WORD.search(text)
    assert match is not None
    before, begun = text[: match.start()], match.group()
    return [before + word for word in _candidates(registry, before) if word.startswith(begun)]


def _candidates(registry: Registry[Any], before: str) -> Iterable[str]:
    """What may stand behind a text that ends where a word begins."""
    open_names = _open_names(before)
    stripped = before.rstrip()
    if not open_names:
        return _names(registry) if not stripped else ()
    entry = registry.find(open_names[-1])
    if entry is None or not stripped.endswith(("(", ",", "=")):
        return ()
    if stripped.endswith("="):
        return _values(entry, re.split(r"[(,]", stripped[:-1])[-1].strip())
    return _inside(registry, entry)


def _open_names(text: str) -> list[str]:
    """The names whose parentheses are open, from the outside in."""
    found: list[str] = []
    for match in re.finditer(r"([A-Za-z][A-Za-z0-9_.-]*)?\s*\(|\)", text):
        if match.group() != ")":
            found.append(match.group(1) or "")
        elif found:
            found.pop()
    return found


def _names(registry: Registry[Any]) -> Iterator[str]:
    """With an open parenthesis where something has to follow."""
    for name, entry in registry.entries.items():
        needed = any(isinstance(one.option, Parts) and one.option.least for one in entry.settings)
        yield f"{name}(" if needed else name
    yield from registry.presets


def _inside(registry: Registry[Any], entry: Entry) -> Iterator[str]:
    keys = {one.option.key for one in entry.settings if isinstance(one.option, Keyed)}
    yield from (f"{word}=" if word in keys else word for word in entry.words)
    if any(isinstance(one.option, Parts) for one in entry.settings):
        yield from _names(registry)


def _values(entry: Entry, key: str) -> Iterator[str]:
    for one in entry.settings:
        if isinstance(one.option, Keyed) and one.option.key == key:
            yield from one.option.reader.examples()
