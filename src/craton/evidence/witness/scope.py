"""C expressions as terms: parsed by the front end, in the scope of a place of the program.

The program is read once more with calls of marker functions spliced in, `if (marker(expression)) ; else` before a
statement, so that types, scopes, promotions and casts are the front end's own. The arguments of those calls are the
expressions' meaning. Nothing else of that second program is used.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from craton.errors import CratonError
from craton.evidence.witness.source import Source, tokens
from craton.frontends.c import load_c
from craton.frontends.programs import CSource
from craton.logic import BitVec, Term, bv, eq, free_variables, not_
from craton.program.cfa import Program
from craton.program.statements import Call

MOST_LOADS = 20  # of the program
MOST_CHARACTERS = 200_000  # of an expression
_MARKER = "__craton_marker_"
_WORDS = frozenset(
    "unsigned signed char short int long float double _Bool struct union enum const volatile sizeof".split()
)
_FORBIDDEN = frozenset(("=", "++", "--", ";", "{", "}", "#", "\\", "@", "`", "$", "...", ","))
_CHANGING = frozenset(("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))


@dataclass(frozen=True, slots=True)
class Snippet:
    """An expression before the statement, or in the loop, that begins at an offset of a file.

    With `inside`, what a `for` declares is in scope too, although it is not at the keyword. With `at_head`, the place
    must be where some loop comes back to, as it may not be if macros are around.
    """

    file: Path
    offset: int
    text: str
    inside: bool = False
    at_head: bool = False


@dataclass(frozen=True, slots=True)
class NotInScope:
    """Why an expression means nothing at its place."""

    reason: str


def terms_in_scope(snippets: Sequence[Snippet], source: CSource, program: Program) -> list[Term | NotInScope]:
    """For each snippet, a formula over the program's variables that holds where the expression is not zero."""
    found: dict[int, Term | NotInScope] = {}
    for number, snippet in enumerate(snippets):
        reason = refused(snippet.text)
        if reason is not None:
            found[number] = NotInScope(reason)
    texts = {path: Source(path) for path in source.files}
    loads = _Loads(source, texts)
    for form in (_before, _in_header):
        waiting = [
            (number, snippet)
            for number, snippet in enumerate(snippets)
            if not isinstance(found.get(number), Term) and refused(snippet.text) is None
        ]
        placed = {
            number: splice
            for number, snippet in waiting
            if (splice := form(snippet, texts.get(snippet.file), number)) is not None
        }
        for number, (meaning, at_head) in loads.meanings(placed).items():
            if snippets[number].at_head and not at_head:
                meaning = NotInScope("no loop comes back to its place")
            known = found.get(number)
            if isinstance(meaning, Term) or known is None:
                found[number] = meaning
    known_variables = _variables(program)
    return [_over(known_variables, found.get(i, NotInScope("nothing can stand there"))) for i in range(len(snippets))]


def refused(text: str) -> str | None:
    """Why a text is not even tried: what has effects or could leave its parentheses is no expression of a witness."""
    if len(text) > MOST_CHARACTERS:
        return "it is too long"
    depth = 0
    last = ""
    for token in tokens(text):
        if token.text in _FORBIDDEN or token.text in _CHANGING or token.kind == "text":
            return f"`{token.text[:20]}` is not allowed in it"
        if token.text == "(":
            if last and last not in _WORDS and (last[0].isalpha() or last[0] == "_"):
                return f"it calls {last}"
            depth += 1
        elif token.text == ")":
            depth -= 1
            if depth < 0:
                break
        last = token.text
    if depth != 0:
        return "its parentheses do not match"
    return None if last else "it is empty"


def _variables(program: Program) -> frozenset[Term]:
    """What the text of the program speaks of."""
    return frozenset(program.globals) | frozenset(program.symbols)


def _over(known: frozenset[Term], meaning: Term | NotInScope) -> Term | NotInScope:
    if isinstance(meaning, Term):
        strange = sorted(v.name for v in free_variables(meaning) if v not in known)
        if strange:
            return NotInScope(f"it needs {strange[0]}, which the program does not have")
    return meaning


# --- splicing ---------------------------------------------------------------------------------------------------------


_Meaning = tuple[Term | NotInScope, bool]


@dataclass(frozen=True, slots=True)
class _Splice:
    file: Path
    offset: int
    text: str


def _call(number: int, text: str) -> str:
    return f"{_MARKER}{number}(!!({text}))"


def _before(snippet: Snippet, source: Source | None, number: int) -> _Splice | None:
    """Before a statement as one statement with it. A declaration cannot be the branch of an `if`, but then it stands
    among statements anyway.
    """
    if source is None:
        return None
    call = _call(number, snippet.text)
    declares = source.declares(snippet.offset)
    return _Splice(snippet.file, snippet.offset, f"{call}; " if declares else f"if ({call}) ; else ")


def _in_header(snippet: Snippet, source: Source | None, number: int) -> _Splice | None:
    """Into the condition of a `for`, which sees what the `for` declares."""
    if source is None or not snippet.inside or source.word_at(snippet.offset) != "for":
        return None
    parts = source.for_parts(snippet.offset)
    if parts is None:
        return None
    empty = not source.text[parts[0] + 1 : parts[1]].strip()
    return _Splice(snippet.file, parts[0] + 1, f" {_call(number, snippet.text)}, " + ("1" if empty else ""))


@dataclass(frozen=True, slots=True)
class _Copy:
    """A file with splices: its path and text, and from where to where each splice stands in it."""

    path: Path
    text: str
    spans: Mapping[int, tuple[int, int]]

    def culprit(self, line: int, column: int) -> int | None:
        """The splice at a position, or just before it."""
        start = 0
        for _ in range(line - 1):
            start = self.text.find("\n", start) + 1
        offset = start + column - 1
        return next((number for number, (low, high) in self.spans.items() if low <= offset <= high), None)


class _Loads:
    """Loads the program with splices in it, and without those that clang complains about."""

    def __init__(self, source: CSource, texts: Mapping[Path, Source]) -> None:
        self.source = source
        self.texts = texts
        self.count = 0

    def meanings(self, splices: Mapping[int, _Splice]) -> dict[int, _Meaning]:
        """With whether the place is the head of a loop."""
        if not splices:
            return {}
        if self.count >= MOST_LOADS:
            return dict.fromkeys(splices, (NotInScope("too many others do not parse"), False))
        self.count += 1
        folder = Path(tempfile.mkdtemp(prefix="craton-"))
        try:
            copies = [self._copy(folder / str(i), path, splices) for i, path in enumerate(self.source.files)]
            return _arguments(self._loaded(copies), splices)
        except CratonError as problem:
            refused = _blamed(str(problem), copies)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        found: dict[int, _Meaning] = {number: (NotInScope(reason), False) for number, reason in refused.items()}
        rest = {number: splice for number, splice in splices.items() if number not in refused}
        if refused:
            return found | self.meanings(rest)
        if len(splices) == 1:
            return dict.fromkeys(splices, (NotInScope("it does not parse"), False))
        numbers = list(splices)  # nobody is to blame, so halves are tried
        halves = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
        for half in halves:
            found |= self.meanings({number: splices[number] for number in half})
        return found

    def _loaded(self, copies: Sequence[_Copy]) -> Program:
        folders = tuple(dict.fromkeys(str(path.parent.resolve()) for path in self.source.files))
        options = replace(self.source.options, include=(*self.source.options.include, *folders))
        return load_c([copy.path for copy in copies], self.source.specification, options)

    def _copy(self, folder: Path, path: Path, splices: Mapping[int, _Splice]) -> _Copy:
        """In a folder of its own, so that it keeps its name."""
        original = self.texts[path].text
        ours = sorted((splice.offset, number) for number, splice in splices.items() if splice.file == path)
        text = "".join(f"static int {_MARKER}{number}(int value) {{ return value; }}\n" for _, number in ours)
        spans: dict[int, tuple[int, int]] = {}
        copied = 0
        for offset, number in ours:
            text += original[copied:offset]
            spans[number] = len(text), len(text) + len(splices[number].text)
            text += splices[number].text
            copied = offset
        text += original[copied:]
        folder.mkdir()
        copy = folder / path.name
        copy.write_bytes(text.encode("latin-1"))
        return _Copy(copy, text, spans)


_ERROR = re.compile(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)")


def _blamed(messages: str, copies: Sequence[_Copy]) -> dict[int, str]:
    """The splices at which clang found errors, with its first words about each."""
    known = {str(copy.path): copy for copy in copies}
    found: dict[int, str] = {}
    for match in map(_ERROR.match, messages.splitlines()):
        if match is not None and match["path"] in known:
            culprit = known[match["path"]].culprit(int(match["line"]), int(match["column"]))
            if culprit is not None:
                found.setdefault(culprit, match["message"])
    return found


def _arguments(program: Program, numbers: Iterable[int]) -> dict[int, _Meaning]:
    """What the markers are called with."""
    found: dict[int, _Meaning] = dict.fromkeys(numbers, (NotInScope("its place is not reachable"), False))
    for edge in program.edges():
        statement = edge.statement
        if isinstance(statement, Call):
            _, marker, number = statement.procedure.rpartition(_MARKER)
            if marker and number.isdecimal() and int(number) in found:
                (argument,) = statement.arguments
                assert isinstance(argument.sort, BitVec)
                meaning = not_(eq(argument, bv(0, argument.sort.width)))
                found[int(number)] = meaning, edge.source in program.loop_heads
    return found
