"""Exploring interpolants on trees ([EI]): the same lattice as on traces, with clauses that forget."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from craton.configuration.refiners import refiner
from craton.horn.reading import parse_system
from craton.logic import FALSE
from craton.smt import Unsat, make_solver
from craton.traces.exploration import Frontier, Templates
from craton.traces.lattice import Lattice, Visits, frontier
from craton.traces.refutation import Refutation
from craton.traces.templates import Base, templates_at
from craton.trees.enumeration import spurious_trees
from craton.trees.explanation import spurious_of_system
from craton.trees.lattice import ForgettingTree
from craton.trees.perfect import quality
from craton.trees.refiners import refute
from craton.trees.refutation import form_violation, law_violation
from craton.trees.tree import Tree

# [EI] I-A, and a sum whose derivations branch.
INTRODUCTION = """(set-logic HORN)
(declare-fun inv (Int Int Int) Bool)
(assert (forall ((i Int) (x Int) (j Int)) (=> (and (= i 0) (= x j)) (inv i x j))))
(assert (forall ((i Int) (x Int) (j Int)) (=> (and (inv i x j) (< i 50)) (inv (+ i 1) (+ x 1) j))))
(assert (forall ((i Int) (x Int) (j Int)) (=> (and (inv i x j) (>= i 50) (= j 0) (< x 50)) false)))
"""
BRANCHING = """(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((n Int) (m Int)) (=> (and (= n 1) (= m 1)) (p n m))))
(assert (forall ((a Int) (b Int) (c Int) (d Int)) (=> (and (p a b) (p c d)) (p (+ a c) (+ b d)))))
(assert (forall ((n Int) (m Int)) (=> (and (p n m) (not (= n m))) false)))
"""


def tree_of(text: str, size: int) -> Tree:
    found = [tree for tree in spurious_trees(parse_system(text), 2, 5).spurious if len(tree) == size]
    return found[0]


def infeasible(tree: Tree) -> bool:
    solver = make_solver("cvc5")
    solver.add(*tree.formulas)
    return isinstance(solver.check(), Unsat)


def names(templates: Templates) -> set[str]:
    return {" ".join(sorted(v.name for v in template.variables)) for template in templates}


@pytest.mark.parametrize("own", ["(x - i, i: 16, j)", "(x1 - x0, x0: 16, x2)"])
def test_the_frontier_of_the_example(own: str) -> None:
    """[EI] Fig. 3, by the names of the clauses and by places."""
    made = refiner(f"lattice(newton, own, templates={own})")
    assert isinstance(made, Lattice)
    problem = ForgettingTree(tree_of(INTRODUCTION, 4))
    templates = templates_at(problem.places, Base.OWN, made.templates)
    assert names(templates) == {"inv.0 inv.1", "inv.0", "inv.2"}
    found = frontier(problem, templates, make_solver("z3"), 60.0)
    assert isinstance(found, Frontier) and found.complete
    assert [names(element) for element in found.elements] == [{"inv.0 inv.1", "inv.2"}, {"inv.0"}]


@pytest.mark.parametrize("visits", Visits)
@pytest.mark.parametrize("base", [Base.TERMS, Base.PREDICATES])
def test_the_frontier_against_trying_every_set(visits: Visits, base: Base) -> None:
    """Of a derivation that branches, as another solver sees it."""
    problem = ForgettingTree(tree_of(BRANCHING, 4), visits)
    templates = templates_at(problem.places, base)[:8]
    found = frontier(problem, templates, make_solver("z3"), 60.0)
    every = chain.from_iterable(combinations(templates, size) for size in range(4))
    feasible = [frozenset(chosen) for chosen in every if infeasible(problem.forgetful(chosen)[0])]
    least = {chosen for chosen in feasible if not any(other < chosen for other in feasible)}
    if isinstance(found, Frontier):
        assert found.complete
        assert {frozenset(element) for element in found.elements if len(element) < 4} <= least
        assert all(infeasible(problem.forgetful(element)[0]) for element in found.elements)
    else:
        assert not least


@pytest.mark.parametrize(
    "options", ["own, templates=(n - m)", "both", "visits=each", "predicates, templates=(n = m)", "cost=size"]
)
@pytest.mark.parametrize("inner", ["newton(it, sp, lv)", "newton(wp)", "craig(z3)"])
def test_guided_refiners_obey_the_law(inner: str, options: str) -> None:
    tree = tree_of(BRANCHING, 4)
    answer = refute(refiner(f"lattice({inner}, {options})"), tree)
    assert isinstance(answer, Refutation)
    assert form_violation(tree, answer) == "" and answer.assertions[-1] is FALSE
    assert law_violation(tree, answer, make_solver("cvc5")) == ""


def test_a_template_makes_the_difference() -> None:
    tree = tree_of(INTRODUCTION, 4)
    answer = refute(refiner("lattice(newton(it, sp, lv), own, templates=(x - i, j))"), tree)
    assert isinstance(answer, Refutation) and answer.abstraction is not None
    assert quality(tree, answer.assertions, make_solver("z3"), 5.0, 5.0).name == "PERFECT"


def test_the_frontier_is_told_in_the_words_of_the_tree() -> None:
    found = spurious_of_system(parse_system(INTRODUCTION), 2, 1)
    (tree,) = found.problems
    column = found.column(tree, refiner("lattice(newton(it, sp, lv), own, templates=(x - i, i: 16, j))"))
    assert column.frontier == "remembers {x2, x1 - x0}, of the frontier {x2, x1 - x0}, {x0} over 3 templates"
    each = found.column(tree, refiner("lattice(newton(it, sp, lv), own, visits=each, templates=(x - i, j))"))
    assert "inv, step 1: x2, x1 - x0; inv, step 2: x2, x1 - x0" in each.frontier


def test_trees_over_bits_are_interpolated_as_numbers() -> None:
    """By a source that knows nothing else; the law is that of bits."""
    bits = BRANCHING.replace("Int", "(_ BitVec 8)").replace(" 1)", " #x01)").replace("+", "bvadd")
    tree = tree_of(bits, 4)
    answer = refute(refiner("craig(farkas)"), tree)
    assert isinstance(answer, Refutation)
    assert law_violation(tree, answer, make_solver("cvc5")) == ""
