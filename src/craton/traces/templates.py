"""Which templates there are to remember at a place of a trace or of a tree, and what they cost ([EI] VI-C, VII-B)."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

from craton.logic import (
    INT,
    REAL,
    BitVec,
    Term,
    add,
    bvadd,
    bvsub,
    free_variables,
    is_quantified,
    not_,
    ops,
    post_order,
    sub,
    substitute,
)
from craton.traces.exploration import Template, Templates, determined
from craton.traces.own_templates import OwnTemplate, is_called, typed

# Counters on their own make bad templates; differences of two variables are what loop invariants are usually about
# ([EI] VI-C). What users write is meant to be remembered.
COUNTER_COST, CHANGED_COST, PAIR_COST, KEPT_COST, OWN_COST = 16, 4, 2, 1, 1
PREDICATE_COST = 3  # for each variable
MOST_INSTANCES = 16  # of a schematic template
MOST_PAIRED = 10  # variables changed by a loop; more would make too many pairs


@dataclass(frozen=True, slots=True)
class Place:
    """A loop head, or a predicate that recurs, or one visit of it: what may be remembered there."""

    name: Hashable
    title: str  # its name for people
    variables: tuple[Term, ...]
    changed: frozenset[Term]  # by the loop or recursion
    counters: frozenset[Term]  # of this loop or another one
    conditions: tuple[Term, ...]  # what is asked on the way
    indices: tuple[Term, ...]  # at which arrays are read and written on the way
    names: Mapping[Term, tuple[str, ...]]  # by which users know the variables


class Base(enum.Enum):
    """What templates there are besides those that users write: terms (variables, sums, differences), the conditions of
    the trace, both, or none ([EI] V).
    """

    TERMS = "terms"
    PREDICATES = "predicates"
    BOTH = "both"
    OWN = "own"


class Cost(enum.Enum):
    """What a template costs ([EI] VI-C): loop counters much and differences little; all the same, so that the fewest
    win; or as much as it has variables.
    """

    COUNTERS = "counters"
    EQUAL = "equal"
    SIZE = "size"

    def of(self, term: Term, usual: int) -> int:
        match self:
            case Cost.COUNTERS:
                return usual
            case Cost.EQUAL:
                return 1
            case Cost.SIZE:
                return len(free_variables(term))


def templates_at(
    places: Iterable[Place], base: Base = Base.TERMS, own: Sequence[OwnTemplate] = (), cost: Cost = Cost.COUNTERS
) -> Templates:
    """Those that users write, and those of the base; each once, cheapest first."""
    found: dict[Template, None] = {}
    for place in places:
        found.update(dict.fromkeys(_written(place, own, cost)))
        if base in (Base.TERMS, Base.BOTH):
            found.update(dict.fromkeys(_terms(place, cost)))
        if base in (Base.PREDICATES, Base.BOTH):
            found.update(dict.fromkeys(_predicates(place, cost)))
    return tuple(sorted(found, key=lambda template: template.cost))


def _terms(place: Place, cost: Cost) -> Iterator[Template]:
    """Every variable, and sums and differences of those that change ([EI] VII-B)."""
    for variable in place.variables:
        usual = CHANGED_COST if variable in place.changed else KEPT_COST
        usual = COUNTER_COST if variable in place.counters else usual
        yield Template(place.name, variable, cost.of(variable, usual))
    changed = [v for v in place.variables if v in place.changed]
    for x, y in combinations(changed[:MOST_PAIRED], 2):
        if x.sort is y.sort and (x.sort in (INT, REAL) or isinstance(x.sort, BitVec)):
            bits = isinstance(x.sort, BitVec)
            for made in ((bvsub if bits else sub)(x, y), (bvadd if bits else add)(x, y)):
                yield Template(place.name, made, cost.of(made, PAIR_COST))


def _predicates(place: Place, cost: Cost) -> Iterator[Template]:
    """Conditions and their negations, for interpolants that are made of these ([EI] Def. 8)."""
    for condition in place.conditions:
        variables = free_variables(condition)
        if variables and variables <= frozenset(place.variables) and not is_quantified(condition):
            price = cost.of(condition, PREDICATE_COST * len(variables))
            yield Template(place.name, condition, price)
            yield Template(place.name, not_(condition), price)


def _written(place: Place, own: Sequence[OwnTemplate], cost: Cost) -> Iterator[Template]:
    for template in own:
        called = {
            name: [v for v in place.variables if any(is_called(known, name) for known in place.names[v])]
            for name in template.names
        }
        for made in typed(template, called):
            price = cost.of(made.term, OWN_COST) if template.cost is None else template.cost
            yield Template(place.name, made.term, price, made.schematic)


# --- schematic templates ----------------------------------------------------------------------------------------------


def instantiated(chosen: Templates, places: Iterable[Place]) -> Templates:
    """Schematic templates at the terms that the others determine: those terms themselves, and indices ([EI] Lemma 12).
    What remembers instances only remembers less, but without quantifiers.
    """
    by_name = {place.name: place for place in places}
    found: dict[Template, None] = {}
    for template in chosen:
        if not template.schematic:
            found[template] = None
            continue
        others = [t for t in chosen if t.place == template.place and not t.schematic]
        terms = dict.fromkeys([*(t.term for t in others), *by_name[template.place].indices])
        known = [term for term in terms if determined(Template(template.place, term, 0), others)]
        choices = [[term for term in known if term.sort is v.sort] for v in template.schematic]
        for arguments in islice(product(*choices), MOST_INSTANCES):
            instance = substitute(template.term, dict(zip(template.schematic, arguments, strict=True)))
            found[Template(template.place, instance, template.cost)] = None
    return tuple(found)


def indices_in(terms: Iterable[Term]) -> Iterator[Term]:
    """Where arrays are read and written."""
    for term in terms:
        for node in post_order(term):
            if node.op in (ops.SELECT, ops.STORE):
                yield node.args[1]
