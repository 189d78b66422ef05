"""Recursion up to a bound: each recursive procedure becomes several copies, each of which calls the next deeper one.

Calls beyond the bound are cut off, so the result has only some of the program's executions: an error found in it is an
error of the program, but the absence of errors proves nothing. Unless calls beyond the bound are gaps: then a proof
has to show that there are none, and is one of the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from craton.logic import FALSE, TRUE, Term, var
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.analysis.graphs import components
from craton.program.cfa import Edge, Location, Procedure, Program, Property, Symbol, Unmodelled
from craton.program.origin import SourceRange
from craton.program.statements import Assume, Call
from craton.program.variables import Renaming

_CUT_OFF = Assume(FALSE)
_TOO_MANY = "recursion with more than"


def unrolled_size(program: Program, depth: int) -> int:
    """How many edges the unrolled program has when its calls are inlined, about. It may double with each call that may
    be open, so it is computed before anybody unrolls anything.
    """
    recursive = frozenset(recursive_procedures(program))
    called = {
        name: [e.statement.procedure for e in procedure.edges if isinstance(e.statement, Call)]
        for name, procedure in program.procedures.items()
    }
    graph = {name: [c for c in callees if c not in recursive] for name, callees in called.items()}
    callees_first = [name for group in components(graph) for name in group]
    here: dict[str, int] = {}
    deeper: dict[str, int] = {}  # sizes of recursive procedures that may open one call less
    for _ in range(depth + 1):
        here = {}
        for name in callees_first:
            sizes = (deeper.get(c, 0) if c in recursive else here.get(c, 0) for c in called[name])
            here[name] = len(program.procedures[name].edges) + sum(sizes)
        deeper = {name: here[name] for name in recursive}
    return here[program.entry]


class Beyond(Enum):
    """What a call is that would be one too many."""

    CUT = "cut off"
    GAP = "unmodelled"


def is_beyond(gap: Unmodelled) -> bool:
    """Whether what is not modelled is a call that would be one too many."""
    return gap.description.startswith(_TOO_MANY)


def unroll_recursion(program: Program, depth: int, beyond: Beyond = Beyond.CUT) -> Program:
    """The program in which at most `depth` calls of recursive procedures are open at a time."""
    bounded = _unrolled(program, depth)
    return bounded if beyond is Beyond.CUT else _with_gaps(bounded, depth)


def _with_gaps(bounded: Program, depth: int) -> Program:
    """Calls that were cut off lead to what is not modelled."""
    procedures: dict[str, Procedure] = {}
    errors = dict(bounded.errors)
    following = bounded.next_location()
    calls = f"{_TOO_MANY} {depth} calls open at a time"
    for name, procedure in bounded.procedures.items():
        edges = list(procedure.edges)
        for number, edge in enumerate(edges):
            if edge.statement is _CUT_OFF:
                gap = Location(following)
                following += 1
                errors[gap] = Unmodelled("unmodelled", calls, where=edge.origin)
                edges[number] = replace(edge, statement=Assume(TRUE), target=gap)
        procedures[name] = procedure.with_edges(tuple(edges))
    # What was said of the gaps that the program has is not said of these.
    bounded = replace(bounded, gaps_are_harmless=False, gaps_are_harmless_by_type=False)
    return replace(bounded, procedures=procedures, errors=errors)


def _unrolled(program: Program, depth: int) -> Program:
    recursive = frozenset(recursive_procedures(program))
    procedures: dict[str, Procedure] = {}
    errors: dict[Location, Property] = dict(program.errors)
    loop_heads: dict[Location, SourceRange | None] = dict(program.loop_heads)
    symbols: dict[Term, Symbol] = dict(program.symbols)
    following = program.next_location()
    for name, procedure in program.procedures.items():
        if name not in recursive:
            procedures[name] = _calling(procedure, recursive, 1, depth)
            continue
        for level in range(1, depth + 1):
            moved = {location: Location(following + i) for i, location in enumerate(procedure.locations)}
            following += len(moved)
            errors |= {moved[location]: p for location, p in program.errors.items() if location in moved}
            loop_heads |= {moved[location]: r for location, r in program.loop_heads.items() if location in moved}
            variables = {v: _local(v, name, level) for v in procedure.locals}
            symbols |= {variables[v]: program.symbols[v] for v in procedure.locals if v in program.symbols}
            copy = _copy(procedure, _copied(name, level), moved, variables)
            procedures[copy.name] = _calling(copy, recursive, level + 1, depth)
    entry = _copied(program.entry, 1) if program.entry in recursive else program.entry
    return replace(program, entry=entry, procedures=procedures, errors=errors, loop_heads=loop_heads, symbols=symbols)


def _copied(name: str, level: int) -> str:
    return f"{name} ^{level}"  # no program has a name with a space


def _local(variable: Term, procedure: str, level: int) -> Term:
    stem = variable.name.removeprefix(f"{procedure}::")
    return var(f"{_copied(procedure, level)}::{stem}", variable.sort)


def _copy(procedure: Procedure, name: str, moved: Mapping[Location, Location], new: Mapping[Term, Term]) -> Procedure:
    renamed = Renaming(new).statement
    edges = tuple(
        replace(e, source=moved[e.source], statement=renamed(e.statement), target=moved[e.target])
        for e in procedure.edges
    )
    return Procedure(
        name,
        tuple(new.get(v, v) for v in procedure.parameters),
        tuple(new.get(v, v) for v in procedure.returns),
        moved[procedure.entry],
        moved[procedure.exit],
        edges,
        tuple(new.values()),
    )


def _calling(procedure: Procedure, recursive: frozenset[str], level: int, depth: int) -> Procedure:
    """Redirects calls of recursive procedures to the copies of a level; beyond the last level, cuts them off."""

    def changed(edge: Edge) -> Edge:
        call = edge.statement
        if not isinstance(call, Call) or call.procedure not in recursive:
            return edge
        if level > depth:
            return replace(edge, statement=_CUT_OFF)
        return replace(edge, statement=replace(call, procedure=_copied(call.procedure, level)))

    return procedure.with_edges(tuple(map(changed, procedure.edges)))
