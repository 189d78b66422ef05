"""Inline assembly, by what gcc asks of it: it changes its outputs, and memory if it says so.

A template without instructions does nothing: its outputs are what the inputs put into the same operands were. Of other
templates the outputs are arbitrary, so is memory if it is clobbered or the template may do more than it says
(`obedience`), and control goes on anywhere it may; a counterexample that passes one has to be run. Pointers that such a
template makes or changes are unmodelled, and so is one that may call what it is given.
"""

from __future__ import annotations

import itertools
import re

from craton.frontends.c.automaton.arithmetic import adapt
from craton.frontends.c.automaton.lvalue import Lvalue
from craton.frontends.c.library.table import NAMES
from craton.frontends.c.lowering.access import Access
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.lvalues import Lvalues
from craton.frontends.c.lowering.obedience import (
    disobedient,
    may_be_in_memory,
    mentioned,
    names_registers,
    reach_of,
    uses_stack,
    without_comments,
)
from craton.frontends.c.lowering.red_zone import may_change
from craton.frontends.c.lowering.results import saved
from craton.frontends.c.lowering.statements import Statements
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.memory.places import covered
from craton.frontends.c.syntax.expressions import root_variable, without_conversions
from craton.frontends.c.syntax.nodes import Assembly, Node, Operand
from craton.frontends.c.syntax.types import Floating, Integer, leaves
from craton.logic import BOOL, Term
from craton.program.cfa import Reach
from craton.program.specification import ASSERTION_FAILURES

_NOTHING = re.compile(r"(?:rep|nop|pause|[mls]fence|;|\s)*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_OPERANDS = re.compile(r"%+\w*(?:\[\w+\])?")  # registers, operands
_MNEMONIC = re.compile(r"(^|;|\n)(\s*)[A-Za-z]\w*(?=\s|;|$)(?!\s*=)")
_IN_MEMORY = frozenset("moV<>")
_MODIFIERS = "=+&%"


class InlineAssembly:
    """Lowers asm statements."""

    def __init__(
        self,
        frame: Frame,
        statements: Statements,
        expressions: Expressions,
        lvalues: Lvalues,
        access: Access,
        unknowns: Unknowns,
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._expressions = expressions
        self._lvalues = lvalues
        self._statements = statements
        self._access = access
        self._unknowns = unknowns

    def asm(self, node: Node) -> None:
        self._frame.at(node)
        assembly: Assembly = node.value
        if _NOTHING.fullmatch(without_comments(assembly.template)):
            self._empty(node, assembly)
        else:
            self._real(node, assembly)

    def _empty(self, node: Node, assembly: Assembly) -> None:
        """Registers keep what inputs put there."""
        outputs, inputs = _operands(node, assembly)
        targets = [self._lvalues.lvalue(without_conversions(child)) for _, child in outputs]
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
            self._access.store(target, adapt(value, source_type, without_conversions(child).type))

    def _real(self, node: Node, assembly: Assembly) -> None:
        """The outputs may be anything."""
        outputs, inputs = _operands(node, assembly)
        types = [leaf.type for _, child in outputs for leaf in leaves(without_conversions(child).type)]
        makes_pointers = not all(isinstance(t, Integer | Floating) for t in types)
        targets: list[tuple[Lvalue, Node]] = [
            (self._lvalues.lvalue(without_conversions(child)), without_conversions(child)) for _, child in outputs
        ]
        for _, child in inputs:
            self._expressions.effect(child)
        for target, child in targets:
            self._access.store(target, self._unknowns.arbitrary(child.type))
        operands = [without_conversions(child) for _, child in (*outputs, *inputs)]
        sizes = [child.type.size for child in operands[: len(outputs)]] + [child.type.size for _, child in inputs]
        unruly = disobedient(assembly, sizes)
        elsewhere = self._names_program(assembly) or self._reach_variables(unruly, assembly, operands)
        elsewhere |= self._changes_registers(assembly, bool(unruly)) or self._changes_locals(assembly, node, operands)
        reach = Reach.ANYTHING if elsewhere else reach_of(unruly)
        changes_memory = bool(unruly) or uses_stack(assembly) or "memory" in assembly.clobbers
        if makes_pointers:
            self._builder.perhaps_unmodelled("asm that may make pointers", reach=reach)
        elif reach is not Reach.MEMORY or (changes_memory and not self._change_memory()):
            self._builder.perhaps_unmodelled("asm that may change memory", reach=reach)
        for jump in node.children[len(outputs) + len(inputs) :]:
            self._jump(jump)
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
            for word in _symbols(assembly.template)
        )

    def _reach_variables(self, instructions: list[str], assembly: Assembly, operands: list[Node]) -> bool:
        """Whether some instructions may be given the address of a variable that has none in the model."""
        described = (*assembly.outputs, *assembly.inputs)
        given = [n for n in mentioned(instructions, assembly) if may_be_in_memory(described[n])]
        roots = [root_variable(operands[n]) for n in given]
        return any(root is not None and not self._context.scan.in_memory(root) for root in roots)

    def _changes_registers(self, assembly: Assembly, is_unruly: bool) -> bool:
        """Whether variables may change that are in registers, of this function or of those that have called it."""
        variables = itertools.chain(*self._context.scan.locals.values())
        return (is_unruly or names_registers(assembly)) and any(variable.in_register for variable in variables)

    def _changes_locals(self, assembly: Assembly, node: Node, operands: list[Node]) -> bool:
        """Whether variables of the function are needed afterwards that may stand where the asm pushes something."""
        if self._context.pointer_width < 64 or not uses_stack(assembly):
            return False
        outputs = {root_variable(operand) for operand in operands[: len(assembly.outputs)]}
        return may_change(node, self._frame.function, outputs, NAMES)

    def _change_memory(self) -> bool:
        """All that has an address becomes arbitrary, unless there are pointers among it."""
        occupied = self._context.points_to.occupied()
        places = list(dict.fromkeys(part for place in occupied for part in covered(place)))
        if self._context.specification.memory or any(part.pointee is not None for part in places):
            return False
        self._builder.havoc(*(self._context.memory.region(place).array for place in places if not place.functions))
        return True

    def _jump(self, goto: Node) -> None:
        """Perhaps."""
        jumping, going_on = self._builder.new(), self._builder.new()
        chosen = self._builder.temporary(BOOL)
        self._builder.havoc(chosen)
        self._builder.fork(chosen, jumping, going_on)
        self._builder.enter(jumping)
        self._statements.statement(goto)
        self._builder.enter(going_on)


def _operands(node: Node, assembly: Assembly) -> tuple[list[tuple[Operand, Node]], list[tuple[Operand, Node]]]:
    """Outputs and inputs with their expressions."""
    count = len(assembly.outputs)
    outputs = list(zip(assembly.outputs, node.children[:count], strict=True))
    return outputs, list(zip(assembly.inputs, node.children[count : count + len(assembly.inputs)], strict=True))


def _symbols(template: str) -> list[str]:
    """The words that may be names of the program: not registers, and not the first word of an instruction, which says
    what it does (`outb %b0, %w1`, often inside of a function `outb`). A comment may hide where one begins.
    """
    if "/*" not in template:
        template = _MNEMONIC.sub(r"\1\2 ", template)
    return _WORD.findall(_OPERANDS.sub(" ", template))


def _only_in_memory(constraint: str) -> bool:
    return set(constraint.strip(_MODIFIERS)) <= _IN_MEMORY
