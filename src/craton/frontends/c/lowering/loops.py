"""Loops: `while`, `do` and `for`."""

from __future__ import annotations

from craton.frontends.c.lowering.branches import Branches
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.jumps import Jumps
from craton.frontends.c.lowering.statements import Statements
from craton.frontends.c.syntax.nodes import Node


class Loops:
    """Lowers loops; each has a head that is known as one."""

    def __init__(
        self, frame: Frame, statements: Statements, expressions: Expressions, branches: Branches, jumps: Jumps
    ) -> None:
        self._frame = frame
        self._builder = frame.builder
        self._statements = statements
        self._expressions = expressions
        self._branches = branches
        self._jumps = jumps

    def while_(self, node: Node) -> None:
        builder = self._builder
        condition, body = node.children
        head, inside, after = builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._frame.range(node)
        self._frame.at(condition)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        self._branches.decide(node, condition, inside, after)
        builder.enter(inside)
        self._jumps.loop_body(body, after, head)
        self._frame.at(condition)
        builder.go(head)
        builder.enter(after)

    def do(self, node: Node) -> None:
        builder = self._builder
        body, condition = node.children
        head, test, after = builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._frame.range(node)
        self._frame.at(node)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        self._jumps.loop_body(body, after, test)
        self._frame.at(condition)
        builder.go(test)
        builder.enter(test)
        self._branches.decide(node, condition, head, after)
        builder.enter(after)

    def for_(self, node: Node) -> None:
        builder = self._builder
        first, condition, step, body = node.children
        if first is not None:
            self._statements.statement(first)
        head, inside, again, after = builder.new(), builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._frame.range(node)
        self._frame.at(condition or node)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        if condition is not None:
            self._branches.decide(node, condition, inside, after)
        else:
            builder.go(inside)
        builder.enter(inside)
        self._jumps.loop_body(body, after, again)
        builder.go(again)
        builder.enter(again)
        if step is not None:
            self._frame.at(step)
            self._expressions.effect(step)
        builder.go(head)
        builder.enter(after)
