"""Changes of a step, as a reader sees them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from craton.report.changes import told_changes


def _told(changes: dict[str, str], inputs: Sequence[str] = ()) -> list[str]:
    return list(told_changes({"changes": changes, "inputs": inputs, "unspecified": (), "calls": {}}))


def _array(name: str, values: Sequence[str]) -> dict[str, str]:
    return {f"{name}[{index}]": value for index, value in enumerate(values)}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (("'p'", "'e'", "'n'", "'\\0'", "'\\0'"), 'q.name = "pen"'),
        (("'\"'", "'\\n'", "'\\''", "'\\0'"), 'q.name = "\\"\\n\\\'"'),
        (("'a'", "-61", "'\\0'"), "q.name[0..2] = {'a', -61, '\\0'}"),
        (("31", "28", "31"), "q.name[0..2] = {31, 28, 31}"),
        (("0",) * 13, f"q.name[0..12] = {{{', '.join('0' * 12)}, …}}"),
    ],
)
def test_elements_are_told_together(values: Sequence[str], told: str) -> None:
    assert _told(_array("q.name", values)) == [told]
    backwards = dict(reversed(_array("q.name", values).items()))
    assert _told({"x": "1"} | backwards | {"y": "2"}) == ["x = 1", told, "y = 2"]


def test_a_few_elements_or_others_than_the_first_stand_alone() -> None:
    assert _told({"a[0]": "1", "a[1]": "2"}) == ["a[0] = 1", "a[1] = 2"]
    assert _told({"a[1]": "1", "a[2]": "2", "a[3]": "3"}) == ["a[1] = 1", "a[2] = 2", "a[3] = 3"]


def test_inputs_are_not_told_with_others() -> None:
    changes = _array("a", ("1", "2", "3"))
    assert _told(changes, list(changes)) == ["a[0..2] = {1, 2, 3} (input)"]
    assert _told(changes, ["a[1]"]) == ["a[0] = 1", "a[1] = 2 (input)", "a[2] = 3"]


def test_of_very_many_changes_the_first_ones() -> None:
    told = _told({f"x{number}": "0" for number in range(20)})
    assert len(told) == 9 and told[-1] == "… 12 more changes"
