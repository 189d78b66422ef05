"""Nodes of our syntax from clang's: each gets the type and the stretch of text that clang gives it."""

from __future__ import annotations

from typing import Any

from craton.frontends.c.clang.bindings import Raw, lib
from craton.frontends.c.clang.positions import Positions
from craton.frontends.c.clang.types import TypeReader
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import LVALUES, Kind, Node

_STATEMENTS = range(200, 300)
_IGNORED = {43, 44, 45, 46}  # references to types and templates
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


def parts_of(raw: Raw) -> list[Raw]:
    """The operands of an expression and the parts of a statement, without the types that it names."""
    return [child for child in raw.children if child.kind not in _IGNORED]


class NodeMaker:
    """Makes the nodes of one translation unit."""

    def __init__(self, types: TypeReader, positions: Positions) -> None:
        self.types = types
        self.positions = positions

    def make(self, kind: Kind, raw: Raw, parts: tuple[Any, ...] = (), op: str = "", value: Any = None) -> Node:
        extent = lib().clang_getCursorExtent(raw.cursor)
        place = (extent.begin, extent.end, extent.a, extent.b)
        type_ = self.types.void if raw.kind in _STATEMENTS else self.types.of_cursor(raw.cursor)
        if kind in _VALUES:
            type_ = self.types.decayed(type_)
        node = Node(kind, type_, parts, op, value, place)
        if kind in LVALUES and lib().clang_isVolatileQualifiedType(lib().clang_getCursorType(raw.cursor)):
            node.volatile = True
        return node

    def unsupported(self, construct: str, raw: Raw) -> Unsupported:
        return Unsupported(construct, self.positions.source_range(lib().clang_getCursorExtent(raw.cursor)))
