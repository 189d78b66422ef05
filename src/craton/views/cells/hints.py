"""What may be true of cells: hints for engines, made from what the steps of a program write and ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from craton.logic import (
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvsle,
    bvurem,
    eq,
    fold,
    free_variables,
    implies,
    int_,
    le,
    mod,
    not_,
    ops,
    rebuild,
    substitute,
)
from craton.logic.affine import affine
from craton.logic.walk import atoms

_COMPARISONS = (ops.BVSLT, ops.BVSLE, ops.BVULT, ops.BVULE, ops.LT, ops.LE, ops.EQ)
_MOST_FACTS, _MOST_LIMITS, _MOST_BEGINNINGS = 24, 10, 3


class Hints:
    """What may be true of a cell, gathered step by step."""

    def __init__(self, positions: Sequence[Term], pointers: Mapping[Term, Term]) -> None:
        self._position, *self._others = positions
        self._pointers = pointers
        self._conditions: dict[Term, None] = {}  # of the program, that speak of no cell
        self._constants: dict[Term, dict[Term, None]] = {}  # that variables are set to
        self._wanted: dict[Term, None] = {}  # that errors cannot be reached
        self._facts: dict[Term, None] = {}
        self._indices: dict[Term, None] = {}
        self._limits: dict[Term, None] = {}  # that positions may be below of or above

    def look_at(
        self, guard: Term, updates: Mapping[Term, Term], indices: Iterable[Term], chosen: frozenset[Term]
    ) -> None:
        """At a step, which reads or writes elements at some indices."""
        for variable, value in updates.items():
            if value.op is ops.VALUE:
                self._constants.setdefault(variable, {})[value] = None
        compared = [atom for atom in atoms(guard) if atom.op in _COMPARISONS]
        kept = [{}, *({value: variable} for variable, value in updates.items() if value in chosen)]
        conditions = (substitute(atom, names) for names in kept for atom in atoms(guard))
        self._conditions |= dict.fromkeys(atom for atom in conditions if self._is_open(atom, chosen))
        for index in dict.fromkeys(indices):
            if free_variables(index) & chosen:
                continue
            self._indices[index] = None
            for atom in compared:
                if free_variables(index) & free_variables(atom):
                    self._limits |= dict.fromkeys(t for t in atom.args if self._can_limit(t, chosen))
            for cell, value in updates.items():
                here = _replaced(substitute(value, self._pointers), index, self._position)
                if is_cell(cell) and cell not in free_variables(here):
                    self._note(eq(cell, here), index, chosen, self._facts)
            for atom in atoms(guard):
                self._note(atom, index, chosen, self._facts)
                self._note(not_(atom), index, chosen, self._facts)

    def _can_limit(self, term: Term, chosen: frozenset[Term]) -> bool:
        return term.sort is self._position.sort and self._is_open(term, chosen)

    def _is_open(self, term: Term, chosen: frozenset[Term]) -> bool:
        """Whether it speaks neither of cells and their position nor of what a step chooses."""
        free = free_variables(term)
        closed = chosen.union((self._position, *self._others))
        return not free & closed and not any(map(is_cell, free))

    def must_not(self, question: Term, indices: Iterable[Term], chosen: frozenset[Term]) -> None:
        """What leads into an error."""
        for index in dict.fromkeys(indices):
            self._note(not_(question), index, chosen, self._wanted)

    def must_not_both(self, question: Term, indices: tuple[Term, Term], chosen: frozenset[Term]) -> None:
        """What leads into an error, and depends on two elements: a fact of two cells whose positions are related."""
        first, second = indices
        related = eq(self._others[0], _replaced(second, first, self._position))
        fact = not_(_replaced(substitute(question, self._pointers), second, self._others[0]))
        self._note(implies(related, fact), first, chosen, self._wanted)

    def _note(self, fact: Term, index: Term, chosen: frozenset[Term], facts: dict[Term, None]) -> None:
        """The fact with the position in the place of an index."""
        fact = _replaced(substitute(fact, self._pointers), index, self._position)
        free = free_variables(fact)
        if any(map(is_cell, free)) and not free & chosen and fact is not TRUE:
            facts[fact] = None

    def formulas(self) -> tuple[Term, ...]:
        facts = list(self._wanted | self._facts)[:_MOST_FACTS]
        constant = {limit for limit in self._limits if limit.op is ops.VALUE}
        terms = self._indices | dict.fromkeys(self._first_and_last()) | self._limits
        limits = [limit for limit in terms if limit not in constant] + sorted(constant, key=lambda t: -t.payload)
        limits = limits[:_MOST_LIMITS]
        variables = [index for index in self._indices if index.is_variable]
        bounds = [self._at_most(self._zero, index) for index in variables]
        bounds += [self._at_most(*pair) for i in variables for t in limits if i is not t for pair in ((i, t), (t, i))]
        ranges = [TRUE, *self._ranges(variables[:_MOST_BEGINNINGS], limits), *self._every_so_often()]
        return (*self._conditions, *bounds, *(implies(part, fact) for fact in facts for part in ranges))

    def _first_and_last(self) -> Iterator[Term]:
        """Indices of two variables, where one of them is a constant that it is set to."""
        for index in self._indices:
            free = free_variables(index)
            for variable in sorted(free, key=lambda v: v.serial) if len(free) > 1 else ():
                for constant in self._constants.get(variable, ()):
                    yield substitute(index, {variable: constant})

    def _ranges(self, beginnings: Sequence[Term], limits: Sequence[Term]) -> Iterator[Term]:
        k = self._position
        for limit in limits:
            below = not_(self._at_most(limit, k))
            yield and_(self._at_most(self._zero, k), below)
            for other in self._others:
                both = and_(self._at_most(self._zero, k), self._at_most(self._zero, other))
                yield and_(both, below, not_(self._at_most(limit, other)))
            for index in beginnings:
                if index is not limit:
                    yield and_(self._at_most(index, k), below)
                    yield and_(not_(self._at_most(k, index)), below)

    def _every_so_often(self) -> Iterator[Term]:
        """Positions below m·i + c that are c modulo m, for indices of this form."""
        k = self._position
        for index in self._indices:
            sum_ = affine(index)
            factors = {abs(factor) for factor in sum_.factors.values()}
            if len(factors) == 1 and (step := factors.pop()) > 1:
                below = and_(self._at_most(self._zero, k), not_(self._at_most(index, k)))
                rest = sum_.constant % step
                if isinstance(k.sort, BitVec):
                    yield and_(below, eq(bvurem(k, bv(step, k.sort.width)), bv(rest, k.sort.width)))
                else:
                    yield and_(below, eq(mod(k, int_(step)), int_(rest)))

    @property
    def _zero(self) -> Term:
        sort = self._position.sort
        return bv(0, sort.width) if isinstance(sort, BitVec) else int_(0)

    def _at_most(self, a: Term, b: Term) -> Term:
        return bvsle(a, b) if isinstance(a.sort, BitVec) else le(a, b)


def _replaced(term: Term, part: Term, by: Term) -> Term:
    """The term with another one in the place of a part that need not be a variable."""
    return fold(term, lambda node, args: by if node is part else rebuild(node, args) if args else node)


def is_cell(variable: Term) -> bool:
    return " cell " in variable.name
