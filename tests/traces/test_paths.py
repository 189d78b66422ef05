"""Error paths of programs: shortest first, loops as often as asked for."""

from __future__ import annotations

from craton.logic import INT, Term, add, ge, int_, lt, var
from craton.program.cfa import Location
from craton.program.statements import Assign, Assume
from craton.traces.paths import error_paths, rounds
from support.automata import automaton

X: Term = var("x", INT)
LOOP = automaton(
    (0, Assign(X, int_(0)), 1),
    (1, Assume(lt(X, int_(9))), 2),
    (2, Assign(X, add(X, int_(1))), 1),
    (1, Assume(ge(X, int_(9))), 3),
    (3, Assume(lt(X, int_(9))), 4),
    (3, Assume(ge(X, int_(9))), 5),  # leads to no error
    errors=[4],
)


def test_paths_go_through_loops_up_to_a_bound_shortest_first() -> None:
    found = list(error_paths(LOOP, 3))
    assert [len(path) for path in found] == [3, 5, 7, 9]
    assert [rounds(path) for path in found] == [0, 1, 2, 3]
    for path in found:
        assert path.locations[0] == LOOP.main.entry
        assert path.locations[-1] == Location(4)
        assert all(a.target == b.source for a, b in zip(path.edges, path.edges[1:], strict=False))


def test_without_an_error_there_is_no_path() -> None:
    assert list(error_paths(automaton((0, Assign(X, int_(0)), 1)), 3)) == []
