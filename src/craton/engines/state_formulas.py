"""What is known about a state of an unrolled program, expressed over the program's variables alone.

A state gives every variable a value built from the choices made on the way. Choices have no name in the program, but a
variable that holds one, unchanged or extended, can represent it; numbers of rounds (`program.acceleration`) also one
that holds a sum with a multiple of it. Parts that still mention a choice are dropped: this weakens the formula. A
multiple may have wrapped, and then stands for another number. The check decides whether the invariants are right, and
strong enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from craton.facts.ranges import Range
from craton.facts.states import assumed
from craton.logic import (
    FALSE,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvlshr,
    bvmul,
    bvsub,
    bvudiv,
    conjuncts,
    eq,
    extract,
    free_variables,
    ops,
    or_,
    post_order,
    select,
    substitute,
    var,
)
from craton.logic.affine import Affine, affine
from craton.logic.build import rebuild
from craton.logic.walk import fold
from craton.program.acceleration.counters import is_counter

MOST_MEETING = 4  # choices of ways that are looked at one by one


class StateFormulas:
    """`definitions` are names for terms over earlier names; `variables` are those of the program. `possible` says of a
    way's condition whether anybody comes that way, as far as it knows.
    """

    def __init__(
        self,
        definitions: Mapping[Term, Term],
        variables: frozenset[Term],
        possible: Callable[[Term], bool] = lambda condition: True,
    ) -> None:
        self.variables = variables
        self.possible = possible
        self.meanings: dict[Term, Term] = {}
        for name, term in definitions.items():
            self.meanings[name] = substitute(term, self.meanings)

    def formula(self, condition: Term, values: Mapping[Term, Term], wanted: frozenset[Term]) -> Term:
        """The condition and the values of the wanted variables; of other variables only their initial values."""
        start = {v: var(f"{v.name}!start", v.sort) for v in values}  # the plain name is the current value
        given = substitute(substitute(condition, self.meanings), start)
        now = {v: substitute(substitute(t, self.meanings), start) for v, t in values.items()}
        return or_(*(self._told(*way, wanted) for way in _ways(given, now, self.possible) if way[0] is not FALSE))

    def _told(self, condition: Term, values: Mapping[Term, Term], wanted: frozenset[Term]) -> Term:
        cells = _Cells(frozenset(var(f"{v.name}!start", v.sort) for v in values))
        now = {v: cells.named(t) for v, t in values.items()}
        given = conjuncts(cells.named(condition))
        ordered = sorted(now, key=lambda v: (v not in wanted, v.serial))
        held = [(place, t) for v in ordered for place, t in ((v, now[v]), *cells.held(v, now[v]))]
        places = [(place, t) for place, t in held if t not in self.variables]
        holders = _solved(places, self.variables, _holders(places))
        told = [substitute(part, holders) for part in given]
        told += [eq(place, substitute(t, holders)) for place, t in held if free_variables(place) <= wanted]
        return and_(*(part for part in told if free_variables(part) <= self.variables))


def _ways(
    condition: Term, values: Mapping[Term, Term], possible: Callable[[Term], bool]
) -> Iterator[tuple[Term, Mapping[Term, Term]]]:
    """Where ways meet that have gone rounds, the numbers of rounds are known way by way only; so are those that a way
    leaves no choice.
    """
    mentioned = frozenset[Term]().union(*map(free_variables, values.values()))
    if not any(map(is_counter, mentioned)):
        yield condition, values
        return
    nodes = (node for t in values.values() for node in post_order(t))
    meeting = dict.fromkeys(n.args[0] for n in nodes if n.op is ops.ITE and n.args[0].op is ops.VARIABLE)
    for sides in product((TRUE, FALSE), repeat=min(len(meeting), MOST_MEETING)):
        side = dict(zip(meeting, sides, strict=False))
        way = and_(substitute(condition, side), *(eq(one, taken) for one, taken in side.items()))
        only = _only_numbers(way)
        if only is not None and (not side or possible(way)):
            yield substitute(way, only), {v: substitute(substitute(t, side), only) for v, t in values.items()}


def _only_numbers(condition: Term) -> dict[Term, Term] | None:
    """The numbers of rounds of which the condition leaves one; None if it leaves none."""
    found: dict[Term, Term] = {}
    while (ranges := assumed(substitute(condition, found), {})) is not None:
        known = {x: one for x, one in ranges.items() if is_counter(x) and x not in found and isinstance(one, Range)}
        new = {x: bv(one.constant, one.width) for x, one in known.items() if one.constant is not None}
        if not new:
            return found
        found |= new
    return None


class _Cells:
    """Names for the initial values of the array cells that terms read."""

    def __init__(self, arrays: frozenset[Term]) -> None:
        self.arrays = arrays
        self.names: dict[Term, dict[Term, Term]] = {}  # of an array, by index
        self.memo: dict[Term, Term] = {}

    def named(self, root: Term) -> Term:
        return fold(root, self._visit, self.memo)

    def _visit(self, node: Term, parts: list[Term]) -> Term:
        if node.op is ops.SELECT and parts[0] in self.arrays and parts[1].op is ops.VALUE:
            array, index = parts
            names = self.names.setdefault(array, {})
            return names.setdefault(index, var(f"{array.name}!{index}", node.sort))
        return rebuild(node, parts)

    def held(self, array: Term, contents: Term) -> Iterator[tuple[Term, Term]]:
        """The contents of an array's cells that were written last, or never written."""
        written: set[Term] = set()
        while contents.op is ops.STORE and contents.args[1].op is ops.VALUE:
            contents, index, element = contents.args
            if index not in written:
                written.add(index)
                yield select(array, index), element
        for index, name in self.names.get(contents, {}).items():
            if index not in written:
                yield select(array, index), name


def _holders(held: Sequence[tuple[Term, Term]]) -> dict[Term, Term]:
    """For each choice, the first variable or cell that holds it and can represent it."""
    found: dict[Term, Term] = {}
    for holder, term in held:
        if term.op is ops.VARIABLE:
            found.setdefault(term, holder)
    for holder, term in held:
        if term.op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND) and term.args[0].op is ops.VARIABLE:
            inner = term.args[0]
            assert isinstance(inner.sort, BitVec)
            found.setdefault(inner, extract(inner.sort.width - 1, 0, holder))
    return found


def _solved(
    held: Sequence[tuple[Term, Term]], variables: frozenset[Term], known: Mapping[Term, Term]
) -> dict[Term, Term]:
    """The same with numbers of rounds for which sums that are held can be solved: each makes others known."""
    found = dict(known)
    sums = [(holder, term) for holder, term in held if isinstance(term.sort, BitVec)]
    solved = True
    while solved:
        solved = False
        for holder, term in sums:
            total = affine(substitute(term, found))
            unknown = [part for part in total.factors if not free_variables(part) <= variables]
            if len(unknown) == 1 and is_counter(unknown[0]):
                found[unknown[0]] = _quotient(holder, total, unknown[0])
                solved = True
    return found


def _quotient(holder: Term, total: Affine, choice: Term) -> Term:
    """The choice, if the holder has this sum. What is odd has an inverse; otherwise, nothing has wrapped if all is
    well.
    """
    width, factor = _width(holder), total.factors[choice]
    rest = total.without(choice).term
    multiple = bvsub(holder, rest) if factor > 0 else bvsub(rest, holder)
    size = abs(factor)
    if size % 2:
        return bvmul(bv(pow(size, -1, 1 << width), width), multiple)
    if size & (size - 1) == 0:
        return bvlshr(multiple, bv(size.bit_length() - 1, width))
    return bvudiv(multiple, bv(size, width))


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width
