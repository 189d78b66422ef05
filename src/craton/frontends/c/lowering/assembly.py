"""Inline assembly, by what gcc asks of it: it changes its outputs, and memory if it says so.

A template without instructions does nothing: its outputs are what the inputs put into the same operands were. Of other
templates the outputs are arbitrary, and a counterexample that passes one has to be run. What may change memory or
jump is unmodelled.
"""

from __future__ import annotations

import re

from craton.frontends.c.automaton.arithmetic import adapt
from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.lvalues import Lvalues
from craton.frontends.c.lowering.results import saved
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.syntax.nodes import Assembly, Kind, Node, Operand
from craton.logic import Term
from craton.program.specification import ASSERTION_FAILURES

_NOTHING = re.compile(r"(?:rep|nop|pause|[mls]fence|;|\s|\\[nt]|#[^\n]*|/\*.*?\*/)*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_IN_MEMORY = frozenset("moV<>")
_MODIFIERS = "=+&%"


class InlineAssembly:
    """Lowers asm statements."""

    def __init__(
        self, frame: Frame, expressions: Expressions, lvalues: Lvalues, access: Access, unknowns: Unknowns
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._expressions = expressions
        self._lvalues = lvalues
        self._access = access
        self._unknowns = unknowns

    def asm(self, node: Node) -> None:
        self._frame.at(node)
        assembly: Assembly = node.value
        if assembly.jumps:
            raise self._frame.unsupported("asm goto", node)
        if _NOTHING.fullmatch(assembly.template):
            self._empty(node, assembly)
        else:
            self._real(node, assembly)

    def _empty(self, node: Node, assembly: Assembly) -> None:
        """Registers keep what inputs put there."""
        outputs, inputs = _operands(node, assembly)
        targets = [self._lvalues.lvalue(_bare(child)) for _, child in outputs]
        values = [saved(self._builder, self._expressions.value(child)) for _, child in inputs]
        for number, ((operand, child), target) in enumerate(zip(outputs, targets, strict=True)):
            if "+" in operand.constraint or _only_in_memory(operand.constraint):
                continue
            names = {str(number), f"[{operand.name}]"}
            given = [
                (value, source.type)
                for (other, source), value in zip(inputs, values, strict=True)
                if other.constraint.strip(_MODIFIERS) in names
            ]
            if len(given) != 1 or not isinstance(given[0][0], Term):
                raise self._frame.unsupported("an output of an empty asm that no input gives", node)
            value, source_type = given[0]
            assert isinstance(value, Term)
            self._access.store(target, adapt(value, source_type, _bare(child).type))

    def _real(self, node: Node, assembly: Assembly) -> None:
        """The outputs may be anything."""
        if "memory" in assembly.clobbers:
            self._frame.fail_here("asm that may change memory", contained=not self._names_program(assembly))
        outputs, inputs = _operands(node, assembly)
        targets: list[tuple[Lvalue, Node]] = [
            (self._lvalues.lvalue(_bare(child)), _bare(child)) for _, child in outputs
        ]
        for _, child in inputs:
            self._expressions.effect(child)
        for target, child in targets:
            self._access.store(target, self._unknowns.arbitrary(child.type))
        self._context.approximated["asm"] = None

    def _names_program(self, assembly: Assembly) -> bool:
        """Whether the template may lead to a function that the text of the program does not call, or may change a
        variable outside of memory.
        """
        program = self._context.program
        known = {variable.name for variable in self._context.scan.globals}
        known |= {*program.definitions, *self._context.specification.error_functions, *ASSERTION_FAILURES}
        return any(
            word in known or any(unit.defined(word) is not None for unit in program.units)
            for word in _WORD.findall(assembly.template)
        )


def _operands(node: Node, assembly: Assembly) -> tuple[list[tuple[Operand, Node]], list[tuple[Operand, Node]]]:
    """Outputs and inputs with their expressions."""
    count = len(assembly.outputs)
    outputs = list(zip(assembly.outputs, node.children[:count], strict=True))
    return outputs, list(zip(assembly.inputs, node.children[count:], strict=True))


def _bare(operand: Node) -> Node:
    while operand.kind is Kind.CONVERT:
        operand = operand.children[0]
    return operand


def _only_in_memory(constraint: str) -> bool:
    return set(constraint.strip(_MODIFIERS)) <= _IN_MEMORY
