"""Formulas that are made smaller before tables are asked. Law: where the formula holds, what is left holds, too."""

from __future__ import annotations

from craton.logic import TRUE, Term, conjuncts, free_variables, ops, post_order, substitute
from craton.logic.equations import said_equal
from craton.logic.walk import replaced

_JUNCTIONS = (ops.AND, ops.OR)


def smaller(formula: Term, kept: frozenset[Term]) -> Term:
    """Of variables that are not among those that are kept: they are replaced by what the formula says they are, and
    ranges are left out if nothing else is said of them.
    """
    return _without_ranges(_solved(formula, kept), kept)


def _solved(formula: Term, kept: frozenset[Term]) -> Term:
    for part in conjuncts(formula):
        said = ((one, other) for one, other in said_equal(part) if one in free_variables(formula) - kept)
        found = next(said, None)
        if found is not None:
            formula = substitute(formula, dict([found]))
    return formula


def _without_ranges(formula: Term, kept: frozenset[Term]) -> Term:
    """What is under conjunctions and disjunctions only is weaker if a part of it is taken for true: inputs that only
    have to be of their type, such as truth values of a byte, would be told apart otherwise.
    """
    junctions, waiting = set[Term](), [formula]
    while waiting:
        node = waiting.pop()
        if node.op in _JUNCTIONS and node not in junctions:
            junctions.add(node)
            waiting += node.args
    ranges: dict[Term, Term] = {}  # of variables, where nothing else speaks of them
    spoken_of = set(kept)
    for node in post_order(formula):
        for x in node.args:
            if x.is_variable and (node.op is not ops.BVULE or not node.args[1].is_value or x in ranges):
                spoken_of.add(x)
            elif x.is_variable:
                ranges[x] = node
            elif node not in junctions and (x.op is ops.BVULE or x in junctions):
                spoken_of.update(free_variables(x))  # it may be under a negation there
    known = {part: TRUE for x, part in ranges.items() if x not in spoken_of}
    return replaced((formula,), known)[0] if known else formula
