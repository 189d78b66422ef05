"""An SMT-LIB script as commands, each with its text and its line. Terms are not looked into: z3's parser reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from craton.horn.errors import BadScript

# Strings, quoted symbols, comments, parentheses, atoms; the last group matches what is not a token.
_TOKEN = re.compile(r'("(?:[^"]|"")*"|\|[^|]*\||;[^\n]*|[()]|[^\s()"|;]+)|(\S)')


@dataclass(frozen=True, slots=True)
class Command:
    """`(name rest…)`. `parts` are the texts of what follows the name: symbols and parenthesised expressions."""

    name: str
    parts: tuple[str, ...]
    line: int


def commands(text: str, file: str) -> Iterator[Command]:
    """The commands of a script, in order."""
    depth, start, begin = 0, 0, 0
    parts: list[str] = []
    line, counted = 1, 0
    for found in _TOKEN.finditer(text):
        token = found[1]
        if token is None:
            raise BadScript(f"{file}:{_line(text, found.start())}: {found[2]} opens something that is never closed")
        if token[0] == ";":
            continue
        if token == "(":
            depth += 1
            if depth == 1:
                begin, parts = found.start(), []
            elif depth == 2:
                start = found.start()
        elif token == ")":
            depth -= 1
            if depth < 0:
                raise BadScript(f"{file}:{_line(text, found.start())}: a parenthesis closes nothing")
            if depth == 1:
                parts.append(text[start : found.end()])
            elif depth == 0:
                line, counted = line + text.count("\n", counted, begin), begin
                yield Command(parts[0] if parts else "", tuple(parts[1:]), line)
        elif depth == 1:
            parts.append(token)
        elif depth == 0:
            raise BadScript(f"{file}:{_line(text, found.start())}: {token} is outside of a command")
    if depth:
        raise BadScript(f"{file}:{_line(text, begin)}: a command is never closed")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def listed(text: str) -> tuple[str, ...]:
    """The elements of a parenthesised list: `((x Int) (y Int))` has two."""
    (command,) = commands(text, "")
    return (command.name, *command.parts) if command.name else ()
