"""The search: cases are split until none has a model, as far as intervals can tell, or time is up.

Split is what leaves a conjunct open: a choice between two terms, else the comparison itself, else the variable below it
that has the most values, in the middle of its ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from craton.facts.operations import MAYBE, NO, YES
from craton.facts.ranges import Range, halved, roundest
from craton.logic import TRUE, Term, and_, conjuncts, free_variables, ops, post_order, substitute
from craton.processes.running_time import running_time
from craton.smt.intervals.operations import Known
from craton.smt.intervals.propagation import Case, Formula, NoModel
from craton.smt.intervals.spans import Span, none_but_nan

MOST_DEFINITIONS = 500


def contradictory(formulas: Sequence[Term], deadline: float | None) -> bool:
    """Whether the formulas are shown to have no model; False if that is not known."""
    formula = Formula(without_definitions(formulas))
    waiting = [Case.of(formula)]
    while waiting:
        case = waiting.pop()
        try:
            case.propagate()
        except NoModel:
            continue
        if deadline is not None and running_time() > deadline:
            return False
        parts = _split(case)
        if parts is None:
            return False
        waiting.extend(parts)
    return True


def without_definitions(formulas: Sequence[Term]) -> list[Term]:
    """The conjuncts, with variables replaced that are equal to terms without them: fewer values to split, and terms
    whose parts belong together.
    """
    known: dict[Term, Term] = {}
    rest: list[Term] = []
    for formula in conjuncts(and_(*formulas)):
        part = substitute(formula, known) if known else formula
        definition = _definition(part) if len(known) < MOST_DEFINITIONS else None
        if definition is None:
            rest.append(part)
            continue
        variable, term = definition
        mapping = {variable: term}
        known = {x: substitute(t, mapping) if variable in free_variables(t) else t for x, t in known.items()}
        known[variable] = term
    replaced = (substitute(part, known) for part in rest)
    return [part for formula in replaced for part in conjuncts(formula) if part is not TRUE]


def _definition(formula: Term) -> tuple[Term, Term] | None:
    if formula.op is ops.EQ and len(formula.args) == 2:
        for variable, term in (formula.args, formula.args[::-1]):
            if variable.op is ops.VARIABLE and variable not in free_variables(term):
                return variable, term
    return None


def _split(case: Case) -> list[Case] | None:
    """Cases that cover this one; None if there is nothing to split."""
    open_ = case.open_conjuncts()
    for conjunct in open_:
        condition = _open_condition(case, conjunct)
        if condition is not None:
            return list(_cases(case, condition, (YES, NO)))
    for conjunct in open_:
        variable = _widest(case, conjunct)
        if variable is not None:
            return list(_cases(case, variable, _halves(case.known[variable])))
    return None


def _cases(case: Case, part: Term, values: Sequence[Known]) -> Iterator[Case]:
    for known in values:
        try:
            yield case.where(part, known)
        except NoModel:
            continue


def _open_condition(case: Case, conjunct: Term) -> Term | None:
    """A condition below a conjunct of which it is not known whether it holds: of connectives and choices on the way
    that is taken, the first.
    """
    waiting, seen = [conjunct], {conjunct}
    while waiting:
        node = waiting.pop()
        is_condition = case.known.get(node) == MAYBE and not _is_junction(node)
        if is_condition and node.op is not ops.ITE and not _has_open_choice(case, node):
            return node
        below = _taken(case, node)
        for arg in below:
            if arg not in seen:
                seen.add(arg)
                waiting.append(arg)
    return None


def _is_junction(node: Term) -> bool:
    return node.op in (ops.AND, ops.OR, ops.NOT, ops.IMPLIES)


def _taken(case: Case, node: Term) -> Sequence[Term]:
    """The arguments that matter."""
    if node.op is not ops.ITE:
        return node.args
    condition, then, otherwise = node.args
    truth = case.known[condition]
    if truth == MAYBE:
        return (condition,)
    return (then if truth == YES else otherwise,)


def _has_open_choice(case: Case, root: Term) -> bool:
    return any(node.op is ops.ITE and case.known[node.args[0]] == MAYBE for node in post_order(root))


def _widest(case: Case, conjunct: Term) -> Term | None:
    """The variable with the most values."""
    variables = [x for x in free_variables(conjunct) if _values(case.known.get(x)) > 1]
    return max(variables, key=lambda x: (_values(case.known[x]), -x.serial), default=None)


def _values(known: Known | None) -> int:
    if known is None:
        return 1
    if isinstance(known, Range):
        return min(known.high - known.low, known.most - known.least) + 1
    return (known.high - known.low + 1 if known.has_numbers else 0) + known.nan


def _halves(known: Known) -> Sequence[Known]:
    if isinstance(known, Span):
        if known.nan:
            return none_but_nan(known.sort), Span(known.sort, known.low, known.high, False)
        cut = roundest(known.low, known.high)
        return Span(known.sort, known.low, cut - 1, False), Span(known.sort, cut, known.high, False)
    return halved(known)
