"""Which locations control can come to if nothing is known but globals outside of memory that keep their first value.

This is what remains certain where a program does something to memory, or with addresses, that Craton does not model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from craton.logic import FALSE, Array, Term, free_variables, ops, substitute
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Call, Statement
from craton.program.variables import writes


def reachable_blindly(program: Program, roots: Iterable[str]) -> frozenset[Location]:
    """The locations that control may come to from the entry and from the other roots, which may be called at any time.

    At first all globals are taken to keep their first value. Those that a reachable statement changes are given up, and
    what is reachable then is found anew.
    """
    kept = dict(_first_values(program))
    while True:
        locations, edges = _reachable(program, roots, kept)
        changed = {variable for edge in edges for variable in _changed(edge.statement, kept)}
        if not changed:
            return frozenset(locations)
        kept = {variable: value for variable, value in kept.items() if variable not in changed}


def _first_values(program: Program) -> Iterator[tuple[Term, Term]]:
    """The globals that get a constant before anything else happens."""
    shared = frozenset(program.globals)
    at = program.main.entry
    seen: set[Location] = set()
    while at not in seen and len(program.main.outgoing(at)) == 1:
        seen.add(at)
        edge = program.main.outgoing(at)[0]
        if isinstance(edge.statement, Call):
            return
        if isinstance(edge.statement, Assign):
            variable, value = edge.statement.variable, edge.statement.value
            if variable in shared and value.op is ops.VALUE and not isinstance(variable.sort, Array):
                yield variable, value
        at = edge.target


def _changed(statement: Statement, kept: Mapping[Term, Term]) -> Iterator[Term]:
    for variable in writes(statement):
        if variable in kept and not (isinstance(statement, Assign) and statement.value is kept[variable]):
            yield variable


def _reachable(
    program: Program, roots: Iterable[str], kept: Mapping[Term, Term]
) -> tuple[dict[Location, None], list[Edge]]:
    """Locations, and the edges that leave them."""
    locations: dict[Location, None] = {}
    passed: list[Edge] = []
    waiting = list(dict.fromkeys((program.entry, *roots)))
    seen = set(waiting)
    while waiting:
        for edge in _passed(program.procedures[waiting.pop()], kept, locations):
            passed.append(edge)
            if isinstance(edge.statement, Call) and edge.statement.procedure not in seen:
                seen.add(edge.statement.procedure)
                waiting.append(edge.statement.procedure)
    return locations, passed


def _passed(procedure: Procedure, kept: Mapping[Term, Term], locations: dict[Location, None]) -> Iterator[Edge]:
    waiting = [procedure.entry]
    locations[procedure.entry] = None
    while waiting:
        for edge in procedure.outgoing(waiting.pop()):
            if _is_blocked(edge.statement, kept):
                continue
            yield edge
            if edge.target not in locations:
                locations[edge.target] = None
                waiting.append(edge.target)


def _is_blocked(statement: Statement, kept: Mapping[Term, Term]) -> bool:
    if not isinstance(statement, Assume):
        return False
    known = {variable: kept[variable] for variable in free_variables(statement.condition) if variable in kept}
    return (substitute(statement.condition, known) if known else statement.condition) is FALSE
