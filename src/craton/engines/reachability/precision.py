"""What is tracked, and where ([RS] 3: a precision maps locations to what is tracked there)."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from craton.logic import Term, free_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assign, Assume, Block, Havoc, Statement

T = TypeVar("T")


class Sharing(enum.Enum):
    """Where what a refutation mentions at a location is tracked from then on; GLOBAL is [RS] 7."""

    LOCATION = "location"
    FUNCTION = "function"
    GLOBAL = "global"


class Precision(Generic[T]):
    """What is tracked at each location: predicates, or variables. It only ever grows."""

    def __init__(self, program: Program, sharing: Sharing) -> None:
        self._sharing = sharing
        self._functions = _functions(program) if sharing is Sharing.FUNCTION else {}
        self._tracked: dict[object, frozenset[T]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._tracked.values()))

    def at(self, location: Location) -> frozenset[T]:
        return self._tracked.get(self._scope(location), frozenset())

    def refine(
        self, locations: Sequence[Location], tracked: Sequence[frozenset[T]], wanted: Sequence[frozenset[T]]
    ) -> int | None:
        """Tracks what is wanted along a path; returns the first position at which some of that was not `tracked`."""
        for location, more in zip(locations, wanted, strict=True):
            if more:
                scope = self._scope(location)
                self._tracked[scope] = self._tracked.get(scope, frozenset()) | more
        lacking = (i for i, (more, known) in enumerate(zip(wanted, tracked, strict=True)) if not more <= known)
        return next(lacking, None)

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
