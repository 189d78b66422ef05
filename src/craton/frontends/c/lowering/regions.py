"""Parts of expressions whose evaluations C leaves unsequenced, and what is to be done about them (C11 6.5, 5.1.2.3).

A region is an expression down to the next sequence points. Its atoms are the evaluations in it that touch memory, each
as indivisible as C makes it: reads, writes, calls, and operands with sequence points of their own. An atom comes after
those it gets its operands from; all else is open. Three things may follow from two open atoms that touch the same:

- both stand in the text and one writes: undefined (`i + i++`), or undefined where two addresses meet (`*p + (*q)++`);
- one is a call, or both are in calls: indeterminately sequenced, and either order may happen;
- one may end the program where the other violates the property: the violation has to be looked for first.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from craton.frontends.c.memory.touches import Touched, Touches, indexed_array, value_positions
from craton.frontends.c.syntax.expressions import direct_callee
from craton.frontends.c.syntax.nodes import LVALUES, Kind, Node
from craton.frontends.c.syntax.types import ArrayType, FunctionType, Integer, Pointer, Record, count_leaves
from craton.program.specification import Specification

_MOST_ORDERS = 24
_MOST_BEGUN = 400  # orders that are looked at together
_MOST_LEAVES = 512  # of a struct that is copied early
_WRITES = frozenset({Kind.ASSIGN, Kind.COMPOUND_ASSIGN, Kind.STEP})
_EFFECTS = _WRITES | {Kind.CALL, Kind.VA_ARG, Kind.STATEMENT_EXPRESSION}
_SEQUENCED = frozenset({Kind.CONDITIONAL, Kind.ELVIS, Kind.STATEMENT_EXPRESSION, Kind.COMPOUND_LITERAL})
_OVERFLOWS = frozenset({"+", "-", "*", "<<", "/", "%"})


@dataclass(eq=False, slots=True)
class Atom:
    """An evaluation. `before` are the atoms it gets its operands from."""

    node: Node
    touched: Touched
    before: frozenset[Atom]
    place: Node | None = None  # the l-value of a read or write in the text itself
    atomic: bool = True  # False: it has sequence points, and others may come between its parts
    loose: frozenset[Atom] = frozenset()  # writes of its operands that no sequence point separates from its own

    @property
    def writes_directly(self) -> bool:
        return self.place is not None and bool(self.touched.writes)


@dataclass(frozen=True, eq=False, slots=True)
class Undefined:
    """What makes the whole region undefined, or too much for us."""

    construct: str


@dataclass(frozen=True, eq=False, slots=True)
class Meeting:
    """Two l-values of which one is written: undefined if they mean the same object."""

    first: Node
    second: Node


@dataclass(frozen=True, eq=False, slots=True)
class Orders:
    """Which meetings are to be excluded, and in which orders these atoms may be evaluated (before all else)."""

    meetings: tuple[Meeting, ...]
    atoms: tuple[Atom, ...]
    orders: tuple[tuple[Atom, ...], ...]


Plan = Undefined | Orders | None


class Regions:
    """Plans for regions, each made once."""

    def __init__(self, touches: Touches, specification: Specification) -> None:
        self._touches = touches
        self._overflow = specification.overflow
        self._deref = specification.deref
        self._effectful: dict[Node, bool] = {}
        self._interior: set[Node] = set()
        self._plans: dict[Node, Plan] = {}

    def plan(self, node: Node) -> Plan:
        """What to do before the expression is lowered; nothing if it is a part of a region that has been planned."""
        if node in self._interior or not self.is_effectful(node):
            return None
        if node not in self._plans:
            walk = _Walk(self._touches, self._interior, overflow=self._overflow, deref=self._deref)
            walk.visit(node, as_value=True)
            self._plans[node] = _planned(walk.atoms, self._touches)
        return self._plans[node]

    def plan_list(self, nodes: Sequence[Node]) -> Plan:
        """The same for the values of an initialiser list: full expressions, in any order (6.7.9 p23)."""
        if sum(self.is_effectful(node) for node in nodes) == 0 or len(nodes) < 2:
            return None
        return _planned([Atom(node, self._touches.of(node), frozenset()) for node in nodes], self._touches)

    def is_effectful(self, root: Node) -> bool:
        """Whether evaluating it may change or end anything."""
        known = self._effectful
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            below = [child for child in node.children if child is not None]
            if node.kind is Kind.COMPOUND_LITERAL and node.value.initializer is not None:
                below.append(node.value.initializer)
            missing = [child for child in below if child not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            known[node] = node.kind in _EFFECTS or any(known[child] for child in below)
        return known[root]


class _Walk:
    """Finds the atoms of a region."""

    def __init__(self, touches: Touches, interior: set[Node], *, overflow: bool, deref: bool) -> None:
        self._touches = touches
        self._interior = interior
        self._overflow = overflow
        self._deref = deref
        self.atoms: list[Atom] = []

    def visit(self, node: Node, *, as_value: bool) -> frozenset[Atom]:
        """Adds the atoms of an expression; returns those that its value needs at once."""
        self._interior.add(node)
        kind = node.kind
        if kind in _SEQUENCED or (kind is Kind.BINARY and node.op in ("&&", "||", ",")):
            touched = self._touches.of(node)
            return self._add(Atom(node, touched, frozenset(), atomic=False))
        if kind is Kind.SIZE_OF:
            return frozenset()
        if kind is Kind.BINARY:
            return self._binary(node)
        if kind is Kind.CALL:
            return self._call(node)
        if kind in _WRITES:
            return self._write(node)
        below = self._children(node)
        if kind is Kind.VA_ARG:
            cursor = self._touches.cursor(node.children[0])
            return self._add(Atom(node, Touched(cursor, cursor), below))
        if kind in LVALUES and kind is not Kind.STRING and as_value:
            if not isinstance(node.type, ArrayType | FunctionType):
                return self._add(self._read(node, below))
        return below

    def _add(self, atom: Atom) -> frozenset[Atom]:
        self.atoms.append(atom)
        return frozenset((atom,))

    def _children(self, node: Node) -> frozenset[Atom]:
        found: frozenset[Atom] = frozenset()
        for child, as_value in zip(node.children, value_positions(node), strict=True):
            if child is not None:
                found |= self.visit(child, as_value=as_value)
        return found

    def _binary(self, node: Node) -> frozenset[Atom]:
        """Operands that lean to the left in a loop."""
        spine = [node]
        while spine[-1].children[0].kind is Kind.BINARY and spine[-1].children[0].op not in ("&&", "||", ","):
            spine.append(spine[-1].children[0])
            self._interior.add(spine[-1])
        found = self.visit(spine[-1].children[0], as_value=True)
        for step in reversed(spine):
            found |= self.visit(step.children[1], as_value=True)
            if self._overflow and step.op in _OVERFLOWS and isinstance(step.type, Integer) and step.type.signed:
                found = self._add(Atom(step, Touched(fails=True), found))
        return found

    def _call(self, node: Node) -> frozenset[Atom]:
        """Arguments from right to left, which is what gcc does on the platforms we know: the first order is its own."""
        before: frozenset[Atom] = frozenset()
        for argument in reversed(node.children[1:]):
            before |= self.visit(argument, as_value=True)
        if direct_callee(node) is None:
            before |= self.visit(node.children[0], as_value=True)
        return self._add(Atom(node, self._touches.call(node), before))

    def _write(self, node: Node) -> frozenset[Atom]:
        left = node.children[0]
        spots = self._touches.lvalue(left)
        before: frozenset[Atom] = frozenset()
        if len(node.children) > 1:
            before = self.visit(node.children[1], as_value=True)
        before |= self.visit(left, as_value=False)
        touched = Touched(writes=spots)
        if node.kind is not Kind.ASSIGN:
            touched.reads = spots
            if any(atom.touched.writes.meets(spots) for atom in _all_before(before) if atom.place is None):
                # `x += f()` where f writes x: the old value may be read first.
                before |= self._add(Atom(left, Touched(reads=spots), frozenset(), left))
        touched.fails = self._deref and not _is_plain(left)
        return self._add(Atom(node, touched, before, left, loose=_loose(before)))

    def _read(self, node: Node, below: frozenset[Atom]) -> Atom:
        touched = Touched(reads=self._touches.lvalue(node))
        touched.fails = self._deref and not _is_plain(node)
        return Atom(node, touched, below, node)


def _is_plain(node: Node) -> bool:
    """An l-value whose access cannot fail: no pointer, no index."""
    while node.kind is Kind.MEMBER and node.op == ".":
        node = node.children[0]
    return node.kind is Kind.VARIABLE


def _loose(atoms: frozenset[Atom]) -> frozenset[Atom]:
    """Writes in these operands that are not finished when the operands' values are known."""
    found: set[Atom] = set()
    stack = list(atoms)
    while stack:
        atom = stack.pop()
        if atom.place is None or atom in found:
            continue  # a call or a sequence point: all that is before is over
        if atom.writes_directly:
            found.add(atom)
        stack.extend(atom.before)
    return frozenset(found)


def _all_before(atoms: frozenset[Atom]) -> set[Atom]:
    found: set[Atom] = set()
    stack = list(atoms)
    while stack:
        atom = stack.pop()
        if atom not in found:
            found.add(atom)
            stack.extend(atom.before)
    return found


# --- from atoms to plans ----------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class _Conflicts:
    """Pairs of open atoms whose order can be told."""

    touches: Touches
    open: list[tuple[Atom, Atom]] = field(default_factory=list)  # either order
    forced: list[tuple[Atom, Atom]] = field(default_factory=list)  # the first one first
    meetings: list[Meeting] = field(default_factory=list)


def _planned(atoms: list[Atom], touches: Touches) -> Plan:
    active = [atom for atom in atoms if atom.place is None or atom.touched.writes]
    if not active or len(atoms) < 2:
        return None
    reach = {atom: _all_before(atom.before) for atom in atoms}
    found = _Conflicts(touches)
    for a, b in itertools.combinations(atoms, 2):
        problem = _judge(a, b, reach, found)
        if problem is not None:
            return problem
    if not (found.open or found.forced or found.meetings):
        return None
    for meeting in found.meetings:
        if not _is_steady(meeting, atoms, touches):
            return Undefined("unsequenced modifications that may be of one object: undefined behaviour")
    return _ordered(atoms, reach, found)


def _judge(a: Atom, b: Atom, reach: dict[Atom, set[Atom]], found: _Conflicts) -> Undefined | None:
    if a in reach[b] or b in reach[a]:
        first, second = (a, b) if a in reach[b] else (b, a)
        if first in second.loose and not _is_chain(first, second) and first.touched.writes.meets(second.touched.writes):
            return _unsequenced(first, second, found)
        return None
    if a.touched.conflicts(b.touched):
        if a.place is not None and b.place is not None:
            return _unsequenced(a, b, found)
        for whole, other in ((a, b), (b, a)):
            if not whole.atomic and not _is_indivisible(whole, other, found.touches):
                return Undefined(f"unspecified evaluation order of an operand with sequence points ({_named(whole)})")
        found.open.append((a, b))
    elif (a.touched.ends and b.touched.fails) and (b.touched.ends and a.touched.fails):
        found.open.append((a, b))
    elif a.touched.ends and b.touched.fails:
        found.forced.append((b, a))
    elif b.touched.ends and a.touched.fails:
        found.forced.append((a, b))
    return None


def _is_chain(first: Atom, second: Atom) -> bool:
    """`a = b = c`: if both are one object of one type, it gets the same value twice."""
    if second.node.kind is not Kind.ASSIGN or first.node.kind is not Kind.ASSIGN or first.place is None:
        return False
    source = second.node.children[1]
    while source.kind is Kind.CONVERT:
        source = source.children[0]
    return source is first.node and second.place is not None and first.place.type is second.place.type


def _is_indivisible(whole: Atom, other: Atom, touches: Touches) -> bool:
    """Whether at most one part of an operand with sequence points can tell when the other atom is evaluated."""
    return _parts_in_conflict(whole.node, True, other.touched, touches) <= 1


def _parts_in_conflict(node: Node, as_value: bool, other: Touched, touches: Touches) -> int:
    """How many accesses on one way through the operand conflict with the other atom, at most."""
    kind = node.kind
    if kind is Kind.STATEMENT_EXPRESSION:
        return 2
    own = Touched()
    if kind is Kind.CALL:
        own = touches.call(node)
    elif kind is Kind.VA_ARG:
        own = Touched(writes=touches.cursor(node.children[0]))
    elif kind in _WRITES:
        own = Touched(writes=touches.lvalue(node.children[0]))
    elif kind in LVALUES and kind is not Kind.STRING and as_value and not isinstance(node.type, ArrayType):
        own = Touched(reads=touches.lvalue(node))
    children = [
        _parts_in_conflict(child, position, other, touches)
        for child, position in zip(node.children, value_positions(node), strict=True)
        if child is not None
    ]
    if kind is Kind.COMPOUND_LITERAL and node.value.initializer is not None:
        children.append(_parts_in_conflict(node.value.initializer, True, other, touches))
    count = int(own.conflicts(other))
    if kind is Kind.CONDITIONAL:
        return count + children[0] + max(children[1:])
    return count + sum(children)


def _unsequenced(a: Atom, b: Atom, found: _Conflicts) -> Undefined | None:
    """Two accesses in the text, one of them a write, neither sequenced."""
    assert a.place is not None and b.place is not None
    if _apart(a.place, b.place):
        return None
    if _same(a.place, b.place):
        return Undefined(f"unsequenced modification and access of {_named(a)}: undefined behaviour")
    found.meetings.append(Meeting(a.place, b.place))
    return None


def _is_steady(meeting: Meeting, atoms: list[Atom], touches: Touches) -> bool:
    """Whether nothing in the region changes which objects the two l-values mean."""
    for place in (meeting.first, meeting.second):
        for child in place.children:
            reads = touches.of(child).reads
            if any(atom.touched.writes.meets(reads) for atom in atoms):
                return False
    return True


def _apart(a: Node, b: Node) -> bool:
    """Members of one struct type at different places never overlap."""
    while (array := indexed_array(a)) is not None:
        a = array
    while (array := indexed_array(b)) is not None:
        b = array
    if a.kind is not Kind.MEMBER or b.kind is not Kind.MEMBER:
        return False
    first, second = a.value, b.value
    return first.record is second.record and not first.record.is_union and first is not second


def _same(a: Node, b: Node) -> bool:
    """Whether two l-values are written alike, without anything that might differ."""
    if a.kind is not b.kind or a.op != b.op or a.kind not in (Kind.VARIABLE, Kind.MEMBER):
        return False
    if a.kind is Kind.VARIABLE:
        return a.value is b.value
    return a.value is b.value and a.op == "." and _same(a.children[0], b.children[0])


def _named(atom: Atom) -> str:
    node = atom.place or atom.node
    while node.kind is Kind.MEMBER and node.op == ".":
        node = node.children[0]
    if node.kind is Kind.VARIABLE:
        return str(node.value.name)
    return f"a {node.kind.value}"


def _ordered(atoms: list[Atom], reach: dict[Atom, set[Atom]], found: _Conflicts) -> Plan:
    """All orders of the atoms in conflict that can be told apart."""
    concerned = {atom for pair in (*found.open, *found.forced) for atom in pair}
    hoisted = [atom for atom in atoms if atom in concerned]
    if any(not _can_be_early(atom) for atom in hoisted):
        return Undefined("unspecified evaluation order of this expression")
    orders = _linear_orders(hoisted, reach, found)
    if not orders or len(orders) > _MOST_ORDERS:
        return Undefined("unspecified evaluation order of this expression")
    return Orders(tuple(found.meetings), tuple(hoisted), orders if hoisted else ())


def _linear_orders(
    hoisted: list[Atom], reach: dict[Atom, set[Atom]], found: _Conflicts
) -> tuple[tuple[Atom, ...], ...]:
    """One order for each way to decide the open pairs; the first is the order of the text, as gcc reads it. They are
    grown atom by atom; where the same atoms are done and the same pairs decided, the rest is the same.
    """
    earlier = {atom: {other for other in hoisted if other in reach[atom]} for atom in hoisted}
    for first, second in found.forced:
        earlier[second].add(first)
    begun: dict[tuple[frozenset[Atom], frozenset[int]], tuple[Atom, ...]] = {(frozenset(), frozenset()): ()}
    for _ in hoisted:
        grown: dict[tuple[frozenset[Atom], frozenset[int]], tuple[Atom, ...]] = {}
        for (done, decided), order in begun.items():
            for atom in hoisted:
                if atom in done or not earlier[atom] <= done:
                    continue
                # Pair i is decided for its first atom when that comes while the second is not done.
                won = {i for i, (a, b) in enumerate(found.open) if a is atom and b not in done}
                grown.setdefault((done | {atom}, decided | won), (*order, atom))
        begun = grown
        if len(begun) > _MOST_BEGUN:
            return ()
    return tuple(begun.values())


def _can_be_early(atom: Atom) -> bool:
    """Whether it can be lowered once for each order: labels inside would be there twice."""
    if isinstance(atom.node.type, Record) and count_leaves(atom.node.type) > _MOST_LEAVES:
        return False
    if isinstance(atom.node.type, ArrayType | FunctionType) and not isinstance(atom.node.type, Pointer):
        return False
    stack = [atom.node]
    while stack:
        node = stack.pop()
        if node.kind in (Kind.LABEL, Kind.CASE, Kind.DEFAULT):
            return False
        stack.extend(child for child in node.children if child is not None)
    return True
