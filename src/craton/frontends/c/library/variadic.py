"""va_start, va_copy, va_end."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.records import builtins
from craton.frontends.c.syntax.nodes import Node
from craton.frontends.c.syntax.types import Record


@builtins("va_start")
def _va_start(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    cursor = lower.variadic.cursor(arguments[0])
    signature = lower.context.signature(lower.function)
    if signature.variadic is None:
        raise lower.unsupported("va_start in a function without variable arguments", node)
    lower.access.store(cursor, signature.variadic)
    return ()


@builtins("va_end")
def _va_end(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    if not isinstance(arguments[0].type, Record):
        lower.expressions.effect(arguments[0])
    return ()


@builtins("va_copy")
def _va_copy(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.access.load(lower.variadic.cursor(arguments[1]))
    lower.access.store(lower.variadic.cursor(arguments[0]), value)
    return ()
