"""Infeasible slices of a tree: the several reasons why it derives nothing ([RS] 3, 4, for trees).

In post-order, the first node that contradicts what is below it is the root of an infeasible subtree. The search goes on
as if the node assumed nothing, so a later slice has another reason; a slice is a subtree in which some nodes assume
nothing. What refutes a slice refutes the tree: its root and whoever builds on it derive nothing, what is beside it may
derive anything, and to put an assumption back only restricts what a node derives. On a path the slices are the
infeasible sliced prefixes of the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from craton.horn.clauses import Atom, Clause, System
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, free_variables, ops, substitute, var
from craton.processes.running_time import running_time
from craton.program.analysis.domain_types import DomainType
from craton.smt import Sat, Solver, Undecided, Unsat
from craton.traces.refutation import Answer, Refiner, Refutation
from craton.traces.scorers import Candidate
from craton.trees.tree import Node, Tree, instance_parts
from craton.trees.uses import domain_types, shared_parameters


@dataclass(frozen=True, slots=True)
class Slice:
    """A subtree without some assumptions; its nodes are consecutive ones of the whole tree."""

    tree: Tree
    first: int

    def __len__(self) -> int:
        return len(self.tree)


def slices_of(tree: Tree, solver: Solver, time_limit: float | None = None) -> list[Slice] | Sat | Undecided:
    """[RS] Alg. 1 in post-order. A node that the solver cannot decide counts as not contradicting."""
    end = None if time_limit is None else running_time() + time_limit
    found: list[Slice] = []
    slicing = _Slicing(tree)
    for number, formula in enumerate(tree.formulas):
        if slicing.assumes_something(number):
            left = None if end is None else max(0.001, end - running_time())
            if isinstance(solver.check(formula, time_limit=left), Unsat):
                found.append(slicing.subtree(number))
                formula = slicing.sliced(number)
        solver.add(formula)
    if found:
        return found
    answer = solver.check(time_limit=time_limit)
    return answer if isinstance(answer, Sat) else Undecided(getattr(answer, "reason", "no node contradicts the others"))


class _Slicing:
    """A tree in which one node after the other loses its assumptions."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._clauses = list(tree.system.clauses)
        self._nodes = list(tree.nodes)
        self._free: dict[int, int] = {}  # clause → the one without its assumptions
        self._first: list[int] = []  # of the subtree of each node
        for number, node in enumerate(tree.nodes):
            self._first.append(min((self._first[child] for child in node.children), default=number))

    def assumes_something(self, number: int) -> bool:
        return self._free_clause(number) != self._nodes[number].clause

    def _free_clause(self, number: int) -> int:
        clause = self._nodes[number].clause
        if clause not in self._free:
            made = without_assumptions(self._clauses[clause])
            self._free[clause] = clause if made == self._clauses[clause] else len(self._clauses)
            if made != self._clauses[clause]:
                self._clauses.append(made)
        return self._free[clause]

    def sliced(self, number: int) -> Term:
        """What the node says, from now on: it contradicts nothing."""
        node = self._nodes[number] = replace(self._nodes[number], clause=self._free_clause(number))
        results = self._tree.results
        below = [results[child] for child in node.children]
        return and_(*instance_parts(self._clauses[node.clause], number, results[number], below))

    def subtree(self, number: int) -> Slice:
        """As it is now, with a root that derives false."""
        first = self._first[number]
        nodes = [
            Node(node.clause, tuple(child - first for child in node.children))
            for node in self._nodes[first : number + 1]
        ]
        clauses = list(self._clauses)
        if clauses[nodes[-1].clause].head is not None:
            clauses.append(replace(clauses[nodes[-1].clause], head=None))
            nodes[-1] = replace(nodes[-1], clause=len(clauses) - 1)
        return Slice(Tree(System(tuple(clauses), self._tree.system.file), tuple(nodes)), first)


# --- assumptions ------------------------------------------------------------------------------------------------------


def without_assumptions(clause: Clause) -> Clause:
    """What a clause derives from anything, like the assignments of a statement: the atoms of its body take arguments as
    they come, and of its constraint only equations that define further variables are left.
    """
    known: set[Term] = set()
    names = {v.name for v in clause.variables}
    body = []
    for place, atom in enumerate(clause.body):
        arguments = []
        for position, argument in enumerate(atom.arguments):
            if not argument.is_variable or argument in known:
                argument = _unused(f"any {place} {position}", argument, names)
            known.add(argument)
            arguments.append(argument)
        body.append(Atom(atom.predicate, tuple(arguments)))
    return replace(clause, body=tuple(body), constraint=and_(*_definitions(clause.constraint, known)))


def _unused(name: str, like: Term, names: set[str]) -> Term:
    while name in names:
        name += "'"
    return var(name, like.sort)


def _definitions(constraint: Term, known: set[Term]) -> Iterator[Term]:
    """Equations that can be satisfied one after the other, whatever the known variables are."""
    for part in conjuncts(constraint):
        for variable, value in _defined(part):
            if variable not in known and variable not in free_variables(value):
                known |= {variable, *free_variables(value)}
                yield part
                break


def _defined(part: Term) -> Iterator[tuple[Term, Term]]:
    """Readings of a condition as a definition of a variable."""
    if part.is_variable:
        yield part, TRUE
    elif part.op is ops.NOT and part.args[0].is_variable:
        yield part.args[0], FALSE
    elif part.op is ops.EQ and len(part.args) == 2:
        for variable, value in (part.args, part.args[::-1]):
            if variable.is_variable:
                yield variable, value


# --- the choice -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TreeReasons:
    """See `traces.prefixes.Reasons`."""

    whole: Slice
    ask: Callable[[Refiner, Tree], Answer]

    @property
    def tree(self) -> Tree:
        return self.whole.tree

    def prefixes(self, solver: Solver, time_limit: float | None) -> list[Slice] | Sat | Undecided:
        return slices_of(self.tree, solver, time_limit)

    def own_prefixes(self, refiner: Refiner) -> None:
        return None

    def refuted(self, prefix: Slice, refiner: Refiner) -> Answer:
        return self.ask(refiner, prefix.tree)

    def extended(self, prefix: Slice, answer: Refutation) -> Refutation:
        first, end = prefix.first, prefix.first + len(prefix)
        found = [TRUE] * len(self.tree)
        found[first:end] = answer.assertions
        above = self.tree.parents[end - 1]
        while above is not None:
            found[above] = FALSE
            above = self.tree.parents[above]
        return replace(
            answer,
            assertions=tuple(found),
            core=None if answer.core is None else frozenset(first + node for node in answer.core),
            quality=answer.quality if prefix.tree.identity == self.tree.identity else None,
        )

    def candidate(self, prefix: Slice, assertions: tuple[Term, ...] = ()) -> Candidate:
        return Candidate(len(self.tree), len(prefix), tuple(self._shared(assertions)), self._types)

    def _shared(self, assertions: tuple[Term, ...]) -> Iterator[Term]:
        for number, assertion in enumerate(assertions):
            head = self.tree.clause(number).head
            if head is None:
                yield assertion
            else:
                predicate = head.predicate
                yield substitute(assertion, dict(zip(predicate.parameters, shared_parameters(predicate), strict=True)))

    def _types(self) -> Mapping[Term, DomainType]:
        types: Mapping[Term, DomainType] | None = self.tree.answers.get(domain_types)
        if types is None:
            types = self.tree.answers[domain_types] = domain_types(self.tree.system)
        return types
