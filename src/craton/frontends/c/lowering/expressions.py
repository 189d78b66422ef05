"""Expressions: their values and side effects, in C's order of evaluation.

What an expression of a kind becomes is told by the collaborator that `function` registers for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.order import Order, Settled
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
        self._order = Order(frame, self.value)
        self._addresses = frame.context.facts.addresses
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
            with self._order.settled(node) as known:
                return self._lowered(node) if known is None else known
        except Unsupported as problem:
            if isinstance(node.type, ArrayType) or holds_targets(node):
                raise
            builder.back_to(mark)
            builder.unmodelled(problem.construct, problem.where)
            return self._unknowns.arbitrary(node.type)

    def _lowered(self, node: Node) -> Value:
        lowers = self._values.get(node.kind)
        if lowers is None:
            raise self._frame.unsupported(node.kind.value, node)
        self._frame.fail_if(self._addresses.needs_layout(node), node)
        found = lowers(node)
        if isinstance(found, Term) and self._addresses.tells(node):
            return self._frame.unsure(found)
        return found

    def settled(self, node: Node) -> Settled:
        """A context in which the order of what C leaves open in this expression has been chosen; it gives the value, if
        that is known already.
        """
        return self._order.settled(node)

    def early(self, node: Node) -> Value | None:
        """The value that was read there before, if there is one."""
        return self._order.early(node)

    def values(self, nodes: Sequence[Node]) -> list[Value]:
        """Values of full expressions that are evaluated in any order."""
        with self._order.settled_list(nodes):
            return [self.value(node) for node in nodes]

    def scalar(self, node: Node) -> Term:
        """The value of an expression that is no struct."""
        found = self.value(node)
        if isinstance(found, tuple):
            raise self._frame.unsupported(f"a {node.type} where a scalar is expected", node)
        return found

    def effect(self, node: Node) -> None:
        """Evaluates for side effects only."""
        with self._order.settled(node) as known:
            if known is None:
                self._do(node)

    def _do(self, node: Node) -> None:
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
            self._lowered(node)
