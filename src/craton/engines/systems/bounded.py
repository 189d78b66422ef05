"""Bounded derivations: all trees of height k at once, for k = 1, 2, 3, …

    a node is wanted           ⇒  one of the clauses with its predicate as head is chosen
    a clause is chosen         ⇒  its constraint holds, its head has the values of the node, its premises are wanted

Clauses that are chosen at the lowest level have no premises. A node has one child for each predicate, however many
clauses could use it, since only one is needed; in a linear system all nodes of a level share their children, so the
formula grows with the height and not with the number of derivations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from craton.engines.contract import Budget, OutOfTime, Progress, Unknown
from craton.engines.systems.contract import Contradicted, SystemAnswer, SystemEngine
from craton.errors import MissingCapability
from craton.horn.clauses import Clause, Predicate, System
from craton.horn.derivations import Fact, unfolded
from craton.horn.grounding import Inference
from craton.logic import BOOL, Term, and_, evaluate, implies, not_, or_, var
from craton.logic.evaluation import CannotEvaluate
from craton.logic.evaluation import Model as Values
from craton.smt import Sat, Solver, Undecided, make_solver

SOLVERS = ("bitwuzla", "z3")  # the first that supports the system's theories
MOST_NODES = 4000


@dataclass(frozen=True, slots=True)
class BoundedDerivations(SystemEngine):
    """Derivations of false up to a height; it finds no models. `depth` is the greatest height; None: any."""

    depth: int | None = None

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        reason = "no solver can speak of this system"
        for name in SOLVERS:
            try:
                return _Unrolling(system, make_solver(name), budget).answer(self.depth)
            except MissingCapability:
                continue
            except (_Undecided, CannotEvaluate) as problem:
                reason = str(problem)
            except OutOfTime:
                return Unknown("out of time, false has no small derivation")
        return Unknown(reason)


class _Undecided(Exception):
    """The solver has no answer; another one may have."""


@dataclass(slots=True)
class _Node:
    """A fact that may be wanted, or false; its choices are by clause."""

    predicate: Predicate | None
    number: int
    parameters: tuple[Term, ...]
    wanted: Term
    choices: dict[int, _Choice] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Choice:
    chosen: Term
    clause: Clause  # over variables of its own
    children: tuple[_Node, ...]


class _Unrolling:
    def __init__(self, system: System, solver: Solver, budget: Budget) -> None:
        self.system = system
        self.solver = solver
        self.budget = budget
        self.nodes = 0
        self.defining: dict[Predicate | None, list[int]] = {}
        for number, clause in enumerate(system.clauses):
            self.defining.setdefault(None if clause.head is None else clause.head.predicate, []).append(number)

    def answer(self, depth: int | None) -> SystemAnswer:
        root = self._node(None)
        self.solver.add(root.wanted)
        level = [root]
        height = 0
        while level and (depth is None or height < depth):
            height += 1
            below: dict[tuple[object, ...], _Node] = {}
            deeper = var(f"deeper than {height}", BOOL)
            for node in level:
                self.budget.check()
                self._expand(node, below, deeper)
            self.budget.watch(Progress(height, height, 0, self.nodes))
            answer = self.solver.check(not_(deeper), time_limit=self.budget.left)
            if isinstance(answer, Sat):
                return Contradicted(tuple(_inferences(root, answer.model)))
            if isinstance(answer, Undecided):
                self.budget.check()
                raise _Undecided(f"{self.solver.name}: {answer.reason}")
            if not_(deeper) not in answer.core.assumptions:
                return Unknown("false has no derivation")
            self.solver.add(deeper)
            level = list(below.values())
            if self.nodes > MOST_NODES:
                return Unknown(f"no derivation of false up to height {height}, and too many that are higher")
        return Unknown(f"no derivation of false up to height {height}")

    def _node(self, predicate: Predicate | None) -> _Node:
        self.nodes += 1
        sorts = () if predicate is None else predicate.sorts
        parameters = tuple(var(f"node {self.nodes}.{i}", sort) for i, sort in enumerate(sorts))
        return _Node(predicate, self.nodes, parameters, var(f"wanted {self.nodes}", BOOL))

    def _expand(self, node: _Node, below: dict[tuple[object, ...], _Node], deeper: Term) -> None:
        for number in self.defining.get(node.predicate, ()):
            clause = self.system.clauses[number].renamed(f" at {node.number} by {number}")
            chosen = var(f"chosen {node.number} by {number}", BOOL)
            choice = node.choices[number] = _Choice(chosen, clause, tuple(self._children(node, clause, below)))
            self.solver.add(implies(chosen, clause.constraint))
            if clause.head is not None:
                self.solver.add(implies(chosen, clause.head.equals(node.parameters)))
            for atom, child in zip(clause.body, choice.children, strict=True):
                self.solver.add(implies(chosen, and_(child.wanted, deeper, atom.equals(child.parameters))))
        self.solver.add(implies(node.wanted, or_(*(choice.chosen for choice in node.choices.values()))))

    def _children(self, node: _Node, clause: Clause, below: dict[tuple[object, ...], _Node]) -> Iterator[_Node]:
        """Linear systems have one node of a predicate on each level; else each node has its own, as often as needed."""
        parent = None if self.system.is_linear else node.number
        counted: Counter[Predicate] = Counter()
        for atom in clause.body:
            key = (parent, atom.predicate, counted[atom.predicate])
            counted[atom.predicate] += 1
            if key not in below:
                below[key] = self._node(atom.predicate)
            yield below[key]


def _inferences(root: _Node, model: Values) -> list[Inference]:
    """The derivation that the model chooses, premises first."""

    def chosen(node: _Node) -> tuple[_Node, int]:
        return node, next(n for n, choice in node.choices.items() if evaluate(choice.chosen, model) is True)

    def premises(step: tuple[_Node, int]) -> list[tuple[_Node, int]]:
        node, number = step
        return [chosen(child) for child in node.choices[number].children]

    found: list[Inference] = []
    for (node, number), below in unfolded(chosen(root), premises):
        values = tuple(evaluate(p, model) for p in node.parameters)
        fact = None if node.predicate is None else Fact(node.predicate, values)
        found.append(Inference(fact, below, number))
    return found
