"""Histories: what a variable that is computed round by round was, as an array of its own, by the loop's index.

    head:  while (i < n) { s = s + a[i]; i++; }          H := store(H, i, s)   whenever control comes to the head

Nothing reads a history, so the program does what it did: each of its runs is one of the program with histories, and the
other way round, through the same locations. But invariants may speak of it: that H[k + 1] = H[k] + a[k] says that H is
the sum of a prefix, whoever else adds up the same elements (docs/arrays.md).

The proof checker adds them by these same steps. Which histories there are is a guess; that they are new variables, and
that nothing but their own updates reads them, is what a proof rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from craton.logic import BitVec, Term, free_variables, ops, post_order, store, var
from craton.logic.affine import affine
from craton.logic.sorts import BOOL, Array
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.statements import Assign, Call, Return
from craton.program.transformation import Transformed, unchanged
from craton.program.transitions import Transition, transition

MOST_HISTORIES = 8  # of a program


@dataclass(frozen=True, slots=True)
class History:
    """`array` at an index is what `value` was when control came to the loop's head with the variable `index` there."""

    head: Location
    index: Term
    value: Term
    array: Term

    @property
    def update(self) -> Assign:
        return Assign(self.array, store(self.array, self.index, self.value))


def with_histories(program: Program) -> Transformed:
    """The program with a history for each variable that a loop over an array computes from its elements; nothing new
    for a program that has them already.
    """
    found = histories(encode_blocks(program).program)
    taken = {v.name for v in (*program.globals, *program.main.locals)}
    if not found or any(history.array.name in taken for history in found):
        return unchanged(program)
    return _with(program, found)


def histories(blocks: Program) -> tuple[History, ...]:
    """Those of a program in large blocks, by the names of their variables: it must not matter who asks."""
    found: list[History] = []
    for head in blocks.main.locations:
        rounds = rounds_at(blocks, head)
        for index in _indices(rounds):
            for value in _computed(rounds, index):
                name = f"history of {value.name} by {index.name} at {head}"
                found.append(History(head, index, value, var(name, Array(index.sort, value.sort))))
    return tuple(found[:MOST_HISTORIES])


def rounds_at(blocks: Program, head: Location) -> list[Transition]:
    """What a round of an innermost loop does, one transition for each edge."""
    if head == blocks.main.entry:
        return []
    around = [edge for edge in blocks.main.outgoing(head) if edge.target == head]
    return (
        [] if any(isinstance(e.statement, Call | Return) for e in around) else [transition(e.statement) for e in around]
    )


def step_of(rounds: Sequence[Transition], variable: Term) -> int | None:
    """What each round adds to a variable; None if that is not always the same number."""
    steps = set[int | None]()
    for step in rounds:
        added = affine(step.updates.get(variable, variable)).minus(affine(variable))
        steps.add(None if added.factors else added.constant)
    return steps.pop() if len(steps) == 1 else None


def _indices(rounds: Sequence[Transition]) -> list[Term]:
    """Variables that go by ones and by which elements are read or written."""
    inside = {v for step in rounds for place in _places(step) for v in free_variables(place)}
    moved = _in_order(v for step in rounds for v in step.updates if isinstance(v.sort, BitVec))
    return [v for v in moved if v in inside and step_of(rounds, v) in (1, -1)]


def _places(step: Transition) -> Iterator[Term]:
    for node in post_order(step.guard, *step.updates.values()):
        if node.op in (ops.SELECT, ops.STORE):
            yield node.args[1]


def _computed(rounds: Sequence[Transition], index: Term) -> list[Term]:
    """Variables that are computed from what they were and from elements or inputs."""
    found = []
    for step in rounds:
        for variable, value in step.updates.items():
            if variable is index or not (variable.sort is BOOL or isinstance(variable.sort, BitVec)):
                continue
            free = free_variables(value)
            if variable in free and not free <= frozenset((variable, index)) and _is_told(value, step):
                found.append(variable)
    return _in_order(found)


def _is_told(value: Term, step: Transition) -> bool:
    """Whether elements or inputs tell it."""
    chosen = frozenset(step.inputs)
    return any(node.op is ops.SELECT or node in chosen for node in post_order(value))


def _in_order(variables: Iterator[Term] | Sequence[Term]) -> list[Term]:
    return sorted(dict.fromkeys(variables), key=lambda v: v.name)


def _with(program: Program, found: Sequence[History]) -> Transformed:
    """Each edge to a head leads there through the updates of its histories."""
    main, number = program.main, program.next_location()
    edges: list[Edge] = []
    back: dict[Edge, tuple[Edge, ...]] = {}
    places: dict[Location, Location] = {}
    for edge in main.edges:
        updates = [history.update for history in found if history.head == edge.target]
        here = edge
        for update in updates:
            between = Location(number)
            number += 1
            edges.append(replace(here, target=between))
            back[edges[-1]] = (edge,) if here is edge else ()
            places[between] = edge.target
            here = Edge(between, update, edge.target)
        edges.append(here)
        if updates:
            back[here] = ()
    new = replace(main, edges=tuple(edges), locals=(*main.locals, *(history.array for history in found)))
    changed = program.with_procedures({**program.procedures, main.name: new})
    return Transformed(changed, back, places)
