"""What is known about a state of an unrolled program, expressed over the program's variables alone.

A state gives every variable a value built from the choices made on the way. Choices have no name in the program, but a
variable that holds one, unchanged or extended, can represent it; numbers of rounds (`program.acceleration`) also one
that holds a sum with a multiple of it. Parts that still mention a choice are dropped: this weakens the formula. A
multiple may have wrapped, and then stands for another number. The check decides whether the invariants are right, and
strong enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from craton.logic import (
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
    select,
    substitute,
    var,
)
from craton.logic.affine import Affine, affine
from craton.logic.build import rebuild
from craton.logic.walk import fold
from craton.program.acceleration.counters import is_counter


class StateFormulas:
    """`definitions` are names for terms over earlier names; `variables` are those of the program."""

    def __init__(self, definitions: Mapping[Term, Term], variables: frozenset[Term]) -> None:
        self.variables = variables
        self.meanings: dict[Term, Term] = {}
        for name, term in definitions.items():
            self.meanings[name] = substitute(term, self.meanings)

    def formula(self, condition: Term, values: Mapping[Term, Term], wanted: frozenset[Term]) -> Term:
        """The condition and the values of the wanted variables; of other variables only their initial values."""
        start = {v: var(f"{v.name}!start", v.sort) for v in values}  # the plain name is the current value
        cells = _Cells(frozenset(start.values()))
        now = {v: cells.named(substitute(substitute(t, self.meanings), start)) for v, t in values.items()}
        given = conjuncts(cells.named(substitute(substitute(condition, self.meanings), start)))
        ordered = sorted(now, key=lambda v: (v not in wanted, v.serial))
        held = [(place, t) for v in ordered for place, t in ((v, now[v]), *cells.held(v, now[v]))]
        places = [(place, t) for place, t in held if t not in self.variables]
        holders = _solved(places, self.variables, _holders(places))
        told = [substitute(part, holders) for part in given]
        told += [eq(place, substitute(t, holders)) for place, t in held if free_variables(place) <= wanted]
        return and_(*(part for part in told if free_variables(part) <= self.variables))


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
    """The same with numbers of rounds for which sums that are held can be solved, one after the other."""
    found = dict(known)
    for holder, term in held:
        if not isinstance(term.sort, BitVec):
            continue
        total = affine(substitute(term, found))
        unknown = [part for part in total.factors if not free_variables(part) <= variables]
        if len(unknown) == 1 and is_counter(unknown[0]):
            found[unknown[0]] = _quotient(holder, total, unknown[0])
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
