"""How often a local array comes to life: each time its contents are arbitrary again.

A small array gets arbitrary contents element by element where it is declared, and one that has its regions for itself
gets them by a havoc of those. What is left, a large array in a region that other objects share, gets *new memory* each
time, because memory that was never used holds arbitrary values. Its first memory needs no such care.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from craton.frontends.c.memory.places import Place
from craton.frontends.c.memory.points_to import PointsTo
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.syntax.nodes import Function, Kind, Node, Storage, Variable
from craton.frontends.c.syntax.types import count_leaves

MOST_STORES = 128  # leaves that get arbitrary values one by one
_LOOPS = frozenset({Kind.WHILE, Kind.DO, Kind.FOR})


class Lifetime(enum.Enum):
    """When a declaration is reached again, and whether that begins a new life."""

    ONCE = "at most once in a run"
    CALL = "once in a call"
    LOOP = "in every iteration of a loop, and each is a life of its own"
    LABEL = "after a jump backwards, maybe in the same life: pointers to it stay valid"


def lifetimes(scan: Scan, points_to: PointsTo, is_alone: Callable[[Place], bool]) -> dict[Variable, Lifetime]:
    """The large uninitialised arrays that share their regions with other objects."""
    found: dict[Variable, Lifetime] = {}
    called = {callee for callees in scan.calls.values() for callee in callees} | set(scan.address_taken)
    for symbol, variables in scan.locals.items():
        large = [v for v in variables if _is_large(v) and scan.in_memory(v) and not is_alone(points_to.of_variable(v))]
        if large:
            declared = _declarations(scan.functions[symbol])
            for variable in large:
                lifetime = declared.get(variable, Lifetime.CALL)
                if lifetime is Lifetime.CALL and symbol not in called:
                    lifetime = Lifetime.ONCE
                found[variable] = lifetime
    return found


def _is_large(variable: Variable) -> bool:
    return (
        variable.storage is Storage.LOCAL and variable.initializer is None and count_leaves(variable.type) > MOST_STORES
    )


def _declarations(function: Function) -> dict[Variable, Lifetime]:
    """The lifetimes of a function's locals, by what stands round and before their declarations."""
    found: dict[Variable, Lifetime] = {}
    labels = False
    assert function.body is not None
    stack: list[tuple[Node, bool]] = [(function.body, False)]
    while stack:
        node, in_loop = stack.pop()
        labels = labels or node.kind is Kind.LABEL
        if node.kind is Kind.DECLARE:
            found[node.value] = Lifetime.LABEL if labels else Lifetime.LOOP if in_loop else Lifetime.CALL
        inside = in_loop or node.kind in _LOOPS
        stack.extend((child, inside) for child in reversed(node.children) if child is not None)
    return found
