"""S-expressions, as far as replies of SMT-LIB processes need them: where one ends, and what its parts are."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(r'"(?:[^"]|"")*"|\|[^|]*\||[()]|;[^\n]*|[^\s()"|;]+')

Sexpr = str | list["Sexpr"]


def parse(text: str) -> Sexpr:
    """The first s-expression in a text: an atom, or a list."""
    stack: list[list[Sexpr]] = [[]]
    for token in _tokens(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            if not stack:
                raise ValueError("unbalanced parenthesis")
            stack[-1].append(done)
        else:
            stack[-1].append(token)
        if len(stack) == 1 and stack[0]:
            return stack[0][0]
    raise ValueError("incomplete s-expression")


def _tokens(text: str) -> Iterator[str]:
    return (m.group() for m in _TOKEN.finditer(text) if not m.group().startswith(";"))


def write(expression: Sexpr) -> str:
    """Back to text, without recursion: terms can be deep."""
    parts: list[str] = []
    stack: list[Sexpr] = [expression]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
        else:
            parts.append("(")
            stack.append(")")
            stack.extend(reversed(item))
    return " ".join(parts)


class Balance:
    """Follows a stream and tells where the first s-expression ends: a list at its last parenthesis, an atom at the
    line's end.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._started = False
        self._quote = ""

    def end(self, chunk: str) -> int | None:
        """How much of the chunk belongs to the s-expression, if it ends there."""
        for position, character in enumerate(chunk):
            if self._quote:
                if character == self._quote:
                    self._quote = ""
            elif character in '"|':
                self._quote, self._started = character, True
            elif character == "(":
                self._depth, self._started = self._depth + 1, True
            elif character == ")":
                self._depth -= 1
                if self._depth <= 0:
                    return position + 1
            elif character == "\n":
                if self._started and self._depth == 0:
                    return position + 1
            elif not character.isspace():
                self._started = True
        return None
