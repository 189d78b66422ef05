"""Newton on trees: symbolic execution along an infeasible core of a tree of clause instances.

    SP, from the leaves    A[node] = ∃ all but its result. F[node] ∧ A[children]
    WP, from the root      A[child i] = ∀ all but its result. F[node] ∧ A[children before i] ∧ SP[those after] ⇒ A[node]

On a path both are those of [CN] Def. 3.1 and Def. 4.6; `traces.newton` executes both. LV keeps, of a result, only the
arguments that the parent's (SP) or the node's own (WP) part of the core speaks of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.logic import Term, and_, free_variables, not_
from craton.smt import Sat, Solver, Undecided
from craton.smt.elimination import Eliminator
from craton.traces.newton import Newton, Steps
from craton.traces.refutation import Answer
from craton.trees.cores import TreeCore, infeasible_core
from craton.trees.tree import Tree


def refuted_by_newton(newton: Newton, tree: Tree) -> Answer:
    return newton.executing(lambda solver: _steps(newton, tree, solver))


def _steps(newton: Newton, tree: Tree, solver: Solver) -> Steps | Sat | Undecided:
    found = infeasible_core(tree, solver, newton.core, newton.minimise, newton.time_limit, newton.late)
    return _TreeSteps(found, tree, newton.live) if isinstance(found, TreeCore) else found


@dataclass(frozen=True, slots=True)
class _TreeSteps:
    """The nodes of a tree with the part of a core that each keeps."""

    core: TreeCore
    tree: Tree
    live: bool

    live_at = None

    @property
    def kept(self) -> frozenset[int]:
        return self.core.kept

    def __len__(self) -> int:
        return len(self.tree)

    def followed(self, step: int) -> Sequence[int]:
        return self.tree.nodes[step].children

    def strongest(self, step: int, before: Sequence[Term], eliminator: Eliminator) -> Term:
        body = and_(self.core.formulas[step], *before)
        return eliminator.exists([*self.tree.locals(step, body), *self._dead(step, self.tree.parents[step])], body)

    def weakest(self, step: int, place: int, others: Sequence[Term], after: Term, eliminator: Eliminator) -> Term:
        child = self.tree.nodes[step].children[place]
        body = and_(self.core.formulas[step], *others, not_(after))
        return not_(eliminator.exists([*self.tree.locals(child, body), *self._dead(child, child)], body))

    def violation(self, first: int, after: Term) -> Term:
        return and_(self.core.formulas[first], not_(after))

    def assertions(self, found: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(self.tree.told(number, formula) for number, formula in enumerate(found))

    def _dead(self, node: int, speaker: int | None) -> list[Term]:
        """Arguments of a node's result that another's part, or its own, does not speak of."""
        if not self.live or speaker is None:
            return []
        spoken = free_variables(self.core.formulas[speaker])
        return [v for v in self.tree.results[node] if v not in spoken]
