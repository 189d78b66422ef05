"""Exploring interpolants on trees ([EI]): a tree that forgets, where predicates recur, all but the values of terms.

Forgetting is a clause, p(y) ← p(x) ∧ t(x) = t(y) for the templates t, so a forgetful tree is a tree, and any refiner
can be guided. Templates belong to predicates, or to single nodes; the rest is in `traces.lattice`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from craton.horn.clauses import Clause, Predicate, System
from craton.logic import Term, and_, atoms, free_variables, ops, substitute, var
from craton.traces.exploration import Template, Templates
from craton.traces.lattice import Point, Visits
from craton.traces.templates import Place, indices_in
from craton.trees.tree import Node, Tree
from craton.trees.uses import Change, changes_of


@dataclass(frozen=True)
class ForgettingTree:
    """A tree can forget at the nodes of predicates that it derives more than once."""

    whole: Tree
    visits: Visits = Visits.TOGETHER

    @cached_property
    def nodes(self) -> Mapping[int, Predicate]:
        """Where it can forget."""
        tree = self.whole
        heads = [tree.clause(number).head for number in range(len(tree))]
        derived = Counter(head.predicate for head in heads if head is not None)
        return {
            number: head.predicate
            for number, head in enumerate(heads)
            if head is not None and head.predicate.sorts and derived[head.predicate] > 1
        }

    def _place(self, number: int) -> Hashable:
        return self.visits.place(self.nodes[number], number)

    @property
    def points(self) -> Sequence[Point]:
        return [self._point(number) for number in self.nodes]

    def _point(self, number: int) -> Point:
        results = self.whole.results[number]
        before = dict(zip(self.nodes[number].parameters, results, strict=True))
        return Point(self._place(number), before, {v: self._again[result] for v, result in before.items()})

    @cached_property
    def _again(self) -> Mapping[Term, Term]:
        return {v: var(f"{v.name} again", v.sort) for number in self.nodes for v in self.whole.results[number]}

    @property
    def formulas(self) -> Sequence[Term]:
        tree, found = self.whole, []
        for number, node in enumerate(tree.nodes):
            below = {v: self._again[v] for child in node.children for v in tree.results[child] if v in self._again}
            found.append(substitute(tree.formulas[number], below))
        return found

    @property
    def places(self) -> Sequence[Place]:
        tree = self.whole
        clauses = [tree.system.clauses[number] for number in dict.fromkeys(node.clause for node in tree.nodes)]
        named = {self._place(number): (number, predicate) for number, predicate in self.nodes.items()}
        return [
            _told(name, self.visits.title(str(predicate), number + 1), predicate, clauses)
            for name, (number, predicate) in named.items()
        ]

    def forgetful(self, chosen: Templates) -> tuple[Tree, tuple[int, ...]]:
        tree = self.whole
        clauses = list(tree.system.clauses)
        numbers: dict[Hashable, int] = {}
        nodes: list[Node] = []
        ends: list[int] = []  # of each node of the original: what its parent takes
        places: list[int] = []
        for number, node in enumerate(tree.nodes):
            nodes.append(Node(node.clause, tuple(ends[child] for child in node.children)))
            places.append(len(nodes) - 1)
            if number in self.nodes:
                place = self._place(number)
                if place not in numbers:
                    numbers[place] = len(clauses)
                    clauses.append(_forgetting(self.nodes[number], [t for t in chosen if t.place == place]))
                nodes += [Node(numbers[place], (len(nodes) - 1,)), Node(numbers[place], (len(nodes),))]
                places[-1] = len(nodes) - 2
            ends.append(len(nodes) - 1)
        return Tree(System(tuple(clauses), tree.system.file), tuple(nodes)), tuple(places)


def _told(name: Hashable, title: str, predicate: Predicate, clauses: Sequence[Clause]) -> Place:
    """Users know a parameter by its place (x0, x1, …) and as clauses call it."""
    parameters = predicate.parameters
    names = {parameter: {f"x{place}": None, parameter.name: None} for place, parameter in enumerate(parameters)}
    conditions: dict[Term, None] = {}
    indices: dict[Term, None] = {}
    for clause in clauses:
        for atom in clause.atoms:
            if atom.predicate != predicate:
                continue
            back: dict[Term, Term] = {}
            for parameter, argument in zip(parameters, atom.arguments, strict=True):
                if argument.op is ops.VARIABLE:
                    names[parameter][argument.name] = None
                    back.setdefault(argument, parameter)
            used = indices_in([clause.constraint, *(argument for each in clause.atoms for argument in each.arguments)])
            for found, terms in ((conditions, atoms(clause.constraint)), (indices, used)):
                known = (term for term in terms if free_variables(term) <= back.keys())
                found.update(dict.fromkeys(substitute(term, back) for term in known))
    changes = dict(zip(parameters, changes_of(clauses, predicate), strict=True))
    changed = frozenset(p for p, change in changes.items() if change is not Change.KEPT)
    counters = frozenset(p for p, change in changes.items() if change is Change.COUNTED)
    told = {p: tuple(called) for p, called in names.items()}
    return Place(name, title, parameters, changed, counters, tuple(conditions), tuple(indices), told)


def _forgetting(predicate: Predicate, remembered: Sequence[Template]) -> Clause:
    old = {p: var(f"{p.name} before", p.sort) for p in predicate.parameters}
    new = {p: var(f"{p.name} after", p.sort) for p in predicate.parameters}
    constraint = and_(*(template.kept(old, new) for template in remembered))
    return Clause(predicate(*new.values()), (predicate(*old.values()),), constraint)
