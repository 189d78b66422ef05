"""clang's tree into `syntax`, function by function, as the lowering asks for them."""

from __future__ import annotations

import re
from bisect import bisect_right
from fractions import Fraction
from typing import Any

from craton.frontends.c import lexing
from craton.frontends.c.clang import (
    CXCursor,
    CXLocation,
    CXRange,
    Raw,
    Unit,
    children,
    evaluate_float,
    evaluate_integer,
    expansion,
    lib,
    text,
    tree,
)
from craton.frontends.c.ctype import ArrayType, CType, Field, Floating, FunctionType, Pointer, Record
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax import Function, Kind, Node, Storage, Variable
from craton.frontends.c.type_reader import TypeReader
from craton.program.origin import SourceRange

_BINARY = [None, ".*", "->*", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!="]
_BINARY += ["&", "^", "|", "&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","]
_UNARY = [None, "x++", "x--", "++x", "--x", "&", "*", "+", "-", "~", "!", "__real", "__imag", "__extension__", None]
_IGNORED = {43, 44, 45, 46}  # references to types and templates
_TYPE_DECLARATIONS = {2, 3, 5, 602, 8, 1}
_STATEMENTS = range(200, 300)
_EXTERN, _STATIC = 2, 3
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
_UNIT_KIND = 350


class Program:
    """All translation units, linked by name."""

    def __init__(self) -> None:
        self.definitions: dict[str, UnitReader] = {}  # which unit defines a function that all can call
        self.globals: dict[str, Variable] = {}
        self.units: list[UnitReader] = []

    def function(self, name: str) -> Function | None:
        """The function of that name that is not static, if it is defined."""
        unit = self.definitions.get(name)
        return unit.defined(name) if unit is not None else None

    def body(self, function: Function) -> Node | None:
        """The function's body, read when first asked for."""
        if function.body is None:
            self.units[function.unit].read_body(function)
        return function.body


class UnitReader:
    """Reads one translation unit into a `Program`."""

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
                tentative = functions.clang_Cursor_getStorageClass(cursor) != _EXTERN
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
        if cursor.kind != 10 and storage_class == _EXTERN:
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

    # --- expressions --------------------------------------------------------------------------------------------------

    def expression(self, raw: Raw) -> Node:
        try:
            handler = _EXPRESSIONS.get(raw.kind)
            if handler is None:
                raise self._unsupported(f"expression of clang's kind {raw.kind}", raw)
            found: Node = handler(self, raw)
            return found
        except Unsupported as problem:
            if problem.where is None:  # a type
                raise self._unsupported(problem.construct, raw) from None
            raise

    def _parts(self, raw: Raw) -> list[Raw]:
        return [child for child in raw.children if child.kind not in _IGNORED]

    def _number(self, raw: Raw) -> Node:
        node = self._node(Kind.NUMBER, raw)
        node.value = evaluate_integer(raw.cursor)
        if node.value is None:
            source, begin, end, _ = self._source(raw.cursor)
            try:
                node.value = int(source[begin:end].decode().rstrip("uUlL"), 0)
            except ValueError:
                raise self._unsupported("integer constant", raw) from None
        return node

    def _floating(self, raw: Raw) -> Node:
        node = self._node(Kind.NUMBER, raw)
        if not isinstance(node.type, Floating):
            raise self._unsupported(f"constant of type {node.type}", raw)
        if node.type.size > 8:  # clang answers with a double, which is too coarse
            source, begin, end, hidden = self._source(raw.cursor)
            digits = source[begin:end].decode("ascii", "replace").rstrip("lLqQ")
            if not hidden:
                node.value = _exact(digits)
        if node.value is None:
            node.value = evaluate_float(raw.cursor)
        if node.value is None:
            raise self._unsupported("floating constant", raw)
        return node

    def _string(self, raw: Raw) -> Node:
        spelling = text(lib().clang_getCursorSpelling(raw.cursor)).encode()
        return self._node(Kind.STRING, raw, value=lexing.string_units(spelling))

    def _reference(self, raw: Raw) -> Node:
        functions = lib()
        target = functions.clang_getCursorReferenced(raw.cursor)
        if target.kind == 7:
            node = self._node(Kind.NUMBER, raw)
            node.value = functions.clang_getEnumConstantDeclValue(target)
            return node
        name = text(functions.clang_getCursorSpelling(target))
        if target.kind == 8:
            return self._node(Kind.FUNCTION, raw, value=self.function_named(name, target))
        known = self._locals.get(target.a or 0)
        if known is None:
            if (
                functions.clang_getCursorSemanticParent(target).kind == _UNIT_KIND
                or functions.clang_Cursor_getStorageClass(target) == _EXTERN
            ):
                known = self._global(name, target)
            else:
                known = self._variable(tree(target))
        node = self._node(Kind.VARIABLE, raw, value=known)
        if known.storage is Storage.PARAMETER:
            node.type = known.type  # clang says as which type it was declared
        return node

    def _member(self, raw: Raw) -> Node:
        base = self.expression(self._parts(raw)[0])
        field = self.types.fields.get(lib().clang_getCursorReferenced(raw.cursor).a or 0)
        if field is None:
            raise self._unsupported("member access", raw)
        # libclang leaves out members without a name on the way.
        for step in _way(_record_of(base.type), field):
            base = Node(Kind.MEMBER, step.type, (base,), _arrow(base), step, base.range)
        return self._node(Kind.MEMBER, raw, (base,), _arrow(base), field)

    def _call(self, raw: Raw) -> Node:
        return self._node(Kind.CALL, raw, tuple(map(self.expression, self._parts(raw))))

    def _parenthesis(self, raw: Raw) -> Node:
        return self.expression(self._parts(raw)[-1])

    def _unary(self, raw: Raw) -> Node:
        op = _UNARY[lib().clang_getCursorUnaryOperatorKind(raw.cursor)]
        parts = self._parts(raw)
        if op in ("++x", "--x", "x++", "x--"):
            return self._node(Kind.STEP, raw, (self.expression(parts[0]),), op)
        if op == "&":
            return self._node(Kind.ADDRESS, raw, (self.expression(parts[0]),))
        if op == "*":
            return self._node(Kind.DEREFERENCE, raw, (self.expression(parts[0]),))
        if op == "__extension__":
            return self.expression(parts[-1])
        if op in ("+", "-", "~", "!"):
            return self._node(Kind.UNARY, raw, (self.expression(parts[0]),), op)
        raise self._unsupported(f"operator {op}", raw)

    def _subscript(self, raw: Raw) -> Node:
        return self._node(Kind.SUBSCRIPT, raw, tuple(map(self.expression, self._parts(raw))))

    def _binary(self, raw: Raw) -> Node:
        op = _BINARY[lib().clang_getCursorBinaryOperatorKind(raw.cursor)] or "?"
        kind = Kind.ASSIGN if op == "=" else Kind.BINARY
        return self._node(kind, raw, tuple(map(self.expression, self._parts(raw))), op)

    def _compound_assign(self, raw: Raw) -> Node:
        op = (_BINARY[lib().clang_getCursorBinaryOperatorKind(raw.cursor)] or "?")[:-1]
        return self._node(Kind.COMPOUND_ASSIGN, raw, tuple(map(self.expression, self._parts(raw))), op)

    def _conditional(self, raw: Raw) -> Node:
        return self._node(Kind.CONDITIONAL, raw, tuple(map(self.expression, self._parts(raw))))

    def _cast(self, raw: Raw) -> Node:
        return self._node(Kind.CONVERT, raw, (self.expression(self._parts(raw)[-1]),), "cast")

    def _compound_literal(self, raw: Raw) -> Node:
        self._literals += 1
        type_ = self.types.of_cursor(raw.cursor)
        storage = Storage.LOCAL if self._function else Storage.GLOBAL
        variable = Variable(f"literal#{self._literals}", type_, storage, self._function or None)
        variable.initializer = self.expression(self._parts(raw)[-1])
        return self._node(Kind.COMPOUND_LITERAL, raw, (variable.initializer,), value=variable)

    def _init_list(self, raw: Raw) -> Node:
        return self._node(Kind.INIT_LIST, raw, tuple(map(self._init_item, self._parts(raw))))

    def _init_item(self, raw: Raw) -> Node:
        if raw.kind != 100 or not raw.children:
            return self.expression(raw)
        if len(raw.children) == 1 or self.types.of_cursor(raw.cursor) is not self.types.void:
            return self.expression(raw)  # designated initialisers are void
        source, begin, _, _ = self._source(raw.cursor)
        value_begin = self._source(raw.children[-1].cursor)[1]
        ranged = b"..." in source[begin:value_begin]
        path: list[Any] = []
        indices = list(raw.children[:-1])
        while indices:
            part = indices.pop(0)
            if part.kind == 47:
                field = self.types.fields.get(lib().clang_getCursorReferenced(part.cursor).a or 0)
                path.append(field)
            else:
                low = evaluate_integer(part.cursor)
                high = low
                if ranged and indices and indices[0].kind != 47:
                    high = evaluate_integer(indices.pop(0).cursor)
                path.append((low, high))
        return Node(Kind.DESIGNATED, self.types.void, (self.expression(raw.children[-1]),), "", path)

    def _label_address(self, raw: Raw) -> Node:
        label = text(lib().clang_getCursorSpelling(raw.children[0].cursor))
        return self._node(Kind.LABEL_ADDRESS, raw, value=label)

    def _statement_expression(self, raw: Raw) -> Node:
        return self._node(Kind.STATEMENT_EXPRESSION, raw, (self.statement(self._parts(raw)[0]),))

    def _generic(self, raw: Raw) -> Node:
        wanted = self.types.of_cursor(raw.cursor)
        parts = self._parts(raw)[1:]
        fitting = [part for part in parts if self.types.of_cursor(part.cursor) is wanted]
        if len(fitting) != 1:
            raise self._unsupported("_Generic whose choice its type does not show", raw)
        return self.expression(fitting[0])

    def _size_of(self, raw: Raw) -> Node:
        value = evaluate_integer(raw.cursor)
        if value is not None:
            node = self._node(Kind.NUMBER, raw)
            node.value = value
            return node
        parts = self._parts(raw)
        if not parts:
            raise self._unsupported("sizeof a variable-length type", raw)
        operand = self.expression(parts[-1])
        return self._node(Kind.SIZE_OF, raw, (operand,), value=operand.type)

    def _null(self, raw: Raw) -> Node:
        node = self._node(Kind.NUMBER, raw)
        node.value = 0
        return node

    def _unexposed(self, raw: Raw) -> Node:
        """What libclang does not name: implicit conversions above all, and some builtins told by their text."""
        parts = self._parts(raw)
        if len(parts) == 1 and parts[0].kind not in (47, 48):
            if self._is_va_arg(raw, parts[0]):
                return self._node(Kind.VA_ARG, raw, (self.expression(parts[0]),))
            inner = self.expression(parts[0])
            type_ = self.types.of_cursor(raw.cursor)
            both_arrays = isinstance(inner.type, ArrayType) and isinstance(type_, ArrayType)
            if both_arrays or inner.type is type_ or inner.type is self.types.decayed(type_):
                return inner  # a load, or a constant expression
            return self._node(Kind.CONVERT, raw, (inner,))
        if len(parts) == 4 and parts[0].cursor.b == parts[1].cursor.b:
            return self._node(Kind.ELVIS, raw, (self.expression(parts[0]), self.expression(parts[3])))
        if len(parts) == 4:  # the condition of `a ?: b` may be a conversion of `a`
            return self._node(Kind.ELVIS, raw, (self.expression(parts[0]), self.expression(parts[3])))
        source, begin, _, _ = self._source(raw.cursor)
        if len(parts) == 3 and source.startswith(b"__builtin_choose_expr", begin):
            return self.expression(parts[1 if evaluate_integer(parts[0].cursor) else 2])
        value = evaluate_integer(raw.cursor)
        if value is not None:
            node = self._node(Kind.NUMBER, raw)
            node.value = value
            return node
        raise self._unsupported("expression", raw)

    def _is_va_arg(self, raw: Raw, part: Raw) -> bool:
        """An implicit conversion begins where its operand does; a va_arg begins before it."""
        if lib().clang_getCursorExtent(raw.cursor).begin == lib().clang_getCursorExtent(part.cursor).begin:
            return False
        source, begin, _, _ = self._source(raw.cursor)
        return source.startswith((b"__builtin_va_arg", b"va_arg"), begin)

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(self, raw: Raw) -> Node:
        try:
            return self._statement(raw)
        except Unsupported as problem:
            if problem.where is None:  # a type
                raise self._unsupported(problem.construct, raw) from None
            raise

    def _statement(self, raw: Raw) -> Node:
        handler = _STATEMENT_HANDLERS.get(raw.kind)
        if handler is not None:
            found: Node = handler(self, raw)
            return found
        if raw.kind in _EXPRESSIONS:
            inner = self.expression(raw)
            return Node(Kind.EXPRESSION, self.types.void, (inner,), "", None, inner.range)
        raise self._unsupported(f"statement of clang's kind {raw.kind}", raw)

    def _compound(self, raw: Raw) -> Node:
        return self._node(Kind.COMPOUND, raw, tuple(map(self.statement, raw.children)))

    def _declarations(self, raw: Raw) -> Node:
        found = []
        for child in raw.children:
            if child.kind == 9:
                variable = self._variable(child)
                found.append(self._node(Kind.DECLARE, child, value=variable))
            elif child.kind == 20:
                declared = self.types.of_cursor(child.cursor)
                lengths = self._dimensions(declared, [c for c in child.children if 100 <= c.kind < 200])
                if lengths:
                    found.append(self._node(Kind.DECLARE_TYPE, child, value=lengths))
            elif child.kind not in _TYPE_DECLARATIONS:
                raise self._unsupported(f"declaration of clang's kind {child.kind}", child)
        return self._node(Kind.DECLARATIONS, raw, tuple(found))

    def _if(self, raw: Raw) -> Node:
        parts = self._parts(raw)
        return self._node(Kind.IF, raw, (self.expression(parts[0]), *(self.statement(part) for part in parts[1:])))

    def _while(self, raw: Raw) -> Node:
        parts = self._parts(raw)
        return self._node(Kind.WHILE, raw, (self.expression(parts[0]), self.statement(parts[1])))

    def _do(self, raw: Raw) -> Node:
        parts = self._parts(raw)
        return self._node(Kind.DO, raw, (self.statement(parts[0]), self.expression(parts[1])))

    def _for(self, raw: Raw) -> Node:
        parts = self._parts(raw)
        slots: list[Raw | None] = [None, None, None]
        source, begin, _, hidden = self._source(raw.cursor)
        if len(parts) == 4:
            slots = list(parts[:3])
        elif len(parts) > 1 and not hidden:
            semicolons, _ = lexing.top_level(source, begin, b";")
            if len(semicolons) < 2:
                raise self._unsupported("this spelling of a for loop", raw)
            for part in parts[:-1]:
                offset = self._source(part.cursor)[1]
                slots[sum(offset > position for position, _ in semicolons[:2])] = part
        elif len(parts) > 1:
            for part in parts[:-1]:
                slots[self._slot_by_kind(part, raw)] = part
        first, condition, step = slots
        return self._node(
            Kind.FOR,
            raw,
            (
                self.statement(first) if first else None,
                self.expression(condition) if condition else None,
                self.expression(step) if step else None,
                self.statement(parts[-1]),
            ),
        )

    def _slot_by_kind(self, part: Raw, loop: Raw) -> int:
        """Inside a macro the text does not tell which parts a `for` has; only clear cases are taken."""
        if part.kind == 231:
            return 0
        if part.kind == 114 and _BINARY[lib().clang_getCursorBinaryOperatorKind(part.cursor)] not in ("=", ","):
            return 1
        if part.kind == 112 and "x" in (_UNARY[lib().clang_getCursorUnaryOperatorKind(part.cursor)] or ""):
            return 2
        if part.kind == 115:
            return 2
        raise self._unsupported("a for loop with missing parts inside a macro", loop)

    def _switch(self, raw: Raw) -> Node:
        parts = self._parts(raw)
        return self._node(Kind.SWITCH, raw, (self.expression(parts[0]), self.statement(parts[-1])))

    def _case(self, raw: Raw) -> Node:
        """One value, or a GNU range of them."""
        parts = self._parts(raw)
        low = evaluate_integer(parts[0].cursor)
        high = evaluate_integer(parts[1].cursor) if len(parts) > 2 else low
        if low is None or high is None:
            raise self._unsupported("case label", raw)
        return self._node(Kind.CASE, raw, (self.statement(parts[-1]),), value=(low, high))

    def _default(self, raw: Raw) -> Node:
        return self._node(Kind.DEFAULT, raw, (self.statement(self._parts(raw)[-1]),))

    def _label(self, raw: Raw) -> Node:
        name = text(lib().clang_getCursorSpelling(raw.cursor))
        parts = [p for p in self._parts(raw) if p.kind < 400]
        body = (self.statement(parts[-1]),) if parts else ()
        return self._node(Kind.LABEL, raw, body, value=name)

    def _goto(self, raw: Raw) -> Node:
        name = text(lib().clang_getCursorSpelling(raw.children[0].cursor))
        return self._node(Kind.GOTO, raw, value=name)

    def _computed_goto(self, raw: Raw) -> Node:
        return self._node(Kind.COMPUTED_GOTO, raw, (self.expression(self._parts(raw)[0]),))

    def _return(self, raw: Raw) -> Node:
        return self._node(Kind.RETURN, raw, tuple(map(self.expression, self._parts(raw))))

    def _asm(self, raw: Raw) -> Node:
        source, begin, _, _ = self._source(raw.cursor)
        operands = tuple(self.expression(part) for part in self._parts(raw) if part.kind != 109)
        return self._node(Kind.ASM, raw, operands, value=lexing.asm_outputs(source, begin))

    def _attributed(self, raw: Raw) -> Node:
        parts = [p for p in self._parts(raw) if p.kind < 400]
        if len(parts) != 1:
            raise self._unsupported("statement", raw)
        return self.statement(parts[0])


def _arrow(base: Node) -> str:
    return "->" if isinstance(base.type, Pointer | ArrayType) else "."


def _record_of(t: CType) -> CType:
    if isinstance(t, Pointer):
        return t.target
    return t.element if isinstance(t, ArrayType) else t


def _way(record: CType, field: Field) -> list[Field]:
    """The unnamed members that lead from a record to the one that declares a field."""
    if not isinstance(record, Record) or record is field.record:
        return []
    waiting: list[tuple[Record, list[Field]]] = [(record, [])]
    for outer, way in waiting:  # grows
        for member in outer.fields:
            if not member.name and isinstance(member.type, Record):
                if member.type is field.record:
                    return [*way, member]
                waiting.append((member.type, [*way, member]))
    return []


def _simple(kind: Kind) -> Any:
    return lambda reader, raw: reader._node(kind, raw)


def _exact(digits: str) -> Fraction | None:
    """A floating constant without its suffix, exactly."""
    try:
        if digits[:2].lower() == "0x":
            mantissa, _, exponent = digits[2:].lower().partition("p")
            whole, _, fraction = mantissa.partition(".")
            return Fraction(int(whole + fraction or "0", 16)) * Fraction(2) ** (int(exponent or 0) - 4 * len(fraction))
        return Fraction(digits)
    except ValueError:
        return None


_EXPRESSIONS: dict[int, Any] = {
    100: UnitReader._unexposed,
    101: UnitReader._reference,
    102: UnitReader._member,
    103: UnitReader._call,
    106: UnitReader._number,
    107: UnitReader._floating,
    109: UnitReader._string,
    110: UnitReader._number,
    111: UnitReader._parenthesis,
    112: UnitReader._unary,
    113: UnitReader._subscript,
    114: UnitReader._binary,
    115: UnitReader._compound_assign,
    116: UnitReader._conditional,
    117: UnitReader._cast,
    118: UnitReader._compound_literal,
    119: UnitReader._init_list,
    120: UnitReader._label_address,
    121: UnitReader._statement_expression,
    122: UnitReader._generic,
    123: UnitReader._null,
    136: UnitReader._size_of,
}

_STATEMENT_HANDLERS: dict[int, Any] = {
    200: UnitReader._attributed,
    201: UnitReader._label,
    202: UnitReader._compound,
    203: UnitReader._case,
    204: UnitReader._default,
    205: UnitReader._if,
    206: UnitReader._switch,
    207: UnitReader._while,
    208: UnitReader._do,
    209: UnitReader._for,
    210: UnitReader._goto,
    211: UnitReader._computed_goto,
    212: _simple(Kind.CONTINUE),
    213: _simple(Kind.BREAK),
    214: UnitReader._return,
    215: UnitReader._asm,
    230: _simple(Kind.EMPTY),
    231: UnitReader._declarations,
}
