"""The values of literals, from the texts in which clang prints them: escapes are normalised, macros are gone."""

from __future__ import annotations

import re
from fractions import Fraction

_STRING = re.compile(r'(u8|[LuU])?("(?:\\.|[^"\\])*")+', re.DOTALL)
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
_PIECE = re.compile(
    r'""|\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([^\\"])', re.DOTALL
)


def string_units(spelling: str, size: int) -> list[int] | None:
    """The characters of a string literal as clang spells it, each of `size` bytes, without the final zero; None for a
    spelling that is not understood.

    Pieces are joined; `""` stands between an escape and a digit that is no part of it. What is not ASCII clang spells
    by escapes: of bytes in narrow strings, of values in wide ones, of code points in UTF strings.
    """
    match = _STRING.fullmatch(spelling)
    if match is None or not spelling.isascii():
        return None
    body = spelling[len(match.group(1) or "") + 1 : -1]
    units: list[int] = []
    end = 0
    for piece in _PIECE.finditer(body):
        if piece.start() != end:
            return None
        end = piece.end()
        units.extend(_units(piece, size))
    return units if end == len(body) and all(0 <= unit < 1 << 8 * size for unit in units) else None


def _units(piece: re.Match[str], size: int) -> list[int]:
    octal, hexadecimal, short, long, escape, plain = piece.groups()
    if octal:
        return [int(octal, 8)]
    if hexadecimal:
        return [int(hexadecimal, 16)]
    if short or long:
        return _encoded(int(short or long, 16), size)
    if escape:
        return [_ESCAPES.get(escape, ord(escape))]
    return [ord(plain)] if plain else []


def _encoded(point: int, size: int) -> list[int]:
    """A code point in UTF-8, UTF-16 or UTF-32."""
    if size == 1:
        return list(chr(point).encode("utf-8", "surrogatepass"))
    if size == 2 and point > 0xFFFF:
        rest = point - 0x10000
        return [0xD800 | rest >> 10, 0xDC00 | rest & 0x3FF]
    return [point]


def exact(digits: str) -> Fraction | None:
    """A floating constant without its suffix, exactly."""
    try:
        return Fraction(digits)
    except ValueError:
        return None
