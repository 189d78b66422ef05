"""Scorers ([RS] 5): which of several refinements to take. The lowest score wins; the next scorer breaks ties.

A refinement's precision maps locations to what is tracked there: the assertions of its positions besides `true` and
`false`. Where a location recurs, what is tracked at one of its visits is tracked at all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from craton.logic import FALSE, TRUE, Term, free_variables
from craton.program.analysis.domain_types import DomainType


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a refiner learned from a prefix of a trace; without assertions as long as no scorer needs them."""

    whole: int  # the length of the whole trace
    length: int  # of the prefix
    assertions: Sequence[Term] = ()
    types: Callable[[], Mapping[Term, DomainType]] = field(default=dict, repr=False, compare=False)  # of variables
    locations: Sequence[Hashable] = ()  # of the positions; if none are given, each is a location of its own
    by: str = ""  # the refiner

    @property
    def tracked(self) -> list[int]:
        """The positions at whose location there is something to track: i with π(l_i) ≠ ∅ in [RS] 5."""
        found = [i for i, assertion in enumerate(self.assertions) if assertion not in (TRUE, FALSE)]
        if not self.locations:
            return found
        there = {self.locations[i] for i in found}
        return [i for i in range(1, len(self.assertions)) if self.locations[i] in there]


class Scorer(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def needs_assertions(self) -> bool: ...

    def score(self, candidate: Candidate) -> float: ...


@dataclass(frozen=True, slots=True)
class By:
    """By a measure whose smallest, or largest, value is best."""

    name: str
    measure: Callable[[Candidate], float]
    sign: int = 1
    needs_assertions: bool = True

    def score(self, candidate: Candidate) -> float:
        return self.sign * self.measure(candidate)


@dataclass(frozen=True, slots=True)
class ByChance:
    """[RS] 7. Reproducible: depends only on the seed and on the candidate, that is its prefix and its refiner."""

    seed: int = 0
    needs_assertions: bool = False

    @property
    def name(self) -> str:
        return f"random={self.seed}" if self.seed else "random"

    def score(self, candidate: Candidate) -> float:
        return Random(f"{self.seed} {candidate.whole} {candidate.length} {candidate.by}").random()


# --- measures ---------------------------------------------------------------------------------------------------------


def length(candidate: Candidate) -> float:
    return candidate.length


def width(candidate: Candidate) -> float:
    """The number of positions at which something is tracked."""
    tracked = candidate.tracked
    return tracked[-1] - tracked[0] + 1 if tracked else 0


def depth(candidate: Candidate) -> float:
    """The depth of the pivot: the first position at which something is tracked."""
    tracked = candidate.tracked
    return tracked[0] if tracked else candidate.length


def domain_type(candidate: Candidate) -> float:
    """The product of the variables' scores, as its logarithm: no number of others outweighs a counter."""
    types = candidate.types()
    variables = frozenset[Term]().union(*map(free_variables, dict.fromkeys(candidate.assertions)))
    return sum(LOGARITHMS[types.get(variable, DomainType.BITS)] for variable in variables)


# Of the scores, to base 2. The paper gives no numbers: low for Booleans, high for loop counters.
LOGARITHMS = {
    DomainType.BOOLEAN: 1,
    DomainType.EQUALITY: 3,
    DomainType.ARITHMETIC: 5,
    DomainType.BITS: 7,
    DomainType.COUNTER: 2**40,  # more than memory has room for others
}


SCORERS: dict[str, By] = {
    scorer.name: scorer
    for scorer in (
        By("short", length, 1, needs_assertions=False),
        By("long", length, -1, needs_assertions=False),
        By("good", domain_type),
        By("bad", domain_type, -1),
        By("narrow", width),
        By("wide", width, -1),
        By("shallow", depth),
        By("deep", depth, -1),
    )
}
NUMBERED: Mapping[str, Callable[[int], Scorer]] = {"random": ByChance}  # with a seed
