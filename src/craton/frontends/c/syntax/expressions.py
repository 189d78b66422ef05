"""What an expression shows without being evaluated: the function it calls, the variable it is a part of, the elements a
pointer points to.
"""

from __future__ import annotations

from craton.frontends.c.syntax.nodes import Function, Kind, Node, Variable
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    is_callable_as,
)


def root_variable(node: Node) -> Variable | None:
    """The variable an l-value is a part of, if no pointer is followed."""
    while True:
        if node.kind in (Kind.VARIABLE, Kind.COMPOUND_LITERAL):
            variable: Variable = node.value
            return variable
        if (
            (node.kind is Kind.MEMBER and node.op == ".")
            or (node.kind is Kind.SUBSCRIPT and isinstance(node.children[0].type, ArrayType))
            or (node.kind is Kind.CONVERT and isinstance(node.children[0].type, ArrayType))
        ):
            node = node.children[0]
        else:
            return None


def without_conversions(node: Node) -> Node:
    """What is converted."""
    while node.kind is Kind.CONVERT:
        node = node.children[0]
    return node


def without_decay(node: Node) -> Node:
    """The array, where a pointer is that to its first element; not one that was converted to a pointer to others."""
    while node.kind is Kind.CONVERT:
        inner = node.children[0]
        if _element(inner.type) is None or _element(inner.type) != _element(node.type):
            break
        node = inner
    return node


def _element(t: CType) -> int | None:
    """The size of what lies one behind the other where a pointer points, or in an array."""
    return t.target.size if isinstance(t, Pointer) else t.element.size if isinstance(t, ArrayType) else None


def literal_text(node: Node) -> str | None:
    """The text of an argument that is a literal, up to its end."""
    while node.kind is Kind.CONVERT:
        node = node.children[0]
    if node.kind is not Kind.STRING:
        return None
    units: list[int] = node.value
    return bytes(unit & 255 for unit in units).split(b"\0")[0].decode("latin-1")


def addressed_function(node: Node) -> Function | None:
    """The function whose address a constant is, if it is one."""
    while node.kind in (Kind.CONVERT, Kind.ADDRESS):
        node = node.children[0]
    return node.value if node.kind is Kind.FUNCTION else None


def direct_callee(call: Node) -> Function | None:
    """The function a call names, if it does."""
    callee = call.children[0]
    while callee.kind in (Kind.CONVERT, Kind.DEREFERENCE, Kind.ADDRESS):
        if callee.kind is Kind.CONVERT and callee.op == "cast" and not _same_shape(callee):
            return None
        callee = callee.children[0]
    return callee.value if callee.kind is Kind.FUNCTION else None


def _same_shape(cast: Node) -> bool:
    inner = cast.children[0].type
    inner = inner.target if isinstance(inner, Pointer) else inner
    outer = cast.type.target if isinstance(cast.type, Pointer) else cast.type
    return (
        isinstance(inner, FunctionType)
        and isinstance(outer, FunctionType)
        and is_callable_as(inner, outer, len(outer.parameters if outer.prototyped else inner.parameters))
    )


def constant_number(node: Node) -> int | None:
    """The value of a constant integer expression, as far as its text shows it."""
    match node.kind:
        case Kind.NUMBER if isinstance(node.value, int):
            return node.value
        case Kind.CONVERT if isinstance(node.type, Integer | Pointer):
            value = constant_number(node.children[0])
            if value is None or not isinstance(node.type, Integer) or node.type.boolean:
                return value
            value %= 1 << node.type.width
            return value - (1 << node.type.width) if node.type.signed and value >> (node.type.width - 1) else value
        case Kind.UNARY if node.op in ("~", "-"):
            value = constant_number(node.children[0])
            return None if value is None else ~value if node.op == "~" else -value
        case Kind.BINARY if node.op in ("+", "-"):
            a, b = (constant_number(child) for child in node.children)
            return None if a is None or b is None else a + b if node.op == "+" else a - b
    return None


def is_constant_address(pointer: Node) -> bool:
    """Whether the text shows which number a pointer is, wherever objects lie: `0`, `&((struct s *)0)->member`."""
    match pointer.kind:
        case Kind.NUMBER:
            return True
        case Kind.CONVERT if isinstance(pointer.type, Pointer):
            return is_constant_address(pointer.children[0])
        case Kind.ADDRESS:
            place = pointer.children[0]
            while place.kind is Kind.MEMBER and place.op == ".":
                place = place.children[0]
            return place.kind is Kind.MEMBER and place.op == "->" and is_constant_address(place.children[0])
    return False


def members_counted(number: Node) -> list[Node]:
    """The members, the innermost first, whose offset a number is that was computed as `&((struct s *)0)->member` is;
    none if it was computed otherwise.
    """
    address = without_conversions(number)
    if address.kind is not Kind.ADDRESS or not is_constant_address(address):
        return []
    found = [address.children[0]]
    while found[-1].op == ".":
        found.append(found[-1].children[0])
    return found if constant_number(found[-1].children[0]) == 0 else []


# --- arguments of memory functions ------------------------------------------------------------------------------------


def strip(node: Node) -> Node:
    """An argument before the conversions to `void *` that the prototype asks for."""
    while node.kind is Kind.CONVERT and isinstance(node.type, Pointer):
        inner = node.children[0]
        if not isinstance(inner.type, Pointer | ArrayType):
            break
        if isinstance(inner.type, Pointer) and isinstance(inner.type.target, Void):
            break
        node = inner
    return node


def element_type(node: Node) -> CType:
    """What the pointer handed to a memory function points to, as its static type says."""
    t = strip(node).type
    t = t.target if isinstance(t, Pointer) else t
    while isinstance(t, ArrayType):
        t = t.element
    return t


def is_named_array(node: Node) -> bool:
    """Whether an array is a variable or a member, or one inside of that: not one that a pointer says is there."""
    node = without_decay(node)
    while node.kind is Kind.SUBSCRIPT and isinstance(without_decay(node.children[0]).type, ArrayType):
        node = without_decay(node.children[0])
    return isinstance(node.type, ArrayType) and node.kind is not Kind.DEREFERENCE


def bytes_behind(node: Node) -> int:
    """How many bytes an object has at least from where a pointer points on, as far as the expression shows."""
    node = strip(node)
    if node.kind is Kind.ADDRESS:
        return _bytes_from(node.children[0])
    if is_named_array(node):
        return node.type.size
    return _scalar(node.type.target).size if isinstance(node.type, Pointer) else 0


def _bytes_from(node: Node) -> int:
    """The same of an l-value; an element has those behind it."""
    if node.kind is Kind.SUBSCRIPT and is_named_array(node.children[0]):
        array, index = without_decay(node.children[0]).type, constant_number(node.children[1])
        if isinstance(array, ArrayType) and array.count is not None and index is not None and 0 <= index < array.count:
            return array.size - index * array.element.size
    return node.type.size if not isinstance(node.type, ArrayType) or is_named_array(node) else _scalar(node.type).size


def _scalar(t: CType) -> CType:
    while isinstance(t, ArrayType):
        t = t.element
    return t


def is_multiple(size: Node, unit: int) -> bool:
    """Whether a byte count is a multiple of `unit`, unless it wraps around; that changes nothing for powers of two."""
    while size.kind is Kind.CONVERT and not (isinstance(size.type, Integer) and size.type.boolean):
        size = size.children[0]
    if unit == 1:
        return True
    if not isinstance(size.type, Integer):  # a product of floats is a multiple of nothing
        return False
    if size.kind is Kind.NUMBER:
        return unit > 0 and int(size.value) % unit == 0
    if size.kind is Kind.BINARY and size.op == "*":
        return any(is_multiple(child, unit) for child in size.children)
    if size.kind is Kind.BINARY and size.op in ("+", "-"):
        return all(is_multiple(child, unit) for child in size.children)
    return False


def copied_type(arguments: tuple[Node, ...]) -> CType | None:
    """The element type of a memcpy that copies whole elements of one type; None if it copies bytes."""
    target, source = element_type(arguments[0]), element_type(arguments[1])
    if target is source or (
        not isinstance(target, Record | Void)
        and not isinstance(source, Record | Void)
        and target.size == source.size
        and isinstance(target, Floating) == isinstance(source, Floating)
        and isinstance(target, Pointer) == isinstance(source, Pointer)
    ):
        if target.size and not isinstance(target, Void | FunctionType) and is_multiple(arguments[2], target.size):
            return target
    return None
