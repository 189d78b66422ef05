"""Jumps: labels, `goto`, also computed ones, `break` and `continue`."""

from __future__ import annotations

from craton.frontends.c.lowering.blocks import Blocks
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.statements import Statements
from craton.frontends.c.memory.scopes import Scope, Scopes
from craton.frontends.c.syntax.nodes import Node
from craton.logic import Term, eq
from craton.program.cfa import UNREACH, Location
from craton.program.origin import SourceRange

_Target = tuple[Location, tuple[Scope, ...]]  # and the watched blocks that hold it


class Jumps:
    """Lowers jumps and what they lead to."""

    def __init__(
        self, frame: Frame, scopes: Scopes, statements: Statements, expressions: Expressions, blocks: Blocks
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._scopes = scopes
        self._statements = statements
        self._expressions = expressions
        self._blocks = blocks
        self._labels: dict[str, Location] = {}
        self._breaks: list[_Target] = []
        self._continues: list[_Target] = []
        self._computed: list[tuple[Location, Term, SourceRange | None, list[Scope]]] = []

    def loop_body(self, body: Node, after: Location, again: Location) -> None:
        """A statement that `break` leaves for `after`, and `continue` for `again`."""
        self._continues.append((again, tuple(self._blocks.open)))
        try:
            self.switch_body(body, after)
        finally:
            self._continues.pop()

    def switch_body(self, body: Node, after: Location) -> None:
        """A statement that `break` leaves."""
        self._breaks.append((after, tuple(self._blocks.open)))
        try:
            self._statements.statement(body)
        finally:
            self._breaks.pop()

    def label(self, node: Node) -> None:
        self._frame.at(node)
        target = self._label_location(node.value)
        self._builder.go(target)
        # Also reached by a goto that comes later in the text.
        self._builder.here = target
        if node.value in self._context.specification.labels:
            self._builder.error(UNREACH)
        for child in node.children:
            self._statements.statement(child)

    def _label_location(self, name: str) -> Location:
        if name not in self._labels:
            self._labels[name] = self._builder.new()
        return self._labels[name]

    def goto(self, node: Node) -> None:
        self._frame.at(node)
        self._blocks.jump(self._label_location(node.value), self._scopes.at_label(node.value))

    def computed_goto(self, node: Node) -> None:
        self._frame.at(node)
        value = self._builder.save(self._expressions.scalar(node.children[0]))
        if self._builder.here is not None:
            self._computed.append((self._builder.here, value, self._builder.origin, list(self._blocks.open)))
            self._builder.here = None

    def dispatch_computed_gotos(self) -> None:
        """When the function is lowered: a case for each label whose address is taken."""
        for location, value, origin, open_scopes in self._computed:
            self._builder.here, self._builder.origin, self._blocks.open = location, origin, open_scopes
            self._builder.choose(
                [
                    (
                        eq(value, self._memory.pointer(number)),
                        self._blocks.way_to(self._label_location(name), self._scopes.at_label(name)),
                    )
                    for name, number in self._frame.label_numbers.items()
                ]
            )

    def break_(self, node: Node) -> None:
        self._frame.at(node)
        self._blocks.jump(*self._breaks[-1])

    def continue_(self, node: Node) -> None:
        self._frame.at(node)
        self._blocks.jump(*self._continues[-1])
