"""Forms that invariants often have, fitted to observed values: constants, low bits that never change, bounds, orders,
linear and quadratic equations, and equations under conditions.

A row has a value for each of the columns, which are terms. What is yielded holds for all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, combinations_with_replacement, islice, permutations, product
from typing import Any

from craton.engines.relations import Relation, relations
from craton.logic import (
    BOOL,
    INT,
    TRUE,
    BitVec,
    Sort,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvmul,
    bvneg,
    bvsle,
    bvule,
    eq,
    evaluate,
    extract,
    implies,
    int_,
    le,
    lt,
    mul,
    not_,
    ops,
    or_,
    rebuild,
)
from craton.logic.semantics import to_signed
from craton.logic.terms import value

MOST_VARIABLES = 14  # of one sort that are compared pairwise
LARGEST_EXCESS = 2
MOST_MIXED = 4  # variables of both signs that are used as conditions
MOST_COMPARED, MOST_CONDITIONS = 6, 4  # where orders hold only together with something else
MOST_IN_LINEAR, MOST_IN_QUADRATIC = 8, 6
_REMAINDERS = frozenset((ops.BVUREM, ops.BVSREM, ops.MOD))

Rows = Sequence[tuple[Any, ...]]


def facts(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """Facts that hold for all rows, in forms typical of invariants."""
    yield from simple_facts(variables, rows)
    for sort, group, table in _varying(variables, rows):
        if sort is not BOOL:
            yield from _equations(group, table)


def simple_facts(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """Facts about one variable or two."""
    for column, variable in enumerate(variables):
        values = [row[column] for row in rows]
        if _is_constant(values):
            yield eq(variable, value(values[0], variable.sort))
        else:
            yield from _of_one(variable, values)
    for _, group, table in _varying(variables, rows):
        yield from _of_two(group, table)


def compared(terms: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """As signed numbers: lower bounds of bit-vectors, and which of two is larger, also where values were the same in
    all rows: rows may be few.
    """
    columns = [(t, t.sort.width, c) for c, t in enumerate(terms) if isinstance(t.sort, BitVec)]
    numbers = [(term, [to_signed(width, row[column]) for row in rows]) for term, width, column in columns]
    for term, values in numbers:
        yield bvsle(value(min(values), term.sort), term)
    for (x, xs), (y, ys) in combinations(numbers, 2):
        if x.sort is y.sort:
            yield from _ordered(bvsle, x, y, list(zip(xs, ys, strict=True)))


def _varying(variables: Sequence[Term], rows: Rows) -> Iterator[tuple[Sort, list[Term], list[tuple[Any, ...]]]]:
    """By sort, the variables that have several values, and their rows."""
    by_sort: dict[Sort, list[int]] = {}
    for column, variable in enumerate(variables):
        if not _is_constant([row[column] for row in rows]):
            by_sort.setdefault(variable.sort, []).append(column)
    for sort, columns in by_sort.items():
        chosen = columns[:MOST_VARIABLES]
        yield sort, [variables[c] for c in chosen], [tuple(row[c] for c in chosen) for row in rows]


def _is_constant(values: Sequence[Any]) -> bool:
    return all(number == values[0] for number in values)


def equations_by_signs(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """Equations that hold only where variables have certain signs: for example, a loop up to a negative bound does
    nothing.
    """
    known = set(linear_equations(variables, rows))
    for size in (1, 2):
        for chosen in combinations(_mixed(variables, rows), size):
            for signs_chosen in product((False, True), repeat=size):
                wanted = dict(zip(chosen, signs_chosen, strict=True))
                fitting = [
                    row for row in rows if all(_negative(row[c], variables[c].sort) is s for c, s in wanted.items())
                ]
                condition = and_(*(sign(variables[c], s) for c, s in wanted.items()))
                yield from (
                    implies(condition, fact) for fact in linear_equations(variables, fitting) if fact not in known
                )


def bounded_by_signs(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """That the absolute value of one is at most another one, wherever that is not negative; if need be, only where its
    value is not another one's, too: before the first round of a loop that moves values on.
    """
    for column in _mixed(variables, rows):
        bound = variables[column]
        if not isinstance(bound.sort, BitVec):
            continue
        width = bound.sort.width
        fitting = [row for row in rows if not _negative(row[column], bound.sort)]
        same = [c for c, x in enumerate(variables[:MOST_VARIABLES]) if c != column and x.sort is bound.sort]
        for other in same:
            beyond = [row for row in fitting if abs(to_signed(width, row[other])) > row[column]]
            copies = [c for c in same if c != other and all(row[c] == row[column] for row in beyond)] if beyond else []
            excused = [sign(bound, negative=True), *(eq(variables[c], bound) for c in copies[:1])]
            if copies or not beyond:
                yield or_(*excused, bvsle(variables[other], bound))
                yield or_(*excused, bvsle(bvneg(bound), variables[other]))


def orders_under(conditions: Sequence[Term], variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """Which of two numbers is larger where a condition of the program holds, if it is not always so."""
    truths = [(condition, [bool(_value(condition, variables, row)) for row in rows]) for condition in conditions]
    telling = [(condition, holds) for condition, holds in truths if 0 < sum(holds) < len(rows)]
    for at_most, x, y, smaller in _comparisons(variables, rows):
        if not all(smaller):
            for condition, holds in telling[:MOST_CONDITIONS]:
                if all(less for less, here in zip(smaller, holds, strict=True) if here):
                    yield implies(condition, at_most(x, y))


def one_below(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """That one of two numbers is at most a third, where that holds of neither of them alone: the smaller one is."""
    by_bound: dict[tuple[Any, Term], list[tuple[Term, list[bool]]]] = {}
    for at_most, x, y, smaller in _comparisons(variables, rows):
        if any(smaller) and not all(smaller):
            by_bound.setdefault((at_most, y), []).append((x, smaller))
    for (at_most, bound), below in by_bound.items():
        for (x, xs), (y, ys) in combinations(below, 2):
            if all(one or other for one, other in zip(xs, ys, strict=True)):
                yield or_(at_most(x, bound), at_most(y, bound))


def congruent(quotients: Sequence[Term], variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """Of numbers that vary: that the remainder by a constant that the program divides by is always the same, or always
    that of another number.
    """
    varying = [c for c, _ in enumerate(variables) if not _is_constant([row[c] for row in rows])][:MOST_VARIABLES]
    for like in {(q.op, q.args[1]): q for q in quotients if q.op in _REMAINDERS and q.args[1].op is ops.VALUE}.values():
        chosen = [c for c in varying if variables[c].sort is like.sort]
        terms = {c: rebuild(like, (variables[c], like.args[1])) for c in chosen}
        seen = {c: [_value(term, variables, row) for row in rows] for c, term in terms.items()}
        for c, term in terms.items():
            if _is_constant(seen[c]):
                yield eq(term, value(seen[c][0], term.sort))
        for a, b in combinations(chosen, 2):
            if seen[a] == seen[b] and not _is_constant(seen[a]) and any(row[a] != row[b] for row in rows):
                yield eq(terms[a], terms[b])


def _comparisons(variables: Sequence[Term], rows: Rows) -> Iterator[tuple[Any, Term, Term, list[bool]]]:
    """x ≤ y for the first numbers of each sort, without and with a sign, and in which rows it holds."""
    by_sort: dict[Sort, list[int]] = {}
    for column, variable in enumerate(variables):
        if isinstance(variable.sort, BitVec):
            by_sort.setdefault(variable.sort, []).append(column)
    for sort, columns in by_sort.items():
        assert isinstance(sort, BitVec)
        signed = {column: [to_signed(sort.width, row[column]) for row in rows] for column in columns}
        for a, b in permutations(columns[:MOST_COMPARED], 2):
            below = [row[a] <= row[b] for row in rows]
            yield bvule, variables[a], variables[b], below
            yield bvsle, variables[a], variables[b], [x <= y for x, y in zip(signed[a], signed[b], strict=True)]


def _value(term: Term, variables: Sequence[Term], row: Sequence[Any]) -> Any:
    return evaluate(term, dict(zip(variables, row, strict=True)))


def multiples(variables: Sequence[Term], rows: Rows, numbers: Sequence[int]) -> Iterator[Term]:
    """Between which multiples of another one, which is never negative, an integer is: a sum of numbers, and how many
    they are. Factors are some given numbers, and those that fit best.
    """
    for a, b in permutations([c for c, x in enumerate(variables) if x.sort is INT][:MOST_VARIABLES], 2):
        pairs = [(row[a], row[b]) for row in rows]
        counted = [(x, y) for x, y in pairs if y > 0]
        if len(counted) < 2 or any(y < 0 for _, y in pairs):
            continue
        begun = lt(int_(0), variables[b]) if any(x and not y for x, y in pairs) else TRUE  # the sum is set in a round
        most, least = max(-(-x // y) for x, y in counted), min(x // y for x, y in counted)
        for factor in dict.fromkeys((most, *(n for n in numbers if n > most))):
            yield implies(begun, le(variables[a], mul(int_(factor), variables[b])))
        for factor in dict.fromkeys((least, *(n for n in numbers if n < least))):
            yield implies(begun, le(mul(int_(factor), variables[b]), variables[a]))


def mixed_signs(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """That a variable which has both signs is not negative."""
    return (sign(variables[column], negative=False) for column in _mixed(variables, rows))


def _mixed(variables: Sequence[Term], rows: Rows) -> list[int]:
    """The first columns that have both signs."""
    found = (
        column
        for column, variable in enumerate(variables)
        if len({_negative(row[column], variable.sort) for row in rows}) == 2
    )
    return list(islice(found, MOST_MIXED))


def linear_equations(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    by_sort: dict[Sort, list[int]] = {}
    for column, variable in enumerate(variables):
        if variable.sort is not BOOL:
            by_sort.setdefault(variable.sort, []).append(column)
    for columns in by_sort.values():
        group = [variables[column] for column in columns[:MOST_IN_LINEAR]]
        table = [tuple(row[column] for column in columns[:MOST_IN_LINEAR]) for row in rows]
        yield from _equations(group, table, quadratic=False)


def _negative(number: Any, sort: Sort) -> bool:
    return bool(number >> (sort.width - 1)) if isinstance(sort, BitVec) else sort is INT and number < 0


def sign(variable: Term, negative: bool) -> Term:
    at_most = bvsle if isinstance(variable.sort, BitVec) else le
    at_least_zero = at_most(value(0, variable.sort), variable)
    return not_(at_least_zero) if negative else at_least_zero


def _of_one(variable: Term, values: Sequence[Any]) -> Iterator[Term]:
    """Bounds, and the low bits that never change."""
    sort = variable.sort
    if isinstance(sort, BitVec):
        changing = reduce(lambda all_, number: all_ | (number ^ values[0]), values, 0)
        fixed = (changing & -changing).bit_length() - 1
        if fixed:
            yield eq(extract(fixed - 1, 0, variable), bv(values[0], fixed))
        yield bvule(bv(min(values), sort.width), variable)
        yield bvule(variable, bv(max(values), sort.width))
        signed = [to_signed(sort.width, number) for number in values]
        yield bvsle(bv(min(signed), sort.width), variable)
        yield bvsle(variable, bv(max(signed), sort.width))
    elif sort is INT:
        yield le(int_(min(values)), variable)
        yield le(variable, int_(max(values)))


def _of_two(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    for a, b in combinations(range(len(variables)), 2):
        x, y = variables[a], variables[b]
        pairs = [(row[a], row[b]) for row in rows]
        if isinstance(x.sort, BitVec):
            width = x.sort.width
            yield from _ordered(bvule, x, y, pairs)
            yield from _ordered(bvsle, x, y, [(to_signed(width, p), to_signed(width, q)) for p, q in pairs])
        elif x.sort is INT:
            yield from _ordered(le, x, y, pairs)
        elif all(p == q for p, q in pairs):
            yield eq(x, y)
        elif all(p != q for p, q in pairs):
            yield not_(eq(x, y))


def _ordered(at_most: Any, x: Term, y: Term, pairs: Sequence[tuple[int, int]]) -> Iterator[Term]:
    """Which one is larger, up to a small offset: a counter often goes one beyond its bound."""
    differences = [p - q for p, q in pairs]
    for one, other, most in ((x, y, max(differences)), (y, x, -min(differences))):
        if most <= 0:
            yield at_most(one, other)
        elif most <= LARGEST_EXCESS:
            yield at_most(one, _sum(other, value(most, other.sort)))
    if 0 not in differences:
        yield not_(eq(x, y))


def _equations(variables: Sequence[Term], rows: Rows, *, quadratic: bool = True) -> Iterator[Term]:
    """Linear equations, and quadratic ones where the variables are few."""
    sort = variables[0].sort
    width = sort.width if isinstance(sort, BitVec) else None
    numbers = rows if width is None else [tuple(to_signed(width, number) for number in row) for row in rows]
    independent = list(range(min(len(variables), MOST_IN_LINEAR)))
    for found in list(relations(numbers, [(column,) for column in independent], width)):
        yield _equation(found, variables)
        (determined,) = found.terms[-1][1]  # by the others, so it adds nothing to quadratic equations
        if determined in independent:
            independent.remove(determined)
    if quadratic and len(independent) <= MOST_IN_QUADRATIC:
        monomials = [*((column,) for column in independent), *combinations_with_replacement(independent, 2)]
        yield from (_equation(found, variables) for found in relations(numbers, monomials, width))


def _equation(relation: Relation, variables: Sequence[Term]) -> Term:
    """Written without minus signs: negative terms are moved to the other side."""
    sort = variables[0].sort
    sides: tuple[list[Term], list[Term]] = ([], [])
    for coefficient, monomial in (*relation.terms, (-relation.constant, ())):
        if coefficient:
            factors = (value(abs(coefficient), sort), *(variables[column] for column in monomial))
            sides[coefficient < 0].append(reduce(bvmul if isinstance(sort, BitVec) else mul, factors))
    left, right = (reduce(_sum, side, value(0, sort)) for side in sides)
    return eq(left, right)


def _sum(a: Term, b: Term) -> Term:
    return bvadd(a, b) if isinstance(a.sort, BitVec) else add(a, b)
