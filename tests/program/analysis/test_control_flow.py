"""Distances to errors, and what lies on the way to one."""

from __future__ import annotations

from craton.logic import TRUE
from craton.program.analysis.control_flow import dangerous_locations, error_distances, reachable_edges
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.statements import Assume

L = [Location(i) for i in range(7)]


def program(*pairs: tuple[int, int], errors: tuple[int, ...]) -> Program:
    edges = tuple(Edge(L[a], Assume(TRUE), L[b]) for a, b in pairs)
    main = Procedure("main", (), (), L[0], L[6], edges)
    return Program("main", {"main": main}, (), {L[error]: UNREACH for error in errors})


def test_distances_are_of_shortest_paths_to_the_nearest_error() -> None:
    found = program((0, 1), (1, 2), (2, 1), (2, 3), (0, 4), (4, 5), (1, 6), errors=(3, 5))
    assert error_distances(found) == {L[3]: 0, L[5]: 0, L[2]: 1, L[4]: 1, L[1]: 2, L[0]: 2}
    assert dangerous_locations(found) == frozenset(L[:6])


def test_nothing_follows_an_error() -> None:
    found = program((0, 1), (1, 2), (2, 3), errors=(1, 3))
    assert error_distances(found) == {L[1]: 0, L[3]: 0, L[2]: 1, L[0]: 1}


def test_without_errors_nothing_is_dangerous() -> None:
    assert error_distances(program((0, 1), (1, 6), errors=())) == {}


def test_reachable_edges_keep_their_order() -> None:
    edges = program((3, 4), (1, 2), (0, 1), (2, 0), (5, 0), errors=()).main.edges
    assert reachable_edges(L[0], edges) == edges[1:4]
