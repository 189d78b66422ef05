"""Quantified conditions without quantifiers: what is said of all elements is said of those that the step is about.

A condition of a proof is a set of formulas that are to contradict each other. If they still do when what exists has a
name, and what holds of all holds of some only, then the condition is shown; if they do not, nothing is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, permutations, product

from craton.logic import BitVec, Term, and_, conjuncts, eq, free_variables, not_, ops, or_, post_order, substitute
from craton.logic.affine import Affine, affine, cases_of_sum, extended, normal_sum
from craton.logic.core import fresh
from craton.logic.matching import together
from craton.logic.terms import value
from craton.logic.walk import is_quantified

_MOST_INSTANCES = 300  # of one formula
_MOST_MEETINGS = 3  # of which each doubles the cases


def instantiated(formulas: Sequence[Term]) -> list[Term] | None:
    """Formulas without quantifiers that follow from these, up to names for what exists; None if there are quantifiers
    where they cannot be seen through, or none at all.
    """
    if not any(map(is_quantified, formulas)):
        return None
    try:
        named = _Names(formulas)
        open_ = [named.of(formula) for formula in formulas]
        places = told_by_numbers((index for formula in open_ for index in indices(formula)), open_)
        found = [_of_some(formula, places, tuple(named.given)) for formula in open_]
    except _Hidden:
        return None
    return found


def cases_of_indices(formulas: Sequence[Term]) -> list[list[Term]]:
    """Cases that cover all that is possible: is the element that the last formula asks for the one that was written? If
    so, one name is put for the other, after which nothing is left to find out; the formulas themselves, if none is
    asked for where another was written.
    """
    cases = [list(formulas)]
    for meeting in islice(_meetings(formulas[-1]), _MOST_MEETINGS):
        cases = [found for case in cases for found in _by_names(case, meeting)]
    return cases


def _by_names(case: Sequence[Term], meeting: Sequence[tuple[Term, Term]]) -> list[list[Term]]:
    """All names are equal to the others; or the first is not, or the first is and the second is not, …"""
    same, different = list(case), list[list[Term]]()
    for asked, written in meeting:
        different.append([*same, not_(eq(asked, written))])
        same = [substitute(formula, {asked: written}) for formula in same]
    return [same, *different]


def _meetings(formula: Term) -> Iterator[tuple[tuple[Term, Term], ...]]:
    """Variables that make an index that is read the one that was written before, if they are equal: one, or those of
    row and column.
    """
    found: dict[tuple[tuple[Term, Term], ...], None] = {}
    for node in post_order(formula):
        if node.op is not ops.SELECT or node.args[0].op is not ops.STORE:
            continue
        read, written = node.args[1], node.args[0].args[1]
        alike = [
            (one, other)
            for one, other in product(_in_order(read), _in_order(written))
            if one is not other and one.sort is other.sort
        ]
        single = [((one, other),) for one, other in alike if substitute(read, {one: other}) is written]
        found |= dict.fromkeys(single or (pairs for pairs in permutations(alike, 2) if _meet(read, pairs, written)))
    yield from found


def _meet(read: Term, pairs: tuple[tuple[Term, Term], ...], written: Term) -> bool:
    names = dict(pairs)
    return len(names) == len(pairs) and substitute(read, names) is written


def _in_order(index: Term) -> list[Term]:
    return sorted(free_variables(index), key=lambda v: v.serial)


class _Hidden(Exception):
    """A quantifier stands inside of a term, or where it is neither positive nor negative."""


class _Names:
    """Gives names to what exists."""

    def __init__(self, formulas: Sequence[Term]) -> None:
        self._taken = set[Term]().union(*map(free_variables, formulas))
        self.given: list[Term] = []

    def of(self, formula: Term) -> Term:
        """The formula with each ∃ that is positive opened, and negation at ∀ turned into ∃."""
        if not is_quantified(formula):
            return formula
        match formula.op:
            case ops.AND:
                return and_(*map(self.of, formula.args))
            case ops.OR:
                return or_(*map(self.of, formula.args))
            case ops.IMPLIES:
                *premises, conclusion = formula.args
                return or_(*(self.of(not_(premise)) for premise in premises), self.of(conclusion))
            case ops.FORALL:
                return formula
            case ops.EXISTS:
                return self.of(self._opened(formula))
            case ops.NOT:
                return self._denied(formula.args[0])
        raise _Hidden

    def _denied(self, formula: Term) -> Term:
        match formula.op:
            case ops.FORALL:
                return self.of(not_(self._opened(formula)))
            case ops.AND:
                return or_(*(self.of(not_(part)) for part in formula.args))
            case ops.OR:
                return and_(*(self.of(not_(part)) for part in formula.args))
            case ops.IMPLIES:
                *premises, conclusion = formula.args
                return and_(*map(self.of, premises), self.of(not_(conclusion)))
        raise _Hidden

    def _opened(self, quantified: Term) -> Term:
        names = {}
        for variable in quantified.payload:
            names[variable] = fresh(f"some {variable.name}", variable.sort, self._taken)
            self._taken.add(names[variable])
            self.given.append(names[variable])
        return substitute(quantified.args[0], names)


def indices(formula: Term) -> Iterator[Term]:
    """The indices at which arrays are read or written, outside of quantifiers."""
    waiting, seen = [formula], set()
    while waiting:
        node = waiting.pop()
        if node in seen or node.op in (ops.FORALL, ops.EXISTS):
            continue
        seen.add(node)
        if node.op in (ops.SELECT, ops.STORE):
            yield node.args[1]
        waiting += node.args


def told_by_numbers(places: Iterable[Term], formulas: Iterable[Term]) -> tuple[Term, ...]:
    """The places, each once, and the same with numbers for the variables that some formula says are these numbers: a
    pointer to what was allocated last, and the place itself.
    """
    equations = (part.args for formula in formulas for part in conjuncts(formula) if part.op is ops.EQ)
    pairs = (pair for one, other in equations for pair in ((one, other), (other, one)))
    numbers = {variable: number for variable, number in pairs if variable.is_variable and number.op is ops.VALUE}
    found = dict.fromkeys(places)
    for place in list(found):
        if not numbers.keys().isdisjoint(free_variables(place)):
            found[substitute(place, numbers)] = None
    return tuple(found)


def _of_some(formula: Term, places: Sequence[Term], names: Sequence[Term]) -> Term:
    """With each ∀, which stands where it is positive, replaced by instances of it."""
    if not is_quantified(formula):
        return formula
    match formula.op:
        case ops.AND:
            return and_(*(_of_some(part, places, names) for part in formula.args))
        case ops.OR:
            return or_(*(_of_some(part, places, names) for part in formula.args))
        case ops.FORALL:
            return and_(*instances(formula, places, names))
    raise _Hidden


def instances(quantified: Term, places: Sequence[Term], names: Sequence[Term] = ()) -> Iterator[Term]:
    """What holds of all, of the named ones, and of those for which an element is read at one of the places."""
    body = quantified.args[0]
    if is_quantified(body):
        raise _Hidden
    shift = shift_of_blocks(quantified)
    if shift is not None:
        (block,) = quantified.payload
        whole = (each for place in blocks(places) if place.sort is block.sort for each in _first_bytes(place, shift))
        for address in islice(dict.fromkeys((*(n for n in names if n.sort is block.sort), *whole)), _MOST_INSTANCES):
            yield _instance(body, (block,), (address,))
        return
    groups = _groups(body, quantified.payload)
    candidates = [_candidates(body, group, places, names) for group in groups]
    variables = tuple(variable for group in groups for variable in group)
    for chosen in islice(product(*candidates), _MOST_INSTANCES):
        yield _instance(body, variables, tuple(value for some in chosen for value in some))


@lru_cache(maxsize=1 << 12)
def _groups(body: Term, variables: tuple[Term, ...]) -> tuple[tuple[Term, ...], ...]:
    """Variables that are part of the same indices, such as those of rows and columns, belong together."""
    groups = [frozenset((variable,)) for variable in variables]
    for index in dict.fromkeys(node.args[1] for node in post_order(body) if node.op is ops.SELECT):
        met = [group for group in groups if group & free_variables(index)]
        groups = [group for group in groups if group not in met] + ([frozenset().union(*met)] if met else [])
    return tuple(tuple(v for v in variables if v in group) for group in groups)


def _candidates(
    body: Term, group: tuple[Term, ...], places: Sequence[Term], names: Sequence[Term]
) -> tuple[tuple[Term, ...], ...]:
    """Values for variables that belong together: those for which an element is read at a place, and the named ones."""
    found: dict[tuple[Term, ...], None] = {}
    if len(group) == 1:
        (variable,) = group
        found |= dict.fromkeys((name,) for name in names if name.sort is variable.sort)
        for pattern in _patterns(body, variable):
            found |= dict.fromkeys((match,) for index in places for match in _fitting(pattern, variable, index))
    else:  # named ones are in some place, as the index that is asked for
        for pattern in _patterns(body, group[0]):
            found |= dict.fromkeys(match for index in places for match in _fitting_together(pattern, group, index))
    return tuple(found)


@lru_cache(maxsize=1 << 12)
def _patterns(body: Term, variable: Term) -> tuple[Term, ...]:
    """The indices that speak of the variable, each once."""
    reads = (node.args[1] for node in post_order(body) if node.op is ops.SELECT)
    return tuple(dict.fromkeys(index for index in reads if variable in free_variables(index)))


@lru_cache(maxsize=1 << 14)
def _fitting(pattern: Term, variable: Term, index: Term) -> tuple[Term, ...]:
    if pattern.op in (ops.ITE, ops.MOD):  # over integers, where an address might wrap around
        return tuple(match for (match,) in together(pattern, (variable,), index))
    return tuple(_matches(pattern, variable, index))


@lru_cache(maxsize=1 << 14)
def _fitting_together(pattern: Term, variables: tuple[Term, ...], index: Term) -> tuple[tuple[Term, ...], ...]:
    return tuple(together(pattern, variables, index))


@lru_cache(maxsize=1 << 15)
def _instance(body: Term, variables: tuple[Term, ...], values: tuple[Term, ...]) -> Term:
    """Engines ask for the same ones again and again."""
    return substitute(body, dict(zip(variables, values, strict=True)))


@lru_cache(maxsize=1 << 12)
def shift_of_blocks(quantified: Term) -> int | None:
    """By how much addresses are shifted if something is said of all blocks of memory: what says how large one is has
    its number for an index, which is the upper part of its address. None if it is said of something else.
    """
    if len(quantified.payload) == 1:
        for node in post_order(quantified.args[0]):
            if node.op is ops.SELECT and node.args[1].op is ops.BVLSHR:
                address, shift = node.args[1].args
                if address is quantified.payload[0] and shift.op is ops.VALUE:
                    return int(shift.payload)
    return None


def _first_bytes(place: Term, shift: int) -> Iterator[Term]:
    """The address of the block that a place is in; a number may be an address, or that of a block."""
    if place.op is not ops.VALUE:
        yield place
    else:
        yield value(place.payload >> shift << shift, place.sort)
        assert isinstance(place.sort, BitVec)
        if place.payload < 1 << (place.sort.width - shift):
            yield value(place.payload << shift, place.sort)


def blocks(places: Iterable[Term]) -> Iterator[Term]:
    """The addresses that indices are computed from, case by case, by adding how far away a member is."""
    for index in places:
        whole = index.args[0] if index.op is ops.BVLSHR and index.args[1].op is ops.VALUE else index
        for case in cases_of_sum(whole) if isinstance(whole.sort, BitVec) else ():
            sum_ = affine(case)
            yield Affine(sum_.factors, 0, case.sort).term if sum_.factors else case


def _matches(pattern: Term, variable: Term, index: Term) -> Iterator[Term]:
    """Values of the variable for which the pattern is the index, as far as looking at sums tells. A value that does not
    fit does no harm.
    """
    if pattern.sort is not index.sort:
        return
    if pattern is variable:
        yield index
        return
    if pattern.op is ops.BVLSHR and index.op is ops.BVLSHR and pattern.args[1] is index.args[1]:
        yield from _matches(pattern.args[0], variable, index.args[0])
        return
    if index.op is ops.MOD and pattern.op is not ops.MOD:
        yield from _matches(pattern, variable, index.args[0])
        return
    shape = affine(pattern)
    for part, factor in shape.factors.items():
        inner = extended(part)
        if part is not variable and inner is not variable:
            continue
        rest = affine(index).minus(shape.without(part)).divided(factor)
        if rest is None:
            continue
        if part is variable:
            yield rest.term
        else:
            yield from _narrowed(rest.factors, rest.constant, variable)


def _narrowed(factors: Mapping[Term, int], constant: int, variable: Term) -> Iterator[Term]:
    """What was extended, if the sum is one of extended terms and a constant."""
    inner = {extended(part): factor for part, factor in factors.items()}
    found = {part: factor for part, factor in inner.items() if part is not None and part.sort is variable.sort}
    if len(found) == len(factors):
        yield normal_sum(found, constant, variable.sort).term
