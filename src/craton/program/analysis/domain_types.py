"""Domain types ([RS] 5): what variables are used for, regardless of their declared types.

In C an `int` may be a flag, a state, a number or a set of bits. Variables that are copied or compared to each other are
used alike, so they share one type, the most expensive of theirs. Loop counters are the most expensive: tracking their
values unrolls the loop.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from craton.logic import BOOL, Array, Float, Term, free_variables, ops
from craton.logic.walk import post_order
from craton.program.analysis.graphs import components
from craton.program.analysis.union_find import UnionFind
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Statement


class DomainType(enum.IntEnum):
    """From cheap to expensive."""

    BOOLEAN = 0  # only ever 0 or 1
    EQUALITY = 1  # copied and compared for equality
    ARITHMETIC = 2  # added, or compared by order
    BITS = 3  # everything else: products, shifts, masks, arrays
    COUNTER = 4  # of a loop


def domain_types(edges: tuple[Edge, ...]) -> Mapping[Term, DomainType]:
    """The domain types of all variables in these edges of a program."""
    uses = _Uses()
    for edge in edges:
        for statement in _inside(edge.statement):
            uses.statement(statement)
    types = uses.types()
    return types | dict.fromkeys(_loop_counters(edges), DomainType.COUNTER)


def types_by_use(conditions: Iterable[Term]) -> dict[Term, DomainType]:
    """The domain types of all variables in these conditions, regardless of loops."""
    uses = _Uses()
    for condition in conditions:
        uses.statement(Assume(condition))
    return uses.types()


def _inside(statement: Statement) -> Iterator[Statement]:
    if isinstance(statement, Block):
        for edge in statement.edges:
            yield from _inside(edge.statement)
    else:
        yield statement


# --- uses -------------------------------------------------------------------------------------------------------------

_COMPARISONS = frozenset({ops.LE, ops.LT, ops.BVULT, ops.BVULE, ops.BVSLT, ops.BVSLE, ops.FP_LE, ops.FP_LT})
_SUMS = frozenset({ops.ADD, ops.SUB, ops.NEG, ops.BVADD, ops.BVSUB, ops.BVNEG, ops.FP_ADD, ops.FP_SUB, ops.FP_NEG})
_PRODUCTS = frozenset({ops.MUL, ops.BVMUL})
_WIDENING = frozenset({ops.ZERO_EXTEND, ops.SIGN_EXTEND, ops.TO_REAL, ops.FP_FROM_FP})
_CONNECTIVES = frozenset({ops.NOT, ops.AND, ops.OR, ops.XOR, ops.IMPLIES})


class _Uses:
    """Classes of variables that are used alike, each with its most expensive use and whether its values are flags."""

    def __init__(self) -> None:
        self._classes = UnionFind[Term]()
        self._type: dict[Term, DomainType] = {}  # of all variables; valid for the representative of a class
        self._flag: dict[Term, bool] = {}  # likewise: whether all its values are 0 or 1

    def types(self) -> dict[Term, DomainType]:
        return {v: self._of(self._find(v)) for v in self._type}

    def _of(self, leader: Term) -> DomainType:
        found = self._type[leader]
        return DomainType.EQUALITY if found is DomainType.BOOLEAN and not self._flag[leader] else found

    def statement(self, statement: Statement) -> None:
        match statement:
            case Assume(condition):
                self._term(condition)
            case Assign(variable, value):
                self._alike(variable, value)
                self._term(value)
            case Havoc(variables, source):  # any value, unless the variable was just declared
                for variable in variables:
                    self._dearer(variable, DomainType.BOOLEAN, flag=source is None)
            case Call(results=variables):
                for variable in variables:
                    self._dearer(variable, DomainType.BOOLEAN, flag=False)

    def _term(self, term: Term) -> None:
        for node in post_order(term):
            op, args = node.op, node.args
            if op is ops.VARIABLE:
                self._find(node)
            elif op is ops.EQ or op is ops.FP_EQ or op is ops.DISTINCT:
                for other in args[1:]:
                    self._alike(args[0], other)
            elif op is ops.ITE:
                self._alike(args[1], args[2])
            elif op in _COMPARISONS or _is_linear(node):
                self._use(args, DomainType.ARITHMETIC)
            elif op is ops.SELECT or op is ops.STORE:
                self._use(args[:1], DomainType.BITS)
                self._use(args[1:2], DomainType.ARITHMETIC)
            elif op not in _WIDENING and op not in _CONNECTIVES:
                self._use(args, DomainType.BITS)

    def _use(self, terms: Iterable[Term], kind: DomainType) -> None:
        for term in terms:
            for variable in _passed_on(term):
                if variable.op is ops.VARIABLE:
                    self._dearer(variable, kind)

    def _alike(self, first: Term, second: Term) -> None:
        """Records that two terms are copied or compared: their variables share a class, and the uses of the rest."""
        passed = [*_passed_on(first), *_passed_on(second)]
        variables = [term for term in passed if term.op is ops.VARIABLE]
        others = [term for term in passed if term.op is not ops.VARIABLE]
        kind = max(map(_result, others), default=DomainType.BOOLEAN)
        flag = all(map(_is_flag, others))
        for variable in variables:
            self._dearer(variable, kind, flag=flag)
            self._join(variables[0], variable)

    def _dearer(self, variable: Term, kind: DomainType, *, flag: bool = True) -> None:
        leader = self._find(variable)
        self._type[leader] = max(self._type[leader], kind)
        self._flag[leader] = self._flag[leader] and flag

    def _join(self, a: Term, b: Term) -> None:
        first, second = self._find(a), self._find(b)
        if first is not second:
            self._classes.join(first, second)
            self._dearer(first, self._type[second], flag=self._flag[second])

    def _find(self, variable: Term) -> Term:
        if variable not in self._type:
            self._type[variable] = _by_sort(variable)
            self._flag[variable] = True
        return self._classes.find(variable)


def _by_sort(variable: Term) -> DomainType:
    if isinstance(variable.sort, Array):
        return DomainType.BITS
    return DomainType.ARITHMETIC if isinstance(variable.sort, Float) else DomainType.BOOLEAN


def _passed_on(term: Term) -> Iterator[Term]:
    """The terms whose values this one may have, unchanged except for their width."""
    stack = [term]
    while stack:
        here = stack.pop()
        if here.op is ops.ITE:
            stack += here.args[1:]
        elif here.op in _WIDENING:
            stack += here.args[-1:]
        else:
            yield here


def _result(term: Term) -> DomainType:
    """The use of a variable that holds the value of this operation."""
    if term.is_value or term.sort is BOOL or term.op is ops.SELECT or term.op is ops.APPLY:
        return DomainType.BOOLEAN
    return DomainType.ARITHMETIC if _is_linear(term) else DomainType.BITS


def _is_linear(term: Term) -> bool:
    """A sum, or a product with a constant."""
    return term.op in _SUMS or (term.op in _PRODUCTS and sum(not factor.is_value for factor in term.args) == 1)


def _is_flag(term: Term) -> bool:
    return term.sort is BOOL or (term.is_value and term.payload in (0, 1))


# --- loops ------------------------------------------------------------------------------------------------------------


def _loop_counters(edges: Sequence[Edge]) -> Iterator[Term]:
    """Variables that a loop changes by a constant from round to round and tests to decide whether to continue.

    Values may take a detour on their way: through copies (`while (i++ < n)` tests the old value), conversions (char,
    short, double) and branches. So a counter is on a cycle of the flow of values with a step in it, and what it feeds
    without other operations is tested.
    """
    graph: dict[Location, list[Location]] = {}
    for edge in edges:
        graph.setdefault(edge.source, []).append(edge.target)
        graph.setdefault(edge.target, [])
    number = {location: i for i, part in enumerate(components(graph)) for location in part}
    flows: dict[int, set[_Flow]] = {}
    asked: dict[int, set[Term]] = {}
    for edge in edges:
        here = number[edge.source]
        within = here == number[edge.target]
        for statement in _inside(edge.statement):
            if isinstance(statement, Assume):
                asked.setdefault(here, set()).update(free_variables(statement.condition))
            elif within and isinstance(statement, Assign):
                found = flows.setdefault(here, set())
                found.update(_Flow(v, statement.variable, moved) for v, moved in _carried(statement.value))
    for part, found in flows.items():
        yield from sorted(_counters(found, asked.get(part, set())), key=lambda v: v.serial)


class _Flow(NamedTuple):
    """The value of a variable goes to another, moved by a constant or as it is."""

    source: Term
    target: Term
    moved: bool


def _counters(flows: set[_Flow], asked: set[Term]) -> set[Term]:
    """Those on a cycle with a step in it whose value is asked for, and those that bring it there."""
    graph: dict[Term, list[Term]] = {}
    for flow in sorted(flows, key=lambda f: (f.source.serial, f.target.serial, f.moved)):
        graph.setdefault(flow.source, []).append(flow.target)
        graph.setdefault(flow.target, [])
    cycle = {variable: i for i, part in enumerate(components(graph)) for variable in part}
    stepping = {cycle[flow.source] for flow in flows if flow.moved and cycle[flow.source] == cycle[flow.target]}
    moving = {variable for variable in graph if cycle[variable] in stepping}
    back: dict[Term, list[Term]] = {}
    for flow in flows:
        back.setdefault(flow.target, []).append(flow.source)
    return _reached(moving, graph) & _reached(asked & graph.keys(), back)


def _reached(start: Iterable[Term], graph: Mapping[Term, Sequence[Term]]) -> set[Term]:
    found = set(start)
    stack = list(found)
    while stack:
        for other in graph.get(stack.pop(), ()):
            if other not in found:
                found.add(other)
                stack.append(other)
    return found


_STEPS = frozenset({ops.ADD, ops.SUB, ops.BVADD, ops.BVSUB, ops.FP_ADD, ops.FP_SUB})
_CONVERSIONS = _WIDENING | {
    *(ops.EXTRACT, ops.CONCAT, ops.MOD, ops.TO_INT, ops.UBV_TO_INT, ops.SBV_TO_INT, ops.INT_TO_BV),
    *(ops.FP_FROM_SIGNED, ops.FP_FROM_UNSIGNED, ops.FP_TO_UBV, ops.FP_TO_SBV),
}


def _carried(value: Term) -> Iterator[tuple[Term, bool]]:
    """The variables whose value this term may have, up to conversions, and whether a constant was added."""
    stack = [(value, False)]
    seen: set[tuple[Term, bool]] = set()
    while stack:
        here = stack.pop()
        if here in seen:
            continue
        seen.add(here)
        term, moved = here
        open_ = [a for a in term.args if not a.is_value]
        if term.op is ops.VARIABLE:
            yield term, moved
        elif term.op is ops.ITE:
            stack += [(a, moved) for a in term.args[1:]]
        elif term.op in _STEPS and len(open_) == 1:
            stack.append((open_[0], True))
        elif term.op in _CONVERSIONS and len(open_) == 1:
            stack.append((open_[0], moved))
