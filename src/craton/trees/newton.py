"""Newton on trees: symbolic execution along an infeasible core of a tree of clause instances.

    SP, from the leaves    A[node] = ∃ all but its result. F[node] ∧ A[children]
    WP, from the root      A[child i] = ∀ all but its result. F[node] ∧ A[children before i] ∧ SP[those after] ⇒ A[node]

By the choice for the children before and the strongest assertions of those after, the law holds whatever the order. On
a path both are those of [CN] Def. 3.1 and Def. 4.6. LV keeps, of a result, only the arguments that the parent's (SP) or
the node's own (WP) part of the core speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term, and_, free_variables, not_
from craton.processes.running_time import running_time
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver
from craton.smt.elimination import Eliminator, Method
from craton.traces.newton import METHODS, STEP_LIMIT, Direction, Newton
from craton.traces.refutation import Answer, Feasible, GaveUp, Refutation
from craton.trees.cores import TreeCore, infeasible_core, whole
from craton.trees.tree import Tree, grouped


def refuted_by_newton(newton: Newton, tree: Tree) -> Answer:
    try:
        return _Execution(newton, tree).refute()
    except MissingCapability as problem:
        return GaveUp(str(problem))


@dataclass(slots=True)
class _Execution:
    """The state of one refutation while it is computed."""

    newton: Newton
    tree: Tree
    eliminator: Eliminator = field(init=False)
    solver: Solver = field(init=False)
    formulas: tuple[Term, ...] = ()
    started: float = field(default_factory=running_time)

    def __post_init__(self) -> None:
        methods = METHODS[self.newton.quantifiers] + ((Method.DROP,) if self.newton.drop else ())
        limit = self.newton.time_limit
        step = STEP_LIMIT if limit is None else min(STEP_LIMIT, limit)
        self.eliminator = Eliminator(methods, "z3", step, None if limit is None else self.started + limit)
        self.solver = make_solver(self.newton.solver, time_limit=limit)

    def refute(self) -> Answer:
        core = self._infeasible()
        if isinstance(core, Sat):
            return Feasible(core.model)
        if isinstance(core, Undecided):
            return GaveUp(core.reason)
        self.formulas = grouped(core.parts, len(self.tree))
        found = self._forwards() if self.newton.direction is Direction.SP else self._backwards()
        if isinstance(found, GaveUp):
            return found
        return Refutation(
            tuple(self.tree.told(number, formula) for number, formula in enumerate(found)),
            self.newton.name,
            core=None if self.newton.core is None else core.kept,
            eliminated=self.eliminator.achieved(),
        )

    def _infeasible(self) -> TreeCore | Sat | Undecided:
        newton, tree = self.newton, self.tree
        if newton.core is not None:
            budget, limit = newton.core_budget, newton.time_limit
            return infeasible_core(tree, self.solver, newton.core, budget, limit, newton.late)
        with self.solver.scope():
            self.solver.add(*tree.by_node)
            answer = self.solver.check()
            if isinstance(answer, Unsat):
                return whole(tree)
            if isinstance(answer, Sat):
                _ = answer.model
            return answer

    # --- from the leaves ---

    def _forwards(self) -> list[Term] | GaveUp:
        found: list[Term] = []
        for number in range(len(self.tree)):
            found.append(self._strongest(number, found))
        return self._ended(found)

    def _strongest(self, number: int, found: list[Term]) -> Term:
        children = [found[child] for child in self.tree.nodes[number].children]
        if FALSE in children:
            return FALSE
        body = and_(self.formulas[number], *children)
        gone = self.tree.locals(number, body)
        return self.eliminator.exists([*gone, *self._dead(number)], body)

    def _dead(self, number: int) -> list[Term]:
        """Arguments of the result that the parent does not speak of."""
        parent = self.tree.parents[number]
        if not self.newton.live or parent is None:
            return []
        live = free_variables(self.formulas[parent])
        return [v for v in self.tree.results[number] if v not in live]

    def _ended(self, found: list[Term]) -> list[Term] | GaveUp:
        """The root's assertion must mean false."""
        if found[-1] is not FALSE:
            problem = self._problem(found[-1])
            if problem is not None:
                return problem
            found[-1] = FALSE
        return found

    def _problem(self, contradiction: Term) -> GaveUp | None:
        answer = self.solver.check(contradiction)
        if isinstance(answer, Undecided):
            return GaveUp(f"cannot tell whether the assertions prove anything: {answer.reason}")
        if isinstance(answer, Sat):
            return GaveUp("the assertions lost too much to prove the tree infeasible")
        return None

    # --- from the root ---

    def _backwards(self) -> list[Term] | GaveUp:
        tree = self.tree
        strongest: list[Term] = []
        if not tree.is_path:
            for number in range(len(tree)):
                strongest.append(self._strongest(number, strongest))
        found = [TRUE] * len(tree)
        found[-1] = FALSE
        for number in reversed(range(len(tree))):
            children = tree.nodes[number].children
            for place, child in enumerate(children):
                before = [found[other] for other in children[:place]]
                after = [strongest[other] for other in children[place + 1 :]]
                found[child] = self._weakest(number, child, [*before, *after], found[number])
            if not children:
                problem = self._problem(and_(self.formulas[number], not_(found[number])))
                if problem is not None:
                    return problem
        return found

    def _weakest(self, number: int, child: int, siblings: list[Term], after: Term) -> Term:
        body = and_(self.formulas[number], *siblings, not_(after))
        gone = self.tree.locals(child, body)
        if self.newton.live:
            own = free_variables(self.formulas[child])
            gone += [v for v in self.tree.results[child] if v not in own]
        return not_(self.eliminator.exists(gone, body))
