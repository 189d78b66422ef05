"""Truth and choice: conditions, comparisons, `&&`, `||` and `?:`."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import compare, convert, is_signed, resize, truth
from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.lowering.expressions import Expressions
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.relations import Relations
from craton.frontends.c.lowering.results import as_value, assign_all, results_for, same_width
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import ArrayType, FunctionType, Integer, Pointer, Void
from craton.logic import TRUE, BitVec, Term, and_, bv, eq, ite, not_, or_
from craton.program.cfa import Location

COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})


class Conditions:
    """Expressions as Bools and as branches, and the values that are chosen by them."""

    def __init__(self, frame: Frame, expressions: Expressions, relations: Relations) -> None:
        self._relations = relations
        self._frame = frame
        self._context = frame.context
        self._builder = frame.builder
        self._purity = frame.purity
        self._expressions = expressions

    def condition(self, node: Node) -> Term:
        """The truth of a scalar expression as a Bool."""
        with self._expressions.settled(node) as known:
            if known is None:
                addresses = self._context.facts.addresses
                found = self._truth(node)
                return self._frame.unsure(found) if addresses.tells(node) or addresses.truth_tells(node) else found
            assert isinstance(known, Term)
            return truth(known, node.type)

    def _truth(self, node: Node) -> Term:
        kind = node.kind
        if kind is Kind.UNARY and node.op == "!":
            return not_(self.condition(node.children[0]))
        if kind is Kind.BINARY:
            if node.op in COMPARISONS:
                return self.comparison(node)
            if node.op in ("&&", "||"):
                return self.logical(node)
        if kind is Kind.CONVERT and isinstance(node.type, Integer) and isinstance(node.children[0].type, Integer):
            child = node.children[0]
            assert isinstance(child.type, Integer)
            if node.type.boolean or node.type.size >= child.type.size:
                return self.condition(child)
        if kind is Kind.CONVERT and isinstance(node.type, Pointer) and node.children[0].kind is Kind.STRING:
            return TRUE  # assert(x > 0 && "a message"): a literal has an address, whatever it says
        return truth(self._expressions.scalar(node), node.type)

    def branch(self, node: Node, then: Location, otherwise: Location) -> None:
        """Control goes to `then` or `otherwise`; short circuits become control flow where they have to."""
        with self._expressions.settled(node) as known:
            if known is None:
                self._branch(node, then, otherwise)
            else:
                assert isinstance(known, Term)
                self._builder.fork(truth(known, node.type), then, otherwise)

    def _branch(self, node: Node, then: Location, otherwise: Location) -> None:
        kind = node.kind
        if kind is Kind.UNARY and node.op == "!":
            self.branch(node.children[0], otherwise, then)
            return
        if kind is Kind.BINARY and node.op in ("&&", "||") and not self._purity.is_pure(node.children[1]):
            middle = self._builder.new()
            if node.op == "&&":
                self.branch(node.children[0], middle, otherwise)
            else:
                self.branch(node.children[0], then, middle)
            self._builder.enter(middle)
            self.branch(node.children[1], then, otherwise)
            return
        self._builder.fork(self.condition(node), then, otherwise)

    def comparison(self, node: Node) -> Term:
        """`<`, `==` and the like, as a Bool."""
        left, right = node.children
        a, b = self._expressions.scalar(left), self._expressions.scalar(right)
        t = left.type
        if isinstance(t, ArrayType | FunctionType):
            t = right.type
        if isinstance(left.type, Pointer | ArrayType) or isinstance(right.type, Pointer | ArrayType):
            width = self._context.pointer_width
            a = resize(a, width, signed=is_signed(left.type))
            b = resize(b, width, signed=is_signed(right.type))
            found = compare(node.op, a, b, left.type if isinstance(left.type, Pointer) else right.type)
            return self._relations.compared(node, a, b, found)
        found = compare(node.op, a, b, t)
        return self._relations.compared(node, a, b, found) if self._are_addresses(left, right) else found

    def _are_addresses(self, *nodes: Node) -> bool:
        """Whether all are integers as wide as a pointer that hold addresses."""
        width, holds = self._context.pointer_width, self._context.facts.addresses.holds
        return all(isinstance(n.type, Integer) and n.type.width == width and holds(n) for n in nodes)

    def logical(self, node: Node) -> Term:
        """`&&` and `||`: a formula where the operands may be evaluated at once, else control flow."""
        if self._purity.is_pure(node.children[1]):
            spine = [node]
            while True:  # a && b && c … in a loop
                first = spine[-1].children[0]
                if first.kind is not Kind.BINARY or first.op != node.op or not self._purity.is_pure(first.children[1]):
                    break
                spine.append(first)
            result = self.condition(spine[-1].children[0])
            rest = [self.condition(step.children[1]) for step in reversed(spine)]
            return and_(result, *rest) if node.op == "&&" else or_(result, *rest)
        builder = self._builder
        result = builder.temporary(BitVec(8))
        then, otherwise, after = builder.new(), builder.new(), builder.new()
        self.branch(node, then, otherwise)
        for start, outcome in ((then, 1), (otherwise, 0)):
            builder.enter(start)
            builder.assign(result, bv(outcome, 8))
            builder.go(after)
        builder.enter(after)
        return eq(result, bv(1, 8))

    def conditional(self, node: Node) -> Value:
        """`a ? b : c`."""
        test, then, otherwise = node.children
        void = isinstance(node.type, Void)
        if not void and self._purity.is_pure(then) and self._purity.is_pure(otherwise):
            condition = self.condition(test)
            a, b = self._expressions.value(then), self._expressions.value(otherwise)
            if isinstance(a, tuple) and isinstance(b, tuple):
                return tuple(ite(condition, x, y) for x, y in zip(a, b, strict=True))
            assert isinstance(a, Term) and isinstance(b, Term)
            return ite(condition, same_width(a, node.type), same_width(b, node.type))
        builder = self._builder
        left, right, after = builder.new(), builder.new(), builder.new()
        self.branch(test, left, right)
        results = results_for(builder, node.type)
        for start, arm in ((left, then), (right, otherwise)):
            builder.enter(start)
            if void:
                self._expressions.effect(arm)
            else:
                assign_all(self._builder, results, self._expressions.value(arm), node.type)
            builder.go(after)
        builder.enter(after)
        return as_value(results, node.type)

    def elvis(self, node: Node) -> Value:
        """`a ?: b`: the value of `a` is computed once."""
        first, otherwise = node.children
        value = self._builder.save(self._expressions.scalar(first))
        condition = truth(value, first.type)
        converted = value if first.type is node.type else convert(value, first.type, node.type)
        if self._purity.is_pure(otherwise):
            return ite(condition, converted, self._expressions.scalar(otherwise))
        builder = self._builder
        result = builder.temporary(converted.sort)
        left, right, after = builder.new(), builder.new(), builder.new()
        builder.fork(condition, left, right)
        builder.enter(left)
        builder.assign(result, converted)
        builder.go(after)
        builder.enter(right)
        builder.assign(result, self._expressions.scalar(otherwise))
        builder.go(after)
        builder.enter(after)
        return result
