"""Random traces: the laws of Newton's variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from craton.logic import (
    BOOL,
    Array,
    Term,
    Value,
    and_,
    constant,
    eq,
    evaluate,
    implies,
    int_,
    not_,
    satisfies,
    select,
    zero,
)
from craton.program.statements import Assign, Assume, Statement
from craton.traces.cores import Granularity
from craton.traces.newton import Direction, Newton
from craton.traces.refutation import Feasible, Refutation
from craton.traces.trace import Trace
from support import examples
from support.executor import Replay, State, executions
from support.judge import SOLVERS, Judge, Tally
from support.statements import MIXED, X, blocks, path_of, statements


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
    return path_of(steps)


def _small(variable: Term) -> st.SearchStrategy[Value]:
    if variable.sort is BOOL:
        return st.booleans()
    return st.integers(0, 3)


VARIANTS = [
    Newton(core, direction, live, time_limit=30.0)
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
        exact = Newton(None, direction, time_limit=30.0)
        plain, abstract = exact.refute(trace), replace(exact, core=granularity, live=live).refute(trace)
        assume(isinstance(plain, Refutation))
        assert isinstance(plain, Refutation) and isinstance(abstract, Refutation)
        for strong, weak in zip(plain.assertions, abstract.assertions, strict=True):
            if direction is Direction.WP:
                strong, weak = weak, strong
            assert Judge(SOLVERS).is_valid(implies(strong, weak)) is not False, f"{strong} does not imply {weak}"
