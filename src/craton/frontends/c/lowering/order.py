"""Evaluation order: what `regions` has planned, as edges.

Where the order is open and can be told, control forks into one way for each order; on each way the atoms are evaluated
one after the other, and their values are kept in variables that all ways share. Then the expression itself is lowered,
with these values in place of the atoms. So a proof holds for every order; a counterexample is one of some order, and
the compiled program judges whether it is one of the compiler's. What is undefined is unmodelled: nobody knows what
comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.lowering.frame import Frame
from craton.frontends.c.lowering.regions import Atom, Meeting, Orders, Plan, Undefined
from craton.frontends.c.lowering.results import as_value, assign_all, results_for
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import ArrayType, CType, FunctionType, Pointer, Void
from craton.logic import BitVec, Term, bv, bvadd, bvule, eq, not_, or_
from craton.program.cfa import Unmodelled

Settled = AbstractContextManager[Value | None]

_NOTHING: Settled = nullcontext(None)


class Order:
    """Chooses orders for the regions of one function. `value` lowers an expression."""

    def __init__(self, frame: Frame, value: Callable[[Node], Value]) -> None:
        self._frame = frame
        self._builder = frame.builder
        self._memory = frame.memory
        self._regions = frame.regions
        self._purity = frame.purity
        self._value = value
        self._early: dict[Node, Value] = {}

    def early(self, node: Node) -> Value | None:
        return self._early.get(node)

    def settled(self, node: Node) -> Settled:
        """A context for lowering the expression; it gives the value, if that has been computed already."""
        known = self._early.get(node)
        if known is not None:
            return nullcontext(known)
        plan = self._regions.plan(node)
        return _NOTHING if plan is None else self._carried_out(plan, node)

    def settled_list(self, nodes: Sequence[Node]) -> Settled:
        """The same for the values of an initialiser list."""
        plan = self._regions.plan_list(nodes)
        return _NOTHING if plan is None else self._carried_out(plan, nodes[0])

    @contextmanager
    def _carried_out(self, plan: Plan, root: Node) -> Iterator[Value | None]:
        if isinstance(plan, Undefined):
            self._builder.unmodelled(plan.construct)
            yield None
            return
        assert plan is not None
        for meeting in plan.meetings:
            self._exclude(meeting)
        atoms = plan.atoms
        self._choose(plan)
        try:
            yield self._early.get(root)
        finally:
            for atom in atoms:
                self._early.pop(atom.node, None)

    def _choose(self, plan: Orders) -> None:
        """One way for each order."""
        builder = self._builder
        if len(plan.orders) == 1:
            for atom in plan.orders[0]:
                self._evaluate(atom, results_for(builder, _result_type(atom.node)))
            return
        results = {atom: results_for(builder, _result_type(atom.node)) for atom in plan.atoms}
        if not plan.orders:
            return
        width = (len(plan.orders) - 1).bit_length()
        choice = builder.temporary(BitVec(width))
        builder.havoc(choice)
        starts = [builder.new() for _ in plan.orders]
        conditions = [eq(choice, bv(i, width)) for i in range(len(starts))]
        conditions[0] = not_(or_(*conditions[1:]))
        builder.choose(list(zip(conditions, starts, strict=True)))
        after = builder.new()
        for start, order in zip(starts, plan.orders, strict=True):
            builder.enter(start)
            for atom in order:
                self._early.pop(atom.node, None)
            for atom in order:
                self._evaluate(atom, results[atom])
            builder.go(after)
        builder.enter(after)

    def _evaluate(self, atom: Atom, results: tuple[Term, ...]) -> None:
        t = _result_type(atom.node)
        value = self._value(atom.node)
        if not isinstance(t, Void):
            assign_all(self._builder, results, value, t)
        self._early[atom.node] = as_value(results, t)

    # --- undefined where addresses meet -------------------------------------------------------------------------------

    def _exclude(self, meeting: Meeting) -> None:
        """Two l-values, one of them written: fine where they are apart, undefined elsewhere."""
        construct = "unsequenced modification and access of one object: undefined behaviour"
        first, second = self._extent(meeting.first), self._extent(meeting.second)
        if first is None or second is None:
            self._builder.unmodelled(construct)
            return
        (a, a_size), (b, b_size) = first, second
        last_a, last_b = (bvadd(x, self._memory.pointer(n - 1)) for x, n in ((a, a_size), (b, b_size)))
        apart = or_(not_(bvule(a, last_b)), not_(bvule(b, last_a)))
        self._builder.check(apart, Unmodelled("unmodelled", construct, where=self._builder.origin))

    def _extent(self, node: Node) -> tuple[Term, int] | None:
        """Where an l-value begins and how long it is, if that can be said before anything else is evaluated."""
        size = node.type.size
        if node.kind is Kind.MEMBER and node.value.bits is not None:
            return None
        if size == 0 or self._regions.is_effectful(node):
            return None
        if not all(self._purity.is_pure(child) for child in node.children):
            return None
        pointer = Pointer(self._memory.pointer_width // 8, 4, node.type)
        address = self._value(Node(Kind.ADDRESS, pointer, (node,), range_=node.range))
        return (address, size) if isinstance(address, Term) else None


def _result_type(node: Node) -> CType:
    assert not isinstance(node.type, ArrayType | FunctionType)
    return node.type
