"""Transitions do what their statements do, in every state of a few small variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from unittest.mock import patch

from hypothesis import assume, given
from hypothesis import strategies as st

from craton.logic import BOOL, INT, Term, Value, add, eq, evaluate, free_variables, int_, ite, not_, satisfies, var
from craton.logic.evaluation import constant
from craton.program import transitions
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.program.transitions import (
    Transition,
    Transitions,
    is_linear,
    known_together,
    paths,
    sources,
    transition,
)
from support import examples
from support.automata import automaton
from support.executor import State, executions
from support.statements import TINY, blocks, conditions, path_of, statements


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
    _does_what_the_statement_does(transition(statement), statement)


@given(blocks(TINY))
@examples(100)
def test_states_that_are_merged_at_once_are_as_if_merged_one_by_one(block: Block) -> None:
    with patch.object(transitions, "MANY", 1):
        step = Transitions(block).where({})
    _does_what_the_statement_does(step, block)


def test_what_one_of_many_cases_changes_is_asked_for_once() -> None:
    x, changed = var("x", INT), [var(f"y{i}", INT) for i in range(40)]
    ways = [Edge(Location(0), Assume(eq(x, int_(i))), Location(i + 1)) for i in range(40)]
    ways += [Edge(Location(i + 1), Assign(y, add(y, x)), Location(41)) for i, y in enumerate(changed)]
    step = transition(Block(tuple(ways)))
    assert step.updates == {y: ite(eq(x, int_(i)), add(y, x), y) for i, y in enumerate(changed)}


def _does_what_the_statement_does(step: Transition, statement: Statement) -> None:
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


@given(st.one_of(blocks(TINY), statements(TINY)), st.frozensets(st.sampled_from(TINY), min_size=1))
@examples(100)
def test_from_values_it_does_the_same(statement: Statement, known: frozenset[Term]) -> None:
    """Executed from values of some variables, with conditions on others decided or not, and with these put into what it
    does from any: all are judged by executions.
    """
    step, steps = transition(statement), Transitions(statement)
    assume(len(step.inputs) <= 3)
    everything = {v: _all_values(v) for v in TINY}
    for state in _states(TINY):
        expected = {_frozen(after) for after in executions(statement, state, everything)}
        values = {v: constant(state[v], v.sort) for v in TINY if v in known}

        def decided(condition: Term, now: State = state) -> Term:
            return constant(evaluate(condition, now), BOOL) if free_variables(condition) <= now.keys() else condition

        for one in (step.where(values), steps.where(values), steps.where(values, decided)):
            assert not known & one.read
            found = set()
            for inputs in _states(one.inputs):
                both = {**state, **inputs}
                if satisfies(both, one.guard):
                    found.add(_frozen({**state, **{v: evaluate(t, both) for v, t in one.updates.items()}}))
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
    block = Block(path_of([Havoc((variable,)), *more]).edges)
    step = transition(block)
    everything = {v: _all_values(v) for v in TINY}
    for state in _states(TINY):
        after = {_frozen(s) for s in executions(block, state, everything)}
        for havocked in step.havocked:
            place = TINY.index(havocked)
            for reached in after:
                for value in _all_values(havocked):
                    assert (*reached[:place], value, *reached[place + 1 :]) in after


@given(st.data())
@examples(100)
def test_blocks_executed_together_do_what_each_does_alone(data: st.DataObject) -> None:
    """Random graphs whose ways part, meet and end in several places, at most of which a condition decides."""
    size = data.draw(st.integers(3, 8))
    edges: list[tuple[int, Statement, int]] = []
    for source in range(size):
        one, another = data.draw(st.integers(source + 1, size + 1)), data.draw(st.integers(source + 1, size + 1))
        kind = data.draw(st.sampled_from(["line", "branching", "branching", "free"]))
        if kind == "branching":
            condition = data.draw(conditions(TINY))
            edges += [(source, Assume(condition), one), (source, Assume(not_(condition)), another)]
        else:
            edges.append((source, data.draw(statements(TINY)), one))
            if kind == "free":
                edges.append((source, data.draw(statements(TINY)), another))
    program = encode_blocks(automaton(*edges, errors=(size,), end=size + 1)).program
    known_together(program.main)
    for edge in program.main.edges:
        if isinstance(edge.statement, Block):
            together, alone = transition(edge.statement), transition(replace(edge.statement))
            assert (together.guard, together.updates) == (alone.guard, alone.updates)
            assert set(together.inputs) == set(alone.inputs)
            assert {x for x in together.inputs if x.sort is not BOOL} <= sources(edge.statement).keys()
