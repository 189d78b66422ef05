"""Nodes of our syntax from clang's: each gets the type and the stretch of text that clang gives it."""

from __future__ import annotations

from typing import Any

from craton.frontends.c.clang.bindings import Raw, lib, text
from craton.frontends.c.clang.normal_form import NormalForms
from craton.frontends.c.clang.positions import Positions
from craton.frontends.c.clang.types import TypeReader
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import LVALUES, Kind, Node
from craton.frontends.c.syntax.wide_fields import not_followed

_STATEMENTS = range(200, 300)
# What is never an array nor a function (C11 6.3.2.1).
_VALUES = frozenset(
    {
        Kind.CONVERT,
        Kind.BINARY,
        Kind.CONDITIONAL,
        Kind.ELVIS,
        Kind.ASSIGN,
        Kind.COMPOUND_ASSIGN,
        Kind.STEP,
        Kind.STATEMENT_EXPRESSION,
    }
)


class Labels:
    """The labels of the function that is being read, each with a name of its own: GNU's local labels may share one."""

    def __init__(self) -> None:
        self.function = ""
        self._names: dict[int, str] = {}  # by clang's statement
        self._used: dict[str, int] = {}

    def begin(self, function: str) -> None:
        self.function = function
        self._names.clear()
        self._used.clear()

    def of_statement(self, raw: Raw) -> str:
        """The name of a label where it stands."""
        return self._name(raw.cursor.b, raw)

    def of_reference(self, raw: Raw) -> str:
        """The name of a label where it is jumped to."""
        return self._name(raw.cursor.a, raw)

    def _name(self, statement: int | None, raw: Raw) -> str:
        key = statement or 0
        if key not in self._names:
            spelled = text(lib().clang_getCursorSpelling(raw.cursor))
            count = self._used[spelled] = self._used.get(spelled, 0) + 1
            self._names[key] = spelled if count == 1 else f"{spelled}#{count}"
        return self._names[key]


class NodeMaker:
    """Makes the nodes of one translation unit."""

    def __init__(self, types: TypeReader, positions: Positions) -> None:
        self.labels = Labels()
        self.types = types
        self.positions = positions
        self.forms = NormalForms()

    def make(self, kind: Kind, raw: Raw, parts: tuple[Any, ...] = (), op: str = "", value: Any = None) -> Node:
        extent = lib().clang_getCursorExtent(raw.cursor)
        place = (extent.begin, extent.end, extent.a, extent.b)
        type_ = self.types.void if raw.kind in _STATEMENTS else self.types.of_cursor(raw.cursor)
        if kind in _VALUES:
            type_ = self.types.decayed(type_)
        node = Node(kind, type_, parts, op, value, place)
        if kind in LVALUES and lib().clang_isVolatileQualifiedType(lib().clang_getCursorType(raw.cursor)):
            node.volatile = True
        if problem := not_followed(node):
            raise self.unsupported(f"{problem} of a bit-field wider than int", raw)
        return node

    def unsupported(self, construct: str, raw: Raw) -> Unsupported:
        return Unsupported(construct, self.positions.source_range(lib().clang_getCursorExtent(raw.cursor)))
