"""Locals that a procedure may read before it writes them: Boogie gives them arbitrary values in each call."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.boogie.automaton import Names
from craton.logic import Term
from craton.program.cfa import Edge, Location, Procedure
from craton.program.statements import Havoc, Return
from craton.program.variables import reads, writes


def with_open_locals(procedure: Procedure, names: Names) -> Procedure:
    """The procedure with a first edge that makes such locals arbitrary, so that a copy inside a loop does so too."""
    open_ = tuple(v for v in live_at_entry(procedure) if v not in procedure.parameters)
    if not open_:
        return procedure
    first = Edge(names.location(), Havoc(open_), procedure.entry, procedure.outgoing(procedure.entry)[0].origin)
    return replace(procedure.with_edges((first, *procedure.edges)), entry=first.source)


def live_at_entry(procedure: Procedure) -> list[Term]:
    """The locals whose value at the beginning may matter."""
    local = frozenset(procedure.locals)
    live: dict[Location, frozenset[Term]] = {}
    waiting = dict.fromkeys(procedure.edges)
    while waiting:
        edge, _ = waiting.popitem()
        if isinstance(edge.statement, Return):
            needed = frozenset(procedure.returns)
        else:
            needed = live.get(edge.target, frozenset()) - writes(edge.statement) | reads(edge.statement) & local
        known = live.get(edge.source, frozenset())
        if not needed <= known:
            live[edge.source] = known | needed
            waiting.update(dict.fromkeys(procedure.incoming(edge.source)))
    return sorted(live.get(procedure.entry, ()), key=lambda v: v.serial)
