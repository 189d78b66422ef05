"""Nested loops: the law of their order, on random graphs, well structured or not."""

from __future__ import annotations

from random import Random

import pytest

from craton.logic import TRUE
from craton.program.analysis.nesting import nests
from craton.program.cfa import Edge, Location, Procedure
from craton.program.statements import Assume


def graph(*ways: tuple[int, int]) -> Procedure:
    edges = tuple(Edge(Location(a), Assume(TRUE), Location(b)) for a, b in ways)
    return Procedure("main", (), (), Location(0), Location(1000), edges)


@pytest.mark.parametrize("seed", range(60))
def test_steps_lead_to_what_comes_later_or_to_heads(seed: int) -> None:
    rng = Random(seed)
    count = rng.randint(2, 12)
    ways = {(rng.randrange(i), i) for i in range(1, count)}  # all can be reached
    ways |= {(rng.randrange(count), rng.randrange(count)) for _ in range(rng.randint(0, 2 * count))}
    procedure = graph(*sorted(ways))
    found = nests(procedure)
    for edge in procedure.edges:
        before, after = found[edge.source], found[edge.target]
        if edge.target not in before.loops:
            assert before.order < after.order
        assert all(head in found and head in found[head].loops for head in after.loops)
    assert len({nest.order for nest in found.values()}) == len(found)


def test_loops_inside_of_loops() -> None:
    """0 → 1 ⇄ (2 ⇄ 3) → 4, as a person would draw it."""
    found = nests(graph((0, 1), (1, 2), (2, 3), (3, 2), (2, 1), (1, 4)))
    loops = {x.id: [head.id for head in nest.loops] for x, nest in found.items() if x.id < 1000}
    assert loops == {0: [], 1: [1], 2: [1, 2], 3: [1, 2], 4: []}
