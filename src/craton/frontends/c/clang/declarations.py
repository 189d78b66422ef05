"""The declarations of a translation unit: functions and variables by name."""

from __future__ import annotations

import re
from typing import Any

from craton.frontends.c.clang.attributes import LAST, NONE, Attributes, attributes_of
from craton.frontends.c.clang.bindings import CXCursor, CXType, Raw, Unit, children, lib, printed, text, tree
from craton.frontends.c.clang.expressions import ExpressionReader
from craton.frontends.c.clang.nodes import NodeMaker
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.expressions import addressed_function
from craton.frontends.c.syntax.nodes import Function, Kind, Storage, Variable
from craton.frontends.c.syntax.program import Program, Strength, SymbolKind
from craton.frontends.c.syntax.types import ArrayType, CType, FunctionType, Pointer, are_compatible
from craton.program.origin import SourceRange

EXTERN, _STATIC, _REGISTER = 2, 3, 7
_UNEXPOSED, _FUNCTION, _VARIABLE, _PARAMETER = 1, 8, 9, 10
_INTERNAL = 2  # linkage
_NORETURN = re.compile(r"\b_Noreturn\b|\[\[(?:\w+::)?_*[Nn]oreturn_*\]\]")
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
_REGISTERS = re.compile(r"%?(?:[er]?(?:[abcd]x|[sd]i|[sb]p)|[abcd]l|r\d+[dwb]?|[xy]mm\d+)")
_REDIRECTED = ("__isoc99_", "__isoc23_", "__xpg_", "__")


def linker_name(cursor: CXCursor) -> str:
    """The name that the linker knows, which an asm label may give. Where the C library keeps versions of a function
    behind such labels, it is the function's own name.
    """
    functions = lib()
    name = text(functions.clang_getCursorSpelling(cursor))
    if not functions.clang_Cursor_hasAttrs(cursor):
        return name
    linked = text(functions.clang_Cursor_getMangling(cursor)).removeprefix("\1")
    versions = {name, f"{name}64", *(prefix + name for prefix in _REDIRECTED)}
    return name if not linked or linked in versions else linked


class Declarations:
    """The declarations of one translation unit; the values of variables and the lengths of arrays are expressions."""

    def __init__(
        self, unit: Unit, number: int, program: Program, nodes: NodeMaker, expressions: ExpressionReader
    ) -> None:
        self.function = ""  # the symbol of the function that is being read
        # Definitions that all units can use.
        self.public: dict[str, tuple[SymbolKind, Strength, SourceRange | None]] = {}
        self._program = program
        self._number = number
        self._types = nodes.types
        self._positions = nodes.positions
        self._forms = nodes.forms
        self._expressions = expressions
        self._declared: dict[str, CXCursor] = {}  # functions: the first declaration
        self._definitions: dict[str, CXCursor] = {}
        self._attributes: dict[str, Attributes] = {}  # of all declarations of a name together
        self._locals: dict[int, Variable] = {}
        self._globals: dict[str, Variable] = {}
        self._functions: dict[str, Function] = {}
        for cursor in children(unit.cursor()):
            if cursor.kind in (_FUNCTION, _VARIABLE):
                self._declare(cursor)
            elif cursor.kind == _UNEXPOSED and printed(cursor).startswith(("asm", "__asm")):
                raise self._unsupported("asm outside of functions", cursor)
        self._publish()

    # --- what the unit has --------------------------------------------------------------------------------------------

    def _declare(self, cursor: CXCursor) -> None:
        """Definitions by name; of variables the one with an initialiser, else any that is not extern."""
        functions = lib()
        name = linker_name(cursor)
        found = attributes_of(cursor)
        if found is not NONE:
            self._attributes[name] = self._attributes.get(name, NONE) | found
        if found.alias is not None:
            self._definitions.setdefault(name, cursor)
        elif cursor.kind == _FUNCTION:
            self._declared.setdefault(name, cursor)
            if functions.clang_isCursorDefinition(cursor) and not (self._is_inline(cursor) and _of_the_system(cursor)):
                self._definitions[name] = (
                    cursor  # where a header of the system has a body to inline, the library's is meant
                )
        else:
            tentative = functions.clang_Cursor_getStorageClass(cursor) != EXTERN
            if self._has_value(cursor) or (tentative and name not in self._definitions):
                self._definitions[name] = cursor
            elif tentative and not self._has_value(self._definitions[name]):
                if self._types.of_cursor(cursor).size > self._types.of_cursor(self._definitions[name]).size:
                    self._definitions[name] = cursor

    def _publish(self) -> None:
        """Lists what is not static."""
        for name, cursor in self._definitions.items():
            if self._is_static(cursor):
                continue
            found = self._attributes.get(name, NONE)
            strength = Strength.WEAK if found.weak else Strength.STRONG
            if cursor.kind != _FUNCTION and found.alias is None and not found.weak and not self._has_value(cursor):
                strength = Strength.COMMON
            if cursor.kind == _FUNCTION and found.alias is None and self._is_inline(cursor):
                strength = Strength.INLINE
            kind = SymbolKind.FUNCTION if cursor.kind == _FUNCTION else SymbolKind.VARIABLE
            where = self._positions.source_range(lib().clang_getCursorExtent(cursor))
            self.public[name] = (kind, strength, where)

    def _is_inline(self, cursor: CXCursor) -> bool:
        """An inline definition is no external one, unless it is `extern inline` without gnu_inline."""
        if not lib().clang_Cursor_isFunctionInlined(cursor):
            return False
        external = lib().clang_Cursor_getStorageClass(cursor) == EXTERN
        return not external or "gnu_inline" in printed(cursor, terse=True)

    def _is_of_the_library(self, cursor: CXCursor) -> bool:
        """GNU's `extern inline` in a header of the system repeats a function of the library: that is the one to call.
        Line markers of a preprocessor tell which text is from such a header.
        """
        functions = lib()
        if functions.clang_Cursor_getStorageClass(cursor) != EXTERN or not self._is_inline(cursor):
            return False
        return bool(functions.clang_Location_isInSystemHeader(functions.clang_getCursorLocation(cursor)))

    def start_and_end(self) -> None:
        """Tells the program which functions are called before and after `main`."""
        for name, found in self._attributes.items():
            cursor = self._definitions.get(name)
            if found.lists_functions and cursor is not None:
                self._list_functions(cursor, found)
            if cursor is None or cursor.kind != _FUNCTION:
                continue
            if found.constructor is not None or found.destructor is not None:
                function = self._declare_function(name, cursor)
                if found.constructor is not None:
                    self._program.constructors.append((found.constructor, function))
                if found.destructor is not None:
                    self._program.destructors.append((found.destructor, function))

    def _list_functions(self, cursor: CXCursor, found: Attributes) -> None:
        """A table that the system reads: of functions that are called like constructors or destructors. Where a unit
        has more than one, or such functions besides, their order is not known.
        """
        others = [each for each in self._attributes.values() if each.lists_functions]
        others += [each for each in self._attributes.values() if LAST in (each.constructor, each.destructor)]
        tables = {".init_array": self._program.constructors, ".fini_array": self._program.destructors}
        kept = not self._is_static(cursor) or "__attribute__((used))" in printed(cursor, terse=True)
        if found.section not in tables or cursor.kind != _VARIABLE or len(others) > 1 or not kept:
            raise self._unsupported(f"the section `{found.section}`", cursor)
        initializer = self.global_(cursor).initializer
        listed = initializer.children if initializer and initializer.kind is Kind.INIT_LIST else (initializer,)
        for entry in listed:
            function = None if entry is None else addressed_function(entry)
            if function is None:
                raise self._unsupported(f"the section `{found.section}`", cursor)
            tables[found.section].append((LAST, function))

    def _has_value(self, cursor: CXCursor) -> bool:
        return not lib().clang_Cursor_isNull(lib().clang_Cursor_getVarDeclInitializer(cursor))

    def _is_static(self, cursor: CXCursor) -> bool:
        return bool(lib().clang_getCursorLinkage(cursor) == _INTERNAL)

    def _unsupported(self, construct: str, cursor: CXCursor) -> Unsupported:
        return Unsupported(construct, self._positions.source_range(lib().clang_getCursorExtent(cursor)))

    def _check(self, found: Attributes, cursor: CXCursor) -> None:
        """Refuses what nobody understands."""
        if found.strange:
            raise self._unsupported(f"the attribute `{found.strange[0]}`", cursor)

    # --- functions ----------------------------------------------------------------------------------------------------

    def _declare_function(self, name: str, cursor: CXCursor) -> Function:
        known = self._functions.get(name)
        if known is None:
            declared = self._definitions.get(name, cursor)
            found = self._attributes.get(name, NONE)
            self._check(found, declared)
            if found.alias is not None:
                return self._aliased(name, found.alias, declared)
            function_type = self._types.of_cursor(declared)
            if not isinstance(function_type, FunctionType):
                function_type = FunctionType(self._types.void, (), False, False)
            symbol = f"{name}@{self._number}" if self._is_static(declared) and self._number else name
            known = self._functions[name] = Function(name, symbol, function_type, self._number)
            known.weak, known.inlined, known.effectless = found.weak, found.inlined, found.effectless
            known.range = self._positions.source_range(lib().clang_getCursorExtent(declared))
            known.stops = self._is_noreturn(declared)
        return known

    def _aliased(self, name: str, target: str, cursor: CXCursor) -> Function:
        """Another name of a function of this unit."""
        function = self.defined(target) if target != name else None
        if function is None or not are_compatible(self._types.of_cursor(cursor), function.type):
            raise self._unsupported(f"the alias `{name}` of {target}", cursor)
        return function

    def _is_noreturn(self, cursor: CXCursor) -> bool:
        """Whether it is declared not to return: gcc's attribute is part of the type, C's word of the declaration."""
        functions = lib()
        t = functions.clang_getCanonicalType(functions.clang_getCursorType(cursor))
        inner = [functions.clang_getArgType(t, i) for i in range(max(functions.clang_getNumArgTypes(t), 0))]
        of_parts = sum(map(_count_noreturn, [functions.clang_getResultType(t), *inner]))
        return _count_noreturn(t) > of_parts or _NORETURN.search(_TEXT.sub("", printed(cursor, terse=True))) is not None

    def function_named(self, cursor: CXCursor) -> Function:
        """The definition if some unit has one, else the declaration."""
        name = linker_name(cursor)
        definition = self._definitions.get(name)
        if definition is not None and self._is_static(definition):
            return self._declare_function(name, cursor)
        elsewhere = self._program.function(name)
        if elsewhere is None:
            return self._without_definition(name, cursor)
        if definition is None and not are_compatible(self._types.of_cursor(cursor), elsewhere.type):
            raise self._unsupported(f"{name}, declared with another type than it is defined with,", cursor)
        return elsewhere

    def _without_definition(self, name: str, cursor: CXCursor) -> Function:
        function = self._declare_function(name, cursor)
        if name not in self._definitions and self._program.library is not None:
            function.handled = self._program.library.is_handled(name)
        return function

    def defined(self, name: str) -> Function | None:
        """The function this unit defines, static or not."""
        cursor = self._definitions.get(name)
        return self._declare_function(name, cursor) if cursor is not None and cursor.kind == _FUNCTION else None

    def definition(self, name: str) -> CXCursor | None:
        return self._definitions.get(name)

    def cleanup_of(self, raw: Raw) -> Function | None:
        """The function that is called where the local's scope ends."""
        name = attributes_of(raw.cursor).cleanup
        if name is None:
            return None
        cursor = self._declared.get(name)
        if cursor is None:
            raise self._unsupported("the attribute `cleanup`", raw.cursor)
        return self.function_named(cursor)

    # --- variables ----------------------------------------------------------------------------------------------------

    def exported(self, name: str) -> Variable | None:
        """The variable this unit defines for all units."""
        cursor = self._definitions.get(name)
        if cursor is None or cursor.kind != _VARIABLE or self._is_static(cursor):
            return None
        return self.global_(cursor)

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
        if cursor.kind != _PARAMETER and storage_class == EXTERN:
            return self.global_(cursor)
        found = attributes_of(cursor)
        self._check(found, cursor)
        if found.assembler_name or found.lists_functions:
            raise self._unsupported("a variable in a register or section that its declaration names", cursor)
        storage = Storage.PARAMETER if cursor.kind == _PARAMETER else Storage.LOCAL
        if storage_class == _STATIC:
            storage = Storage.STATIC
        type_ = self._types.of_cursor(cursor)
        variable = Variable(
            name, self._types.decayed(type_) if cursor.kind == _PARAMETER else type_, storage, self.function
        )
        variable.range = self._positions.source_range(functions.clang_getCursorExtent(cursor))
        variable.constant = _is_constant(cursor)
        variable.in_register = storage_class == _REGISTER
        self._locals[cursor.a or 0] = variable
        try:
            self._read_value(variable, type_, raw)
        except Unsupported:  # who mentions it later must not take it for one without a value
            del self._locals[cursor.a or 0]
            raise
        return variable

    def _read_value(self, variable: Variable, type_: CType, raw: Raw) -> None:
        """The initialiser and the lengths of a local."""
        functions, cursor = lib(), raw.cursor
        initializer = functions.clang_Cursor_getVarDeclInitializer(cursor) if cursor.kind == _VARIABLE else None
        parts = [child for child in raw.children if 100 <= child.kind < 200]
        if initializer is not None and not functions.clang_Cursor_isNull(initializer):
            for child in parts:
                if child.cursor.b == initializer.b:
                    variable.initializer = self._expressions.expression(child)
                    parts.remove(child)
                    break
        variable.dimensions = self.dimensions(type_, parts)

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
        if not lengths:  # the lengths of a type's name were computed where it was declared
            return ()
        if len(lengths) != len(arrays):
            raise Unsupported(f"a variable-length array of {arrays[0]}", None)
        return tuple(
            (array, self._expressions.expression(length))
            for array, length in zip(arrays, lengths, strict=False)
            if array.variable
        )

    def global_(self, cursor: CXCursor) -> Variable:
        name = linker_name(cursor)
        definition = self._definitions.get(name)
        static = definition is not None and self._is_static(definition)
        if not static and self._is_elsewhere(name, definition):
            return self._elsewhere(name, cursor)
        table = self._globals if static else self._program.globals
        known = table.get(name)
        if known is not None:
            return known
        declared = cursor if definition is None else definition
        found = self._attributes.get(name, NONE) | attributes_of(cursor)
        self._check(found, declared)
        if found.alias is not None:
            return self._aliased_variable(name, found.alias, declared)
        self._check_symbol(name, found, declared, is_defined=definition is not None)
        label = f"{name}@{self._number}" if static and self._number else name
        variable = table[name] = Variable(label, self._types.of_cursor(declared), Storage.GLOBAL, None)
        variable.range = self._positions.source_range(lib().clang_getCursorExtent(declared))
        variable.defined = definition is not None
        variable.external = not static
        variable.constant = _is_constant(declared)
        if definition is not None:
            try:
                self._read_initializer(variable, definition)
            except Unsupported:  # who mentions it later must not take it for one without a value
                del table[name]
                raise
        return variable

    def _is_elsewhere(self, name: str, definition: CXCursor | None) -> bool:
        """Whether another unit's definition counts."""
        chosen = self._program.definitions.get(name)
        if chosen is None:
            return False
        return definition is None or chosen.unit is not self._program.units[self._number]

    def _elsewhere(self, name: str, cursor: CXCursor) -> Variable:
        found = self._program.variable(name)
        if found is None or not are_compatible(self._types.of_cursor(cursor), found.type):
            raise self._unsupported(f"{name}, declared with another type than it is defined with,", cursor)
        return found

    def _aliased_variable(self, name: str, target: str, cursor: CXCursor) -> Variable:
        """Another name of a variable of this unit."""
        definition = self._definitions.get(target) if target != name else None
        if definition is None or definition.kind != _VARIABLE:
            raise self._unsupported(f"the alias `{name}` of {target}", cursor)
        variable = self.global_(definition)
        if not are_compatible(self._types.of_cursor(cursor), variable.type):
            raise self._unsupported(f"the alias `{name}` of {target}", cursor)
        return variable

    def _check_symbol(self, name: str, found: Attributes, cursor: CXCursor, *, is_defined: bool) -> None:
        """Refuses symbols of which only the linker or the processor knows where they are."""
        in_register = found.assembler_name and not is_defined and _REGISTERS.fullmatch(name) is not None
        if in_register or lib().clang_Cursor_getStorageClass(cursor) == _REGISTER:
            raise self._unsupported(f"the global register variable {name}", cursor)
        if not is_defined and found.weak:
            raise self._unsupported(f"the weak variable {name} without a definition", cursor)
        if not is_defined and name.startswith(("__start_", "__stop_")):
            raise self._unsupported(f"{name}, which the linker defines,", cursor)

    def _read_initializer(self, variable: Variable, definition: CXCursor) -> None:
        initializer = lib().clang_Cursor_getVarDeclInitializer(definition)
        if not lib().clang_Cursor_isNull(initializer):
            outer, self.function = self.function, ""
            raw = tree(initializer)
            try:
                with self._forms.reading(definition, raw):
                    variable.initializer = self._expressions.expression(raw)
            finally:
                self.function = outer


def _is_constant(variable: CXCursor) -> bool:
    """Whether the type is `const`, or an array of such elements."""
    functions = lib()
    t = functions.clang_getCanonicalType(functions.clang_getCursorType(variable))
    while not functions.clang_isConstQualifiedType(t):
        t = functions.clang_getArrayElementType(t)
        if not t.kind:
            return False
    return True


def _count_noreturn(t: CXType) -> int:
    """How many functions in a type do not return: the function itself, its parameters, what it returns."""
    return text(lib().clang_getTypeSpelling(lib().clang_getCanonicalType(t))).count("__attribute__((noreturn))")


def _of_the_system(cursor: CXCursor) -> bool:
    """Whether it stands in a header of the system; line markers of a preprocessor tell that, too."""
    return bool(lib().clang_Location_isInSystemHeader(lib().clang_getCursorLocation(cursor)))
