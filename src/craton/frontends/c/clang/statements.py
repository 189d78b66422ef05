"""clang's statements into `syntax`."""

from __future__ import annotations

from craton.frontends.c.clang.assembly import AssemblyReader
from craton.frontends.c.clang.bindings import (
    Raw,
    evaluate_integer,
    lib,
    parts_of,
)
from craton.frontends.c.clang.declarations import Declarations
from craton.frontends.c.clang.expressions import ExpressionReader, Reads
from craton.frontends.c.clang.nodes import NodeMaker
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import Kind, Node, Variable

_TYPE_DECLARATIONS = {2, 3, 5, 602, 8, 1}
_LABEL_REFERENCE = 48
_TARGETS = {201, 203, 204}


class StatementReader:
    """Reads statements, by clang's number of their kind."""

    def __init__(self, nodes: NodeMaker, expressions: ExpressionReader, declarations: Declarations) -> None:
        self._nodes = nodes
        self._make = nodes.make
        self._types = nodes.types
        self._forms = nodes.forms
        self._expression = expressions.expression
        self._is_expression = expressions.reads
        self._declared = declarations
        self._assembly: AssemblyReader | None = None
        self._readers: dict[int, Reads] = {
            200: self._attributed,
            201: self._label,
            202: self._compound,
            203: self._case,
            204: self._default,
            205: self._if,
            206: self._switch,
            207: self._while,
            208: self._do,
            209: self._for,
            210: self._goto,
            211: self._computed_goto,
            212: self._bare(Kind.CONTINUE),
            213: self._bare(Kind.BREAK),
            214: self._return,
            215: self._asm,
            230: self._bare(Kind.EMPTY),
            231: self._declarations,
        }

    def _bare(self, kind: Kind) -> Reads:
        """A statement that is its keyword."""
        return lambda raw: self._make(kind, raw)

    def statement(self, raw: Raw) -> Node:
        try:
            return self._statement(raw)
        except Unsupported as problem:
            if _holds_targets(raw):  # jumps from outside lead into it, so it cannot be left out
                if problem.where is None:  # a type
                    raise self._nodes.unsupported(problem.construct, raw) from None
                raise
            return self.unmodelled(problem, raw)

    def body(self, raw: Raw, function: Raw) -> Node:
        """The body of a function."""
        self._assembly = AssemblyReader(function)
        self._nodes.labels.begin(self._declared.function)
        try:
            return self.statement(raw)
        except Unsupported as problem:  # nobody jumps into it
            return self.unmodelled(problem, raw)

    def unmodelled(self, problem: Unsupported, raw: Raw) -> Node:
        """Instead of what has no translation."""
        extent = lib().clang_getCursorExtent(raw.cursor)  # of an expression statement even the type may be unreadable
        place = (extent.begin, extent.end, extent.a, extent.b)
        return Node(Kind.UNMODELLED, self._types.void, (), "", problem.construct, place)

    def _statement(self, raw: Raw) -> Node:
        reader = self._readers.get(raw.kind)
        if reader is not None:
            return reader(raw)
        if self._is_expression(raw):
            inner = self._expression(raw)
            return Node(Kind.EXPRESSION, self._types.void, (inner,), "", None, inner.range)
        raise self._nodes.unsupported(f"statement of clang's kind {raw.kind}", raw)

    def _compound(self, raw: Raw) -> Node:
        return self._make(Kind.COMPOUND, raw, tuple(map(self.statement, raw.children)))

    def _declarations(self, raw: Raw) -> Node:
        found = []
        for child in raw.children:
            if child.kind == 9:
                variable = self._declared.variable(child)
                found.append(self._make(Kind.DECLARE, child, self._cleanup(child, variable), value=variable))
            elif child.kind == 20:
                declared = self._types.of_cursor(child.cursor)
                lengths = self._declared.dimensions(declared, [c for c in child.children if 100 <= c.kind < 200])
                if lengths:
                    found.append(self._make(Kind.DECLARE_TYPE, child, value=lengths))
            elif child.kind not in _TYPE_DECLARATIONS:
                raise self._nodes.unsupported(f"declaration of clang's kind {child.kind}", child)
        return self._make(Kind.DECLARATIONS, raw, tuple(found))

    def _cleanup(self, raw: Raw, variable: Variable) -> tuple[Node, ...]:
        """The call at the end of the variable's scope that GNU's attribute asks for."""
        function = self._declared.cleanup_of(raw)
        if function is None:
            return ()
        object_ = self._make(Kind.VARIABLE, raw, value=variable)
        object_.type = variable.type
        address = self._make(Kind.ADDRESS, raw, (object_,))
        address.type = self._types.pointer_to(variable.type)
        callee = self._make(Kind.FUNCTION, raw, value=function)
        callee.type = function.type
        call = self._make(Kind.CALL, raw, (callee, address))
        call.type = function.type.result
        return (call,)

    def _if(self, raw: Raw) -> Node:
        parts = parts_of(raw)
        return self._make(Kind.IF, raw, (self._expression(parts[0]), *(self.statement(part) for part in parts[1:])))

    def _while(self, raw: Raw) -> Node:
        parts = parts_of(raw)
        return self._make(Kind.WHILE, raw, (self._expression(parts[0]), self.statement(parts[1])))

    def _do(self, raw: Raw) -> Node:
        parts = parts_of(raw)
        return self._make(Kind.DO, raw, (self.statement(parts[0]), self._expression(parts[1])))

    def _for(self, raw: Raw) -> Node:
        parts = parts_of(raw)
        first, condition, step = self._header(raw, parts[:-1])
        return self._make(
            Kind.FOR,
            raw,
            (
                self.statement(first) if first else None,
                self._expression(condition) if condition else None,
                self._expression(step) if step else None,
                self.statement(parts[-1]),
            ),
        )

    def _header(self, loop: Raw, parts: list[Raw]) -> tuple[Raw | None, Raw | None, Raw | None]:
        """The three parts of a `for`, of which the tree has only those that are there."""
        if len(parts) == 3:
            return parts[0], parts[1], parts[2]
        if not parts:
            return None, None, None
        present = self._forms.header(loop)
        if present is None or sum(present) != len(parts):
            raise self._nodes.unsupported("a for loop whose missing parts clang does not show", loop)
        there = iter(parts)
        first, condition, step = (next(there) if part else None for part in present)
        return first, condition, step

    def _switch(self, raw: Raw) -> Node:
        parts = parts_of(raw)
        return self._make(Kind.SWITCH, raw, (self._expression(parts[0]), self.statement(parts[-1])))

    def _case(self, raw: Raw) -> Node:
        """One value, or a GNU range of them."""
        parts = parts_of(raw)
        low = evaluate_integer(parts[0].cursor)
        high = evaluate_integer(parts[1].cursor) if len(parts) > 2 else low
        if low is None or high is None:
            raise self._nodes.unsupported("case label", raw)
        return self._make(Kind.CASE, raw, (self.statement(parts[-1]),), value=(low, high))

    def _default(self, raw: Raw) -> Node:
        return self._make(Kind.DEFAULT, raw, (self.statement(parts_of(raw)[-1]),))

    def _label(self, raw: Raw) -> Node:
        name = self._nodes.labels.of_statement(raw)
        parts = [p for p in parts_of(raw) if p.kind < 400]
        body = (self.statement(parts[-1]),) if parts else ()
        return self._make(Kind.LABEL, raw, body, value=name)

    def _goto(self, raw: Raw) -> Node:
        return self._make(Kind.GOTO, raw, value=self._nodes.labels.of_reference(raw.children[0]))

    def _computed_goto(self, raw: Raw) -> Node:
        return self._make(Kind.COMPUTED_GOTO, raw, (self._expression(parts_of(raw)[0]),))

    def _return(self, raw: Raw) -> Node:
        return self._make(Kind.RETURN, raw, tuple(map(self._expression, parts_of(raw))))

    def _asm(self, raw: Raw) -> Node:
        assembly = self._assembly.assembly(raw) if self._assembly is not None else None
        if assembly is None:
            raise self._nodes.unsupported("asm", raw)
        operands = [self._expression(part) for part in parts_of(raw) if part.kind != _LABEL_REFERENCE]
        if len(operands) != len(assembly.outputs) + len(assembly.inputs):
            raise self._nodes.unsupported("asm", raw)
        gotos = [self._make(Kind.GOTO, raw, value=label) for label in assembly.labels]
        return self._make(Kind.ASM, raw, (*operands, *gotos), value=assembly)

    def statement_expression(self, raw: Raw) -> Node:
        """GNU's `({ … })`."""
        return self._make(Kind.STATEMENT_EXPRESSION, raw, (self.statement(parts_of(raw)[0]),))

    def _attributed(self, raw: Raw) -> Node:
        parts = [p for p in parts_of(raw) if p.kind < 400]
        if len(parts) != 1:
            raise self._nodes.unsupported("statement", raw)
        return self.statement(parts[0])


def _holds_targets(raw: Raw) -> bool:
    """Whether there are labels in it, those of a switch included."""
    stack = [raw]
    while stack:
        each = stack.pop()
        if each.kind in _TARGETS:
            return True
        stack.extend(each.children)
    return False
