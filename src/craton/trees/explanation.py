"""One tree of clause instances and what refiners learn from it: `traces.explanation` for systems of Horn clauses, and
for programs with recursion.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import ClassVar

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.procedures import ProcedureSystem, RelationalSystem, system_of
from craton.logic import TRUE, Term, infix, substitute, var
from craton.program.cfa import Program
from craton.program.inlining import inline
from craton.program.passes import Pass, Passes
from craton.program.preparation import made_smaller
from craton.program.readable import Readable
from craton.program.short_names import short_names, with_short_names
from craton.program.statements import Call
from craton.smt import make_solver
from craton.traces.explanation import Column, Explanation, Line, as_text, displayed, in_short
from craton.traces.explanation import column as trace_column
from craton.traces.paths import Judged, spurious_paths
from craton.traces.refutation import Abstraction, Refiner, Refutation
from craton.traces.trace import Trace
from craton.trees.enumeration import spurious_trees
from craton.trees.perfect import quality
from craton.trees.refiners import refute
from craton.trees.tree import Tree


def written(clause: Clause) -> Line:
    """A clause as people write it."""
    body = [*map(_atom, clause.body), *([infix(clause.constraint)] if clause.constraint is not TRUE else [])]
    head = "false" if clause.head is None else _atom(clause.head)
    return Line(f"{head} ← {' ∧ '.join(body) or 'true'}", str(clause.line or ""))


def _atom(atom: Atom) -> str:
    return f"{atom.predicate}({', '.join(map(infix, atom.arguments))})" if atom.arguments else str(atom.predicate)


@dataclass(frozen=True, slots=True)
class Words:
    """How clauses and the parameters of predicates are shown, where not as they are written and as x0, x1, …"""

    parameters: Mapping[Predicate, tuple[str, ...]] = field(default_factory=dict)
    clauses: Mapping[int, Line] = field(default_factory=dict)
    program: Program | None = None  # that the system was made of

    def line(self, tree: Tree, number: int) -> Line:
        return self.clauses.get(tree.nodes[number].clause) or written(tree.clause(number))

    def names(self, predicate: Predicate) -> tuple[str, ...]:
        return self.parameters.get(predicate) or tuple(f"x{place}" for place in range(len(predicate.sorts)))

    def told(self, tree: Tree, number: int, assertion: Term) -> Term:
        head = tree.clause(number).head
        if head is None:
            return assertion
        names = zip(head.predicate.parameters, self.names(head.predicate), strict=True)
        return substitute(assertion, {parameter: var(name, parameter.sort) for parameter, name in names})

    def told_abstraction(self, tree: Tree, found: Abstraction | None) -> Abstraction | None:
        """Templates in the words of assertions."""
        if found is None:
            return None
        named = (zip(p.parameters, self.names(p), strict=True) for p in tree.system.predicates)
        return found.renamed({parameter: var(name, parameter.sort) for names in named for parameter, name in names})


def words_of(made: ProcedureSystem, relational: RelationalSystem) -> Words:
    """The words of a program for the clauses and predicates of its relational system. A variable is called as in its
    procedure.
    """
    procedures = made.program.procedures
    owners = {x: procedure for procedure in procedures.values() for x in procedure.locations}
    told = {predicate: made.parameters(owners[x]) for predicate, x in relational.locations.items()}
    told |= {predicate: made.summary_parameters(procedures[name]) for name, predicate in made.summaries.items()}
    names = {predicate: short_names(variables) for predicate, variables in told.items()}
    lines = {number: _program_line(made, origin) for number, origin in enumerate(relational.origins)}
    return Words(names, lines, made.program)


def _program_line(made: ProcedureSystem, origin: int | str) -> Line:
    if isinstance(origin, str):
        return Line(f"enter {origin}", "")
    clause = made.system.clauses[origin]
    if origin in made.edges:
        edge = made.edges[origin]
        words = Readable(made.program, across=True).statement
        call = edge.statement if isinstance(edge.statement, Call) else None
        text = f"enter {call.procedure}" if call is not None and len(clause.body) == 1 else words(edge.statement)
        return Line(text, str(edge.origin.line) if edge.origin else "")
    if clause.head is None:
        return Line("the error is reached", "")
    return Line(f"{clause.head.predicate} returns" if clause.body else f"enter {made.program.entry}", "")


@dataclass(frozen=True, slots=True, repr=False)
class TreeExplanation:
    """See `traces.explanation.Explained`. The first child of a node is shown as far in as the node, others further: so
    a path is not indented at all, and a call is indented below its caller.
    """

    tree: Tree
    columns: tuple[Column, ...]
    words: Words = field(default_factory=Words)
    begins_with_assertion: ClassVar[bool] = False

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return in_short(self)

    def _repr_html_(self) -> str:
        return displayed(self)

    @property
    def step(self) -> str:
        return "statement" if self.words.clauses else "clause"

    def told(self, assertion: Term) -> str:
        program = self.words.program
        return infix(assertion) if program is None else Readable(program, across=True).formula(assertion)

    @property
    def lines(self) -> tuple[Line, ...]:
        depths = [0] * len(self.tree)
        for number in reversed(range(len(self.tree))):
            for place, child in enumerate(self.tree.nodes[number].children):
                depths[child] = depths[number] + (place > 0)
        return tuple(replace(self.words.line(self.tree, i), depth=depth) for i, depth in enumerate(depths))

    @property
    def facts(self) -> tuple[str, ...]:
        """What each node derives, in the words of the assertions."""
        heads = (self.tree.clause(number).head for number in range(len(self.tree)))
        return tuple("false" if head is None else self._fact(head.predicate) for head in heads)

    def _fact(self, predicate: Predicate) -> str:
        return f"{predicate}({', '.join(self.words.names(predicate))})" if predicate.sorts else str(predicate)


def column(tree: Tree, refiner: Refiner, words: Words, time_limit: float | None = 5.0) -> Column:
    """Asks one refiner. The time limit is for the test whether its assertions are perfect."""
    start = perf_counter()
    answer = refute(refiner, tree)
    seconds = perf_counter() - start
    if not isinstance(answer, Refutation):
        return Column(refiner.name, answer, seconds, None)
    checker = make_solver("z3", time_limit=time_limit)
    found = quality(tree, answer.assertions, checker, time_limit, time_limit)
    told = tuple(words.told(tree, number, assertion) for number, assertion in enumerate(answer.assertions))
    abstraction = words.told_abstraction(tree, answer.abstraction)
    return Column(refiner.name, replace(answer, assertions=told, abstraction=abstraction), seconds, found)


# --- what there is to explain -----------------------------------------------------------------------------------------


class Kind(enum.Enum):
    """What is explained: its name, several of them, and what those do that are not spurious."""

    ERROR_PATH = ("error path", "error paths", "can be executed")
    DERIVATION = ("derivation of false", "derivations of false", "derive it")

    @property
    def one(self) -> str:
        return self.value[0]

    @property
    def several(self) -> str:
        return self.value[1]

    @property
    def are_possible(self) -> str:
        return self.value[2]


@dataclass(frozen=True, slots=True)
class Spurious:
    """Error paths of a program, as traces or, where calls recur, as trees; or derivations of false of a system."""

    kind: Kind
    judged: Judged[Trace] | Judged[Tree]
    words: Words = field(default_factory=Words)
    program: Program | None = None  # of traces

    @property
    def problems(self) -> tuple[Trace | Tree, ...]:
        return tuple(self.judged.spurious)

    def column(self, problem: Trace | Tree, refiner: Refiner) -> Column:
        return trace_column(problem, refiner) if isinstance(problem, Trace) else column(problem, refiner, self.words)

    def explanation(self, problem: Trace | Tree, columns: Sequence[Column]) -> Explanation | TreeExplanation:
        if isinstance(problem, Trace):
            return Explanation(problem, tuple(columns), self.program)
        return TreeExplanation(problem, tuple(columns), self.words)


def spurious_of_system(system: System, unroll: int, count: int) -> Spurious:
    return Spurious(Kind.DERIVATION, spurious_trees(system, unroll, count))


def spurious_of_program(program: Program, unroll: int, count: int, passes: Passes = (Pass.DEAD_CODE,)) -> Spurious:
    """Up to `count` infeasible error paths that go round each loop, and into each recursion, `unroll` times at most."""
    small = made_smaller(inline(program).program, passes).program
    if not any(isinstance(edge.statement, Call) for edge in small.main.edges):
        short = with_short_names(small)
        return Spurious(Kind.ERROR_PATH, spurious_paths(short, unroll, count), program=short)
    made = system_of(small)
    relational = made.relational()
    return Spurious(Kind.ERROR_PATH, spurious_trees(relational.system, unroll, count), words_of(made, relational))
