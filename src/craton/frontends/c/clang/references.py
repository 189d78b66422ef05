"""Expressions that name things: variables, functions, constants of enumerations; and compound literals, which are
variables without a name.
"""

from __future__ import annotations

from craton.frontends.c.clang.bindings import Raw, lib, parts_of, tree
from craton.frontends.c.clang.declarations import EXTERN, Declarations
from craton.frontends.c.clang.expressions import ExpressionReader
from craton.frontends.c.clang.nodes import NodeMaker
from craton.frontends.c.syntax.nodes import Kind, Node, Storage, Variable

_UNIT_KIND = 350


class ReferenceReader:
    """Resolves names to the objects that declarations made."""

    def __init__(self, nodes: NodeMaker, expressions: ExpressionReader, declarations: Declarations) -> None:
        self._make = nodes.make
        self._types = nodes.types
        self._expressions = expressions
        self._declarations = declarations
        self._literals = 0

    def reference(self, raw: Raw) -> Node:
        functions = lib()
        target = functions.clang_getCursorReferenced(raw.cursor)
        if target.kind == 7:
            node = self._make(Kind.NUMBER, raw)
            node.value = functions.clang_getEnumConstantDeclValue(target)
            return node
        if target.kind == 8:
            return self._make(Kind.FUNCTION, raw, value=self._declarations.function_named(target))
        known = self._declarations.local(target)
        if known is None:
            if (
                functions.clang_getCursorSemanticParent(target).kind == _UNIT_KIND
                or functions.clang_Cursor_getStorageClass(target) == EXTERN
            ):
                known = self._declarations.global_(target)
            else:
                known = self._declarations.variable(tree(target))
        node = self._make(Kind.VARIABLE, raw, value=known)
        if known.storage is Storage.PARAMETER:
            node.type = known.type  # clang says as which type it was declared
        return node

    def compound_literal(self, raw: Raw) -> Node:
        self._literals += 1
        type_ = self._types.of_cursor(raw.cursor)
        storage = Storage.LOCAL if self._declarations.function else Storage.GLOBAL
        variable = Variable(f"literal#{self._literals}", type_, storage, self._declarations.function or None)
        variable.initializer = self._expressions.expression(parts_of(raw)[-1])
        return self._make(Kind.COMPOUND_LITERAL, raw, (variable.initializer,), value=variable)
