"""A refiner of traces, asked about a tree: `refute(refiner, tree, memory) -> Feasible | Refutation | GaveUp`.

A refiner is a value that says how to refute (`newton(it, wp, lv)`); what it means on a tree is here. Compositions are
those of `traces.compose`, asked with another question. A tree without branching is a trace, but its steps are clauses
and its assertions speak of predicates' parameters, so it is not turned into one.
"""

from __future__ import annotations

from craton.logic import implies
from craton.traces.checked import Checked
from craton.traces.compose import Fallback, Memo, Race, UntilInductive, UntilPerfect, UntilProving
from craton.traces.craig import Craig
from craton.traces.lattice import Lattice
from craton.traces.lean import Lean
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.newton import Newton
from craton.traces.prefixes import Sliced
from craton.traces.refutation import Answer, GaveUp, Quality, Refiner, Refutation
from craton.traces.simplified import Simplified
from craton.trees.craig import refuted_by_craig
from craton.trees.lattice import ForgettingTree
from craton.trees.lean import uses_of
from craton.trees.newton import refuted_by_newton
from craton.trees.perfect import quality
from craton.trees.prefixes import Slice, TreeReasons
from craton.trees.refutation import form_violation
from craton.trees.tree import Tree, condition


def refute(refiner: Refiner, tree: Tree, memory: RunMemory = NO_MEMORY) -> Answer:
    """What the refiner says of the tree. One that only knows traces gives up."""
    match refiner:
        case Newton():
            return refuted_by_newton(refiner, tree)
        case Craig():
            return refuted_by_craig(refiner, tree)
        case Lattice():
            forgetting = ForgettingTree(tree, refiner.visits)
            return refiner.guiding(forgetting, lambda asked: refute(refiner.refiner, asked, memory))
        case Fallback() | Memo():
            return refiner.asking(lambda part: refute(part, tree, memory), tree, memory)
        case UntilPerfect() | UntilProving() | UntilInductive():
            return _until(refiner, tree, memory)
        case Race():
            return refiner.asking(lambda part, branch: refute(part, tree, branch), memory)
        case Checked():
            return _checked(refiner, tree, memory)
        case Lean():
            return refiner.reducing(refute(refiner.refiner, tree, memory), uses_of(tree), memory)
        case Simplified():
            return refiner.simplifying(refute(refiner.refiner, tree, memory), memory)
        case Sliced():
            return refiner.choosing(TreeReasons(Slice(tree, 0), lambda part, slice_: refute(part, slice_, memory)))
        case _:
            return GaveUp(f"{refiner.name} refutes traces, not trees")


def _until(refiner: UntilPerfect | UntilProving | UntilInductive, tree: Tree, memory: RunMemory) -> Answer:
    checker = memory.solver(refiner.solver, refiner.time_limit)

    def rate(answer: Refutation) -> Quality:
        return quality(tree, answer.assertions, checker, refiner.time_limit, refiner.budget)

    return refiner.asking(lambda part: refute(part, tree, memory), rate, tree, memory)


def _checked(refiner: Checked, tree: Tree, memory: RunMemory) -> Answer:
    answer = refute(refiner.refiner, tree, memory)
    if not isinstance(answer, Refutation):
        return answer
    problem = form_violation(tree, answer)
    if problem:
        return GaveUp(f"{refiner.refiner.name} broke the law: {problem}")
    conditions = [condition(tree, number, answer.assertions) for number in range(len(tree))]

    def told(number: int) -> str:
        premise, conclusion = conditions[number]
        return f"at node {number + 1}, {premise} does not imply {conclusion}"

    return refiner.checking(answer, (implies(*each) for each in conditions), memory, told)
