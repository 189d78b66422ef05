"""Which values of an input are worth a try: those that the program tells apart, as far as its text shows it.

An input flows into variables by assignments; what these are compared with, and the neighbours of bounds, are its
candidates, and one value besides. That is a guess about what matters, not a claim that nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from craton.logic import BitVec, Term, ops
from craton.logic.walk import post_order
from craton.program.analysis.union_find import UnionFind
from craton.program.cfa import Edge
from craton.program.statements import Assign, Assume, Havoc, Input

MOST = 40
_ORDERS = (ops.BVULT, ops.BVULE, ops.BVSLT, ops.BVSLE)
_CONVERSIONS = (ops.SIGN_EXTEND, ops.ZERO_EXTEND, ops.EXTRACT)


def candidates(edges: Sequence[Edge]) -> Mapping[Term, tuple[int, ...]]:
    """For each variable that inputs are read into."""
    flow: UnionFind[Term] = UnionFind()
    compared: dict[Term, list[int]] = {}
    for edge in edges:
        if isinstance(edge.statement, Assign):
            for source in _values_of(edge.statement.value):
                flow.join(edge.statement.variable, source)
        if isinstance(edge.statement, Assign | Assume):
            term = edge.statement.value if isinstance(edge.statement, Assign) else edge.statement.condition
            for one, other in _compared(term, flow):
                compared.setdefault(one, []).extend(other)
    by_group: dict[Term, dict[int, None]] = {}
    for variable, numbers in compared.items():
        by_group.setdefault(flow.find(variable), {}).update(dict.fromkeys(numbers))
    return {x: _chosen(x, by_group.get(flow.find(x), ())) for edge in edges for x in _read(edge)}


def _read(edge: Edge) -> Sequence[Term]:
    statement = edge.statement
    return statement.variables if isinstance(statement, Havoc) and isinstance(statement.source, Input) else ()


def _values_of(term: Term) -> Iterator[Term]:
    """The variables whose value a term may have as it is."""
    if term.op is ops.ITE:
        yield from _values_of(term.args[1])
        yield from _values_of(term.args[2])
    elif term.op in _CONVERSIONS:
        yield from _values_of(term.args[0])
    elif term.op is ops.VARIABLE:
        yield term


def _compared(term: Term, flow: UnionFind[Term]) -> Iterator[tuple[Term, Sequence[int]]]:
    """Variables with the numbers that they are compared with; those that are compared with each other are joined."""
    for node in post_order(term):
        if node.op is not ops.EQ and node.op not in _ORDERS:
            continue
        sides = [_sum(side) for side in node.args]
        if all(variable is not None for variable, _ in sides):
            flow.join(*(variable for variable, _ in sides if variable is not None))
        for (variable, added), other in zip(sides, node.args[::-1], strict=True):
            if variable is not None and isinstance(other.sort, BitVec) and other.is_value:
                bound = other.payload - added
                yield variable, (bound,) if node.op is ops.EQ else (bound, bound - 1, bound + 1)


def _sum(term: Term) -> tuple[Term | None, int]:
    """The variable and the number that a term is the sum of."""
    if term.op in _CONVERSIONS:
        return _sum(term.args[0])
    if term.op is ops.BVADD and len(term.args) == 2:
        for one, other in (term.args, term.args[::-1]):
            if one.op is ops.VARIABLE and other.is_value:
                return one, other.payload
    return (term, 0) if term.op is ops.VARIABLE else (None, 0)


def _chosen(variable: Term, numbers: Iterable[int]) -> tuple[int, ...]:
    """Those of the numbers that come first, and one that is none of them."""
    if not isinstance(variable.sort, BitVec):
        return 0, 1
    mask = (1 << variable.sort.width) - 1
    found = dict.fromkeys(number & mask for number in numbers)
    neighbours = ((number + 1) & mask for number in found)
    other = next((number for number in (0, 1, *neighbours) if number not in found), 0)
    return tuple(dict.fromkeys((*list(found)[:MOST], other)))
