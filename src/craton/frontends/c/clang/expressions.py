"""clang's expressions into `syntax`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from craton.frontends.c.clang import lexing
from craton.frontends.c.clang.bindings import (
    Raw,
    evaluate_float,
    evaluate_integer,
    lib,
    text,
    tree,
)
from craton.frontends.c.clang.declarations import EXTERN, DeclarationReader
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import ArrayType, CType, Field, Floating, Pointer, Record

BINARY = [None, ".*", "->*", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!="]
BINARY += ["&", "^", "|", "&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","]
UNARY = [None, "x++", "x--", "++x", "--x", "&", "*", "+", "-", "~", "!", "__real", "__imag", "__extension__", None]
_IGNORED = {43, 44, 45, 46}  # references to types and templates
_UNIT_KIND = 350


class ExpressionReader(DeclarationReader):
    """Reads expressions, by clang's number of their kind."""

    def expression(self, raw: Raw) -> Node:
        try:
            handler = EXPRESSIONS.get(raw.kind)
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
                or functions.clang_Cursor_getStorageClass(target) == EXTERN
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
        op = UNARY[lib().clang_getCursorUnaryOperatorKind(raw.cursor)]
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
        op = BINARY[lib().clang_getCursorBinaryOperatorKind(raw.cursor)] or "?"
        kind = Kind.ASSIGN if op == "=" else Kind.BINARY
        return self._node(kind, raw, tuple(map(self.expression, self._parts(raw))), op)

    def _compound_assign(self, raw: Raw) -> Node:
        op = (BINARY[lib().clang_getCursorBinaryOperatorKind(raw.cursor)] or "?")[:-1]
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


EXPRESSIONS: dict[int, Any] = {
    100: ExpressionReader._unexposed,
    101: ExpressionReader._reference,
    102: ExpressionReader._member,
    103: ExpressionReader._call,
    106: ExpressionReader._number,
    107: ExpressionReader._floating,
    109: ExpressionReader._string,
    110: ExpressionReader._number,
    111: ExpressionReader._parenthesis,
    112: ExpressionReader._unary,
    113: ExpressionReader._subscript,
    114: ExpressionReader._binary,
    115: ExpressionReader._compound_assign,
    116: ExpressionReader._conditional,
    117: ExpressionReader._cast,
    118: ExpressionReader._compound_literal,
    119: ExpressionReader._init_list,
    120: ExpressionReader._label_address,
    121: ExpressionReader._statement_expression,
    122: ExpressionReader._generic,
    123: ExpressionReader._null,
    136: ExpressionReader._size_of,
}
