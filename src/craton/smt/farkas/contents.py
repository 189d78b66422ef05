"""Formulas as constraints and choices.

A content is a conjunction: constraints that hold, and choices between contents of which one holds. Disequalities and
disjunctions are choices. So are conditional terms: as atoms, with a choice that says what they are. Quotients and
remainders by constants are atoms, with constraints that say what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from craton.logic import ops
from craton.logic.arithmetic import div, le, lt
from craton.logic.core import and_, eq, not_
from craton.logic.ops import Op
from craton.logic.sorts import BOOL, INT, REAL
from craton.logic.terms import FALSE, TRUE, Term, int_
from craton.logic.walk import fold
from craton.smt.farkas.forms import Constraint, Form, Rational, Relation, atom, constant, constraint


@dataclass(slots=True)
class Content:
    """All constraints hold, and of each choice one alternative."""

    constraints: list[Constraint] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)

    def holds(self, point: Mapping[Term, Rational]) -> bool:
        return all(c.holds(point) for c in self.constraints) and all(c.holds(point) for c in self.choices)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    step: int
    alternatives: tuple[Content, ...]

    def holds(self, point: Mapping[Term, Rational]) -> bool:
        return any(content.holds(point) for content in self.alternatives)


def content(formula: Term, step: int) -> Content:
    return _Reader(step).read(formula)


class _Reader:
    """Reads the formulas of one step; what atoms are is said once, outside of all choices."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._forms: dict[Term, Form] = {}
        self._definitions = Content()

    def read(self, formula: Term) -> Content:
        found = self._content(formula)
        found.constraints += self._definitions.constraints
        found.choices += self._definitions.choices
        return found

    # --- formulas -----------------------------------------------------------------------------------------------------

    def _content(self, *formulas: Term) -> Content:
        """Iterative in conjunctions; recursive in alternations of conjunction and disjunction only."""
        found = Content()
        stack = list(reversed(formulas))
        while stack:
            part = stack.pop()
            if part is TRUE:
                continue
            if part.op is ops.AND:
                stack += reversed(part.args)
            elif part.op is ops.NOT and part.args[0].op in (ops.OR, ops.IMPLIES):
                stack += reversed(_denied(part.args[0]))
            elif part.op is ops.DISTINCT:
                stack += [not_(eq(a, b)) for i, a in enumerate(part.args) for b in part.args[:i]]
            else:
                self._part(part, found)
        return found

    def _part(self, part: Term, found: Content) -> None:
        alternatives = _alternatives(part)
        if alternatives:
            found.choices.append(Choice(self._step, tuple(self._content(a) for a in alternatives)))
        elif part.op in _RELATIONS and part.args[0].sort in (INT, REAL):
            for a, b in pairwise(part.args):
                self._say(found, self._form(a).plus(self._form(b), -1), _RELATIONS[part.op])
        elif part is FALSE:
            self._say(found, constant(1), Relation.AT_MOST)
        elif part.op is ops.NOT:
            self._say(found, atom(part.args[0]), Relation.AT_MOST)
        else:
            self._say(found, Form({part: -1}, 1), Relation.AT_MOST)

    def _say(self, found: Content, form: Form, relation: Relation) -> None:
        found.constraints.append(constraint(form, relation, self._step))

    # --- terms --------------------------------------------------------------------------------------------------------

    def _form(self, term: Term) -> Form:
        return fold(term, self._visit, self._forms)

    def _visit(self, node: Term, args: list[Form]) -> Form:
        if node.sort not in (INT, REAL):
            return atom(node)
        if node.op is ops.VALUE:
            return constant(node.payload)
        combine = _SUMS.get(node.op)
        if combine is not None:
            return combine(*args)
        if node.op is ops.MUL:
            return _scaled(node, args)
        if node.op is ops.ITE:
            self._chosen(node, node.args[0], args[1], args[2])
        elif node.op is ops.ABS:
            self._chosen(node, le(int_(0), node.args[0]), args[0], args[0].times(-1))
        elif node.op in (ops.DIV, ops.MOD) and node.args[1].is_value and node.args[1].payload > 0:
            return self._divided(node, args[0], node.args[1].payload)
        return atom(node)

    def _chosen(self, node: Term, condition: Term, then: Form, otherwise: Form) -> None:
        alternatives = []
        for case, form in ((condition, then), (not_(condition), otherwise)):
            content = self._content(case)
            self._say(content, atom(node).plus(form, -1), Relation.EQUAL)
            alternatives.append(content)
        self._definitions.choices.append(Choice(self._step, tuple(alternatives)))

    def _divided(self, node: Term, dividend: Form, divisor: int) -> Form:
        """a = d · q + r and 0 ≤ r < d, where the quotient q is an atom and the remainder r is not."""
        quotient = node if node.op is ops.DIV else div(*node.args)
        remainder = dividend.plus(atom(quotient), -divisor)
        if quotient not in self._forms:
            self._forms[quotient] = atom(quotient)
            self._say(self._definitions, remainder.times(-1), Relation.AT_MOST)
            self._say(self._definitions, remainder.plus(constant(1 - divisor)), Relation.AT_MOST)
        return atom(quotient) if node.op is ops.DIV else remainder


_RELATIONS = {ops.LE: Relation.AT_MOST, ops.LT: Relation.BELOW, ops.EQ: Relation.EQUAL}


def _added(*args: Form) -> Form:
    result = args[0]
    for other in args[1:]:
        result = result.plus(other)
    return result


_SUMS: Mapping[Op, Callable[..., Form]] = {
    ops.ADD: _added,
    ops.SUB: lambda a, b: a.plus(b, -1),
    ops.NEG: lambda a: a.times(-1),
}


def _scaled(node: Term, args: list[Form]) -> Form:
    """A product is linear if at most one factor is not constant; otherwise it is an atom."""
    number: Rational = 1
    rest: Form | None = None
    for form in args:
        if not form.factors:
            number *= form.constant
        elif rest is None:
            rest = form
        else:
            return atom(node)
    return constant(number) if rest is None else rest.times(number)


def _denied(part: Term) -> tuple[Term, ...]:
    """The conjuncts of the negation of a disjunction or implication."""
    if part.op is ops.IMPLIES:
        return part.args[0], not_(part.args[1])
    return tuple(map(not_, part.args))


def _alternatives(part: Term) -> tuple[Term, ...]:
    """What a formula chooses between; nothing if it is a literal."""
    if part.op is ops.NOT:
        return tuple(_alternatives_of_negation(part.args[0]))
    match part.op:
        case ops.OR:
            return part.args
        case ops.IMPLIES:
            return not_(part.args[0]), part.args[1]
        case ops.ITE:
            condition, then, otherwise = part.args
            return and_(condition, then), and_(not_(condition), otherwise)
        case ops.EQ if part.args[0].sort is BOOL:
            a, b = part.args
            return and_(a, b), and_(not_(a), not_(b))
        case ops.XOR:
            a, b = part.args
            return and_(a, not_(b)), and_(not_(a), b)
    return ()


def _alternatives_of_negation(part: Term) -> Iterator[Term]:
    match part.op:
        case ops.AND:
            yield from map(not_, part.args)
        case ops.ITE:
            condition, then, otherwise = part.args
            yield and_(condition, not_(then))
            yield and_(not_(condition), not_(otherwise))
        case ops.EQ if part.args[0].sort is BOOL:
            a, b = part.args
            yield and_(a, not_(b))
            yield and_(not_(a), b)
        case ops.XOR:
            a, b = part.args
            yield and_(a, b)
            yield and_(not_(a), not_(b))
        case ops.EQ if part.args[0].sort in (INT, REAL):
            a, b = part.args
            yield lt(a, b)
            yield lt(b, a)
