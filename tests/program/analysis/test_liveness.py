"""Live variables of small automata, and of C programs: the two analyses fit together."""

from __future__ import annotations

import pytest

from craton.logic import FALSE, INT, Term, add, eq, int_, le, var
from craton.program.analysis.liveness import live_at_entry, live_variables
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Call, Havoc, Return, Statement
from craton.program.transitions import transition
from craton.program.variables import reads
from support.programs import EXAMPLES, Example

A, B, C, D = (var(name, INT) for name in "abcd")
L = [Location(i) for i in range(6)]


def procedure(*steps: tuple[int, Statement, int], returns: tuple[Term, ...] = (), last: int = 5) -> Procedure:
    edges = tuple(Edge(L[a], statement, L[b]) for a, statement, b in steps)
    return Procedure("main", (), returns, L[0], L[last], edges, (A, B, C, D))


def live(main: Procedure, *errors: int) -> dict[Location, frozenset[Term]]:
    program = Program("main", {"main": main}, (), {L[e]: UNREACH for e in errors})
    return live_variables(program, {edge: transition(edge.statement) for edge in main.edges})


def test_what_errors_depend_on_is_live_as_long_as_they_do() -> None:
    main = procedure(
        (0, Assign(A, B), 1),
        (1, Assign(C, add(C, int_(1))), 2),  # nobody asks for c: it is not live, though it is read
        (2, Assign(A, add(A, D)), 1),
        (2, Assume(le(A, int_(0))), 3),
    )
    found = live(main, 3)
    assert found[L[0]] == {B, D}
    assert found[L[1]] == found[L[2]] == {A, D}
    assert found[L[3]] == frozenset()


def test_what_is_overwritten_or_chosen_is_not_live() -> None:
    main = procedure((0, Havoc((A,)), 1), (1, Assign(B, int_(1)), 2), (2, Assume(eq(A, B)), 3))
    found = live(main, 3)
    assert found[L[0]] == frozenset()
    assert (found[L[1]], found[L[2]]) == (frozenset({A}), frozenset({A, B}))


def test_steps_that_nobody_takes_need_nothing() -> None:
    main = procedure((0, Assume(FALSE), 1), (1, Assume(eq(A, B)), 2), (0, Assume(eq(C, int_(0))), 2))
    assert live(main, 2)[L[0]] == {C}
    program = Program("main", {"main": main}, (), {L[2]: UNREACH})
    assert live_variables(program, {})[L[1]] == frozenset(), "edges without a step are not there"


def test_read_before_it_is_written() -> None:
    main = procedure(
        (0, Assign(A, int_(0)), 1),
        (1, Assume(le(A, B)), 2),
        (2, Assign(C, A), 1),
        (1, Call("other", (), (B,)), 3),
        (3, Return(), 5),
        returns=(C,),
    )
    assert live_at_entry(main, (D, C, B, A)) == [C, B]
    assert live_at_entry(main, (D, C, B, A), shared=(D,)) == [D, C, B]
    assert live_at_entry(main, (A,), shared=(D,)) == []


LOOPS = [example for example in EXAMPLES if example.theme == "loops"]


@pytest.mark.parametrize("example", LOOPS, ids=str)
def test_the_two_analyses_agree_as_far_as_they_say_the_same(example: Example) -> None:
    """What is strongly live at the entry is read before it is written; what a guard asks for is live there."""
    program = prepare(example.program).small.program
    main = program.main
    every = sorted({v for edge in main.edges for v in reads(edge.statement)}, key=lambda v: v.serial)
    found = live_variables(program, {edge: transition(edge.statement) for edge in main.edges})
    assert found[main.entry] <= frozenset(live_at_entry(main, every))
    asking = [edge for edge in main.edges if isinstance(edge.statement, Assume)]
    assert all(reads(edge.statement) <= found[edge.source] for edge in asking)
    assert any(map(len, found.values()))
