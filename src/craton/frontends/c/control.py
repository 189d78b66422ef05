"""Statements: control flow becomes locations and edges."""

from __future__ import annotations

from typing import Any

from craton.frontends.c.access import Lvalue, Value
from craton.frontends.c.builder import Builder
from craton.frontends.c.calls import Calls
from craton.frontends.c.context import Context, Part
from craton.frontends.c.ctype import CType, Integer, Pointer, Record, Void, count_leaves, leaves
from craton.frontends.c.expressions import _has_variable_length
from craton.frontends.c.lifetimes import Lifetime
from craton.frontends.c.places import parts_of
from craton.frontends.c.scopes import Scope, scopes
from craton.frontends.c.syntax import Function, Kind, Node, Storage, Variable
from craton.frontends.c.values import is_signed, resize
from craton.logic import BitVec, Term, and_, bv, bvadd, bvsle, bvule, eq, ite, not_, or_, select, store
from craton.program.cfa import MEMCLEANUP, MEMTRACK, UNREACH, Location
from craton.program.origin import SourceRange
from craton.program.statements import Return

_MOST_SINGLE = 16  # leaves of an uninitialised object that get a variable each
_MOST_COUNTED = 64  # pointers in globals that are told apart at the end


class Control(Calls):
    """Lowers a function's body."""

    def __init__(self, context: Context, function: Function, builder: Builder) -> None:
        super().__init__(context, function, builder)
        self.exit = builder.new()
        self._labels: dict[str, Location] = {}
        self._scopes = scopes(context, function)
        self.renewed = self._scopes.renewed
        self._open: list[Scope] = []  # the watched ones that hold the current statement
        self._breaks: list[tuple[Location, tuple[Scope, ...]]] = []
        self._continues: list[tuple[Location, tuple[Scope, ...]]] = []
        self._cases: list[dict[Node, Location]] = []
        self._computed: list[tuple[Location, Term, SourceRange | None, list[Scope]]] = []

    def run(self) -> None:
        """The whole function: parameters, body, and the way to its exit."""
        function, builder = self.function, self.builder
        signature = self.context.signature(function)
        builder.origin = function.range
        for term in (*signature.flat, *signature.returns):
            builder.locals[term] = None
        self._open_locals()
        for parameter, group in zip(function.parameters, signature.parameters, strict=True):
            if self.context.scan.in_memory(parameter):
                target = self.variable(parameter)
                self.store(target, group if isinstance(parameter.type, Record) else group[0])
            else:
                self.context.plain[parameter] = tuple(
                    Part(leaf.offset, leaf.type, term) for leaf, term in zip(leaves(parameter.type), group, strict=True)
                )
        for parameter in function.parameters:
            self._measure(parameter.dimensions)
        assert function.body is not None
        self.statement(function.body)
        self._fall_off(signature.returns)
        self._leave()
        self._dispatch_computed_gotos()

    def _fall_off(self, returns: tuple[Term, ...]) -> None:
        """The end of the body without a return statement: the entry function returns 0, others something arbitrary."""
        if self.function.symbol != self.context.specification.entry:
            self.builder.havoc(*returns)
            return
        for term in returns:
            if isinstance(term.sort, BitVec):
                self.builder.assign(term, bv(0, term.sort.width))

    def _open_locals(self) -> None:
        """Locals in memory begin to live, unless they are watched; those of recursive functions get new memory."""
        memory = self.memory
        later = {variable for scope in self._scopes.blocks.values() for variable in scope.mortal}
        for variable in self.context.scan.locals.get(self.function.symbol, ()):
            if not self.context.scan.in_memory(variable):
                continue
            if _has_variable_length(variable.type) or variable in later:
                if memory.safety:  # nothing to bury yet
                    self.builder.assign(self.object_of(variable).address, memory.pointer(0))
                continue
            known = self.object_of(variable)
            if variable in self.local_objects:
                self.builder.assign(known.address, self.allocate(memory.pointer(known.size), counted=False))
            elif memory.safety:
                number = self.object_number(known.address)
                self.builder.assign(memory.sizes, store(memory.sizes, number, memory.pointer(known.size + 1)))

    def _leave(self) -> None:
        """The end of the function: locals in memory die."""
        builder, memory = self.builder, self.memory
        if memory.safety and builder.here is not None:
            new = memory.sizes
            for variable in self.context.scan.locals.get(self.function.symbol, ()):
                known = self.local_objects.get(variable) or self.context.objects.get(variable)
                if known is not None:
                    new = store(new, self.object_number(known.address), memory.pointer(0))
            builder.assign(memory.sizes, new)
        if self.function.symbol == self.context.specification.entry:
            self.at_end()
        if builder.here is not None:
            builder.emit(Return())
            builder.edges[-1] = _to(builder.edges[-1], self.exit)
            builder.here = None

    def at_end(self) -> None:
        """The entry function returns: what is still allocated is lost, unless a global points to it."""
        memory, specification = self.memory, self.context.specification
        if specification.memtrack:
            self.builder.check(self._all_tracked(), MEMTRACK)
        if specification.memcleanup:
            self.builder.check(eq(memory.live, memory.pointer(0)), MEMCLEANUP)

    def _all_tracked(self) -> Term:
        """Whether every block that is still allocated is pointed to by a global.

        Blocks are counted: as many as there are different ones that globals point to. Where such a block may itself
        point to others the count says nothing, and that nothing is lost becomes an assumption.
        """
        memory = self.memory
        tracked, leading_on = memory.pointer(0), []
        counted: list[tuple[Term, Term]] = []  # a block's number, and whether it is one
        for pointer, leads_on in self._global_pointers():
            number, is_block = self.object_number(pointer), self._points_to_heap(pointer)
            if leads_on or len(counted) >= _MOST_COUNTED:
                leading_on.append(is_block)
                continue
            new = and_(is_block, *(not_(and_(known, eq(number, other))) for other, known in counted))
            tracked = bvadd(tracked, ite(new, memory.pointer(1), memory.pointer(0)))
            counted.append((number, is_block))
        if leading_on:
            self.context.assume("no memory is lost where a global variable points to allocated memory at the end")
        return or_(eq(memory.live, tracked), *leading_on)

    def at_exit(self) -> None:
        if self.context.specification.memtrack:
            self.context.assume("no memory is lost where the program calls exit")
        if self.context.specification.memcleanup:
            self.builder.check(eq(self.memory.live, self.memory.pointer(0)), MEMCLEANUP)

    def _global_pointers(self) -> list[tuple[Term, bool]]:
        """The pointers in global variables, and whether what they point to may hold pointers."""
        found: list[tuple[Term, bool]] = []
        for variable in self.context.scan.globals:
            t: CType = variable.type
            if count_leaves(t) > _MOST_COUNTED or not any(isinstance(leaf.type, Pointer) for leaf in leaves(t)):
                continue  # what a large table points to counts as lost
            target = self.variable(variable)
            # Unification keeps one place for what all pointers of a plain struct point to, or one for each field.
            pointees = [place.pointee for place in parts_of(self.context.points_to.of_variable(variable))]
            leads_on = any(part.pointee for place in pointees if place is not None for part in parts_of(place))
            if target.plain is not None:
                found.extend((part.term, leads_on) for part in target.plain if isinstance(part.type, Pointer))
            else:
                pointers = [part for part in self._leaf_lvalues(target, t) if isinstance(part.type, Pointer)]
                found.extend((self.load_memory(part, part.type), leads_on) for part in pointers)
        return found

    def _points_to_heap(self, pointer: Term) -> Term:
        number = self.object_number(pointer)
        alive = not_(eq(select(self.memory.sizes, number), self.memory.pointer(0)))
        return and_(self.is_heap_number(number), alive)

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(self, node: Node) -> None:
        handler = _HANDLERS.get(node.kind)
        if handler is None:
            raise self.unsupported(node.kind.value, node)
        scope = self._scopes.blocks.get(node)
        if scope is None:
            handler(self, node)
        else:
            self._enter(scope)
            handler(self, node)
            self._quit(scope)

    # --- scopes -------------------------------------------------------------------------------------------------------

    def _enter(self, scope: Scope) -> None:
        self._open.append(scope)
        self._begin(scope)

    def _quit(self, scope: Scope) -> None:
        self._end(scope)
        self._open.pop()

    def _begin(self, scope: Scope) -> None:
        """Locals begin to live, without a value."""
        for variable in scope.mortal:
            known = self.object_of(variable)
            if not _has_variable_length(variable.type):
                self.builder.assign(known.address, self.allocate(self.memory.pointer(known.size), counted=False))
        for variable in scope.passed:
            self._lose_value(variable)

    def _end(self, scope: Scope) -> None:
        sizes = self.memory.sizes
        for variable in scope.mortal:
            number = self.object_number(self.object_of(variable).address)
            sizes = store(sizes, number, self.memory.pointer(0))
        self.builder.assign(self.memory.sizes, sizes)

    def _jump(self, target: Location, inside: tuple[Scope, ...]) -> None:
        """Control goes to a location in other scopes: those it leaves end, those it enters begin."""
        if self.builder.here is None:
            return
        common = 0
        while common < min(len(self._open), len(inside)) and self._open[common] is inside[common]:
            common += 1
        for scope in reversed(self._open[common:]):
            self._end(scope)
        for scope in inside[common:]:
            self._begin(scope)
        self.builder.go(target)

    def _way_to(self, target: Location, inside: tuple[Scope, ...]) -> Location:
        """Where an edge has to lead so that control gets to a location in other scopes."""
        if tuple(self._open) == inside:
            return target
        here, way = self.builder.here, self.builder.new()
        self.builder.here = way
        self._jump(target, inside)
        self.builder.here = here
        return way

    # --- statements in turn -------------------------------------------------------------------------------------------

    def _at(self, node: Node) -> None:
        self.builder.origin = self.range(node) or self.builder.origin

    def _compound(self, node: Node) -> None:
        for child in node.children:
            self.statement(child)

    def _expression(self, node: Node) -> None:
        self._at(node)
        self.effect(node.children[0])

    def _empty(self, node: Node) -> None:
        pass

    def _declare(self, node: Node) -> None:
        self._at(node)
        self.declare(node.value)

    def _declare_type(self, node: Node) -> None:
        self._at(node)
        self._measure(node.value)

    def _measure(self, dimensions: tuple[Any, ...]) -> None:
        """Computes the lengths of variable-length arrays."""
        for array, length in dimensions:
            value = resize(self.scalar(length), self.context.pointer_width, signed=is_signed(length.type))
            self.lengths[array] = self.builder.save(value)

    def declare(self, variable: Variable) -> None:
        if variable.storage is not Storage.LOCAL:
            return  # static: initialised when the program starts
        if self.builder.here is None:
            self.variable(variable)
        self._measure(variable.dimensions)
        if _has_variable_length(variable.type):
            self._renew(variable, self.size_of(variable.type))
            return
        target = self.variable(variable)
        if variable.initializer is not None:
            self.initialize(target, variable.type, variable.initializer)
        else:
            self._lose_value(variable)

    def _lose_value(self, variable: Variable) -> None:
        target = self.variable(variable)
        if target.plain is None:
            self._forget(variable, target)
            return
        self.builder.havoc(*(part.term for part in target.plain))
        for part in target.plain:
            self._assume_bool(part.term, part.type)

    def _renew(self, variable: Variable, size: Term) -> None:
        """New memory for a local that lived before; what it had is dead."""
        known, memory = self.object_of(variable), self.memory
        if memory.safety:
            dead = store(memory.sizes, self.object_number(known.address), memory.pointer(0))
            self.builder.assign(memory.sizes, dead)
        self.builder.assign(known.address, self.allocate(size, counted=False))

    def _forget(self, variable: Variable, target: Lvalue) -> None:
        """An uninitialised object in memory: arbitrary contents."""
        if self.builder.here is None:
            return
        assert target.place is not None
        t = variable.type
        lifetime = self.context.lifetimes.get(variable)
        alone = self.context.sole_regions(target.place)
        if lifetime is Lifetime.LOOP:
            self._renew(variable, self.memory.pointer(t.size))
        elif lifetime is Lifetime.LABEL:
            self.forget_elements(target, t)
        elif lifetime is not None:
            return  # its memory is new
        elif alone is not None and count_leaves(t) > _MOST_SINGLE:
            self.builder.havoc(*(self.memory.region(place).array for place in alone))
        elif count_leaves(t) > _MOST_SINGLE:
            self.forget_leaves(target, t)
        else:
            for part in self._leaf_lvalues(target, t):
                value = self.arbitrary(part.type)
                self.store_memory(part, part.type, value[0] if isinstance(value, tuple) else value)

    def _if(self, node: Node) -> None:
        builder = self.builder
        condition, *arms = node.children
        self._at(condition)
        then, otherwise, after = builder.new(), builder.new(), builder.new()
        self.branch(condition, then, otherwise)
        builder.enter(then)
        self.statement(arms[0])
        builder.go(after)
        builder.enter(otherwise)
        if len(arms) > 1:
            self.statement(arms[1])
        builder.go(after)
        builder.enter(after)

    def _keyword(self, node: Node) -> SourceRange | None:
        return self.range(node)

    def _while(self, node: Node) -> None:
        builder = self.builder
        condition, body = node.children
        head, inside, after = builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._keyword(node)
        self._at(condition)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        self.branch(condition, inside, after)
        builder.enter(inside)
        self._loop_body(body, after, head)
        self._at(condition)
        builder.go(head)
        builder.enter(after)

    def _loop_body(self, body: Node, after: Location, again: Location) -> None:
        self._breaks.append((after, tuple(self._open)))
        self._continues.append((again, tuple(self._open)))
        self.statement(body)
        self._breaks.pop()
        self._continues.pop()

    def _do(self, node: Node) -> None:
        builder = self.builder
        body, condition = node.children
        head, test, after = builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._keyword(node)
        self._at(node)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        self._loop_body(body, after, test)
        self._at(condition)
        builder.go(test)
        builder.enter(test)
        self.branch(condition, head, after)
        builder.enter(after)

    def _for(self, node: Node) -> None:
        builder = self.builder
        first, condition, step, body = node.children
        if first is not None:
            self.statement(first)
        head, inside, again, after = builder.new(), builder.new(), builder.new(), builder.new()
        builder.names.loop_heads[head] = self._keyword(node)
        self._at(condition or node)
        builder.go(head)
        builder.here = head  # even if nothing came here yet: a goto into the body may come back
        if condition is not None:
            self.branch(condition, inside, after)
        else:
            builder.go(inside)
        builder.enter(inside)
        self._loop_body(body, after, again)
        builder.go(again)
        builder.enter(again)
        if step is not None:
            self._at(step)
            self.effect(step)
        builder.go(head)
        builder.enter(after)

    def _switch(self, node: Node) -> None:
        builder = self.builder
        subject, body = node.children
        self._at(subject)
        value = builder.save(self.scalar(subject))
        labels = _cases_of(body)
        targets = {label: builder.new() for label in labels}
        ways = {label: self._way_to(targets[label], self._scopes.at_case(label)) for label in labels}
        after = builder.new()
        conditions: list[Term] = []
        alternatives: list[tuple[Term, Location]] = []
        default = after
        for label in labels:
            if label.kind is Kind.DEFAULT:
                default = ways[label]
            else:
                condition = _in_range(value, subject.type, *label.value)
                conditions.append(condition)
                alternatives.append((condition, ways[label]))
        builder.choose([*alternatives, (not_(or_(*conditions)), default)])
        self._cases.append(targets)
        self._breaks.append((after, tuple(self._open)))
        self.statement(body)
        self._breaks.pop()
        self._cases.pop()
        builder.go(after)
        builder.enter(after)

    def _case(self, node: Node) -> None:
        while True:  # `case 1: case 2: …` nests
            target = self._cases[-1][node]
            self.builder.go(target)
            self.builder.enter(target)
            inner = node.children[0]
            if inner.kind not in (Kind.CASE, Kind.DEFAULT):
                break
            node = inner
        self.statement(inner)

    def _label_location(self, name: str) -> Location:
        if name not in self._labels:
            self._labels[name] = self.builder.new()
        return self._labels[name]

    def _label(self, node: Node) -> None:
        self._at(node)
        target = self._label_location(node.value)
        self.builder.go(target)
        # Also reached by a goto that comes later in the text.
        self.builder.here = target
        if node.value in self.context.specification.labels:
            self.builder.error(UNREACH)
        for child in node.children:
            self.statement(child)

    def _goto(self, node: Node) -> None:
        self._at(node)
        self._jump(self._label_location(node.value), self._scopes.at_label(node.value))

    def _computed_goto(self, node: Node) -> None:
        self._at(node)
        value = self.builder.save(self.scalar(node.children[0]))
        if self.builder.here is not None:
            self._computed.append((self.builder.here, value, self.builder.origin, list(self._open)))
            self.builder.here = None

    def _dispatch_computed_gotos(self) -> None:
        for location, value, origin, open_scopes in self._computed:
            self.builder.here, self.builder.origin, self._open = location, origin, open_scopes
            self.builder.choose(
                [
                    (
                        eq(value, self.memory.pointer(number)),
                        self._way_to(self._label_location(name), self._scopes.at_label(name)),
                    )
                    for name, number in self.label_numbers.items()
                ]
            )

    def _break(self, node: Node) -> None:
        self._at(node)
        self._jump(*self._breaks[-1])

    def _continue(self, node: Node) -> None:
        self._at(node)
        self._jump(*self._continues[-1])

    def _return(self, node: Node) -> None:
        self._at(node)
        returns = self.context.signature(self.function).returns
        if node.children:
            given = node.children[0]
            if isinstance(self.function.type.result, Void):
                self.effect(given)
            else:
                value = self.value(given)
                if isinstance(value, Term):
                    value = (self._adapt(value, given.type, self.function.type.result),)
                for target, term in zip(returns, value, strict=True):
                    self.builder.assign(target, term)
        self._leave()

    def _asm(self, node: Node) -> None:
        """Inline assembly gives its outputs arbitrary values."""
        self._at(node)
        self.context.assume("inline assembly changes nothing but its outputs")
        for i, operand in enumerate(node.children):
            if i < node.value:
                while operand.kind is Kind.CONVERT:
                    operand = operand.children[0]
                target = self.lvalue(operand)
                self.store(target, self.arbitrary(operand.type))
            else:
                self.effect(operand)

    def statement_expression(self, node: Node) -> Value:
        scope = self._scopes.blocks.get(node.children[0])
        if scope is None:
            return self._value_of_block(node)
        self._enter(scope)
        value = self._value_of_block(node)
        self._quit(scope)
        return value

    def _value_of_block(self, node: Node) -> Value:
        body = node.children[0]
        for child in body.children[:-1]:
            self.statement(child)
        if not body.children:
            return ()
        last = body.children[-1]
        while last.kind is Kind.LABEL and last.children:
            self._label(Node(Kind.LABEL, last.type, (), "", last.value, last.range))
            last = last.children[0]
        if last.kind is Kind.EXPRESSION and not isinstance(node.type, Void):
            outer = self.builder.origin
            self._at(last)
            value = self.value(last.children[0])
            self.builder.origin = outer
            return self._saved(value)
        self.statement(last)
        return ()


def _to(edge: Any, target: Location) -> Any:
    from dataclasses import replace

    return replace(edge, target=target)


def _cases_of(body: Node) -> list[Node]:
    """The labels of a switch, in textual order, not those of switches inside."""
    found: list[Node] = []
    stack = [body]
    while stack:
        node = stack.pop()
        if node.kind in (Kind.CASE, Kind.DEFAULT):
            found.append(node)
        if node.kind is not Kind.SWITCH:
            stack.extend(child for child in reversed(node.children) if child is not None)
    return found


def _in_range(value: Term, t: CType, low: int, high: int) -> Term:
    assert isinstance(value.sort, BitVec)
    width = value.sort.width
    if low == high:
        return eq(value, bv(low, width))
    at_most = bvsle if isinstance(t, Integer) and t.signed else bvule
    return and_(at_most(bv(low, width), value), at_most(value, bv(high, width)))


_HANDLERS: dict[Kind, Any] = {
    Kind.COMPOUND: Control._compound,
    Kind.DECLARATIONS: Control._compound,
    Kind.EXPRESSION: Control._expression,
    Kind.EMPTY: Control._empty,
    Kind.DECLARE: Control._declare,
    Kind.DECLARE_TYPE: Control._declare_type,
    Kind.IF: Control._if,
    Kind.WHILE: Control._while,
    Kind.DO: Control._do,
    Kind.FOR: Control._for,
    Kind.SWITCH: Control._switch,
    Kind.CASE: Control._case,
    Kind.DEFAULT: Control._case,
    Kind.LABEL: Control._label,
    Kind.GOTO: Control._goto,
    Kind.COMPUTED_GOTO: Control._computed_goto,
    Kind.BREAK: Control._break,
    Kind.CONTINUE: Control._continue,
    Kind.RETURN: Control._return,
    Kind.ASM: Control._asm,
}
