"""What is conjectured of a predicate: simple forms, and equations in regions; true of every row that was added.

A row that is added weakens the conjectures: forms that are false of it are gone, and it joins the affine hull of each
region that it is in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce

from craton.engines.affine import Equation, Hull, beyond
from craton.engines.guesses import simple_facts
from craton.engines.systems.bounds import bounds
from craton.engines.systems.regions import Detail, Region
from craton.horn.clauses import Predicate
from craton.logic import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    BitVec,
    Sort,
    Term,
    Value,
    add,
    and_,
    bv,
    bvadd,
    bvmul,
    eq,
    evaluate,
    implies,
    int_,
    mul,
    not_,
)

MOST_IN_CASES = 250

Row = tuple[Value, ...]


class Conjectured:
    """The conjectures about a predicate; they are true of every row that was added."""

    def __init__(
        self,
        predicate: Predicate,
        rows: Sequence[Row],
        cases: Sequence[Region],
        known: dict[Sort, list[int]],
        by_cases: Detail,
    ) -> None:
        self.predicate = predicate
        self.cases, self.known, self.by_cases = cases, known, by_cases
        self.forms: list[Term] = [FALSE]
        self.hulls: list[_EquationsIn] = []
        self._is_empty = not rows
        if rows:
            self._begin(rows)

    def _begin(self, rows: Sequence[Row]) -> None:
        """The conjectures from the first rows."""
        predicate, parameters = self.predicate, self.predicate.parameters
        columns = [i for i, p in enumerate(parameters) if p.sort in (INT, BOOL) or isinstance(p.sort, BitVec)]
        distinct = {(parameters[i].sort, tuple(row[i] for row in rows)): i for i in reversed(columns)}
        columns = sorted(distinct.values())  # that columns are equal is what hulls tell
        named, table = [parameters[i] for i in columns], [tuple(row[i] for i in columns) for row in rows]
        told = dict.fromkeys((*simple_facts(named, table), *bounds(named, table, self.known)))
        self.forms = [form for form in told if form not in (TRUE, FALSE)]
        if self.by_cases is Detail.PAIRS:
            self.forms += _in_cases(predicate, columns, rows, self.cases, told)
        ordered = sorted(self.cases, key=len)
        self.hulls = [_EquationsIn(predicate, case, sort) for sort in _numbers(predicate) for case in ordered]
        for row in rows:
            self._join(row)

    def forget_empty(self, cases: Collection[Region]) -> None:
        """No longer conjectures of these regions that there is nothing in them."""
        wanted = {frozenset(case) for case in cases}
        self.hulls = [one for one in self.hulls if one.case not in wanted or one.hull.equations is not None]

    def parts(self) -> list[Term]:
        """What holds in a region is not said again of a smaller one."""
        found = list(self.forms)
        for place, one in enumerate(self.hulls):
            larger = [other for other in self.hulls[:place] if other.sort is one.sort and other.case < one.case]
            found += [implies(one.condition, equation) for equation in one.beyond(larger)]
        return list(dict.fromkeys(part for part in found if part is not TRUE))

    def weaken(self, row: Row) -> bool:
        """Whether the conjectures changed so that they are true of the row."""
        if self._is_empty:  # nothing was seen of it, and this is the first
            self._is_empty = False
            self._begin([row])
            return True
        values = dict(zip(self.predicate.parameters, row, strict=True))
        kept = [form for form in self.forms if evaluate(form, values) is True]
        changed = len(kept) < len(self.forms)
        self.forms = kept
        return self._join(row) or changed

    def _join(self, row: Row) -> bool:
        values = dict(zip(self.predicate.parameters, row, strict=True))
        return sum(one.join(row, values) for one in self.hulls) > 0

    def drop(self, wrong: Iterable[Term]) -> None:
        """Gives up what cannot be shown, and cannot be weakened either."""
        lost = set(wrong)
        self.forms = [form for form in self.forms if form not in lost]
        self.hulls = [one for one in self.hulls if lost.isdisjoint(one.told())]


def _in_cases(
    predicate: Predicate,
    columns: Sequence[int],
    rows: Sequence[Row],
    cases: Sequence[Region],
    everywhere: Collection[Term],
) -> Iterator[Term]:
    """Orders and bounds of integers that hold in regions of one literal, and not everywhere."""
    places = [i for i in columns if predicate.parameters[i].sort is INT]
    named = [predicate.parameters[i] for i in places]
    found: dict[Term, None] = {}
    for case in cases:
        if len(case) == 1 and len(found) < MOST_IN_CASES:
            inside = [row for row in rows if _is_in(row, predicate, case[0])]
            forms = simple_facts(named, [tuple(row[i] for i in places) for row in inside]) if inside else ()
            found |= {implies(case[0], form): None for form in forms if form not in everywhere}
    yield from (form for form in found if form is not TRUE)


def _is_in(row: Row, predicate: Predicate, literal: Term) -> bool:
    return evaluate(literal, dict(zip(predicate.parameters, row, strict=True))) is True


class _EquationsIn:
    """The equations between arguments of one sort that hold in a region."""

    def __init__(self, predicate: Predicate, case: Region, sort: Sort) -> None:
        self.case = frozenset(case)
        self.condition = and_(*case)
        self.sort = sort
        self.places = [i for i, p in enumerate(predicate.parameters) if p.sort is sort]
        self.columns = [predicate.parameters[i] for i in self.places]
        self.hull = Hull(len(self.places), sort.width if isinstance(sort, BitVec) else None)
        self._told: dict[Equation, Term] = {}

    def beyond(self, larger: Sequence[_EquationsIn]) -> list[Term]:
        """The equations that do not follow from those of larger regions."""
        if self.hull.equations is None:
            return [FALSE]
        known = [equation for other in larger for equation in other.hull.equations or ()]
        return self._written(beyond(self.hull.equations, known, self.hull.width))

    def _written(self, equations: Sequence[Equation]) -> list[Term]:
        for equation in equations:
            if equation not in self._told:
                self._told[equation] = _equation(equation, self.columns)
        return [self._told[equation] for equation in equations]

    def told(self) -> list[Term]:
        if self.hull.equations is None:
            return [not_(self.condition)]
        return [implies(self.condition, e) for e in self._written(self.hull.equations)]

    def join(self, row: Row, values: dict[Term, Value]) -> bool:
        if evaluate(self.condition, values) is not True:
            return False
        return self.hull.add([row[i] for i in self.places])


def _numbers(predicate: Predicate) -> list[Sort]:
    return list(dict.fromkeys(p.sort for p in predicate.parameters if p.sort is INT or isinstance(p.sort, BitVec)))


def _equation(equation: Equation, columns: Sequence[Term]) -> Term:
    """Positive terms on the left, negative ones on the right."""
    sides: tuple[list[Term], list[Term]] = ([], [])
    for coefficient, column in zip(equation, (*columns, None), strict=True):
        if coefficient:
            sides[coefficient < 0].append(_times(abs(coefficient), column, columns[0].sort))
    left, right = (reduce(_sum, side, _number(0, columns[0].sort)) for side in sides)
    return eq(left, right)


def _times(coefficient: int, column: Term | None, sort: Sort) -> Term:
    number = _number(coefficient, sort)
    if column is None:
        return number
    return bvmul(number, column) if isinstance(sort, BitVec) else mul(number, column)


def _number(number: int, sort: Sort) -> Term:
    return bv(number, sort.width) if isinstance(sort, BitVec) else int_(number)


def _sum(a: Term, b: Term) -> Term:
    return bvadd(a, b) if isinstance(a.sort, BitVec) else add(a, b)
