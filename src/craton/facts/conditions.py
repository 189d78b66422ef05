"""Conditions that still hold: assumed on all ways to a location, and of variables that were not written since.

What a loop was left with (`i >= n`) is known of counters that nobody looks at any more, long behind the loop; with what
their sum is, that is often all. A data-flow analysis, as compilers know it for available expressions: inductive by
construction, and without a solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from craton.logic import TRUE, Term, conjuncts, free_variables, substitute
from craton.logic.walk import size
from craton.program.analysis.graphs import reverse_postorder
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition

LARGEST = 12  # nodes of a condition


def conditions(program: Program, steps: Mapping[Edge, Transition]) -> dict[Location, tuple[Term, ...]]:
    """At each location that edges lead to, the conditions that hold there."""
    main = program.main
    order = reverse_postorder(main.entry, main.successors)
    made = {edge: dict.fromkeys(_left_by(step)) for edge, step in steps.items()}
    found: dict[Location, dict[Term, None]] = {main.entry: {}}
    changed = True
    while changed:
        changed = False
        for location in order[1:]:
            arriving = [
                _kept(found[edge.source], steps[edge]) | made[edge]
                for edge in main.incoming(location)
                if edge.source in found
            ]
            shared = {condition: None for condition in arriving[0] if all(condition in other for other in arriving[1:])}
            if shared != found.get(location):
                found[location] = shared
                changed = True
    return {location: tuple(parts) for location, parts in found.items()}


def _kept(known: Mapping[Term, None], step: Transition) -> dict[Term, None]:
    return {condition: None for condition in known if step.written.isdisjoint(free_variables(condition))}


def _left_by(step: Transition) -> Iterator[Term]:
    """What a step assumes of variables that it does not write, or that it has given the value of an input."""
    given = {value: x for x, value in step.updates.items() if value in step.inputs}
    inputs = frozenset(step.inputs)
    for condition in conjuncts(step.guard):
        variables = free_variables(condition)
        if condition is TRUE or variables & step.written or size(condition, LARGEST + 1) > LARGEST:
            continue  # what was written, it has another value now
        told = substitute(condition, {value: x for value, x in given.items() if value in variables})
        if not free_variables(told) & inputs:
            yield told
