"""What may be true of cells: hints for engines, made from what the steps of a program write and ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from craton.logic import (
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvsle,
    bvurem,
    eq,
    free_variables,
    implies,
    int_,
    le,
    mod,
    not_,
    ops,
    substitute,
)
from craton.logic.affine import affine, low_part, normal_sum
from craton.logic.walk import atoms
from craton.views.cells.positions import asked_by, leaves, moving, told_by, told_by_rows

_COMPARISONS = (ops.BVSLT, ops.BVSLE, ops.BVULT, ops.BVULE, ops.LT, ops.LE, ops.EQ)
_MOST_FACTS, _MOST_LIMITS, _MOST_BEGINNINGS, _MOST_CORNERS = 24, 10, 4, 16
_MOST_ROUNDS, _MOST_VALUES = 3, 4  # of computing what is in cells from what is in cells
_MOST_FLAGS = 8  # conditions that facts may depend on


class Hints:
    """What may be true of a cell, gathered step by step."""

    def __init__(self, positions: Sequence[Term], pointers: Mapping[Term, Term]) -> None:
        self._position, *self._others = positions
        self._pointers = pointers
        self._conditions: dict[Term, None] = {}  # of the program, that speak of no cell
        self._constants: dict[Term, dict[Term, None]] = {}  # that variables are set to
        self._ends: dict[Term, dict[Term, None]] = {}  # constants that variables are compared with
        self._wanted: dict[Term, None] = {}  # that errors cannot be reached
        self._facts: dict[Term, None] = {}
        self._turned: dict[Term, None] = {}  # those of two positions, one the other or its negative but for a summand
        self._writes: dict[tuple[Term, Term], None] = {}  # cells, and what is written to them, told by cells
        self._flags: dict[Term, bool] = {}  # whether variables are set to nothing but constants
        self._indices: dict[Term, None] = {}
        self._wide: dict[Term, None] = {}  # bounds of what is wider than positions
        self._limits: dict[Term, None] = {}  # that positions may be below of or above

    def look_at(
        self, guard: Term, updates: Mapping[Term, Term], indices: Iterable[Term], chosen: frozenset[Term]
    ) -> None:
        """At a step, which reads or writes elements at some indices."""
        for variable, value in updates.items():
            if value.op is ops.VALUE:
                self._constants.setdefault(variable, {})[value] = None
            self._note_flag(variable, list(leaves(value)), chosen)
        compared = [atom for atom in atoms(guard) if atom.op in _COMPARISONS and self._is_open(atom, chosen)]
        for atom in compared:
            for variable, constant in (atom.args, atom.args[::-1]):
                if variable.is_variable and constant.op is ops.VALUE:
                    self._ends.setdefault(variable, {})[constant] = None
        kept = [{}, *({value: variable} for variable, value in updates.items() if value in chosen)]
        conditions = (substitute(atom, names) for names in kept for atom in atoms(guard))
        for condition in conditions:
            if self._is_open(condition, chosen):
                self._conditions |= {condition: None, not_(condition): None}
        for index in dict.fromkeys(indices):
            if free_variables(index) & chosen:
                continue
            self._indices[index] = None
            for atom in compared:
                if free_variables(index) & free_variables(atom):
                    self._limit(atom.args)
            for cell, value in updates.items():
                if is_cell(cell):
                    self._note_write(cell, substitute(value, self._pointers), index, chosen)
            for atom in atoms(guard):
                self._note(atom, index, chosen, self._facts)
                self._note(not_(atom), index, chosen, self._facts)

    def _note_flag(self, variable: Term, values: Sequence[Term], chosen: frozenset[Term]) -> None:
        if all(value in chosen for value in values):
            return  # it is arbitrary before it is set
        known = all(value.op is ops.VALUE or value is variable for value in values)
        self._flags[variable] = known and self._flags.get(variable, True)

    def _limit(self, compared: Sequence[Term]) -> None:
        """What an index is compared with, in the width of positions."""
        sort, wide = self._position.sort, compared[0].sort
        if isinstance(sort, BitVec) and isinstance(wide, BitVec) and wide.width > sort.width:
            one, other = compared
            self._wide |= dict.fromkeys((bvsle(one, other), bvsle(other, one), bvsle(bv(0, wide.width), one)))
            compared = [low_part(t, sort.width) for t in compared]
        self._limits |= dict.fromkeys(t for t in compared if t.sort is sort)

    def _note_write(self, cell: Term, value: Term, index: Term, chosen: frozenset[Term]) -> None:
        for here in self._told(value, index):
            if cell not in free_variables(here):
                self._add(eq(cell, here), chosen, self._facts)
            if not free_variables(here) & chosen:
                self._writes[cell, here] = None
        self._note_choice(cell, value, chosen)

    def _note_choice(self, cell: Term, value: Term, chosen: frozenset[Term]) -> None:
        """What the step asks of an input that it writes: `a[i] = input(); if (a[i] < 0) a[i] = 0`."""
        written = [leaf for leaf in leaves(value) if leaf in chosen and leaf.sort is cell.sort]
        for leaf in written[:1]:
            for atom in atoms(and_(*asked_by(value))):
                told = substitute(atom, {leaf: cell})
                for fact in (told, not_(told)):
                    self._add(fact, chosen, self._facts)

    def _is_open(self, term: Term, chosen: frozenset[Term]) -> bool:
        """Whether it speaks neither of cells and their position nor of what a step chooses."""
        free = free_variables(term)
        closed = chosen.union((self._position, *self._others))
        return not free & closed and not any(map(is_cell, free))

    def must_not(self, question: Term, indices: Iterable[Term], chosen: frozenset[Term]) -> None:
        """What leads into an error."""
        for index in dict.fromkeys(indices):
            self._note(not_(question), index, chosen, self._wanted)

    def must_not_both(self, question: Term, indices: Sequence[Term], chosen: frozenset[Term]) -> None:
        """What leads into an error, and depends on two elements."""
        self._note_both(not_(question), indices, chosen, self._wanted)

    def written_from(self, fact: Term, indices: Sequence[Term], chosen: frozenset[Term]) -> None:
        """What a step makes true of an element that it writes and of another one that it reads, if one's position tells
        the other's.
        """
        first, second = indices
        if self._position in free_variables(told_by(second, first, self._position)):
            self._note_both(fact, indices, chosen, self._facts)

    def _note_both(self, fact: Term, indices: Sequence[Term], chosen: frozenset[Term], facts: dict[Term, None]) -> None:
        """A fact of two cells whose positions are related."""
        first, second = indices
        related = eq(self._others[0], told_by(second, first, self._position))
        told = told_by(substitute(fact, self._pointers), second, self._others[0])
        before = len(facts)
        self._note(implies(related, told), first, chosen, facts)
        if abs(affine(told_by(second, first, self._position)).factors.get(self._position, 0)) == 1:
            self._turned |= dict.fromkeys(list(facts)[before:])

    def _note(self, fact: Term, index: Term, chosen: frozenset[Term], facts: dict[Term, None]) -> None:
        """The fact with the position in the place of an index."""
        for told in self._told(fact, index):
            self._add(told, chosen, facts)

    def _told(self, term: Term, index: Term) -> Iterator[Term]:
        """The term with the position in the place of an index; and with rows and columns told by it, too."""
        known = substitute(term, self._pointers)
        yield told_by(known, index, self._position)
        by_rows = told_by_rows(known, index, self._position)
        if by_rows is not known:
            yield by_rows

    def _add(self, fact: Term, chosen: frozenset[Term], facts: dict[Term, None]) -> None:
        free = free_variables(fact)
        if any(map(is_cell, free)) and not free & chosen and fact is not TRUE:
            facts[fact] = None

    def _computed(self) -> Iterator[Term]:
        """What cells are that were computed from cells: `a[i] = a[i] - 2` after `a[i] = i * i`."""
        known: dict[Term, dict[Term, None]] = {}
        for _ in range(_MOST_ROUNDS):
            for cell, value in self._writes:
                cells = sorted(filter(is_cell, free_variables(value)), key=lambda v: v.serial)
                for values in islice(product(*(list(known.get(c, ())) for c in cells)), _MOST_VALUES):
                    found = known.setdefault(cell, {})
                    new = substitute(value, dict(zip(cells, values, strict=True)))
                    if len(found) < _MOST_VALUES and new not in found:
                        found[new] = None
                        yield eq(cell, new)

    def formulas(self) -> tuple[Term, ...]:
        facts = list(self._wanted | self._facts | dict.fromkeys(self._computed()))[:_MOST_FACTS]
        limits = self._all_limits()
        variables = [index for index in self._indices if index in moving(affine(index))]
        variables += [index for index in self._indices if len(moving(affine(index))) == 1 and index not in variables]
        parts = {part: v for index in self._indices for part, v in moving(affine(index)).items()}
        bounds = [*self._wide, *(self._at_most(self._zero, part) for part in parts)]
        ends = [(part, substitute(part, {v: end})) for part, v in parts.items() for end in self._ends.get(v, ())]
        pairs = dict.fromkeys((*((part, t) for part in parts for t in limits if part is not t), *ends))
        bounds += [part for i, t in pairs for part in (self._at_most(i, t), self._at_most(t, i), self._near(i, t))]
        ranges = [TRUE, *self._ranges(variables[:_MOST_BEGINNINGS], limits), *self._every_so_often(limits)]
        told = [implies(part, fact) for part in ranges for fact in facts if self._may_be_within(fact, part)]
        told += [implies(flag, fact) for flag in self._flagged() for fact in self._within(limits, self._wanted)]
        return (*self._conditions, *bounds, *told)

    def _may_be_within(self, fact: Term, range_: Term) -> bool:
        """Ranges of the other position alone are for facts in which it tells the first one, also where numbers wrap."""
        free = free_variables(range_)
        if free.isdisjoint(self._others):
            return True
        return free & frozenset(self._others) <= free_variables(fact) and (
            self._position in free or fact in self._turned
        )

    def _within(self, limits: Sequence[Term], facts: Iterable[Term]) -> Iterator[Term]:
        """The facts at positions from the first one to limits."""
        for limit in limits:
            below = and_(self._at_most(self._zero, self._position), not_(self._at_most(limit, self._position)))
            yield from (implies(below, fact) for fact in facts)

    def _flagged(self) -> list[Term]:
        """Questions about variables that are set to constants only: `if (all_equal)`."""
        flags = frozenset(variable for variable, is_flag in self._flags.items() if is_flag)
        return [c for c in self._conditions if free_variables(c) <= flags][:_MOST_FLAGS]

    def _all_limits(self) -> list[Term]:
        """Those that change first, then behind which the last row ends, then other constants, large ones first."""
        rows = dict.fromkeys(limit for index in self._indices for limit in self._rows(index))
        terms = list(self._indices | rows | dict.fromkeys(self._corners()) | self._limits)
        constants = sorted((t for t in terms if t.op is ops.VALUE), key=lambda t: (t not in rows, -t.payload))
        return [*(t for t in terms if t.op is not ops.VALUE), *constants][:_MOST_LIMITS]

    def _rows(self, index: Term) -> Iterator[Term]:
        """Of indices of several variables (`1500·i + j`): the row's beginning, where j is a constant that it is set to;
        that of the plane, and so on; and behind the last of all, where i is what it is compared with.
        """
        parts = affine(index).factors
        variables = [v for part, v in sorted(moving(affine(index)).items(), key=lambda pair: abs(parts[pair[0]]))]
        beginning = index
        for variable in variables[:-1]:
            constants = self._constants.get(variable)
            if not constants:
                return
            beginning = substitute(beginning, {variable: next(iter(constants))})
            yield beginning
        for end in self._ends.get(variables[-1], ()) if len(variables) > 1 else ():
            yield substitute(beginning, {variables[-1]: end})

    def _corners(self) -> Iterator[Term]:
        """The same with any one of the variables as a constant that it is set to, and with all of them as constants."""
        for index in self._indices:
            variables = sorted(free_variables(index), key=lambda v: v.serial)
            if len(variables) < 2:
                continue
            for variable in variables:
                for constant in self._constants.get(variable, ()):
                    yield substitute(index, {variable: constant})
            known = [(*self._constants.get(v, ()), *self._ends.get(v, ())) for v in variables]
            for values in islice(product(*known), _MOST_CORNERS):
                yield substitute(index, dict(zip(variables, values, strict=True)))

    def _ranges(self, beginnings: Sequence[Term], limits: Sequence[Term]) -> Iterator[Term]:
        k = self._position
        for limit in limits:
            below = not_(self._at_most(limit, k))
            yield and_(self._at_most(self._zero, k), below)
            for other in self._others:
                both = and_(self._at_most(self._zero, k), self._at_most(self._zero, other))
                other_below = not_(self._at_most(limit, other))
                yield and_(both, below, other_below)
                yield and_(self._at_most(self._zero, other), other_below)
            for index in beginnings:
                if index is not limit:
                    yield and_(self._at_most(index, k), below)
                    yield and_(not_(self._at_most(k, index)), below)

    def _every_so_often(self, limits: Sequence[Term]) -> Iterator[Term]:
        """Positions below m·i + c that are c modulo m, for indices of this form; and below limits, when i has passed
        them. The last ones below are m·i + c - m: that is an index still where m·i + c is beyond all numbers.
        """
        k = self._position
        for index in self._indices:
            sum_ = affine(index)
            factors = {abs(factor) for factor in sum_.factors.values()}
            if len(factors) == 1 and (step := factors.pop()) > 1:
                rest = self._is_rest(sum_.constant % step, step)
                last = normal_sum(sum_.factors, sum_.constant - step, index.sort).term
                yield and_(self._at_most(self._zero, k), self._at_most(k, last), rest)
                for limit in dict.fromkeys(t for t in limits if t not in self._indices):
                    yield and_(self._at_most(self._zero, k), not_(self._at_most(limit, k)), rest)

    def _is_rest(self, rest: int, step: int) -> Term:
        """That the position is so much modulo a step."""
        k = self._position
        if isinstance(k.sort, BitVec):
            return eq(bvurem(k, bv(step, k.sort.width)), bv(rest, k.sort.width))
        return eq(mod(k, int_(step)), int_(rest))

    def _near(self, index: Term, limit: Term) -> Term:
        """That the index is at most one beyond: where `i <= n` ends a loop, i is n + 1 behind it."""
        return self._at_most(index, normal_sum({limit: 1}, 1, limit.sort).term)

    @property
    def _zero(self) -> Term:
        sort = self._position.sort
        return bv(0, sort.width) if isinstance(sort, BitVec) else int_(0)

    def _at_most(self, a: Term, b: Term) -> Term:
        return bvsle(a, b) if isinstance(a.sort, BitVec) else le(a, b)


def is_cell(variable: Term) -> bool:
    return " cell " in variable.name
