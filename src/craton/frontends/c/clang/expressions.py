"""clang's expressions into `syntax`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from craton.frontends.c.clang import literals
from craton.frontends.c.clang.bindings import (
    CXType,
    Raw,
    evaluate_float,
    evaluate_integer,
    lib,
    parts_of,
    text,
)
from craton.frontends.c.clang.field_types import speaks_of_bit_fields
from craton.frontends.c.clang.nodes import NodeMaker
from craton.frontends.c.clang.normal_form import has_indices_in_a_row, is_builtin, is_designated
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import DROPS_CONST, Kind, Node
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Field,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    has_variable_length,
)
from craton.frontends.c.syntax.wide_fields import with_field_types

BINARY = [None, ".*", "->*", "*", "/", "%", "+", "-", "<<", ">>", "<=>", "<", ">", "<=", ">=", "==", "!="]
BINARY += ["&", "^", "|", "&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ","]
UNARY = [None, "x++", "x--", "++x", "--x", "&", "*", "+", "-", "~", "!", "__real", "__imag", "__extension__", None]

_TYPE_NAME = 43
_POINTER, _INTEGERS = 101, range(8, 21)  # of types; `unsigned short` is the first

Reads = Callable[[Raw], Node]


class ExpressionReader:
    """Reads expressions, by clang's number of their kind. Who knows more than expressions (names, statements) adds the
    kinds that need it.
    """

    def __init__(self, nodes: NodeMaker) -> None:
        self._nodes = nodes
        self._make = nodes.make
        self._types = nodes.types
        self._forms = nodes.forms
        self._readers: dict[int, Reads] = {
            100: self._unexposed,
            102: self._member,
            103: self._call,
            106: self._number,
            107: self._floating,
            109: self._string,
            110: self._number,
            111: self._parenthesis,
            112: self._unary,
            113: self._subscript,
            114: self._binary,
            115: self._compound_assign,
            116: self._conditional,
            117: self._cast,
            119: self._init_list,
            120: self._label_address,
            122: self._generic,
            123: self._null,
            136: self._size_of,
        }

    def add(self, kind: int, reader: Reads) -> None:
        """From now on `reader` reads expressions of this kind of clang's."""
        self._readers[kind] = reader

    def reads(self, raw: Raw) -> bool:
        """Whether this is an expression at all."""
        return raw.kind in self._readers

    def expression(self, raw: Raw) -> Node:
        try:
            reader = self._readers.get(raw.kind)
            if reader is None:
                raise self._nodes.unsupported(f"expression of clang's kind {raw.kind}", raw)
            return reader(raw)
        except Unsupported as problem:
            if problem.where is None:  # a type
                raise self._nodes.unsupported(problem.construct, raw) from None
            raise

    def _number(self, raw: Raw) -> Node:
        node = self._make(Kind.NUMBER, raw)
        node.value = evaluate_integer(raw.cursor)
        if node.value is None or node.type.size > 8:
            raise self._nodes.unsupported("integer constant", raw)
        return node

    def _floating(self, raw: Raw) -> Node:
        node = self._make(Kind.NUMBER, raw)
        if not isinstance(node.type, Floating):
            raise self._nodes.unsupported(f"constant of type {node.type}", raw)
        if node.type.size > 8:  # clang would answer with a double, which is too coarse
            node.value = literals.exact(self._forms.digits(raw) or "")
        else:
            node.value = evaluate_float(raw.cursor)
        if node.value is None:
            raise self._nodes.unsupported("floating constant", raw)
        return node

    def _string(self, raw: Raw) -> Node:
        node = self._make(Kind.STRING, raw)
        size = node.type.element.size if isinstance(node.type, ArrayType) else 0
        node.value = literals.string_units(text(lib().clang_getCursorSpelling(raw.cursor)), size)
        if node.value is None:
            raise self._nodes.unsupported("string literal", raw)
        return node

    def _member(self, raw: Raw) -> Node:
        base = self.expression(parts_of(raw)[0])
        field = self._types.fields.get(lib().clang_getCursorReferenced(raw.cursor).a or 0)
        if field is None:
            raise self._nodes.unsupported("member access", raw)
        # libclang leaves out members without a name on the way.
        for step in _way(_record_of(base.type), field):
            base = Node(Kind.MEMBER, step.type, (base,), _arrow(base), step, base.range)
        return self._make(Kind.MEMBER, raw, (base,), _arrow(base), field)

    def _call(self, raw: Raw) -> Node:
        return self._make(Kind.CALL, raw, tuple(map(self.expression, parts_of(raw))))

    def _parenthesis(self, raw: Raw) -> Node:
        return self.expression(parts_of(raw)[-1])

    def _unary(self, raw: Raw) -> Node:
        op = UNARY[lib().clang_getCursorUnaryOperatorKind(raw.cursor)]
        parts = parts_of(raw)
        if op in ("++x", "--x", "x++", "x--"):
            return self._make(Kind.STEP, raw, (self.expression(parts[0]),), op)
        if op == "&":
            return self._make(Kind.ADDRESS, raw, (self.expression(parts[0]),))
        if op == "*":
            return self._make(Kind.DEREFERENCE, raw, (self.expression(parts[0]),))
        if op == "__extension__":
            return self.expression(parts[-1])
        if op in ("+", "-", "~", "!"):
            return with_field_types(self._make(Kind.UNARY, raw, (self.expression(parts[0]),), op))
        raise self._nodes.unsupported(f"operator {op}", raw)

    def _subscript(self, raw: Raw) -> Node:
        return self._make(Kind.SUBSCRIPT, raw, tuple(map(self.expression, parts_of(raw))))

    def _binary(self, raw: Raw) -> Node:
        op = BINARY[lib().clang_getCursorBinaryOperatorKind(raw.cursor)] or "?"
        kind = Kind.ASSIGN if op == "=" else Kind.BINARY
        return with_field_types(self._make(kind, raw, tuple(map(self.expression, parts_of(raw))), op))

    def _compound_assign(self, raw: Raw) -> Node:
        op = (BINARY[lib().clang_getCursorBinaryOperatorKind(raw.cursor)] or "?")[:-1]
        return with_field_types(self._make(Kind.COMPOUND_ASSIGN, raw, tuple(map(self.expression, parts_of(raw))), op))

    def _conditional(self, raw: Raw) -> Node:
        return with_field_types(self._make(Kind.CONDITIONAL, raw, tuple(map(self.expression, parts_of(raw)))))

    def _cast(self, raw: Raw) -> Node:
        part = parts_of(raw)[-1]
        value = DROPS_CONST if _drops_const(part, raw) else None
        return self._make(Kind.CONVERT, raw, (self.expression(part),), "cast", value)

    def _init_list(self, raw: Raw) -> Node:
        return self._make(Kind.INIT_LIST, raw, tuple(map(self._init_item, parts_of(raw))))

    def _init_item(self, raw: Raw) -> Node:
        if not is_designated(raw):
            return self.expression(raw)
        ranges = self._forms.ranges(raw) if has_indices_in_a_row(raw) else []
        if ranges is None:
            raise self._nodes.unsupported("designated initialiser whose indices clang does not show", raw)
        path = self._designators(raw, list(raw.children[:-1]), ranges)
        return Node(Kind.DESIGNATED, self._types.void, (self.expression(raw.children[-1]),), "", path)

    def _designators(self, raw: Raw, parts: list[Raw], ranges: list[bool]) -> list[Any]:
        """Members, and pairs of first and last index."""
        path: list[Any] = []
        while parts:
            part = parts.pop(0)
            if part.kind == 47:
                path.append(self._types.fields.get(lib().clang_getCursorReferenced(part.cursor).a or 0))
            else:
                low = evaluate_integer(part.cursor)
                ranged = bool(ranges) and ranges.pop(0)
                path.append((low, evaluate_integer(parts.pop(0).cursor) if ranged and parts else low))
        if ranges or any(step is None or step == (None, None) for step in path):
            raise self._nodes.unsupported("designated initialiser", raw)
        return path

    def _label_address(self, raw: Raw) -> Node:
        labels = self._nodes.labels
        return self._make(Kind.LABEL_ADDRESS, raw, (), labels.function, labels.of_reference(raw.children[0]))

    def _generic(self, raw: Raw) -> Node:
        wanted = self._types.of_cursor(raw.cursor)
        asked, *parts = parts_of(raw)
        if speaks_of_bit_fields(asked):
            raise self._nodes.unsupported("_Generic of a bit-field", raw)
        fitting = [part for part in parts if self._types.of_cursor(part.cursor) is wanted]
        if len(fitting) == 1:
            return self.expression(fitting[0])
        value = evaluate_integer(raw.cursor) if isinstance(wanted, Integer) else None
        if value is None:
            raise self._nodes.unsupported("_Generic whose choice its type does not show", raw)
        node = self._make(Kind.NUMBER, raw)
        node.value = value
        return node

    def _size_of(self, raw: Raw) -> Node:
        value, parts = evaluate_integer(raw.cursor), parts_of(raw)
        if value is not None:
            if value != 1 and parts and isinstance(self._types.of_cursor(parts[-1].cursor), FunctionType):
                raise self._nodes.unsupported("the alignment of a function", raw)  # compilers have their own
            node = self._make(Kind.NUMBER, raw)
            node.value = value
            return node
        if not parts:
            return self._size_of_name(raw)
        operand = self.expression(parts[-1])
        if not has_variable_length(operand.type):  # a length inside of a type's name, or what a length is made of
            raise self._nodes.unsupported("sizeof a variable-length type", raw)
        return self._make(Kind.SIZE_OF, raw, (operand,), value=operand.type)

    def _size_of_name(self, raw: Raw) -> Node:
        """`sizeof` the name of a type whose length was computed where it was declared."""
        names = [child for child in raw.children if child.kind == _TYPE_NAME]
        type_ = self._types.of_cursor(lib().clang_getCursorReferenced(names[0].cursor)) if len(names) == 1 else None
        if type_ is None or not has_variable_length(type_):
            raise self._nodes.unsupported("sizeof a variable-length type", raw)
        return self._make(Kind.SIZE_OF, raw, value=type_)

    def _null(self, raw: Raw) -> Node:
        node = self._make(Kind.NUMBER, raw)
        node.value = 0
        return node

    def _unexposed(self, raw: Raw) -> Node:
        """What libclang does not name: implicit conversions above all, and some builtins."""
        if is_builtin(raw):
            return self._builtin(raw)
        parts = parts_of(raw)
        if any(part.kind in (47, 48) for part in parts):  # members: `__builtin_offsetof`
            return self._constant(raw)
        if len(parts) == 1:
            inner = self.expression(parts[0])
            if _drops_const(parts[0], raw):
                return self._make(Kind.CONVERT, raw, (inner,), value=DROPS_CONST)
            type_ = self._types.of_cursor(raw.cursor)
            both_arrays = isinstance(inner.type, ArrayType) and isinstance(type_, ArrayType)
            if both_arrays or inner.type is type_ or inner.type is self._types.decayed(type_):
                return inner  # a load, or a constant expression
            return self._make(Kind.CONVERT, raw, (inner,))
        if len(parts) == 4:  # the condition of `a ?: b` may be a conversion of `a`
            return self._make(Kind.ELVIS, raw, (self.expression(parts[0]), self.expression(parts[3])))
        return self._constant(raw)

    def _constant(self, raw: Raw) -> Node:
        """What is only known by its value, such as `__builtin_offsetof`."""
        node = self._make(Kind.NUMBER, raw)
        node.value = evaluate_integer(raw.cursor)
        if node.value is None or not isinstance(node.type, Integer) or node.type.size > 8:
            raise self._nodes.unsupported("expression", raw)
        return node

    def _builtin(self, raw: Raw) -> Node:
        """A builtin that is no call for clang; its name stands before its operands."""
        if evaluate_integer(raw.cursor) is not None:
            return self._constant(raw)
        name = self._forms.builtin(raw)
        parts = parts_of(raw)
        if name == "__builtin_va_arg" and len(parts) == 1:
            return self._make(Kind.VA_ARG, raw, (self.expression(parts[0]),))
        if name == "__builtin_choose_expr" and len(parts) == 3:
            chosen = self._choice(parts[0])
            if chosen is not None:
                return self.expression(parts[1 if chosen else 2])
        raise self._nodes.unsupported(name or "expression", raw)

    def _choice(self, raw: Raw) -> bool | None:
        """What a constant condition says. clang does not tell where something may turn out to be a constant later
        (`__builtin_constant_p`), though a choice is made now.
        """
        value = evaluate_integer(raw.cursor)
        if value is not None:
            return bool(value)
        parts = parts_of(raw)
        if raw.kind == 112 and UNARY[lib().clang_getCursorUnaryOperatorKind(raw.cursor)] == "!":
            inner = self._choice(parts[0])
            return None if inner is None else not inner
        if raw.kind in (100, 111) and len(parts) == 1 and not is_builtin(raw):
            return self._choice(parts[0])
        if raw.kind == 103 and text(lib().clang_getCursorSpelling(raw.cursor)) == "__builtin_constant_p":
            return evaluate_integer(parts[-1].cursor) is not None
        return None


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


def _drops_const(source: Raw, target: Raw) -> bool:
    """Whether a pointer to what is `const` is converted to one that allows writing, or to a number."""
    functions = lib()
    given = functions.clang_getCanonicalType(functions.clang_getCursorType(source.cursor))
    made = functions.clang_getCanonicalType(functions.clang_getCursorType(target.cursor))
    if not _points_to_const(given) or _points_to_const(made):
        return False
    return made.kind in (_POINTER, *_INTEGERS)


def _points_to_const(t: CXType) -> bool:
    functions = lib()
    inner = functions.clang_getPointeeType(t)
    if not inner.kind:
        inner = functions.clang_getArrayElementType(t)
    while inner.kind and not functions.clang_isConstQualifiedType(inner):
        inner = functions.clang_getArrayElementType(inner)
    return bool(inner.kind)
