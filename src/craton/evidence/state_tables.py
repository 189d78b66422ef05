"""Contradictions that tables show: where numbers are only compared, their order decides, and there are few orders.

A protocol that elects the node with the largest id never computes with ids: it copies and compares them. What a formula
says then depends on the truth values in it and on how the ids are ordered, among each other and among the constants
that they are compared with. All of that is listed, one row for each case, and the formula is computed in all rows at
once (`logic.columns`).

Law: what is called contradictory has no model. Let a model be given, and the row whose truth values and small numbers
are the model's, and whose other numbers are ordered as they are there: those that are compared with each other, and
among them the place where the sign changes and all constants that they are compared with (a *group*). Where such
numbers are only chosen (`ite`), extended, cut to no less than they were, and compared, every choice and every
comparison is the same in the model and in the row, by induction on the formula: so it holds in the row. There is a row
for each order of each group that fits between its constants (`state_orders`). Formulas that do anything else with such
a number are refused. Of the premise some parts may be left out, which only makes it weaker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from craton.evidence.smaller_questions import smaller
from craton.evidence.state_orders import Reading, TooManyOrders, orders
from craton.logic import BOOL, FALSE, TRUE, BitVec, Term, and_, conjuncts, free_variables, not_, ops, post_order
from craton.logic.build import rebuild
from craton.logic.columns import Column, Columns, column, repeated
from craton.logic.walk import fold, replaced

TABLES = "tables"  # what is told of who checked a proof
_MOST_ORDERS = 6000
_MOST_ROWS = 3 << 20
_SMALL = 3  # numbers that are known to be at most this are not ordered: each value has rows

_COMPARISONS = (ops.EQ, ops.BVSLE, ops.BVSLT, ops.BVULE, ops.BVULT)
_READINGS = {ops.SIGN_EXTEND: Reading.SIGNED, ops.ZERO_EXTEND: Reading.UNSIGNED}
_WITH_NAMES = (ops.APPLY, ops.SELECT, ops.FORALL, ops.EXISTS)


class _Refused(Exception):
    """The formula does more than to compare, or there are too many cases."""


class StateTables:
    """Answers questions about one premise, one after the other; what they have in common is computed once."""

    def __init__(self, premise: Term) -> None:
        self._parts = [(part, free_variables(part)) for part in conjuncts(premise)]
        self._spoken_of = free_variables(premise)
        self._small = dict(_small_numbers([part for part, _ in self._parts]))
        self._tables: dict[frozenset[Term], _Table] = {}
        self._refused: set[frozenset[Term]] = set()  # of which there are too many cases
        self._known: dict[Term, bool] = {}

    def contradict(self, formula: Term) -> bool:
        """Whether a formula is shown to contradict the premise."""
        if formula not in self._known:
            asked = self._settled(smaller(formula, self._spoken_of))
            self._known[formula] = asked is FALSE or self._asked(asked)
        return self._known[formula]

    def _asked(self, formula: Term) -> bool:
        try:
            return self._table(formula).columns.where(formula) == 0
        except _Refused:
            return False

    def _settled(self, formula: Term) -> Term:
        """With conditions decided that speak of one number only, if the premise speaks of it alone: what counts rounds
        has nothing to do with the rest.
        """
        known: dict[Term, Term] = {}
        for node in post_order(formula):
            if node.op in _COMPARISONS and len(free_variables(node)) == 1:
                if self._connected(node)[1] == free_variables(node):
                    if self._asked(node):
                        known[node] = FALSE
                    elif self._asked(not_(node)):
                        known[node] = TRUE
        return replaced((formula,), known)[0] if known else formula

    def _table(self, formula: Term) -> _Table:
        """One that has all orders that matter; what others need as well is added, so that few are made."""
        parts, symbols = self._connected(formula)
        use = _Use.of((formula,), self._small)
        table = self._tables.get(symbols)
        if symbols in self._refused:
            raise _Refused
        if table is not None and use <= table.use:
            return table
        if table is None:
            parts = [part for part in parts if _is_possible(part, self._small)]
            use = use.joined(_Use.of(parts, self._small))
        else:
            parts, use = list(table.parts), use.joined(table.use)
        self._refused.add(symbols)
        self._tables[symbols] = _Table(parts, symbols, use, self._small)
        self._refused.remove(symbols)
        return self._tables[symbols]

    def _connected(self, formula: Term) -> tuple[list[Term], frozenset[Term]]:
        """The parts of the premise that speak of the formula's variables, directly or through others; and of which."""
        spoken_of, waiting, found = free_variables(formula), self._parts, list[Term]()
        while near := [one for one in waiting if not one[1].isdisjoint(spoken_of)]:
            found += [part for part, _ in near]
            waiting = [one for one in waiting if one[1].isdisjoint(spoken_of)]
            spoken_of = spoken_of.union(*(variables for _, variables in near))
        return found, spoken_of


def _is_possible(part: Term, small: Mapping[Term, int]) -> bool:
    try:
        _Use.of((part,), small)
    except _Refused:
        return False
    return True


def _small_numbers(parts: Sequence[Term]) -> Iterator[tuple[Term, int]]:
    for part in parts:
        if part.op is ops.BVULE and part.args[0].is_variable and part.args[1].is_value:
            if part.args[1].payload <= _SMALL:
                yield part.args[0], part.args[1].payload


# --- what is done with numbers ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Copied:
    """A term whose value is that of one of some constants, or of one of some variables whose order counts."""

    constants: frozenset[Term] = frozenset()
    symbols: frozenset[Term] = frozenset()


_Kind = _Copied | None  # None: a term with values of its own


@dataclass(frozen=True, slots=True)
class _Group:
    """Numbers that are compared with each other and with these constants, and how they are read where extended."""

    symbols: frozenset[Term]
    constants: frozenset[Term] = frozenset()
    reading: Reading | None = None

    def joined(self, other: _Group) -> _Group:
        if self.reading and other.reading and self.reading is not other.reading:
            raise _Refused
        reading = self.reading or other.reading
        return _Group(self.symbols | other.symbols, self.constants | other.constants, reading)


@dataclass(frozen=True, slots=True)
class _Use:
    """How formulas speak of the numbers that are ordered: the groups have no symbol in common."""

    groups: frozenset[_Group] = frozenset()

    @classmethod
    def of(cls, formulas: Iterable[Term], small: Mapping[Term, int]) -> _Use:
        found = _Uses(small)
        memo: dict[Term, _Kind] = {}
        for formula in formulas:
            fold(formula, found.visit, memo)
        return found.use

    def __le__(self, other: _Use) -> bool:
        return self.joined(other) == other

    def joined(self, other: _Use) -> _Use:
        found = self
        for group in other.groups:
            found = found.with_(group)
        return found

    def with_(self, group: _Group) -> _Use:
        apart = set(self.groups)
        for one in self.groups:
            if one.symbols & group.symbols:
                apart.remove(one)
                group = group.joined(one)
        return _Use(frozenset((*apart, group)))


class _Uses:
    """Looks at formulas, term by term."""

    def __init__(self, small: Mapping[Term, int]) -> None:
        self.small = small
        self.use = _Use()

    def visit(self, node: Term, args: list[_Kind]) -> _Kind:
        if node.op in _WITH_NAMES or not (node.sort is BOOL or isinstance(node.sort, BitVec)):
            raise _Refused
        if node.sort is BOOL:
            self._condition(node, args)
            return None
        if node.op is ops.VALUE:
            return _Copied(frozenset((node,)))
        if node.op is ops.VARIABLE:
            return None if node in self.small else self._symbol(node)
        if node.op is ops.ITE:
            return _chosen(args[1], args[2])
        if node.op in _READINGS:
            return self._extended(node, args[0])
        if node.op is ops.EXTRACT and args[0] is not None and _is_kept(node, args[0]):
            return _of_constants(node, args[0])
        if any(one is not None and one.symbols for one in args):
            raise _Refused
        return None

    def _symbol(self, node: Term) -> _Copied:
        self.use = self.use.with_(_Group(frozenset((node,))))
        return _Copied(symbols=frozenset((node,)))

    def _extended(self, node: Term, one: _Kind) -> _Kind:
        for symbol in one.symbols if one is not None else ():
            self.use = self.use.with_(_Group(frozenset((symbol,)), reading=_READINGS[node.op]))
        return one and _of_constants(node, one)

    def _condition(self, node: Term, args: list[_Kind]) -> None:
        known = [one for one in args if one is not None]
        symbols = frozenset[Term]().union(*(one.symbols for one in known))
        if not symbols:
            return
        if node.op not in _COMPARISONS or len(known) < len(args):
            raise _Refused
        self.use = self.use.with_(_Group(symbols, frozenset[Term]().union(*(one.constants for one in known))))


def _is_kept(node: Term, one: _Copied) -> bool:
    """Whether of extended numbers nothing is cut off but what they were extended by."""
    assert isinstance(node.sort, BitVec)
    widths = [x.sort.width for x in one.symbols if isinstance(x.sort, BitVec)]
    return node.payload[1] == 0 and node.sort.width >= max(widths, default=0)


def _of_constants(node: Term, one: _Copied) -> _Copied:
    """What the operation makes of constants; variables keep their numbers."""
    return _Copied(frozenset(rebuild(node, [x]) for x in one.constants), one.symbols)


def _chosen(one: _Kind, other: _Kind) -> _Kind:
    if one is not None and other is not None:
        return _Copied(one.constants | other.constants, one.symbols | other.symbols)
    if (one is not None and one.symbols) or (other is not None and other.symbols):
        raise _Refused
    return None


# --- the cases --------------------------------------------------------------------------------------------------------


class _Table:
    """All cases in which the parts of a premise hold."""

    def __init__(self, parts: Sequence[Term], symbols: frozenset[Term], use: _Use, small: Mapping[Term, int]) -> None:
        self.parts = tuple(parts)
        self.use = use
        self._length = 1
        self._places: list[tuple[Sequence[Term], Sequence[tuple[object, ...]], int]] = []
        for x in sorted(symbols, key=lambda x: x.serial):
            if x.sort is BOOL or x in small:
                names = (False, True) if x.sort is BOOL else range(small[x] + 1)
                self._add((x,), [(name,) for name in names])
        for group in sorted(use.groups, key=lambda group: min(x.serial for x in group.symbols)):
            self._add_orders(group)
        self.columns = self._where_all_hold()

    def _add(self, symbols: Sequence[Term], cases: Sequence[tuple[object, ...]]) -> None:
        self._places.append((symbols, cases, self._length))
        self._length *= len(cases)
        if self._length > _MOST_ROWS:
            raise _Refused

    def _add_orders(self, group: _Group) -> None:
        symbols = sorted(group.symbols, key=lambda x: x.serial)
        if len({x.sort for x in symbols}) > 1:
            raise _Refused
        about = [part for part in self.parts if free_variables(part) <= group.symbols]
        try:
            most = min(_MOST_ORDERS, _MOST_ROWS // max(1, self._length))
            rows = orders(symbols, group.constants, group.reading, about, most)
        except TooManyOrders as problem:
            raise _Refused from problem
        self._add(symbols, rows)

    def _where_all_hold(self) -> Columns:
        """Each case of one with each of the others."""
        found: dict[Term, Column] = {}
        for symbols, cases, run in self._places:
            period = run * len(cases)
            for i, x in enumerate(symbols):
                once = column([case[i] for case in cases], run)
                found[x] = {value: repeated(mask, period, self._length) for value, mask in once.items()}
        everything = Columns((1 << self._length) - 1, found)
        premise = everything.where(and_(*self.parts))
        return everything if premise is None else Columns(premise, found)
