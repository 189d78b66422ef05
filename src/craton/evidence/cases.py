"""Questions about products that depend on conditions, asked for each of the cases: solvers see what polynomials are
equal to, and do not see it through a choice between them.

Law: formulas hold together in a state exactly if those of one of the cases do. For in each state a condition is true or
false; where it has a truth value, it may be replaced by that, and each case says which values it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

from craton.logic import FALSE, TRUE, Term, is_quantified, not_, ops
from craton.logic.walk import post_order, replaced

MOST_CONDITIONS = 4

_PRODUCTS = (ops.BVMUL, ops.MUL)


def cases_by_conditions(formulas: Sequence[Term]) -> list[tuple[Term, ...]]:
    """The formulas for each combination of truth values of the conditions on which terms of the last one depend, with
    that last; none if there is no product, nothing to choose, or much.
    """
    if any(map(is_quantified, formulas)):
        return []
    nodes = list(post_order(formulas[-1]))
    if not any(node.op in _PRODUCTS and not any(arg.is_value for arg in node.args) for node in nodes):
        return []
    chosen = (node.args[0] for node in nodes if node.op is ops.ITE)
    conditions = list(islice(dict.fromkeys(chosen), MOST_CONDITIONS + 1))
    if not 0 < len(conditions) <= MOST_CONDITIONS:
        return []
    found = []
    for truths in product((TRUE, FALSE), repeat=len(conditions)):
        values = dict(zip(conditions, truths, strict=True))
        *known, goal = replaced(formulas, values)
        said = (condition if truth is TRUE else not_(condition) for condition, truth in values.items())
        found.append((*known, *said, goal))
    return found
