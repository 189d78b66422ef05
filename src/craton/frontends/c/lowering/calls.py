"""Calls: of functions with a body, by name and through pointers; the rest goes to `externals`."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import adapt, convert
from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.externals import Externals
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.results import as_value, assign_all, results_for, saved
from craton.frontends.c.lowering.unknowns import Unknowns
from craton.frontends.c.lowering.variadic import VariableArguments
from craton.frontends.c.memory.places import Place
from craton.frontends.c.syntax.expressions import direct_callee
from craton.frontends.c.syntax.nodes import Function, Node
from craton.frontends.c.syntax.types import CType, FunctionType, Pointer, Record, Void, count_leaves
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import FALSE, Term, eq, not_, or_
from craton.program.cfa import DEREF, UNREACH, Location
from craton.program.statements import Call

_MOST_LEAVES = 4096


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
        specification = self._context.specification
        if function.name in specification.error_functions:
            for argument in node.children[1:]:
                self._expressions.value(argument)
            self._builder.error(UNREACH)
            return self._unknowns.arbitrary(node.type)
        if function.is_external:
            return self._externals.call(function, node)
        arguments = [(self._expressions.value(argument), argument.type) for argument in node.children[1:]]
        return self._invoke(function, arguments, node)

    def _invoke(self, function: Function, arguments: list[tuple[Value, CType]], node: Node) -> Value:
        self._context.called[function.symbol] = function
        signature = self._context.signature(function)
        flat: list[Term] = []
        for i, (parameter, group) in enumerate(zip(function.parameters, signature.parameters, strict=True)):
            if i < len(arguments):
                value, given = arguments[i]
                flat.extend(self._pass(value, given, parameter.type, node))
            else:  # fewer arguments than parameters: undefined in C
                fresh = [self._builder.temporary(term.sort) for term in group]
                self._builder.havoc(*fresh)
                flat.extend(fresh)
        if signature.variadic is not None:
            flat.append(self._variadic.stored(function, arguments[len(function.parameters) :]))
        results = tuple(self._builder.temporary(term.sort) for term in signature.returns)
        self._builder.emit(Call(function.symbol, tuple(flat), results))
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
        starts = [builder.new() for _ in targets]
        conditions = [eq(pointer, self._memory.address_of_function(target)) for target in targets]
        builder.choose([*zip(conditions, starts, strict=True), (not_(or_(*conditions)), unknown)])
        for target, start in zip(targets, starts, strict=True):
            builder.enter(start)
            if target.body is None:
                value = self._externals.through_pointer(target, node)
            else:
                value = self._invoke(target, arguments, node)
            if not isinstance(node.type, Void):
                assign_all(builder, results, value, node.type)
            builder.go(after)
        builder.enter(unknown)
        if builder.here is not None:
            self._beyond_targets(place, bool(targets), results, after)
        builder.enter(after)
        return as_value(results, node.type)

    def _targets(self, place: Place, callee: CType, count: int) -> list[Function]:
        """The functions that a call with so many arguments may mean."""
        t = callee.target if isinstance(callee, Pointer) else callee
        targets = [function for function in place.functions.values() if _is_callable(function, t, count)]
        for other in place.functions.values():
            if other not in targets:
                self._context.assume(f"{other.name} is not called through a pointer of another type")
        return targets

    def _beyond_targets(self, place: Place, has_targets: bool, results: tuple[Term, ...], after: Location) -> None:
        """The pointer means none of the known functions."""
        if not place.external and self._context.specification.deref:  # a pointer that is not initialised or null
            self._builder.error(DEREF)
        elif place.external or not has_targets:
            if self._context.unknown_functions is not UnknownFunctions.PURE:
                self._builder.unmodelled("a call through a pointer to an unknown function")
            self._context.assume(
                "a call through an unknown function pointer returns an arbitrary value and changes nothing"
            )
            self._builder.havoc(*results)
            self._builder.go(after)
        else:  # not initialised or null: undefined
            self._builder.assume(FALSE)


def _is_callable(function: Function, t: CType, count: int) -> bool:
    """Whether a function fits the pointer's type well enough to be called through it."""
    own = function.type
    if isinstance(own.result, Record) and isinstance(t, FunctionType) and not isinstance(t.result, Record):
        return False
    if own.variadic:
        return count >= len(own.parameters)
    return not own.prototyped or len(own.parameters) == count
