"""Operations on floats of which compilers may know the result before the program runs, and the model may not, or the
other way round: what is rounded is known, but is not written as an expression of literals.

gcc computes `1.0 / 3.0` itself, to nearest, and so it does `(x = 1) / 3.0` and `sqrt(2.0)`, but not `rint(2.5)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from craton.frontends.c.syntax.expressions import direct_callee
from craton.frontends.c.syntax.nodes import Function, Kind, Node, Storage
from craton.frontends.c.syntax.types import Floating, Integer

_OPERATORS = frozenset("+-*/")
_LITERAL = (Kind.NUMBER, Kind.CONVERT, Kind.UNARY, Kind.BINARY)
_ROUNDING = "rint nearbyint lrint llrint sqrt fma fdim".split()
_FUNCTIONS = frozenset(f"{prefix}{name}{end}" for prefix in ("", "__") for name in _ROUNDING for end in ("", "f", "l"))


def doubtful_rounding(function: Function) -> Node | None:
    """Some such operation of a function."""
    nodes = _nodes(function.body) if function.body is not None else ()
    return next((node for node in nodes if _rounds(node) and _is_known(node) and not _is_literal(node)), None)


def _nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in node.children if isinstance(child, Node)]
        if (
            node.kind is Kind.DECLARE
            and node.value.initializer is not None
            and node.value.storage is not Storage.STATIC
        ):
            waiting.append(node.value.initializer)


def _rounds(node: Node) -> bool:
    if node.kind is Kind.CALL:
        callee = direct_callee(node)
        return callee is not None and callee.is_external and callee.name.removeprefix("__builtin_") in _FUNCTIONS
    if not isinstance(node.type, Floating):
        return False
    if node.kind is Kind.BINARY:
        return node.op in _OPERATORS
    if node.kind is not Kind.CONVERT:
        return False
    given, digits = node.children[0].type, node.type.sort.significand_bits
    if isinstance(given, Floating):
        return given.sort.significand_bits > digits
    return isinstance(given, Integer) and given.width > digits


def _is_known(node: Node) -> bool:
    """Whether a compiler may know a value that does not optimize."""
    children = [child for child in node.children if isinstance(child, Node)]
    match node.kind:
        case Kind.NUMBER | Kind.STATEMENT_EXPRESSION | Kind.COMPOUND_LITERAL:
            return True
        case Kind.CONVERT | Kind.UNARY | Kind.MEMBER:
            return _is_known(children[0])
        case Kind.BINARY if node.op != ",":
            return all(map(_is_known, children))
        case Kind.BINARY | Kind.ASSIGN | Kind.SUBSCRIPT:
            return _is_known(children[0 if node.kind is Kind.SUBSCRIPT else -1])
        case Kind.CONDITIONAL | Kind.ELVIS:
            return any(map(_is_known, children[-2:]))
        case Kind.CALL:
            callee = direct_callee(node)
            return callee is not None and callee.is_external and all(map(_is_known, children[1:]))
    return False


def _is_literal(node: Node) -> bool:
    return all(each.kind in _LITERAL and each.op != "," for each in _nodes(node))
