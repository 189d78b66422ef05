"""Every refiner on random trees: what it says obeys the law, as a solver says that had no part in it."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

from craton.configuration.refiners import PRESETS, refiner
from craton.configuration.refiners import REFINERS as REGISTRY
from craton.logic import FALSE, Model, satisfies
from craton.smt import Solver, make_solver
from craton.traces.refutation import Feasible, GaveUp, Refutation
from craton.trees.refiners import refute
from craton.trees.refutation import form_violation, law_violation
from craton.trees.tree import Tree
from support.clauses import ARRAYS, BITS, INTEGERS, MIXED, random_system
from support.trees import random_tree

THEORIES = {"bits": BITS, "integers": INTEGERS, "arrays": ARRAYS, "mixed": MIXED}
EACH = 55  # trees of each theory

NEWTONS = [
    f"newton({core}{direction}{live})"
    for core in ("", "it, ", "core=conjunct, ", "core=half, ")
    for direction in ("sp", "wp")
    for live in ("", ", lv")
]
REFINERS = [
    *NEWTONS,
    "newton(it, wp, lv, late)",
    "craig(z3)",
    "craig(z3, it)",
    "craig(cvc5)",
    "craig(farkas, core=conjunct)",
    "lattice(newton(it, sp, lv))",
    "lattice(craig(z3))",
    "fallback(craig(z3), newton(it, sp, lv))",
    "until-perfect(newton(it, wp, lv), newton(it, sp, lv))",
    "checked(newton(it, sp, lv))",
    "memo(newton(sp))",
    "lean(newton(it, sp, lv))",
    "simplified(newton(it, sp, lv))",
    "lean(newton(sp))",
    "lean(craig(z3))",
    "sliced(newton(it, sp, lv))",
    "sliced(newton(it, wp, lv), short)",
    "sliced(craig(z3), newton(sp), deep, wide)",
    "sliced(lean(newton(it, sp, lv)), random)",
    "lattice(sliced(newton(it, sp, lv), long))",
    "until-inductive(sliced(newton(it, wp, lv), bad), newton(it, sp, lv))",
]


RARELY = [*PRESETS, "until-proving(newton(it, sp, lv))"]  # on a few trees only


@cache
def trees(theory: str) -> tuple[Tree, ...]:
    found: list[Tree] = []
    seed = 0
    while len(found) < EACH:
        seed += 1
        tree = random_tree(random_system(seed, theory=THEORIES[theory]), random.Random(seed), 6 + seed % 12)
        if tree is not None and not tree.is_path:
            found.append(tree)
    return tuple(found)


@cache
def judge() -> Solver:
    return make_solver("cvc5", time_limit=5.0)


@cache
def is_feasible(tree: Tree) -> bool | None:
    with make_solver("cvc5", time_limit=5.0) as solver:
        solver.add(*tree.formulas)
        answer = type(solver.check()).__name__
    return {"Sat": True, "Unsat": False}.get(answer)


def test_there_are_trees_of_both_kinds() -> None:
    for theory in THEORIES:
        answers = [is_feasible(tree) for tree in trees(theory)]
        assert answers.count(True) > 5 and answers.count(False) > 15
    assert len({tree.identity for theory in THEORIES for tree in trees(theory)}) >= 200


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("expression", REFINERS)
def test_refutations_obey_the_law(expression: str, theory: str) -> None:
    gave_up = undecided = 0
    for number, tree in enumerate(trees(theory)):
        if number % 4 and expression not in ("newton(it, sp, lv)", "newton(it, wp, lv)", "craig(z3)"):
            continue  # a sample for most of them
        answer = refute(refiner(expression), tree)
        feasible = is_feasible(tree)
        match answer:
            case Feasible(model):
                assert feasible is not False
                assert isinstance(model, Model) and all(satisfies(model, f) for f in tree.formulas)
            case Refutation():
                assert feasible is not True
                assert form_violation(tree, answer) == ""
                problem = law_violation(tree, answer, judge())
                assert problem == "" or "is undecided" in problem, (expression, tree.nodes, problem)
                undecided += problem != ""
            case GaveUp():
                gave_up += 1
    assert gave_up + undecided <= EACH / 4 + 3


@pytest.mark.parametrize("expression", RARELY)
def test_presets_obey_the_law(expression: str) -> None:
    for tree in (tree for theory in THEORIES for tree in trees(theory)[:5]):
        answer = refute(refiner(expression), tree)
        if isinstance(answer, Refutation):
            problem = law_violation(tree, answer, judge())
            assert problem == "" or "is undecided" in problem, (expression, tree.nodes, problem)
        else:
            assert is_feasible(tree) or isinstance(answer, GaveUp)


def test_every_refiner_is_asked() -> None:
    asked = " ".join((*REFINERS, *RARELY, "race", "values"))  # those two have tests of their own
    assert [word for word in REGISTRY.entries if not re.search(rf"\b{word}\b", asked)] == []


def test_a_race_on_trees() -> None:
    asked = refiner("race(newton(it, sp, lv), newton(it, wp, lv))")
    kinds = set()
    for tree in trees("integers")[:6]:
        answer = refute(asked, tree)
        kinds.add(type(answer))
        if isinstance(answer, Refutation):
            assert law_violation(tree, answer, judge()) == ""
    assert kinds == {Feasible, Refutation}


def test_the_law_is_not_kept_by_anything() -> None:
    """The check of the law does find what breaks it."""
    found = 0
    for tree in trees("integers"):
        answer = refute(refiner("newton(it, sp, lv)"), tree)
        if isinstance(answer, Refutation):
            for number in range(len(tree) - 1):
                if answer.assertions[number] is not FALSE:
                    broken = list(answer.assertions)
                    broken[number] = FALSE
                    lie = Refutation(tuple(broken), "a liar")
                    truth = law_violation(tree, lie, judge())
                    found += truth != ""
    assert found > 20


def test_a_refiner_of_traces_gives_up_on_trees() -> None:
    answer = refute(refiner("values"), trees("bits")[0])
    assert isinstance(answer, GaveUp) and "refutes traces, not trees" in answer.reason
