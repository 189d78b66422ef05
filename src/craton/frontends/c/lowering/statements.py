"""Statements: control flow becomes locations and edges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.context import Context, Part
from craton.frontends.c.lowering.access import Value
from craton.frontends.c.lowering.locals import Lives
from craton.frontends.c.memory.scopes import Scope
from craton.frontends.c.syntax.nodes import Function, Kind, Node
from craton.frontends.c.syntax.types import CType, Integer, Record, Void, leaves
from craton.logic import BitVec, Term, and_, bv, bvsle, bvule, eq, not_, or_
from craton.program.cfa import UNREACH, Location
from craton.program.origin import SourceRange
from craton.program.statements import Return


class Control(Lives):
    """Lowers a function's body."""

    def __init__(self, context: Context, function: Function, builder: Builder) -> None:
        super().__init__(context, function, builder)
        self.exit = builder.new()
        self._labels: dict[str, Location] = {}
        self._breaks: list[tuple[Location, tuple[Scope, ...]]] = []
        self._continues: list[tuple[Location, tuple[Scope, ...]]] = []
        self._cases: list[dict[Node, Location]] = []
        self._computed: list[tuple[Location, Term, SourceRange | None, list[Scope]]] = []

    def run(self) -> None:
        """The whole function: parameters, body, and the way to its exit."""
        function, builder = self.function, self.builder
        signature = self.context.signature(function)
        builder.origin = function.range
        for term in (*signature.flat, *signature.returns):
            builder.locals[term] = None
        self._open_locals()
        for parameter, group in zip(function.parameters, signature.parameters, strict=True):
            if self.context.scan.in_memory(parameter):
                target = self.variable(parameter)
                self.store(target, group if isinstance(parameter.type, Record) else group[0])
            else:
                self.context.plain[parameter] = tuple(
                    Part(leaf.offset, leaf.type, term) for leaf, term in zip(leaves(parameter.type), group, strict=True)
                )
        for parameter in function.parameters:
            self._measure(parameter.dimensions)
        assert function.body is not None
        self.statement(function.body)
        self._fall_off(signature.returns)
        self._leave()
        self._dispatch_computed_gotos()

    def _fall_off(self, returns: tuple[Term, ...]) -> None:
        """The end of the body without a return statement: the entry function returns 0, others something arbitrary."""
        if self.function.symbol != self.context.specification.entry:
            self.builder.havoc(*returns)
            return
        for term in returns:
            if isinstance(term.sort, BitVec):
                self.builder.assign(term, bv(0, term.sort.width))

    def _leave(self) -> None:
        """The end of the function."""
        builder = self.builder
        self._bury_locals()
        if self.function.symbol == self.context.specification.entry:
            self.at_end()
        if builder.here is not None:
            builder.emit(Return())
            builder.edges[-1] = replace(builder.edges[-1], target=self.exit)
            builder.here = None

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(self, node: Node) -> None:
        handler = _HANDLERS.get(node.kind)
        if handler is None:
            raise self.unsupported(node.kind.value, node)
        scope = self._scopes.blocks.get(node)
        if scope is None:
            handler(self, node)
        else:
            self._enter(scope)
            handler(self, node)
            self._quit(scope)

    def _at(self, node: Node) -> None:
        self.builder.origin = self.range(node) or self.builder.origin

    def _compound(self, node: Node) -> None:
        for child in node.children:
            self.statement(child)

    def _expression(self, node: Node) -> None:
        self._at(node)
        self.effect(node.children[0])

    def _empty(self, node: Node) -> None:
        pass

    def _declare(self, node: Node) -> None:
        self._at(node)
        self.declare(node.value)

    def _declare_type(self, node: Node) -> None:
        self._at(node)
        self._measure(node.value)

    def _if(self, node: Node) -> None:
        builder = self.builder
        condition, *arms = node.children
        self._at(condition)
        then, otherwise, after = builder.new(), builder.new(), builder.new()
        self._decide(node, condition, then, otherwise)
        builder.enter(then)
        self.statement(arms[0])
        builder.go(after)
        builder.enter(otherwise)
        if len(arms) > 1:
            self.statement(arms[1])
        builder.go(after)
        builder.enter(after)

    def _decide(self, node: Node, condition: Node, then: Location, otherwise: Location) -> None:
        """The branching of a statement. Its last edges are marked with it, since `&&` and checks make others too."""
        edges = self.builder.edges
        before = len(edges)
        self.branch(condition, then, otherwise)
        for i in range(before, len(edges)):
            if edges[i].branch is not None and edges[i].target in (then, otherwise):
                edges[i] = replace(edges[i], branch=edges[i].target == then, branching=self._keyword(node))

    def _keyword(self, node: Node) -> SourceRange | None:
        return self.range(node)

    def _while(self, node: Node) -> None:
        builder = self.builder
        condition, body = node.children
        head, inside, after = builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._keyword(node)
        self._at(condition)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        self._decide(node, condition, inside, after)
        builder.enter(inside)
        self._loop_body(body, after, head)
        self._at(condition)
        builder.go(head)
        builder.enter(after)

    def _loop_body(self, body: Node, after: Location, again: Location) -> None:
        self._breaks.append((after, tuple(self._open)))
        self._continues.append((again, tuple(self._open)))
        self.statement(body)
        self._breaks.pop()
        self._continues.pop()

    def _do(self, node: Node) -> None:
        builder = self.builder
        body, condition = node.children
        head, test, after = builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._keyword(node)
        self._at(node)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        self._loop_body(body, after, test)
        self._at(condition)
        builder.go(test)
        builder.enter(test)
        self._decide(node, condition, head, after)
        builder.enter(after)

    def _for(self, node: Node) -> None:
        builder = self.builder
        first, condition, step, body = node.children
        if first is not None:
            self.statement(first)
        head, inside, again, after = builder.new(), builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._keyword(node)
        self._at(condition or node)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        if condition is not None:
            self._decide(node, condition, inside, after)
        else:
            builder.go(inside)
        builder.enter(inside)
        self._loop_body(body, after, again)
        builder.go(again)
        builder.enter(again)
        if step is not None:
            self._at(step)
            self.effect(step)
        builder.go(head)
        builder.enter(after)

    def _switch(self, node: Node) -> None:
        builder = self.builder
        subject, body = node.children
        self._at(subject)
        value = builder.save(self.scalar(subject))
        labels = _cases_of(body)
        targets = {label: builder.new() for label in labels}
        ways = {label: self._way_to(targets[label], self._scopes.at_case(label)) for label in labels}
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
        self._breaks.append((after, tuple(self._open)))
        self.statement(body)
        self._breaks.pop()
        self._cases.pop()
        builder.go(after)
        builder.enter(after)

    def _case(self, node: Node) -> None:
        while True:  # `case 1: case 2: …` nests
            target = self._cases[-1][node]
            self.builder.go(target)
            self.builder.enter(target)
            inner = node.children[0]
            if inner.kind not in (Kind.CASE, Kind.DEFAULT):
                break
            node = inner
        self.statement(inner)

    def _label_location(self, name: str) -> Location:
        if name not in self._labels:
            self._labels[name] = self.builder.new()
        return self._labels[name]

    def _label(self, node: Node) -> None:
        self._at(node)
        target = self._label_location(node.value)
        self.builder.go(target)
        # Also reached by a goto that comes later in the text.
        self.builder.here = target
        if node.value in self.context.specification.labels:
            self.builder.error(UNREACH)
        for child in node.children:
            self.statement(child)

    def _goto(self, node: Node) -> None:
        self._at(node)
        self._jump(self._label_location(node.value), self._scopes.at_label(node.value))

    def _computed_goto(self, node: Node) -> None:
        self._at(node)
        value = self.builder.save(self.scalar(node.children[0]))
        if self.builder.here is not None:
            self._computed.append((self.builder.here, value, self.builder.origin, list(self._open)))
            self.builder.here = None

    def _dispatch_computed_gotos(self) -> None:
        for location, value, origin, open_scopes in self._computed:
            self.builder.here, self.builder.origin, self._open = location, origin, open_scopes
            self.builder.choose(
                [
                    (
                        eq(value, self.memory.pointer(number)),
                        self._way_to(self._label_location(name), self._scopes.at_label(name)),
                    )
                    for name, number in self.label_numbers.items()
                ]
            )

    def _break(self, node: Node) -> None:
        self._at(node)
        self._jump(*self._breaks[-1])

    def _continue(self, node: Node) -> None:
        self._at(node)
        self._jump(*self._continues[-1])

    def _return(self, node: Node) -> None:
        self._at(node)
        returns = self.context.signature(self.function).returns
        if node.children:
            given = node.children[0]
            if isinstance(self.function.type.result, Void):
                self.effect(given)
            else:
                value = self.value(given)
                if isinstance(value, Term):
                    value = (self._adapt(value, given.type, self.function.type.result),)
                for target, term in zip(returns, value, strict=True):
                    self.builder.assign(target, term)
        self._leave()

    def _asm(self, node: Node) -> None:
        """Inline assembly gives its outputs arbitrary values."""
        self._at(node)
        self.context.assume("inline assembly changes nothing but its outputs")
        for i, operand in enumerate(node.children):
            if i < node.value:
                while operand.kind is Kind.CONVERT:
                    operand = operand.children[0]
                target = self.lvalue(operand)
                self.store(target, self.arbitrary(operand.type))
            else:
                self.effect(operand)

    def statement_expression(self, node: Node) -> Value:
        scope = self._scopes.blocks.get(node.children[0])
        if scope is None:
            return self._value_of_block(node)
        self._enter(scope)
        value = self._value_of_block(node)
        self._quit(scope)
        return value

    def _value_of_block(self, node: Node) -> Value:
        body = node.children[0]
        for child in body.children[:-1]:
            self.statement(child)
        if not body.children:
            return ()
        last = body.children[-1]
        while last.kind is Kind.LABEL and last.children:
            self._label(Node(Kind.LABEL, last.type, (), "", last.value, last.range))
            last = last.children[0]
        if last.kind is Kind.EXPRESSION and not isinstance(node.type, Void):
            outer = self.builder.origin
            self._at(last)
            value = self.value(last.children[0])
            self.builder.origin = outer
            return self._saved(value)
        self.statement(last)
        return ()


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


_HANDLERS: dict[Kind, Any] = {
    Kind.COMPOUND: Control._compound,
    Kind.DECLARATIONS: Control._compound,
    Kind.EXPRESSION: Control._expression,
    Kind.EMPTY: Control._empty,
    Kind.DECLARE: Control._declare,
    Kind.DECLARE_TYPE: Control._declare_type,
    Kind.IF: Control._if,
    Kind.WHILE: Control._while,
    Kind.DO: Control._do,
    Kind.FOR: Control._for,
    Kind.SWITCH: Control._switch,
    Kind.CASE: Control._case,
    Kind.DEFAULT: Control._case,
    Kind.LABEL: Control._label,
    Kind.GOTO: Control._goto,
    Kind.COMPUTED_GOTO: Control._computed_goto,
    Kind.BREAK: Control._break,
    Kind.CONTINUE: Control._continue,
    Kind.RETURN: Control._return,
    Kind.ASM: Control._asm,
}
