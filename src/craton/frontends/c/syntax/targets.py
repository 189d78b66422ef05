"""What jumps may lead to."""

from __future__ import annotations

from craton.frontends.c.syntax.nodes import Kind, Node, Variable

_TARGETS = frozenset({Kind.LABEL, Kind.CASE, Kind.DEFAULT})


def holds_targets(root: Node) -> bool:
    """Whether there are labels in a statement, those of a switch included."""
    stack: list[Node | None] = [root]
    while stack:
        node = stack.pop()
        if node is None:
            continue
        if node.kind in _TARGETS:
            return True
        stack.extend(node.children)
        if node.kind is Kind.DECLARE:
            variable: Variable = node.value
            stack.extend((variable.initializer, *(length for _, length in variable.dimensions)))
        elif node.kind is Kind.DECLARE_TYPE:
            stack.extend(length for _, length in node.value)
    return False
