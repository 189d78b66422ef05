"""Formats of scanf: what each conversion writes, and how many bytes of it."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace

from craton.frontends.c.syntax.types import CType, Floating, Integer, Pointer

_CONVERSION = re.compile(
    r"%%|%(?P<dropped>\*?)(?P<width>\d*)(?P<length>hh|h|ll|l|j|z|t|L|q|)(?P<kind>[diouxXnaAeEfFgGpcs]|\[\^?\]?[^\]]*\])"
)
_BYTES = {"": 4, "hh": 1, "h": 2, "ll": 8, "j": 8, "q": 8, "L": 8}
_FLOATING = "aAeEfFgG"


class Written(enum.Enum):
    """What a conversion writes behind its pointer."""

    INTEGER = "an integer of so many bytes"
    FLOATING = "a floating-point number of so many bytes"
    CHARACTERS = "so many bytes"
    TEXT = "so many bytes at most and a zero; any number if there is no bound"
    COUNT = "how much was read, an integer of so many bytes: whether or not more is found"


@dataclass(frozen=True, slots=True)
class Conversion:
    written: Written
    size: int | None
    source: str = ""  # what is read for it, as an input's name: the text before it, and itself; "" for texts and counts


def conversions(template: str, pointer_size: int) -> tuple[Conversion, ...] | None:
    """Those of a format that have an argument; None if there is one that nobody understands."""
    found = []
    position, before = 0, ""
    for match in _CONVERSION.finditer(template):
        literal = template[position : match.start()]
        if "%" in literal:
            return None
        position = match.end()
        before += literal + ("%" if match.group() == "%%" else "")
        if match.group() == "%%" or match["dropped"]:
            continue
        conversion = _conversion(match["kind"], match["length"], match["width"], pointer_size)
        if conversion is None:
            return None
        if conversion.written not in (Written.TEXT, Written.COUNT):
            converted = "".join(filter(None, match.group("width", "length", "kind")))
            conversion = replace(conversion, source=f"scanf({before}%{converted})")
        found.append(conversion)
        before = ""
    return None if "%" in template[position:] else tuple(found)


def _conversion(kind: str, length: str, width: str, pointer_size: int) -> Conversion | None:
    if kind in _FLOATING:
        sizes = {"": 4, "l": 8, "L": 16 if pointer_size == 8 else 12}
        return Conversion(Written.FLOATING, sizes[length]) if length in sizes else None
    if kind == "p":
        return Conversion(Written.INTEGER, pointer_size) if not length else None
    if kind in "diouxXn":
        size = _BYTES.get(length, pointer_size)
        return Conversion(Written.COUNT if kind == "n" else Written.INTEGER, size)
    if length:  # wide characters
        return None
    if kind == "c":
        return Conversion(Written.CHARACTERS, int(width or 1))
    return Conversion(Written.TEXT, int(width) if width else None)


def is_written_as(conversion: Conversion, t: CType) -> bool:
    """Whether an object of that type is what the conversion writes."""
    match conversion.written:
        case Written.FLOATING:
            return isinstance(t, Floating) and t.size == conversion.size
        case Written.TEXT:
            return False
        case _:
            return isinstance(t, Integer | Pointer) and t.size == conversion.size
