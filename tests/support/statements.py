"""Random statements and blocks over a few variables, and traces made of statements."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import assume
from hypothesis import strategies as st

from craton.logic import (
    BOOL,
    INT,
    Array,
    BitVec,
    Term,
    add,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvslt,
    bvult,
    bvxor,
    eq,
    int_,
    le,
    lt,
    not_,
    select,
    store,
    sub,
    var,
)
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.traces.trace import Trace

X, Y = var("x", INT), var("y", INT)
U, V = var("u", BitVec(4)), var("v", BitVec(4))
P = var("p", BOOL)
A = var("a", Array(INT, INT))
MIXED = (X, Y, U, V, P, A)
S, T = var("s", BitVec(2)), var("t", BitVec(2))
TINY = (S, T, P)


@st.composite
def values(draw: st.DrawFn, target: Term, variables: Sequence[Term]) -> Term:
    """A small term of the variable's sort."""
    same = [v for v in variables if v.sort is target.sort]
    operand = st.sampled_from(same)
    a, b = draw(operand), draw(operand)
    if target.sort is INT:
        arrays = [select(v, a) for v in variables if isinstance(v.sort, Array)]
        return draw(st.sampled_from([int_(draw(st.integers(-2, 4))), add(a, int_(1)), sub(a, b), add(a, b), *arrays]))
    if isinstance(target.sort, BitVec):
        number = bv(draw(st.integers(0, 3)), target.sort.width)
        made = [number, bvadd(a, bv(1, target.sort.width)), bvadd(a, b), bvxor(a, b), bvand(a, b), bvmul(a, number)]
        return draw(st.sampled_from(made))
    if isinstance(target.sort, Array):
        numbers = st.sampled_from([X, Y, int_(0), int_(1)])
        return store(a, draw(numbers), draw(numbers))
    return draw(st.sampled_from([draw(conditions(variables)), not_(a)]))


@st.composite
def conditions(draw: st.DrawFn, variables: Sequence[Term]) -> Term:
    ordered = [v for v in variables if not isinstance(v.sort, Array)]
    a = draw(st.sampled_from(ordered))
    b = draw(st.sampled_from([v for v in ordered if v.sort is a.sort]))
    if a.sort is INT:
        number = int_(draw(st.integers(-2, 4)))
        made = [lt(a, number), le(number, a), eq(a, b), lt(a, b), eq(add(a, b), number)]
    elif isinstance(a.sort, BitVec):
        number = bv(draw(st.integers(0, 3)), a.sort.width)
        made = [bvult(a, number), bvslt(a, b), eq(a, b), eq(bvand(a, number), number)]
    else:
        made = [a, not_(a), eq(a, b)]
    return draw(st.sampled_from(made))


@st.composite
def statements(draw: st.DrawFn, variables: Sequence[Term]) -> Statement:
    kind = draw(st.sampled_from(["assign"] * 4 + ["assume"] * 2 + ["havoc"]))
    if kind == "assume":
        return Assume(draw(conditions(variables)))
    variable = draw(st.sampled_from(variables))
    if kind == "havoc":
        return Havoc((variable,))
    value = draw(values(variable, variables))
    return Havoc((variable,)) if value is variable else Assign(variable, value)


@st.composite
def blocks(draw: st.DrawFn, variables: Sequence[Term]) -> Block:
    """A few layers of locations; every layer has one or two ways to the next, and some skip a layer."""
    layers = draw(st.integers(1, 3))
    edges = []
    for layer in range(layers):
        for _ in range(draw(st.integers(1, 3))):
            target = layer + 1 if layer + 2 > layers else draw(st.sampled_from([layer + 1, layer + 1, layer + 2]))
            edges.append(Edge(Location(100 + layer), draw(statements(variables)), Location(100 + target)))
    reachable = {100}
    for edge in edges:
        if edge.source.id in reachable:
            reachable.add(edge.target.id)
    kept = [edge for edge in edges if edge.source.id in reachable]
    assume(kept[-1].target.id == 100 + layers)
    return Block(tuple(kept))


def path_of(steps: Sequence[Statement]) -> Trace:
    return Trace(tuple(Edge(Location(i), step, Location(i + 1)) for i, step in enumerate(steps)))
