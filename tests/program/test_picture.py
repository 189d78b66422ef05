"""Pictures of automata: everything is in them, nothing overlaps, and what is in the text cannot break them."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import craton
from craton.program.layout import Arrow, laid_out
from craton.program.picture import LARGEST, to_svg
from support.programs import BY_NAME

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def program() -> craton.Program:
    return craton.load(BY_NAME["loops/together.c"].path)


def drawn(program: craton.Program) -> ElementTree.Element:
    return ElementTree.fromstring(to_svg(program))


def test_every_location_and_edge_is_there(program: craton.Program) -> None:
    picture = drawn(program)
    texts = {text.text for text in picture.iter(f"{SVG}text")}
    assert {str(location) for location in program.main.locations} <= texts
    assert len(list(picture.iter(f"{SVG}path"))) == len(list(program.edges())) + 1  # and the arrow's head
    assert len([g for g in picture.iter(f"{SVG}g") if g.get("class") == "error"]) == len(program.errors)
    assert len([g for g in picture.iter(f"{SVG}g") if g.get("class") == "loop"]) == len(program.loop_heads)


def test_a_path_can_be_seen(program: craton.Program) -> None:
    picture = ElementTree.fromstring(to_svg(program, program.main.edges[:3]))
    assert len([g for g in picture.iter(f"{SVG}g") if g.get("class") == "taken"]) == 3


def test_a_notebook_shows_the_picture(program: craton.Program) -> None:
    assert program._repr_html_() == to_svg(program)


def test_too_many_edges_are_a_sentence(program: craton.Program) -> None:
    edges = program.main.edges * (LARGEST // len(program.main.edges) + 1)
    large = program.with_procedures({program.entry: program.main.with_edges(edges)})
    assert to_svg(large) == f"<p>{len(edges)} edges are too many for a picture.</p>"


ARROWS = st.integers(1, 8).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.lists(
            st.builds(Arrow, st.integers(0, count - 1), st.integers(0, count - 1), st.sampled_from([0.0, 60.0])),
            max_size=14,
        ),
    )
)


@settings(max_examples=60, deadline=None)
@given(ARROWS)
def test_boxes_and_labels_of_any_graph_lie_apart(graph: tuple[int, list[Arrow]]) -> None:
    count, arrows = graph
    laid = laid_out([30.0] * count, arrows)
    boxes = [(x, y, 30.0) for x, y in laid.boxes]
    boxes += [(*at, max(arrow.label_width, 8.0)) for at, arrow in zip(laid.labels, arrows, strict=True)]
    for (x, y, w), (x2, y2, w2) in combinations(boxes, 2):
        assert y != y2 or abs(x - x2) >= (w + w2) / 2
    for points, arrow in zip(laid.arrows, arrows, strict=True):
        assert points[0] == laid.boxes[arrow.source] and points[-1] == laid.boxes[arrow.target]
    assert all(x - w / 2 + 1e-6 >= 0 and x + w / 2 <= laid.width + 1e-6 and y <= laid.height for x, y, w in boxes)
