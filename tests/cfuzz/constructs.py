"""The pieces of `constructs.txt`: constructs of C and calls of its library that need no generator of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cfuzz.context import Context
from cfuzz.expressions import integer
from cfuzz.statements import pattern

_HOLES = re.compile(r"\$(\w+)|<(?:int|(\d+)\.\.(\d+))>")


@dataclass(frozen=True, slots=True)
class Piece:
    """`above` stands before the function, `inside` in a block of it."""

    name: str
    above: tuple[str, ...]
    inside: tuple[str, ...]


@cache
def pieces() -> tuple[Piece, ...]:
    text = (Path(__file__).parent / "constructs.txt").read_text()
    found = []
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, rest = part.split("\n", 1)
        above, inside = re.split(r"^--\n", rest, maxsplit=1, flags=re.MULTILINE)
        found.append(Piece(name, tuple(above.split("\n")[:-1]), tuple(filter(None, inside.split("\n")))))
    return tuple(found)


@pattern(16, "constructs")
def construct(c: Context, depth: int) -> bool:
    if not c.affords(150):
        return False
    c.spend(100)
    place(c, c.pick(pieces()))
    return True


def place(c: Context, piece: Piece) -> None:
    names: dict[str, str] = {}

    def filled(hole: re.Match[str]) -> str:
        name, low, high = hole.groups()
        if name:
            if name not in names:
                names[name] = c.fresh(name)
            return names[name]
        if low:
            return str(c.number(int(low), int(high)))
        with c.quiet():
            return f"(int)({integer(c, 1)})"

    c.top += [_HOLES.sub(filled, line) for line in piece.above]
    with c.block():
        for line in piece.inside:
            c.emit(_HOLES.sub(filled, line))
