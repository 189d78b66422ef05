"""Terms as flat lists, so that pickle neither recurses into deep terms nor loses sharing.

Reading re-interns every node.
"""

from __future__ import annotations

from typing import Any

from craton.logic.build import build
from craton.logic.ops import Op
from craton.logic.sorts import Sort
from craton.logic.terms import Term
from craton.logic.walk import post_order

# One row per node: operation, positions of the arguments, sort, payload (a quantifier's bound variables as positions
# too).
Row = tuple[Op, tuple[int, ...], Sort, Any]


def flatten(root: Term) -> list[Row]:
    """Rows in order of the nodes' creation, so arguments come first; the last row is the root."""
    rows: list[Row] = []
    position: dict[Term, int] = {}
    for node in sorted(post_order(root), key=lambda node: node.serial):
        payload = node.payload
        if isinstance(payload, tuple) and payload and isinstance(payload[0], Term):
            # Every bound variable occurs in the body, so it has a row.
            payload = _Bound(tuple(position[v] for v in payload))
        rows.append((node.op, tuple(position[a] for a in node.args), node.sort, payload))
        position[node] = len(position)
    return rows


class _Bound(tuple[int, ...]):
    """Positions of bound variables; a separate type distinguishes them from indices."""

    __slots__ = ()


def restore(rows: list[Row]) -> Term:
    nodes: list[Term] = []
    for op, args, sort, payload in rows:
        if isinstance(payload, _Bound):
            payload = tuple(nodes[i] for i in payload)
        nodes.append(build(op, [nodes[i] for i in args], sort, payload))
    return nodes[-1]
