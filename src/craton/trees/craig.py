"""Craig on trees: tree interpolants of the tree's formula, or of an infeasible core of it.

    F[node] ∧ I[children] ⇒ I[node], over the node's result only; I[root] = false

From z3 as the solution of a recursion-free Horn system with one unknown for each node; from `farkas` as sums over the
nodes below each; from any other source by binary interpolants in post-order: I[node] separates F[node] ∧ I[children]
from everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from craton.logic import BOOL, FALSE, TRUE, Function, Term, and_, apply, free_variables, functions, implies
from craton.processes.running_time import running_time
from craton.program.statements import Assume
from craton.smt import Sat, Satisfiable, Solver, Undecided, binary_interpolant, make_solver
from craton.smt.z3.horn import NoSolution, Predicate, failure, solve
from craton.traces.cores import Granularity
from craton.traces.craig import Asked, Craig
from craton.traces.refutation import Answer, Refutation
from craton.trees.cores import TreeCore, infeasible_core
from craton.trees.refutation import law_violation
from craton.trees.tree import Tree
from craton.views.signs import Signs

FARKAS = "farkas"
TreeInterpolants = tuple[Term, ...] | Satisfiable | Undecided


def refuted_by_craig(craig: Craig, tree: Tree) -> Answer:
    return craig.interpolating(_TreeInterpolation(tree))


@dataclass(frozen=True, slots=True)
class _TreeInterpolation:
    """Tree interpolants of a tree: see `traces.craig.Interpolation`."""

    problem: Tree

    def core(
        self, solver: Solver, granularity: Granularity, budget: float | None, time_limit: float | None
    ) -> TreeCore | Sat | Undecided:
        return infeasible_core(self.problem, solver, granularity, budget, time_limit)

    def assertions(self, core: TreeCore | None, asked: Asked) -> Iterator[TreeInterpolants]:
        tree = self.problem
        formulas = tree.formulas if core is None else core.formulas

        def interpolate(formulas: Sequence[Term], limit: float | None) -> TreeInterpolants:
            return tree_interpolants(tree, formulas, asked.source, limit)

        for found in asked.readings(formulas, lambda: _signs(tree), interpolate):
            if isinstance(found, tuple):
                found = tuple(tree.told(number, formula) for number, formula in enumerate(found))
            yield found

    def law_violation(self, refutation: Refutation, checker: Solver, time_limit: float | None) -> str:
        return law_violation(self.problem, refutation, checker, time_limit)


def _signs(tree: Tree) -> Signs:
    """The signedness of the variables of a tree's formulas, as these use them."""
    return Signs.of_statements([Assume(formula) for formula in tree.formulas])


def tree_interpolants(
    tree: Tree, formulas: Sequence[Term], source: str, time_limit: float | None = None
) -> TreeInterpolants:
    """I[0] … I[n-1] for the nodes' formulas, the root's being false."""
    if source == "z3":
        found = _by_horn(tree, formulas, time_limit)
        if not isinstance(found, Undecided):  # Spacer's solutions are wrong now and then
            return found
    if source == FARKAS:
        return _by_sums(tree, formulas, time_limit)
    return _by_binary(tree, formulas, source, time_limit)


def _by_horn(tree: Tree, formulas: Sequence[Term], time_limit: float | None) -> TreeInterpolants:
    if any(functions(f) for f in formulas):
        return Undecided("z3: Horn clauses cannot share uninterpreted functions")
    predicates = [_unknown(tree, number, formulas) for number in range(len(tree) - 1)]
    nodes = [apply(p.function, *p.arguments) for p in predicates]
    clauses = [
        implies(
            and_(formula, *(nodes[child] for child in tree.nodes[number].children)),
            nodes[number] if number < len(nodes) else failure(),
        )
        for number, formula in enumerate(formulas)
    ]
    if not predicates:  # a single node: it must contradict itself
        valid = make_solver("z3", time_limit=time_limit).is_valid(implies(formulas[0], FALSE))
        return (FALSE,) if valid else Undecided("undecided") if valid is None else Satisfiable()
    found = solve(predicates, clauses, time_limit)
    if isinstance(found, Undecided):
        return found
    if isinstance(found, NoSolution):
        return Satisfiable()
    return (*(found.meanings[predicate] for predicate in predicates), FALSE)


def _unknown(tree: Tree, number: int, formulas: Sequence[Term]) -> Predicate:
    """Over the arguments of the result that both sides speak of (and they share nothing else); `true`, if there are
    none.
    """
    arguments = tuple(sorted(_shared(tree, number, formulas), key=lambda v: v.serial)) or (TRUE,)
    return Predicate(Function(f"T{number}", tuple(a.sort for a in arguments), BOOL), arguments)


def _shared(tree: Tree, number: int, formulas: Sequence[Term]) -> frozenset[Term]:
    """What a node and its parent both speak of."""
    parent = tree.parents[number]
    assert parent is not None
    return free_variables(formulas[number]) & free_variables(formulas[parent])


def _by_sums(tree: Tree, formulas: Sequence[Term], time_limit: float | None) -> TreeInterpolants:
    from craton.smt.farkas.interpolation import interpolants_of_cuts

    found = interpolants_of_cuts(formulas, tree.subtrees[:-1], time_limit)
    if not isinstance(found, tuple):
        return found
    for number, interpolant in enumerate(found):
        foreign = free_variables(interpolant) - _shared(tree, number, formulas)
        if foreign:
            return Undecided(f"{FARKAS}: an interpolant mentions {min(v.name for v in foreign)}, which is not shared")
    return (*found, FALSE)


def _by_binary(tree: Tree, formulas: Sequence[Term], source: str, time_limit: float | None) -> TreeInterpolants:
    end = None if time_limit is None else running_time() + time_limit
    found: list[Term] = []
    open_ones: dict[int, Term] = {}  # interpolants of nodes whose parents have none yet
    for number in range(len(tree) - 1):
        below = [open_ones.pop(child) for child in tree.nodes[number].children]
        inside = and_(formulas[number], *below)
        outside = and_(*open_ones.values(), *formulas[number + 1 :])
        left = None if end is None else max(0.001, end - running_time())
        step = binary_interpolant(inside, outside, source, left)
        if not isinstance(step, Term):
            return step
        found.append(step)
        open_ones[number] = step
    last = and_(formulas[-1], *open_ones.values())
    if len(tree) == 1 and make_solver("z3", time_limit=time_limit).is_valid(implies(last, FALSE)) is not True:
        return Satisfiable()
    return (*found, FALSE)
