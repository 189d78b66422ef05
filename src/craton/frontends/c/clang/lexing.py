"""A look at the source text where libclang's tree is silent: which parts of a `for` are missing, how many outputs an
`asm` has. Knows just enough of C's tokens to skip comments, strings and nested brackets.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[()\[\]{};:,]', re.DOTALL)
_OPEN, _CLOSE = b"([{", b")]}"


def top_level(text: bytes, start: int, wanted: bytes) -> tuple[list[tuple[int, int]], int]:
    """After the first `(` at or behind `start`: the (offset, character) of wanted characters directly inside that
    bracket, and the offset of the closing one (-1 if there is none).
    """
    depth = 0
    found: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text, start):
        token = match.group()
        if len(token) != 1:
            continue
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
            if depth == 0:
                return found, match.start()
        elif depth == 1 and token in wanted:
            found.append((match.start(), token[0]))
    return found, -1


def asm_outputs(text: bytes, start: int) -> int:
    """How many output operands the `asm (...)` at `start` has."""
    marks, close = top_level(text, start, b":,")
    colons = [offset for offset, character in marks if character == ord(":")]
    if not colons:
        return 0
    end = colons[1] if len(colons) > 1 else close
    if not text[colons[0] + 1 : end].strip():
        return 0
    return 1 + sum(1 for offset, character in marks if character == ord(",") and colons[0] < offset < end)


_ESCAPES = {b"n": 10, b"t": 9, b"r": 13, b"a": 7, b"b": 8, b"f": 12, b"v": 11, b"e": 27}
_PIECE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([^\\])", re.DOTALL)


def string_units(spelling: bytes) -> list[int]:
    """The characters of a string literal as clang spells it (quotes and prefix included, escapes normalised)."""
    begin = spelling.index(b'"')
    wide = spelling[:begin] in (b"L", b"u", b"U")
    body = spelling[begin + 1 : -1]
    if wide:
        body = body.decode("utf-8", "replace").encode("ascii", "backslashreplace")
    units: list[int] = []
    for octal, hexadecimal, short, long, escape, plain in _PIECE.findall(body):
        if octal:
            units.append(int(octal, 8))
        elif hexadecimal or short or long:
            units.append(int(hexadecimal or short or long, 16))
        elif escape:
            units.append(_ESCAPES.get(escape, escape[0]))
        else:
            units.append(plain[0])
    return units
