"""Where only the sign of a call's result counts, as C promises no more of comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from craton.frontends.c.syntax.nodes import Function, Kind, Node

_ORDERS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_CONDITIONS = frozenset({Kind.IF, Kind.WHILE, Kind.CONDITIONAL})
_known: WeakKeyDictionary[Function, frozenset[int]] = WeakKeyDictionary()


def only_sign_matters(function: Function, call: Node) -> bool:
    """Whether the call's result is compared with zero, or is a condition, and nothing else."""
    found = _known.get(function)
    if found is None:
        found = _known[function] = frozenset(id(node) for node in _compared(function))
    return id(call) in found


def _compared(function: Function) -> Iterator[Node]:
    """The nodes that are compared with zero; they live as long as the function's body."""
    stack = [function.body] if function.body is not None else []
    while stack:
        node = stack.pop()
        children = [child for child in node.children if child is not None]
        stack.extend(children)
        if node.kind is Kind.BINARY and node.op in _ORDERS:
            left, right = map(_inner, children)
            if _is_zero(right):
                yield left
            if _is_zero(left):
                yield right
        elif (node.kind is Kind.UNARY and node.op == "!") or (node.kind is Kind.BINARY and node.op in ("&&", "||")):
            yield from map(_inner, children)
        elif node.kind in _CONDITIONS:
            yield _inner(children[0])


def _inner(node: Node) -> Node:
    while node.kind is Kind.CONVERT:
        node = node.children[0]
    return node


def _is_zero(node: Node) -> bool:
    return node.kind is Kind.NUMBER and node.value == 0
