"""S-expressions, as far as needed for the replies of SMT-LIB processes."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Strings, quoted symbols, parentheses, comments, atoms; the last group matches what is not a token.
_TOKEN = re.compile(r'("(?:[^"]|"")*"|\|[^|]*\||[()]|;[^\n]*|[^\s()"|;]+)|(\S)')

Sexpr = str | list["Sexpr"]


def parse(text: str) -> Sexpr:
    """The first s-expression in a text: an atom or a list. Raises ValueError if there is none."""
    stack: list[list[Sexpr]] = [[]]
    for token in _tokens(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            if not stack:
                raise ValueError("a parenthesis closes nothing")
            stack[-1].append(done)
        else:
            stack[-1].append(token)
        if len(stack) == 1 and stack[0]:
            return stack[0][0]
    raise ValueError("the s-expression is incomplete")


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        token = match[1]
        if token is None:
            raise ValueError(f"{match[2]} opens something that is never closed")
        if not token.startswith(";"):
            yield token


def write(expression: Sexpr) -> str:
    """Converts back to text, without recursion: terms can be deep."""
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


def unquoted(symbol: str) -> str:
    """A symbol without its bars: |a b| and a b are the same."""
    return symbol[1:-1] if len(symbol) > 1 and symbol[0] == symbol[-1] == "|" else symbol
