"""What the C text of the library says to the front end: arbitrary values, inputs, what is not modelled."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.library.arguments import size_argument, unknown_bytes
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.reads import read_block, read_text, there
from craton.frontends.c.library.records import only
from craton.frontends.c.syntax.expressions import direct_callee, literal_text
from craton.frontends.c.syntax.nodes import Node
from craton.program.cfa import Reach

# After which variables outside of memory may have other values than the text says.
_RETURN_TWICE = frozenset("setjmp _setjmp sigsetjmp __sigsetjmp getcontext vfork fork".split())


def any_value(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """One of more values than the function has in C, so a counterexample has to be run."""
    lower.context.approximated[lower.function.name] = None
    return lower.unknowns.arbitrary(node.type)


def open_value(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """One of the values that there are: what is read from outside, for instance."""
    return lower.unknowns.arbitrary(node.type)


def input_value(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    return lower.unknowns.input(lower.function.name, node.type)


def refused(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """A function that nobody models."""
    function = direct_callee(node)
    name = function.name if function is not None else "this function"
    for argument in arguments:
        lower.expressions.effect(argument)
    lower.context.approximated[name] = None
    reach = Reach.ANYTHING if name in _RETURN_TWICE else Reach.LATER
    lower.builder.perhaps_unmodelled(f"a call of {name}", reach=reach)
    return lower.unknowns.arbitrary(node.type)


@only("__craton_assume")
def _assume(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.builder.assume(lower.conditions.condition(arguments[0]))
    return ()


@only("__craton_unmodelled")
def _unmodelled(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.context.approximated[lower.function.name] = None
    lower.builder.perhaps_unmodelled(literal_text(arguments[0]) or lower.function.name, reach=Reach.LATER)
    return ()


@only("__craton_rests_on")
def _rests_on(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.context.assume(literal_text(arguments[0]) or lower.function.name)
    return ()


@only("__craton_scramble")
def _scramble(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.context.approximated[lower.function.name] = None
    unknown_bytes(lower, arguments[0], lower.builder.save(size_argument(lower, arguments[1])))
    return ()


@only("__craton_reads")
def _reads(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    read_block(lower, arguments[0], arguments[1])
    return ()


@only("__craton_reads_text")
def _reads_text(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    read_text(lower, arguments[0])
    return ()


@only("__craton_closes")
def _closes(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Which files are open is not followed."""
    there(lower, arguments[0])
    if lower.context.specification.deref:
        lower.context.assume("files that are closed are used no more")
    return ()


@only("__craton_there")
def _there(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    there(lower, arguments[0])
    return ()
