"""The predicates of a run.

A predicate is an opaque Boolean term over program variables, quantified or not; a predicate and its negation count as
one. Its number is its level in the decision diagrams.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator

from craton.engines.predicate.bdd import Bdd, Bdds
from craton.logic import FALSE, TRUE, Term, atoms, conjuncts, ite, not_, ops

Literal = int  # the number of a predicate that is tracked, or ~number: only that it is false is tracked


class Kind(enum.Enum):
    """Which parts of an assertion become predicates: the whole, its conjuncts, or the atoms in them."""

    SINGLE = "single"
    WHOLE = "whole"
    ATOMS = "atoms"


class Predicates:
    """All predicates of a run: maps terms to diagram levels, and diagrams back to terms."""

    def __init__(self, bdds: Bdds) -> None:
        self._bdds = bdds
        self._levels: dict[Term, int] = {}
        self._terms: list[Term] = []
        self._formulas: dict[Bdd, Term] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def term(self, level: int) -> Term:
        return self._terms[level]

    def levels(self, assertion: Term, kind: Kind) -> frozenset[int]:
        """The predicates of an assertion; `true` and `false` have none."""
        return frozenset(map(self.level, _parts(assertion, kind)))

    def literals(self, assertion: Term, kind: Kind) -> frozenset[Literal]:
        """The same as the assertion says them: of `x ≠ 3`, only that `x = 3` is false."""
        parts = ((part, self.level(part)) for part in _parts(assertion, kind))
        return frozenset(level if self._terms[level] is part else ~level for part, level in parts)

    def literal(self, literal: Literal) -> Term:
        return self._terms[literal] if literal >= 0 else not_(self._terms[~literal])

    def level(self, predicate: Term) -> int:
        found = self._levels.get(predicate)
        if found is None:
            positive = predicate.args[0] if predicate.op is ops.NOT else predicate
            found = self._levels[positive] = self._levels[not_(positive)] = len(self._terms)
            self._terms.append(positive)
        return found

    def formula(self, abstraction: Bdd) -> Term:
        """A diagram as a term: first the literals it implies, then the rest as if-then-elses that share subterms."""
        found = self._formulas.get(abstraction)
        if found is None:
            found = self._bdds.fold(abstraction, FALSE, TRUE, self._choice, self._formulas)
        return found

    def _choice(self, level: int, low: Term, high: Term) -> Term:
        return ite(self._terms[level], high, low)


def levels_of(literals: Iterable[Literal]) -> frozenset[int]:
    return frozenset(literal if literal >= 0 else ~literal for literal in literals)


def _parts(assertion: Term, kind: Kind) -> Iterator[Term]:
    if assertion is TRUE or assertion is FALSE:
        return
    match kind:
        case Kind.SINGLE:
            yield assertion
        case Kind.WHOLE:
            yield from conjuncts(assertion)
        case Kind.ATOMS:
            yield from atoms(assertion)
