"""The declarations of a translation unit: functions and variables by name, and where things stand in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from craton.frontends.c.clang.bindings import (
    CXCursor,
    CXLocation,
    CXRange,
    Raw,
    Unit,
    children,
    expansion,
    lib,
    text,
    tree,
)
from craton.frontends.c.clang.types import TypeReader
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import ArrayType, CType, FunctionType, Pointer
from craton.program.origin import SourceRange

_STATEMENTS = range(200, 300)
EXTERN, _STATIC = 2, 3
# What is never an array nor a function (C11 6.3.2.1).
_VALUES = frozenset(
    {
        Kind.CONVERT,
        Kind.BINARY,
        Kind.CONDITIONAL,
        Kind.ELVIS,
        Kind.ASSIGN,
        Kind.COMPOUND_ASSIGN,
        Kind.STEP,
        Kind.STATEMENT_EXPRESSION,
    }
)


class Program:
    """All translation units, linked by name."""

    def __init__(self) -> None:
        self.definitions: dict[str, DeclarationReader] = {}  # which unit defines a function that all can call
        self.globals: dict[str, Variable] = {}
        self.units: list[DeclarationReader] = []

    def function(self, name: str) -> Function | None:
        """The function of that name that is not static, if it is defined."""
        unit = self.definitions.get(name)
        return unit.defined(name) if unit is not None else None

    def body(self, function: Function) -> Node | None:
        """The function's body, read when first asked for."""
        if function.body is None:
            self.units[function.unit].read_body(function)
        return function.body


class DeclarationReader:
    """Reads one translation unit's declarations into a `Program`; what they are made of is left to others."""

    def __init__(self, unit: Unit, program: Program, pointer_size: int) -> None:
        self.unit = unit
        self.program = program
        self.number = len(program.units)
        program.units.append(self)
        self.types = TypeReader(pointer_size)
        self._definitions: dict[str, CXCursor] = {}
        self._locals: dict[int, Variable] = {}
        self._globals: dict[str, Variable] = {}
        self._functions: dict[str, Function] = {}
        self._contents: dict[int | None, bytes] = {}
        self._names: dict[int | None, str] = {}
        self._places: dict[tuple[int, int | None, int | None], tuple[int | None, int, int, int]] = {}
        self._function = ""
        self._literals = 0
        self._main, self._base = unit.main_file()
        text_ = self._contents[self._main] = unit.file_contents(self._main)
        self._lines = [0, *(match.end() for match in re.finditer(rb"\n", text_))]
        self._end = self._base + len(text_)
        self._find_definitions()

    def expression(self, raw: Raw) -> Node:
        raise NotImplementedError

    def statement(self, raw: Raw) -> Node:
        raise NotImplementedError

    # --- declarations -------------------------------------------------------------------------------------------------

    def _find_definitions(self) -> None:
        """Definitions by name; of variables the one with an initialiser, else any that is not extern."""
        functions = lib()
        for cursor in children(self.unit.cursor()):
            if cursor.kind == 8:
                name = text(functions.clang_getCursorSpelling(cursor))
                if functions.clang_isCursorDefinition(cursor):
                    self._definitions[name] = cursor
                    if functions.clang_Cursor_getStorageClass(cursor) != _STATIC:
                        self.program.definitions.setdefault(name, self)
            elif cursor.kind == 9:
                name = text(functions.clang_getCursorSpelling(cursor))
                has_value = not functions.clang_Cursor_isNull(functions.clang_Cursor_getVarDeclInitializer(cursor))
                tentative = functions.clang_Cursor_getStorageClass(cursor) != EXTERN
                if has_value or (tentative and name not in self._definitions):
                    self._definitions[name] = cursor
                elif tentative and not self._has_value(self._definitions[name]):
                    if self.types.of_cursor(cursor).size > self.types.of_cursor(self._definitions[name]).size:
                        self._definitions[name] = cursor

    def _has_value(self, cursor: CXCursor) -> bool:
        return not lib().clang_Cursor_isNull(lib().clang_Cursor_getVarDeclInitializer(cursor))

    def _declare_function(self, name: str, cursor: CXCursor) -> Function:
        known = self._functions.get(name)
        if known is None:
            declared = self._definitions.get(name, cursor)
            function_type = self.types.of_cursor(declared)
            if not isinstance(function_type, FunctionType):
                function_type = FunctionType(self.types.void, (), False, False)
            static = lib().clang_Cursor_getStorageClass(declared) == _STATIC
            symbol = f"{name}@{self.number}" if static and self.number else name
            known = self._functions[name] = Function(name, symbol, function_type, self.number)
            known.range = self.source_range(lib().clang_getCursorExtent(declared))
        return known

    def function_named(self, name: str, cursor: CXCursor) -> Function:
        """The definition if some unit has one, else the declaration."""
        elsewhere = self.program.function(name) if name not in self._definitions else None
        return elsewhere or self._declare_function(name, cursor)

    def defined(self, name: str) -> Function | None:
        """The function this unit defines, static or not."""
        cursor = self._definitions.get(name)
        return self._declare_function(name, cursor) if cursor is not None and cursor.kind == 8 else None

    def read_body(self, function: Function) -> None:
        cursor = self._definitions.get(function.name)
        if cursor is None:
            return
        self._function = function.symbol
        raw = tree(cursor)
        function.parameters = [self._variable(child) for child in raw.children if child.kind == 10]
        for child in raw.children:
            if child.kind == 202:
                function.body = self.statement(child)

    def _variable(self, raw: Raw) -> Variable:
        cursor = raw.cursor
        known = self._locals.get(cursor.a or 0)
        if known is not None:
            return known
        functions = lib()
        name = text(functions.clang_getCursorSpelling(cursor))
        storage_class = functions.clang_Cursor_getStorageClass(cursor)
        if cursor.kind != 10 and storage_class == EXTERN:
            return self._global(name, cursor)
        storage = Storage.PARAMETER if cursor.kind == 10 else Storage.LOCAL
        if storage_class == _STATIC:
            storage = Storage.STATIC
        type_ = self.types.of_cursor(cursor)
        variable = Variable(name, self.types.decayed(type_) if cursor.kind == 10 else type_, storage, self._function)
        variable.range = self.source_range(functions.clang_getCursorExtent(cursor))
        self._locals[cursor.a or 0] = variable
        initializer = functions.clang_Cursor_getVarDeclInitializer(cursor) if cursor.kind == 9 else None
        parts = [child for child in raw.children if 100 <= child.kind < 200]
        if initializer is not None and not functions.clang_Cursor_isNull(initializer):
            for child in parts:
                if child.cursor.b == initializer.b:
                    variable.initializer = self.expression(child)
                    parts.remove(child)
                    break
        variable.dimensions = self._dimensions(type_, parts)
        return variable

    def _dimensions(self, type_: CType, parts: list[Raw]) -> tuple[Any, ...]:
        """Pairs of variable-length array type and length; clang lists the lengths innermost first."""
        arrays: list[ArrayType] = []
        inner = type_
        while isinstance(inner, ArrayType | Pointer):
            if isinstance(inner, ArrayType):
                arrays.append(inner)
                inner = inner.element
            else:
                inner = inner.target
        arrays.reverse()
        if not any(a.variable for a in arrays):
            return ()
        lengths = [part for part in parts if part.kind != 119]
        return tuple(
            (array, self.expression(length)) for array, length in zip(arrays, lengths, strict=False) if array.variable
        )

    def _global(self, name: str, cursor: CXCursor) -> Variable:
        definition = self._definitions.get(name)
        static = definition is not None and lib().clang_Cursor_getStorageClass(definition) == _STATIC
        table = self._globals if static else self.program.globals
        known = table.get(name)
        if known is not None:
            return known
        if definition is None:
            for unit in self.program.units:
                other = unit._definitions.get(name)
                if other is not None and other.kind == 9 and lib().clang_Cursor_getStorageClass(other) != _STATIC:
                    return unit._global(name, other)
        declared = cursor if definition is None else definition
        label = f"{name}@{self.number}" if static and self.number else name
        variable = table[name] = Variable(label, self.types.of_cursor(declared), Storage.GLOBAL, None)
        variable.range = self.source_range(lib().clang_getCursorExtent(declared))
        variable.defined = definition is not None
        if definition is not None:
            initializer = lib().clang_Cursor_getVarDeclInitializer(definition)
            if not lib().clang_Cursor_isNull(initializer):
                outer, self._function = self._function, ""
                variable.initializer = self.expression(tree(initializer))
                self._function = outer
        return variable

    # --- positions ----------------------------------------------------------------------------------------------------

    def _place(self, a: int | None, b: int | None, offset: int) -> tuple[int | None, int, int, int]:
        if self._base <= offset <= self._end:  # clang would count from the line's beginning, which may be far
            position = offset - self._base
            line = bisect_right(self._lines, position)
            return self._main, line, position - self._lines[line - 1] + 1, position
        key = (offset, a, b)
        found = self._places.get(key)
        if found is None:
            location = CXLocation(a, b, offset)
            found = self._places[key] = expansion(location)
        return found

    def source_range(self, extent: CXRange | tuple[int, int, int | None, int | None]) -> SourceRange | None:
        if isinstance(extent, CXRange):
            begin, end, a, b = extent.begin, extent.end, extent.a, extent.b
        else:
            begin, end, a, b = extent
        if begin == 0:
            return None
        file, line, column, _ = self._place(a, b, begin)
        _, end_line, end_column, _ = self._place(a, b, end)
        return SourceRange(self._file_name(file), line, column, end_line, end_column)

    def _file_name(self, file: int | None) -> str:
        if file not in self._names:
            self._names[file] = text(lib().clang_getFileName(file))
        return self._names[file]

    def _source(self, cursor: CXCursor) -> tuple[bytes, int, int, bool]:
        """The file a cursor is in, the offsets of its begin and end, and whether a macro hides its parts."""
        extent = lib().clang_getCursorExtent(cursor)
        file, _, _, begin = self._place(extent.a, extent.b, extent.begin)
        _, _, _, end = self._place(extent.a, extent.b, extent.end)
        if file not in self._contents:
            self._contents[file] = self.unit.file_contents(file)
        return self._contents[file], begin, end, extent.begin >= 1 << 31

    def _node(self, kind: Kind, raw: Raw, parts: tuple[Any, ...] = (), op: str = "", value: Any = None) -> Node:
        extent = lib().clang_getCursorExtent(raw.cursor)
        place = (extent.begin, extent.end, extent.a, extent.b)
        type_ = self.types.void if raw.kind in _STATEMENTS else self.types.of_cursor(raw.cursor)
        if kind in _VALUES:
            type_ = self.types.decayed(type_)
        return Node(kind, type_, parts, op, value, place)

    def _unsupported(self, construct: str, raw: Raw) -> Unsupported:
        return Unsupported(construct, self.source_range(lib().clang_getCursorExtent(raw.cursor)))
