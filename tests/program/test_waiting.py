"""Loops that wait: random programs against all states that they reach, and what C programs become."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.frontends.c import COptions, load_c
from craton.program.analysis.control_flow import back_edge_targets
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.preparation import prepare
from craton.program.statements import Assume, Havoc
from craton.program.transformation import Transformed
from craton.program.waiting import without_waiting
from support import examples
from support.loops import ERROR, EXIT, VARIABLES, assignments, atoms, reached

PLACES = tuple(map(Location, range(10, 15)))  # the first one is the entry
some = st.lists(st.sampled_from(VARIABLES), min_size=1, max_size=2, unique=True)
statements = st.one_of(
    st.builds(lambda chosen: Havoc(tuple(chosen)), some),
    st.builds(lambda chosen: Havoc(tuple(chosen)), some),
    assignments,
    st.builds(Assume, atoms),
)


@st.composite
def graphs(draw: st.DrawFn) -> Program:
    """A few places, between any of which there may be edges; the error is behind the last."""
    onward = [Edge(a, draw(statements), b) for a, b in pairwise(PLACES)]
    pairs = st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES))
    others = [Edge(a, draw(statements), b) for a, b in draw(st.lists(pairs, min_size=1, max_size=4))]
    edges = dict.fromkeys((*onward, *others, Edge(PLACES[-1], Assume(draw(atoms)), ERROR)))
    main = Procedure("main", (), (), PLACES[0], EXIT, tuple(edges), VARIABLES)
    return Program("main", {"main": main}, (), {ERROR: UNREACH})


def test_no_state_is_lost_and_no_error_is_new() -> None:
    fewer = 0

    @examples(250)
    @given(graphs())
    def check(program: Program) -> None:
        nonlocal fewer
        made = without_waiting(program)
        before, after = (reached(one, from_anything=True) for one in (program, made.program))
        for location, states in before.items():
            assert states <= after.get(location, set()), location
        assert (ERROR in before) == (ERROR in after)
        fewer += made.program is not program
        leads_back(program, made)

    check()
    assert fewer >= 40


def leads_back(program: Program, made: Transformed) -> None:
    """Paths of the new program are paths of the old one."""
    for edge in made.program.main.edges:
        source, target = map(made.original_location, (edge.source, edge.target))
        old = made.original_edges(edge)
        assert (source == target) if not old else (old[0].source, old[-1].target) == (source, target)
        assert all(one in program.main.edges for one in old)


BEGIN = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) {"
DIFFERENT = "int y = __VERIFIER_nondet_int(), x; do { x = __VERIFIER_nondet_int(); } while (x == y);"
MENU = """int sum = 0;
  for (int i = 0; i < 5; i++) {
    int chosen;
    while (1) { chosen = __VERIFIER_nondet_int(); if (chosen == 1 || chosen == 4) break; }
    sum += chosen;
  }
"""
AGAIN = """int sum = 0, left = 3;
  while (left) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > 9) continue; sum += x; left--; }
"""
COUNTS = "int x, n = 0; do { x = __VERIFIER_nondet_int(); n++; } while (x != 7);"
KEEPS = "int x = 0, y; do { y = x; x = __VERIFIER_nondet_int(); } while (x != 7);"


@pytest.mark.parametrize(
    ("text", "error", "cycles"),
    [
        (DIFFERENT, "x == y", 0),
        (MENU, "sum > 20", 1),
        (AGAIN, "sum > 27", 1),
        (COUNTS, "n > 5", 1),
        (KEEPS, "y == 3", 1),
    ],
)
def test_loops_that_are_left(text: str, error: str, cycles: int, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"{BEGIN} {text} if ({error}) reach_error(); }}")
    program = prepare(load_c([path], options=COptions("LP64"))).small.program
    assert len(back_edge_targets(program.main)) == cycles
    rounds = sum(len(program.main.incoming(head)) - 1 for head in back_edge_targets(program.main))
    assert rounds == cycles
