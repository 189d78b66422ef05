"""Samples are about as large as asked for, of every theory, and stay when cases are added."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from support.entries import BadExample
from support.sampling import has_turn, pick, sample
from support.stages import read_stages


@dataclass(frozen=True)
class Case:
    theory: str
    name: str

    def __str__(self) -> str:
        return self.name


CASES = [Case(theory, f"{theory} {number}") for theory in ("int", "bits") for number in range(60)]


@pytest.mark.parametrize("one_in", [1, 2, 3, 7, 60])
def test_the_share_is_that_of_each_theory(one_in: int) -> None:
    drawn = sample(CASES, one_in, "a test")
    for theory in ("int", "bits"):
        count = sum(case.theory == theory for case in drawn)
        assert 60 // one_in <= count <= 60 // one_in + 1
    assert set(drawn) <= set(CASES)


def test_a_new_case_changes_one_at_most() -> None:
    before = set(sample(CASES, 5, "a test"))
    after = set(sample([Case("int", "a new one"), *CASES], 5, "a test"))
    assert len(before - after) <= 1
    assert len(after - before) <= 1


def test_the_order_does_not_matter_and_the_purpose_does() -> None:
    assert set(sample(CASES, 5, "a test")) == set(sample(CASES[::-1], 5, "a test"))
    assert set(sample(CASES, 5, "a test")) != set(sample(CASES, 5, "another"))


def test_turns_and_picks_are_spread() -> None:
    assert 20 <= sum(has_turn(4, "a test", case) for case in CASES) <= 40
    assert {pick("abc", case) for case in CASES} == {"a", "b", "c"}
    assert pick("abc", "one name") == pick("abc", "one name")


BAD_STAGES = {
    "a | value | craig | bv": "stages.txt:1: expected program | engine",
    "c | value | craig | bv | z3": "stages.txt:1: there is no program c",
    "a | value | craig | bv | z3\n\n# twice\na | value | craig | int | z3": "stages.txt:4: a has a stage already",
    "a | value | craig | bv | z3": "stages.txt: no line for b",
}


@pytest.mark.parametrize("text", BAD_STAGES)
def test_a_bad_file_of_stages(text: str, tmp_path: Path) -> None:
    path = tmp_path / "stages.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadExample) as error:
        read_stages(path, ("a", "b"))
    assert str(error.value).startswith(BAD_STAGES[text])
