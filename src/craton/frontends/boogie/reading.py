"""From lark's parse tree to the abstract syntax: one method per rule or alias of `grammar.lark`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from lark import Token, Tree
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive, v_args

from craton.frontends.boogie import syntax
from craton.frontends.boogie.errors import BoogieSyntaxError, UnsupportedBoogie
from craton.frontends.boogie.grouping import grouped
from craton.program.origin import SourceRange

_ASCII = {
    "∀": "forall",
    "∃": "exists",
    "λ": "lambda",
    "⇔": "<==>",
    "⇒": "==>",
    "⇐": "<==",
    "∨": "||",
    "∧": "&&",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
}

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
Children = list[Any]


def read(tree: Tree[Token], file: str) -> tuple[syntax.Declaration, ...]:
    """The declarations of a file."""
    return tuple(_Reader(file).transform(tree))


def _ascii(word: str) -> str:
    return _ASCII.get(word, str(word))


def _names(words: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(map(str, words)) if words else ()


@v_args(meta=True)
class _Reader(Transformer_NonRecursive[Token, Any]):
    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def _at(self, meta: Meta | Token) -> SourceRange:
        return SourceRange(self.file, meta.line or 1, meta.column or 1, meta.end_line or 1, meta.end_column or 1)

    def _head(self, meta: Meta, last: SourceRange) -> SourceRange:
        """From the beginning of a construct to the parenthesis behind its head's last part."""
        return SourceRange(self.file, meta.line, meta.column, last.end_line, last.end_column + 1)

    # --- declarations -------------------------------------------------------------------------------------------------

    def start(self, meta: Meta, children: Children) -> Children:
        found: Children = []
        for child in children:
            found.extend(child if isinstance(child, list) else [child])
        return found

    def attributes(self, meta: Meta, children: Children) -> tuple[syntax.Attribute, ...]:
        return tuple(children)

    def attribute(self, meta: Meta, children: Children) -> syntax.Attribute:
        name, *arguments = children
        return syntax.Attribute(str(name), tuple(a for a in arguments if a is not None), self._at(meta))

    def string(self, meta: Meta, children: Children) -> str:
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), children[0][1:-1])

    def type_declaration(self, meta: Meta, children: Children) -> Children:
        attributes, _finite, *definitions = children
        return [
            syntax.TypeDeclaration(str(name), parameters, meaning, attributes, self._at(name))
            for name, parameters, meaning in definitions
        ]

    def type_definition(self, meta: Meta, children: Children) -> Children:
        return children

    def identifiers_apart(self, meta: Meta, children: Children) -> tuple[str, ...]:
        return _names(children)

    def identifiers(self, meta: Meta, children: Children) -> tuple[Token, ...]:
        return tuple(children)

    def constant(self, meta: Meta, children: Children) -> syntax.Constants:
        attributes, unique, names, type_ = children[:4]
        return syntax.Constants(_names(names), type_, unique is not None, attributes, self._at(meta))

    def parents(self, meta: Meta, children: Children) -> None:
        """Only `<:` could tell, which is not supported."""

    parent = parents

    def function(self, meta: Meta, children: Children) -> syntax.Function:
        attributes, name, type_parameters, parameters, result, body = children
        if isinstance(result, syntax.FunctionParameter):
            result = result.type
        at = self._at(name)
        return syntax.Function(str(name), type_parameters, parameters or (), result, body, attributes, at)

    def function_parameters(self, meta: Meta, children: Children) -> tuple[syntax.FunctionParameter, ...]:
        return tuple(children)

    def function_parameter(self, meta: Meta, children: Children) -> syntax.FunctionParameter:
        _attributes, name, type_ = children
        return syntax.FunctionParameter(None if name is None else str(name), type_)

    def no_body(self, meta: Meta, children: Children) -> None:
        return None

    def axiom(self, meta: Meta, children: Children) -> syntax.Axiom:
        return syntax.Axiom(children[1], self._at(meta))

    def globals(self, meta: Meta, children: Children) -> syntax.Globals:
        return syntax.Globals(children[0], self._at(meta))

    def procedure(self, meta: Meta, children: Children) -> syntax.Procedure:
        attributes, name, signature, (specification, body) = children
        return syntax.Procedure(str(name), signature, specification, body, attributes, self._at(name))

    def procedure_specified(self, meta: Meta, children: Children) -> tuple[Any, None]:
        return tuple(children), None

    def procedure_with_body(self, meta: Meta, children: Children) -> tuple[Any, syntax.Body]:
        return tuple(children[:-1]), children[-1]

    def implementation(self, meta: Meta, children: Children) -> syntax.Implementation:
        attributes, name, signature, body = children
        return syntax.Implementation(str(name), signature, body, attributes, self._at(name))

    def signature(self, meta: Meta, children: Children) -> syntax.Signature:
        type_parameters, parameters, returns = children
        return syntax.Signature(type_parameters, parameters or (), returns or ())

    def requires(self, meta: Meta, children: Children) -> syntax.Requires:
        return syntax.Requires(children[2], children[0] is not None, self._at(meta))

    def ensures(self, meta: Meta, children: Children) -> syntax.Ensures:
        return syntax.Ensures(children[2], children[0] is not None, self._at(meta))

    def modifies(self, meta: Meta, children: Children) -> syntax.Modifies:
        return syntax.Modifies(_names(children[1]), self._at(meta))

    def variables(self, meta: Meta, children: Children) -> tuple[syntax.Variable, ...]:
        return tuple(variable for group in children for variable in group)

    def variable_group(self, meta: Meta, children: Children) -> list[syntax.Variable]:
        _attributes, names, type_, where = children
        return [syntax.Variable(str(name), type_, where, self._at(name)) for name in names]

    def type_parameters(self, meta: Meta, children: Children) -> tuple[str, ...]:
        return _names(children[0])

    # --- types --------------------------------------------------------------------------------------------------------

    def type_name(self, meta: Meta, children: Children) -> syntax.NamedType:
        return syntax.NamedType(str(children[0]), (), self._at(meta))

    def type_application(self, meta: Meta, children: Children) -> syntax.NamedType:
        return syntax.NamedType(str(children[0]), children[1], self._at(meta))

    def type_arguments(self, meta: Meta, children: Children) -> tuple[syntax.TypeSyntax, ...]:
        return tuple(children)

    def types(self, meta: Meta, children: Children) -> tuple[syntax.TypeSyntax, ...]:
        return tuple(children)

    def map_type(self, meta: Meta, children: Children) -> syntax.MapTypeSyntax:
        parameters, indices, result = children
        return syntax.MapTypeSyntax(parameters, indices or (), result, self._at(meta))

    def record_type(self, meta: Meta, children: Children) -> syntax.RecordTypeSyntax:
        return syntax.RecordTypeSyntax(tuple(field for group in children for field in group), self._at(meta))

    def field_group(self, meta: Meta, children: Children) -> list[tuple[str, syntax.TypeSyntax]]:
        names, type_ = children
        return [(str(name), type_) for name in names]

    # --- statements ---------------------------------------------------------------------------------------------------

    def body(self, meta: Meta, children: Children) -> syntax.Body:
        *groups, statements = children
        end = SourceRange(self.file, meta.end_line, meta.end_column - 1, meta.end_line, meta.end_column)
        return syntax.Body(tuple(v for group in groups for v in group), statements, self._at(meta), end)

    def local(self, meta: Meta, children: Children) -> tuple[syntax.Variable, ...]:
        return children[0]  # type: ignore[no-any-return]

    def block(self, meta: Meta, children: Children) -> tuple[syntax.Statement, ...]:
        return tuple(children)

    def label(self, meta: Meta, children: Children) -> syntax.Label:
        return syntax.Label(str(children[0]), self._at(meta))

    def assert_(self, meta: Meta, children: Children) -> syntax.Assert:
        return syntax.Assert(children[1], self._at(meta))

    def assume(self, meta: Meta, children: Children) -> syntax.Assume:
        return syntax.Assume(children[1], self._at(meta))

    def havoc(self, meta: Meta, children: Children) -> syntax.Havoc:
        return syntax.Havoc(_names(children[0]), self._at(meta))

    def assign(self, meta: Meta, children: Children) -> syntax.Assign:
        *targets, values = children
        return syntax.Assign(tuple(targets), values, self._at(meta))

    def call(self, meta: Meta, children: Children) -> syntax.Call:
        _attributes, results, procedure, arguments = children
        return syntax.Call(_names(results), str(procedure), arguments or (), self._at(meta))

    def call_forall(self, meta: Meta, children: Children) -> None:
        raise UnsupportedBoogie("call forall", self._at(meta))

    def fork(self, meta: Meta, children: Children) -> None:
        raise UnsupportedBoogie("a program with threads", self._at(meta))

    join = async_call = par = fork

    def arm(self, meta: Meta, children: Children) -> None:
        """Of a parallel call, which is not supported."""

    def atomic(self, meta: Meta, children: Children) -> syntax.Atomic:
        return syntax.Atomic(children[0], self._at(meta))

    def if_(self, meta: Meta, children: Children) -> syntax.If:
        guard, then, otherwise = children
        if isinstance(otherwise, syntax.If):
            otherwise = (otherwise,)
        condition, at = self._guard(guard)
        return syntax.If(condition, then, otherwise or (), self._head(meta, at))

    def while_(self, meta: Meta, children: Children) -> syntax.While:
        guard, *invariants, body = children
        condition, at = self._guard(guard)
        return syntax.While(condition, tuple(invariants), body, self._head(meta, at))

    def any(self, meta: Meta, children: Children) -> SourceRange:
        """The guard `*`: its place stands for it until `_guard` asks."""
        return self._at(meta)

    def _guard(self, guard: Any) -> tuple[syntax.Expression | None, SourceRange]:
        return (None, guard) if isinstance(guard, SourceRange) else (guard, guard.at)

    def invariant(self, meta: Meta, children: Children) -> syntax.Invariant:
        return syntax.Invariant(children[2], children[0] is not None, self._at(meta))

    def wild_arguments(self, meta: Meta, children: Children) -> None:
        """See `call_forall`."""

    def goto(self, meta: Meta, children: Children) -> syntax.Goto:
        return syntax.Goto(_names(children[0]), self._at(meta))

    def break_(self, meta: Meta, children: Children) -> syntax.Break:
        return syntax.Break(None if children[0] is None else str(children[0]), self._at(meta))

    def return_(self, meta: Meta, children: Children) -> syntax.Return:
        return syntax.Return(self._at(meta))

    # --- expressions --------------------------------------------------------------------------------------------------

    def expressions(self, meta: Meta, children: Children) -> tuple[syntax.Expression, ...]:
        return tuple(children)

    def chain(self, meta: Meta, children: Children) -> syntax.Expression:
        return grouped(children[::2], [_ascii(word) for word in children[1::2]])

    def negation(self, meta: Meta, children: Children) -> syntax.Unary:
        return syntax.Unary("!", children[0], self._at(meta))

    def minus(self, meta: Meta, children: Children) -> syntax.Expression:
        sign, operand = children
        if sign == "+":
            raise BoogieSyntaxError("'+' needs an operand on its left", self._at(meta))
        return syntax.Unary("-", operand, self._at(meta))

    def select(self, meta: Meta, children: Children) -> syntax.Select:
        return syntax.Select(children[0], children[1] or (), self._at(meta))

    def update(self, meta: Meta, children: Children) -> syntax.Update:
        return syntax.Update(children[0], children[1] or (), children[2], self._at(meta))

    def extract(self, meta: Meta, children: Children) -> syntax.Extraction:
        return syntax.Extraction(children[0], int(children[1]), int(children[2]), self._at(meta))

    def field(self, meta: Meta, children: Children) -> syntax.Field:
        return syntax.Field(children[0], str(children[1]), self._at(meta))

    def true(self, meta: Meta, children: Children) -> syntax.Literal:
        return syntax.Literal(True, self._at(meta))

    def false(self, meta: Meta, children: Children) -> syntax.Literal:
        return syntax.Literal(False, self._at(meta))

    def integer(self, meta: Meta, children: Children) -> syntax.Literal:
        return syntax.Literal(int(children[0]), self._at(meta))

    def decimal(self, meta: Meta, children: Children) -> syntax.Literal:
        return syntax.Literal(Fraction(str(children[0])), self._at(meta))

    def bits(self, meta: Meta, children: Children) -> syntax.Literal:
        value, width = children[0].split("bv")
        at = self._at(meta)
        if int(width) == 0 or int(value) >> int(width):
            raise BoogieSyntaxError(f"{value} does not fit into {width} bits", at)
        return syntax.Literal(int(value), at, int(width))

    def name(self, meta: Meta, children: Children) -> syntax.Name:
        return syntax.Name(str(children[0]), self._at(meta))

    def apply(self, meta: Meta, children: Children) -> syntax.Application:
        return syntax.Application(str(children[0]), children[1] or (), self._at(meta))

    def if_then_else(self, meta: Meta, children: Children) -> syntax.IfThenElse:
        return syntax.IfThenElse(children[0], children[1], children[2], self._at(meta))

    def quantifier(self, meta: Meta, children: Children) -> str:
        return _ascii(children[0])

    def quantified(self, meta: Meta, children: Children) -> syntax.Quantified:
        quantifier, type_parameters, variables, body = children
        return syntax.Quantified(quantifier, type_parameters, variables or (), body, self._at(meta))

    def let(self, meta: Meta, children: Children) -> syntax.Let:
        _attributes, names, values, body = children
        return syntax.Let(_names(names), values, body, self._at(meta))

    def marked(self, meta: Meta, children: Children) -> syntax.Expression:
        """Triggers and attributes steer a solver; they mean nothing."""
        return children[-1]  # type: ignore[no-any-return]
        return None

    def trigger(self, meta: Meta, children: Children) -> None:
        """See `marked`."""

    def record(self, meta: Meta, children: Children) -> syntax.Record:
        return syntax.Record(tuple(children), self._at(meta))

    def field_value(self, meta: Meta, children: Children) -> tuple[str, syntax.Expression]:
        return str(children[0]), children[1]
