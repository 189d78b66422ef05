"""Constrained Horn clauses as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from craton.logic import Sort, Term, and_, eq, free_variables, substitute, var


@dataclass(frozen=True, slots=True)
class Predicate:
    """An unknown relation. It may have no arguments at all."""

    name: str
    sorts: tuple[Sort, ...] = ()

    def __hash__(self) -> int:
        """Of the name alone: drivers have predicates of hundreds of arguments, and they are looked up all the time."""
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    @property
    def parameters(self) -> tuple[Term, ...]:
        """The variables in which the meaning of the predicate is told."""
        return tuple(var(f"{self.name}.{i}", sort) for i, sort in enumerate(self.sorts))

    def __call__(self, *arguments: Term) -> Atom:
        return Atom(self, arguments)


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate applied to terms."""

    predicate: Predicate
    arguments: tuple[Term, ...]

    def __post_init__(self) -> None:
        sorts = tuple(a.sort for a in self.arguments)
        assert sorts == self.predicate.sorts, f"{self.predicate} takes {self.predicate.sorts}, not {sorts}"

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(map(str, self.arguments))})" if self.arguments else str(self.predicate)

    def substituted(self, mapping: Mapping[Term, Term]) -> Atom:
        return Atom(self.predicate, tuple(substitute(a, mapping) for a in self.arguments))

    def told(self, formula: Term) -> Term:
        """A formula over the parameters of the predicate, of these arguments."""
        return substitute(formula, dict(zip(self.predicate.parameters, self.arguments, strict=True)))

    def equals(self, values: tuple[Term, ...]) -> Term:
        """The arguments are these values."""
        return and_(*map(eq, self.arguments, values))


@dataclass(frozen=True, slots=True)
class Clause:
    """For all values of its variables: body atoms and constraint imply the head, or false if there is none."""

    head: Atom | None
    body: tuple[Atom, ...]
    constraint: Term
    line: int = field(default=0, compare=False)  # of the script, counted from 1; 0 if it comes from none

    @property
    def atoms(self) -> tuple[Atom, ...]:
        return self.body if self.head is None else (*self.body, self.head)

    @property
    def variables(self) -> tuple[Term, ...]:
        """In the order of their creation."""
        found = free_variables(self.constraint).union(*(free_variables(t) for a in self.atoms for t in a.arguments))
        return tuple(sorted(found, key=lambda v: v.serial))

    @property
    def is_query(self) -> bool:
        return self.head is None

    def substituted(self, mapping: Mapping[Term, Term]) -> Clause:
        head = None if self.head is None else self.head.substituted(mapping)
        body = tuple(atom.substituted(mapping) for atom in self.body)
        return Clause(head, body, substitute(self.constraint, mapping), self.line)

    def renamed(self, suffix: str) -> Clause:
        """The clause over variables of its own: each name with a suffix."""
        return self.substituted({v: var(v.name + suffix, v.sort) for v in self.variables})

    def __str__(self) -> str:
        body = " ∧ ".join([*map(str, self.body), str(self.constraint)])
        return f"{'false' if self.head is None else self.head} ← {body}"


@dataclass(frozen=True, eq=False)
class System:
    """A conjunction of clauses. Clauses are known by their numbers, counted from 0."""

    clauses: tuple[Clause, ...]
    file: str = ""
    status: str = ""  # what the script says of itself: sat, unsat or nothing

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """In the order of their first occurrence."""
        return tuple(dict.fromkeys(atom.predicate for clause in self.clauses for atom in clause.atoms))

    @property
    def queries(self) -> tuple[int, ...]:
        return tuple(number for number, clause in enumerate(self.clauses) if clause.is_query)

    @property
    def is_linear(self) -> bool:
        """At most one atom in each body."""
        return all(len(clause.body) <= 1 for clause in self.clauses)

    def defining(self, predicate: Predicate) -> Iterator[int]:
        """The clauses with this head."""
        for number, clause in enumerate(self.clauses):
            if clause.head is not None and clause.head.predicate == predicate:
                yield number
