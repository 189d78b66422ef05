"""The declarations of a translation unit: functions and variables by name."""

from __future__ import annotations

import re
from typing import Any

from craton.frontends.c.clang.bindings import CXCursor, Raw, Unit, children, lib, text, tree
from craton.frontends.c.clang.expressions import ExpressionReader
from craton.frontends.c.clang.nodes import NodeMaker
from craton.frontends.c.syntax.nodes import Function, Storage, Variable
from craton.frontends.c.syntax.program import Program
from craton.frontends.c.syntax.types import ArrayType, CType, FunctionType, Pointer

EXTERN, _STATIC = 2, 3


class Declarations:
    """The declarations of one translation unit; the values of variables and the lengths of arrays are expressions."""

    def __init__(
        self, unit: Unit, number: int, program: Program, nodes: NodeMaker, expressions: ExpressionReader
    ) -> None:
        self.function = ""  # the symbol of the function that is being read
        self.public: dict[str, None] = {}  # functions defined here that all units can call
        self._program = program
        self._number = number
        self._types = nodes.types
        self._positions = nodes.positions
        self._expressions = expressions
        self._definitions: dict[str, CXCursor] = {}
        self._locals: dict[int, Variable] = {}
        self._globals: dict[str, Variable] = {}
        self._functions: dict[str, Function] = {}
        self._find_definitions(unit)

    def _find_definitions(self, unit: Unit) -> None:
        """Definitions by name; of variables the one with an initialiser, else any that is not extern."""
        functions = lib()
        for cursor in children(unit.cursor()):
            if cursor.kind == 8:
                name = text(functions.clang_getCursorSpelling(cursor))
                if functions.clang_isCursorDefinition(cursor):
                    self._definitions[name] = cursor
                    if functions.clang_Cursor_getStorageClass(cursor) != _STATIC:
                        self.public[name] = None
            elif cursor.kind == 9:
                name = text(functions.clang_getCursorSpelling(cursor))
                has_value = not functions.clang_Cursor_isNull(functions.clang_Cursor_getVarDeclInitializer(cursor))
                tentative = functions.clang_Cursor_getStorageClass(cursor) != EXTERN
                if has_value or (tentative and name not in self._definitions):
                    self._definitions[name] = cursor
                elif tentative and not self._has_value(self._definitions[name]):
                    if self._types.of_cursor(cursor).size > self._types.of_cursor(self._definitions[name]).size:
                        self._definitions[name] = cursor

    def _has_value(self, cursor: CXCursor) -> bool:
        return not lib().clang_Cursor_isNull(lib().clang_Cursor_getVarDeclInitializer(cursor))

    def _declare_function(self, name: str, cursor: CXCursor) -> Function:
        known = self._functions.get(name)
        if known is None:
            declared = self._definitions.get(name, cursor)
            function_type = self._types.of_cursor(declared)
            if not isinstance(function_type, FunctionType):
                function_type = FunctionType(self._types.void, (), False, False)
            static = lib().clang_Cursor_getStorageClass(declared) == _STATIC
            symbol = f"{name}@{self._number}" if static and self._number else name
            known = self._functions[name] = Function(name, symbol, function_type, self._number)
            known.range = self._positions.source_range(lib().clang_getCursorExtent(declared))
            known.stops = self._is_noreturn(declared)
        return known

    def _is_noreturn(self, cursor: CXCursor) -> bool:
        """The attribute is part of the type; the keyword stands in the text only."""
        if "noreturn" in text(lib().clang_getTypeSpelling(lib().clang_getCursorType(cursor))):
            return True
        contents, begin, end, _ = self._positions.source(cursor)
        return re.search(rb"\b_Noreturn\b|\bnoreturn\b", contents[begin:end].split(b"{")[0]) is not None

    def function_named(self, name: str, cursor: CXCursor) -> Function:
        """The definition if some unit has one, else the declaration."""
        elsewhere = self._program.function(name) if name not in self._definitions else None
        if elsewhere is not None:
            return elsewhere
        function = self._declare_function(name, cursor)
        if name not in self._definitions and self._program.library is not None:
            function.handled = self._program.library.is_handled(name)
        return function

    def defined(self, name: str) -> Function | None:
        """The function this unit defines, static or not."""
        cursor = self._definitions.get(name)
        return self._declare_function(name, cursor) if cursor is not None and cursor.kind == 8 else None

    def definition(self, name: str) -> CXCursor | None:
        return self._definitions.get(name)

    def exported(self, name: str) -> Variable | None:
        """The variable this unit defines for all units."""
        cursor = self._definitions.get(name)
        if cursor is None or cursor.kind != 9 or lib().clang_Cursor_getStorageClass(cursor) == _STATIC:
            return None
        return self.global_(name, cursor)

    def local(self, cursor: CXCursor) -> Variable | None:
        """A local or parameter that was declared before."""
        return self._locals.get(cursor.a or 0)

    def variable(self, raw: Raw) -> Variable:
        cursor = raw.cursor
        known = self._locals.get(cursor.a or 0)
        if known is not None:
            return known
        functions = lib()
        name = text(functions.clang_getCursorSpelling(cursor))
        storage_class = functions.clang_Cursor_getStorageClass(cursor)
        if cursor.kind != 10 and storage_class == EXTERN:
            return self.global_(name, cursor)
        storage = Storage.PARAMETER if cursor.kind == 10 else Storage.LOCAL
        if storage_class == _STATIC:
            storage = Storage.STATIC
        type_ = self._types.of_cursor(cursor)
        variable = Variable(name, self._types.decayed(type_) if cursor.kind == 10 else type_, storage, self.function)
        variable.range = self._positions.source_range(functions.clang_getCursorExtent(cursor))
        self._locals[cursor.a or 0] = variable
        initializer = functions.clang_Cursor_getVarDeclInitializer(cursor) if cursor.kind == 9 else None
        parts = [child for child in raw.children if 100 <= child.kind < 200]
        if initializer is not None and not functions.clang_Cursor_isNull(initializer):
            for child in parts:
                if child.cursor.b == initializer.b:
                    variable.initializer = self._expressions.expression(child)
                    parts.remove(child)
                    break
        variable.dimensions = self.dimensions(type_, parts)
        return variable

    def dimensions(self, type_: CType, parts: list[Raw]) -> tuple[Any, ...]:
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
            (array, self._expressions.expression(length))
            for array, length in zip(arrays, lengths, strict=False)
            if array.variable
        )

    def global_(self, name: str, cursor: CXCursor) -> Variable:
        definition = self._definitions.get(name)
        static = definition is not None and lib().clang_Cursor_getStorageClass(definition) == _STATIC
        table = self._globals if static else self._program.globals
        known = table.get(name)
        if known is not None:
            return known
        if definition is None:
            for unit in self._program.units:
                other = unit.exported(name)
                if other is not None:
                    return other
        declared = cursor if definition is None else definition
        label = f"{name}@{self._number}" if static and self._number else name
        variable = table[name] = Variable(label, self._types.of_cursor(declared), Storage.GLOBAL, None)
        variable.range = self._positions.source_range(lib().clang_getCursorExtent(declared))
        variable.defined = definition is not None
        variable.external = not static
        if definition is not None:
            initializer = lib().clang_Cursor_getVarDeclInitializer(definition)
            if not lib().clang_Cursor_isNull(initializer):
                outer, self.function = self.function, ""
                variable.initializer = self._expressions.expression(tree(initializer))
                self.function = outer
        return variable
