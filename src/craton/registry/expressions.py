"""Expressions of the command line: names applied to arguments, words, and `key=word` pairs.

    until-perfect(newton(it, sp), craig(bitwuzla, time=2))
    lattice(newton(it, sp), templates=(x - y, i <= n))

What stands in parentheses behind `=` is one word, whose meaning is the option's business. Errors report the position
and the closest valid words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from craton.errors import CratonError

T = TypeVar("T")


class ExpressionError(CratonError):
    """An expression that cannot be understood, and where."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        super().__init__(f"{problem}\n  {text}\n  {' ' * position}^")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a `key=word` pair, or an application of a name to arguments."""

    name: str
    position: int
    value: Word | None = None
    arguments: tuple[Word, ...] | None = None


# --- reading ----------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*|[0-9][0-9.]*|[(),=])")
_PUNCTUATION = frozenset(["", "(", ")", ",", "="])


def parse(text: str) -> Word:
    parser = _Parser(text)
    word = parser.expression()
    parser.end()
    return word


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, int]] = []
        position = 0
        while position < len(text.rstrip()):
            at = position + len(text[position:]) - len(text[position:].lstrip())
            if text[at] == "(" and self.tokens and self.tokens[-1][0] == "=":
                position = self._closing(at) + 1
                self.tokens.append((text[at:position], at))
                continue
            match = _TOKEN.match(text, position)
            if match is None:
                raise ExpressionError(text, at, f"unexpected {text[at]!r} in an expression")
            self.tokens.append((match.group(1), match.start(1)))
            position = match.end()
        self.at = 0

    def _closing(self, opening: int) -> int:
        """Where the parenthesis is closed that is opened here."""
        depth = 0
        for position in range(opening, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[position], 0)
            if depth == 0:
                return position
        raise ExpressionError(self.text, opening, "this parenthesis is never closed")

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def position(self) -> int:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.text)

    def fail(self, expected: str) -> ExpressionError:
        found = repr(self.peek()) if self.peek() else "the end"
        return ExpressionError(self.text, self.position(), f"expected {expected}, found {found}")

    def expression(self) -> Word:
        name, position = self.peek(), self.position()
        if name in _PUNCTUATION:
            raise self.fail("a name")
        self.at += 1
        if self.peek() == "=":
            self.at += 1
            return Word(name, position, value=self.expression())
        if self.peek() != "(":
            return Word(name, position)
        self.at += 1
        arguments: list[Word] = []
        while self.peek() != ")":
            if arguments:
                if self.peek() != ",":
                    raise self.fail("',' or ')'")
                self.at += 1
            arguments.append(self.expression())
        self.at += 1
        return Word(name, position, arguments=tuple(arguments))

    def end(self) -> None:
        if self.peek():
            raise self.fail("the end of the expression")


# --- meaning ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Meaning:
    """Helpers for interpreting the words of an expression and reporting mistakes in them."""

    text: str

    def choose(self, word: Word, choices: Mapping[str, T], what: str) -> T:
        if word.name not in choices:
            raise self.unknown(word, what, list(choices))
        self.plain(word)
        return choices[word.name]

    def plain(self, word: Word) -> None:
        if word.arguments is not None or word.value is not None:
            raise ExpressionError(self.text, word.position, f"{word.name} takes neither arguments nor a value")

    def once(self, words: Sequence[Word], meaning_of: Callable[[Word], str]) -> None:
        """Raises if two of the words are about the same setting."""
        said: dict[str, Word] = {}
        for word in words:
            first = said.setdefault(meaning_of(word), word)
            if first is not word:
                raise ExpressionError(self.text, word.position, f"{word.name} contradicts or repeats {first.name}")

    def unknown(self, word: Word, what: str, known: Sequence[str]) -> ExpressionError:
        from difflib import get_close_matches

        close = get_close_matches(word.name, known, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
        return ExpressionError(self.text, word.position, f"unknown {what} {word.name!r}; {hint}")

    def number(self, word: Word) -> int:
        self.plain(word)
        if not word.name.isdecimal():
            raise ExpressionError(self.text, word.position, f"expected a whole number, found {word.name!r}")
        return int(word.name)

    def seconds(self, word: Word, zero: bool = False) -> float:
        self.plain(word)
        try:
            seconds = float(word.name)
        except ValueError:
            seconds = -1.0
        if not (0 < seconds < float("inf") or (zero and seconds == 0)):
            raise ExpressionError(self.text, word.position, f"expected seconds, found {word.name!r}")
        return seconds
