"""The program restricted to runs that pass the waypoints of a violation witness: a product with its segments.

A location of the product is one of the program and the number of the segment that is next. Errors count behind the last
segment only, and only those at the target. The product has no runs that the program has not, so an error found in it is
one of the program; a witness that is wrong makes it smaller, never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from craton.evidence.witness.model import Place, Segment, Waypoint, WaypointKind
from craton.evidence.witness.path import closing_parenthesis, keyword_of
from craton.evidence.witness.source import Source
from craton.logic import BitVec, Float, Sort, Term
from craton.logic.terms import value
from craton.program.analysis.control_flow import goto_loop_heads
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.execution.open_values import Number, as_value
from craton.program.statements import Assign, Assume, Havoc, Input, Statement

MOST_EDGES = 200_000
_MOST_DIGITS = 400  # of a constant


class TooLarge(Exception):
    """The product has too many edges."""


@dataclass(frozen=True, slots=True)
class Guided:
    """The product, and which edges of the program its edges are (none for assumptions of the witness)."""

    program: Program
    back: Mapping[Edge, Edge]


@dataclass(slots=True)
class Guide:
    """How waypoints fit the edges of a program without calls.

    `assumed` has the meaning of assumptions, by their waypoint: a formula for each location they stand at.
    """

    program: Program
    texts: Mapping[str, Source]
    assumed: Mapping[Waypoint, Mapping[Location, Term]] = field(default_factory=dict)
    _fitting: dict[Waypoint, bool] = field(default_factory=dict)
    _keywords: dict[Edge, Place | None] = field(default_factory=dict)
    _returns: dict[Edge, Place | None] = field(default_factory=dict)

    def fits(self, waypoint: Waypoint) -> bool:
        """Whether the program has any place for it. Runs through loops pass the same waypoints many times."""
        if waypoint not in self._fitting:
            self._fitting[waypoint] = self._has_place(waypoint)
        return self._fitting[waypoint]

    def _has_place(self, waypoint: Waypoint) -> bool:
        if waypoint.kind is WaypointKind.ASSUMPTION:
            return bool(self.assumed.get(waypoint))
        if waypoint.kind is WaypointKind.TARGET:
            return any(self.is_target(waypoint, edge) for edge in self.program.main.edges)
        return any(self.stands_at(waypoint, edge) for edge in self.program.main.edges)

    def stands_at(self, waypoint: Waypoint, edge: Edge) -> bool:
        """Whether the edge is one that the waypoint speaks of, whichever way it goes."""
        if waypoint.kind is WaypointKind.BRANCHING:
            return edge.branching is not None and _same(waypoint.place, self._keyword(edge))
        if waypoint.kind is WaypointKind.FUNCTION_RETURN:
            return _reads_input(edge.statement) and _same(waypoint.place, self._return(edge))
        return False

    def is_target(self, waypoint: Waypoint, edge: Edge) -> bool:
        origin = edge.origin
        if edge.target not in self.program.errors:
            return False
        return origin is None or (
            origin.file == waypoint.place.file and origin.line <= waypoint.place.line <= origin.end_line
        )

    def _keyword(self, edge: Edge) -> Place | None:
        if edge not in self._keywords:
            self._keywords[edge] = keyword_of(edge, self.texts)
        return self._keywords[edge]

    def _return(self, edge: Edge) -> Place | None:
        if edge not in self._returns:
            place = closing_parenthesis(edge.origin, self.texts)
            if place is None and edge.origin is not None:  # in a macro: only lines can be compared
                place = Place(edge.origin.file, edge.origin.line)
            self._returns[edge] = place
        return self._returns[edge]


def _same(asked: Place, found: Place | None) -> bool:
    if found is None or asked.file != found.file or asked.line != found.line:
        return False
    return asked.column is None or asked.column == found.column


def _reads_input(statement: Statement) -> bool:
    return isinstance(statement, Havoc) and isinstance(statement.source, Input) and len(statement.variables) == 1


# --- the product ------------------------------------------------------------------------------------------------------


def guided(guide: Guide, segments: Sequence[Segment], *, strict: bool) -> Guided:
    """The product; `strict`: the next waypoint may not be passed by without what it asks for."""
    return _Product(guide, segments, strict).build()


@dataclass(frozen=True, slots=True)
class _Way:
    """A step of the product: what is executed, where it leads, and which edge of the program that is."""

    statement: Statement
    target: Location
    segment: int
    original: Edge | None


class _Product:
    def __init__(self, guide: Guide, segments: Sequence[Segment], strict: bool) -> None:
        self.guide = guide
        self.program = guide.program
        self.segments = segments
        self.strict = strict
        self.numbers: dict[tuple[Location, int], Location] = {}
        self.waiting: list[tuple[Location, int]] = []

    def build(self) -> Guided:
        main = self.program.main
        entry = self._state(main.entry, 0)
        edges: list[Edge] = []
        back: dict[Edge, Edge] = {}
        while self.waiting:
            location, segment = self.waiting.pop()
            source = self.numbers[location, segment]
            for way in self._ways(location, segment):
                old = way.original
                edge = Edge(source, way.statement, self._state(way.target, way.segment), old.origin if old else None)
                edges.append(edge)
                if old is not None:
                    back[edge] = old
                if len(edges) > MOST_EDGES:
                    raise TooLarge
        last = len(self.segments)
        errors = {
            new: self.program.errors[old]
            for (old, segment), new in self.numbers.items()
            if old in self.program.errors and segment == last
        }
        exit_ = Location(len(self.numbers))
        name = self.program.entry
        procedure = Procedure(name, (), (), entry, exit_, tuple(edges), main.locals)
        program = Program(
            name,
            {name: procedure},
            self.program.globals,
            errors,
            symbols=self.program.symbols,
            assumptions=self.program.assumptions,
            over_approximated=self.program.over_approximated,
            files=self.program.files,
            data_model=self.program.data_model,
        )
        return Guided(replace(program, loop_heads=goto_loop_heads(program)), back)

    def _state(self, location: Location, segment: int) -> Location:
        key = location, segment
        if key not in self.numbers:
            self.numbers[key] = Location(len(self.numbers))
            self.waiting.append(key)
        return self.numbers[key]

    def _ways(self, location: Location, number: int) -> Iterator[_Way]:
        if number >= len(self.segments):
            return
        segment = self.segments[number]
        follow = segment.follow
        here = self.guide.assumed.get(follow, {}).get(location) if follow.kind is WaypointKind.ASSUMPTION else None
        if here is not None:
            yield _Way(Assume(here), location, number + 1, None)
            if self.strict:
                return
        for edge in self.program.main.outgoing(location):
            if not any(self._avoids(waypoint, edge) for waypoint in segment.avoid):
                yield from self._steps(edge, number, follow)

    def _steps(self, edge: Edge, number: int, follow: Waypoint) -> Iterator[_Way]:
        statement = edge.statement
        if edge.target in self.program.errors:
            if follow.kind is WaypointKind.TARGET and self.guide.is_target(follow, edge):
                yield _Way(statement, edge.target, number + 1, edge)
            return
        if not self.guide.stands_at(follow, edge):
            yield _Way(statement, edge.target, number, edge)
            return
        if follow.kind is WaypointKind.BRANCHING:
            passed = follow.constraint == ("true" if edge.branch else "false")
            if passed or not self.strict:
                yield _Way(statement, edge.target, number + passed, edge)
            return
        assert isinstance(statement, Havoc)
        chosen = fixed_value(follow, statement.variables[0].sort)
        if chosen is not None:
            yield _Way(Assign(statement.variables[0], chosen), edge.target, number + 1, edge)
        if chosen is None or not self.strict:  # of a bound nothing is made: the search finds a value
            yield _Way(statement, edge.target, number + (chosen is None), edge)

    def _avoids(self, waypoint: Waypoint, edge: Edge) -> bool:
        if waypoint.kind is not WaypointKind.BRANCHING or not self.guide.stands_at(waypoint, edge):
            return False
        return waypoint.constraint == ("true" if edge.branch else "false")


_RESULT = re.compile(r"\s*\\result\s*==\s*\(?\s*(-?)\s*([0-9A-Za-z.+-]+)\s*\)?\s*")


def fixed_value(waypoint: Waypoint, sort: Sort) -> Term | None:
    """The value that a function returns by `\\result == 5`; None if it says something else."""
    number = returned_number(waypoint)
    if number is None or not isinstance(sort, BitVec | Float):
        return None
    return value(as_value(number, sort), sort)


def returned_number(waypoint: Waypoint) -> Number | None:
    match = _RESULT.fullmatch(waypoint.constraint or "")
    if match is None or len(match.group(2)) > _MOST_DIGITS:
        return None
    sign, constant = match.groups()
    digits = constant.rstrip("uUlL" if constant[:2] in ("0x", "0X") else "uUlLfF")
    readers: tuple[Callable[[str], Number], ...] = (lambda text: int(text, 0), float, float.fromhex)
    for read in readers:
        try:
            number = read(sign + digits)
        except (ValueError, OverflowError):
            continue
        return number
    return None
