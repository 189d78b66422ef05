"""Bit-fields that are narrower than their declared type, and that is wider than int. C leaves open which type they have
in expressions: clang computes in the declared type, gcc with as many bits as they have, or in int if they fit there. We
read what gcc reads: operands and results are cut to the bits of their type, which is written as two shifts in the
declared type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import Integer, is_signed

_INT = 32
_ORDERS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "&", "|", "^"})
_AROUND = frozenset({Kind.STATEMENT_EXPRESSION, Kind.COMPOUND, Kind.EXPRESSION, Kind.LABEL})


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of an expression of such bit-fields: so many bits of an integer."""

    bits: int
    signed: bool
    declared: Integer

    @property
    def whole(self) -> Integer:
        """The type in which we compute."""
        return self.declared if self.declared.signed is self.signed else replace(self.declared, signed=self.signed)


def is_wide(bits: int | None, size: int) -> bool:
    """Whether a bit-field is such a one, declared with a type of so many bytes."""
    return bits is not None and bits < 8 * size > _INT


def field_type(node: Node) -> FieldType | None:
    """The type of an expression, if it is that of such a bit-field."""
    match node.kind:
        case Kind.MEMBER if is_wide(node.value.bits, node.value.type.size):
            bits, signed = node.value.bits, is_signed(node.value.type)
            return FieldType(max(bits, _INT), signed or bits < _INT, node.value.type)
        case Kind.BINARY if isinstance(node.value, FieldType):
            return node.value
        case Kind.BINARY if node.op == ",":
            return field_type(node.children[1])
        case Kind.STEP | Kind.ASSIGN | Kind.COMPOUND_ASSIGN:
            return field_type(node.children[0])
        case Kind.CONVERT if node.op != "cast" and _is_conversion_of_same_size(node):
            return field_type(node.children[0])
    return None


def with_field_types(node: Node) -> Node:
    """An operation as gcc means it where such bit-fields are among its operands; the same node elsewhere."""
    match node.kind:
        case Kind.BINARY if node.op in ("<<", ">>"):
            t = field_type(node.children[0])
            return node if t is None else _cut(node, t)
        case Kind.BINARY if node.op in _ARITHMETIC or node.op in _ORDERS:
            return _binary(node)
        case Kind.UNARY if node.op != "!":
            t = field_type(node.children[0])
            return node if t is None else _cut(node, t)
        case Kind.COMPOUND_ASSIGN if node.op in _ARITHMETIC:
            left, right = node.children
            t = field_type(left)
            if t is not None and _common(t, right) == t:
                node.children = (left, _cut(right, t))
        case Kind.CONDITIONAL if len(node.children) == 3:
            condition, then, otherwise = node.children
            t = _common_of(then, otherwise)
            if t is not None:
                node.children = (condition, _cut(then, t), _cut(otherwise, t))
                node.type = t.whole
                return _cut(node, t)
    return node


def not_followed(node: Node) -> str:
    """What is not read as gcc reads it, because its type would be that of such a bit-field; "" elsewhere."""
    match node.kind:
        case Kind.ELVIS if any(field_type(operand) is not None for operand in node.children):
            return "`?:` without an operand in the middle"
        case Kind.STATEMENT_EXPRESSION if field_type(_last(node)) is not None:
            return "a statement expression"
        case Kind.SWITCH:
            t = field_type(node.children[0])
            if t is not None and not all(_fits(low, t) and _fits(high, t) for low, high in _cases(node.children[1])):
                return "a `switch` whose cases are converted to the type"
    return ""


def _last(node: Node) -> Node:
    """What a statement expression is the value of."""
    while node.kind in _AROUND and node.children:
        node = node.children[-1]
    return node


def _cases(node: Node) -> Iterator[tuple[int, int]]:
    if node.kind is Kind.CASE:
        yield node.value
    for child in node.children:
        yield from _cases(child)


def _fits(number: int, t: FieldType) -> bool:
    return -(1 << t.bits - 1) <= number < 1 << t.bits - 1 if t.signed else 0 <= number < 1 << t.bits


def _binary(node: Node) -> Node:
    left, right = node.children
    t = _common_of(left, right)
    if t is None:
        return node
    node.children = (_cut(left, t), _cut(right, t))
    if node.op in _ORDERS:
        return node
    node.type = t.whole
    return _cut(node, t)


def _common_of(left: Node, right: Node) -> FieldType | None:
    """The type of both operands of an operation, if it is that of a bit-field."""
    a, b = field_type(left), field_type(right)
    if a is not None:
        return _common(a, right)
    return None if b is None else _common(b, left)


def _common(t: FieldType, other: Node) -> FieldType | None:
    """The usual arithmetic conversions: the wider type counts, and of two with as many bits the unsigned one."""
    u = field_type(other)
    if u is not None:
        if t.bits == u.bits:
            return u if t.signed else t
        return t if t.bits > u.bits else u
    if other.kind is not Kind.CONVERT or other.op == "cast":
        return None  # it has all the bits of the declared type
    given = other.children[0].type
    if not isinstance(given, Integer):
        return None
    if given.width < t.bits:
        return t
    return FieldType(given.width, given.signed and (t.signed or t.bits < given.width), t.declared)


def _cut(node: Node, t: FieldType) -> Node:
    """The value with so many bits; it is one already if it has that type."""
    if field_type(node) == t:
        return node if is_signed(node.type) is t.signed else _converted(node, t.whole)
    unsigned, whole = replace(t.declared, signed=False), t.whole
    count = Node(Kind.NUMBER, unsigned, (), "", t.declared.width - t.bits, node.range)
    up = Node(Kind.BINARY, unsigned, (_converted(node, unsigned), count), "<<", None, node.range)
    return Node(Kind.BINARY, whole, (_converted(up, whole), count), ">>", t, node.range)


def _converted(node: Node, t: Integer) -> Node:
    return Node(Kind.CONVERT, t, (node,), "cast", None, node.range)


def _is_conversion_of_same_size(node: Node) -> bool:
    given = node.children[0].type
    return isinstance(node.type, Integer) and isinstance(given, Integer) and given.size == node.type.size
