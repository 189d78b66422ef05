"""Program texts as witnesses see them: positions, tokens, and where the parts of a loop stand.

Only as much C as is needed to find a position; what an expression means, the front end says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from craton.errors import CratonError

_TOKEN = re.compile(
    r"(?P<blank>\s+|//(?:[^\n\\]|\\.)*|/\*.*?\*/)"
    r"|(?P<number>\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.])*)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r'|(?P<text>"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*')"
    r"|(?P<operator>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|.)",
    re.DOTALL,
)
LOOPS = ("while", "for", "do")
_STATEMENTS = frozenset((*LOOPS, *"if switch return goto break continue else case default asm __asm__".split()))
_DECLARING = frozenset(
    "char short int long float double signed unsigned void _Bool struct union enum const volatile static extern"
    " register auto typedef inline __extension__ __attribute__ __typeof__ typeof _Complex __int128".split()
)
_NO_STATEMENT_STARTS = frozenset((*LOOPS, "case", "default", "else"))


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    offset: int


def tokens(text: str, offset: int = 0) -> Iterator[Token]:
    """What is not blank, from an offset on."""
    for match in _TOKEN.finditer(text, offset):
        kind = match.lastgroup
        if kind is not None and kind != "blank":
            yield Token(kind, match.group(), match.start())


class Source:
    """The text of one file. Columns count bytes, as compilers do: texts are read so that a byte is a character."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = path.read_bytes().decode("latin-1")
        except OSError as problem:
            raise CratonError(f"cannot read {path}: {problem.strerror}") from None

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def offset(self, line: int, column: int) -> int | None:
        """None if there is no such position."""
        if not 1 <= line <= len(self._lines):
            return None
        found = self._lines[line - 1] + column - 1
        end = self._lines[line] if line < len(self._lines) else len(self.text)
        return found if column >= 1 and found < end else None

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column."""
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - self._lines[line - 1] + 1

    def word_at(self, offset: int) -> str:
        match = re.compile(r"[A-Za-z_]\w*").match(self.text, offset)
        return match.group() if match else ""

    def declares(self, offset: int) -> bool:
        """Whether what begins here looks like a declaration: with a word of one, or with the names of a type and of
        what is declared.
        """
        first, second, third = (*islice(tokens(self.text, offset), 3), None, None, None)[:3]
        if first is None or second is None or first.kind != "word" or first.text in _STATEMENTS:
            return False
        if first.text in _DECLARING or second.kind == "word":
            return True
        return second.text == "*" and third is not None and third.kind == "word"

    # --- loops --------------------------------------------------------------------------------------------------------

    def keyword_of(self, branching: int, condition: int) -> int | None:
        """The keyword that decides a branching statement: its first, but for `do … while (c)`, where it is the `while`
        before the condition. None in macros.
        """
        if self.word_at(branching) in ("if", "while", "for"):
            return branching
        if self.word_at(branching) != "do":
            return None
        for match in re.finditer(r"\bwhile\b", self.text[branching:condition]):
            between = [token.text for token in tokens(self.text[:condition], branching + match.end())]
            if between and all(text == "(" for text in between):
                return branching + match.start()
        return None

    def body_of(self, keyword: int) -> int | None:
        """Where the first statement of a loop's body begins; None if that is no plain statement."""
        word = self.word_at(keyword)
        start = keyword + len(word)
        if word in ("while", "for"):
            header = self.header_of(keyword)
            if header is None:
                return None
            start = header[1] + 1
        elif word != "do":
            return None
        following = tokens(self.text, start)
        for token in following:
            if token.text == "{":
                continue
            after = next(following, None)
            label = after is not None and after.text == ":"
            fine = token.kind == "word" and token.text not in _NO_STATEMENT_STARTS and not label
            return token.offset if fine else None
        return None

    def header_of(self, keyword: int) -> tuple[int, int] | None:
        """The parentheses behind a keyword: offsets of the first and of the one that closes it."""
        depth, first = 0, -1
        for token in tokens(self.text, keyword + len(self.word_at(keyword))):
            if token.text == "(":
                first = token.offset if depth == 0 else first
                depth += 1
            elif depth == 0:
                return None
            elif token.text == ")":
                depth -= 1
                if depth == 0:
                    return first, token.offset
            elif token.text in ("{", "}", "#"):
                return None
        return None

    def for_parts(self, keyword: int) -> tuple[int, int] | None:
        """The two semicolons of a `for`."""
        header = self.header_of(keyword)
        if header is None:
            return None
        depth = 0
        found: list[int] = []
        for token in tokens(self.text[: header[1]], header[0] + 1):
            depth += (token.text == "(") - (token.text == ")")
            if token.text == ";" and depth == 0:
                found.append(token.offset)
        return (found[0], found[1]) if len(found) == 2 else None
