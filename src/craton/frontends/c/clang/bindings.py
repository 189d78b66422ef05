"""The thin layer over libclang: its C functions, called directly.

The Python bindings that come with libclang wrap every call in objects and miss the operator kinds; calling the C
functions ourselves is several times faster, and a front end lives on these calls. Nothing outside this package
knows libclang.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_longlong,
    c_uint,
    c_ulong,
    c_ulonglong,
    c_void_p,
)
from pathlib import Path
from typing import Any

from craton.errors import CratonError


class CXString(Structure):
    _fields_ = (("data", c_void_p), ("flags", c_uint))


class CXCursor(Structure):
    _fields_ = (("kind", c_int), ("xdata", c_int), ("a", c_void_p), ("b", c_void_p), ("c", c_void_p))
    kind: int
    a: int | None
    b: int | None

    @property
    def key(self) -> tuple[int, int | None, int | None]:
        return (self.kind, self.a, self.b)


class CXType(Structure):
    _fields_ = (("kind", c_int), ("a", c_void_p), ("b", c_void_p))
    kind: int
    a: int


class CXLocation(Structure):
    _fields_ = (("a", c_void_p), ("b", c_void_p), ("offset", c_uint))
    offset: int


class CXRange(Structure):
    _fields_ = (("a", c_void_p), ("b", c_void_p), ("begin", c_uint), ("end", c_uint))
    a: int | None
    b: int | None
    begin: int
    end: int


class CXUnsavedFile(Structure):
    _fields_ = (("name", c_char_p), ("contents", c_char_p), ("length", c_ulong))


VISITOR = CFUNCTYPE(c_int, CXCursor, CXCursor, c_void_p)
INCLUSION_VISITOR = CFUNCTYPE(None, c_void_p, c_void_p, c_uint, c_void_p)
FIELD_VISITOR = CFUNCTYPE(c_int, CXCursor, c_void_p)
BREAK, CONTINUE, RECURSE = 0, 1, 2
_IGNORED = {10, 43, 44, 45, 46}  # references to types and templates, and parameters in the types of functions
_NO_INITIALIZERS, _TERSE = 6, 17  # properties of printing

_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "clang_createIndex": (c_void_p, (c_int, c_int)),
    "clang_disposeIndex": (None, (c_void_p,)),
    "clang_parseTranslationUnit2": (
        c_int,
        (c_void_p, c_char_p, POINTER(c_char_p), c_int, c_void_p, c_uint, c_uint, POINTER(c_void_p)),
    ),
    "clang_disposeTranslationUnit": (None, (c_void_p,)),
    "clang_getTranslationUnitCursor": (CXCursor, (c_void_p,)),
    "clang_getNumDiagnostics": (c_uint, (c_void_p,)),
    "clang_getDiagnostic": (c_void_p, (c_void_p, c_uint)),
    "clang_disposeDiagnostic": (None, (c_void_p,)),
    "clang_getDiagnosticSeverity": (c_int, (c_void_p,)),
    "clang_formatDiagnostic": (CXString, (c_void_p, c_uint)),
    "clang_getDiagnosticLocation": (CXLocation, (c_void_p,)),
    "clang_getCString": (c_char_p, (CXString,)),
    "clang_disposeString": (None, (CXString,)),
    "clang_visitChildren": (c_uint, (CXCursor, VISITOR, c_void_p)),
    "clang_Type_visitFields": (c_uint, (CXType, FIELD_VISITOR, c_void_p)),
    "clang_getCursorType": (CXType, (CXCursor,)),
    "clang_getCursorExtent": (CXRange, (CXCursor,)),
    "clang_getCursorLocation": (CXLocation, (CXCursor,)),
    "clang_getCursorReferenced": (CXCursor, (CXCursor,)),
    "clang_getCursorDefinition": (CXCursor, (CXCursor,)),
    "clang_getCanonicalCursor": (CXCursor, (CXCursor,)),
    "clang_getCursorSpelling": (CXString, (CXCursor,)),
    "clang_Cursor_getMangling": (CXString, (CXCursor,)),
    "clang_Cursor_hasAttrs": (c_uint, (CXCursor,)),
    "clang_Cursor_isFunctionInlined": (c_uint, (CXCursor,)),
    "clang_getCursorLinkage": (c_int, (CXCursor,)),
    "clang_getCursorPrintingPolicy": (c_void_p, (CXCursor,)),
    "clang_PrintingPolicy_setProperty": (None, (c_void_p, c_int, c_uint)),
    "clang_PrintingPolicy_dispose": (None, (c_void_p,)),
    "clang_getCursorPrettyPrinted": (CXString, (CXCursor, c_void_p)),
    "clang_getCursorSemanticParent": (CXCursor, (CXCursor,)),
    "clang_getTypeSpelling": (CXString, (CXType,)),
    "clang_isConstQualifiedType": (c_uint, (CXType,)),
    "clang_isVolatileQualifiedType": (c_uint, (CXType,)),
    "clang_getRangeStart": (CXLocation, (CXRange,)),
    "clang_getRangeEnd": (CXLocation, (CXRange,)),
    "clang_getExpansionLocation": (
        None,
        (CXLocation, POINTER(c_void_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)),
    ),
    "clang_Location_isInSystemHeader": (c_int, (CXLocation,)),
    "clang_getFile": (c_void_p, (c_void_p, c_char_p)),
    "clang_getLocationForOffset": (CXLocation, (c_void_p, c_void_p, c_uint)),
    "clang_getFileName": (CXString, (c_void_p,)),
    "clang_getInclusions": (None, (c_void_p, INCLUSION_VISITOR, c_void_p)),
    "clang_getFileContents": (c_void_p, (c_void_p, c_void_p, POINTER(c_ulong))),
    "clang_getCursorBinaryOperatorKind": (c_int, (CXCursor,)),
    "clang_getCursorUnaryOperatorKind": (c_int, (CXCursor,)),
    "clang_Cursor_getVarDeclInitializer": (CXCursor, (CXCursor,)),
    "clang_Cursor_getStorageClass": (c_int, (CXCursor,)),
    "clang_Cursor_getOffsetOfField": (c_longlong, (CXCursor,)),
    "clang_Cursor_isBitField": (c_uint, (CXCursor,)),
    "clang_getFieldDeclBitWidth": (c_int, (CXCursor,)),
    "clang_Cursor_getNumArguments": (c_int, (CXCursor,)),
    "clang_Cursor_getArgument": (CXCursor, (CXCursor, c_uint)),
    "clang_Cursor_isNull": (c_int, (CXCursor,)),
    "clang_isCursorDefinition": (c_uint, (CXCursor,)),
    "clang_getEnumConstantDeclValue": (c_longlong, (CXCursor,)),
    "clang_getEnumConstantDeclUnsignedValue": (c_ulonglong, (CXCursor,)),
    "clang_getEnumDeclIntegerType": (CXType, (CXCursor,)),
    "clang_getCanonicalType": (CXType, (CXType,)),
    "clang_getUnqualifiedType": (CXType, (CXType,)),
    "clang_getPointeeType": (CXType, (CXType,)),
    "clang_getArrayElementType": (CXType, (CXType,)),
    "clang_getArraySize": (c_longlong, (CXType,)),
    "clang_getResultType": (CXType, (CXType,)),
    "clang_getNumArgTypes": (c_int, (CXType,)),
    "clang_getArgType": (CXType, (CXType, c_uint)),
    "clang_isFunctionTypeVariadic": (c_uint, (CXType,)),
    "clang_getTypeDeclaration": (CXCursor, (CXType,)),
    "clang_Type_getSizeOf": (c_longlong, (CXType,)),
    "clang_Type_getAlignOf": (c_longlong, (CXType,)),
    "clang_Type_getValueType": (CXType, (CXType,)),
    "clang_Cursor_Evaluate": (c_void_p, (CXCursor,)),
    "clang_EvalResult_getKind": (c_int, (c_void_p,)),
    "clang_EvalResult_getAsLongLong": (c_longlong, (c_void_p,)),
    "clang_EvalResult_isUnsignedInt": (c_uint, (c_void_p,)),
    "clang_EvalResult_getAsUnsigned": (c_ulonglong, (c_void_p,)),
    "clang_EvalResult_getAsDouble": (c_double, (c_void_p,)),
    "clang_EvalResult_dispose": (None, (c_void_p,)),
}


def _load() -> CDLL:
    # Parsing on our own thread, whose stack is large, instead of on one of libclang's with 8 MiB.
    os.environ.setdefault("LIBCLANG_NOTHREADS", "1")
    try:
        import clang
    except ImportError as missing:
        raise CratonError("libclang is not installed; `pip install libclang` brings it") from missing
    for folder in clang.__path__:
        for name in ("libclang.so", "libclang.dylib", "libclang.dll"):
            path = Path(folder) / "native" / name
            if path.exists():
                library = CDLL(str(path))
                for function, (result, arguments) in _SIGNATURES.items():
                    prototype = getattr(library, function)
                    prototype.restype = result
                    prototype.argtypes = arguments
                return library
    raise CratonError("the installed `clang` package has no libclang library; `pip install libclang` brings one")


_library: CDLL | None = None


def lib() -> Any:
    """libclang, loaded when first needed."""
    global _library
    if _library is None:
        _library = _load()
    return _library


def text(string: CXString) -> str:
    """The text of a libclang string, which is freed."""
    found: bytes | None = lib().clang_getCString(string)
    result = "" if found is None else found.decode("utf-8", "replace")
    lib().clang_disposeString(string)
    return result


class Diagnostic:
    """A message of clang: its severity (4 is fatal, 3 an error, 2 a warning) and its text with position."""

    __slots__ = ("severity", "text")

    def __init__(self, severity: int, message: str) -> None:
        self.severity = severity
        self.text = message


class Unit:
    """A parsed translation unit. It stays alive as long as cursors into it are used."""

    def __init__(self, path: str, arguments: Sequence[str], contents: bytes) -> None:
        functions = lib()
        self.path = path
        self._index = functions.clang_createIndex(0, 0)
        encoded = [a.encode() for a in arguments]
        vector = (c_char_p * len(encoded))(*encoded)
        unsaved = (CXUnsavedFile * 1)(CXUnsavedFile(path.encode(), contents, len(contents)))
        unit = c_void_p()
        code = functions.clang_parseTranslationUnit2(
            self._index, path.encode(), vector, len(encoded), unsaved, 1, 0, byref(unit)
        )
        self._unit = unit.value if code == 0 else None

    @property
    def parsed(self) -> bool:
        return self._unit is not None

    def cursor(self) -> CXCursor:
        cursor: CXCursor = lib().clang_getTranslationUnitCursor(self._unit)
        return cursor

    def diagnostics(self) -> list[Diagnostic]:
        functions = lib()
        found = []
        for i in range(functions.clang_getNumDiagnostics(self._unit)):
            diagnostic = functions.clang_getDiagnostic(self._unit, i)
            severity = functions.clang_getDiagnosticSeverity(diagnostic)
            found.append(Diagnostic(severity, text(functions.clang_formatDiagnostic(diagnostic, 0x03))))
            functions.clang_disposeDiagnostic(diagnostic)
        return found

    def close(self) -> None:
        if self._unit is not None:
            lib().clang_disposeTranslationUnit(self._unit)
            self._unit = None
        if self._index is not None:
            lib().clang_disposeIndex(self._index)
            self._index = None

    def main_file(self) -> tuple[int | None, int]:
        """The file that was parsed, and the number by which locations in it are shifted."""
        functions = lib()
        file = functions.clang_getFile(self._unit, self.path.encode())
        return file, functions.clang_getLocationForOffset(self._unit, file, 0).offset

    def files(self) -> list[tuple[str, bytes]]:
        """All that was read, with their names."""
        found: list[int] = []
        visit = INCLUSION_VISITOR(lambda file, stack, depth, data: found.append(file))
        lib().clang_getInclusions(self._unit, visit, None)
        return [(text(lib().clang_getFileName(file)), self.file_contents(file)) for file in dict.fromkeys(found)]

    def file_contents(self, file: int | None) -> bytes:
        if not file:
            return b""
        size = c_ulong()
        pointer = lib().clang_getFileContents(self._unit, file, byref(size))
        return ctypes.string_at(pointer, size.value) if pointer else b""


def children(cursor: CXCursor) -> list[CXCursor]:
    found: list[CXCursor] = []

    def visit(child: CXCursor, parent: CXCursor, data: Any) -> int:
        found.append(child)
        return CONTINUE

    lib().clang_visitChildren(cursor, VISITOR(visit), None)
    return found


def fields(record: CXType) -> list[CXCursor]:
    found: list[CXCursor] = []

    def visit(child: CXCursor, data: Any) -> int:
        found.append(child)
        return CONTINUE

    lib().clang_Type_visitFields(record, FIELD_VISITOR(visit), None)
    return found


class Raw:
    """A node of clang's tree with its children."""

    __slots__ = ("children", "cursor", "kind")

    def __init__(self, cursor: CXCursor) -> None:
        self.cursor = cursor
        self.kind = cursor.kind
        self.children: list[Raw] = []


def tree(root: CXCursor) -> Raw:
    """The whole tree below a cursor, read in one visit: clang walks in preorder and names each node's parent."""
    top = Raw(root)
    path: list[tuple[tuple[int, int | None, int | None], Raw]] = [(root.key, top)]

    def visit(child: CXCursor, parent: CXCursor, data: Any) -> int:
        key = (parent.kind, parent.a, parent.b)
        while len(path) > 1 and path[-1][0] != key:
            path.pop()
        node = Raw(child)
        path[-1][1].children.append(node)
        path.append(((child.kind, child.a, child.b), node))
        return RECURSE

    lib().clang_visitChildren(root, VISITOR(visit), None)
    return top


def parts_of(raw: Raw) -> list[Raw]:
    """The operands of an expression and the parts of a statement, without the types that it names."""
    return [child for child in raw.children if child.kind not in _IGNORED]


def begin(cursor: CXCursor) -> int:
    """Where a construct begins, as clang numbers places; macros' places differ from those they stand at."""
    place: int = lib().clang_getCursorExtent(cursor).begin
    return place


def type_kind(cursor: CXCursor) -> int:
    kind: int = lib().clang_getCursorType(cursor).kind
    return kind


def evaluate_integer(cursor: CXCursor) -> int | None:
    """The value of an integer constant expression, None if clang cannot tell."""
    functions = lib()
    result = functions.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        if functions.clang_EvalResult_getKind(result) != 1:
            return None
        if functions.clang_EvalResult_isUnsignedInt(result):
            return int(functions.clang_EvalResult_getAsUnsigned(result))
        return int(functions.clang_EvalResult_getAsLongLong(result))
    finally:
        functions.clang_EvalResult_dispose(result)


def evaluate_float(cursor: CXCursor) -> float | None:
    """The value of a floating constant expression as a double, None if clang cannot tell."""
    functions = lib()
    result = functions.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        if functions.clang_EvalResult_getKind(result) != 2:
            return None
        return float(functions.clang_EvalResult_getAsDouble(result))
    finally:
        functions.clang_EvalResult_dispose(result)


_NO_INITIALIZERS, _TERSE = 6, 17


def printed(declaration: CXCursor, *, terse: bool = False) -> str:
    """A declaration as clang writes it: attributes spelled out, macros expanded; `terse` is without bodies and
    values.
    """
    functions = lib()
    policy = functions.clang_getCursorPrintingPolicy(declaration)
    try:
        if terse:
            functions.clang_PrintingPolicy_setProperty(policy, _NO_INITIALIZERS, 1)
            functions.clang_PrintingPolicy_setProperty(policy, _TERSE, 1)
        return text(functions.clang_getCursorPrettyPrinted(declaration, policy))
    finally:
        functions.clang_PrintingPolicy_dispose(policy)


def expansion(location: CXLocation) -> tuple[int | None, int, int, int]:
    """(file, line, column, offset) of a location, outside of macros."""
    file, line, column, offset = c_void_p(), c_uint(), c_uint(), c_uint()
    lib().clang_getExpansionLocation(location, byref(file), byref(line), byref(column), byref(offset))
    return file.value, line.value, column.value, offset.value
