"""Bit-fields that are wider than int and narrower than their declared type. C leaves open which type they have in
expressions: gcc computes with as many bits as they have, clang in the declared type. Where both come to the same, that
is what an expression means; elsewhere it is not modelled.
"""

from __future__ import annotations

from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import is_signed

_INT = 32
_CARRIES = frozenset({"+", "-", "*", "<<"})


def is_wide_field(node: Node) -> bool:
    if node.kind is not Kind.MEMBER or node.value.bits is None:
        return False
    return bool(_INT < node.value.bits < 8 * node.value.type.size)


def depends_on_wide_fields(node: Node) -> bool:
    """Whether the result of a binary operation depends on the types of bit-fields among its operands."""
    left, right = node.children
    if node.op == "<<":
        return is_wide_field(left)
    if node.op == ">>" or not (is_wide_field(left) or is_wide_field(right)):
        return False
    field, other = (left, right) if is_wide_field(left) else (right, left)
    if is_wide_field(other):
        return node.op in _CARRIES or is_signed(field.type) is not is_signed(other.type)
    if other.kind is not Kind.CONVERT or other.op == "cast":
        return False  # it has all the bits of the declared type
    if node.op in _CARRIES:
        return True
    given = other.children[0]
    return not is_signed(field.type) and is_signed(given.type) and not (given.kind is Kind.NUMBER and given.value >= 0)
