"""Calls: of functions with a body, through pointers, of variadic functions; the rest goes to `library`."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import convert
from craton.frontends.c.automaton.context import part_sort
from craton.frontends.c.library.fidelity import LOOSELY_MODELLED, UNMODELLED
from craton.frontends.c.library.records import HANDLERS
from craton.frontends.c.lowering.access import Lvalue, Value
from craton.frontends.c.lowering.heap import Heap
from craton.frontends.c.memory.scan import direct_callee
from craton.frontends.c.syntax.nodes import Function, Node
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    count_leaves,
    leaves,
)
from craton.logic import FALSE, Term, bv, bvadd, bvule, eq, not_, or_
from craton.program.cfa import DEREF, UNREACH
from craton.program.statements import Call, Input

_MOST_LEAVES = 4096
_SLOT = 16  # bytes between the extra arguments of a variadic call
_NONDET = ("__VERIFIER_nondet_", "nondet_")
_ASSERT_FAILS = frozenset("__assert_fail __assert __assert_rtn _assert __assert_func __assert_perror_fail".split())


class Calls(Heap):
    """Lowers calls."""

    def call(self, node: Node) -> Value:
        outer = self.builder.origin
        self.builder.origin = self.range(node) or outer
        try:
            return self._call(node)
        finally:
            self.builder.origin = outer

    def _call(self, node: Node) -> Value:
        function = direct_callee(node)
        if function is None:
            return self._indirect(node)
        specification = self.context.specification
        if function.name in specification.error_functions:
            self._evaluate(node.children[1:])
            self.builder.error(UNREACH)
            return self.arbitrary(node.type)
        if function.body is None:
            return self._external(function, node)
        arguments = [(self.value(argument), argument.type) for argument in node.children[1:]]
        return self._invoke(function, arguments, node)

    def _evaluate(self, arguments: tuple[Node, ...]) -> list[Value]:
        return [self.value(argument) for argument in arguments]

    # --- functions with a body ----------------------------------------------------------------------------------------

    def _invoke(self, function: Function, arguments: list[tuple[Value, CType]], node: Node) -> Value:
        self.context.called[function.symbol] = function
        signature = self.context.signature(function)
        flat: list[Term] = []
        for i, (parameter, group) in enumerate(zip(function.parameters, signature.parameters, strict=True)):
            if i < len(arguments):
                value, given = arguments[i]
                flat.extend(self._pass(value, given, parameter.type, node))
            else:  # fewer arguments than parameters: undefined in C
                fresh = [self.builder.temporary(term.sort) for term in group]
                self.builder.havoc(*fresh)
                flat.extend(fresh)
        if signature.variadic is not None:
            flat.append(self._pass_variadic(function, arguments[len(function.parameters) :], node))
        results = tuple(self.builder.temporary(term.sort) for term in signature.returns)
        self.builder.emit(Call(function.symbol, tuple(flat), results))
        return self._result(results, function.type.result, node)

    def _result(self, results: tuple[Term, ...], t: CType, node: Node) -> Value:
        if isinstance(node.type, Void):
            return ()
        if isinstance(node.type, Record):
            return results
        if not results:
            return self.arbitrary(node.type)
        if t is node.type or isinstance(t, Record):
            return results[0]
        return convert(results[0], t, node.type)

    def _pass(self, value: Value, given: CType, wanted: CType, node: Node) -> tuple[Term, ...]:
        if isinstance(value, tuple):
            if isinstance(wanted, Record) and count_leaves(wanted) > _MOST_LEAVES:
                raise self.unsupported(f"a {wanted} of {wanted.size} bytes passed by value", node)
            return value
        return (self._adapt(value, given, wanted),)

    def _pass_variadic(self, function: Function, extra: list[tuple[Value, CType]], node: Node) -> Term:
        """Stores extra arguments in slots of 16 bytes; the callee gets the first one's address."""
        size = sum(_slot(t) for _, t in extra)
        place = self.context.points_to.of_variadic(function)
        if not extra:
            return self.memory.pointer(0)
        if self.function.symbol in self.context.recursive:
            address = self.allocate(self.memory.pointer(size), counted=False)
            area = None
        else:
            area = self.memory.add(f"{function.name}...", place, self.context.char_type, size)
            address = area.address
        offset = 0
        for value, t in extra:
            where = bvadd(address, self.memory.pointer(offset))
            if isinstance(t, ArrayType | FunctionType):
                t = Pointer(self.context.pointer_width // 8, 4, self.context.char_type)
            part = Lvalue(t, None, 0, where, place, None, area)
            if isinstance(t, Record):
                assert isinstance(value, tuple)
                self.store(part, value)
            else:
                assert isinstance(value, Term)
                self.store_memory(part, t, value)
            offset += _slot(t)
        return address

    def va_arg(self, node: Node) -> Value:
        cursor = self.va_cursor(node.children[0])
        address = self.load(cursor)
        assert isinstance(address, Term)
        address = self.builder.save(address)
        place = self.context.points_to.places.pointee(self.context.points_to.va_cursor(node.children[0]))
        value = self.load(Lvalue(node.type, None, 0, address, place))
        if isinstance(value, Term):
            value = self.builder.save(value)
        self.store(cursor, bvadd(address, self.memory.pointer(_slot(node.type))))
        return value

    def va_cursor(self, node: Node) -> Lvalue:
        """The pointer inside a va_list."""
        t = node.type
        place = self.context.points_to.va_cursor(node)
        record = t.target if isinstance(t, Pointer) else t.element if isinstance(t, ArrayType) else None
        if isinstance(record, Record):
            address = self.scalar(node)
            for member in record.fields:
                if isinstance(member.type, Pointer):
                    where = bvadd(address, self.memory.pointer(member.offset))
                    return Lvalue(member.type, None, 0, where, place)
        return self.lvalue(node)

    # --- function pointers --------------------------------------------------------------------------------------------

    def _indirect(self, node: Node) -> Value:
        callee = node.children[0]
        pointer = self.builder.save(self.scalar(callee))
        place = self.context.points_to.pointed(callee)
        t = callee.type.target if isinstance(callee.type, Pointer) else callee.type
        arguments = [(self.value(argument), argument.type) for argument in node.children[1:]]
        arguments = [(self._saved(value), given) for value, given in arguments]
        targets = [f for f in place.functions.values() if self._callable(f, t, len(arguments))]
        for other in place.functions.values():
            if other not in targets:
                self.context.assume(f"{other.name} is not called through a pointer of another type")
        builder = self.builder
        void = isinstance(node.type, Void)
        results = () if void else tuple(builder.temporary(part_sort(leaf.type)) for leaf in leaves(node.type))
        after, unknown = builder.new(), builder.new()
        starts = [builder.new() for _ in targets]
        conditions = [eq(pointer, self.memory.address_of_function(target)) for target in targets]
        builder.choose([*zip(conditions, starts, strict=True), (not_(or_(*conditions)), unknown)])
        for target, start in zip(targets, starts, strict=True):
            builder.enter(start)
            if target.body is None:
                value = self._external_values(target, [v for v, _ in arguments], node)
            else:
                value = self._invoke(target, arguments, node)
            if not void:
                self._assign_all(results, value, node.type)
            builder.go(after)
        builder.enter(unknown)
        if builder.here is not None:
            if not place.external and self.context.specification.deref:  # a pointer that is not initialised or null
                builder.error(DEREF)
            elif place.external or not targets:
                self.context.assume(
                    "a call through an unknown function pointer returns an arbitrary value and changes nothing"
                )
                builder.havoc(*results)
                builder.go(after)
            else:  # not initialised or null: undefined
                builder.assume(FALSE)
        builder.enter(after)
        if void:
            return ()
        return results if isinstance(node.type, Record) else results[0]

    def _saved(self, value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(self.builder.save(term) for term in value)
        return self.builder.save(value)

    def _callable(self, function: Function, t: CType, count: int) -> bool:
        """Whether a function fits the pointer's type well enough to be called through it."""
        own = function.type
        if isinstance(own.result, Record) and isinstance(t, FunctionType) and not isinstance(t.result, Record):
            return False
        if own.variadic:
            return count >= len(own.parameters)
        return not own.prototyped or len(own.parameters) == count

    # --- functions without a body -------------------------------------------------------------------------------------

    def _external(self, function: Function, node: Node) -> Value:
        name = function.name
        if name in UNMODELLED or name in LOOSELY_MODELLED:
            self.context.approximated[name] = None
        handler = HANDLERS.get(name)
        if handler is not None:
            found = handler(self, node, node.children[1:])
            if found is not None:
                return found
        return self._external_values(function, self._evaluate(node.children[1:]), node)

    def _external_values(self, function: Function, values: list[Value], node: Node) -> Value:
        name = function.name
        specification = self.context.specification
        if name in _ASSERT_FAILS:
            if specification.assertions:
                self.builder.error(UNREACH)
            else:
                self.builder.stop()
            return self.arbitrary(node.type)
        if name in ("__VERIFIER_error", "reach_error", "__VERIFIER_abort"):
            self.builder.stop()
            return self.arbitrary(node.type)
        if name.startswith(_NONDET) or name == "nondet":
            return self._input(name, node.type)
        if not isinstance(node.type, Void):
            self.context.assume(f"unknown function {name} returns an arbitrary value and changes nothing")
            if isinstance(node.type, Record):
                return self.arbitrary(node.type)
            return self._input(name, node.type)
        self.context.assume(f"unknown function {name} changes nothing")
        return ()

    def _input(self, name: str, t: CType) -> Value:
        if isinstance(t, Void):
            return ()
        if isinstance(t, Record):
            return self.arbitrary(t)
        result = self.builder.temporary(part_sort(t))
        self.builder.havoc(result, source=Input(name, str(t)))
        self._assume_bool(result, t)
        return result

    def _assume_bool(self, term: Term, t: CType) -> None:
        if isinstance(t, Integer) and t.boolean:
            self.builder.assume(bvule(term, bv(1, 8)))

    def arbitrary(self, t: CType) -> Value:
        """A value of which nothing is known."""
        if isinstance(t, Void | FunctionType):
            return ()
        terms = tuple(self.builder.temporary(part_sort(leaf.type)) for leaf in leaves(t))
        self.builder.havoc(*terms)
        for leaf, term in zip(leaves(t), terms, strict=True):
            self._assume_bool(term, leaf.type)
        return terms if isinstance(t, Record) else terms[0]


def _slot(t: CType) -> int:
    return max(-(-t.size // _SLOT), 1) * _SLOT
