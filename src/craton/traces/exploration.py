"""Exploration of abstraction lattices ([EI] VI): which sets of templates are worth remembering.

A set of templates is feasible if what remembers only their values is still infeasible. Sets that determine the same
templates are one element of the lattice; its canonical form is the closed set of all templates that are determined, and
it is written by its simplest members. The fewer a set determines, the higher it is; the frontier has the highest that
are feasible.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice

from craton.logic import (
    BOOL,
    INT,
    REAL,
    BitVec,
    Term,
    and_,
    atoms,
    eq,
    forall,
    free_variables,
    implies,
    ops,
    sub,
    substitute,
)
from craton.logic.affine import affine
from craton.processes.running_time import running_time
from craton.smt import Sat, Solver, Undecided
from craton.smt.cores import CoreFinder

MOST_SUCCESSORS = 200  # of an element of the lattice, that are looked at


@dataclass(frozen=True, slots=True)
class Template:
    """A term whose value a place may remember ([EI] Def. 5), or a formula that stays true if it was ([EI] Def. 8); for
    every value of its schematic variables ([EI] Def. 11).
    """

    place: Hashable  # the location, or the predicate of a clause, or one visit of it
    term: Term
    cost: int = field(compare=False)
    schematic: tuple[Term, ...] = ()

    @property
    def is_predicate(self) -> bool:
        return self.term.sort is BOOL and self.term.op is not ops.VARIABLE

    @property
    def variables(self) -> frozenset[Term]:
        return free_variables(self.term).difference(self.schematic)

    @property
    def sum(self) -> Sum | None:
        """Its variables and their factors, if it is a sum of them."""
        return None if self.schematic or self.is_predicate else _sum(self.term)

    def kept(self, before: Mapping[Term, Term], after: Mapping[Term, Term]) -> Term:
        """What remembering it means, from one copy of the variables to another."""
        same = (implies if self.is_predicate else eq)(substitute(self.term, before), substitute(self.term, after))
        return forall(self.schematic, same) if self.schematic else same


Sum = Mapping[Term, int]


@lru_cache(maxsize=4096)
def _sum(term: Term) -> Sum | None:
    if term.op is ops.VARIABLE:
        return {term: 1}
    if term.sort not in (INT, REAL) and not isinstance(term.sort, BitVec):
        return None
    factors = affine(term).factors
    return factors if all(part.op is ops.VARIABLE for part in factors) else None


@lru_cache(maxsize=4096)
def _sums(template: Template) -> tuple[Sum, ...]:
    """Sums whose values say all about the template: itself, the differences that a formula compares with constants, or
    simply its variables.
    """
    if template.sum is not None:
        return (template.sum,)
    found: list[Sum] = []
    for part in atoms(template.term) if template.is_predicate and not template.schematic else (template.term,):
        difference = None
        if part.op in (ops.EQ, ops.LE, ops.LT) and len(part.args) == 2 and part.args[0].sort in (INT, REAL):
            difference = _sum(sub(*part.args))
        variables = free_variables(part).intersection(template.variables)
        found += [{v: 1} for v in sorted(variables, key=lambda v: v.serial)] if difference is None else [difference]
    return tuple(found)


Templates = tuple[Template, ...]
Closed = frozenset[Template]


@dataclass(frozen=True, slots=True)
class Frontier:
    """The maximal feasible elements that were found, cheapest first; all there are, if it is `complete`."""

    elements: tuple[Templates, ...]
    complete: bool
    base: int = 0  # how many templates there are


def explored(
    kept: Mapping[Template, Sequence[Term]], solver: Solver, seconds: float | None
) -> Frontier | Sat | Undecided:
    """The frontier of the lattice over these templates ([EI] Alg. 1). A template has `kept` its value if its equations
    hold; the solver has been told the rest. What is found when the time is over is a part of the frontier.
    """
    with CoreFinder([and_(*equations) for equations in kept.values()], solver) as finder:
        return _Exploration(tuple(kept), finder, seconds).frontier()


class _Exploration:
    def __init__(self, templates: Templates, finder: CoreFinder, seconds: float | None) -> None:
        self._templates = templates
        self._number = {template: number for number, template in enumerate(templates)}
        self._finder = finder
        self._seconds = seconds
        self._end = float("inf") if seconds is None else running_time() + seconds
        self._undecided = False

    def frontier(self) -> Frontier | Sat | Undecided:
        """An element that is not below a known one has, of each set that determines a known one, not all members. So
        the templates left out grow by a member of such a set, until the rest is infeasible or determines no known one.
        """
        first = self._finder.find(range(len(self._templates)), self._seconds)
        if not isinstance(first, tuple):
            return first
        found = [self._maximised([self._templates[i] for i in first])]
        waiting = deque([frozenset[Template]()])
        seen = set(waiting)
        while waiting and self._left > 0:
            out = waiting.popleft()
            rest = [t for t in self._templates if t not in out]
            below = next((g for known in found if (g := generating(known, rest)) is not None), None)
            if below is None:
                core = self._feasible(rest)
                if core is None:
                    continue
                found.append(self._maximised(core))
                below = generating(found[-1], rest)
                assert below is not None
            for member in sorted(below, key=lambda t: -t.cost):
                more = out | {member}
                if more not in seen:
                    seen.add(more)
                    waiting.append(more)
        maximal = [known for known in found if not any(other < known for other in found)]
        elements = sorted(map(simplest, maximal), key=cost)
        return Frontier(tuple(elements), complete=not waiting and not self._undecided, base=len(self._templates))

    def _maximised(self, elem: Iterable[Template]) -> Closed:
        """A maximal feasible element above a feasible one ([EI] Alg. 2). Where a successor is feasible, the solver's
        core of it is the middle element from which the search goes on.
        """
        closed = closure(elem, self._templates)
        while self._left > 0:
            above = successors(closed)
            feasible = (self._feasible(successor) for successor in islice(above, MOST_SUCCESSORS))
            core = next((core for core in feasible if core is not None), None)
            if core is None:
                self._undecided |= next(above, None) is not None  # there are more than were looked at
                break
            closed = closure(core, self._templates)
        return closed

    def _feasible(self, chosen: Iterable[Template]) -> list[Template] | None:
        """A part of these templates that is enough; None if all of them are not, or nobody knows."""
        left = self._left
        if left <= 0:
            self._undecided = True
            return None
        answer = self._finder.find([self._number[t] for t in chosen], None if left == float("inf") else left)
        if isinstance(answer, Undecided):
            self._undecided = True
        return [self._templates[i] for i in answer] if isinstance(answer, tuple) else None

    @property
    def _left(self) -> float:
        return self._end - running_time()


def cost(chosen: Iterable[Template]) -> int:
    """[EI] VI-C."""
    return sum(template.cost for template in chosen)


# --- closed sets ------------------------------------------------------------------------------------------------------


def closure(chosen: Iterable[Template], templates: Templates) -> Closed:
    """All templates that are determined: the canonical form of a set, an element of the lattice ([EI] Def. 13)."""
    given = frozenset(chosen)
    spans: dict[Hashable, _Span] = {}
    for template in given:
        if template.sum is not None:
            spans.setdefault(template.place, _Span()).add(template.sum)
    return frozenset(t for t in templates if t in given or (t.place in spans and spans[t.place].determines(t)))


def simplest(closed: Iterable[Template]) -> Templates:
    """The simplest members that determine the others: {i, j} rather than {i − j, i + j}."""
    found: list[Template] = []
    spans: dict[Hashable, _Span] = {}
    for template in sorted(closed, key=lambda t: (t.sum is None, len(t.variables), t.cost, t.term.serial)):
        span = spans.setdefault(template.place, _Span())
        if not span.determines(template):
            found.append(template)
            if template.sum is not None:
                span.add(template.sum)
    return tuple(sorted(found, key=lambda t: t.cost))


def successors(closed: Closed) -> Iterator[Closed]:
    """Closed sets that determine less, but as little less as possible: at one place, one dimension of its sums less, or
    one template less that is no sum and not determined by them.
    """
    members = tuple(closed)
    by_place: dict[Hashable, list[Template]] = {}
    for template in sorted(closed, key=lambda t: (t.cost, t.term.serial)):
        by_place.setdefault(template.place, []).append(template)
    seen: set[Closed] = {closed}
    for here in by_place.values():
        sums = [t for t in here if t.sum is not None]
        rest = frozenset(members).difference(sums)
        smaller = ((*rest, *chosen) for chosen in _hyperplanes(sums)) if sums else ()
        by_sums = closure(sums, tuple(here))
        others = [t for t in here if t not in by_sums]
        for chosen in chain(smaller, (tuple(t for t in members if t is not other) for other in others)):
            found = closure(chosen, members)
            if found not in seen:
                seen.add(found)
                yield found


def _hyperplanes(sums: Sequence[Template]) -> Iterator[tuple[Template, ...]]:
    """For each closed set with one dimension less the first of these templates that determine it."""
    size = len(simplest(sums)) - 1
    # What was chosen, its span, those that were passed over, and the next one to look at. Templates that were passed
    # over must stay undetermined: otherwise they would be among the first.
    waiting: list[tuple[Templates, _Span, Templates, int]] = [((), _Span(), (), 0)]
    while waiting:
        chosen, span, passed, number = waiting.pop()
        if len(chosen) == size:
            yield chosen
        elif number < len(sums):
            template = sums[number]
            if span.determines(template):
                waiting.append((chosen, span, passed, number + 1))
                continue
            waiting.append((chosen, span, (*passed, template), number + 1))
            larger = span.with_sum(template.sum or {})
            if not any(map(larger.determines, passed)):
                waiting.append(((*chosen, template), larger, passed, number + 1))


class _Span:
    """The linear combinations of sums, in echelon form: rows by their first variable. Bit-vectors can be divided by odd
    numbers only, so of two rows with the same first variable the one stays whose factor two divides less.
    """

    def __init__(self) -> None:
        self._rows: dict[Term, Mapping[Term, int | Fraction]] = {}

    def add(self, wanted: Sum) -> None:
        left: Mapping[Term, int | Fraction] = wanted
        while left:
            first = min(left, key=_serial)
            row = self._rows.get(first)
            if row is None:
                self._rows[first] = left
                return
            if isinstance(first.sort, BitVec) and _twos(Fraction(left[first])) < _twos(Fraction(row[first])):
                self._rows[first], left, row = left, row, left
            left = _minus(left, _quotient(left[first], row[first]), row)

    def with_sum(self, wanted: Sum) -> _Span:
        found = _Span()
        found._rows = dict(self._rows)
        found.add(wanted)
        return found

    def determines(self, template: Template) -> bool:
        return all(map(self._contains, _sums(template)))

    def _contains(self, wanted: Sum) -> bool:
        left: Mapping[Term, int | Fraction] = wanted
        while left:
            first = min(left, key=_serial)
            row = self._rows.get(first)
            if row is None:
                return False
            factor = _quotient(left[first], row[first])
            if isinstance(first.sort, BitVec) and factor.denominator % 2 == 0:
                return False
            left = _minus(left, factor, row)
        return True


def _serial(variable: Term) -> int:
    return variable.serial


def _quotient(a: int | Fraction, b: int | Fraction) -> int | Fraction:
    found = Fraction(a) / b
    return found.numerator if found.denominator == 1 else found


def _minus(
    left: Mapping[Term, int | Fraction], factor: int | Fraction, row: Mapping[Term, int | Fraction]
) -> Mapping[Term, int | Fraction]:
    found = dict(left)
    for variable, number in row.items():
        found[variable] = found.get(variable, 0) - factor * number
    return {variable: number for variable, number in found.items() if number}


def generating(closed: Closed, among: Sequence[Template]) -> list[Template] | None:
    """Some of these templates that determine all of a closed set; None if they do not."""
    found: dict[Template, None] = {}
    for template in simplest(closed):
        factors = _factors(template, among)
        if factors is None:
            return None
        found.update(dict.fromkeys(factors))
    return list(found)


def determined(template: Template, chosen: Sequence[Template]) -> bool:
    """Whether the others say all about the template, by linear combinations; of bit-vectors, with coefficients that
    they have.
    """
    return _factors(template, chosen) is not None


def _factors(template: Template, chosen: Sequence[Template]) -> list[Template] | None:
    """The templates by which it is determined; itself, if it is among them."""
    if template in chosen:
        return [template]
    rows = [t for t in chosen if t.place == template.place and t.sum is not None]
    found: dict[Template, None] = {}
    for wanted in _sums(template):
        used = _combined(wanted, rows)
        if used is None:
            return None
        found.update(dict.fromkeys(used))
    return list(found)


def _combined(wanted: Sum, rows: Sequence[Template]) -> list[Template] | None:
    """The templates of which a sum is a combination."""
    sums = [*(t.sum or {} for t in rows), wanted]
    variables = sorted({v for each in sums for v in each}, key=lambda v: v.serial)
    matrix = [[Fraction(each.get(v, 0)) for each in sums] for v in variables]
    solution = _solved(matrix, len(rows), bits=any(isinstance(v.sort, BitVec) for v in variables))
    return None if solution is None else [t for t, factor in zip(rows, solution, strict=True) if factor]


def _solved(matrix: list[list[Fraction]], unknowns: int, *, bits: bool) -> list[Fraction] | None:
    """Some solution of linear equations, the last column being the right-hand side; None if there is none.

    Gaussian elimination. Bit-vectors can be divided by odd numbers only: pivots are those that two divides least, so
    that what they are subtracted from is a multiple of them, and an equation is solvable iff its right-hand side is.
    """
    pivots: list[tuple[int, int]] = []
    while True:
        done, used = {row for row, _ in pivots}, {column for _, column in pivots}
        found = [
            (_twos(matrix[row][column]) if bits else 0, row, column)
            for row in range(len(matrix))
            for column in range(unknowns)
            if row not in done and column not in used and matrix[row][column]
        ]
        if not found:
            break
        _, row, column = min(found)
        pivots.append((row, column))
        for other in range(len(matrix)):
            if other not in done and other != row and matrix[other][column]:
                factor = matrix[other][column] / matrix[row][column]
                matrix[other] = [a - factor * b for a, b in zip(matrix[other], matrix[row], strict=True)]
    done = {row for row, _ in pivots}
    if any(matrix[row][-1] for row in range(len(matrix)) if row not in done):
        return None
    solution = [Fraction(0)] * unknowns
    for row, column in reversed(pivots):
        rest = matrix[row][-1] - sum(a * b for a, b in zip(matrix[row][:-1], solution, strict=True))
        solution[column] = rest / matrix[row][column]
        if bits and solution[column].denominator % 2 == 0:
            return None
    return solution


def _twos(number: Fraction) -> int:
    """How often two divides a number."""
    above, below = number.numerator, number.denominator
    return (above & -above).bit_length() - (below & -below).bit_length()
