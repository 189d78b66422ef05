"""Which predicates are tracked, and where.

A predicate is an opaque Boolean term over program variables, quantified or not; a predicate and its negation count as
one. Its number is its level in the decision diagrams.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping

from craton.engines.predicate.bdd import Bdd, Bdds
from craton.logic import FALSE, TRUE, Term, atoms, conjuncts, free_variables, ite, not_, ops
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assign, Assume, Block, Havoc, Statement


class Sharing(enum.Enum):
    """Where a predicate found at a location is tracked from then on; GLOBAL is [RS] 7."""

    LOCATION = "location"
    FUNCTION = "function"
    GLOBAL = "global"


class Kind(enum.Enum):
    """Which parts of an assertion become predicates: the whole, its conjuncts, or the atoms in them."""

    SINGLE = "single"
    WHOLE = "whole"
    ATOMS = "atoms"


class Predicates:
    """All predicates of a run: maps terms to diagram levels, and diagrams back to terms."""

    def __init__(self, bdds: Bdds) -> None:
        self._bdds = bdds
        self._levels: dict[Term, int] = {}
        self._terms: list[Term] = []
        self._formulas: dict[Bdd, Term] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def term(self, level: int) -> Term:
        return self._terms[level]

    def levels(self, assertion: Term, kind: Kind) -> frozenset[int]:
        """The predicates of an assertion; `true` and `false` have none."""
        return frozenset(map(self.level, _parts(assertion, kind)))

    def level(self, predicate: Term) -> int:
        found = self._levels.get(predicate)
        if found is None:
            positive = predicate.args[0] if predicate.op is ops.NOT else predicate
            found = self._levels[positive] = self._levels[not_(positive)] = len(self._terms)
            self._terms.append(positive)
        return found

    def formula(self, abstraction: Bdd) -> Term:
        """A diagram as a term: first the literals it implies, then the rest as if-then-elses that share subterms."""
        found = self._formulas.get(abstraction)
        if found is None:
            found = self._bdds.fold(abstraction, FALSE, TRUE, self._choice, self._formulas)
        return found

    def _choice(self, level: int, low: Term, high: Term) -> Term:
        return ite(self._terms[level], high, low)


def _parts(assertion: Term, kind: Kind) -> Iterator[Term]:
    if assertion is TRUE or assertion is FALSE:
        return
    match kind:
        case Kind.SINGLE:
            yield assertion
        case Kind.WHOLE:
            yield from conjuncts(assertion)
        case Kind.ATOMS:
            yield from atoms(assertion)


class Precision:
    """The predicates of each location. They only ever grow in number."""

    def __init__(self, program: Program, sharing: Sharing) -> None:
        self._sharing = sharing
        self._functions = _functions(program) if sharing is Sharing.FUNCTION else {}
        self._tracked: dict[object, frozenset[int]] = {}

    def at(self, location: Location) -> frozenset[int]:
        return self._tracked.get(self._scope(location), frozenset())

    def add(self, location: Location, levels: frozenset[int]) -> None:
        scope = self._scope(location)
        self._tracked[scope] = self._tracked.get(scope, frozenset()) | levels

    def _scope(self, location: Location) -> object:
        match self._sharing:
            case Sharing.LOCATION:
                return location
            case Sharing.FUNCTION:
                return self._functions.get(location)
            case Sharing.GLOBAL:
                return None


def _functions(program: Program) -> Mapping[Location, str]:
    """The function that each location belongs to. After inlining only the variables show it: it is the function whose
    locals are used next, or else were used last; locations away from all locals form one group.
    """
    found: dict[Location, str] = {}
    edges = program.main.edges
    ends = (*((e.source, e) for e in edges), *((e.target, e) for e in edges))
    for location, edge in ends:
        if location not in found:
            function = _function_of(edge, program)
            if function is not None:
                found[location] = function
    return found


def _function_of(edge: Edge, program: Program) -> str | None:
    for variable in _mentioned(edge.statement):
        symbol = program.symbols.get(variable)
        if symbol is not None and symbol.function is not None:
            return symbol.function
    return None


def _mentioned(statement: Statement) -> Iterable[Term]:
    match statement:
        case Assume(condition):
            return sorted(free_variables(condition), key=lambda v: v.serial)
        case Assign(variable, value):
            return (variable, *sorted(free_variables(value), key=lambda v: v.serial))
        case Havoc(variables):
            return variables
        case Block(edges):
            return (v for edge in edges for v in _mentioned(edge.statement))
        case _:
            return ()
