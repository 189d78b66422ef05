"""Trees to explain: which there are, how they are shown, and what refiners say of them."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest
from rich.console import Console

from craton.configuration.refiners import refiner
from craton.frontends.boogie import load_boogie
from craton.horn.reading import parse_system
from craton.report.data import as_data
from craton.report.page import page
from craton.report.terminal import print_explanation
from craton.traces.refutation import GaveUp
from craton.trees.enumeration import derivations, rounds, spurious_trees
from craton.trees.explanation import Spurious, TreeExplanation, spurious_of_program, spurious_of_system
from support.clauses import random_system
from support.html import read
from support.trees import is_linked

FIBONACCI = """(set-logic HORN)
(declare-fun fib (Int Int) Bool)
(assert (forall ((n Int)) (=> (and (<= 0 n) (< n 2)) (fib n n))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (>= n 2) (fib (- n 1) a) (fib (- n 2) b)) (fib n (+ a b)))))
(assert (forall ((n Int) (r Int)) (=> (and (fib n r) (< r 0)) false)))
"""
RECURSIVE = """
var g: int;
procedure count(n: int) returns (r: int) modifies g; {
  g := g + 1;
  r := 0;
  if (n > 0) { call r := count(n - 1); r := r + 1; }
}
procedure main() modifies g; { var x: int; assume x >= 0; g := 0; call x := count(x); assert x >= 0; }
"""
EXPRESSIONS = ("newton(sp)", "newton(core=half, wp, lv)", "lean(craig(z3))", "values")


def explained(found: Spurious) -> TreeExplanation:
    (problem,) = found.problems
    made = found.explanation(problem, [found.column(problem, refiner(one)) for one in EXPRESSIONS])
    assert isinstance(made, TreeExplanation)
    return made


@pytest.fixture(scope="module")
def of_system() -> TreeExplanation:
    return explained(spurious_of_system(parse_system(FIBONACCI), 2, 1))


@pytest.fixture(scope="module")
def of_program() -> TreeExplanation:
    return explained(spurious_of_program(load_boogie(RECURSIVE).program, 1, 1))


# --- which trees ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_derivations_are_trees_smallest_first_and_each_once(seed: int) -> None:
    found = []
    for tree in derivations(random_system(seed), 1):
        assert is_linked(tree) and rounds(tree) <= 1
        found.append(tree)
        if len(found) == 40:
            break
    assert [len(tree) for tree in found] == sorted(map(len, found))
    assert len({tree.identity for tree in found}) == len({tuple(tree.nodes) for tree in found})


def test_all_shapes_are_there() -> None:
    """fib: a leaf, or two of the shapes that are one less deep; 1, 1 + 1, 1 + 4 of them."""
    system = parse_system(FIBONACCI)
    for unroll, shapes in ((0, 1), (1, 2), (2, 5), (3, 26)):
        assert sum(1 for _ in derivations(system, unroll)) == shapes


def test_deep_ones_come_first() -> None:
    found = spurious_trees(parse_system(FIBONACCI), 2, 2)
    assert [rounds(tree) for tree in found.spurious] == [2, 2]
    assert found.feasible == 0 and found.undecided == ()


# --- how they are shown -----------------------------------------------------------------------------------------------


def test_clauses_are_shown_as_written(of_system: TreeExplanation) -> None:
    lines = of_system.lines
    assert [(line.text, line.place, line.depth) for line in lines[:3]] == [
        ("fib(n, n) ← n ≥ 0 ∧ n < 2", "3", 0),
        ("fib(n, n) ← n ≥ 0 ∧ n < 2", "3", 1),
        ("fib(n, a + b) ← fib(n - 1, a) ∧ fib(n - 2, b) ∧ n ≥ 2", "4", 0),
    ]
    assert lines[-1].text == "false ← fib(n, r) ∧ r < 0"
    assert of_system.facts[0] == "fib(x0, x1)" and of_system.facts[-1] == "false"
    names = {
        v for c in of_system.columns for a in as_data(of_system)["refiners"][0]["assertions"] for v in a["variables"]
    }
    assert names <= {"x0", "x1"}


def test_calls_are_indented_below_their_callers(of_program: TreeExplanation) -> None:
    shown = [(line.text, line.depth) for line in of_program.lines]
    inside = [text for text, depth in shown if depth]
    assert inside.count("enter count") == 2 and inside.count("count returns") == 2
    assert ("r := count(n - 1)", 1) in shown and ("x := count(x)", 0) in shown
    assert shown[0] == ("enter main", 0) and shown[-1] == ("the error is reached", 0)
    names = {v for a in as_data(of_program)["refiners"][0]["assertions"] for v in a["variables"]}
    assert "n at entry" in names and "r" in names


def test_refiners_that_know_no_trees_say_so(of_system: TreeExplanation) -> None:
    answer = of_system.columns[-1].answer
    assert isinstance(answer, GaveUp) and "refutes traces, not trees" in answer.reason


def test_the_terminal(of_system: TreeExplanation) -> None:
    console = Console(highlight=False, width=160, file=StringIO())
    print_explanation(of_system, "a tree", console)
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    assert re.search(r"^ *4 +fib\(n, a \+ b\) ←", shown, re.MULTILINE)
    assert re.search(r"^ *3    +fib\(n, n\) ←", shown, re.MULTILINE)
    assert "● in core" in shown and "clause" in shown.splitlines()[1]


@pytest.mark.parametrize("which", ["of_system", "of_program"])
def test_the_page_is_well_formed_and_shows_every_assertion(which: str, request: pytest.FixtureRequest) -> None:
    explanation: TreeExplanation = request.getfixturevalue(which)
    text = page([("one", explanation)], "a<b.smt2")
    rows = read(text).rows
    assert {len(row) for row in rows} == {2 + len(explanation.columns)}
    assert len(rows) == 1 + 2 * len(explanation.tree)
    data = as_data(explanation)
    for number, column in enumerate(data["refiners"]):
        for position, assertion in enumerate(column["assertions"]):
            assert rows[1 + 2 * position + 1][2 + number] == assertion["formula"]
    assert [row[1] for row in rows[1::2]] == [line.text for line in explanation.lines]
    assert re.search(r"https?:|url\s*\(|@import|//[a-z]|<script", text) is None


def test_the_data_are_a_tree(of_system: TreeExplanation) -> None:
    data = json.loads(json.dumps(as_data(of_system)))
    assert data.keys() == {"tree", "refiners"}
    assert data["tree"][2] == {
        "clause": "fib(n, a + b) ← fib(n - 1, a) ∧ fib(n - 2, b) ∧ n ≥ 2",
        "line": 4,
        "derives": "fib(x0, x1)",
        "premises": [0, 1],
    }
    for column in data["refiners"][:-1]:
        assert len(column["assertions"]) == len(data["tree"])
        assert column["assertions"][-1]["formula"] == "false"
