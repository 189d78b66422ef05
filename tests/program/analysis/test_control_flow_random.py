"""Graph algorithms, against their definitions on small random graphs."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from craton.logic import TRUE
from craton.program.analysis.control_flow import back_edge_targets, dangerous_locations, reachable_edges
from craton.program.analysis.graphs import components, reverse_postorder
from craton.program.cfa import Location, Program
from craton.program.statements import Assume
from support import examples
from support.automata import automaton

SIZE = 6
_arrows = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=12, unique=True)


def program(arrows: list[tuple[int, int]], *errors: int) -> Program:
    return automaton(*((a, Assume(TRUE), b) for a, b in arrows), errors=errors)


def reaches(arrows: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Which nodes lead to which, in any number of steps, none included."""
    found = {(node, node) for node in range(SIZE)} | set(arrows)
    for middle, a, b in product(range(SIZE), repeat=3):
        if (a, middle) in found and (middle, b) in found:
            found.add((a, b))
    return found


@examples(150)
@given(_arrows)
def test_components_are_what_leads_to_each_other_callees_first(arrows: list[tuple[int, int]]) -> None:
    closure = reaches(arrows)
    groups = components({node: [b for a, b in arrows if a == node] for node in range(SIZE)})
    assert sorted(node for group in groups for node in group) == list(range(SIZE))
    place = {node: number for number, group in enumerate(groups) for node in group}
    for a, b in product(range(SIZE), repeat=2):
        assert (place[a] == place[b]) == ((a, b) in closure and (b, a) in closure)
    assert all(place[b] <= place[a] for a, b in arrows)


@examples(150)
@given(_arrows, st.integers(0, SIZE - 1))
def test_what_is_reached_and_what_leads_to_an_error(arrows: list[tuple[int, int]], error: int) -> None:
    closure = reaches(arrows)
    made = program(arrows, error)
    kept = reachable_edges(made.main.entry, made.main.edges)
    assert kept == tuple(edge for edge in made.main.edges if (0, edge.source.id) in closure)
    assert dangerous_locations(made) == {Location(node) for node in range(SIZE) if (node, error) in closure}


@examples(150)
@given(_arrows)
def test_every_cycle_passes_the_target_of_a_back_edge(arrows: list[tuple[int, int]]) -> None:
    main = program(arrows).main
    heads = {location.id for location in back_edge_targets(main)}
    reached = {b for a, b in reaches(arrows) if a == 0}
    assert heads <= reached
    without = reaches([(a, b) for a, b in arrows if {a, b} <= reached - heads])
    assert not any((b, a) in without for a, b in arrows if {a, b} <= reached - heads)


@examples(150)
@given(_arrows)
def test_reverse_postorder_has_locations_before_their_successors(arrows: list[tuple[int, int]]) -> None:
    main = program(arrows).main
    order = reverse_postorder(main.entry, main.successors)
    assert order[0] == main.entry
    assert {location.id for location in order} == {b for a, b in reaches(arrows) if a == 0}
    place = {location: number for number, location in enumerate(order)}
    heads = set(back_edge_targets(main))
    for edge in main.edges:
        if edge.source in place and edge.target not in heads:
            assert place[edge.source] < place[edge.target]
