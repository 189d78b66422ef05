"""Removing what cannot matter: unreachable code, code from which no error is reachable, and variables that no condition
on the way to an error depends on (those outside the cone of influence).

An assumption is kept wherever it may block: only the two sides of a branching that both lead to the same location
without doing anything are removed, together.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from craton.logic import FALSE, TRUE, Term, free_variables, not_
from craton.program.analysis.control_flow import reachable_edges
from craton.program.analysis.graphs import reachable
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Call, Havoc
from craton.program.transformation import Transformed, unchanged
from craton.program.variables import reads


def remove_dead_code(program: Program) -> Transformed:
    """Removes unreachable edges and uncalled procedures; contracts edges that do nothing."""
    procedures: dict[str, Procedure] = {}
    waiting = [program.entry]
    edges_back: dict[Edge, tuple[Edge, ...]] = {}
    while waiting:
        name = waiting.pop()
        if name in procedures or name not in program.procedures:
            continue
        old = program.procedures[name]
        edges = reachable_edges(old.entry, [e for e in old.edges if not _assumes(e, FALSE)])
        edges = _contracted(old, edges, program, edges_back)
        procedures[name] = old.with_edges(edges)
        waiting.extend(e.statement.procedure for e in edges if isinstance(e.statement, Call))
    ordered = {name: procedures[name] for name in program.procedures if name in procedures}
    return Transformed(program.restricted_to(ordered), edges_back)


def slice_for_errors(program: Program) -> Transformed:
    """The part of the program that can influence whether an error location is reached."""
    result = _towards_errors(program)
    while True:
        fewer = _without_irrelevant(result.program)
        if fewer.edges:
            result = result.then(fewer)
            result = result.then(remove_dead_code(result.program))
        fewer = _without_empty_branches(result.program)
        if not fewer.edges:  # the conditions are those that were there, so nothing else has become irrelevant
            return result
        result = result.then(fewer)


def _assumes(edge: Edge, condition: Term) -> bool:
    return isinstance(edge.statement, Assume) and edge.statement.condition is condition


def _contracted(
    procedure: Procedure, edges: tuple[Edge, ...], program: Program, back: dict[Edge, tuple[Edge, ...]]
) -> tuple[Edge, ...]:
    """Removes those of a procedure's edges that do nothing and are the only way out of their source: edges into the
    source now lead to the target. Loop heads and errors stay.
    """
    keep = {procedure.entry, procedure.exit, *program.errors, *program.loop_heads}
    idle = [edge for edge in edges if _assumes(edge, TRUE) and edge.source not in keep and edge.target != edge.source]
    if not idle:
        return edges
    ways = Counter([edge.source for edge in edges])
    skip = {edge.source: edge for edge in idle if ways[edge.source] == 1}

    def follow(location: Location) -> tuple[Location, list[Edge]]:
        passed: list[Edge] = []
        seen = {location}
        while location in skip:
            edge = skip[location]
            if edge.target in seen:
                break
            passed.append(edge)
            location = edge.target
            seen.add(location)
        return location, passed

    if not skip:
        return edges
    result: list[Edge] = []
    for edge in edges:
        if edge.source in skip:
            continue
        if edge.target in skip:
            target, passed = follow(edge.target)
            new = replace(edge, target=target)
            back[new] = (*back.get(edge, (edge,)), *passed)
            edge = new
        result.append(edge)
    return reachable_edges(procedure.entry, result)


def _towards_errors(program: Program) -> Transformed:
    """Keeps only edges from which an error may still be reached, also through calls."""
    guilty: set[str] = set()
    changed = True
    while changed:
        changed = False
        for name, procedure in program.procedures.items():
            if name not in guilty and any(
                e.target in program.errors or (isinstance(e.statement, Call) and e.statement.procedure in guilty)
                for e in procedure.edges
            ):
                guilty.add(name)
                changed = True
    procedures: dict[str, Procedure] = {}
    for name, procedure in program.procedures.items():
        # After a procedure returns, its caller may go on to an error.
        ends: list[Location] = [] if name == program.entry else [procedure.exit]
        for edge in procedure.edges:
            if edge.target in program.errors:
                ends.append(edge.target)
            elif isinstance(edge.statement, Call) and edge.statement.procedure in guilty:
                ends.append(edge.source)
        live = reachable(ends, procedure.predecessors)
        edges = tuple(
            edge
            for edge in procedure.edges
            if edge.source in live
            and edge.source not in program.errors
            and (edge.target in live or (isinstance(edge.statement, Call) and edge.statement.procedure in guilty))
        )
        procedures[name] = procedure.with_edges(edges)
    return remove_dead_code(program.restricted_to(procedures))


def _relevant(program: Program) -> set[Term]:
    """The cone of influence of all conditions and all arguments of calls."""
    found: set[Term] = set()
    by_target: dict[Term, list[frozenset[Term]]] = {}
    for edge in program.edges():
        statement = edge.statement
        if isinstance(statement, Assume):
            found |= free_variables(statement.condition)
        elif isinstance(statement, Assign):
            by_target.setdefault(statement.variable, []).append(free_variables(statement.value))
        elif isinstance(statement, Havoc):
            for variable in statement.variables:
                by_target.setdefault(variable, []).append(reads(statement))
        else:
            found |= reads(statement)
            if isinstance(statement, Call):
                found.update(statement.results)
    for name, procedure in program.procedures.items():
        if name != program.entry:
            found.update(procedure.returns, procedure.parameters)
    stack = list(found)
    while stack:
        for variables in by_target.get(stack.pop(), ()):
            stack.extend(variables - found)
            found |= variables
    return found


def _without_irrelevant(program: Program) -> Transformed:
    relevant = _relevant(program)
    back: dict[Edge, tuple[Edge, ...]] = {}
    procedures: dict[str, Procedure] = {}
    for name, procedure in program.procedures.items():
        edges = []
        for edge in procedure.edges:
            statement = edge.statement
            new = edge
            if isinstance(statement, Assign) and statement.variable not in relevant:
                new = replace(edge, statement=Assume(TRUE))
            elif isinstance(statement, Havoc) and statement.is_open:
                kept = tuple(v for v in statement.variables if v in relevant)
                if not kept:
                    new = replace(edge, statement=Assume(TRUE))
                elif len(kept) < len(statement.variables):
                    new = replace(edge, statement=Havoc(kept, statement.source))
            if new is not edge:
                back[new] = (edge,)
            edges.append(new)
        procedures[name] = procedure.with_edges(tuple(edges))
    return Transformed(program.with_procedures(procedures), back)


def _without_empty_branches(program: Program) -> Transformed:
    """Removes `c` and `not c` between the same two locations, which together do nothing. Dead code has been removed."""
    back: dict[Edge, tuple[Edge, ...]] = {}
    procedures: dict[str, Procedure] = {}
    for name, procedure in program.procedures.items():
        edges: list[Edge] = []
        removed: set[Edge] = set()
        for location in procedure.locations:
            out = procedure.outgoing(location)
            if len(out) == 2 and out[0].target == out[1].target:
                a, b = out[0].statement, out[1].statement
                if isinstance(a, Assume) and isinstance(b, Assume) and not_(a.condition) is b.condition:
                    new = Edge(location, Assume(TRUE), out[0].target, out[0].origin)
                    back[new] = (out[0],)
                    removed.update(out)
                    edges.append(new)
        edges.extend(edge for edge in procedure.edges if edge not in removed)
        procedures[name] = procedure.with_edges(tuple(edges))
    if not back:
        return unchanged(program)
    result = Transformed(program.with_procedures(procedures), back)
    return result.then(remove_dead_code(result.program))
