"""What the text of an expression alone says of the address or number it is, for the constraints of `points_to`."""

from __future__ import annotations

from craton.frontends.c.syntax.expressions import constant_number, direct_callee, without_decay
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import ArrayType

_FEW_BITS = 16  # numbers below: no more than alignment can tell
_SMALL_STEP = 4096


def is_inside(element: Node) -> bool:
    """Whether an element is surely one of its array."""
    array, index = element.children
    number, count = constant_number(index), _count(array)
    return number is not None and count is not None and 0 <= number < count


def is_outside(array: Node, index: Node) -> bool:
    """Whether an element is surely none of its array, nor the one behind its last."""
    number, count = constant_number(index), _count(array)
    return number is not None and not 0 <= number <= (count or number)


def _count(array: Node) -> int | None:
    """How many elements an array has, by its type; None if that does not say it."""
    t = without_decay(array).type
    return t.count if isinstance(t, ArrayType) else None


def is_small_step(node: Node) -> bool:
    """Whether an operation leaves an address what it is: near the same object."""
    left, right = (constant_number(child) for child in node.children)
    number = right if right is not None else left if node.op in ("+", "&", "|") else None
    if number is None:
        return False
    return node.op in ("+", "-", "|", "&") and (
        abs(number) < _SMALL_STEP or (node.op == "&" and ~number % 2**32 < _SMALL_STEP)
    )


def is_low_bits(node: Node) -> bool:
    """Whether only a few low bits of a number are left: they hold no address any more."""
    if node.op not in ("&", "%"):
        return False
    numbers = [constant_number(child) for child in (node.children if node.op == "&" else node.children[1:])]
    return any(number is not None and 0 <= number < _FEW_BITS for number in numbers)


def is_member(node: Node) -> bool:
    """Whether an l-value is a member of a struct, or an element of an array that is one; not of a union."""
    while True:
        if node.kind is Kind.MEMBER:
            return not node.value.record.is_union and (node.op == "->" or not _in_union(node.children[0]))
        inside = node.kind is Kind.SUBSCRIPT and is_array(node.children[0])
        if not inside and not (node.kind is Kind.CONVERT and isinstance(node.children[0].type, ArrayType)):
            return False
        node = node.children[0]


def _in_union(node: Node) -> bool:
    """Whether an l-value lies inside a union, as far as its path shows."""
    while node.children and node.kind in (Kind.MEMBER, Kind.SUBSCRIPT, Kind.CONVERT):
        if node.kind is Kind.MEMBER and node.value.record.is_union:
            return True
        if node.kind is Kind.MEMBER and node.op == "->":
            return False
        node = node.children[0]
    return False


def is_from_outside(node: Node) -> bool:
    """Whether a number is one that somebody chose who is not in the program."""
    while node.kind is Kind.CONVERT:
        node = node.children[0]
    if node.kind is not Kind.CALL:
        return False
    function = direct_callee(node)
    return function is None or function.is_external


def is_array(node: Node) -> bool:
    """Whether a subscripted value is an array itself, not a pointer that was computed."""
    return isinstance(without_decay(node).type, ArrayType)
