"""Trees: their formulas say what counting says, and share results only."""

from __future__ import annotations

import random

import pytest

from craton.configuration.refiners import refiner
from craton.evidence.systems import check_derivation
from craton.horn.clauses import Clause, Predicate, System
from craton.horn.derivations import Derivation
from craton.horn.grounding import grounded
from craton.horn.preprocessing import preprocessed
from craton.horn.programs import SystemProgram, program_of
from craton.logic import FALSE, INT, TRUE, Term, add, and_, eq, free_variables, iff, int_, le, lt, var
from craton.program.cfa import Edge
from craton.smt import make_solver
from craton.traces.feasibility import feasible
from craton.traces.refutation import Feasible, Quality, Refutation
from craton.traces.trace import Trace
from craton.trees.feasibility import facts_of
from craton.trees.perfect import quality
from craton.trees.refiners import refute
from craton.trees.tree import Node, Tree
from support.clauses import random_system
from support.trees import is_linked, random_tree


def trees(seeds: range) -> list[Tree]:
    found = []
    for seed in seeds:
        rng = random.Random(seed)
        tree = random_tree(random_system(seed), rng)
        if tree is not None:
            assert is_linked(tree)
            found.append(tree)
    return found


def test_a_node_shares_with_its_parent_nothing_but_its_result() -> None:
    for tree in trees(range(150)):
        for number, parent in enumerate(tree.parents):
            if parent is None:
                continue
            below = frozenset[object]().union(*(free_variables(tree.formulas[i]) for i in subtree(tree, number)))
            above = frozenset[object]().union(
                *(free_variables(f) for i, f in enumerate(tree.formulas) if i not in subtree(tree, number))
            )
            assert below & above <= frozenset(tree.results[number])


def subtree(tree: Tree, number: int) -> set[int]:
    return {number}.union(*(subtree(tree, child) for child in tree.nodes[number].children))


def test_feasible_trees_are_derivations() -> None:
    feasible_ones = 0
    for tree in trees(range(150)):
        answer = feasible(tree)
        if isinstance(answer, Feasible):
            model = answer.model
            feasible_ones += 1
            found = preprocessed(tree.system, inline=False)
            if found.system.clauses == tree.system.clauses:
                derivation = grounded(found, facts_of(tree, model))
                assert isinstance(derivation, Derivation)
                assert check_derivation(tree.system, derivation) == ""
    assert feasible_ones > 10


@pytest.mark.parametrize("seed", range(3))
def test_a_path_is_a_tree_without_branching(seed: int) -> None:
    linear = [t for s in range(60) if (t := random_tree(random_system(s, most_atoms=1), random.Random(seed)))]
    assert linear and all(tree.is_path for tree in linear)


EXACT = {
    "newton(sp)": 120,
    "newton(wp)": 60,
    "memo(newton(sp))": 30,
    "checked(newton(wp))": 30,
    "fallback(newton(sp), craig(z3))": 30,
    "until-perfect(newton(sp))": 30,
    "until-inductive(newton(wp))": 30,
    "sliced(newton(sp), short)": 60,
    "sliced(newton(wp), short)": 30,
}  # how many systems are tried


@pytest.mark.parametrize("expression", EXACT)
def test_a_tree_without_branching_gives_what_the_trace_gives(expression: str) -> None:
    """What is true along a path of clauses is what is true along the trace of its program."""
    judge = make_solver("z3")
    asked = refiner(expression)
    compared = 0
    for seed in range(EXACT[expression]):
        system = random_system(seed, most_atoms=1)
        tree = random_tree(system, random.Random(seed), 8)
        if tree is None or len(tree) < 2:
            continue
        made = program_of(system)
        edges = [edge for node in tree.nodes for edge in clause_edges(made, node.clause)]
        by_tree, by_trace = refute(asked, tree), asked.refute(Trace(tuple(edges)))
        assert type(by_tree) is type(by_trace)
        if not isinstance(by_tree, Refutation) or not isinstance(by_trace, Refutation):
            continue
        position = 0
        for number, node in enumerate(tree.nodes[:-1]):
            position += len(clause_edges(made, node.clause))
            head = tree.clause(number).head
            assert head is not None
            there = made.model({made.locations[head.predicate]: by_trace.assertions[position]}, constants=False)
            assert judge.is_valid(iff(by_tree.assertions[number], there.meanings[head.predicate]))
            compared += 1
    assert compared > EXACT[expression] / 3


def clause_edges(made: SystemProgram, number: int) -> list[Edge]:
    """The edges of a clause, in order."""
    (first,) = [edge for edge, clause in made.clauses.items() if clause == number]
    found = [first]
    ends = {*made.locations.values(), *made.program.errors}
    while found[-1].target not in ends:
        found += made.program.main.outgoing(found[-1].target)
    return found


def test_variables_may_be_called_like_results() -> None:
    """p(x + 1) where the clause calls x as the parameter of p is called."""
    p = Predicate("p", (INT,))
    (x,) = p.parameters
    assert x.name == "p.0"
    clauses = (Clause(p(add(x, int_(1))), (), eq(x, int_(5))), Clause(None, (p(x),), eq(x, int_(6))))
    assert isinstance(feasible(Tree(System(clauses), (Node(0, ()), Node(1, (0,))))), Feasible)


def test_recursion_through_others_is_recursion() -> None:
    """p and q take turns. That the sum stays below 10 is not inductive; that it is not negative is."""
    p, q = Predicate("p", (INT,)), Predicate("q", (INT,))
    x = var("x", INT)
    clauses = (
        Clause(p(int_(0)), (), TRUE),
        Clause(q(add(x, int_(1))), (p(x),), TRUE),
        Clause(p(x), (q(x),), TRUE),
        Clause(None, (p(x),), lt(x, int_(0))),
    )
    tree = Tree(System(clauses), (Node(0, ()), Node(1, (0,)), Node(2, (1,)), Node(3, (2,))))
    solver = make_solver("z3")
    (a,), (b,) = p.parameters, q.parameters

    def rated(of_p: Term, of_q: Term) -> Quality:
        return quality(tree, (of_p, of_q, of_p, FALSE), solver, None, None)

    assert rated(le(int_(0), a), le(int_(0), b)) is Quality.PERFECT
    assert rated(TRUE, TRUE) is Quality.INDUCTIVE
    assert rated(and_(le(int_(0), a), lt(a, int_(10))), and_(le(int_(0), b), lt(b, int_(10)))) is Quality.TRACE
