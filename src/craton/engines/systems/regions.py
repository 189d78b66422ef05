"""Where a predicate is looked at: the conditions on its arguments under which clauses use it.

They are a good guess at how its meaning falls into cases: loops that go on or are over, calls of two programs with
equal arguments. A condition is a conjunction of literals over the predicate's parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import combinations, product

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.logic import (
    FALSE,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    conjuncts,
    eq,
    free_variables,
    not_,
    ops,
    substitute,
)
from craton.logic.arithmetic import add
from craton.logic.terms import value

MOST_LITERALS = 12
MOST_REGIONS = 120
MOST_PAIRED = 6  # literals that are combined with each other
ROUNDS = 3  # in which literals are handed on to the predicates from which a predicate is derived

Region = tuple[Term, ...]  # literals over parameters; none: everywhere


class Detail(Enum):
    """How many cases are told apart."""

    USES = "by the literals of uses"
    PAIRS = "by pairs of literals, by those of predicates derived later, and by the ends of ranges"
    TRIPLES = "by three literals at once"


def regions(system: System, detail: Detail) -> dict[Predicate, list[Region]]:
    """For each predicate, conditions to tell cases apart by: none first, then those of its uses."""
    uses = _uses(system)
    literals = {predicate: _distinct(t for use in own for t in use) for predicate, own in uses.items()}
    if detail is not Detail.USES:
        _hand_on(system, literals)
    found = {p: dict.fromkeys(_simple(uses[p], literals[p])) for p in system.predicates}
    if detail is Detail.PAIRS:
        found = {p: own | dict.fromkeys(_paired(literals[p])) for p, own in found.items()}
    if detail is Detail.TRIPLES:
        for p, own in found.items():
            few = literals[p][:MOST_PAIRED]
            own |= dict.fromkeys((*_signed(few, 3), *_signed(few, 2)))
    return {p: list(own)[:MOST_REGIONS] for p, own in found.items()}


def forbidden(system: System) -> dict[Predicate, list[Region]]:
    """The regions in which queries look at predicates: that they are empty is what is to be shown."""
    found: dict[Predicate, list[Region]] = {}
    for number in system.queries:
        for atom in system.clauses[number].body:
            found.setdefault(atom.predicate, []).append(use(system.clauses[number], atom))
    return found


def _simple(uses: Sequence[Region], literals: Sequence[Term]) -> Iterator[Region]:
    yield ()
    yield from uses
    for literal in literals:
        yield (literal,)
        yield (not_(literal),)


def _paired(literals: Sequence[Term]) -> Iterator[Region]:
    for literal in literals:
        for end in _ends(literal):
            yield from ((literal, end), (not_(literal), end))
    yield from _signed(literals[:MOST_PAIRED], 2)


def _signed(literals: Sequence[Term], size: int) -> Iterator[Region]:
    """So many of the literals at once, each as it is or negated."""
    for chosen in combinations(literals, size):
        for region in product(*((literal, not_(literal)) for literal in chosen)):
            if and_(*region) is not FALSE:
                yield region


def _distinct(literals: Iterable[Term]) -> list[Term]:
    """A literal or its negation, whichever is first; not too many."""
    found: dict[Term, None] = {}
    for literal in literals:
        if not_(literal) not in found:
            found[literal] = None
    return list(found)[:MOST_LITERALS]


def _ends(literal: Term) -> Iterator[Term]:
    """That numbers which are compared are not at the ends of their range: what is counted towards them passes them."""
    atom = literal.args[0] if literal.op is ops.NOT else literal
    if atom.op not in _COMPARISONS:
        return
    smaller, larger = atom.args
    assert isinstance(smaller.sort, BitVec)
    width, signed = smaller.sort.width, _COMPARISONS[atom.op]
    if larger.is_variable:
        yield not_(eq(larger, bv((1 << width) - 1 >> signed, width)))
    if smaller.is_variable:
        yield not_(eq(smaller, bv(1 << (width - 1) if signed else 0, width)))


_COMPARISONS = {ops.BVSLE: 1, ops.BVSLT: 1, ops.BVULE: 0, ops.BVULT: 0}  # whether they are signed


def _hand_on(system: System, literals: dict[Predicate, list[Term]]) -> None:
    """What clauses ask of a predicate may be decided long before it is derived, and matter long after: so ask it of the
    predicates that it is derived from, and of those that are derived from it.
    """
    for _ in range(ROUNDS):
        for clause in system.clauses:
            if clause.head is None or any(atom.predicate == clause.head.predicate for atom in clause.body):
                continue
            for atom in clause.body:
                for source, target in ((clause.head, atom), (atom, clause.head)):
                    new = _handed(literals[source.predicate], source, target)
                    literals[target.predicate] = _distinct((*literals[target.predicate], *new))


def _handed(literals: Sequence[Term], source: Atom, target: Atom) -> Iterator[Term]:
    """Literals about one atom of a clause, as literals about another."""
    told = dict(zip(source.predicate.parameters, source.arguments, strict=True))
    named = _named(target)
    for literal in literals:
        found = substitute(literal, told)
        if free_variables(found) and free_variables(found) <= named.keys():
            yield substitute(found, named)


def _uses(system: System) -> dict[Predicate, list[Region]]:
    found: dict[Predicate, dict[Region, None]] = {predicate: {} for predicate in system.predicates}
    for clause in system.clauses:
        for atom in clause.body:
            region = use(clause, atom)
            if region:
                found[atom.predicate][region] = None
    return {predicate: list(regions) for predicate, regions in found.items()}


def use(clause: Clause, atom: Atom) -> Region:
    """What a clause demands of the arguments of an atom in its body, as far as it can be told by its parameters."""
    named = _named(atom)
    literals: dict[Term, None] = {}
    for parameter, argument in zip(atom.predicate.parameters, atom.arguments, strict=True):
        if free_variables(argument) <= named.keys():
            literals[eq(parameter, substitute(argument, named))] = None
    for part in conjuncts(clause.constraint):
        if free_variables(part) <= named.keys():
            literals[substitute(part, named)] = None
    return tuple(literal for literal in literals if literal not in (TRUE, FALSE))


def _named(atom: Atom) -> dict[Term, Term]:
    """The variables of an atom by its predicate's parameters."""
    named: dict[Term, Term] = {}
    for parameter, argument in zip(atom.predicate.parameters, atom.arguments, strict=True):
        found = _solved(argument, parameter)
        if found is not None:
            named.setdefault(*found)
    return named


def _solved(argument: Term, parameter: Term) -> tuple[Term, Term] | None:
    """The variable of an argument, and what it is by the parameter."""
    if argument.is_variable:
        return argument, parameter
    if argument.op not in (ops.ADD, ops.BVADD) or len(argument.args) != 2:
        return None
    variable = next((part for part in argument.args if part.is_variable), None)
    constant = next((part for part in argument.args if part.op is ops.VALUE), None)
    if variable is None or constant is None:
        return None
    if isinstance(argument.sort, BitVec):
        return variable, bvadd(parameter, bv(-constant.payload, argument.sort.width))
    return variable, add(parameter, value(-constant.payload, argument.sort))
