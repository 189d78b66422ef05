"""JSON from strangers: objects that must have certain fields, and where asked no others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from craton.evidence.certificates.format import LARGEST_NUMBER, MOST_BYTES, BadCertificate
from craton.program.blocks import BlockSize, Cut

E = TypeVar("E", bound=Enum)


def read_json(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise BadCertificate(f"cannot read {path}: {problem.strerror}") from None
    if len(content) > MOST_BYTES:
        raise BadCertificate(f"{path} is no certificate: it is larger than {MOST_BYTES >> 20} MiB")
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise BadCertificate(f"{path} is no certificate: it is not UTF-8 text") from None
    except RecursionError:
        raise BadCertificate(f"{path} is no certificate: it is nested too deep") from None
    except json.JSONDecodeError as problem:
        said = f"{problem.msg} in line {problem.lineno}"
        raise BadCertificate(f"{path} is no certificate: it is no JSON: {said}") from None
    except ValueError as problem:  # of the parser, and of numbers that are too long for Python
        raise BadCertificate(f"{path} is no certificate: {problem}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):  # two readers might read different things
        raise ValueError("a key is there twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


class Fields:
    """A JSON object that must have certain fields. `name` is what messages call it."""

    def __init__(self, content: Any, name: str) -> None:
        if not isinstance(content, dict):
            raise BadCertificate(f"{name} is not an object")
        self.content = content
        self.name = name

    def only(self, *keys: str) -> Fields:
        """Itself, if it has no other fields: what is not understood might matter, so it is never skipped."""
        unknown = sorted(self.content.keys() - set(keys))
        if unknown:
            raise BadCertificate(f"{self.name} has a field {one_line(unknown[0])!r}, which is not known")
        return self

    def text(self, key: str) -> str:
        return as_text(self.value(key), f"{key!r} of {self.name}")

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(as_text(entry, f"an entry of {key!r}") for entry in self.entries(key))

    def number(self, key: str) -> int:
        return _as_number(self.value(key), f"{key!r} of {self.name}")

    def numbers(self, key: str) -> tuple[int, ...]:
        return tuple(_as_number(entry, f"an entry of {key!r}") for entry in self.entries(key))

    def number_or_none(self, key: str) -> int | None:
        return None if self.value(key) is None else self.number(key)

    def block_size(self, key: str) -> BlockSize:
        """A number, nothing, or the word for where loops are cut."""
        words = {cut.value: cut for cut in Cut}
        said = self.value(key)
        return words[said] if isinstance(said, str) and said in words else self.number_or_none(key)

    def choice(self, key: str, kind: type[E]) -> E:
        """One of the values of an enumeration."""
        said = self.text(key)
        known = {str(member.value): member for member in kind}
        if said not in known:
            raise BadCertificate(f"{key!r} of {self.name} is {one_line(said)!r}; known are {', '.join(known)}")
        return known[said]

    def object(self, key: str) -> Fields:
        return Fields(self.value(key), f"{key!r}")

    def objects(self, key: str) -> tuple[Fields, ...]:
        return tuple(Fields(entry, f"an entry of {key!r}") for entry in self.entries(key))

    def entries(self, key: str) -> list[Any]:
        return as_list(self.value(key), f"{key!r} of {self.name}")

    def value(self, key: str) -> Any:
        if key not in self.content:
            raise BadCertificate(f"{self.name} has no {key!r}")
        return self.content[key]


def as_list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadCertificate(f"{name} is not a list")
    return value


def as_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadCertificate(f"{name} is not a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # halves of characters, which JSON can write
        raise BadCertificate(f"{name} is not Unicode text") from None
    return value


def _as_number(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_NUMBER:
        raise BadCertificate(f"{name} is not a number from 0 to {LARGEST_NUMBER}")
    return value


def all_different(items: Iterable[Any], message: Callable[[Any, int], str]) -> None:
    """Raises BadCertificate if something is there twice; the message is made of it and how often it is there."""
    for item, count in Counter(items).items():
        if count > 1:
            raise BadCertificate(message(item, count))


def one_for_each_location(locations: Iterable[int]) -> None:
    all_different(locations, lambda location, count: f"L{location} has {count} invariants")


def one_line(said: object) -> str:
    """What a certificate says, fit for a message: short and on one line."""
    text = ", ".join(said) if isinstance(said, tuple) else f"{said}"
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return (text if len(text) <= 120 else text[:119] + "…") or "none"
