"""Where a program asks which type an expression of bit-fields has. C leaves that open: for clang it is the declared
type, for gcc one with as many bits as they have, of which nobody can speak otherwise. Who asks is not
followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from craton.frontends.c.clang.bindings import CXCursor, Raw, Unit, begin, children, lib, text, tree
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.wide_fields import is_wide

_MEMBER = 102
_FIELD, _FUNCTION, _VARIABLE, _PARAMETER, _NAME_OF_TYPE = 6, 8, 9, 10, 20
_CONVERSIONS = frozenset({117, 118})  # casts, compound literals
_WITH_TYPES = frozenset({_FIELD, _FUNCTION, _VARIABLE, _PARAMETER, _NAME_OF_TYPE, *_CONVERSIONS})
_UNEXPOSED, _IN_BRACKETS, _BODY = 100, 111, 202
_INT, _AUTO = 17, 118  # types


def speaks_of_bit_fields(raw: Raw) -> bool:
    return any(_bits(member) is not None for member in _members(raw))


def typeof_wide_fields(raw: Raw) -> Raw | None:
    """Where `typeof` or `__auto_type` is asked of a bit-field whose type matters, if that is done anywhere."""
    asking = (node for node in _nodes(raw) if node.kind in _WITH_TYPES and _asks_for_type(node))
    found = next((node for node in asking if any(map(_has_wide_fields, _asked(node)))), None)
    return found or next((node for node in _nodes(raw) if _compares_types(node)), None)


def refuse_typeof_outside(unit: Unit, texts: Mapping[str, bytes]) -> None:
    """The same where no function is defined: of what all functions speak of."""
    if not any(b"typeof" in contents for contents in texts.values()):
        return
    for cursor in children(unit.cursor()):
        if cursor.kind != _FUNCTION or not lib().clang_isCursorDefinition(cursor):
            if typeof_wide_fields(tree(cursor)) is not None:
                raise Unsupported(
                    f"`typeof` of a bit-field wider than int in the declaration of `{_name(cursor)}`", None
                )


def _name(cursor: CXCursor) -> str:
    return text(lib().clang_getCursorSpelling(cursor))


def _asked(raw: Raw) -> list[Raw]:
    """The parts of which the type is asked. Values that are converted to it, as a variable begins, are none of them."""
    if raw.kind == _VARIABLE and lib().clang_getCursorType(raw.cursor).kind != _AUTO:
        value = lib().clang_Cursor_getVarDeclInitializer(raw.cursor)
        return [part for part in raw.children if part.cursor.key != value.key]
    if raw.kind in _CONVERSIONS:
        return raw.children[:-1]
    return [part for part in raw.children if part.kind != _BODY]


def _asks_for_type(raw: Raw) -> bool:
    type_ = lib().clang_getCursorType(raw.cursor)
    spelled = text(lib().clang_getTypeSpelling(type_))  # which for the name of a type is the name
    return raw.kind == _NAME_OF_TYPE or type_.kind == _AUTO or "typeof" in spelled


def _compares_types(raw: Raw) -> bool:
    """Whether types are compared (`__builtin_types_compatible_p`), one of them that of such a field. Conversions and
    `?:`, which clang does not name either, begin where their first operand begins, and designators have no type.
    """
    if raw.kind != _UNEXPOSED or lib().clang_getCursorType(raw.cursor).kind != _INT or not raw.children:
        return False
    asked = raw.children if begin(raw.children[0].cursor) != begin(raw.cursor) else ()
    return any(part.kind == _IN_BRACKETS and _has_wide_fields(part) for part in asked)


def _has_wide_fields(raw: Raw) -> bool:
    return any(map(_is_wide, _members(raw)))


def _is_wide(member: CXCursor) -> bool:
    return is_wide(_bits(member), lib().clang_Type_getSizeOf(lib().clang_getCursorType(member)))


def _bits(member: CXCursor) -> int | None:
    return lib().clang_getFieldDeclBitWidth(member) if lib().clang_Cursor_isBitField(member) else None


def _members(raw: Raw) -> Iterator[CXCursor]:
    return (lib().clang_getCursorReferenced(node.cursor) for node in _nodes(raw) if node.kind == _MEMBER)


def _nodes(raw: Raw) -> Iterator[Raw]:
    waiting = [raw]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children
