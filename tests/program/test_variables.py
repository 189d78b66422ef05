"""What statements read and write is what their meaning depends on and changes; renaming is a change of names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from craton.logic import var
from craton.program.statements import Block, Call, Havoc, Return, Statement
from craton.program.transitions import transition
from craton.program.variables import Renaming, reads, writes
from support import examples
from support.statements import MIXED, U, V, blocks, statements

_any_statement = st.one_of(statements(MIXED), blocks(MIXED))


@examples(100)
@given(_any_statement)
def test_a_transition_reads_and_writes_no_more(statement: Statement) -> None:
    """A block may read what it has written itself, so what its transition reads can be less."""
    step = transition(statement)
    assert step.written <= writes(statement)
    assert step.read <= reads(statement) | writes(statement)
    if not isinstance(statement, Block):
        assert step.read <= reads(statement)


@examples(100)
@given(_any_statement)
def test_renaming_there_and_back(statement: Statement) -> None:
    there = {v: var(f"{v.name}'", v.sort) for v in MIXED}
    other = Renaming(there).statement(statement)
    assert reads(other) == {there[v] for v in reads(statement)}
    assert writes(other) == {there[v] for v in writes(statement)}
    assert Renaming({new: old for old, new in there.items()}).statement(other) == statement


def test_calls_read_their_arguments_and_write_their_results() -> None:
    call = Call("f", (U,), (V,))
    assert reads(call) == {U} and writes(call) == {V}
    assert Renaming({U: V}).statement(call) == Call("f", (V,), (V,))
    assert not reads(Return()) and not writes(Return())
    assert not reads(Havoc((U, V))) and writes(Havoc((U, V))) == {U, V}
