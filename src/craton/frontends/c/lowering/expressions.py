"""Expressions: their values and side effects, in C's order of evaluation.

What an expression of a kind becomes is told by the collaborator that `function` registers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.targets import holds_targets
from craton.frontends.c.syntax.types import ArrayType, Void
from craton.logic import Term

Lowers = Callable[[Node], Value]
Does = Callable[[Node], object]


class Expressions:
    """Lowers expressions to terms, emitting the edges of their side effects. An expression that has no translation is
    unmodelled as a whole: control does not pass it.
    """

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._purity = frame.purity
        self._unknowns = Unknowns(frame)
        self._values: dict[Kind, Lowers] = {}
        self._effects: dict[Kind, Does] = {}

    def register(self, values: Mapping[Kind, Lowers], effects: Mapping[Kind, Does]) -> None:
        """Who lowers which kind; `effects` is for kinds that are simpler where nobody wants the value."""
        self._values.update(values)
        self._effects.update(effects)

    def value(self, node: Node) -> Value:
        """The value of an expression: a term, or the leaves of a struct; `()` for void."""
        builder = self._frame.builder
        mark = builder.mark()
        try:
            lowers = self._values.get(node.kind)
            if lowers is None:
                raise self._frame.unsupported(node.kind.value, node)
            return lowers(node)
        except Unsupported as problem:
            if isinstance(node.type, ArrayType) or holds_targets(node):
                raise
            builder.back_to(mark)
            builder.unmodelled(problem.construct, problem.where)
            return self._unknowns.arbitrary(node.type)

    def scalar(self, node: Node) -> Term:
        """The value of an expression that is no struct."""
        found = self.value(node)
        if isinstance(found, tuple):
            raise self._frame.unsupported(f"a {node.type} where a scalar is expected", node)
        return found

    def effect(self, node: Node) -> None:
        """Evaluates for side effects only."""
        kind = node.kind
        does = self._effects.get(kind)
        if does is not None:
            does(node)
        elif kind is Kind.CONVERT and isinstance(node.type, Void):
            self.effect(node.children[0])
        elif kind is Kind.BINARY and node.op == ",":
            self.effect(node.children[0])
            self.effect(node.children[1])
        elif not self._purity.is_pure(node):
            self.value(node)
