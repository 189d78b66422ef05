"""Rounds of loops that leave nothing behind are left out: a loop that waits for an input (`do x = f(); while (x < y);`)
is one choice of it, and a `continue` that asks again is none.

An edge back to a head is removed if whatever is written on the ways from the head to it is dead at the head. So that
invariants stay true of the program as it was, these variables hold anything there afterwards: other edges lead to the
head through statements that forget them.

Law: every state that the old program reaches at a location, the new one reaches there, too. For take the shortest run
to one that has a removed edge at its end. It was at the head before, and between the two visits it has written nothing
but what is forgotten there: the new program comes to the head with any values of that, and so in this very state.
Liveness has no part in this; it says that errors lose nothing by forgetting. A path of the new program is one of the
old one, without the statements that forget.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from craton.logic import Array, Term
from craton.program.analysis.control_flow import back_edge_targets
from craton.program.analysis.liveness import live_at
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Havoc
from craton.program.transformation import Transformed, unchanged
from craton.program.variables import writes

_MOST_WRITTEN = 20  # variables: a loop that writes more of them is seldom one that waits
_MOST_PLACES = 400  # between a head and the edge back


def without_waiting(program: Program) -> Transformed:
    """Programs of several procedures stay as they are: calls may write whatever lives longer than they do."""
    if len(program.procedures) != 1:
        return unchanged(program)
    main = program.main
    candidates = dict(_candidates(main))
    if not candidates:
        return unchanged(program)
    written = frozenset[Term]().union(*(writes(edge.statement) for edge in main.edges))
    live = live_at({edge.target for edge in candidates}, main, written)
    dead = {head: written.difference(here) for head, here in live.items()}
    removed = {edge: some for edge, some in candidates.items() if some <= dead[edge.target]}
    # Other numbers that are dead there are forgotten, too: nobody has to learn that they do not matter.
    numbers = {head: frozenset(v for v in here if not isinstance(v.sort, Array)) for head, here in dead.items()}
    removed = {edge: some | numbers[edge.target] for edge, some in removed.items()}
    return _without(program, removed) if removed else unchanged(program)


def _candidates(procedure: Procedure) -> Iterator[tuple[Edge, frozenset[Term]]]:
    """Edges back to heads, with what is written between."""
    for head in back_edge_targets(procedure):
        for edge in procedure.incoming(head):
            written = _written_between(procedure, head, edge)
            if written is not None:
                yield edge, written


def _written_between(procedure: Procedure, head: Location, back: Edge) -> frozenset[Term] | None:
    """What is written on the ways from the head to the end of an edge that leads back to it, but not through the head;
    None if it is much, or if there are other ways to the edge.
    """
    written = writes(back.statement)
    found, waiting = {head, back.source}, [back.source]
    while waiting:
        location = waiting.pop()
        if location == head:
            continue
        if location == procedure.entry or len(found) > _MOST_PLACES or len(written) > _MOST_WRITTEN:
            return None
        for edge in procedure.incoming(location):
            written |= writes(edge.statement)
            if edge.source not in found:
                found.add(edge.source)
                waiting.append(edge.source)
    return written


def _without(program: Program, removed: dict[Edge, frozenset[Term]]) -> Transformed:
    main, number = program.main, program.next_location()
    forgotten: dict[Location, frozenset[Term]] = {}
    for edge, written in removed.items():
        forgotten[edge.target] = forgotten.get(edge.target, frozenset()) | written
    edges: list[Edge] = []
    back: dict[Edge, tuple[Edge, ...]] = {}
    before: dict[Location, Location] = {}
    for edge in main.edges:
        if edge in removed:
            continue
        head = edge.target
        if not forgotten.get(head):
            edges.append(edge)
            continue
        between = Location(number + len(before))  # one for each edge: the head stays where its loop is entered
        before[between] = head
        forget = Edge(between, Havoc(tuple(sorted(forgotten[head], key=lambda v: v.serial))), head)
        edges += [replace(edge, target=between), forget]
        back |= {edges[-2]: (edge,), forget: ()}
    changed = program.with_procedures({**program.procedures, main.name: replace(main, edges=tuple(edges))})
    return Transformed(changed, back, before)
