"""Calls replaced by copies of the procedures they call.

Recursive procedures stay procedures, and so do those that would become too large; their calls stay calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from craton.frontends.boogie.automaton import Names
from craton.logic import TRUE, Term, free_variables, substitute, var
from craton.program.cfa import Edge, Location, Procedure, Symbol
from craton.program.graph import components
from craton.program.origin import SourceRange
from craton.program.statements import Assign, Assume, Call, Havoc, Return, Statement

LARGEST = 20_000  # edges of a procedure that may still be copied


def inline(
    procedures: Mapping[str, Procedure], entry: str, names: Names, symbols: dict[Term, Symbol]
) -> dict[str, Procedure]:
    """The entry with all calls replaced, and the procedures that are still called. What `names` and `symbols` know
    about locations and variables is extended to their copies.
    """
    graph = {name: list(dict.fromkeys(_callees(p))) for name, p in procedures.items()}
    done: dict[str, Procedure] = {}
    kept: set[str] = set()
    inliner = _Inliner(names, symbols)
    for group in components(graph):
        recursive = len(group) > 1 or group[0] in graph[group[0]]
        if recursive:
            kept.update(group)
        for name in group:
            done[name] = inliner.expanded(procedures[name], {n: done[n] for n in graph[name] if n not in kept})
            if len(done[name].edges) > LARGEST:
                kept.add(name)
    return _reachable(done, entry)


def _callees(procedure: Procedure) -> list[str]:
    return [edge.statement.procedure for edge in procedure.edges if isinstance(edge.statement, Call)]


def _reachable(procedures: Mapping[str, Procedure], entry: str) -> dict[str, Procedure]:
    found: dict[str, Procedure] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = procedures[name]
            waiting.extend(_callees(procedures[name]))
    return found


class _Inliner:
    def __init__(self, names: Names, symbols: dict[Term, Symbol]) -> None:
        self._names = names
        self._symbols = symbols
        self._used: set[str] = set()  # procedures whose own locations and variables serve as a copy already

    def expanded(self, procedure: Procedure, callees: Mapping[str, Procedure]) -> Procedure:
        """The procedure with its calls to these replaced."""
        if not callees:
            return procedure
        edges: list[Edge] = []
        locals_: dict[Term, None] = dict.fromkeys(procedure.locals)
        for edge in procedure.edges:
            if isinstance(edge.statement, Call) and edge.statement.procedure in callees:
                callee = self._copy(callees[edge.statement.procedure])
                alone = len(procedure.outgoing(edge.source)) == 1
                edges.extend(self._spliced(edge, edge.statement, callee, alone))
                locals_.update(dict.fromkeys(callee.locals))
            else:
                edges.append(edge)
        return replace(procedure.with_edges(tuple(edges)), locals=tuple(locals_))

    def _spliced(self, edge: Edge, call: Call, callee: Procedure, alone: bool) -> list[Edge]:
        """Arguments into parameters, open locals, the body, return values into results."""
        first: list[Statement] = [Assign(p, a) for p, a in zip(callee.parameters, call.arguments, strict=True)]
        open_ = [v for v in live_at_entry(callee) if v not in callee.parameters]
        if open_:
            first.append(Havoc(tuple(open_)))
        last: list[Statement] = [Assign(r, v) for r, v in zip(call.results, callee.returns, strict=True)]
        if not first and alone and not callee.incoming(callee.entry):
            body = [replace(e, source=edge.source) if e.source == callee.entry else e for e in callee.edges]
            before: list[Edge] = []
        else:
            before = self._path(edge.source, first, callee.entry, edge.origin)
            body = list(callee.edges)
        found = before
        for inner in body:
            if isinstance(inner.statement, Return):
                found.extend(self._path(inner.source, last, edge.target, edge.origin))
            else:
                found.append(inner)
        return found

    def _path(
        self, source: Location, statements: list[Statement], target: Location, origin: SourceRange | None
    ) -> list[Edge]:
        edges: list[Edge] = []
        for statement in statements or [Assume(TRUE)]:
            edges.append(Edge(source, statement, self._names.location(), origin))
            source = edges[-1].target
        edges[-1] = replace(edges[-1], target=target)
        return edges

    def _copy(self, procedure: Procedure) -> Procedure:
        """Itself the first time, then with new locations and variables."""
        if procedure.name not in self._used:
            self._used.add(procedure.name)
            return procedure
        names = self._names
        places = {location: names.location() for location in procedure.locations}
        variables = {v: var(names.name(v.name.partition("@")[0]), v.sort) for v in procedure.locals}
        for old, new in variables.items():
            if old in self._symbols:
                self._symbols[new] = self._symbols[old]
        for old_place, place in places.items():
            if old_place in names.errors:
                names.errors[place] = names.errors[old_place]
                names.checks[place] = names.checks[old_place]
            if old_place in names.loop_heads:
                names.loop_heads[place] = names.loop_heads[old_place]
            if old_place in names.hints:
                names.hints[place] = tuple(_renamed(hint, variables) for hint in names.hints[old_place])
        edges = tuple(
            replace(e, source=places[e.source], target=places[e.target], statement=_statement(e.statement, variables))
            for e in procedure.edges
        )
        return Procedure(
            procedure.name,
            tuple(variables[v] for v in procedure.parameters),
            tuple(variables[v] for v in procedure.returns),
            places[procedure.entry],
            places[procedure.exit],
            edges,
            tuple(variables.values()),
        )


def _renamed(term: Term, variables: Mapping[Term, Term]) -> Term:
    return substitute(term, {v: variables[v] for v in free_variables(term) if v in variables})


def _statement(statement: Statement, variables: Mapping[Term, Term]) -> Statement:
    match statement:
        case Assume(condition):
            return Assume(_renamed(condition, variables))
        case Assign(variable, value):
            return Assign(variables.get(variable, variable), _renamed(value, variables))
        case Havoc(havocked, source):
            return Havoc(tuple(variables.get(v, v) for v in havocked), source)
        case Call(procedure, arguments, results):
            return Call(
                procedure,
                tuple(_renamed(a, variables) for a in arguments),
                tuple(variables.get(r, r) for r in results),
            )
        case _:
            return statement


def live_at_entry(procedure: Procedure) -> list[Term]:
    """Locals whose value at the beginning may matter: the others need not be made arbitrary."""
    local = set(procedure.locals)
    live: dict[Location, set[Term]] = {}
    for edge in procedure.edges:
        if isinstance(edge.statement, Return):
            live[edge.source] = set(procedure.returns)
    waiting = [edge for edge in procedure.edges if not isinstance(edge.statement, Return)]
    waiting = list(dict.fromkeys(waiting))
    queued = set(waiting)
    while waiting:
        edge = waiting.pop()
        queued.discard(edge)
        used, written = _effect(edge.statement)
        new = (live.get(edge.target, set()) - written) | (used & local)
        known = live.setdefault(edge.source, set())
        if not new <= known:
            known |= new
            for incoming in procedure.incoming(edge.source):
                if incoming not in queued:
                    queued.add(incoming)
                    waiting.append(incoming)
    return sorted(live.get(procedure.entry, set()), key=lambda v: v.serial)


def _effect(statement: Statement) -> tuple[set[Term], set[Term]]:
    """The variables a statement reads and those it writes."""
    match statement:
        case Assume(condition):
            return set(free_variables(condition)), set()
        case Assign(variable, value):
            return set(free_variables(value)), {variable}
        case Havoc(variables):
            return set(), set(variables)
        case Call(_, arguments, results):
            return {v for a in arguments for v in free_variables(a)}, set(results)
        case _:
            return set(), set()
