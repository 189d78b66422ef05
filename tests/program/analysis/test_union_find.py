"""Disjoint sets against a partition that is kept as lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from craton.program.analysis.union_find import UnionFind

ITEMS = range(8)


@given(st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)), max_size=12))
def test_joined_items_are_together_and_the_first_one_speaks(pairs: list[tuple[int, int]]) -> None:
    together = UnionFind[int]()
    speaker = {item: item for item in ITEMS}
    for a, b in pairs:
        together.join(a, b)
        first, second = speaker[a], speaker[b]
        speaker = {item: first if old == second else old for item, old in speaker.items()}
        assert {item: together.find(item) for item in ITEMS} == speaker
    expected: dict[int, list[int]] = {}
    for item in ITEMS:
        expected.setdefault(speaker[item], []).append(item)
    assert together.groups(ITEMS) == list(expected.values())


def test_what_was_never_joined_is_alone() -> None:
    together = UnionFind[str]()
    assert together.find("a") == "a"
    assert together.groups("abca") == [["a", "a"], ["b"], ["c"]]


def test_long_chains_are_no_matter() -> None:
    together = UnionFind[int]()
    for item in range(100_000, 0, -1):
        together.join(item - 1, item)
    assert together.find(100_000) == 0
