"""Inline assembly. libclang's tree has the operands' expressions and nothing else; clang's own print of the function
has the rest, with all macros expanded. The n-th asm statement of the tree is the n-th of the print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from craton.frontends.c.clang.bindings import Raw, lib, printed, text
from craton.frontends.c.syntax.nodes import Assembly, Operand

_ASM_STATEMENT, _LABEL = 215, 201
# clang prints `asm (…)` for statements and `asm("…")` for the names of symbols.
_STATEMENT = re.compile(r"asm ((?:volatile |goto |inline )*)\(")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|[^\s\w]', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_OPERAND = re.compile(r'(?:\[\s*(\w+)\s*\]\s*)?"((?:\\.|[^"\\])*)"')


class AssemblyReader:
    """The asm statements of one function."""

    def __init__(self, function: Raw) -> None:
        self._function = function
        self._found: dict[int | None, Assembly] | None = None

    def assembly(self, raw: Raw) -> Assembly | None:
        """What a statement says; None if the print does not show it."""
        if self._found is None:
            self._found = self._read()
        return self._found.get(raw.cursor.b)

    def _read(self) -> dict[int | None, Assembly]:
        statements = list(_statements_of(self._function, _ASM_STATEMENT))
        texts = list(_printed(printed(self._function.cursor)))
        labels = [text(lib().clang_getCursorSpelling(raw.cursor)) for raw in _statements_of(self._function, _LABEL)]
        # Local labels may share a name, and prints do not tell which is meant.
        if len(statements) != len(texts) or any(labels.count(name) != 1 for each in texts for name in each.labels):
            return {}
        return {raw.cursor.b: each for raw, each in zip(statements, texts, strict=True)}


def _statements_of(root: Raw, kind: int) -> Iterator[Raw]:
    """In textual order."""
    stack = [root]
    while stack:
        raw = stack.pop()
        if raw.kind == kind:
            yield raw
        stack.extend(reversed(raw.children))


def _printed(function: str) -> Iterator[Assembly]:
    position = 0
    for token in _TOKEN.finditer(function):
        if token.start() < position or token.group() != "asm":
            continue
        statement = _STATEMENT.match(function, token.start())
        if statement is not None:
            sections, position = _sections(function, statement.end())
            yield _assembly(sections)


def _sections(function: str, begin: int) -> tuple[list[list[str]], int]:
    """What stands between the colons of a statement, split at commas; and where the statement ends."""
    sections: list[list[str]] = [[""]]
    depth = 0
    last = begin
    for token in _TOKEN.finditer(function, begin):
        word = token.group()
        gap, last = function[last : token.start()], token.end()
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth -= 1
            if depth < 0:
                return sections, token.end()
        if depth == 0 and word == ":":
            sections.append([""])
        elif depth == 0 and word == ",":
            sections[-1].append("")
        else:
            sections[-1][-1] += gap + word
    return sections, len(function)


def _assembly(sections: list[list[str]]) -> Assembly:
    template, outputs, inputs, clobbers, labels = [*sections, *([[""]] * 5)][:5]
    return Assembly(
        _unescaped("".join(template).strip()[1:-1]),
        tuple(_operands(outputs)),
        tuple(_operands(inputs)),
        tuple(clobber.strip()[1:-1] for clobber in clobbers if clobber.strip()),
        tuple(label.strip() for label in labels if label.strip()),
    )


def _operands(texts: list[str]) -> Iterator[Operand]:
    for each in texts:
        found = _OPERAND.match(each.strip())
        if found is not None:
            yield Operand(found.group(2), found.group(1) or "")


def _unescaped(text: str) -> str:
    """What the assembler is given: where its lines end is what decides how far comments go."""

    def meant(escape: re.Match[str]) -> str:
        octal, hexadecimal, letter = escape.groups()
        if letter is not None:
            return _ESCAPED.get(letter, letter)
        return chr(int(octal, 8) if octal else int(hexadecimal, 16))

    return _ESCAPE.sub(meant, text)
