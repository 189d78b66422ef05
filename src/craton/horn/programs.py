"""A linear system as a program: predicates are locations, clauses are edges, false is the error.

    p(s) ∧ φ ⇒ q(t)     from p's location: choose other variables, assume φ, assign t to the arguments, to q's location

So every engine, refiner, view and checker of programs applies. The arguments of all predicates are the same variables
by position and sort: clauses that hand an argument on do nothing to it. Back: an invariant of a predicate's location is
its meaning, and a path to the error is a derivation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

from craton.horn.clauses import Clause, Predicate, System
from craton.horn.models import Model
from craton.logic import FALSE, TRUE, Sort, Term, and_, eq, free_variables, substitute, var
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.constants import known_constants
from craton.program.statements import Assign, Assume, Havoc, Statement
from craton.smt.elimination import CHEAP, Eliminator

ENTRY = "system"


@dataclass(frozen=True)
class SystemProgram:
    """The program of a linear system, and the way back."""

    program: Program
    system: System
    locations: Mapping[Predicate, Location]
    clauses: Mapping[Edge, int]  # the first edge of each clause

    def model(self, invariants: Mapping[Location, Term], *, constants: bool = True) -> Model:
        """The meanings that invariants stand for. Where there is none, the predicate holds of nothing. Passes replace
        variables that are constant by their values, so that invariants need not speak of them; models do.
        """
        fixed = known_constants(self.program.main) if constants else {}
        return Model(
            {
                p: self._meaning(p, and_(invariants.get(x, FALSE), *starmap(eq, fixed.get(x, {}).items())))
                for p, x in self.locations.items()
            }
        )

    def _meaning(self, predicate: Predicate, invariant: Term) -> Term:
        """Other variables keep what they had elsewhere: for some values of them is all that is meant."""
        own = arguments(predicate.sorts)
        named = substitute(invariant, dict(zip(own, predicate.parameters, strict=True)))
        foreign = sorted(free_variables(named).difference(predicate.parameters), key=lambda v: v.serial)
        return Eliminator(CHEAP).exists(foreign, named) if foreign else named

    def clauses_of(self, path: Sequence[Edge]) -> tuple[int, ...]:
        """The clauses along a path, in order."""
        return tuple(self.clauses[edge] for edge in path if edge in self.clauses)


def arguments(sorts: Sequence[Sort]) -> tuple[Term, ...]:
    """The variables that hold the arguments of a predicate."""
    return tuple(var(f"argument {i}", sort) for i, sort in enumerate(sorts))


def program_of(system: System) -> SystemProgram:
    """The program whose error can be reached iff the system, which must be linear, is unsatisfiable."""
    return _Building(system).result()


class _Building:
    def __init__(self, system: System) -> None:
        assert system.is_linear
        self.system = system
        self.entry, self.exit, self.error = Location(0), Location(1), Location(2)
        self.locations = {predicate: Location(3 + i) for i, predicate in enumerate(system.predicates)}
        self.next = 3 + len(self.locations)
        self.edges: list[Edge] = []
        self.clauses: dict[Edge, int] = {}
        self.variables: dict[Term, None] = {}

    def result(self) -> SystemProgram:
        for number, clause in enumerate(self.system.clauses):
            self._clause(number, clause)
        locals_ = tuple(self.variables)
        main = Procedure(ENTRY, (), (), self.entry, self.exit, tuple(self.edges), locals_)
        program = Program(
            ENTRY,
            {ENTRY: main},
            (),
            {self.error: UNREACH},
            loop_heads=dict.fromkeys(self.locations.values()),
            files=(self.system.file,) if self.system.file else (),
        )
        return SystemProgram(program, self.system, self.locations, self.clauses)

    def _clause(self, number: int, clause: Clause) -> None:
        source = self.locations[clause.body[0].predicate] if clause.body else self.entry
        target = self.error if clause.head is None else self.locations[clause.head.predicate]
        # Two statements at least: with a location of its own on the way, no two clauses have an edge in common.
        statements = [*self._statements(clause), Assume(TRUE)]
        if len(statements) == 1:
            statements *= 2
        here = source
        for position, statement in enumerate(statements):
            there = target if position + 1 == len(statements) else self._between()
            edge = Edge(here, statement, there)
            self.edges.append(edge)
            if position == 0:
                self.clauses[edge] = number
            here = there

    def _between(self) -> Location:
        self.next += 1
        return Location(self.next - 1)

    def _statements(self, clause: Clause) -> Iterator[Statement]:
        held, guard = self._held(clause)
        chosen = [v for v in clause.variables if v not in held]
        inputs = {v: var(f"any {i} {v.sort}", v.sort) for i, v in enumerate(chosen)}
        told = {**held, **inputs}
        self.variables |= dict.fromkeys((*held.values(), *inputs.values()))
        if inputs:
            yield Havoc(tuple(inputs.values()))
        condition = substitute(and_(clause.constraint, guard), told)
        if condition is not TRUE:
            yield Assume(condition)
        if clause.head is not None:
            own = arguments(clause.head.predicate.sorts)
            new = [substitute(term, told) for term in clause.head.arguments]
            for assignment in _assigned(dict(zip(own, new, strict=True))):
                self.variables[assignment.variable] = None
                yield assignment

    def _held(self, clause: Clause) -> tuple[dict[Term, Term], Term]:
        """Which variables of the clause the arguments of its body are, and what else they have to satisfy."""
        held: dict[Term, Term] = {}
        rest: list[Term] = []
        for atom in clause.body:
            for own, term in zip(arguments(atom.predicate.sorts), atom.arguments, strict=True):
                if term.is_variable and term not in held:
                    held[term] = own
                else:
                    rest.append(eq(own, term))
        return held, and_(*rest)


def _assigned(updates: Mapping[Term, Term]) -> Iterator[Assign]:
    """Assignments at once as assignments one after the other: first what nobody reads any more."""
    waiting = {x: t for x, t in updates.items() if t is not x}
    while waiting:
        read = {x: sum(x in free_variables(t) for y, t in waiting.items() if y is not x) for x in waiting}
        free = next((x for x, times in read.items() if times == 0), None)
        if free is not None:
            yield Assign(free, waiting.pop(free))
            continue
        kept = next(iter(waiting))
        copy = var(f"{kept.name} before", kept.sort)
        yield Assign(copy, kept)
        waiting = {x: substitute(t, {kept: copy}) for x, t in waiting.items()}
