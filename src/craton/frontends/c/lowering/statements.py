"""Statements: control flow becomes locations and edges.

What a statement of a kind becomes is told by the collaborator that `function` registers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from craton.frontends.c.lowering.blocks import Blocks
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.memory.scopes import Scopes
from craton.frontends.c.syntax.nodes import Kind, Node

Lowers = Callable[[Node], None]


class Statements:
    """Lowers statements. A block whose locals are watched begins and ends their lives."""

    def __init__(self, frame: Frame, scopes: Scopes, blocks: Blocks) -> None:
        self._frame = frame
        self._watched = scopes.blocks
        self._blocks = blocks
        self._lowers: dict[Kind, Lowers] = {}

    def register(self, lowers: Mapping[Kind, Lowers]) -> None:
        """Who lowers which kind."""
        self._lowers.update(lowers)

    def statement(self, node: Node) -> None:
        lowers = self._lowers.get(node.kind)
        if lowers is None:
            raise self._frame.unsupported(node.kind.value, node)
        scope = self._watched.get(node)
        if scope is None:
            lowers(node)
        else:
            self._blocks.enter(scope)
            lowers(node)
            self._blocks.quit(scope)
