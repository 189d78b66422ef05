"""Whether evaluating an expression changes anything or can fail, so that `&&`, `||` and `?:` may become formulas."""

from __future__ import annotations

from craton.frontends.c.memory.addresses import Addresses
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import Integer, Pointer, Record
from craton.program.specification import Specification

_EFFECTS = frozenset(
    {
        Kind.ASSIGN,
        Kind.COMPOUND_ASSIGN,
        Kind.STEP,
        Kind.CALL,
        Kind.STATEMENT_EXPRESSION,
        Kind.VA_ARG,
        Kind.COMPOUND_LITERAL,
        Kind.SIZE_OF,
        Kind.ELVIS,
    }
)
_POINTERS = frozenset({Kind.DEREFERENCE, Kind.SUBSCRIPT})
_OVERFLOWS = frozenset({"+", "-", "*", "<<", "/", "%"})


class Purity:
    """Answers from memory; expressions are walked once."""

    def __init__(self, specification: Specification, addresses: Addresses) -> None:
        self._addresses = addresses
        self._overflow = specification.overflow
        self._deref = specification.deref
        self._memory = specification.memory
        self._known: dict[Node, bool] = {}

    def is_pure(self, root: Node) -> bool:
        known = self._known
        if root in known:
            return known[root]
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            missing = [child for child in node.children if child is not None and child not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            known[node] = self._local(node) and all(known[child] for child in node.children if child is not None)
        return known[root]

    def _local(self, node: Node) -> bool:
        kind = node.kind
        if kind in _EFFECTS or node.volatile or self._addresses.needs_layout(node) is not None:
            return False
        if isinstance(node.type, Record) and kind in (Kind.CONDITIONAL, Kind.INIT_LIST):
            return False
        if kind is Kind.BINARY:
            if node.op == ",":
                return True
            if node.op in ("/", "%") and isinstance(node.type, Integer):
                divisor = node.children[1]
                while divisor.kind is Kind.CONVERT and isinstance(divisor.type, Integer):
                    divisor = divisor.children[0]
                if divisor.kind is not Kind.NUMBER or divisor.value == 0:
                    return False
        if self._overflow and kind in (Kind.BINARY, Kind.UNARY) and node.op in _OVERFLOWS:
            if isinstance(node.type, Integer) and node.type.signed:
                return False
        if self._memory and kind is Kind.BINARY and isinstance(node.type, Pointer) and node.op in ("+", "-"):
            return False
        if self._deref:
            if kind in _POINTERS:
                return False
            if kind is Kind.MEMBER and isinstance(node.children[0].type, Pointer):
                return False
        return True
