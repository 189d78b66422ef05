"""From a run that fails to waypoints: the way it takes at each branching, the values it gets, and where it ends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from craton.errors import CratonError
from craton.evidence.witness.model import Place, Segment, Waypoint, WaypointKind
from craton.evidence.witness.source import Source
from craton.logic import BitVec, Float
from craton.logic.ieee import to_python
from craton.logic.terms import format_of
from craton.program.cfa import Edge, Program
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.origin import SourceRange
from craton.program.statements import Havoc, Input
from craton.verdicts.counterexample import ReadValue, Replay, as_number

MOST_WAYPOINTS = 2_000  # of longer runs only the values count, and of those the first


class NoWitness(CratonError):
    """A verdict of which a witness cannot speak."""


def segments_of(program: Program, replay: Replay, texts: Mapping[str, Source]) -> tuple[Segment, ...]:
    edges = replay.edges or executed(program, replay)
    target = next((edge.origin for edge in reversed(edges) if edge.origin is not None), None)
    if target is None:
        raise NoWitness("the violation has no place in the program's text")
    waypoints = list(_waypoints(edges, replay.inputs, texts))
    if len(waypoints) > MOST_WAYPOINTS:
        waypoints = [w for w in waypoints if w.kind is WaypointKind.FUNCTION_RETURN][:MOST_WAYPOINTS]
    end = Waypoint(WaypointKind.TARGET, Place(target.file, target.line, target.column))
    return tuple(Segment(waypoint) for waypoint in (*waypoints, end))


def executed(program: Program, replay: Replay) -> tuple[Edge, ...]:
    """The edges of a run of which only the inputs are known."""
    run = Interpreter(program, record=True).run([as_number(read) for read in replay.inputs], only_inputs=True)
    if not isinstance(run.outcome, ReachedError):
        raise NoWitness(f"the run cannot be repeated: {run.outcome}")
    return run.edges


def _waypoints(edges: Sequence[Edge], inputs: Sequence[ReadValue], texts: Mapping[str, Source]) -> Iterator[Waypoint]:
    reads = iter(inputs)
    for edge in edges:
        statement = edge.statement
        if edge.branching is not None and edge.branch is not None:
            keyword = keyword_of(edge, texts)
            if keyword is not None:
                yield Waypoint(WaypointKind.BRANCHING, keyword, "true" if edge.branch else "false")
        elif isinstance(statement, Havoc) and isinstance(statement.source, Input):
            values = [next(reads, None) for _ in statement.variables]
            place = closing_parenthesis(edge.origin, texts)
            constant = constant_text(values[0]) if len(values) == 1 and values[0] is not None else None
            if place is not None and constant is not None:
                constraint = f"\\result == {constant}"
                callee = statement.source.function
                yield Waypoint(WaypointKind.FUNCTION_RETURN, place, constraint, callee=callee)


def keyword_of(edge: Edge, texts: Mapping[str, Source]) -> Place | None:
    """Of the statement whose condition the edge decides; None in macros."""
    branching = edge.branching
    source = None if branching is None else texts.get(branching.file)
    if branching is None or source is None or edge.origin is None:
        return None
    first = source.offset(branching.line, branching.column)
    condition = source.offset(edge.origin.line, edge.origin.column)
    keyword = None if first is None or condition is None else source.keyword_of(first, condition)
    return None if keyword is None else Place(branching.file, *source.position(keyword))


def closing_parenthesis(call: SourceRange | None, texts: Mapping[str, Source]) -> Place | None:
    """Of a call; None in macros."""
    source = None if call is None else texts.get(call.file)
    if call is None or source is None:
        return None
    last = source.offset(call.end_line, call.end_column - 1)
    if last is None or source.text[last] != ")":
        return None
    return Place(call.file, call.end_line, call.end_column - 1)


def constant_text(read: ReadValue) -> str | None:
    """The value of an input as a constant; None for addresses and what has no constant."""
    name, value, sort = read.source.type, read.value, read.sort
    if isinstance(sort, BitVec):
        if "*" in name:
            return None
        unsigned = "unsigned" in name or name in ("_Bool", "size_t")
        return str(value if unsigned or value < 1 << (sort.width - 1) else value - (1 << sort.width))
    if isinstance(sort, Float) and sort.exponent_bits <= 11 and sort.significand_bits <= 53:
        number = to_python(format_of(sort), value)
        if math.isfinite(number):
            return f"{number:.1f}" if number == int(number) and abs(number) < 1e15 else number.hex()
    return None
