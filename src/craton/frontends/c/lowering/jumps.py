"""Jumps: labels, `goto`, also computed ones, `break` and `continue`."""

from __future__ import annotations

from dataclasses import dataclass

from craton.frontends.c.errors import Unsupported
from craton.frontends.c.lowering.blocks import Blocks
from craton.frontends.c.lowering.cleanups import Cleanups
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.statements import Statements
from craton.frontends.c.memory.scopes import Scope, Scopes
from craton.frontends.c.syntax.nodes import Node, spelling
from craton.logic import Term, eq, not_, or_
from craton.program.cfa import UNREACH, Location
from craton.program.origin import SourceRange


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a jump leads, the watched blocks that hold it, and the calls that are due there."""

    location: Location
    scopes: tuple[Scope, ...]
    due: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class _Pending:
    """A jump that is told when all labels are known; of a computed one the value, else the label."""

    location: Location
    to: Term | str
    origin: SourceRange | None
    scopes: list[Scope]
    due: tuple[Node, ...]


class Jumps:
    """Lowers jumps and what they lead to."""

    def __init__(
        self,
        frame: Frame,
        scopes: Scopes,
        statements: Statements,
        expressions: Expressions,
        blocks: Blocks,
        cleanups: Cleanups,
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._scopes = scopes
        self._statements = statements
        self._expressions = expressions
        self._blocks = blocks
        self._cleanups = cleanups
        self._labels: dict[str, Location] = {}
        self._breaks: list[_Target] = []
        self._continues: list[_Target] = []
        self._due_at: dict[str, tuple[Node, ...]] = {}  # labels
        self._pending: list[_Pending] = []

    def loop_body(self, body: Node, after: Location, again: Location) -> None:
        """A statement that `break` leaves for `after`, and `continue` for `again`."""
        self._continues.append(self._here(again))
        try:
            self.switch_body(body, after)
        finally:
            self._continues.pop()

    def switch_body(self, body: Node, after: Location) -> None:
        """A statement that `break` leaves."""
        self._breaks.append(self._here(after))
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
        self._due_at[node.value] = self._cleanups.due
        self._blocks.bury(v for v in self._scopes.not_yet_declared(node.value) if self._context.scan.in_memory(v))
        if spelling(node.value) in self._context.specification.labels:
            self._builder.error(UNREACH)
        for child in node.children:
            self._statements.statement(child)

    def _label_location(self, name: str) -> Location:
        if name not in self._labels:
            self._labels[name] = self._builder.new()
        return self._labels[name]

    def goto(self, node: Node) -> None:
        self._frame.at(node)
        if self._cleanups.due:
            self._wait(node.value)
        else:
            self._blocks.jump(self._label_location(node.value), self._scopes.at_label(node.value))

    def computed_goto(self, node: Node) -> None:
        self._frame.at(node)
        if self._cleanups.due:
            raise self._frame.unsupported("a computed goto out of the scope of a variable with a cleanup", node)
        self._wait(self._builder.save(self._expressions.scalar(node.children[0])))

    def _wait(self, to: Term | str) -> None:
        if self._builder.here is not None:
            scopes = list(self._blocks.open)
            self._pending.append(_Pending(self._builder.here, to, self._builder.origin, scopes, self._cleanups.due))
            self._builder.here = None

    def dispatch(self) -> None:
        """When the function is lowered: the jumps that had to wait."""
        for jump in self._pending:
            self._builder.here, self._builder.origin, self._blocks.open = jump.location, jump.origin, list(jump.scopes)
            mark = self._builder.mark()
            try:
                self._dispatch(jump)
            except Unsupported as problem:
                self._builder.back_to(mark)
                self._builder.unmodelled(problem.construct)
        for label in self._labels.keys() - self._due_at.keys():  # never met: nothing is known of what is there
            self._builder.here = self._labels[label]
            self._builder.unmodelled(f"the label {spelling(label)}")

    def _dispatch(self, jump: _Pending) -> None:
        if isinstance(jump.to, str):
            self._cleanups.due = jump.due
            self._cleanups.run_to(self._due_at.get(jump.to, ()))
            self._blocks.jump(self._label_location(jump.to), self._scopes.at_label(jump.to))
        else:
            self._dispatch_computed(jump.to)

    def _dispatch_computed(self, value: Term) -> None:
        """A case for each label whose address is taken; another value is no address of a label of this function."""
        symbol = self._frame.function.symbol
        addresses = {
            name: self._memory.pointer(number)
            for (function, name), number in self._context.label_numbers.items()
            if function == symbol
        }
        elsewhere = self._builder.new()
        ways = [
            (eq(value, address), self._blocks.way_to(self._label_location(name), self._scopes.at_label(name)))
            for name, address in addresses.items()
            if name in self._due_at
        ]
        self._builder.choose([*ways, (not_(or_(*(condition for condition, _ in ways))), elsewhere)])
        self._builder.enter(elsewhere)
        self._builder.unmodelled("a computed goto to what is no label of the function")

    def _here(self, target: Location) -> _Target:
        return _Target(target, tuple(self._blocks.open), self._cleanups.due)

    def _jump(self, target: _Target) -> None:
        self._cleanups.run_to(target.due)
        self._blocks.jump(target.location, target.scopes)

    def break_(self, node: Node) -> None:
        self._frame.at(node)
        self._jump(self._breaks[-1])

    def continue_(self, node: Node) -> None:
        self._frame.at(node)
        self._jump(self._continues[-1])
