"""clang's types into ours, one object per canonical type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from craton.frontends.c.clang.bindings import CXCursor, CXType, children, fields, lib, text
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.types import (
    FLOAT_SORTS,
    ArrayType,
    CType,
    Field,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    place_bit_fields,
)

_ENUM_CONSTANT = 7
_UNSIGNED = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
_RANKS = {3: 0, 4: 1, 5: 1, 13: 1, 14: 1, 8: 2, 16: 2, 6: 2, 9: 3, 17: 3, 7: 3, 15: 3}
_RANKS |= {10: 4, 18: 4, 11: 5, 19: 5, 12: 6, 20: 6}
_INTEGERS = set(_RANKS)
_NAMES = {3: "_Bool", 4: "char", 5: "unsigned char", 8: "unsigned short", 9: "unsigned int", 10: "unsigned long"}
_NAMES |= {11: "unsigned long long", 12: "unsigned __int128", 13: "char", 14: "signed char", 15: "wchar_t"}
_NAMES |= {16: "short", 17: "int", 18: "long", 19: "long long", 20: "__int128", 21: "float", 22: "double"}
_NAMES |= {23: "long double", 30: "__float128", 31: "_Float16", 32: "_Float16", 6: "char16_t", 7: "char32_t"}


class TypeReader:
    """The types of one translation unit."""

    def __init__(self, pointer_size: int) -> None:
        self._pointer_size = pointer_size
        self._by_pointer: dict[tuple[int, int], CType] = {}  # any clang type
        self._canonical: dict[tuple[int, int], CType] = {}
        self._decayed: dict[ArrayType | FunctionType, Pointer] = {}
        self.fields: dict[int, Field] = {}  # by declaration
        self.void = Void()

    def of_cursor(self, cursor: CXCursor) -> CType:
        return self.of(lib().clang_getCursorType(cursor))

    def of(self, clang_type: CXType) -> CType:
        """The type. If it has no translation, nothing of what was made on the way stays: a record that contains such a
        type is not complete, and neither is what points to it.
        """
        key = (clang_type.kind, clang_type.a)
        found = self._by_pointer.get(key)
        if found is not None:
            return found
        tables: tuple[dict[Any, Any], ...] = (self._by_pointer, self._canonical, self.fields)
        sizes = [len(table) for table in tables]
        try:
            return self._of(clang_type, key)
        except Unsupported:
            for table, size in zip(tables, sizes, strict=True):
                while len(table) > size:
                    table.popitem()
            raise

    def _of(self, clang_type: CXType, key: tuple[int, int]) -> CType:
        found = self._by_pointer.get(key)
        if found is None:
            functions = lib()
            canonical = functions.clang_getUnqualifiedType(functions.clang_getCanonicalType(clang_type))
            canonical_key = (canonical.kind, canonical.a)
            found = self._canonical.get(canonical_key)
            if found is None:
                found = self._make(canonical, canonical_key)
                self._canonical[canonical_key] = found
            self._by_pointer[key] = found
        return found

    def decayed(self, t: CType) -> CType:
        """What a value of this type is: arrays and functions are pointers.

        clang's interface undoes this for everything whose type comes from an array parameter, so `c ? a : 0` would seem
        to be an array.
        """
        if not isinstance(t, ArrayType | FunctionType):
            return t
        if t not in self._decayed:
            size = self._pointer_size
            self._decayed[t] = Pointer(size, size, t.element if isinstance(t, ArrayType) else t)
        return self._decayed[t]

    def pointer_to(self, t: CType) -> Pointer:
        return Pointer(self._pointer_size, self._pointer_size, t)

    def _make(self, t: CXType, key: tuple[int, int]) -> CType:
        functions = lib()
        kind = t.kind
        if kind in _INTEGERS:
            size, align = functions.clang_Type_getSizeOf(t), functions.clang_Type_getAlignOf(t)
            return Integer(size, align, kind not in _UNSIGNED, _NAMES[kind], kind == 3, _RANKS[kind])
        if kind in FLOAT_SORTS:
            size, align = functions.clang_Type_getSizeOf(t), functions.clang_Type_getAlignOf(t)
            sort = FLOAT_SORTS[kind]
            if kind == 23 and size == 8:
                sort = FLOAT_SORTS[22]
            return Floating(size, align, _NAMES[kind], sort)
        if kind == 2 or kind in (0, 1, 24):
            return self.void
        if kind in (101, 102, 103):  # pointers, blocks, and references in the types of builtins
            size = align = self._pointer_size
            pointer = Pointer(size, align, self.void)
            self._canonical[key] = pointer
            pointer.target = self.of(functions.clang_getPointeeType(t))
            return pointer
        if kind == 105:
            return self._record(t, key)
        if kind == 106:
            declaration = functions.clang_getTypeDeclaration(t)
            underlying = self.of(functions.clang_getEnumDeclIntegerType(declaration))
            if isinstance(underlying, Integer):
                name = text(functions.clang_getTypeSpelling(t))
                constants = tuple(_constants(declaration))
                return Integer(
                    underlying.size, underlying.align, underlying.signed, name, False, underlying.rank, constants
                )
            return Integer(4, 4, False, "enum", False, 3)
        if kind in (110, 111):
            count = max(functions.clang_getNumArgTypes(t), 0)
            parameters = tuple(self.of(functions.clang_getArgType(t, i)) for i in range(count))
            result = self.of(functions.clang_getResultType(t))
            variadic = bool(functions.clang_isFunctionTypeVariadic(t)) and kind == 111
            return FunctionType(result, parameters, variadic, kind == 111)
        if kind in (112, 114, 115):
            element = self.of(functions.clang_getArrayElementType(t))
            if kind == 112:
                return ArrayType(element, int(functions.clang_getArraySize(t)))
            return ArrayType(element, None, kind == 115)
        if kind == 177:
            return self.of(functions.clang_Type_getValueType(t))
        raise Unsupported(f"type `{text(functions.clang_getTypeSpelling(t))}`", None)

    def _record(self, t: CXType, key: tuple[int, int]) -> Record:
        functions = lib()
        declaration = functions.clang_getTypeDeclaration(t)
        spelling = text(functions.clang_getTypeSpelling(t))
        name = spelling.removeprefix("struct ").removeprefix("union ")
        size = functions.clang_Type_getSizeOf(t)
        record = Record(name, declaration.kind == 3, by_typedef=name == spelling and name.isidentifier())
        self._canonical[key] = record
        if size < 0:
            return record
        record.size, record.align, record.complete = size, functions.clang_Type_getAlignOf(t), True
        for index, cursor in enumerate(fields(t)):
            bits = functions.clang_getFieldDeclBitWidth(cursor) if functions.clang_Cursor_isBitField(cursor) else None
            member = Field(
                text(functions.clang_getCursorSpelling(cursor)),
                self.of_cursor(cursor),
                functions.clang_Cursor_getOffsetOfField(cursor),
                bits,
                record,
                index,
            )
            if isinstance(member.type, Record) and member.name.startswith(("struct ", "union ", f"{name}::")):
                member.name = ""
            if "(anonymous" in member.name or "(unnamed" in member.name:
                member.name = ""
            record.fields.append(member)
            self.fields[cursor.a or 0] = member
        place_bit_fields(record)
        return record


def _constants(enumeration: CXCursor) -> Iterator[tuple[int, str]]:
    """Values and names; where several names have a value, the last one."""
    functions = lib()
    for constant in children(enumeration):
        if constant.kind == _ENUM_CONSTANT:
            yield functions.clang_getEnumConstantDeclValue(constant), text(functions.clang_getCursorSpelling(constant))
