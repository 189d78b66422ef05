"""Elimination case by case: ∃x. (α ∨ β) ∧ ψ is (∃x. α ∧ ψ) ∨ (∃x. β ∧ ψ).

Cases are the disjuncts of a disjunction, the branches of an if-then-else, and whether a read hits a write. The result
is used only if every case becomes quantifier-free; otherwise the formula stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from craton.logic import ops
from craton.logic.arrays import select
from craton.logic.build import rebuild
from craton.logic.core import and_, disjuncts, eq, not_, or_
from craton.logic.sorts import BOOL
from craton.logic.terms import FALSE, TRUE, Term
from craton.logic.walk import fold, free_variables, is_quantified, post_order
from craton.smt.elimination.syntactic import Quantified, literals, occurring

Eliminate = Callable[[Sequence[Term], Term], Quantified]

_MOST_CASES = 8


def by_cases(variables: Sequence[Term], body: Term, eliminate: Eliminate) -> Quantified:
    """`eliminate` is applied to each case."""
    variables = occurring(variables, body)
    quantified = frozenset(variables)
    parts = literals(body)
    mentioning = [p for p in parts if not quantified.isdisjoint(free_variables(p))]
    outside = [p for p in parts if quantified.isdisjoint(free_variables(p))]
    open_cases = [(tuple(variables), and_(*mentioning))]
    done: list[Term] = []
    while open_cases:
        case = open_cases.pop()
        split = _split(*case)
        if split is None or len(done) + len(open_cases) + len(split) > _MOST_CASES:
            return tuple(variables), body
        for smaller in reversed(split):
            left, rest = eliminate(case[0], smaller)
            if not left:
                done.append(rest)
            else:
                open_cases.append((left, rest))
    return (), and_(or_(*done), *outside)


def _split(variables: Sequence[Term], body: Term) -> list[Term] | None:
    """The cases of a conjunction, each simplified by what holds in it; None if there is nothing to split.

    Conditions come before disjunctions: under a condition, an equation with an if-then-else can be solved.
    """
    quantified = frozenset(variables)
    every = literals(body)
    parts = [p for p in every if not quantified.isdisjoint(free_variables(p))]
    for part in parts:
        condition = None if is_quantified(part) else _condition(part, quantified)
        if condition is not None:
            hit, miss = _knowing(body, condition, TRUE), _knowing(body, condition, FALSE)
            return [and_(condition, hit), and_(not_(condition), miss)]
    choices = [(part, alternatives) for part in parts if (alternatives := _alternatives(part)) is not None]
    if not choices:
        return None
    part, alternatives = min(choices, key=lambda choice: len(choice[1]))
    others = [p for p in every if p is not part]
    return [and_(alternative, *others) for alternative in alternatives]


def _alternatives(part: Term) -> list[Term] | None:
    negated = part.op is ops.NOT
    inner = part.args[0] if negated else part
    if inner.op is ops.OR and not negated:
        return list(disjuncts(inner))
    if inner.op is ops.AND and negated:
        return [not_(a) for a in inner.args]
    if inner.op is ops.IMPLIES and not negated:
        return [not_(inner.args[0]), inner.args[1]]
    if inner.op is ops.ITE and inner.sort is BOOL:
        condition, then, otherwise = inner.args
        if negated:
            then, otherwise = not_(then), not_(otherwise)
        return [and_(condition, then), and_(not_(condition), otherwise)]
    return None


def _condition(part: Term, quantified: frozenset[Term]) -> Term | None:
    """A condition that splits a part into two cases, at a node that mentions the variables."""
    for node in post_order(part):
        if quantified.isdisjoint(free_variables(node)):
            continue
        if node.op is ops.ITE:
            return node.args[0]
        if node.op is ops.SELECT and node.args[0].op is ops.STORE:
            return eq(node.args[0].args[1], node.args[1])
    return None


def _knowing(formula: Term, condition: Term, truth: Term) -> Term:
    """The formula if a condition's truth is known: if-then-elses on it and reads that it decides are resolved."""
    if is_quantified(formula):
        return formula

    def visit(node: Term, args: list[Term]) -> Term:
        if node is condition:
            return truth
        if node.op is ops.SELECT and node.args[0].op is ops.STORE:
            before, place, written = node.args[0].args
            if eq(place, node.args[1]) is condition:
                return memo[written] if truth is TRUE else select(memo[before], args[1])
        return rebuild(node, args) if any(a is not b for a, b in zip(args, node.args, strict=True)) else node

    memo: dict[Term, Term] = {}
    return fold(formula, visit, memo)
