"""Domain types ([RS] 5): what variables are used for, regardless of their declared types.

In C an `int` may be a flag, a state, a number or a set of bits. Variables that are copied or compared to each other are
used alike, so they share one type, the most expensive of theirs. Loop counters are the most expensive: tracking their
values unrolls the loop.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from craton.logic import BOOL, Array, Float, Term, conjuncts, free_variables, ops
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


# What integers that stand for numbers of so many bits can be, signed or not.
_BITS = (8, 16, 32, 64, 128)
_RANGES = {(0, 1), *((0, 2**n - 1) for n in _BITS), *((-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in _BITS)}


def _tests(condition: Term) -> Iterator[Term]:
    """The conjuncts of a condition, but for those that test nothing: the integer view says of variables that they are
    in the range of their type.
    """
    lower: dict[Term, Term] = {}
    upper: dict[Term, Term] = {}
    for part in conjuncts(condition):
        if part.op is ops.LE and part.args[0].is_value:
            lower[part.args[1]] = part
        elif part.op is ops.LE and part.args[1].is_value:
            upper[part.args[0]] = part
    ranges: set[Term] = set()
    for variable in lower.keys() & upper.keys():
        low, high = lower[variable], upper[variable]
        if (low.args[0].payload, high.args[1].payload) in _RANGES:
            ranges |= {low, high}
    return (part for part in conjuncts(condition) if part not in ranges)


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
                for test in _tests(condition):
                    self._term(test)
            case Assign(variable, value):
                self._alike(variable, value)
                self._term(value)
            case Havoc(variables):  # any value, unless the variable was just declared
                for variable in variables:
                    self._dearer(variable, DomainType.BOOLEAN, flag=statement.is_open)
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
    """Variables that a loop changes by a constant from round to round and on which its tests depend.

    Values may take a detour on their way: through copies (`while (i++ < n)` tests the old value), conversions (char,
    short, double) and branches. So a counter is on a cycle of the flow of values with a step in it, or a copy of one
    that is, and its value matters to a condition, whatever is computed from it on the way there.
    """
    graph: dict[Location, list[Location]] = {}
    for edge in edges:
        graph.setdefault(edge.source, []).append(edge.target)
        graph.setdefault(edge.target, [])
    number = {location: i for i, part in enumerate(components(graph)) for location in part}
    loops: dict[int, _Loop] = {}
    for edge in edges:
        here = number[edge.source]
        within = here == number[edge.target]
        for statement in _inside(edge.statement):
            if isinstance(statement, Assume):
                loops.setdefault(here, _Loop()).asked.update(*map(free_variables, _tests(statement.condition)))
            elif within and isinstance(statement, Assign):
                loops.setdefault(here, _Loop()).assigned(statement.variable, statement.value)
    for loop in loops.values():
        yield from sorted(loop.counters(), key=lambda v: v.serial)


class _Flow(NamedTuple):
    """The value of a variable goes to another, moved by a constant or as it is."""

    source: Term
    target: Term
    moved: bool


@dataclass(slots=True)
class _Loop:
    """Where values go in the part of a program between whose locations control goes back and forth."""

    asked: set[Term] = field(default_factory=set)  # variables of its conditions
    flows: dict[_Flow, None] = field(default_factory=dict)
    sources: dict[Term, set[Term]] = field(default_factory=dict)  # of each variable: those that its value is made of

    def assigned(self, variable: Term, value: Term) -> None:
        self.sources.setdefault(variable, set()).update(free_variables(value))
        self.flows.update((_Flow(source, variable, moved), None) for source, moved in _carried(value))

    def counters(self) -> set[Term]:
        """Those on a cycle with a step in it and their copies, as far as their values are asked for."""
        graph: dict[Term, list[Term]] = {}
        for flow in self.flows:
            graph.setdefault(flow.source, []).append(flow.target)
            graph.setdefault(flow.target, [])
        cycle = {variable: i for i, part in enumerate(components(graph)) for variable in part}
        stepping = {cycle[f.source] for f in self.flows if f.moved and cycle[f.source] == cycle[f.target]}
        moving = [variable for variable in graph if cycle[variable] in stepping]
        return _reached(moving, graph) & _reached(self.asked, self.sources)


def _reached(start: Iterable[Term], graph: Mapping[Term, Iterable[Term]]) -> set[Term]:
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
    *(ops.EXTRACT, ops.CONCAT, ops.TO_INT, ops.UBV_TO_INT, ops.SBV_TO_INT, ops.INT_TO_BV),
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
        elif (term.op in _CONVERSIONS or _wraps(term)) and len(open_) == 1:
            stack.append((open_[0], moved))


def _wraps(term: Term) -> bool:
    """A conversion to a number of fewer bits, as the integer view has it."""
    return term.op is ops.MOD and term.args[1].is_value and term.args[1].payload in {2**n for n in _BITS}
