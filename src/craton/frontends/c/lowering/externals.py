"""Calls of functions without a body: those that the library knows, inputs, and unknown ones."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.table import FUNCTIONS
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.syntax.nodes import Function, Node
from craton.frontends.c.syntax.types import Record, Void
from craton.program.cfa import UNREACH

_NONDET = ("__VERIFIER_nondet_", "nondet_")
_ASSERT_FAILS = frozenset("__assert_fail __assert __assert_rtn _assert __assert_func __assert_perror_fail".split())


class Externals:
    """Lowers calls that leave the program's text."""

    def __init__(self, frame: Frame, expressions: Expressions, unknowns: Unknowns, lowering: Lowering) -> None:
        self._context = frame.context
        self._builder = frame.builder
        self._expressions = expressions
        self._unknowns = unknowns
        self._lowering = lowering  # what handlers of the library ask

    def call(self, function: Function, node: Node) -> Value:
        """As the library says; else like an unknown function."""
        name = function.name
        known = FUNCTIONS.get(name)
        if known is not None:
            if known.fidelity.approximates:
                self._context.approximated[name] = None
            found = known.handler(self._lowering, node, node.children[1:]) if known.handler is not None else None
            if found is not None:
                return found
        for argument in node.children[1:]:
            self._expressions.value(argument)
        return self.with_values(function, node)

    def with_values(self, function: Function, node: Node) -> Value:
        """A call whose arguments have been evaluated: of an error function, an input, or an unknown function."""
        name = function.name
        specification = self._context.specification
        if name in _ASSERT_FAILS:
            if specification.assertions:
                self._builder.error(UNREACH)
            else:
                self._builder.stop()
            return self._unknowns.arbitrary(node.type)
        if name in ("__VERIFIER_error", "reach_error", "__VERIFIER_abort"):
            self._builder.stop()
            return self._unknowns.arbitrary(node.type)
        if name.startswith(_NONDET) or name == "nondet":
            return self._unknowns.input(name, node.type)
        if not isinstance(node.type, Void):
            self._context.assume(f"unknown function {name} returns an arbitrary value and changes nothing")
            if isinstance(node.type, Record):
                return self._unknowns.arbitrary(node.type)
            return self._unknowns.input(name, node.type)
        self._context.assume(f"unknown function {name} changes nothing")
        return ()
