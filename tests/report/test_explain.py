"""Explanations: the page stands alone and shows everything, and the data keep their form."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Statistics
from craton.logic import infix
from craton.report.data import as_data
from craton.report.page import page
from craton.report.verdict import figures
from craton.traces.explanation import Explanation, explain
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.refutation import Answer, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace
from support.html import read
from support.trace_reader import read_trace
from support.traces import FEASIBLE, INFEASIBLE

LEAK_CHECK = INFEASIBLE["leak check, [CN] Figure 2"]
EXPRESSIONS = ("newton(sp)", "newton(it, sp, lv)", "newton(it, wp, lv)", "craig(z3)")


class GivesUp(Refiner):
    name = "gives up <at once>"

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return GaveUp("1 < 2 & nothing else")


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return explain(LEAK_CHECK.trace, [*map(refiner, EXPRESSIONS), GivesUp()])


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_is_well_formed_and_regular(explanation: Explanation) -> None:
    found = read(page([("one", explanation), ("two", explanation)], "a<b.c"))
    assert {len(row) for row in found.rows} == {2 + len(explanation.columns)}
    assert len(found.rows) == 2 * (2 * len(explanation.trace) + 2)
    assert "What refiners learn from a<b.c" in found.text


def test_the_page_loads_nothing(explanation: Explanation) -> None:
    text = page([("one", explanation)], "a.c")
    found = read(text)
    assert {tag for tag, _ in found.elements}.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "base"})
    assert all(name not in attributes for _, attributes in found.elements for name in ("src", "href", "srcset"))
    assert re.search(r"https?:|url\s*\(|@import|//[a-z]", text) is None


def test_the_page_shows_every_assertion_in_its_place(explanation: Explanation) -> None:
    rows = read(page([("one", explanation)], "a.c")).rows[1:]
    for number, column in enumerate(explanation.columns):
        for position, assertion in enumerate(column.assertions):
            cell = rows[2 * position][2 + number]
            live = ", ".join(column.live(position))
            assert cell == infix(assertion) + (f"live: {live}" if live else "")
        for position, statement in enumerate(explanation.statements):
            row = rows[2 * position + 1]
            assert row[1] == statement
            assert ("in core" in row[2 + number]) == (column.core is not None and position in column.core)


def test_the_page_says_how_it_went(explanation: Explanation) -> None:
    heads = read(page([("one", explanation)], "a.c")).rows[0]
    assert re.fullmatch(r"newton\(sp\)not perfect, \d+ nodes, \d+ ms", heads[2])
    assert re.fullmatch(r"newton\(it,sp,lv\)perfect, \d+ nodes, \d+ ms", heads[3])
    assert re.fullmatch(r"gives up <at once>gave up: 1 < 2 & nothing else, \d+ ms", heads[6])


# --- the data ---------------------------------------------------------------------------------------------------------

_STEP = {"statement": str, "line": (int, type(None))}
_ASSERTION = {"formula": str, "smtlib": str, "variables": list, "live": list}
_REFINER = {
    "refiner": str,
    "verdict": str,
    "perfect": (bool, type(None)),
    "quality": (str, type(None)),
    "seconds": float,
    "size": int,
    "core": (list, type(None)),
    "assertions": list,
}


def assert_shape(data: dict[str, Any], shape: dict[str, Any]) -> None:
    assert data.keys() == shape.keys()
    for key, kind in shape.items():
        assert isinstance(data[key], kind), f"{key}: {data[key]!r}"


def test_the_data_keep_their_form(explanation: Explanation) -> None:
    data = json.loads(json.dumps(as_data(explanation)))
    assert_shape(data, {"trace": list, "refiners": list})
    for step in data["trace"]:
        assert_shape(step, _STEP)
    for column in data["refiners"]:
        assert_shape(column, _REFINER)
        for assertion in column["assertions"]:
            assert_shape(assertion, _ASSERTION)
    assert [column["refiner"] for column in data["refiners"]] == [c.refiner for c in explanation.columns]
    given_up = data["refiners"][-1]
    assert (given_up["perfect"], given_up["assertions"], given_up["core"], given_up["size"]) == (None, [], None, 0)


def test_the_formulas_in_the_data_are_those_of_the_sequences(explanation: Explanation) -> None:
    from support.declarations import read as read_terms

    for column, data in zip(explanation.columns, as_data(explanation)["refiners"], strict=True):
        texts = [assertion["smtlib"] for assertion in data["assertions"]]
        if texts:
            assert read_terms(LEAK_CHECK.declarations, "\n".join(texts)) == column.assertions


def test_a_feasible_trace_has_no_assertions() -> None:
    (column,) = explain(FEASIBLE["counter pair with an error"].trace, [refiner("newton")]).columns
    assert (column.verdict, column.perfect, column.assertions, column.live(0)) == ("feasible", None, (), ())


def test_the_data_tell_what_was_selected_and_abstracted() -> None:
    refiners = [refiner("sliced(newton(it, sp, lv), short)"), refiner("checked(newton(it, sp, lv))")]
    sliced, checked = as_data(explain(LEAK_CHECK.trace, refiners))["refiners"]
    assert sliced["selection"]["choices"] >= 1
    assert 1 <= sliced["selection"]["prefix"] <= len(LEAK_CHECK.trace)
    assert checked["unchecked steps"] == 0


def test_the_frontier_is_told_in_all_forms() -> None:
    """[EI] VI: in text, on the page, as data, and in the figures of a run."""
    trace = read_trace("i x: Int", "i := 0\nx := 0\n1 times {\ni := (+ i 1)\nx := (+ x 1)\n}\n(not (= x i))")
    explanation = explain(trace, [refiner("lattice(newton(it, sp, lv), time=60)")])
    (column,) = explanation.columns
    assert isinstance(column.answer, Refutation) and column.answer.abstraction is not None
    found = column.answer.abstraction
    (told,) = as_data(explanation)["refiners"]
    assert told["abstraction"]["base"] == found.base and told["abstraction"]["complete"] is True
    assert [len(element["members"]) for element in told["abstraction"]["elements"]] == [len(s) for s in found.sets]
    assert [element["cost"] for element in told["abstraction"]["elements"]] == [e.cost for e in found.elements]
    shown = read(page([("one", explanation)], "a.c")).text
    assert f"▸ remembers {found.chosen}, cost {found.chosen.cost}" in shown
    assert all(str(element) in shown and str(element) in column.frontier for element in found.elements)
    statistics = Statistics()
    statistics.count(column.answer)
    counts = figures(statistics)
    assert counts["frontier"]["largest"] == found.frontier and counts["frontiers found in part"] == 0
    assert counts["templates remembered"] == {str(found.chosen): 1}
