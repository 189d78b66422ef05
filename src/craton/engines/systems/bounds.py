"""Bounds that a system's own numbers suggest: an argument is at most 1000, a result at most 1000 times an argument.

Recursion that adds up what is at most c has results of at most c times its depth; that numbers do not wrap around
is seen by that, and not by what any number of facts has shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from craton.horn.clauses import System
from craton.logic import BitVec, Sort, Term, Value, bv, bvmul, bvsle, evaluate, ops
from craton.logic.semantics import to_signed
from craton.logic.walk import post_order

MOST_NUMBERS = 12  # of a sort
MOST_TIGHT, MOST_OWN = 2, 4  # bounds of one argument in each direction
MOST_PAIRED = 6  # arguments that are compared
LARGEST_FACTOR = 1 << 16


def numbers(system: System) -> dict[Sort, list[int]]:
    """The numbers in the clauses, with their neighbours, by sort; as signed ones, the smallest first."""
    found: dict[Sort, dict[int, None]] = {}
    for clause in system.clauses:
        atoms = (*clause.body, *(() if clause.head is None else (clause.head,)))
        for term in post_order(clause.constraint, *(a for atom in atoms for a in atom.arguments)):
            if term.op is ops.VALUE and isinstance(term.sort, BitVec):
                found.setdefault(term.sort, {})[to_signed(term.sort.width, term.payload)] = None
    return {sort: sorted(sorted(seen, key=abs)[:MOST_NUMBERS]) for sort, seen in found.items()}


def bounds(columns: Sequence[Term], rows: Sequence[tuple[Value, ...]], known: dict[Sort, list[int]]) -> Iterator[Term]:
    """Those that hold of all rows, which have a value for each column."""
    for place, column in enumerate(columns):
        if isinstance(column.sort, BitVec):
            width = column.sort.width
            seen = [to_signed(width, row[place]) for row in rows]
            given = known.get(column.sort, ())
            near = {n + d for n in given for d in (-1, 0, 1) if -(1 << (width - 1)) <= n + d < 1 << (width - 1)}
            above = _tight([n for n in sorted(near) if n >= max(seen)], given)
            below = _tight([n for n in sorted(near, reverse=True) if n <= min(seen)], given)
            yield from (bvsle(column, bv(n, width)) for n in above)
            yield from (bvsle(bv(n, width), column) for n in below)
    places = [i for i, column in enumerate(columns) if isinstance(column.sort, BitVec)][:MOST_PAIRED]
    for one, other in permutations(places, 2):
        if columns[one].sort is columns[other].sort:
            yield from _scaled(columns[one], columns[other], [(row[one], row[other]) for row in rows], known)


def _tight(candidates: Sequence[int], given: Sequence[int]) -> list[int]:
    """The first of the candidates, and of those that are the system's own a few more."""
    own = [n for n in candidates if n in given]
    return list(dict.fromkeys((*candidates[:MOST_TIGHT], *own[:MOST_OWN])))


def _scaled(
    smaller: Term, larger: Term, pairs: Sequence[tuple[Value, Value]], known: dict[Sort, list[int]]
) -> Iterator[Term]:
    """One argument is at most so many times another: the smallest such numbers."""
    assert isinstance(larger.sort, BitVec)
    found = 0
    for factor in known.get(larger.sort, ()):
        if not 1 < factor <= LARGEST_FACTOR or found == MOST_TIGHT:
            continue
        bound = bvsle(smaller, bvmul(bv(factor, larger.sort.width), larger))
        if all(evaluate(bound, {smaller: one, larger: other}) is True for one, other in pairs):
            found += 1
            yield bound
