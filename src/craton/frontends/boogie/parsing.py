"""Boogie text to abstract syntax. The tables of the LALR parser are made once per process."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

from craton.errors import CratonError
from craton.frontends.boogie import syntax
from craton.frontends.boogie.errors import BoogieSyntaxError
from craton.frontends.boogie.reading import read
from craton.program.origin import SourceRange

_KINDS = {
    "IDENT": "a name",
    "NAT": "a number",
    "DECIMAL": "a number",
    "BITS": "a number",
    "STRING": "a string",
    "ADDITIVE": "an operator",
    "STAR": "an operator",
    "SLASH": "an operator",
    "PERCENT": "an operator",
    "DIV": "an operator",
    "MOD": "an operator",
    "POWER": "an operator",
    "CONCAT": "an operator",
    "COMPARE": "an operator",
    "PARTIAL_ORDER": "an operator",
    "_BECOMES": "':='",
    "_BAR": "'::'",
    "_OPEN": "'{:'",
    "AND": "an operator",
    "OR": "an operator",
    "IMPLIES": "an operator",
    "EXPLIES": "an operator",
    "IFF": "an operator",
    "$END": "the end of the file",
}
_STARTS_EXPRESSION = {"IDENT", "NAT", "DECIMAL", "BITS", "LPAR", "TRUE", "FALSE"}
_STARTS_STATEMENT = {"ASSERT", "ASSUME", "HAVOC", "GOTO", "WHILE", "CALL"}
_STARTS_DECLARATION = {"TYPE", "CONST", "FUNCTION", "AXIOM", "PROCEDURE", "IMPLEMENTATION"}
_BESIDES = set(  # what else begins one of these
    "VAR IDENT IF RETURN BREAK BANG LBRACE ADDITIVE _NOT _OPEN ATOMIC ASYNC FORK JOIN".split()
)
_LONGEST = 8


def parse(text: str, file: str) -> tuple[syntax.Declaration, ...]:
    """The declarations of a text; `file` is the name that messages and ranges give."""
    try:
        tree: Tree[Token] = parser().parse(text)
    except UnexpectedInput as problem:
        raise _syntax_error(problem, text, file) from None
    try:
        return read(tree, file)
    except VisitError as problem:
        if isinstance(problem.orig_exc, CratonError):
            raise problem.orig_exc from None
        raise


@cache
def parser() -> Lark:
    grammar = files("craton.frontends.boogie").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", propagate_positions=True, maybe_placeholders=True)


def _syntax_error(problem: UnexpectedInput, text: str, file: str) -> BoogieSyntaxError:
    if isinstance(problem, UnexpectedToken):
        token = problem.token
        expected = _expected(set(problem.accepts or problem.expected))
        if token.type == "$END":
            return BoogieSyntaxError(f"the file ends where {expected} is expected", _end(text, file))
        where = SourceRange(file, token.line or 1, token.column or 1, token.end_line or 1, token.end_column or 1)
        if text.startswith("/*", token.start_pos or 0):
            return BoogieSyntaxError("this comment is never closed", where)
        return BoogieSyntaxError(f"expected {expected}, found '{token}'", where)
    where = SourceRange(file, problem.line, problem.column, problem.line, problem.column + 1)
    if isinstance(problem, UnexpectedCharacters):
        return BoogieSyntaxError(f"expected {_expected(set(problem.allowed))}, found '{problem.char}'", where)
    return BoogieSyntaxError("this is not Boogie", where)


def _end(text: str, file: str) -> SourceRange:
    lines = text.split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    return SourceRange(file, line, column, line, column)


def _expected(terminals: set[str]) -> str:
    """The terminals in words; what begins an expression, a statement or a declaration is one word."""
    words: dict[str, None] = {}
    for group, word in (
        (_STARTS_DECLARATION, "a declaration"),
        (_STARTS_STATEMENT, "a statement"),
        (_STARTS_EXPRESSION, "an expression"),
    ):
        if group <= terminals:
            words[word] = None
            terminals = terminals - group - _BESIDES
    spelled = {_spelled(name) for name in terminals if not name.startswith("__IGNORE") and "COMMENT" not in name}
    words.update(dict.fromkeys(sorted(spelled - {"an operator"})))
    if "an operator" in spelled:
        words["an operator"] = None
    listed = list(words)
    if len(listed) > _LONGEST:
        listed = [*listed[: _LONGEST - 1], "…"]
    return " or ".join((", ".join(listed[:-1]), listed[-1])) if len(listed) > 1 else "".join(listed)


def _spelled(terminal: str) -> str:
    kind = _KINDS.get(terminal)
    if kind is not None:
        return kind
    pattern = next((t.pattern for t in parser().terminals if t.name == terminal), None)
    return f"'{pattern.value}'" if pattern is not None else terminal
