"""Expressions without calls: l-values, operators, assignments, in C's order of evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from craton.frontends.c.access import Access, Lvalue, Value
from craton.frontends.c.builder import Builder
from craton.frontends.c.context import Context, Part, part_sort
from craton.frontends.c.ctype import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    count_leaves,
    leaves,
)
from craton.frontends.c.initializers import placed
from craton.frontends.c.lifetimes import Lifetime
from craton.frontends.c.memory import Object
from craton.frontends.c.purity import Purity
from craton.frontends.c.scan import root_variable
from craton.frontends.c.syntax import Function, Kind, Node, Storage, Variable
from craton.frontends.c.values import (
    arithmetic,
    common,
    compare,
    complement,
    constant,
    convert,
    is_signed,
    negate,
    number,
    promoted,
    resize,
    shift_amount,
    truth,
    width_of,
    zero,
)
from craton.logic import (
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvmul,
    bvnego,
    bvsaddo,
    bvsdiv,
    bvsdivo,
    bvshl,
    bvsmulo,
    bvssubo,
    bvsub,
    bvult,
    eq,
    ite,
    not_,
    or_,
)
from craton.logic import bvashr as arithmetic_shift
from craton.program.cfa import OVERFLOW

_MOST_COPIED = 512  # leaves of a struct that is copied in one go
_COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})
_LVALUES = frozenset({Kind.VARIABLE, Kind.MEMBER, Kind.SUBSCRIPT, Kind.DEREFERENCE, Kind.STRING, Kind.COMPOUND_LITERAL})

_RENEWED = (Lifetime.CALL, Lifetime.LOOP)


class Expressions(Access):
    """Lowers expressions to terms, emitting the edges of their side effects."""

    def __init__(self, context: Context, function: Function, builder: Builder) -> None:
        super().__init__(context, function, builder)
        self.purity = Purity(context.specification)
        self.lengths: dict[ArrayType, Term] = {}  # of variable-length arrays
        self.label_numbers: dict[str, int] = {}
        self.local_objects: dict[Variable, Object] = {}
        self.renewed: set[Variable] = set()  # locals that get new memory in each life

    # --- entry points -------------------------------------------------------------------------------------------------

    def value(self, node: Node) -> Value:
        """The value of an expression: a term, or the leaves of a struct; `()` for void."""
        kind = node.kind
        if kind in _LVALUES:
            return self.load(self.lvalue(node))
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise self.unsupported(kind.value, node)
        found: Value = handler(self, node)
        return found

    def scalar(self, node: Node) -> Term:
        found = self.value(node)
        if isinstance(found, tuple):
            raise self.unsupported(f"a {node.type} where a scalar is expected", node)
        return found

    def effect(self, node: Node) -> None:
        """Evaluates for side effects only."""
        kind = node.kind
        if kind is Kind.CONVERT and isinstance(node.type, Void):
            self.effect(node.children[0])
        elif kind is Kind.STEP:
            self._step_without_value(node)
        elif kind is Kind.ASSIGN:
            self._assign_without_value(node)
        elif kind is Kind.BINARY and node.op == ",":
            self.effect(node.children[0])
            self.effect(node.children[1])
        elif not self.purity.is_pure(node):
            self.value(node)

    def condition(self, node: Node) -> Term:
        """The truth of a scalar expression as a Bool."""
        kind = node.kind
        if kind is Kind.UNARY and node.op == "!":
            return not_(self.condition(node.children[0]))
        if kind is Kind.BINARY:
            if node.op in _COMPARISONS:
                return self._comparison(node)
            if node.op in ("&&", "||"):
                return self._logical(node)
        if kind is Kind.CONVERT and isinstance(node.type, Integer) and isinstance(node.children[0].type, Integer):
            child = node.children[0]
            assert isinstance(child.type, Integer)
            if node.type.boolean or node.type.size >= child.type.size:
                return self.condition(child)
        return truth(self.scalar(node), node.type)

    def branch(self, node: Node, then: Any, otherwise: Any) -> None:
        """Control goes to `then` or `otherwise`; short circuits become control flow where they have to."""
        kind = node.kind
        if kind is Kind.UNARY and node.op == "!":
            self.branch(node.children[0], otherwise, then)
            return
        if kind is Kind.BINARY and node.op in ("&&", "||") and not self.purity.is_pure(node.children[1]):
            middle = self.builder.new()
            if node.op == "&&":
                self.branch(node.children[0], middle, otherwise)
            else:
                self.branch(node.children[0], then, middle)
            self.builder.enter(middle)
            self.branch(node.children[1], then, otherwise)
            return
        self.builder.fork(self.condition(node), then, otherwise)

    # --- l-values -----------------------------------------------------------------------------------------------------

    def lvalue(self, node: Node) -> Lvalue:
        kind = node.kind
        if kind is Kind.VARIABLE:
            return self.variable(node.value)
        if kind is Kind.MEMBER:
            base = node.children[0]
            if node.op == "->":
                address = self.scalar(base)
                place = self.context.points_to.pointed(base)
                whole = Lvalue(node.value.record, None, 0, address, place, None, self._object_of(base))
            elif base.kind in _LVALUES:
                whole = self.lvalue(base)
            else:
                whole = self._materialize(base)
            return self.member(whole, node.value)
        if kind is Kind.SUBSCRIPT:
            return self._subscript(node)
        if kind is Kind.DEREFERENCE:
            pointer = node.children[0]
            address = self.scalar(pointer)
            if isinstance(node.type, FunctionType):
                return Lvalue(ArrayType(node.type, 0), None, 0, address)
            place = self.context.points_to.pointed(pointer)
            return Lvalue(node.type, None, 0, address, place, None, self._object_of(pointer))
        if kind is Kind.STRING:
            string = self._string(node)
            return Lvalue(node.type, None, 0, string.address, string.place, None, string)
        if kind is Kind.COMPOUND_LITERAL:
            variable: Variable = node.value
            self.declare(variable)
            return self.variable(variable)
        return self._materialize(node)

    def object_behind(self, pointer: Node) -> Object | None:
        """The array that is handed over as a whole, if that is what the pointer expression shows."""
        while pointer.kind is Kind.CONVERT and isinstance(pointer.children[0].type, ArrayType | Pointer):
            pointer = pointer.children[0]
        if pointer.kind is Kind.VARIABLE and isinstance(pointer.type, ArrayType):
            return self.object_of(pointer.value)
        return None

    def _object_of(self, pointer: Node) -> Object | None:
        """The object a pointer expression surely points into: an array that decays, an address taken."""
        while pointer.kind is Kind.CONVERT and isinstance(pointer.children[0].type, ArrayType | Pointer):
            pointer = pointer.children[0]
        if not isinstance(pointer.type, ArrayType) and pointer.kind is not Kind.ADDRESS:
            return None
        root = root_variable(pointer.children[0] if pointer.kind is Kind.ADDRESS else pointer)
        return self.object_of(root) if root is not None and self.context.scan.in_memory(root) else None

    def variable(self, variable: Variable) -> Lvalue:
        if self.context.scan.in_memory(variable):
            known = self.object_of(variable)
            fixed = known if not _has_variable_length(variable.type) else None
            place = self.context.points_to.of_variable(variable)
            return Lvalue(variable.type, None, 0, known.address, place, None, fixed)
        plain = self.context.plain.get(variable)
        if plain is None:
            plain = self._make_plain(variable)
        return Lvalue(variable.type, plain, 0)

    def _make_plain(self, variable: Variable) -> tuple[Part, ...]:
        shared = variable.storage in (Storage.GLOBAL, Storage.STATIC)
        parts = []
        for leaf in leaves(variable.type):
            prefix = f"{variable.function}::" if variable.storage is not Storage.GLOBAL else ""
            term = self.context.names.variable(f"{prefix}{variable.name}{leaf.name}", part_sort(leaf.type))
            self.context.note(term, variable, leaf.name, leaf.type)
            if shared:
                self.context.globals[term] = None
            else:
                self.builder.locals[term] = None
            parts.append(Part(leaf.offset, leaf.type, term))
        plain = self.context.plain[variable] = tuple(parts)
        return plain

    def object_of(self, variable: Variable) -> Object:
        """A variable in memory. The address of a local is a variable too if each of its lives has memory of its own."""
        context = self.context
        known = self.local_objects.get(variable) or context.objects.get(variable)
        if known is not None:
            return known
        place = context.points_to.of_variable(variable)
        local = variable.storage in (Storage.LOCAL, Storage.PARAMETER)
        if local and (
            self.function.symbol in context.recursive
            or _has_variable_length(variable.type)
            or context.lifetimes.get(variable) in _RENEWED
            or variable in self.renewed
        ):
            address = self.builder.local(f"&{variable.name}", BitVec(context.pointer_width))
            known = Object(variable.name, place, variable.type, variable.type.size, address, variable=variable)
            self.local_objects[variable] = known
            return known
        size = variable.type.size
        if isinstance(variable.type, ArrayType) and variable.type.count is None and variable.initializer is not None:
            from craton.frontends.c.initializers import length_of

            size = variable.type.element.size * length_of(variable.type, variable.initializer)
        elif isinstance(variable.type, Record):
            size += _flexible_bytes(variable)
        known = self.memory.add(variable.name, place, variable.type, size)
        known.variable = variable
        context.objects[variable] = known
        return known

    def _string(self, node: Node) -> Object:
        known = self.context.strings.get(node)
        if known is None:
            assert isinstance(node.type, ArrayType)
            unit = node.type.element.size
            units = [*node.value, 0]
            place = self.context.points_to.of_lvalue(node)
            known = self.memory.add("string", place, node.type, unit * len(units))
            known.initial = b"".join((u & ((1 << 8 * unit) - 1)).to_bytes(unit, "little") for u in units)
            known.unit = unit
            self.context.strings[node] = known
        return known

    def _subscript(self, node: Node) -> Lvalue:
        base, index = node.children
        if isinstance(base.type, Integer):
            base, index = index, base
        address = self.scalar(base)
        offset = self._scaled(self.scalar(index), index.type, node.type)
        place = self.context.points_to.pointed(base)
        return Lvalue(node.type, None, 0, bvadd(address, offset), place, None, self._object_of(base))

    def _scaled(self, index: Term, index_type: CType, element: CType) -> Term:
        """An index as a number of bytes."""
        wide = resize(index, self.context.pointer_width, signed=is_signed(index_type))
        return bvmul(wide, self.size_of(element))

    def size_of(self, t: CType) -> Term:
        """sizeof as a term: the size of a variable-length array is computed."""
        if isinstance(t, ArrayType):
            count = self.lengths.get(t)
            if count is not None:
                return bvmul(count, self.size_of(t.element))
            return bvmul(self.memory.pointer(t.count or 0), self.size_of(t.element))
        return self.memory.pointer(t.size)

    def _materialize(self, node: Node) -> Lvalue:
        """A struct value that is no l-value, put into variables so that its members can be read."""
        value = self.value(node)
        assert isinstance(value, tuple)
        parts = []
        for leaf, term in zip(leaves(node.type), value, strict=True):
            parts.append(Part(leaf.offset, leaf.type, term))
        if any(isinstance(leaf.type, ArrayType) for leaf in leaves(node.type)) or _has_array(node.type):
            return self._spill(node, value)
        return Lvalue(node.type, tuple(parts), 0)

    def _spill(self, node: Node, value: tuple[Term, ...]) -> Lvalue:
        """The same in memory, where its arrays can be indexed."""
        place = self.context.points_to.contents(node)
        temporary = self.memory.add("temporary", place, node.type, node.type.size)
        target = Lvalue(node.type, None, 0, temporary.address, place, None, temporary)
        self.store(target, value)
        return target

    # --- simple values ------------------------------------------------------------------------------------------------

    def _number(self, node: Node) -> Value:
        if isinstance(node.type, Void):
            return ()
        return constant(node.value, node.type)

    def _function(self, node: Node) -> Value:
        self.context.called[node.value.symbol] = node.value
        return self.memory.address_of_function(node.value)

    def _address(self, node: Node) -> Value:
        child = node.children[0]
        if child.kind is Kind.FUNCTION:
            return self._function(child)
        if child.kind is Kind.DEREFERENCE:
            return self.scalar(child.children[0])
        lvalue = self.lvalue(child)
        if lvalue.address is None:
            raise self.unsupported("the address of this expression", node)
        return lvalue.address

    def _convert(self, node: Node) -> Value:
        child = node.children[0]
        if isinstance(node.type, Void):
            self.effect(child)
            return ()
        if isinstance(node.type, Record):
            if isinstance(child.type, Record):
                return self.value(child)
            return self._to_union(node, child)
        if isinstance(node.type, Integer) and node.type.boolean and not isinstance(child.type, ArrayType):
            return number(self.condition(child), node.type.width)
        value = self.scalar(child)
        if isinstance(child.type, ArrayType | FunctionType):
            return resize(value, node.type.size * 8, signed=False) if not isinstance(node.type, Floating) else value
        if isinstance(child.type, Record | Void) or not isinstance(node.type, Integer | Floating | Pointer):
            raise self.unsupported(f"conversion from {child.type} to {node.type}", node)
        return convert(value, child.type, node.type)

    def _to_union(self, node: Node, child: Node) -> Value:
        """GNU's cast to a union type."""
        assert isinstance(node.type, Record)
        bits = self.to_bits(self.scalar(child), child.type)
        return (resize(bits, 8 * node.type.size, signed=False),)

    def _size_of(self, node: Node) -> Value:
        return resize(self.size_of(node.value), node.type.size * 8, signed=False)

    def _label_address(self, node: Node) -> Value:
        numbers = self.label_numbers
        return self.memory.pointer(numbers.setdefault(node.value, len(numbers) + 1))

    # --- operators ----------------------------------------------------------------------------------------------------

    def _unary(self, node: Node) -> Value:
        child = node.children[0]
        if node.op == "!":
            return number(not_(self.condition(child)), node.type.size * 8)
        value = self.scalar(child)
        if node.op == "+":
            return value
        if node.op == "~":
            return complement(value)
        if self.context.specification.overflow and is_signed(node.type):
            self.builder.check(not_(bvnego(value)), OVERFLOW)
        return negate(value, node.type)

    def _binary(self, node: Node) -> Value:
        op = node.op
        if op == ",":
            self.effect(node.children[0])
            return self.value(node.children[1])
        if op in _COMPARISONS:
            return number(self._comparison(node), node.type.size * 8)
        if op in ("&&", "||"):
            return number(self._logical(node), node.type.size * 8)
        return self._chain(node)

    def _chain(self, node: Node) -> Value:
        """Operands that lean to the left (a + b + c …) in a loop, so that long sums need no depth."""
        spine = [node]
        while True:
            left = spine[-1].children[0]
            if left.kind is not Kind.BINARY or left.op in _COMPARISONS or left.op in ("&&", "||", ","):
                break
            spine.append(left)
        value = self.scalar(spine[-1].children[0])
        while spine:
            step = spine.pop()
            left, right = step.children
            other = self.scalar(right)
            value = self._apply(step.op, value, left.type, other, right.type, step.type)
        return value

    def _apply(self, op: str, a: Term, a_type: CType, b: Term, b_type: CType, t: CType) -> Term:
        """One arithmetic operation on operands as clang converted them."""
        if isinstance(a_type, Pointer | ArrayType) or isinstance(b_type, Pointer | ArrayType):
            return self._pointer_arithmetic(op, a, a_type, b, b_type, t)
        if op in ("<<", ">>"):
            amount = shift_amount(b, b_type, width_of(a))
            if op == "<<":
                self._check_shift(a, b, b_type, amount, t)
            return arithmetic(op, a, amount, t)
        return self.operate(op, a, b, t)

    def operate(self, op: str, a: Term, b: Term, t: CType) -> Term:
        """`a op b` in type `t`, with the checks that the property asks for; division by zero stops."""
        if isinstance(t, Integer):
            if op in ("/", "%"):
                self.builder.assume(not_(eq(b, bv(0, width_of(b)))))
            if self.context.specification.overflow and t.signed:
                test = _OVERFLOW.get(op)
                if test is not None:
                    self.builder.check(not_(test(a, b)), OVERFLOW)
        return arithmetic(op, a, b, t)

    def _check_shift(self, a: Term, b: Term, b_type: CType, amount: Term, t: CType) -> None:
        """A left shift overflows if the number a·2^b is not representable."""
        if not self.context.specification.overflow or not is_signed(t):
            return
        width = width_of(a)
        in_range = bvult(b, bv(width, width_of(b)))
        lost = not_(eq(arithmetic_shift(bvshl(a, amount), amount), a))
        bad = and_(not_(eq(a, bv(0, width))), or_(not_(in_range), lost))
        self.builder.check(not_(bad), OVERFLOW)

    def _pointer_arithmetic(self, op: str, a: Term, a_type: CType, b: Term, b_type: CType, t: CType) -> Term:
        if isinstance(a_type, Integer):
            a, a_type, b, b_type = b, b_type, a, a_type
        target = a_type.target if isinstance(a_type, Pointer) else a_type.element  # type: ignore[attr-defined]
        if isinstance(b_type, Pointer | ArrayType):  # the distance of two pointers
            size = self.size_of(target)
            distance = bvsub(a, b)
            if size.is_value and size.payload in (0, 1):
                return resize(distance, t.size * 8, signed=True)
            return resize(bvsdiv(distance, size), t.size * 8, signed=True)
        offset = self._scaled(b, b_type, target)
        return bvadd(a, offset) if op == "+" else bvsub(a, offset)

    def _comparison(self, node: Node) -> Term:
        left, right = node.children
        a, b = self.scalar(left), self.scalar(right)
        t = left.type
        if isinstance(t, ArrayType | FunctionType):
            t = right.type
        if isinstance(left.type, Pointer | ArrayType) or isinstance(right.type, Pointer | ArrayType):
            width = self.context.pointer_width
            a = resize(a, width, signed=is_signed(left.type))
            b = resize(b, width, signed=is_signed(right.type))
            return compare(node.op, a, b, left.type if isinstance(left.type, Pointer) else right.type)
        return compare(node.op, a, b, t)

    def _logical(self, node: Node) -> Term:
        if self.purity.is_pure(node.children[1]):
            spine = [node]
            while True:  # a && b && c … in a loop
                first = spine[-1].children[0]
                if first.kind is not Kind.BINARY or first.op != node.op or not self.purity.is_pure(first.children[1]):
                    break
                spine.append(first)
            result = self.condition(spine[-1].children[0])
            rest = [self.condition(step.children[1]) for step in reversed(spine)]
            return and_(result, *rest) if node.op == "&&" else or_(result, *rest)
        builder = self.builder
        result = builder.temporary(BitVec(8))
        then, otherwise, after = builder.new(), builder.new(), builder.new()
        self.branch(node, then, otherwise)
        for start, outcome in ((then, 1), (otherwise, 0)):
            builder.enter(start)
            builder.assign(result, bv(outcome, 8))
            builder.go(after)
        builder.enter(after)
        return eq(result, bv(1, 8))

    def _conditional(self, node: Node) -> Value:
        test, then, otherwise = node.children
        void = isinstance(node.type, Void)
        if not void and self.purity.is_pure(then) and self.purity.is_pure(otherwise):
            condition = self.condition(test)
            a, b = self.value(then), self.value(otherwise)
            if isinstance(a, tuple) and isinstance(b, tuple):
                return tuple(ite(condition, x, y) for x, y in zip(a, b, strict=True))
            assert isinstance(a, Term) and isinstance(b, Term)
            return ite(condition, self._same_width(a, node.type), self._same_width(b, node.type))
        builder = self.builder
        left, right, after = builder.new(), builder.new(), builder.new()
        self.branch(test, left, right)
        results: tuple[Term, ...] = ()
        if not void:
            results = tuple(builder.temporary(part_sort(leaf.type)) for leaf in leaves(node.type))
        for start, arm in ((left, then), (right, otherwise)):
            builder.enter(start)
            if void:
                self.effect(arm)
            else:
                self._assign_all(results, self.value(arm), node.type)
            builder.go(after)
        builder.enter(after)
        if void:
            return ()
        return results if isinstance(node.type, Record) else results[0]

    def _same_width(self, term: Term, t: CType) -> Term:
        if isinstance(t, Pointer) and width_of(term) != t.size * 8:
            return resize(term, t.size * 8, signed=False)
        return term

    def _assign_all(self, targets: tuple[Term, ...], value: Value, t: CType) -> None:
        values = value if isinstance(value, tuple) else (self._same_width(value, t),)
        for target, term in zip(targets, values, strict=True):
            self.builder.assign(target, term)

    def _elvis(self, node: Node) -> Value:
        """`a ?: b`: the value of `a` is computed once."""
        first, otherwise = node.children
        value = self.builder.save(self.scalar(first))
        condition = truth(value, first.type)
        converted = value if first.type is node.type else convert(value, first.type, node.type)
        if self.purity.is_pure(otherwise):
            return ite(condition, converted, self.scalar(otherwise))
        builder = self.builder
        result = builder.temporary(converted.sort)
        left, right, after = builder.new(), builder.new(), builder.new()
        builder.fork(condition, left, right)
        builder.enter(left)
        builder.assign(result, converted)
        builder.go(after)
        builder.enter(right)
        builder.assign(result, self.scalar(otherwise))
        builder.go(after)
        builder.enter(after)
        return result

    # --- assignments --------------------------------------------------------------------------------------------------

    def _assign_without_value(self, node: Node) -> Lvalue:
        left, right = node.children
        if isinstance(left.type, Record) and count_leaves(left.type) > _MOST_COPIED and right.kind in _LVALUES:
            source, target = self.lvalue(right), self.lvalue(left)
            if source.address is not None and target.address is not None:
                self.check_access(source, left.type.size)
                self.check_access(target, left.type.size)
                self.copy_elements(target, source, left.type, self.memory.pointer(left.type.size))
                return target
        if self.purity.is_pure(left):
            value = self.value(right)
            target = self.lvalue(left)
        else:
            target = self.lvalue(left)
            value = self.value(right)
        if not isinstance(value, tuple) and not isinstance(left.type, Record):
            value = self._adapt(value, right.type, left.type)
        self.store(target, value)
        return target

    def _adapt(self, value: Term, source: CType, target: CType) -> Term:
        """Inside initialiser lists and calls without prototype clang may leave a conversion to us."""
        if isinstance(source, ArrayType | FunctionType) or isinstance(target, ArrayType | FunctionType | Void):
            return value
        return convert(value, source, target)

    def _assign(self, node: Node) -> Value:
        return self.load(self._assign_without_value(node))

    def _compound_assign(self, node: Node) -> Value:
        left, right = node.children
        b = self.scalar(right)
        target = self._stable(self.lvalue(left))
        a = self.load(target)
        assert isinstance(a, Term)
        if isinstance(left.type, Pointer):
            new = self._pointer_arithmetic(node.op, a, left.type, b, right.type, left.type)
        elif node.op in ("<<", ">>"):
            t = promoted(self._promoted_member(left), self.context.int_type)
            wide = convert(a, left.type, t)
            amount = shift_amount(b, right.type, width_of(wide))
            if node.op == "<<":
                self._check_shift(wide, b, right.type, amount, t)
            new = convert(arithmetic(node.op, wide, amount, t), t, left.type)
        else:
            right_type = right.type
            if isinstance(right_type, ArrayType | FunctionType):
                raise self.unsupported("this compound assignment", node)
            t = common(self._promoted_member(left), right_type, self.context.int_type)
            result = self.operate(node.op, convert(a, left.type, t), convert(b, right_type, t), t)
            new = convert(result, t, left.type)
        self.store(target, new)
        return self.load(target)

    def _promoted_member(self, node: Node) -> CType:
        """A bit-field of at most the width of int promotes to int or unsigned int, whatever its declared type.

        C leaves open what `long : 3` promotes to; gcc and clang agree on this.
        """
        t: CType = node.type
        if node.kind is Kind.MEMBER and node.value.bits is not None and isinstance(t, Integer):
            int_type, bits = self.context.int_type, node.value.bits
            if bits < int_type.width or (bits == int_type.width and t.signed):
                return int_type
            if bits == int_type.width:
                return replace(int_type, signed=False, name="unsigned int")
        return t

    def _stable(self, lvalue: Lvalue) -> Lvalue:
        """The l-value with an address that is computed once."""
        if lvalue.address is None or lvalue.address.is_value or lvalue.address.is_variable:
            return lvalue
        return Lvalue(
            lvalue.type,
            lvalue.plain,
            lvalue.offset,
            self.builder.save(lvalue.address),
            lvalue.place,
            lvalue.field,
            lvalue.base,
        )

    def _stepped(self, node: Node, old: Term) -> Term:
        child = node.children[0]
        t = child.type
        op = "+" if "++" in node.op else "-"
        if isinstance(t, Pointer):
            one = self.size_of(t.target)
            return bvadd(old, one) if op == "+" else bvsub(old, one)
        wide = promoted(self._promoted_member(child), self.context.int_type)
        if isinstance(t, Floating):
            return self.operate(op, old, constant(1, t), t)
        return convert(self.operate(op, convert(old, t, wide), constant(1, wide), wide), wide, t)

    def _step_without_value(self, node: Node) -> None:
        target = self._stable(self.lvalue(node.children[0]))
        old = self.load(target)
        assert isinstance(old, Term)
        self.store(target, self._stepped(node, old))

    def _step(self, node: Node) -> Value:
        target = self._stable(self.lvalue(node.children[0]))
        old = self.load(target)
        assert isinstance(old, Term)
        if node.op.startswith("x"):
            old = self.builder.save(old)
            self.store(target, self._stepped(node, old))
            return old
        self.store(target, self._stepped(node, old))
        return self.load(target)

    # --- declarations with values -------------------------------------------------------------------------------------

    def declare(self, variable: Variable) -> None:
        raise NotImplementedError

    def _init_list(self, node: Node) -> Value:
        """A list as a value: a scalar in braces, or a struct."""
        if not isinstance(node.type, Record):
            if not node.children:
                return zero(node.type)
            return self._adapt(self.scalar(node.children[0]), node.children[0].type, node.type)
        raise self.unsupported("an initialiser list here", node)

    def initialize(self, target: Lvalue, t: CType, value: Node) -> None:
        """Stores an initialiser; parts that it does not name are zero."""
        if value.kind is not Kind.INIT_LIST and not isinstance(t, ArrayType):
            given = self.value(value)
            if isinstance(given, Term):
                given = self._adapt(given, value.type, t)
            self.store(target, given)
            return
        items = placed(t, value)
        # Values are computed before the object is cleared: they may read its old contents only by mistake, but a
        # compound literal in a loop is the same object again.
        self.clear(target, t)
        for item in items:
            part = target
            part_type = t
            for step in item.path:
                if isinstance(step, int):
                    assert isinstance(part_type, ArrayType)
                    part_type = part_type.element
                    part = self.element(part, part_type, self.memory.pointer(step * part_type.size))
                else:
                    part = self.member(part, step)
                    part_type = step.type
            if isinstance(item.type, ArrayType):
                self._store_string(part, item.type, item.value)
                continue
            given = self.value(item.value)
            if isinstance(given, Term):
                given = self._adapt(given, item.value.type, part_type)
            self.store(part, given)

    def _store_string(self, target: Lvalue, t: ArrayType, string: Node) -> None:
        count = t.count if t.count is not None else len(string.value) + 1
        for i, unit in enumerate([*string.value, 0][:count]):
            part = self.element(target, t.element, self.memory.pointer(i * t.element.size))
            self.store_memory(part, t.element, bv(unit, 8 * t.element.size))

    def clear(self, target: Lvalue, t: CType) -> None:
        """Sets an object to zero."""
        if target.plain is not None:
            for leaf in leaves(t):
                value = bv(0, 8 * leaf.type.size) if isinstance(leaf.type, Record) else zero(leaf.type)
                self._store_plain(target.plain, target.offset + leaf.offset, leaf.type, value)
            return
        self.fill(target, t, self.size_of(t), 0)

    def fill(self, target: Lvalue, t: CType, size: Term, byte: int) -> None:
        raise NotImplementedError

    def copy_elements(self, target: Lvalue, source: Lvalue, t: CType, size: Term) -> None:
        raise NotImplementedError


def _has_variable_length(t: CType) -> bool:
    while isinstance(t, ArrayType):
        if t.variable:
            return True
        t = t.element
    return False


def _has_array(t: CType) -> bool:
    return isinstance(t, Record) and any(isinstance(f.type, ArrayType) or _has_array(f.type) for f in t.fields)


def _flexible_bytes(variable: Variable) -> int:
    """What an initialiser adds to a struct that ends in a flexible array."""
    t = variable.type
    if not isinstance(t, Record) or not t.fields or variable.initializer is None:
        return 0
    last = t.fields[-1]
    if not isinstance(last.type, ArrayType) or last.type.count is not None:
        return 0
    most = 0
    for item in placed(t, variable.initializer):
        if item.path and item.path[0] is last:
            if len(item.path) > 1 and isinstance(item.path[1], int):
                most = max(most, item.path[1] + 1)
            elif item.value.kind is Kind.STRING:
                most = max(most, len(item.value.value) + 1)
    return most * last.type.element.size


_OVERFLOW = {"+": bvsaddo, "-": bvssubo, "*": bvsmulo, "/": bvsdivo}

_HANDLERS: dict[Kind, Any] = {
    Kind.NUMBER: Expressions._number,
    Kind.FUNCTION: Expressions._function,
    Kind.ADDRESS: Expressions._address,
    Kind.CONVERT: Expressions._convert,
    Kind.SIZE_OF: Expressions._size_of,
    Kind.LABEL_ADDRESS: Expressions._label_address,
    Kind.UNARY: Expressions._unary,
    Kind.BINARY: Expressions._binary,
    Kind.CONDITIONAL: Expressions._conditional,
    Kind.ELVIS: Expressions._elvis,
    Kind.ASSIGN: Expressions._assign,
    Kind.COMPOUND_ASSIGN: Expressions._compound_assign,
    Kind.STEP: Expressions._step,
    Kind.INIT_LIST: Expressions._init_list,
    Kind.CALL: lambda self, node: self.call(node),
    Kind.VA_ARG: lambda self, node: self.va_arg(node),
    Kind.STATEMENT_EXPRESSION: lambda self, node: self.statement_expression(node),
}
