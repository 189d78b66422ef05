"""Statements that are no control flow: declarations, expressions, `return`; and sequences of statements."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import adapt
from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.lowering.blocks import Blocks
from craton.frontends.c.lowering.cleanups import Cleanups
from craton.frontends.c.lowering.exit import Exit
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.locals import Locals
from craton.frontends.c.lowering.results import saved
from craton.frontends.c.lowering.statements import Statements
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.memory.scopes import Scopes
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import Void
from craton.logic import Term


class SimpleStatements:
    """Lowers statements one after the other."""

    def __init__(
        self,
        frame: Frame,
        scopes: Scopes,
        *,
        statements: Statements,
        expressions: Expressions,
        unknowns: Unknowns,
        locals_: Locals,
        blocks: Blocks,
        cleanups: Cleanups,
        exit_: Exit,
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._function = frame.function
        self._builder = frame.builder
        self._scopes = scopes
        self._statements = statements
        self._expressions = expressions
        self._unknowns = unknowns
        self._locals = locals_
        self._blocks = blocks
        self._cleanups = cleanups
        self._exit = exit_

    def compound(self, node: Node) -> None:
        for child in node.children:
            self._statements.statement(child)

    def expression(self, node: Node) -> None:
        self._frame.at(node)
        self._expressions.effect(node.children[0])

    def empty(self, node: Node) -> None:
        pass

    def unmodelled(self, node: Node) -> None:
        """What the reader has no translation for."""
        self._frame.at(node)
        self._builder.unmodelled(node.value)

    def declare(self, node: Node) -> None:
        self._frame.at(node)
        self._locals.declare(node.value)
        self._cleanups.declare(node)

    def declare_type(self, node: Node) -> None:
        self._frame.at(node)
        self._locals.measure(node.value)

    def return_(self, node: Node) -> None:
        self._frame.at(node)
        returns = self._context.signature(self._function).returns
        if node.children:
            given = node.children[0]
            if isinstance(self._function.type.result, Void):
                self._expressions.effect(given)
            else:
                value = self._expressions.value(given)
                if isinstance(value, Term):
                    value = (adapt(value, given.type, self._function.type.result),)
                for target, term in zip(returns, value, strict=True):
                    self._builder.assign(target, term)
        self._cleanups.run_to(())
        self._exit.leave()

    # --- statements as values -----------------------------------------------------------------------------------------

    def statement_expression(self, node: Node) -> Value:
        """GNU's `({ … })`: its value is that of its last statement."""
        scope, due = self._scopes.blocks.get(node.children[0]), self._cleanups.due
        if scope is not None:
            self._blocks.enter(scope)
        value = self._value_of_block(node)
        self._cleanups.close(due)
        if scope is not None:
            self._blocks.quit(scope)
        return value

    def _value_of_block(self, node: Node) -> Value:
        body = node.children[0]
        for child in body.children[:-1]:
            self._statements.statement(child)
        if not body.children:
            return ()
        last = body.children[-1]
        while last.kind is Kind.LABEL and last.children:
            self._statements.statement(Node(Kind.LABEL, last.type, (), "", last.value, last.range))
            last = last.children[0]
        if last.kind is Kind.EXPRESSION and not isinstance(node.type, Void):
            outer = self._builder.origin
            self._frame.at(last)
            value = self._expressions.value(last.children[0])
            self._builder.origin = outer
            return saved(self._builder, value)
        self._statements.statement(last)
        if self._builder.here is None:  # nobody waits for its value
            return self._unknowns.arbitrary(node.type)
        return ()
