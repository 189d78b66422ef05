"""clang's tree into `syntax`, function by function, as the lowering asks for them. Here: statements."""

from __future__ import annotations

from typing import Any

from craton.frontends.c.clang import lexing
from craton.frontends.c.clang.bindings import (
    Raw,
    evaluate_integer,
    lib,
    text,
)
from craton.frontends.c.clang.expressions import BINARY, EXPRESSIONS, UNARY, ExpressionReader
from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.nodes import Kind, Node

_TYPE_DECLARATIONS = {2, 3, 5, 602, 8, 1}


class UnitReader(ExpressionReader):
    """Reads one translation unit into a `Program`."""

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
        if raw.kind in EXPRESSIONS:
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
        if part.kind == 114 and BINARY[lib().clang_getCursorBinaryOperatorKind(part.cursor)] not in ("=", ","):
            return 1
        if part.kind == 112 and "x" in (UNARY[lib().clang_getCursorUnaryOperatorKind(part.cursor)] or ""):
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


def _simple(kind: Kind) -> Any:
    return lambda reader, raw: reader._node(kind, raw)


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
