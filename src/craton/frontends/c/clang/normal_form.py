"""What a declaration says after preprocessing, as clang prints its tree: no macros, comments or conditions are left.

libclang's tree is silent about some things: which parts of a `for` are missing, whether two indices of a designator are
a range, what builtin an expression is, all digits of a long double (and what an `asm` says: `assembly`). Source text
tells them only where nothing comes out of a macro, an `#if` or an included file; clang's own print of the declaration
around them tells them always, in the order in which the tree has them. Law: if tree and print do not have equally many
of a construct, nothing is told.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TypeVar

from craton.frontends.c.clang.bindings import CXCursor, Raw, begin, evaluate_integer, parts_of, printed, type_kind

T = TypeVar("T")
Header = tuple[bool, bool, bool]

_TOKEN = re.compile(
    r'(?:u8|[LuU])?"(?:\\.|[^"\\])*"|[LuU]?\'(?:\\.|[^\'\\])*\'|\.\.\.|[A-Za-z_$][\w$]*|[0-9](?:[eE][+-]|[\w.])*|[^\s\w]',
    re.DOTALL,
)
_LONG_DOUBLE = re.compile(r"[0-9]+(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)[LQ]")
_BUILTIN = re.compile(
    r"__builtin_(?:va_arg|choose_expr|convertvector|shufflevector|bit_cast)|__(?:c11_|scoped_)?atomic_"
    r"(?!thread_fence|signal_fence|always_lock_free|is_lock_free|test_and_set|clear)\w+"
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_FOR, _UNEXPOSED, _INITIALISERS, _MEMBER, _FLOATING = 209, 100, 119, 47, 107
_CHOICE = 3  # operands of `__builtin_choose_expr`; other builtins that are constants are not among those printed
_VOID, _TYPES_OF_LONG_DOUBLES = 2, (23, 30)


class Print:
    """The tokens of clang's print of one declaration, and what they tell, each list in the order of the text."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(text)

    @cached_property
    def loops(self) -> list[Header]:
        """Of each `for`: whether it has a first part, a condition and a step."""
        return [self._header(index + 1) for index, token in enumerate(self._tokens) if token == "for"]

    @cached_property
    def indices(self) -> list[list[bool]]:
        """Of each initialiser that is designated by a range or by several indices in a row: which are ranges."""
        found = []
        for index, token in enumerate(self._tokens):
            if token in ("{", ","):
                ranges, several = self._designators(index + 1)
                if several:
                    found.append(ranges)
        return found

    @cached_property
    def builtins(self) -> list[str]:
        """The names of the builtins that are expressions of their own, not calls."""
        return [token for token in self._tokens if _BUILTIN.fullmatch(token)]

    @cached_property
    def long_doubles(self) -> list[str]:
        """The digits of floating constants that are wider than double."""
        return [token[:-1] for token in self._tokens if _LONG_DOUBLE.fullmatch(token)]

    def _header(self, start: int) -> Header:
        parts = [False]
        for token, depth in self._inside(start):
            if depth == 1 and token == ";":
                parts.append(False)
            else:
                parts[-1] = True
        first, condition, step = parts
        return first, condition, step

    def _designators(self, start: int) -> tuple[list[bool], bool]:
        """For each index from here on whether it is a range; whether one is, or two stand in a row."""
        ranges: list[bool] = []
        several = after_index = False
        while start < len(self._tokens):
            if self._tokens[start] == "." and start + 1 < len(self._tokens):
                start, after_index = start + 2, False
            elif self._tokens[start] == "[":
                inside = list(self._inside(start))
                ranges.append(any(depth == 1 and token == "..." for token, depth in inside))
                several |= after_index or ranges[-1]
                start, after_index = start + len(inside) + 2, True
            else:
                break
        return ranges, several

    def _inside(self, start: int) -> Iterator[tuple[str, int]]:
        """The tokens between the bracket at `start` and its end, with how many brackets are open around them."""
        depth = 0
        for position in range(start, len(self._tokens)):
            token = self._tokens[position]
            if token in _CLOSE:
                depth -= 1
                if depth == 0:
                    return
            if depth:
                yield token, depth
            if token in _OPEN:
                depth += 1
        raise ValueError("a bracket that is not closed")


class _Declaration:
    """A declaration's tree beside its print; constructs are known by clang's pointer to them."""

    def __init__(self, cursor: CXCursor, tree: Raw) -> None:
        self._cursor = cursor
        self._tree = tree

    @cached_property
    def _print(self) -> Print:
        return Print(printed(self._cursor))

    @cached_property
    def loops(self) -> dict[int | None, Header]:
        return _matched((raw for raw, _ in _walk(self._tree) if raw.kind == _FOR), lambda: self._print.loops)

    @cached_property
    def indices(self) -> dict[int | None, list[bool]]:
        items = (raw for raw, parent in _walk(self._tree) if _in_list(parent))
        return _matched((item for item in items if has_indices_in_a_row(item)), lambda: self._print.indices)

    @cached_property
    def builtins(self) -> dict[int | None, str]:
        nodes = _walk(self._tree)
        found = (raw for raw, parent in nodes if is_builtin(raw) and not (_in_list(parent) and is_designated(raw)))
        found = (raw for raw in found if len(parts_of(raw)) == _CHOICE or evaluate_integer(raw.cursor) is None)
        return _matched(found, lambda: self._print.builtins)

    @cached_property
    def long_doubles(self) -> dict[int | None, str]:
        numbers = (raw for raw, _ in _walk(self._tree) if raw.kind == _FLOATING)
        wide = (raw for raw in numbers if type_kind(raw.cursor) in _TYPES_OF_LONG_DOUBLES)
        return _matched(wide, lambda: self._print.long_doubles)


class NormalForms:
    """What the print tells of the declaration that is being read; None where it tells nothing."""

    def __init__(self) -> None:
        self._current: _Declaration | None = None

    @contextmanager
    def reading(self, cursor: CXCursor, tree: Raw) -> Iterator[None]:
        """Questions are about this declaration now."""
        outer, self._current = self._current, _Declaration(cursor, tree)
        try:
            yield
        finally:
            self._current = outer

    def header(self, raw: Raw) -> Header | None:
        return None if self._current is None else self._current.loops.get(raw.cursor.b)

    def ranges(self, raw: Raw) -> list[bool] | None:
        return None if self._current is None else self._current.indices.get(raw.cursor.b)

    def builtin(self, raw: Raw) -> str | None:
        return None if self._current is None else self._current.builtins.get(raw.cursor.b)

    def digits(self, raw: Raw) -> str | None:
        return None if self._current is None else self._current.long_doubles.get(raw.cursor.b)


def is_builtin(raw: Raw) -> bool:
    """Whether an expression that libclang does not name has a word of its own before its operands: conversions begin
    where their operands do.
    """
    if raw.kind != _UNEXPOSED:
        return False
    operands = parts_of(raw)
    return bool(operands) and operands[0].kind != _MEMBER and begin(raw.cursor) != begin(operands[0].cursor)


def _in_list(parent: Raw | None) -> bool:
    return parent is not None and parent.kind == _INITIALISERS


def is_designated(item: Raw) -> bool:
    """Whether a member of an initialiser list says where it goes; clang gives it no type."""
    return item.kind == _UNEXPOSED and len(item.children) > 1 and type_kind(item.cursor) == _VOID


def has_indices_in_a_row(item: Raw) -> bool:
    """Whether a member of an initialiser list has indices that may be the ends of a range."""
    indices = [child.kind != _MEMBER for child in item.children[:-1]]
    return is_designated(item) and any(map(operator.and_, indices, indices[1:]))


def _walk(root: Raw) -> Iterator[tuple[Raw, Raw | None]]:
    """Nodes with their parents, in the order of the text."""
    stack: list[tuple[Raw, Raw | None]] = [(root, None)]
    while stack:
        raw, parent = stack.pop()
        yield raw, parent
        stack.extend((child, raw) for child in reversed(raw.children))


def _matched(tree: Iterable[Raw], read: Callable[[], list[T]]) -> dict[int | None, T]:
    """By the order in which both have them; nothing if they differ in number, or the print is not as expected."""
    nodes = list(tree)
    try:
        text = read()
    except ValueError:
        return {}
    return {raw.cursor.b: said for raw, said in zip(nodes, text, strict=True)} if len(nodes) == len(text) else {}
