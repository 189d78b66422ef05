"""Nodes of our syntax from clang's: each gets the type and the stretch of text that clang gives it."""

from __future__ import annotations

from typing import Any

from craton.frontends.c.clang.bindings import Raw, lib
from craton.frontends.c.clang.normal_form import NormalForms
from craton.frontends.c.clang.positions import Positions
from craton.frontends.c.clang.types import TypeReader
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import Kind, Node

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


class NodeMaker:
    """Makes the nodes of one translation unit."""

    def __init__(self, types: TypeReader, positions: Positions) -> None:
        self.types = types
        self.positions = positions
        self.forms = NormalForms()

    def make(self, kind: Kind, raw: Raw, parts: tuple[Any, ...] = (), op: str = "", value: Any = None) -> Node:
        extent = lib().clang_getCursorExtent(raw.cursor)
        place = (extent.begin, extent.end, extent.a, extent.b)
        type_ = self.types.void if raw.kind in _STATEMENTS else self.types.of_cursor(raw.cursor)
        if kind in _VALUES:
            type_ = self.types.decayed(type_)
        return Node(kind, type_, parts, op, value, place)

    def unsupported(self, construct: str, raw: Raw) -> Unsupported:
        return Unsupported(construct, self.positions.source_range(lib().clang_getCursorExtent(raw.cursor)))
