"""Graph algorithms against what their words mean, computed by closure."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from craton.program.analysis.graphs import components, distances, reachable, reverse_postorder

Graph = dict[int, list[int]]

NODES = 7


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    pairs = draw(st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=16))
    graph: Graph = {node: [] for node in range(NODES)}
    for source, target in pairs:
        graph[source].append(target)
    return graph


def closure(graph: Graph) -> set[tuple[int, int]]:
    """Pairs of which the second can be reached from the first."""
    found = {(node, node) for node in graph}
    while True:
        more = {(a, c) for a, b in found for c in graph[b]} - found
        if not more:
            return found
        found |= more


@given(graphs(), st.sets(st.integers(0, NODES - 1)))
def test_what_is_reachable_and_how_far(graph: Graph, roots: set[int]) -> None:
    reached = closure(graph)
    found = distances(sorted(roots), graph.__getitem__)
    assert found.keys() == {b for a, b in reached if a in roots} == reachable(sorted(roots), graph.__getitem__)
    assert list(found.values()) == sorted(found.values()), "the nearest come first"
    for node, distance in found.items():
        before = [found[source] for source in found if node in graph[source]]
        assert distance == (0 if node in roots else 1 + min(before))


@given(graphs())
def test_components_are_what_reaches_each_other_callees_first(graph: Graph) -> None:
    reached = closure(graph)
    found = components(graph)
    assert sorted(node for group in found for node in group) == sorted(graph)
    number = {node: i for i, group in enumerate(found) for node in group}
    for a in graph:
        for b in graph:
            assert (number[a] == number[b]) == ((a, b) in reached and (b, a) in reached)
            if (a, b) in reached:
                assert number[b] <= number[a]


@given(graphs())
def test_reverse_postorder_goes_forward_but_for_loops(graph: Graph) -> None:
    reached = closure(graph)
    found = reverse_postorder(0, graph.__getitem__)
    assert found[0] == 0
    assert sorted(found) == sorted({b for a, b in reached if a == 0})
    position = {node: i for i, node in enumerate(found)}
    for source in found:
        for target in graph[source]:
            assert position[source] < position[target] or (target, source) in reached


def test_long_chains_are_no_matter() -> None:
    length = 100_000
    chain = {node: [node + 1] for node in range(length)} | {length: []}
    assert distances([0], chain.__getitem__)[length] == length
    assert reverse_postorder(0, chain.__getitem__) == list(range(length + 1))
    assert len(components(chain)) == length + 1
