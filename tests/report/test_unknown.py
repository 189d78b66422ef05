"""UNKNOWN in three sentences."""

from __future__ import annotations

from craton.report.unknown import how_far, in_the_way, to_try, went_alone, without_invariant


def test_what_names_a_cause_is_told_alone() -> None:
    reason = "testing: no test failed; horn, horn (int): gave up; bounded: a proof was found but not confirmed: L3"
    assert in_the_way(reason) == "bounded: a proof was found but not confirmed: L3; and 2 other reasons (--json)"
    assert in_the_way("time limit of 5 s reached") == "time limit of 5 s reached"


def test_locations_of_automata_are_told_by_the_text() -> None:
    edge = "L8 (loop at a.c:6:3) → L68 (unreach-call), statement at a.c:15:3"
    expected = "horn: not safe: loop at a.c:6:3 → unreach-call, statement at a.c:15:3"
    assert in_the_way(f"horn: not safe: {edge}") == expected
    assert in_the_way(f"horn: not safe: {edge}; testing: no test failed").startswith(expected)


def test_names_with_commas_stay_whole() -> None:
    told = in_the_way("value with newton(it, sp), horn: gave up; testing: no test failed")
    assert told.startswith("value with newton(it, sp) and others: gave up")


def test_how_far() -> None:
    statistics = {"refutations": {"newton": 3}, "trace length": {"longest": 7}, "predicates": 1}
    assert how_far(statistics, 1) == "3 error paths shown impossible, the longest of 7 steps; 1 predicate learned"
    assert how_far({}, 1) == ""


def test_loops_that_nothing_is_known_of() -> None:
    assert without_invariant(["a.c:3"]) == "no invariant that is enough was found for the loop at a.c:3"
    told = without_invariant(["a.c:3", "a.c:8", "a.c:9", "a.c:11", "a.c:12"])
    assert told.endswith("for the loops at a.c:3, a.c:8, a.c:9 and 2 others")


def test_which_of_several_checks_are_hard() -> None:
    statistics = {"refutations": {"newton": 9}, "traces to": {"a.c:3": 4, "a.c:8": 2, "a.c:9": 1, "a.c:11": 2}}
    assert (
        how_far(statistics, 4) == "9 error paths shown impossible (4 to line 3, 2 to line 8, 1 to line 9, 2 to others)"
    )
    statistics = {"refutations": {"newton": 2}, "traces to": {"a.c:3": 1, "b.c:3": 1}}
    assert "(1 to a.c:3, 1 to b.c:3)" in how_far(statistics, 2)
    assert "to" not in how_far(statistics, 1)


def test_what_to_try() -> None:
    assert "--each" in to_try("out of time", "wall", 2) and "--time-limit" in to_try("out of time", "wall", 2)
    assert "--memory-limit" in to_try("out of memory", "memory", 1)
    assert "a body for f()" in to_try(
        "a counterexample was found, but the program ends without an error", None, 1, ["f"]
    )
    assert "a body" not in to_try("out of time", "wall", 1, ["f"])
    assert "another way" in to_try("p.c:3:1: inline assembly is not modelled", None, 1)


def test_other_engines_are_worth_a_try() -> None:
    assert went_alone({"seconds of stages": {"horn": 1.0}, "iterations": 0})
    assert not went_alone({"seconds of stages": {"horn": 1.0, "bounded": 2.0}, "iterations": 3})
    assert not went_alone({"iterations": 3})  # ended from outside: whoever took turns is not known
    assert to_try("gave up", None, 1, alone=True).startswith("no --engine") and "--engine" not in to_try("x", None, 1)


def test_ways_that_do_not_fit_come_last() -> None:
    reason = (
        "explicit: does not fit: head is neither a number of so many bits nor a truth value; testing: no test failed;"
        " horn: gave up"
    )
    assert in_the_way(reason) == "horn: gave up; and 2 other reasons (--json)"


def test_who_has_no_command_line_is_told_of_no_options() -> None:
    for reason, limit, alone in (
        ("out of time", "cpu", False),
        ("x", "memory", False),
        ("x", None, True),
        ("x", None, False),
    ):
        told = to_try(reason, limit, 2, alone=alone, options=False)
        assert told and "--" not in told
    assert "--" not in to_try("the program ends without an error", None, 1, ["f"], options=False)
    assert "--" not in in_the_way("a: gave up; b: gave in", options=False)
