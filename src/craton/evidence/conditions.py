"""What an annotation of a program with invariants has to satisfy, as formulas that must contradict each other.

With I(L) for the invariant of location L, s → s' for a step over an edge, and F(L) for facts that were proved before:

- *initiation*: F(entry) ⇒ I(entry), whatever the variables hold;
- *base*, for each path L0 … Lj from the entry with j < k edges, and
- *consecution*, for each path L0 … Lk of k edges: if I(Li) and F(Li) hold at si for all i < n, F(Ln) holds at sn, and
  s0 → s1 → … → sn, then I(Ln) holds at sn;
- *safety*: the same where the path ends at an error location, where I is false.

So every state that can be reached satisfies the invariant of its location, by induction over the length of the run
(docs/certificates.md). With k = 1 these are the usual conditions of an inductive invariant, one for each edge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import combinations

from craton.errors import CratonError
from craton.evidence.state_questions import StateQuestions, are_states, terms_of
from craton.logic import FALSE, TRUE, Term, eq, free_variables, is_quantified, not_, or_, substitute, var
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Block
from craton.program.transitions import transition
from craton.program.variables import reads, writes

EdgePath = tuple[Edge, ...]
MOST_PATHS = 20_000  # that the conditions of one annotation may speak of


class Paths(Enum):
    """Which paths of k edges the induction has to consider."""

    ALL = "all"
    SIMPLE = "simple"  # those that come to no state twice: a shortest run to a violation does not


class Role(Enum):
    """What an annotation is to show."""

    PROOF = "proof"  # no error can be reached. Locations without an invariant count as not reachable
    LEMMA = "lemma"  # the invariants hold. Nothing is said of other locations


class Kind(Enum):
    INITIATION = "initiation"
    BASE = "base"
    CONSECUTION = "consecution"
    SAFETY = "safety"
    REQUIREMENT = "requirement"  # of contracts alone
    ENSURING = "ensuring"


_FAILED = {
    Kind.INITIATION: ("does not hold at the start", "not shown to hold at the start"),
    Kind.BASE: ("does not hold on a path from the start", "not shown to hold on a path from the start"),
    Kind.CONSECUTION: ("not {}inductive", "not shown to be {}inductive"),
    Kind.SAFETY: ("not safe", "not shown to be safe"),
    Kind.REQUIREMENT: ("a requirement does not hold", "a requirement is not shown to hold"),
    Kind.ENSURING: ("what is ensured does not hold", "what is ensured is not shown to hold"),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """What a proof has to show: that these formulas contradict each other."""

    kind: Kind
    name: str  # of the cut-points it is about
    where: str  # the same with their place in the text
    formulas: tuple[tuple[str, Term], ...]
    edge: Edge | None = None
    k: int = 1

    @property
    def failed(self) -> str:
        return self._told(_FAILED[self.kind][0])

    @property
    def open(self) -> str:
        return self._told(_FAILED[self.kind][1])

    def _told(self, words: str) -> str:
        return f"{words.format('' if self.k == 1 else f'{self.k}-')}: {self.where}"


@dataclass(frozen=True)
class Annotation:
    """Invariants for locations of a program, which are to be k-inductive over its edges given some facts."""

    program: Program
    invariants: Mapping[Location, Term]
    role: Role = Role.PROOF
    k: int = 1
    paths: Paths = Paths.ALL
    facts: Mapping[Location, Term] = field(default_factory=dict)  # hold whenever control is there: proved before

    @cached_property
    def known(self) -> frozenset[Term]:
        """The variables of the program, and those of the facts."""
        return vocabulary(self.program).union(*map(free_variables, self.facts.values()))

    def at(self, location: Location) -> Term:
        """What is claimed of a location."""
        if self.role is Role.LEMMA:
            return self.invariants.get(location, TRUE)
        return FALSE if location in self.program.errors else self.invariants.get(location, FALSE)

    def start(self) -> Iterator[Condition]:
        """The conditions that speak of no step."""
        entry = self.program.main.entry
        fact = self.facts.get(entry, TRUE)
        formulas = (*(() if fact is TRUE else (("fact", fact),)), ("not invariant", not_(self.at(entry))))
        yield Condition(Kind.INITIATION, f"{entry}", f"the invariant of the entry {entry}", formulas)
        for location in self.program.errors if self.role is Role.PROOF else ():
            claimed = self.invariants.get(location, FALSE)
            where = f"the invariant of error location {location} is not false"
            yield Condition(Kind.SAFETY, f"{location}", where, (("invariant", claimed),))

    def along(self, path: EdgePath) -> Condition:
        """That the invariants along a path lead to the one at its end."""
        first, last = path[0].source, path[-1].target
        kind = Kind.CONSECUTION if len(path) == self.k else Kind.BASE
        if last in self.program.errors and self.role is Role.PROOF:
            kind = Kind.SAFETY
        where = way(path, self.program)
        return Condition(kind, f"{first}-{last}", where, _Unrolled(self, path).formulas(), path[-1], self.k)

    def by_states(self, edge: Edge, *, with_bounds: bool) -> StateQuestions | None:
        """The same along one edge from an invariant that is a set of states, one state after the other; None where it
        is none, or more is to be considered. `with_bounds` of numbers, if these count.
        """
        before, after = self.at(edge.source), self.at(edge.target)
        if self.k > 1 or self.paths is not Paths.ALL or edge.source in self.facts or edge.target in self.facts:
            return None
        step = transition(edge.statement)
        if not are_states(before) or any(map(is_quantified, (before, after, *terms_of(step)))):
            return None
        no_variables(step.inputs, self.known)
        return StateQuestions(before, edge.statement, after, with_bounds=with_bounds)

    def complete(self, path: EdgePath) -> bool:
        """Whether the condition along this path must hold by itself: it has k edges, or no past."""
        return len(path) == self.k or path[0].source == self.program.main.entry

    def earlier(self, path: EdgePath) -> Iterator[EdgePath]:
        """The path with one more edge in front. If its condition holds, so do those of all these."""
        for edge in self.program.main.incoming(path[0].source):
            yield (edge, *path)

    def conditions(self) -> Iterator[Condition]:
        """All of them, in the order of the edges that paths end with."""
        self._check_number_of_paths()
        yield from self.start()
        for edge in self.program.main.edges:
            waiting: list[EdgePath] = [(edge,)]
            while waiting:
                path = waiting.pop()
                if self.complete(path):
                    yield self.along(path)
                if len(path) < self.k:
                    waiting.extend(self.earlier(path))

    def _check_number_of_paths(self) -> None:
        beginning = Counter(edge.source for edge in self.program.main.edges)  # how many paths begin at a location
        total = 0
        for _ in range(1, self.k):
            total += beginning.total()
            if total > MOST_PATHS:
                raise CratonError(f"there are more than {MOST_PATHS} paths of up to {self.k} edges")
            longer: Counter[Location] = Counter()
            for location, count in beginning.items():
                for edge in self.program.main.incoming(location):
                    longer[edge.source] += count
            beginning = longer


class _Unrolled:
    """The formulas of a path: what is claimed on the way, the steps, and that the claim at its end is wrong. All are
    over the variables at its begin, and inputs that each step chooses for itself.
    """

    def __init__(self, annotation: Annotation, path: EdgePath) -> None:
        self.annotation = annotation
        self.path = path
        self.states: list[dict[Term, Term]] = [{}]  # what the variables hold, where it is not what they held first

    def formulas(self) -> tuple[tuple[str, Term], ...]:
        ends = self.path[-1].target
        before, after = self.annotation.at(self.path[0].source), self.annotation.at(ends)
        found: list[tuple[str, Term]] = [("before", before), *self._fact(self.path[0].source)]
        if before is FALSE or after is TRUE:
            return (*found, ("not after", not_(after)))
        for number, edge in enumerate(self.path):
            if number:
                found.append(("on the way", self._now(self.annotation.at(edge.source))))
                found += self._fact(edge.source)
            found.append(("step", self._step(edge, number)))
        found += self._fact(ends)
        if self.annotation.paths is Paths.SIMPLE:
            found += self._different()
        return (*found, ("not after", not_(self._now(after))))

    def _now(self, term: Term) -> Term:
        return substitute(term, self.states[-1])

    def _fact(self, location: Location) -> list[tuple[str, Term]]:
        fact = self.annotation.facts.get(location, TRUE)
        return [] if fact is TRUE else [("fact", self._now(fact))]

    def _step(self, edge: Edge, number: int) -> Term:
        """The guard of the step; what it does becomes the new state."""
        step = transition(edge.statement)
        # Each step chooses anew: were an input the same in two steps, runs would be missing.
        inputs = {i: i if number == 0 else var(f"{i.name} @{number}", i.sort) for i in step.inputs}
        no_variables((*inputs, *inputs.values()), self.annotation.known)
        now = {**self.states[-1], **inputs}
        guard = substitute(step.guard, now)
        self.states.append({**self.states[-1], **{x: substitute(t, now) for x, t in step.updates.items()}})
        return guard

    def _different(self) -> Iterator[tuple[str, Term]]:
        """No two states on the way are the same: they differ in their location, or in a variable."""
        locations = [self.path[0].source, *(edge.target for edge in self.path)]
        for (one, a), (two, b) in combinations(zip(locations, self.states, strict=True), 2):
            if one == two:
                changed = sorted({*a, *b}, key=lambda x: x.serial)
                yield "different", or_(*(not_(eq(a.get(x, x), b.get(x, x))) for x in changed))


def vocabulary(program: Program) -> frozenset[Term]:
    """The variables of the program. Inputs of transitions are none: they are chosen anew at each step, so an invariant
    that speaks of one would take two choices for the same.
    """
    statements = [edge.statement for edge in program.main.edges]
    return frozenset((*program.globals, *program.main.locals)).union(*map(reads, statements), *map(writes, statements))


def no_variables(inputs: Iterable[Term], known: frozenset[Term]) -> None:
    """Raises an error if a value that is chosen would be taken for a variable."""
    taken = [chosen for chosen in inputs if chosen in known]
    if taken:
        raise CratonError(f"a variable is called like a value that is chosen: {', '.join(map(str, taken))}")


# --- places, for messages ---------------------------------------------------------------------------------------------


def way(path: EdgePath, program: Program) -> str:
    """From which cut-point to which, and by what: to an error, what leads there last."""
    edge = path[-1]
    at_error = edge.target in program.errors
    inner = edge.statement.edges if isinstance(edge.statement, Block) else (edge,)
    origins = [e.origin for e in (reversed(inner) if at_error else inner) if e.origin is not None]
    target = f"{edge.target} ({program.errors[edge.target]})" if at_error else _cut_point(edge.target, program)
    by = f", statement at {origins[0]}" if origins else ""
    between = [f"{e.source}" for e in path[1:]]
    if len(between) > 4:
        between = ["…", *between[-3:]]
    return f"{' → '.join((_cut_point(path[0].source, program), *between, target))}{by}"


def _cut_point(location: Location, program: Program) -> str:
    loop = program.loop_heads.get(location)
    return f"{location}" if loop is None else f"{location} (loop at {loop})"
