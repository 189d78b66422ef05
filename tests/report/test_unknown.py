"""UNKNOWN in three sentences."""

from __future__ import annotations

from craton.report.unknown import how_far, in_the_way, to_try


def test_what_says_most_comes_first() -> None:
    reason = "testing: no test failed; horn, horn (int): gave up; bounded: a proof was found but not confirmed: L3"
    told = in_the_way(reason)
    assert told.startswith("bounded: a proof was found but not confirmed: L3; ")
    assert told.endswith("and 1 other reason (--json)")
    assert in_the_way("time limit of 5 s reached") == "time limit of 5 s reached"


def test_names_with_commas_stay_whole() -> None:
    told = in_the_way("value with newton(it, sp), horn: gave up; testing: no test failed")
    assert told.startswith("value with newton(it, sp) and others: gave up")


def test_how_far() -> None:
    statistics = {"refutations": {"newton": 3}, "trace length": {"longest": 7}, "predicates": 1}
    assert how_far(statistics) == "3 error paths shown impossible, the longest of 7 steps; 1 predicate learned"
    assert how_far({}) == ""


def test_what_to_try() -> None:
    assert "--each" in to_try("out of time", "wall", 2) and "--time-limit" in to_try("out of time", "wall", 2)
    assert "--memory-limit" in to_try("out of memory", "memory", 1)
    assert "another way" in to_try("p.c:3:1: inline assembly is not modelled", None, 1)


def test_ways_that_do_not_fit_come_last() -> None:
    reason = (
        "explicit: head is neither a number of so many bits nor a truth value; testing: no test failed; horn: gave up"
    )
    assert "explicit" not in in_the_way(reason)
