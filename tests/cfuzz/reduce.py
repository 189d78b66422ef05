"""Shrink a program that shows a difference, by taking away blocks and lines (after Zeller's delta debugging).

`reduced(source, interesting)` keeps `interesting` true; conjoin it with `well_defined`, lest the smaller program show
nothing but undefined behaviour that the taking away has introduced.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cfuzz.oracle import SANITIZED, Checksum, CompileError, Model, Value, compiled, execute

# The sanitizers do not see what taking away lines may introduce: uninitialised reads, missing prototypes and returns.
STRICT = (
    *(option for option in SANITIZED if option not in ("-w", "-O0")),
    "-O1",
    *(f"-Werror={kind}" for kind in ("uninitialized", "maybe-uninitialized", "implicit", "return-type")),
)


def reduced(source: str, interesting: Callable[[str], bool]) -> str:
    """A smaller program that is still interesting; one from which no block and no line can go alone."""
    lines = source.split("\n")
    shrunk = True
    while shrunk:
        shrunk = False
        for start, end in candidates(lines):
            smaller = lines[:start] + lines[end:]
            if interesting("\n".join(smaller)):
                lines = smaller
                shrunk = True
                break
    return "\n".join(lines)


def candidates(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Spans to take away, the largest first: whole blocks, then runs of lines of halving length."""
    yield from sorted(blocks(lines), key=lambda span: span[0] - span[1])
    length = len(lines) // 4
    while length >= 1:
        for start in range(0, len(lines), length):
            yield start, min(start + length, len(lines))
        length //= 2


def blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each span from a line that opens a brace to the line that closes it."""
    open_at = []
    for at, line in enumerate(lines):
        depth = line.count("{") - line.count("}")
        if depth > 0:
            open_at += [at] * depth
        for _ in range(-depth):
            if open_at:
                yield open_at.pop(), at + 1


def well_defined(source: str, values: Sequence[Value], model: Model = Model.LP64) -> bool:
    """Whether the program compiles, and the sanitizers find nothing on these inputs."""
    with tempfile.TemporaryDirectory(prefix="cfuzz") as folder:
        try:
            binary = compiled(source, model, Path(folder) / "program", options=STRICT)
        except CompileError:
            return False
        return isinstance(execute(binary, values), Checksum)
