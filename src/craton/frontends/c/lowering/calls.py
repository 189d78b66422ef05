"""Calls: of functions with a body, by name and through pointers; the rest goes to `externals`."""

from __future__ import annotations

from collections.abc import Sequence

from craton.frontends.c.automaton.arithmetic import adapt, convert
from craton.frontends.c.automaton.context import PointerCall
from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.externals import Externals
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.results import as_value, assign_all, results_for, saved
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.lowering.variadic import VariableArguments
from craton.frontends.c.memory.places import Place
from craton.frontends.c.memory.scan import EXITS
from craton.frontends.c.syntax.expressions import direct_callee
from craton.frontends.c.syntax.nodes import Function, Kind, Node
from craton.frontends.c.syntax.types import (
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    count_leaves,
    is_callable_as,
)
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import Term, eq, not_, or_
from craton.program.cfa import DEREF, UNREACH, Location, Reach, Touched
from craton.program.statements import Call

_MOST_LEAVES = 4096
# Functions that compilers replace even where they do not optimise, and the type of their argument and result.
_INLINE: dict[str, type[CType]] = {
    **dict.fromkeys(("abs", "labs", "llabs", "imaxabs"), Integer),
    **dict.fromkeys(("fabs", "fabsf", "fabsl"), Floating),
}


class Calls:
    """Lowers calls."""

    def __init__(
        self,
        frame: Frame,
        expressions: Expressions,
        unknowns: Unknowns,
        variadic: VariableArguments,
        externals: Externals,
    ) -> None:
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._memory = frame.memory
        self._expressions = expressions
        self._unknowns = unknowns
        self._variadic = variadic
        self._externals = externals

    def call(self, node: Node) -> Value:
        outer = self._builder.origin
        self._builder.origin = self._frame.range(node) or outer
        try:
            return self._call(node)
        finally:
            self._builder.origin = outer

    def _call(self, node: Node) -> Value:
        function = direct_callee(node)
        if function is None:
            return self._indirect(node)
        if self._context.specification.forbids_call(function.name):
            for argument in node.children[1:]:
                self._expressions.value(argument)
            return self._forbidden(node)
        if function.is_external:
            if function.weak:
                raise self._frame.unsupported(f"a call of {function.name}, which is weak and not defined", node)
            last = self._context.program.after_entry()
            if last and function.name in EXITS:
                return self._exit(last, node)
            return self._externals.call(function, node)
        if self._is_the_compilers(function):
            return self._externals.call(function, node)
        if function.effectless and self._context.touches.call(node).writes:
            self._context.assume(f"{function.name} has no effects, as it is declared, or each call has them")
        if not _has_prototype(node.children[0]) and any(map(_is_converted, node.children[1:])):
            raise self._frame.unsupported(f"an argument that {function.name} does not get as it takes it", node)
        arguments = [(self._expressions.value(argument), argument.type) for argument in node.children[1:]]
        return self._invoke(function, arguments, node)

    def _forbidden(self, node: Node) -> Value:
        """A call of an error function."""
        self._builder.error(UNREACH)
        return self._unknowns.arbitrary(node.type)

    def _is_the_compilers(self, function: Function) -> bool:
        """Whether compilers know what a call by name does and look at no definition, though there is one."""
        declared = _INLINE.get(function.name)
        if declared is None or function.name not in self._context.program.definitions:
            return False
        t = function.type
        given = (t.result, *t.parameters)
        return len(given) == 2 and all(isinstance(each, declared) and each is given[0] for each in given)

    def _exit(self, last: Sequence[Function], node: Node) -> Value:
        """`exit` calls functions before the program ends."""
        for argument in node.children[1:]:
            self._expressions.value(argument)
        for function in last:
            self._invoke(function, [], node)
        return self._externals.end()

    def _invoke(self, function: Function, arguments: list[tuple[Value, CType]], node: Node) -> Value:
        self._context.called[function.symbol] = function
        signature = self._context.signature(function)
        flat: list[Term] = []
        for i, (parameter, group) in enumerate(zip(function.parameters, signature.parameters, strict=True)):
            if i < len(arguments):
                value, given = arguments[i]
                declared = function.type.parameters[i] if function.type.prototyped else parameter.type
                if not isinstance(value, tuple) and not _fits(given, parameter.type, declared):
                    what = f"a {given} passed where the function takes a {declared}"
                    raise self._frame.unsupported(what, node)
                flat.extend(self._pass(value, given, parameter.type, node))
            else:  # fewer arguments than parameters: undefined in C
                fresh = [self._builder.temporary(term.sort) for term in group]
                self._builder.havoc(*fresh)
                flat.extend(fresh)
        if signature.variadic is not None:
            flat.append(self._variadic.stored(function, arguments[len(function.parameters) :]))
        results = tuple(self._builder.temporary(term.sort) for term in signature.returns)
        self._builder.emit(Call(function.symbol, tuple(flat), results))
        if function.stops:
            self._builder.unmodelled(f"a return from {function.name}, which is declared not to return,")
            return self._unknowns.arbitrary(node.type)
        return self._result(results, function.type.result, node)

    def _result(self, results: tuple[Term, ...], t: CType, node: Node) -> Value:
        if isinstance(node.type, Void):
            return ()
        if isinstance(node.type, Record):
            return results
        if not results:
            return self._unknowns.arbitrary(node.type)
        if t is node.type or isinstance(t, Record):
            return results[0]
        return convert(results[0], t, node.type)

    def _pass(self, value: Value, given: CType, wanted: CType, node: Node) -> tuple[Term, ...]:
        if isinstance(value, tuple):
            if isinstance(wanted, Record) and count_leaves(wanted) > _MOST_LEAVES:
                raise self._frame.unsupported(f"a {wanted} of {wanted.size} bytes passed by value", node)
            return value
        return (adapt(value, given, wanted),)

    # --- function pointers --------------------------------------------------------------------------------------------

    def _indirect(self, node: Node) -> Value:
        """A case for each function that the pointer may mean, and one for all other values it may have."""
        callee = node.children[0]
        builder = self._builder
        pointer = builder.save(self._expressions.scalar(callee))
        place = self._context.points_to.pointed(callee)
        arguments = [(self._expressions.value(argument), argument.type) for argument in node.children[1:]]
        arguments = [(saved(builder, value), given) for value, given in arguments]
        targets = self._targets(place, callee.type, len(arguments))
        results = results_for(builder, node.type)
        after, unknown = builder.new(), builder.new()
        starts, misfit = [builder.new() for _ in targets], builder.new()
        if builder.here is not None:
            called = callee.type.target if isinstance(callee.type, Pointer) else callee.type
            branches = dict(zip(starts, targets, strict=True))
            self._context.pointer_calls[builder.here] = PointerCall(pointer, called, len(arguments), branches, misfit)
        conditions = [eq(pointer, self._memory.address_of_function(target)) for target in targets]
        builder.choose([*zip(conditions, starts, strict=True), (not_(or_(*conditions)), unknown)])
        for target, start in zip(targets, starts, strict=True):
            builder.enter(start)
            value = self._target(target, arguments, node)
            if not isinstance(node.type, Void):
                assign_all(builder, results, value, node.type)
            builder.go(after)
        builder.enter(unknown)
        if builder.here is not None:
            unfit = [function for function in place.functions.values() if function not in targets]
            self._beyond_targets(place, pointer, unfit, results, misfit, after)
        builder.enter(after)
        return as_value(results, node.type)

    def _target(self, function: Function, arguments: list[tuple[Value, CType]], node: Node) -> Value:
        """A call through a pointer that turned out to mean this function."""
        if self._context.specification.forbids_call(function.name):
            return self._forbidden(node)
        if function.body is None:
            return self._externals.through_pointer(function, node)
        return self._invoke(function, arguments, node)

    def _targets(self, place: Place, callee: CType, count: int) -> list[Function]:
        """The functions that a call with so many arguments may mean; a call of another one is unmodelled."""
        t = callee.target if isinstance(callee, Pointer) else callee
        return [
            function
            for function in place.functions.values()
            if isinstance(t, FunctionType) and is_callable_as(function.type, t, count)
        ]

    def _beyond_targets(
        self,
        place: Place,
        pointer: Term,
        unfit: list[Function],
        results: tuple[Term, ...],
        misfit: Location,
        after: Location,
    ) -> None:
        """The pointer means no function that fits: it points to one of another type or to code that the program does
        not have, or it is null or not initialised.

        A call through a null pointer ends the program. Where functions that nobody knows are taken for pure, so is what
        a pointer means that nobody set.
        """
        builder, memory = self._builder, self._memory
        is_unfit = or_(*(eq(pointer, memory.address_of_function(function)) for function in unfit))
        is_null = eq(pointer, memory.pointer(0))
        if self._context.specification.deref:
            builder.check(not_(is_null) if place.external else is_unfit, DEREF, Touched(pointer))
        builder.assume(not_(is_null))
        unknown = builder.new()
        builder.fork(is_unfit, misfit, unknown)
        builder.enter(unknown)
        if self._context.unknown_functions is UnknownFunctions.PURE:
            self._context.assume(
                "a call through an unknown function pointer returns an arbitrary value and changes nothing"
            )
            builder.havoc(*results)
            builder.go(after)
        elif place.external:
            builder.unmodelled("a call through a pointer to an unknown function")
        else:
            builder.unmodelled("a call through a pointer to none of the functions that are known to fit")
        builder.enter(misfit)
        if builder.here is not None:
            self._context.approximated["calls through pointers"] = None
            builder.perhaps_unmodelled("a call through a pointer to a function of another type", reach=Reach.CALLS)
            builder.havoc(*results)
            builder.go(after)


def _fits(given: CType, wanted: CType, declared: CType) -> bool:
    """Whether an argument of a function without a prototype is found where the function looks for it, and as it looks
    at it: what is `declared` to be a float is no double, and a truth value no other number.
    """
    if isinstance(given, Floating) and isinstance(declared, Floating):
        return given.size == declared.size
    if isinstance(wanted, Integer) and wanted.boolean:
        return isinstance(given, Integer) and given.boolean
    return isinstance(given, Floating) == isinstance(wanted, Floating) and isinstance(wanted, Record) == isinstance(
        given, Record
    )


def _has_prototype(callee: Node) -> bool:
    t = callee.type.target if isinstance(callee.type, Pointer) else callee.type
    return isinstance(t, FunctionType) and t.prototyped


def _is_converted(argument: Node) -> bool:
    """Whether clang makes an integer of a floating-point number, or the other way round, without being told to."""
    if argument.kind is not Kind.CONVERT or argument.op == "cast":
        return False
    return isinstance(argument.type, Floating) != isinstance(argument.children[0].type, Floating)
