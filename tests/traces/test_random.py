"""Random traces and blocks: the laws of Newton's variants, transitions, live variables and perfect sequences."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from craton.logic import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Array,
    BitVec,
    Term,
    Value,
    add,
    and_,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvslt,
    bvult,
    bvxor,
    constant,
    eq,
    evaluate,
    free_variables,
    implies,
    int_,
    le,
    lt,
    not_,
    satisfies,
    select,
    store,
    sub,
    var,
    zero,
)
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.program.transitions import is_linear, paths, transition
from craton.smt import Unsat, make_solver
from craton.traces.cores import Granularity
from craton.traces.live import future_live, past_live
from craton.traces.newton import Direction, Newton
from craton.traces.perfect import is_perfect, path_program
from craton.traces.refutation import Feasible, Refutation, law_violation
from craton.traces.trace import Trace
from support import FUZZ, examples
from support.executor import Replay, State, executions, variables_of
from support.judge import SOLVERS, Judge, Tally
from support.patience import Group, record
from support.sampling import pick
from support.traces import INFEASIBLE, Example

# --- random statements ------------------------------------------------------------------------------------------------

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


@st.composite
def traces(draw: st.DrawFn, variables: Sequence[Term] = MIXED) -> Trace:
    """A trace along one concrete run, and then an assumption that the run does not meet.

    Without choices on the way, such a trace is infeasible; with them, it usually is.
    """
    known = draw(st.permutations(variables))[draw(st.sampled_from([0, 0, 1, 2])) :]
    state: State = {v: zero(v.sort) for v in variables}
    steps: list[Statement] = [
        Assign(v, constant(draw(_small(v)), v.sort)) for v in known if not isinstance(v.sort, Array)
    ]
    for step in steps:
        state = next(executions(step, state, {}))
    for _ in range(draw(st.integers(1, 6))):
        step = draw(st.one_of(statements(variables), statements(variables), blocks(variables)))
        if isinstance(step, Assume) and not satisfies(state, step.condition):
            step = Assume(not_(step.condition))
        after = next(executions(step, state, {v: [zero(v.sort)] for v in variables}), None)
        if after is not None:
            steps.append(step)
            state = after
    written = [s.variable for s in steps if isinstance(s, Assign)]
    last = draw(st.sampled_from(written[-2:] or variables))
    observed = select(last, draw(st.sampled_from([X, int_(1)]))) if isinstance(last.sort, Array) else last
    steps.append(Assume(not_(eq(observed, constant(evaluate(observed, state), observed.sort)))))
    return _path(steps)


def _small(variable: Term) -> st.SearchStrategy[Value]:
    if variable.sort is BOOL:
        return st.booleans()
    return st.integers(0, 3)


def _path(steps: Sequence[Statement]) -> Trace:
    return Trace(tuple(Edge(Location(i), step, Location(i + 1)) for i, step in enumerate(steps)))


# --- Newton -----------------------------------------------------------------------------------------------------------

VARIANTS = [
    Newton(direction, core, live, time_limit=30.0)
    for direction, core, live in product(Direction, (None, *Granularity), (False, True))
]


@given(traces(), st.sampled_from(VARIANTS))
@examples(120)
def test_the_law(trace: Trace, variant: Newton) -> None:
    answer = variant.refute(trace)
    if isinstance(answer, Feasible):
        assert satisfies(answer.model, and_(*trace.formula.by_step))
        assert Replay(trace, answer.model).problem() == ""
    else:
        tally = Tally()
        tally.judge(variant.name, trace, answer, "z3")
        assert not tally.wrong
        assert tally.counts["answered"] == 1, answer


@given(traces(), st.sampled_from(Granularity), st.booleans())
@examples(60)
def test_abstraction_weakens_sp_and_strengthens_wp(trace: Trace, granularity: Granularity, live: bool) -> None:
    for direction in Direction:
        exact = Newton(direction, None, False, time_limit=30.0)
        plain, abstract = exact.refute(trace), replace(exact, core=granularity, live=live).refute(trace)
        assume(isinstance(plain, Refutation))
        assert isinstance(plain, Refutation) and isinstance(abstract, Refutation)
        for strong, weak in zip(plain.assertions, abstract.assertions, strict=True):
            if direction is Direction.WP:
                strong, weak = weak, strong
            assert Judge(SOLVERS).is_valid(implies(strong, weak)) is not False, f"{strong} does not imply {weak}"


# --- transitions ------------------------------------------------------------------------------------------------------


def _all_values(variable: Term) -> list[Value]:
    return [False, True] if variable.sort is BOOL else list(range(4))


def _states(variables: Sequence[Term]) -> Iterator[State]:
    for chosen in product(*map(_all_values, variables)):
        yield dict(zip(variables, chosen, strict=True))


def _frozen(state: State) -> tuple[Value, ...]:
    return tuple(state[v] for v in TINY)


@given(st.one_of(blocks(TINY), statements(TINY)))
@examples(150)
def test_a_transition_does_what_the_statement_does(statement: Statement) -> None:
    step = transition(statement)
    assume(len(step.inputs) <= 3)
    assert step.read | step.written <= frozenset(TINY)
    everything = {v: _all_values(v) for v in TINY}
    for state in _states(TINY):
        expected = {_frozen(after) for after in executions(statement, state, everything)}
        found = set()
        for inputs in _states(step.inputs):
            both = {**state, **inputs}
            if satisfies(both, step.guard):
                found.add(_frozen({**state, **{v: evaluate(t, both) for v, t in step.updates.items()}}))
        assert found == expected


@given(blocks(TINY))
@examples(60)
def test_the_paths_of_a_block_are_all_it_does(block: Block) -> None:
    through = list(paths(block))
    assert through and len(set(through)) <= len(through)
    assert is_linear(block) == (len(through) == 1 and len(through[0]) == len(block.edges))
    everything = {v: _all_values(v) for v in TINY}
    for state in _states(TINY):
        whole = {_frozen(after) for after in executions(block, state, everything)}
        by_path = {_frozen(after) for path in through for after in executions(Block(path), state, everything)}
        assert whole == by_path


@given(st.sampled_from(TINY), st.lists(statements(TINY), min_size=1, max_size=4))
@examples(150)
def test_what_is_havocked_is_free_of_all_else(variable: Term, more: list[Statement]) -> None:
    """If x is havocked, then with every state that is reached, so is any other value of x."""
    block = Block(_path([Havoc((variable,)), *more]).edges)
    step = transition(block)
    everything = {v: _all_values(v) for v in TINY}
    for state in _states(TINY):
        after = {_frozen(s) for s in executions(block, state, everything)}
        for havocked in step.havocked:
            place = TINY.index(havocked)
            for reached in after:
                for value in _all_values(havocked):
                    assert (*reached[:place], value, *reached[place + 1 :]) in after


# --- live variables ---------------------------------------------------------------------------------------------------


def _reads(statement: Statement) -> frozenset[Term]:
    match statement:
        case Assume(condition):
            return free_variables(condition)
        case Assign(_, value):
            return free_variables(value)
        case _:
            return frozenset()


def _writes(statement: Statement, variable: Term) -> bool:
    return isinstance(statement, Assign) and statement.variable is variable


def _havocs(statement: Statement, variable: Term) -> bool:
    return isinstance(statement, Havoc) and variable in statement.variables


@given(st.lists(statements(MIXED), min_size=1, max_size=8))
@examples(200)
def test_live_variables(steps: list[Statement]) -> None:
    """[CN] Def. 5.1, word by word; st[j] of the paper is steps[j - 1] here."""
    n = len(steps)
    future, past = future_live(_path(steps).steps), past_live(_path(steps).steps)
    for variable, i in product(variables_of(*steps), range(n + 1)):
        is_future_live = any(
            variable in _reads(steps[j - 1])
            and not any(_writes(steps[k - 1], variable) or _havocs(steps[k - 1], variable) for k in range(i + 1, j))
            for j in range(i + 1, n + 1)
        )
        is_past_live = any(
            (_writes(steps[j - 1], variable) or variable in _reads(steps[j - 1]))
            and not any(_havocs(steps[k - 1], variable) for k in range(j + 1, i + 1))
            for j in range(1, i + 1)
        )
        assert (variable in future[i]) == is_future_live
        assert (variable in past[i]) == is_past_live


# --- perfect sequences ------------------------------------------------------------------------------------------------

_PERFECT_SECONDS = 2.0
_LOOPS = [e for e in INFEASIBLE.values() if len(set(e.trace.locations)) <= len(e.trace) and e.theory != "float"]
_LEARNERS = [Newton(direction, core, True, time_limit=30.0) for direction in Direction for core in (None, *Granularity)]

_USUAL = Newton(live=True, time_limit=30.0)


@pytest.mark.parametrize("example", _LOOPS, ids=str)
def test_a_perfect_sequence_proves_the_path_program(example: Example) -> None:
    trace = example.trace
    for learner in _LEARNERS if FUZZ else (pick(_LEARNERS, example), _USUAL):
        answer = learner.refute(trace)
        assert isinstance(answer, Refutation)
        start = time.monotonic()
        perfect = is_perfect(trace, answer.assertions, make_solver("z3"), _PERFECT_SECONDS)
        late = not perfect and time.monotonic() - start > _PERFECT_SECONDS
        record(Group.JUDGEMENTS, f"is what {learner.name} says of {example} perfect?", "out of time" if late else "")
        if perfect:
            for path in error_paths(trace, most=len(trace) + 8, count=40):
                assert _refuted(Trace(path)), (
                    f"{learner.name} is called perfect, but {[str(e.statement) for e in path]}"
                )


def error_paths(trace: Trace, most: int, count: int) -> Iterator[tuple[Edge, ...]]:
    """Paths through the path program to the last location of the trace, shortest first."""
    edges, error = path_program(trace), trace.locations[-1]
    found: list[tuple[Edge, ...]] = [()]
    for _ in range(most):
        ends = ((path, path[-1].target if path else trace.locations[0]) for path in found)
        found = [(*path, edge) for path, end in ends for edge in edges if edge.source == end][: 4 * count]
        for path in found:
            if path[-1].target == error:
                yield path
                count -= 1
                if count == 0:
                    return


def _refuted(trace: Trace) -> bool:
    for name in ("z3", "cvc5"):
        solver = make_solver(name, time_limit=30.0)
        solver.add(*trace.formula.by_step)
        if isinstance(solver.check(), Unsat):
            return True
    return False


def test_a_sequence_that_proves_one_trace_only_is_not_perfect() -> None:
    """i = j = 0 and then i = j = 1 say nothing of the next round; i = j does."""
    example = INFEASIBLE["counter pair, one round"]
    i, j = example.variable("i"), example.variable("j")
    answer = Newton(core=None, live=False).refute(example.trace)
    assert isinstance(answer, Refutation)
    assert not is_perfect(example.trace, answer.assertions, make_solver("z3"))
    same, ahead = eq(i, j), eq(i, add(j, int_(1)))
    invariant = (TRUE, eq(i, int_(0)), same, same, ahead, same, same, FALSE)
    assert law_violation(example.trace, Refutation(invariant, "a person"), make_solver("z3")) == ""
    assert is_perfect(example.trace, invariant, make_solver("z3"))


def test_undecided_triples_are_not_perfect() -> None:
    example = INFEASIBLE["counter pair, one round"]
    answer = Newton().refute(example.trace)
    assert isinstance(answer, Refutation)
    assert not is_perfect(example.trace, answer.assertions, Judge(()))


def test_a_test_without_time_finds_nothing_perfect() -> None:
    """But what data flow alone shows."""
    example = INFEASIBLE["k is dead, [CN] Figure 3"]
    answer = Newton().refute(example.trace)
    assert isinstance(answer, Refutation)
    assert is_perfect(example.trace, answer.assertions, Judge(SOLVERS), budget=60)
    assert not is_perfect(example.trace, answer.assertions, Judge(SOLVERS), budget=0)
    straight = INFEASIBLE["contradictory assumptions"]
    answer = Newton().refute(straight.trace)
    assert isinstance(answer, Refutation)
    assert is_perfect(straight.trace, answer.assertions, Judge(()), budget=0)
