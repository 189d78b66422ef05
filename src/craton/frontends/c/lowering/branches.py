"""Branches: `if` and `switch`."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.c.lowering.blocks import Blocks
from craton.frontends.c.lowering.conditions import Conditions
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.jumps import Jumps
from craton.frontends.c.lowering.statements import Statements
from craton.frontends.c.memory.scopes import Scopes
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import CType, Integer
from craton.logic import BitVec, Term, and_, bv, bvsle, bvule, eq, not_, or_
from craton.program.cfa import Location


class Branches:
    """Lowers statements that choose."""

    def __init__(
        self,
        frame: Frame,
        scopes: Scopes,
        statements: Statements,
        expressions: Expressions,
        conditions: Conditions,
        blocks: Blocks,
        jumps: Jumps,
    ) -> None:
        self._frame = frame
        self._builder = frame.builder
        self._scopes = scopes
        self._statements = statements
        self._expressions = expressions
        self._conditions = conditions
        self._blocks = blocks
        self._jumps = jumps
        self._cases: list[dict[Node, Location]] = []

    def if_(self, node: Node) -> None:
        builder = self._builder
        condition, *arms = node.children
        self._frame.at(condition)
        then, otherwise, after = builder.new(), builder.new(), builder.new()
        self.decide(node, condition, then, otherwise)
        builder.enter(then)
        self._statements.statement(arms[0])
        builder.go(after)
        builder.enter(otherwise)
        if len(arms) > 1:
            self._statements.statement(arms[1])
        builder.go(after)
        builder.enter(after)

    def decide(self, node: Node, condition: Node, then: Location, otherwise: Location) -> None:
        """The branching of a statement. Its last edges are marked with it, since `&&` and checks make others too."""
        edges = self._builder.edges
        before = len(edges)
        self._conditions.branch(condition, then, otherwise)
        for i in range(before, len(edges)):
            if edges[i].branch is not None and edges[i].target in (then, otherwise):
                edges[i] = replace(edges[i], branch=edges[i].target == then, branching=self._frame.range(node))

    def switch(self, node: Node) -> None:
        builder = self._builder
        subject, body = node.children
        self._frame.at(subject)
        value = builder.save(self._expressions.scalar(subject))
        if self._frame.context.facts.addresses.holds(subject):
            value = self._frame.unsure(value)
        labels = _cases_of(body)
        targets = {label: builder.new() for label in labels}
        ways = {label: self._blocks.way_to(targets[label], self._scopes.at_case(label)) for label in labels}
        after = builder.new()
        conditions: list[Term] = []
        alternatives: list[tuple[Term, Location]] = []
        default = after
        for label in labels:
            if label.kind is Kind.DEFAULT:
                default = ways[label]
            else:
                condition = _in_range(value, subject.type, *label.value)
                conditions.append(condition)
                alternatives.append((condition, ways[label]))
        builder.choose([*alternatives, (not_(or_(*conditions)), default)])
        self._cases.append(targets)
        try:
            self._jumps.switch_body(body, after)
        finally:
            self._cases.pop()
        builder.go(after)
        builder.enter(after)

    def case(self, node: Node) -> None:
        while True:  # `case 1: case 2: …` nests
            target = self._cases[-1][node]
            self._builder.go(target)
            self._builder.enter(target)
            inner = node.children[0]
            if inner.kind not in (Kind.CASE, Kind.DEFAULT):
                break
            node = inner
        self._statements.statement(inner)


def _cases_of(body: Node) -> list[Node]:
    """The labels of a switch, in textual order, not those of switches inside."""
    found: list[Node] = []
    stack = [body]
    while stack:
        node = stack.pop()
        if node.kind in (Kind.CASE, Kind.DEFAULT):
            found.append(node)
        if node.kind is not Kind.SWITCH:
            stack.extend(child for child in reversed(node.children) if child is not None)
    return found


def _in_range(value: Term, t: CType, low: int, high: int) -> Term:
    assert isinstance(value.sort, BitVec)
    width = value.sort.width
    if low == high:
        return eq(value, bv(low, width))
    at_most = bvsle if isinstance(t, Integer) and t.signed else bvule
    return and_(at_most(bv(low, width), value), at_most(value, bv(high, width)))
