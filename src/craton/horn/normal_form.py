"""From closed formulas over unknown predicates to Horn clauses.

An assertion φ is the clauses of ¬φ in disjunctive form: each case is a conjunction of literals, and those that speak of
predicates are atoms of the body or, negated, the head. Cases are told apart only where predicates require it; all else
stays together as the constraint. So negated existentials, nested implications, quantifiers inside and conjunctions as
heads are all one case. Two negated predicates in one case, or a predicate under a universal quantifier that is assumed,
are not Horn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from craton.horn.clauses import Atom, Clause, Predicate
from craton.horn.errors import NotSupported
from craton.logic import (
    BOOL,
    FALSE,
    Function,
    Term,
    and_,
    free_variables,
    fresh,
    iff,
    is_quantified,
    not_,
    ops,
    or_,
    post_order,
    substitute,
    var,
)
from craton.logic.walk import QUANTIFIERS

Unknowns = Mapping[Function | Term, Predicate]  # a nullary predicate is a Boolean variable of the formulas
MOST_CLAUSES = 20_000  # of one assertion


def clauses_of(assertion: Term, unknowns: Unknowns, line: int = 0) -> tuple[Clause, ...]:
    """The clauses that the assertion stands for. Its free variables are universal."""
    renamed, apart = _apart(assertion, unknowns)
    return tuple(_Cases(apart, line).of(renamed))


def _apart(assertion: Term, unknowns: Unknowns) -> tuple[Term, Unknowns]:
    """The assertion with names of nullary predicates that none of its variables has: a bound variable may be called
    like a predicate, and only where it is free is the name that of the predicate.
    """
    names = {node.name for node in post_order(assertion) if node.is_variable}
    renaming: dict[Term, Term] = {}
    for variable in sorted(free_variables(assertion), key=lambda v: v.serial):
        if variable in unknowns:
            name = f"{variable.name} predicate"
            while name in names:
                name += "'"
            names.add(name)
            renaming[variable] = var(name, BOOL)
    relations: Unknowns = {key: predicate for key, predicate in unknowns.items() if isinstance(key, Function)}
    return substitute(assertion, renaming), {**relations, **{new: unknowns[old] for old, new in renaming.items()}}


@dataclass(frozen=True, slots=True)
class _Literal:
    """A formula that is assumed to be true or false."""

    formula: Term
    holds: bool


@dataclass(frozen=True, slots=True)
class _Case:
    """A conjunction that is being taken apart."""

    waiting: tuple[_Literal, ...]
    body: tuple[Atom, ...] = ()
    head: Atom | None = None
    constraint: tuple[Term, ...] = ()


class _Cases:
    def __init__(self, unknowns: Unknowns, line: int) -> None:
        self.unknowns = unknowns
        self.line = line
        self.taken: set[Term] = set()
        self.names: set[str] = set()
        self._concerned: dict[Term, bool] = {}

    def of(self, assertion: Term) -> Iterator[Clause]:
        self.taken.update(free_variables(assertion))
        self.names.update(node.name for node in post_order(assertion) if node.is_variable)
        stack = [_Case((_Literal(assertion, False),))]
        made = 0
        while stack:
            case = stack.pop()
            if case.waiting:
                stack.extend(reversed(list(self._step(case))))
                continue
            constraint = and_(*case.constraint)
            made += 1
            if made > MOST_CLAUSES:
                raise self._problem(f"an assertion of more than {MOST_CLAUSES} clauses")
            if constraint is not FALSE:
                yield Clause(case.head, case.body, constraint, self.line)

    def _step(self, case: _Case) -> Iterator[_Case]:
        literal, rest = case.waiting[0], case.waiting[1:]
        formula, holds = literal.formula, literal.holds
        if not self._speaks(formula) and not _opens(formula, holds):
            known = formula if holds else not_(formula)
            yield _Case(rest, case.body, case.head, (*case.constraint, known))
            return
        atom = self._atom(formula)
        if atom is not None and holds:
            yield _Case(rest, (*case.body, atom), case.head, case.constraint)
        elif atom is not None:
            if case.head is not None:
                raise self._problem(f"{case.head} ∨ {atom} is not a Horn clause, which")
            yield _Case(rest, case.body, atom, case.constraint)
        else:
            for alternative in self._alternatives(formula, holds):
                yield _Case((*alternative, *rest), case.body, case.head, case.constraint)

    def _alternatives(self, formula: Term, holds: bool) -> Sequence[tuple[_Literal, ...]]:
        """The formula, or its negation, as a disjunction of conjunctions of smaller formulas."""
        op, args = formula.op, formula.args
        if op is ops.NOT:
            return [(_Literal(args[0], not holds),)]
        if op in QUANTIFIERS:
            if (op is ops.EXISTS) is not holds:
                raise self._problem("a predicate that is assumed for all values")
            return [(_Literal(self._opened(formula), holds),)]
        if op in (ops.AND, ops.OR):
            together = (op is ops.AND) is holds
            literals = [_Literal(a, holds) for a in args]
            return [tuple(literals)] if together else self._apart(literals)
        if op is ops.IMPLIES:
            *premises, conclusion = args
            return self._alternatives(or_(*map(not_, premises), conclusion), holds)
        if op is ops.ITE:
            condition, then, other = args
            return [
                (_Literal(condition, True), _Literal(then, holds)),
                (_Literal(condition, False), _Literal(other, holds)),
            ]
        if op is ops.EQ and args[0].sort is BOOL:
            left, right = args
            return [
                (_Literal(left, True), _Literal(right, holds)),
                (_Literal(left, False), _Literal(right, not holds)),
            ]
        if op is ops.XOR:
            return self._alternatives(iff(args[0], args[1]), not holds)
        raise self._problem(f"a predicate inside of {op.name}")

    def _apart(self, literals: Sequence[_Literal]) -> list[tuple[_Literal, ...]]:
        """One case for each literal that speaks of predicates, and one for all others together."""
        apart: list[tuple[_Literal, ...]] = []
        others: list[Term] = []
        for literal in literals:
            if self._speaks(literal.formula):
                apart.append((literal,))
            else:
                others.append(literal.formula if literal.holds else not_(literal.formula))
        return [*apart, (_Literal(or_(*others), True),)] if others else apart

    def _opened(self, quantified: Term) -> Term:
        """The body over variables that nobody else in the assertion has."""
        renaming: dict[Term, Term] = {}
        for variable in quantified.payload:
            if variable in self.taken:
                name, number = variable.name, 1
                while name in self.names:
                    number += 1
                    name = f"{variable.name}~{number}"
                self.names.add(name)
                renaming[variable] = fresh(name, variable.sort, self.taken)
            self.taken.add(renaming.get(variable, variable))
        return substitute(quantified.args[0], renaming)

    def _atom(self, formula: Term) -> Atom | None:
        key = formula.payload if formula.op is ops.APPLY else formula
        predicate = self.unknowns.get(key)
        if predicate is None:
            return None
        if any(map(self._speaks, formula.args)):
            raise self._problem(f"a predicate inside of an argument of {predicate}")
        return Atom(predicate, formula.args)

    def _speaks(self, formula: Term) -> bool:
        """Whether a predicate occurs in the formula."""
        known = self._concerned.get(formula)
        if known is None:
            for node in post_order(formula):
                if node not in self._concerned:
                    own = (node.payload if node.op is ops.APPLY else node) in self.unknowns if _may(node) else False
                    self._concerned[node] = own or any(self._concerned[a] for a in node.args)
            known = self._concerned[formula]
        return known

    def _problem(self, what: str) -> NotSupported:
        return NotSupported(f"{self.line}: {what} is not supported")


def _opens(formula: Term, holds: bool) -> bool:
    """Whether quantifiers of a constraint can be opened without telling cases apart."""
    if formula.op in QUANTIFIERS:
        return (formula.op is ops.EXISTS) is holds
    if formula.op is ops.NOT or formula.op is (ops.AND if holds else ops.OR):
        return is_quantified(formula)
    return formula.op is ops.IMPLIES and not holds and is_quantified(formula)


def _may(node: Term) -> bool:
    return node.op is ops.APPLY or node.op is ops.VARIABLE
