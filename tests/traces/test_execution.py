"""Executions from models: paths through the blocks with the values of the solver's model; none for a wrong model."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from craton.engines.bounded import Bounded
from craton.engines.contract import Budget, Unsafe
from craton.logic import (
    INT,
    REAL,
    Array,
    BitVec,
    Model,
    Term,
    and_,
    apply,
    bv,
    eq,
    exists,
    forall,
    int_,
    le,
    lt,
    not_,
    or_,
    select,
    var,
)
from craton.logic.evaluation import FunctionTable
from craton.logic.semantics import ArrayValue, same
from craton.logic.sorts import Function
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Block, Havoc
from craton.smt import Sat, make_solver
from craton.traces.execution import execution, holds, initial
from craton.traces.trace import Trace
from support.programs import BY_NAME

UNSAFE = (
    "loops/apart.c",
    "loops/wraps_around.c",
    "arrays/maximum_wrong.c",
    "pointers/either.c",
    "floats/not_total.c",
    "bits/average_wrong.c",
    "control/machine_wrong.c",
    "memory/twice.c",
    "boogie/apart.bpl",
    "boogie/function_wrong.bpl",
    "boogie/two_indices_wrong.bpl",
)
X, Y = var("x", INT), var("y", INT)


def counterexample(name: str) -> Unsafe:
    program = encode_blocks(prepare(BY_NAME[name].program).small.program).program
    verdict = Bounded().run(program, Budget(30.0))
    assert isinstance(verdict, Unsafe)
    return verdict


@pytest.mark.parametrize("name", UNSAFE)
def test_the_execution_is_a_path_with_the_values_of_the_model(name: str) -> None:
    found = counterexample(name)
    run = execution(found.trace, found.model)
    assert run is not None
    edges = [step.edge for step in run.steps]
    assert edges[0].source == found.trace.locations[0]
    assert edges[-1].target == found.trace.locations[-1]
    assert all(a.target == b.source for a, b in pairwise(edges))
    assert not any(isinstance(edge.statement, Block) for edge in edges)
    for variable, indexed in found.trace.formula.indices[-1].items():
        assert same(variable.sort, run.end[variable], found.model[indexed]), variable
    for variable, value in run.start.items():
        assert same(variable.sort, value, initial(variable, found.model))
    for step in run.steps:
        assert bool(step.chosen) == isinstance(step.edge.statement, Havoc)


def straight(*statements: Assume | Assign | Havoc) -> Trace:
    return Trace(tuple(Edge(Location(i), statement, Location(i + 1)) for i, statement in enumerate(statements)))


def chosen(trace: Trace, position: int) -> Term:
    (indexed,) = trace.formula.inputs[position].values()
    return indexed


def test_a_model_that_violates_an_assumption_has_no_execution() -> None:
    trace = straight(Havoc((X,)), Assume(lt(int_(3), X)), Assign(Y, X))
    good = execution(trace, Model({chosen(trace, 0): 4}))
    assert good is not None
    assert good.end[Y] == 4
    assert good.steps[0].chosen == {X: 4}
    assert execution(trace, Model({chosen(trace, 0): 3})) is None


def test_start_values_are_those_of_the_model() -> None:
    trace = straight(Assume(eq(X, int_(7))))
    first = trace.formula.indices[0][X]
    assert execution(trace, Model({first: 7})) is not None
    assert execution(trace, Model({first: 8})) is None


def test_inside_a_block_the_way_that_gives_the_values_of_the_model_is_taken() -> None:
    """Both ways are open; only the model knows which one was taken, by what comes out."""
    a, b, c, d = map(Location, range(4))
    inner = (
        Edge(a, Assume(not_(eq(X, int_(0)))), b),
        Edge(a, Assume(not_(eq(X, int_(1)))), c),
        Edge(b, Assign(Y, int_(1)), d),
        Edge(c, Assign(Y, int_(2)), d),
    )
    trace = Trace((Edge(a, Block(inner), d),))
    before, after = trace.formula.indices[0][X], trace.formula.indices[-1][Y]
    for x, y in ((0, 2), (1, 1), (5, 1), (5, 2)):
        answer = make_solver("z3").check(*trace.formula.by_step, eq(before, int_(x)), eq(after, int_(y)))
        assert isinstance(answer, Sat)
        run = execution(trace, answer.model)
        assert run is not None
        assert run.end[Y] == y
        assert [step.edge for step in run.steps] == ([inner[0], inner[2]] if y == 1 else [inner[1], inner[3]])


# --- conditions -------------------------------------------------------------------------------------------------------

A = var("a", Array(INT, INT))
F = Function("f", (INT,), INT)
N, R = var("n", INT), var("r", REAL)


@pytest.mark.parametrize(
    ("condition", "model", "expected"),
    [
        (lt(X, int_(3)), Model({X: 2}), True),
        (lt(X, int_(3)), Model({X: 3}), False),
        (forall([N], or_(lt(N, X), le(X, N))), Model({X: 2}), True),
        (forall([N], lt(N, X)), Model({X: 2}), False),
        (exists([N], and_(lt(X, N), lt(N, Y))), Model({X: 2, Y: 4}), True),
        (exists([N], and_(lt(X, N), lt(N, Y))), Model({X: 2, Y: 3}), False),
        (forall([N], le(int_(0), select(A, N))), Model({A: ArrayValue(0, {5: 3})}), True),
        (forall([N], le(int_(0), select(A, N))), Model({A: ArrayValue(0, {5: -3})}), False),
        (forall([N], le(int_(2), apply(F, N))), Model({}, {F: FunctionTable(2, {(7,): 9})}), True),
        (forall([N], le(int_(2), apply(F, N))), Model({}, {F: FunctionTable(2, {(7,): 1})}), False),
        (exists([R], eq(R, R)), Model({R: Fraction(1, 3)}), True),
        (forall([var("b", BitVec(2))], eq(var("b", BitVec(2)), bv(0, 2))), Model({}), False),
    ],
)
def test_conditions_hold_with_and_without_quantifiers(condition: Term, model: Model, expected: bool) -> None:
    assert holds(condition, model) is expected
