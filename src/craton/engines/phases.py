"""Phases (Sharma, Dillig, Dillig, Aiken 2011): the head of a loop is two locations, one where a condition holds and one
where it does not.

While y ≤ 0, `x += y` makes x smaller, and after that larger: no bound that is linear in the rounds holds of both. Which
phase a run is in at the end is what the error asks for, so its own conditions are tried; and which phase a round is in
is what the loop asks itself (`if (x < 10) …`), so these are tried, too. An annotation of the split program is one of
the program: what holds in either phase, together with the condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from craton.logic import TRUE, Term, and_, atoms, free_variables, not_, ops, or_, post_order
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assume, Block
from craton.program.transitions import Transition

MOST_EDGES = 40  # of a program whose loops are split
MOST_CONDITIONS = 2  # of errors; and of rounds

Invariants = Mapping[Location, Term]


@dataclass(frozen=True, slots=True)
class Phases:
    """A program whose loop at `head` is split: where the condition does not hold, its head is `twin`."""

    program: Program
    head: Location
    twin: Location
    condition: Term

    def joined(self, invariants: Invariants) -> dict[Location, Term]:
        """Invariants of the program as it was."""
        first, second = (invariants.get(x) for x in (self.head, self.twin))
        both = [and_(self.condition, first)] if first is not None else []
        both += [and_(not_(self.condition), second)] if second is not None else []
        rest = {x: claim for x, claim in invariants.items() if x not in (self.head, self.twin)}
        return {**rest, self.head: or_(*both)} if both else rest


def phases(program: Program, steps: Mapping[Edge, Transition]) -> Iterator[Phases]:
    """The program with a loop split by a condition of the error behind it, or of its rounds, once for each of the first
    ones.
    """
    if len(program.main.edges) > MOST_EDGES:
        return
    asked: dict[tuple[Location, Term], None] = {}
    for edge, step in steps.items():
        rounds = [steps[other] for other in program.main.outgoing(edge.source) if other.target == edge.source]
        if edge.target in program.errors and rounds:
            in_guards = {atom for one in rounds for atom in atoms(one.guard)}
            asked |= {
                (edge.source, atom): None for atom in _told(step, step.guard) if not {atom, not_(atom)} & in_guards
            }
    inside: dict[tuple[Location, Term], None] = {}
    for edge, step in steps.items():
        if edge.source == edge.target:
            chosen = (choice for value in step.updates.values() for choice in _choices(value))
            inside |= {(edge.source, atom): None for choice in chosen for atom in _told(step, choice)}
    split_so_far = list(asked)[:MOST_CONDITIONS]
    for head, condition in dict.fromkeys((*split_so_far, *list(inside)[:MOST_CONDITIONS])):
        yield split(program, head, condition)


def _told(step: Transition, formula: Term) -> Iterator[Term]:
    """The atoms that only say something of the state before the step."""
    return (atom for atom in atoms(formula) if not free_variables(atom) & frozenset(step.inputs))


def _choices(value: Term) -> Iterator[Term]:
    """The conditions by which a value is chosen."""
    return (node.args[0] for node in post_order(value) if node.op is ops.ITE)


def split(program: Program, head: Location, condition: Term) -> Phases:
    """Every edge to the head ends with the condition, or its negation: there are two of it."""
    edges = program.main.edges
    fresh = map(Location, count(1 + max(max(x.source.id, x.target.id) for edge in edges for x in _inside(edge))))
    twin = next(fresh)
    copies: list[Edge] = []
    for edge in edges:
        sources = (head, twin) if edge.source == head else (edge.source,)
        targets = ((head, condition), (twin, not_(condition))) if edge.target == head else ((edge.target, TRUE),)
        if head in (edge.source, edge.target):
            copies += [_copy(edge, source, fresh, *target) for source in sources for target in targets]
        else:
            copies.append(edge)
    main = program.main.with_edges(tuple(copies))
    return Phases(program.with_procedures({**program.procedures, program.entry: main}), head, twin, condition)


def _copy(edge: Edge, source: Location, fresh: Iterator[Location], target: Location, assumed: Term) -> Edge:
    """The edge between other locations, with an assumption at its end; the locations inside of it are its own."""
    inside = _inside(edge)
    begin, end = inside[0].source, inside[-1].target
    middle = next(fresh)
    between = dict.fromkeys(x.source for x in inside if x.source != begin)
    renamed = {begin: source, **{location: next(fresh) for location in between}}
    moved = [
        replace(x, source=renamed[x.source], target=middle if x.target == end else renamed[x.target]) for x in inside
    ]
    return replace(edge, source=source, target=target, statement=Block((*moved, Edge(middle, Assume(assumed), target))))


def _inside(edge: Edge) -> tuple[Edge, ...]:
    return tuple(edge.statement.edges) if isinstance(edge.statement, Block) else (edge,)
