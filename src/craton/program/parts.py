"""The narrow places of loops: locations that all ways pass, from a loop's head around to it again, and from the entry
to the first head, once all is chosen that the program begins with.

Between them a round falls into parts, such as the turns of nodes that take turns: small steps, after each of which
there is one state where there was one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from craton.logic import Term
from craton.program.analysis.control_flow import back_edge_targets
from craton.program.analysis.graphs import reverse_postorder
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Assume, Havoc
from craton.program.variables import reads, writes

_SMALLEST = 12  # locations: a part has at least so many


def narrow_places(procedure: Procedure, program: Program) -> frozenset[Location]:
    """Of the entry procedure, so far apart that parts are worth a look; none where there is no loop, or rounds read
    what they choose: then a state after a part would be many.
    """
    heads = back_edge_targets(procedure)
    if procedure is not program.main or not heads:
        return frozenset()
    graph = _Dominators(procedure)
    last = _last_choice(procedure, graph)
    if last >= min(graph.number[head] for head in heads):
        return frozenset()
    beginning = [x for x in graph.path(procedure.entry, heads[:1]) if graph.number[x] > last]
    found = set(_apart(beginning, graph))
    for head in heads:
        found.update(_apart([head, *graph.path(head, graph.sources_of_back_edges(head))], graph))
    return frozenset(found)


def _apart(places: Sequence[Location], graph: _Dominators) -> Iterator[Location]:
    """Those that have enough locations before them."""
    last = places[0] if places else None
    for place in places:
        assert last is not None
        if graph.number[place] - graph.number[last] >= _SMALLEST:
            last = place
            yield place


def _last_choice(procedure: Procedure, graph: _Dominators) -> int:
    """Where the last value is chosen that is read later: the number of that location."""
    chosen: list[tuple[int, Edge, Sequence[Term]]] = []
    for edge in procedure.edges:
        number = graph.number.get(edge.target)
        if isinstance(edge.statement, Havoc) and number is not None:
            chosen.append((number, edge, edge.statement.variables))
    for number, edge, variables in sorted(chosen, key=lambda one: -one[0]):
        if any(_is_read(x, edge.target, procedure) for x in variables):
            return number
    return -1


def _is_read(variable: Term, location: Location, procedure: Procedure) -> bool:
    """Whether what a variable holds at a location may be read; not counting what is merely said of it: where nothing
    branches, that one of type `_Bool` is 0 or 1.
    """
    seen, waiting = {location}, [location]
    while waiting:
        leaving = procedure.outgoing(waiting.pop())
        for edge in leaving:
            is_said = isinstance(edge.statement, Assume) and len(leaving) == 1
            if variable in reads(edge.statement) and not is_said:
                return True
            if edge.target not in seen and variable not in writes(edge.statement):
                seen.add(edge.target)
                waiting.append(edge.target)
    return False


class _Dominators:
    """Which locations all ways from the entry to a location pass (Cooper, Harvey and Kennedy 2001)."""

    def __init__(self, procedure: Procedure) -> None:
        self.procedure = procedure
        order = reverse_postorder(procedure.entry, procedure.successors)
        self.number: Mapping[Location, int] = {x: i for i, x in enumerate(order)}
        self.above: dict[Location, Location] = {procedure.entry: procedure.entry}
        changed = True
        while changed:
            changed = False
            for location in order[1:]:
                before = [e.source for e in procedure.incoming(location) if e.source in self.above]
                nearest = self.common(before)
                changed |= self.above.get(location) != nearest
                self.above[location] = nearest

    def common(self, locations: Sequence[Location]) -> Location:
        """The last one that all ways to each of them pass."""
        found, *others = locations
        for other in others:
            while found != other:
                while self.number[found] > self.number[other]:
                    found = self.above[found]
                while self.number[other] > self.number[found]:
                    other = self.above[other]
        return found

    def path(self, begin: Location, ends: Sequence[Location]) -> list[Location]:
        """What all ways pass between a location that they all begin with and these."""
        found: list[Location] = []
        location = self.common(ends) if ends else begin
        while location not in (begin, self.procedure.entry):
            found.append(location)
            location = self.above[location]
        return found[::-1]

    def sources_of_back_edges(self, head: Location) -> list[Location]:
        incoming: Sequence[Edge] = self.procedure.incoming(head)
        return [e.source for e in incoming if self.number.get(e.source, -1) >= self.number[head]]
