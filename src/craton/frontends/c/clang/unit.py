"""One translation unit, read into our syntax: the readers of its parts, put together."""

from __future__ import annotations

from craton.frontends.c.clang.bindings import CXCursor, Unit, lib, tree
from craton.frontends.c.clang.declarations import Declarations
from craton.frontends.c.clang.expressions import ExpressionReader
from craton.frontends.c.clang.field_types import typeof_wide_fields
from craton.frontends.c.clang.nodes import NodeMaker
from craton.frontends.c.clang.positions import Positions
from craton.frontends.c.clang.references import ReferenceReader
from craton.frontends.c.clang.statements import StatementReader
from craton.frontends.c.clang.types import TypeReader
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import Extent, Function, Variable
from craton.frontends.c.syntax.output_calls import mean_exact_functions
from craton.frontends.c.syntax.program import Definition, Program
from craton.program.origin import SourceRange

_REFERENCE, _COMPOUND_LITERAL, _STATEMENT_EXPRESSION = 101, 118, 121
_PARAMETER, _COMPOUND_STATEMENT = 10, 202


def _own_parameters(function: CXCursor) -> frozenset[tuple[int, int | None, int | None]]:
    """The keys of a function's parameters. Those of a function whose pointer it returns are its children, too."""
    count = max(lib().clang_Cursor_getNumArguments(function), 0)
    return frozenset(lib().clang_Cursor_getArgument(function, i).key for i in range(count))


class UnitReader:
    """A `syntax.program.TranslationUnit`: adds itself to the program, and reads what is asked for."""

    def __init__(self, unit: Unit, program: Program, pointer_size: int, positions: type[Positions] = Positions) -> None:
        number = len(program.units)
        self._program = program
        program.units.append(self)
        self._positions = positions(unit)
        nodes = self._nodes = NodeMaker(TypeReader(pointer_size), self._positions)
        self._forms = nodes.forms
        expressions = ExpressionReader(nodes)
        self._declarations = Declarations(unit, number, program, nodes, expressions)
        references = ReferenceReader(nodes, expressions, self._declarations)
        self._statements = StatementReader(nodes, expressions, self._declarations)
        expressions.add(_REFERENCE, references.reference)
        expressions.add(_COMPOUND_LITERAL, references.compound_literal)
        expressions.add(_STATEMENT_EXPRESSION, self._statements.statement_expression)
        if positions is Positions:  # what a library defines gives way to what users define
            for name, (kind, strength, where) in self._declarations.public.items():
                program.define(name, Definition(kind, self, strength, where))

    def defined(self, name: str) -> Function | None:
        return self._declarations.defined(name)

    def exported(self, name: str) -> Variable | None:
        return self._declarations.exported(name)

    def start_and_end(self) -> None:
        self._declarations.start_and_end()

    def read_body(self, function: Function) -> None:
        cursor = self._declarations.definition(function.name)
        if cursor is None:
            return
        self._declarations.function = function.symbol
        raw = tree(cursor)
        (body,) = [child for child in raw.children if child.kind == _COMPOUND_STATEMENT]
        own = _own_parameters(cursor)
        parameters = [child for child in raw.children if child.kind == _PARAMETER and child.cursor.key in own]
        with self._forms.reading(cursor, raw):
            try:
                function.parameters = [self._declarations.variable(child) for child in parameters]
                function.body = self._statements.body(body, raw)
                mean_exact_functions(function.body, self._program)
                if asking := typeof_wide_fields(raw):
                    raise self._nodes.unsupported("`typeof` of a bit-field wider than int", asking)
            except Unsupported as problem:  # of a parameter: control must not come here
                function.parameters = []
                function.body = self._statements.unmodelled(problem, body)

    def source_range(self, extent: Extent) -> SourceRange | None:
        return self._positions.source_range(extent)
