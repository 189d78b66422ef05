"""Calls of library functions that have an exact text and a handler that says less, such as printf's family. The handler
is cheap, and good where nobody uses the result, and where a program has inputs: proofs about many texts are out of
reach, but most of them need not know any.
"""

from __future__ import annotations

from craton.frontends.c.syntax.expressions import direct_callee
from craton.frontends.c.syntax.nodes import Function, Kind, Node
from craton.frontends.c.syntax.program import Program
from craton.frontends.c.syntax.types import Void

_BUILTIN = "__builtin_"
_STATEMENTS = frozenset({Kind.EXPRESSION, Kind.COMPOUND})


def mean_exact_functions(body: Node, program: Program) -> None:
    """Lets calls in a body mean the exact functions where these are needed. Both meanings are sound."""
    if program.has_inputs:
        return
    stack: list[tuple[Node, bool]] = [(body, False)]
    while stack:
        node, is_used = stack.pop()
        if node.kind is Kind.CALL:
            _mean_exact(node, program, result_matters=is_used)
        if node.kind is Kind.DECLARE and node.value.initializer is not None:
            stack.append((node.value.initializer, True))
        uses = _uses(node, is_used)
        stack.extend((child, use) for child, use in zip(node.children, uses, strict=True) if child is not None)


def _uses(node: Node, is_used: bool) -> list[bool]:
    """For each operand whether its value is used."""
    used = [child is not None and child.kind not in _STATEMENTS for child in node.children]
    match node.kind:
        case Kind.EXPRESSION | Kind.COMPOUND | Kind.STATEMENT_EXPRESSION:  # of a block, the last value is what it gives
            used = [False] * len(used)
            used[-1:] = [is_used] * len(used[-1:])
        case Kind.FOR:
            used[2] = False
        case Kind.CONVERT if isinstance(node.type, Void):
            used[0] = False
        case Kind.BINARY if node.op == ",":
            used = [False, is_used]
        case Kind.CONDITIONAL:
            used[1:] = [is_used] * len(used[1:])
    return used


def _mean_exact(call: Node, program: Program, *, result_matters: bool) -> None:
    function, library = direct_callee(call), program.library
    if function is None or library is None or not _is_of_the_library(function, program):
        return
    name = library.exact(function.name, result_matters=result_matters)
    exact = program.function(name) if name is not None else None
    callee = call.children[0]
    while callee.kind is not Kind.FUNCTION:
        callee = callee.children[0]
    if exact is not None:
        callee.value = exact


def _is_of_the_library(function: Function, program: Program) -> bool:
    if function.name.startswith(_BUILTIN):
        return program.function(function.name.removeprefix(_BUILTIN)) is None
    return function.handled
