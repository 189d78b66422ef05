"""Functions that end the run, or that only matter to compilers; and those that are beyond us."""

from __future__ import annotations

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.contracts import DIRECT
from craton.frontends.c.library.intrinsics import any_value, refused
from craton.frontends.c.library.reads import print_arguments, there
from craton.frontends.c.library.records import builtins, models
from craton.frontends.c.syntax.expressions import constant_number, direct_callee
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import Floating, Integer, Record, Void
from craton.logic import FALSE, Term, bv, eq, ite

_SIGFPE = 8


@models("__VERIFIER_assume")
def _assume(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.builder.assume(lower.conditions.condition(arguments[0]))
    return ()


@models("abort _Exit __builtin_trap")
def _abort(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.builder.stop()
    return ()


@models("exit _exit quick_exit")
def _exit(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    for argument in arguments:
        lower.expressions.value(argument)
    lower.ending.at_exit()
    lower.builder.stop()
    return ()


@builtins("unreachable")
def _unreachable(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    lower.context.assume("__builtin_unreachable is not reached")
    lower.builder.assume(FALSE)
    return ()


@builtins("expect expect_with_probability")
def _expect(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.value(arguments[0])
    lower.expressions.effect(arguments[1])
    return value


@models("__builtin_assume")
def _builtin_assume(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    return ()


_CONSTANT = frozenset({Kind.NUMBER, Kind.CONVERT, Kind.BINARY, Kind.UNARY, Kind.CONDITIONAL})


@models("__builtin_constant_p")
def _constant_p(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """As a compiler says that does not optimize: numbers are constants, variables are none; the rest is open."""
    kinds = set()
    stack = [arguments[0]]
    while stack:
        part = stack.pop()
        kinds.add(part.kind)
        stack.extend(child for child in part.children if child is not None)
    width = node.type.size * 8
    if kinds <= {Kind.STRING, Kind.CONVERT}:
        return bv(1, width)
    if kinds <= _CONSTANT or kinds & {Kind.VARIABLE, Kind.CALL}:
        if not kinds <= _CONSTANT:
            lower.context.assume("no variable is a constant to the compiler (__builtin_constant_p)")
        return bv(1 if kinds <= _CONSTANT else 0, width)
    answer = any_value(lower, node, arguments)
    assert isinstance(answer, Term)
    return ite(eq(answer, bv(0, width)), bv(0, width), bv(1, width))


@builtins("classify_type")
def _classify_type(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """gcc's numbers of the classes of types; the argument is not evaluated."""
    t = arguments[0].type if arguments else Void()
    match t:
        case Void():
            number = 0
        case Integer():
            number = 1
        case Floating():
            number = 8
        case Record():
            number = 13 if t.is_union else 12
        case _:
            number = 5
    return bv(number, node.type.size * 8)


@models("__builtin_object_size __builtin_dynamic_object_size")
def _object_size(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Compilers answer what they find out."""
    return any_value(lower, node, arguments)


@models("__builtin_prefetch __VERIFIER_atomic_begin __VERIFIER_atomic_end __builtin___clear_cache")
def _nothing(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    for argument in arguments:
        lower.expressions.effect(argument)
    if isinstance(node.type, Void):
        return ()
    return bv(0, node.type.size * 8)


@models("signal")
def _signal(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Only division by zero raises SIGFPE by itself, and is not modelled where there may be a handler."""
    if constant_number(arguments[0]) != _SIGFPE:
        return refused(lower, node, arguments)
    lower.expressions.effect(arguments[1])
    return lower.unknowns.arbitrary(node.type)


@models("__builtin_return_address")
def _some_address(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Not null, of the function itself."""
    address = any_value(lower, node, arguments)
    if constant_number(arguments[0]) != 0:
        return address
    assert isinstance(address, Term)
    return ite(eq(address, lower.memory.pointer(0)), lower.memory.pointer(1), address)


@builtins("extract_return_addr frob_return_addr assume_aligned")
def _same_address(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[0])
    for argument in arguments[1:]:
        lower.expressions.effect(argument)
    return value


_FORMAT_AT = {  # the arguments before the format
    "printf": 0, "vprintf": 0, "printk": 0, "__printf_chk": 1, "dprintf": 1, "vdprintf": 1, "fprintf": 1, "vfprintf": 1,
    "__fprintf_chk": 2,
}  # fmt: skip


@models(" ".join(_FORMAT_AT))
def _print(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Output is not modelled; the number of characters written is arbitrary, or negative."""
    callee = direct_callee(node)
    assert callee is not None
    name = callee.name.removeprefix(DIRECT).removeprefix("__builtin_")
    format_at, as_list = _FORMAT_AT[name], name.startswith("v")
    if len(arguments) <= format_at:
        return refused(lower, node, arguments)
    if "fprintf" in name:
        there(lower, arguments[0])
        arguments, format_at = arguments[1:], format_at - 1
    print_arguments(lower, arguments, format_at, as_list=as_list)
    return lower.unknowns.arbitrary(node.type)
