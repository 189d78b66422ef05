"""Where a program asks which type an expression of bit-fields has. C leaves that open: for clang it is the declared
type, for gcc one with as many bits as they have, of which nobody can speak otherwise. Who asks is not
followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from craton.frontends.c.clang.bindings import CXCursor, Raw, lib, text
from craton.frontends.c.syntax.wide_fields import is_wide

_MEMBER = 102
_NAME_OF_TYPE = 20
_VARIABLE = 9
_CONVERSIONS = frozenset({117, 118})  # casts, compound literals
_WITH_TYPES = frozenset({_VARIABLE, _NAME_OF_TYPE, *_CONVERSIONS})
_AUTO = 118  # a type


def speaks_of_bit_fields(raw: Raw) -> bool:
    return any(_bits(member) is not None for member in _members(raw))


def typeof_wide_fields(raw: Raw) -> Raw | None:
    """Where `typeof` or `__auto_type` is asked of a bit-field whose type matters, if that is done anywhere."""
    asking = (node for node in _nodes(raw) if node.kind in _WITH_TYPES and _asks_for_type(node))
    return next((node for node in asking if any(_is_wide(m) for part in _asked(node) for m in _members(part))), None)


def _asked(raw: Raw) -> list[Raw]:
    """The parts of which the type is asked. Values that are converted to it, as a variable begins, are none of them."""
    if raw.kind == _VARIABLE and lib().clang_getCursorType(raw.cursor).kind != _AUTO:
        value = lib().clang_Cursor_getVarDeclInitializer(raw.cursor)
        return [part for part in raw.children if part.cursor.key != value.key]
    return raw.children[:-1] if raw.kind in _CONVERSIONS else list(raw.children)


def _asks_for_type(raw: Raw) -> bool:
    type_ = lib().clang_getCursorType(raw.cursor)
    spelled = text(lib().clang_getTypeSpelling(type_))  # which for the name of a type is the name
    return raw.kind == _NAME_OF_TYPE or type_.kind == _AUTO or "typeof" in spelled


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
