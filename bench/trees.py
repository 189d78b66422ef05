"""Trees: what refinement costs as trees grow while their core stays the same, and what Craig costs beside Newton."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bench.measure import Figure
from craton.configuration.refiners import refiner
from craton.horn.clauses import Clause, Predicate, System
from craton.logic import INT, TRUE, add, and_, eq, int_, lt, var
from craton.traces.refutation import Refutation
from craton.trees.refiners import refute
from craton.trees.tree import Node, Tree

_A, _B, _C, _F, _G, _H = (var(name, INT) for name in "abcfgh")
_P = Predicate("p", (INT, INT))
SYSTEM = System(
    (
        Clause(_P(_A, _F), (), and_(eq(_A, int_(1)), eq(_F, int_(0)))),
        Clause(_P(add(_A, _B), _F), (_P(_A, _F), _P(_B, _G)), TRUE),
        Clause(None, (_P(_A, _F), _P(_C, _H)), lt(_F, int_(0))),
    )
)  # the second argument is handed on from the left: the core is the way to the leftmost leaf


def balanced(depth: int) -> Tree:
    """2^depth leaves; the core has as many nodes as it is deep."""
    nodes: list[Node] = []

    def derive(left: int) -> int:
        children = () if left == 0 else (derive(left - 1), derive(left - 1))
        nodes.append(Node(1 if children else 0, children))
        return len(nodes) - 1

    nodes.append(Node(2, (derive(depth), derive(depth))))
    return Tree(SYSTEM, tuple(nodes))


def figures() -> Iterator[Figure]:
    for expression, goal in (
        ("newton(it, sp, lv)", 5.0),
        ("newton(it, wp, lv)", 5.0),
        ("newton(sp)", 5.0),
        ("sliced(newton(it, sp, lv))", 5.0),
    ):
        yield Figure(f"{expression}, {len(balanced(8)):,} nodes", _seconds(expression, 8), "s", goal, False)
        growth = _seconds(expression, 9) / _seconds(expression, 8)
        yield Figure(
            f"{expression}, growth from {len(balanced(8)):,} to {len(balanced(9)):,} nodes", growth, "×", 2.5, False
        )
    yield Figure(f"craig(z3), {len(balanced(5)):,} nodes", _seconds("craig(z3)", 5), "s", 5.0, False)


def _seconds(expression: str, depth: int) -> float:
    tree = balanced(depth)
    started = time.perf_counter()
    answer = refute(refiner(expression), tree)
    used = time.perf_counter() - started
    assert isinstance(answer, Refutation), answer
    return used
