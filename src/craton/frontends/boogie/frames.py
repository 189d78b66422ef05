"""Locals that a procedure may read before it writes them: Boogie gives them arbitrary values in each call."""

from __future__ import annotations

from dataclasses import replace

from craton.frontends.boogie.automaton import Names
from craton.program.analysis.liveness import live_at_entry
from craton.program.cfa import Edge, Procedure
from craton.program.statements import Havoc


def with_open_locals(procedure: Procedure, names: Names) -> Procedure:
    """The procedure with a first edge that makes such locals arbitrary, so that a copy inside a loop does so too."""
    local = sorted(procedure.locals, key=lambda v: v.serial)
    open_ = tuple(v for v in live_at_entry(procedure, local) if v not in procedure.parameters)
    if not open_:
        return procedure
    first = Edge(names.location(), Havoc(open_), procedure.entry, procedure.outgoing(procedure.entry)[0].origin)
    return replace(procedure.with_edges((first, *procedure.edges)), entry=first.source)
