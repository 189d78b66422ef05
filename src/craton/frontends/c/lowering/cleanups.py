"""GNU's attribute `cleanup`: calls where the scopes of locals end, whichever way control leaves them.

clang refuses jumps past the declaration of such a local into its scope, so the locals that live at a label are among
those that live where a jump to it stands.
"""

from __future__ import annotations

from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.syntax.nodes import Kind, Node

_NO_SCOPES = frozenset({Kind.DECLARATIONS, Kind.DECLARE, Kind.LABEL, Kind.CASE, Kind.DEFAULT})


class Cleanups:
    """The calls that are due, the one of the innermost and last declaration at the end."""

    def __init__(self, frame: Frame, expressions: Expressions) -> None:
        self._frame = frame
        self._expressions = expressions
        self.due: tuple[Node, ...] = ()

    def declare(self, declaration: Node) -> None:
        """From here on its call is due."""
        self.due += declaration.children

    def leave(self, statement: Node, before: tuple[Node, ...]) -> None:
        """The end of a statement. What is declared in it ends there, unless it is but a part of a block."""
        if statement.kind not in _NO_SCOPES:
            self.close(before)

    def close(self, before: tuple[Node, ...]) -> None:
        """The end of a scope at whose begin these calls were due."""
        self.run_to(before)
        self.due = before

    def run_to(self, wanted: tuple[Node, ...]) -> None:
        """Makes the calls that are not due any more where control goes; here they stay due."""
        common = 0
        while common < min(len(self.due), len(wanted)) and self.due[common] is wanted[common]:
            common += 1
        origin = self._frame.builder.origin
        due = self.due
        for number in range(len(due) - 1, common - 1, -1):
            self.due = due[:number]
            self._frame.at(due[number])
            self._expressions.effect(due[number])
        self.due = due
        self._frame.builder.origin = origin
