"""Trees of clause instances, and their formulas.

The formula of a tree is a conjunction of parts, each of which belongs to one node. A node's part speaks of its own
clause's variables (`v@i`), of its own result (`p.k@i!`, the arguments of its head: no variable of a clause is called
so) and of its children's results, and of nothing else: so all that a node and its parent share is the node's result,
which an assertion may speak of.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from craton.horn.clauses import Clause, System
from craton.logic import FALSE, Term, and_, conjuncts, eq, free_variables, substitute, var
from craton.traces.trace import Part, by_step


@dataclass(frozen=True, slots=True)
class Node:
    """An instance of a clause, by its number. `children` are earlier nodes, one for each atom of its body, in order."""

    clause: int
    children: tuple[int, ...]


@dataclass(frozen=True)
class Tree:
    """Nodes in post-order: children before their parent, the root last. Each but the root is the child of one node."""

    system: System = field(repr=False)
    nodes: tuple[Node, ...]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def identity(self) -> Hashable:
        """What memories know it by."""
        return tuple((self.clause(number), node.children) for number, node in enumerate(self.nodes))

    @cached_property
    def answers(self) -> dict[Hashable, Any]:
        return {}

    def clause(self, node: int) -> Clause:
        return self.system.clauses[self.nodes[node].clause]

    @cached_property
    def parents(self) -> tuple[int | None, ...]:
        found: list[int | None] = [None] * len(self)
        for number, node in enumerate(self.nodes):
            for child in node.children:
                found[child] = number
        return tuple(found)

    @cached_property
    def subtrees(self) -> tuple[range, ...]:
        """For each node itself and the nodes below it, which follow each other."""
        found: list[range] = []
        for number, node in enumerate(self.nodes):
            start = number
            for child in reversed(node.children):
                assert found[child].stop == start
                start = found[child].start
            found.append(range(start, number + 1))
        return tuple(found)

    @property
    def is_path(self) -> bool:
        """Whether it is a trace: no node has two children."""
        return all(len(node.children) <= 1 for node in self.nodes)

    @cached_property
    def results(self) -> tuple[tuple[Term, ...], ...]:
        """For each node the variables that stand for the arguments of its head; none for the root."""
        found: list[tuple[Term, ...]] = []
        for number in range(len(self)):
            head = self.clause(number).head
            own = () if head is None else head.predicate.parameters
            found.append(tuple(var(f"{v.name}@{number}!", v.sort) for v in own))
        return tuple(found)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(number, part) for number in range(len(self)) for part in self._parts(number))

    def _parts(self, number: int) -> Sequence[Term]:
        below = [self.results[child] for child in self.nodes[number].children]
        return instance_parts(self.clause(number), number, self.results[number], below)

    @cached_property
    def formulas(self) -> tuple[Term, ...]:
        """F[0] … F[n-1]: what each node says."""
        return by_step(self.parts, len(self))

    def told(self, number: int, formula: Term) -> Term:
        """A formula over the results of a node as an assertion about its predicate."""
        head = self.clause(number).head
        parameters = () if head is None else head.predicate.parameters
        return substitute(formula, dict(zip(self.results[number], parameters, strict=True)))

    def indexed(self, number: int, assertion: Term) -> Term:
        """An assertion about the predicate of a node as a formula over its results."""
        head = self.clause(number).head
        parameters = () if head is None else head.predicate.parameters
        return substitute(assertion, dict(zip(parameters, self.results[number], strict=True)))

    def locals(self, number: int, formula: Term) -> list[Term]:
        """The variables of a formula that are not results of the node, in order of their creation."""
        return sorted(free_variables(formula).difference(self.results[number]), key=lambda v: v.serial)


def instance_parts(
    clause: Clause, number: int, result: Sequence[Term], below: Sequence[Sequence[Term]]
) -> Sequence[Term]:
    """What a node says that is an instance of the clause, with these results of its own and of its children."""
    own = {v: var(f"{v.name}@{number}", v.sort) for v in clause.variables}
    found = [substitute(part, own) for part in conjuncts(clause.constraint)]
    for atom, given in zip(clause.body, below, strict=True):
        found += map(eq, given, (substitute(a, own) for a in atom.arguments))
    if clause.head is not None:
        found += map(eq, result, (substitute(a, own) for a in clause.head.arguments))
    return found


def condition(tree: Tree, number: int, assertions: Mapping[int, Term] | Sequence[Term]) -> tuple[Term, Term]:
    """The law at a node as premise and conclusion: constraint ∧ A[children] ⇒ A[node], over the clause's variables."""
    clause, node = tree.clause(number), tree.nodes[number]
    premises = [atom.told(assertions[child]) for atom, child in zip(clause.body, node.children, strict=True)]
    conclusion = FALSE if clause.head is None else clause.head.told(assertions[number])
    return and_(clause.constraint, *premises), conclusion
