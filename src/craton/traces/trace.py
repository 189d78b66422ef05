"""Traces, and their formulas in static single assignment ([CN] 3, 4.1).

A trace is a path of edges through a program, usually to an error location. Its formula is F[1] ∧ … ∧ F[n] over indexed
variables: x@i is x as step i left it, x@0 is x at the start.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from craton.logic import TRUE, Substitution, Term, and_, conjuncts, eq, substitute, var
from craton.program.cfa import Edge, Location
from craton.program.transitions import Transition, transition


class Problem(Protocol):
    """What refiners are asked about: a trace, or a tree of clause instances (`craton.trees`).

    Its formula is a conjunction of parts, each of which belongs to a step; steps follow those they build on.
    """

    @property
    def identity(self) -> Hashable:
        """What memories know it by."""
        ...

    @property
    def answers(self) -> dict[Hashable, Any]:
        """A cache of facts about it, by question: compositions ask several refiners about the same trace."""
        ...

    @property
    def parts(self) -> Sequence[Part]: ...

    @property
    def formulas(self) -> Sequence[Term]:
        """For each step the conjunction of its parts."""
        ...


@dataclass(frozen=True)
class Trace:
    edges: tuple[Edge, ...]
    program: tuple[Edge, ...] = field(default=(), compare=False, repr=False)  # all its edges, if known
    # For each position the predicates that the engine tracks there. An engine that says so learns predicates, and needs
    # no refutation of all paths through the trace's blocks: one that it cannot exclude is enough.
    tracked: tuple[tuple[Term, ...], ...] | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.edges)

    def _repr_html_(self) -> str:
        from craton.markup import shown, table

        rows = ((str(edge.origin.line) if edge.origin else "", str(edge.statement)) for edge in self.edges)
        return shown(table(("line", "statement"), rows))

    @property
    def identity(self) -> Hashable:
        """What memories know it by."""
        return self.edges

    @property
    def context(self) -> tuple[Edge, ...]:
        """The edges that refiners may ask about: all of the program's if known, otherwise those of the trace."""
        return self.program or self.edges

    @cached_property
    def answers(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def steps(self) -> tuple[Transition, ...]:
        return tuple(transition(edge.statement) for edge in self.edges)

    @property
    def locations(self) -> tuple[Location, ...]:
        """n + 1 locations for n edges."""
        return (*(edge.source for edge in self.edges), self.edges[-1].target)

    @cached_property
    def formula(self) -> TraceFormula:
        return trace_formula(self.steps)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.formula.parts

    @property
    def formulas(self) -> tuple[Term, ...]:
        return self.formula.by_step


@dataclass(frozen=True, slots=True)
class Part:
    """One conjunct of a trace formula: a conjunct of a step's guard, or the new value of a variable.

    Of the formula of a tree of clause instances: a conjunct of a node's clause.
    """

    step: int
    formula: Term  # over indexed variables
    written: Term | None = None  # the program variable, for a new value
    conjunct: Term = TRUE  # over program variables and inputs, for a part of the guard


@dataclass(frozen=True)
class TraceFormula:
    """F[1] … F[n] with their parts, and the mapping between program variables and indexed variables."""

    parts: tuple[Part, ...]
    indices: tuple[Mapping[Term, Term], ...]  # for each of the n + 1 positions: program variable → indexed variable
    inputs: tuple[Mapping[Term, Term], ...]  # for each step: input → indexed input
    _back: dict[int, dict[Term, Term]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def by_step(self) -> tuple[Term, ...]:
        return by_step(self.parts, len(self.inputs))

    def at(self, position: int, variable: Term) -> Term:
        """The indexed variable that holds the value of `variable` at a position."""
        return self.indices[position].get(variable) or _indexed(variable, 0)

    def to_program(self, position: int, formula: Term) -> Term:
        """A formula over indexed variables as an assertion at a position."""
        back = self._back.get(position)
        if back is None:
            back = self._back[position] = {i: v for v, i in self.indices[position].items()}
        return substitute(formula, back)


def by_step(parts: Sequence[Part], steps: int) -> tuple[Term, ...]:
    """For each step the conjunction of its parts."""
    grouped: list[list[Term]] = [[] for _ in range(steps)]
    for part in parts:
        grouped[part.step].append(part.formula)
    return tuple(and_(*group) for group in grouped)


def trace_formula(steps: Sequence[Transition]) -> TraceFormula:
    """F[1] ∧ … ∧ F[n] ([CN] 4.1, [NR] Eqs. 3.1–3.3)."""
    parts: list[Part] = []
    every = frozenset[Term]().union(*(step.read | step.written for step in steps))
    growing = SSA({v: _indexed(v, 0) for v in sorted(every, key=lambda v: v.serial)})
    indices: list[Mapping[Term, Term]] = [dict(growing.current)]
    all_inputs: list[Mapping[Term, Term]] = []
    for step in steps:
        parts += growing.parts(step)
        all_inputs.append(growing.take(step))
        indices.append(dict(growing.current))
    return TraceFormula(tuple(parts), tuple(indices), tuple(all_inputs))


@dataclass(slots=True)
class SSA:
    """Builds a trace formula step by step: `parts` previews what a step adds, `take` moves on to the next indices."""

    current: dict[Term, Term] = field(default_factory=dict)  # program variable → indexed variable
    taken: int = 0

    def at(self, variable: Term) -> Term:
        """The indexed variable that holds its value now."""
        return self.current.get(variable) or _indexed(variable, 0)

    def parts(self, step: Transition) -> list[Part]:
        before = Substitution(self._before(step))
        guard = [Part(self.taken, before(c), conjunct=c) for c in conjuncts(step.guard)]
        return guard + [
            Part(self.taken, eq(_indexed(variable, self.taken + 1), before(value)), variable)
            for variable, value in step.updates.items()
        ]

    def take(self, step: Transition) -> dict[Term, Term]:
        """Returns the indices of the step's inputs."""
        self.taken += 1
        self.current.update({variable: _indexed(variable, self.taken) for variable in step.updates})
        return {i: _indexed(i, self.taken) for i in step.inputs}

    def _before(self, step: Transition) -> dict[Term, Term]:
        read = {v: self.at(v) for v in sorted(step.read, key=lambda v: v.serial)}
        return {**read, **{i: _indexed(i, self.taken + 1) for i in step.inputs}}


def _indexed(variable: Term, index: int) -> Term:
    return var(f"{variable.name}@{index}", variable.sort)
