"""Statements: control flow becomes locations and edges.

What a statement of a kind becomes is told by the collaborator that `function` registers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.blocks import Blocks
from craton.frontends.c.lowering.cleanups import Cleanups
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.memory.scopes import Scopes
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.targets import holds_targets

Lowers = Callable[[Node], None]


class Statements:
    """Lowers statements. A block whose locals are watched begins and ends their lives. A statement that has no
    translation is unmodelled as a whole: nothing of it is done, and control does not pass it.
    """

    def __init__(self, frame: Frame, scopes: Scopes, blocks: Blocks, cleanups: Cleanups) -> None:
        self._frame = frame
        self._cleanups = cleanups
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
        mark, depth, due = self._frame.builder.mark(), len(self._blocks.open), self._cleanups.due
        try:
            self._in_scope(node, lowers)
        except Unsupported as problem:
            if holds_targets(node):  # jumps from outside lead into it, so it cannot be left out
                raise
            self._frame.builder.back_to(mark)
            del self._blocks.open[depth:]
            self._cleanups.due = due
            self._frame.at(node)
            self._frame.builder.unmodelled(problem.construct, problem.where)

    def _in_scope(self, node: Node, lowers: Lowers) -> None:
        scope, due = self._watched.get(node), self._cleanups.due
        if scope is None:
            lowers(node)
            self._cleanups.leave(node, due)
        else:
            self._blocks.enter(scope)
            lowers(node)
            self._cleanups.leave(node, due)
            self._blocks.quit(scope)
