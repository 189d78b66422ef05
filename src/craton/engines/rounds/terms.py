"""Terms over symbols of which something is known: small, and one for each function, mostly.

Which terms may be equal, and which conditions may be decided, is guessed from some values of the symbols, and asked of
a solver: what hardware people call sweeping. Where numbers are only copied and compared, so many cases are looked at
(`cases`) that what they say is believed: the checker will see.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from craton.engines.rounds.cases import Roles, cases
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    BitVec,
    Sort,
    Term,
    and_,
    bv,
    conjuncts,
    eq,
    fold,
    free_variables,
    not_,
    ops,
    rebuild,
    substitute,
)
from craton.logic.bitvectors import bvule, extract
from craton.logic.evaluation import CannotEvaluate, constant, evaluate, zero
from craton.logic.ieee import Unspecified
from craton.logic.semantics import compute
from craton.smt import Sat, Solver, Unsat

_SAMPLES, _FEWEST, _DRAWS = 24, 10, 400
_CONNECTIVES = (ops.AND, ops.OR, ops.NOT)

Sample = Mapping[Term, Any]


class Terms:
    """Over these symbols, where `known` holds of them."""

    def __init__(
        self, known: Term, symbols: Sequence[Term], solver: Solver, roles: Roles, samples: Sequence[Sample] = ()
    ) -> None:
        self.known = known
        self.symbols = symbols
        self.solver = solver
        self.roles = roles
        self.cases = cases(known, symbols, roles)
        self._given = samples
        self._drawing = random.Random(1)
        self._small: dict[Term, Term] = {}
        self._decided: dict[Term, Term] = {}
        self._canonical: dict[Term, Term] = {}
        self._values: dict[Term, tuple[Any, ...]] = {}
        self._by_column: dict[frozenset[tuple[Any, int]], Term] = {}
        for x in symbols:
            self._in_cases(x)

    @cached_property
    def samples(self) -> Sequence[Sample]:
        """Values of the symbols; where they are needed."""
        return list(self._given or _samples(self.known, self.symbols, self.solver))

    @cached_property
    def _by_values(self) -> dict[tuple[Any, ...], list[Term]]:
        found: dict[tuple[Any, ...], list[Term]] = {}
        for x in self.symbols:
            found.setdefault(self.values(x), []).append(x)
        return found

    def where(self, condition: Term) -> Terms:
        """Where a condition holds besides; with the samples that it holds in, if these are enough."""
        if self.cases is not None:
            return Terms(and_(self.known, condition), self.symbols, self.solver, self.roles)
        samples = [x for x, holds in zip(self.samples, self.values(condition), strict=True) if holds]
        enough = samples if len(samples) >= _FEWEST else ()
        return Terms(and_(self.known, condition), self.symbols, self.solver, self.roles, enough)

    def replaced(self, told: Mapping[Term, Term]) -> Terms:
        """With terms in place of some symbols."""
        symbols = [x for x in self.symbols if x not in told]
        return Terms(substitute(self.known, told), symbols, self.solver, self.roles)

    def without(self, symbols: frozenset[Term]) -> Terms:
        """Where nothing is known of some symbols any more."""
        known = and_(*(part for part in conjuncts(self.known) if not free_variables(part) & symbols))
        samples = () if self.cases is not None else self.samples
        return Terms(known, [x for x in self.symbols if x not in symbols], self.solver, self.roles, samples)

    def small(self, term: Term) -> Term:
        """With conditions that are decided replaced by what they are."""
        return fold(term, self._visit, self._small)

    def _visit(self, node: Term, args: list[Term]) -> Term:
        if node.op is ops.ITE:
            condition = self.decided(args[0])
            if condition.is_value:
                return args[1] if condition is TRUE else args[2]
        made = rebuild(node, args) if args else node
        if made.sort is BOOL and made.op not in _CONNECTIVES:
            return self.decided(made)
        return made

    def decided(self, condition: Term) -> Term:
        """TRUE or FALSE where it always is."""
        if condition.is_value:
            return condition
        if condition not in self._decided:
            self._decided[condition] = self._asked(condition)
        return self._decided[condition]

    def _asked(self, condition: Term) -> Term:
        column = None if self.cases is None else self.cases.of(condition)
        if column is not None:
            return condition if len(column) > 1 else constant(next(iter(column)), BOOL)
        seen = set(self.values(condition))
        for answer in (TRUE, FALSE):
            other = answer is FALSE  # what must never have been seen
            if other not in seen and self.always(condition if answer is TRUE else not_(condition)):
                return answer
        return condition

    def canonical(self, term: Term) -> Term:
        """A term of the same function that was there before, if there is one."""
        term = self.small(term)
        if term not in self._canonical:
            self._canonical[term] = term if term.is_value else self._in_cases(term) or self._seen_before(term)
        return self._canonical[term]

    def _in_cases(self, term: Term) -> Term | None:
        """A term that is the same in all cases; None where there are none."""
        column = None if self.cases is None else self.cases.of(term)
        if column is None:
            return None
        if len(column) == 1:
            return constant(next(iter(column)), term.sort)
        same = self._by_column.setdefault(frozenset(column.items()), term)
        return same if same.sort is term.sort else term

    def _seen_before(self, term: Term) -> Term:
        values = self.values(term)
        same = self._by_values.setdefault(values, [])
        if len(set(values)) == 1 and self.samples:
            value = constant(values[0], term.sort)
            if self.always(eq(term, value)):
                return value
        for other in same:
            if other is term or (other.sort is term.sort and self.always(eq(term, other))):
                return other
        same.append(term)
        return term

    def values(self, term: Term) -> tuple[Any, ...]:
        """In the samples; what is there of a term is looked at once, however many terms it is part of."""
        return fold(term, self._evaluated, self._values)

    def _evaluated(self, node: Term, args: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        if node.op is ops.VALUE:
            return (node.payload,) * len(self.samples)
        if not args:
            return tuple(
                sample[node] if node in sample else _drawn(self._drawing, node.sort) for sample in self.samples
            )
        sorts = [x.sort for x in node.args]
        try:
            return tuple(compute(node.op, sorts, node.payload, row) for row in zip(*args, strict=True))
        except Unspecified:
            return (zero(node.sort),) * len(self.samples)

    def always(self, claim: Term) -> bool:
        return follows(self.solver, self.known, claim)

    def is_possible(self, condition: Term, seconds: float | None) -> bool:
        """Asked with more patience."""
        small = self.small(condition)
        holds = None if self.cases is None else self.cases.where(small)
        if holds is not None:
            return bool(holds)
        if small.is_value or any(self.values(small)):
            return small is not FALSE
        return not isinstance(self.solver.check(self.known, small, time_limit=seconds), Unsat)


def as_conjunction(condition: Term) -> Term:
    """The same with conditions one after the other (c ? (d ? 1 : 0) : 0) ≠ 0 as c ∧ d."""
    waiting, found = [condition], list[Term]()
    while waiting:
        part = waiting.pop()
        inner = part.args[0] if part.op is ops.NOT else None
        if part.op is ops.AND:
            waiting += part.args
        elif inner is not None and inner.op is ops.OR:
            waiting += map(not_, inner.args)
        elif inner is not None and inner.op is ops.EQ and inner.args[0].op is ops.ITE and inner.args[1].is_value:
            chosen, one, other = inner.args[0].args
            if inner.args[1] is other:
                waiting += [chosen, not_(eq(one, other))]
            elif inner.args[1] is one:
                waiting += [not_(chosen), not_(eq(other, one))]
            else:
                found.append(part)
        else:
            found.append(part)
    return and_(*reversed(found))


def without_definitions(condition: Term, symbols: frozenset[Term]) -> Term:
    """The same with what defines other variables put in for them, as one condition after the other."""
    waiting, found = list(conjuncts(condition)), list[Term]()
    while waiting:
        part = waiting.pop(0)
        sides = (part.args, part.args[::-1]) if part.op is ops.EQ else ()
        defined = ((x, t) for x, t in sides if x.is_variable and x not in symbols and x not in free_variables(t))
        definition = next(defined, None)
        if definition is None:
            found.append(part)
        else:
            waiting = [substitute(other, dict([definition])) for other in (*found, *waiting)]
            found = []
    return as_conjunction(and_(*found))


def follows(solver: Solver, facts: Term, claim: Term) -> bool:
    return isinstance(solver.check(facts, not_(claim)), Unsat)


# --- samples ----------------------------------------------------------------------------------------------------------


def _samples(known: Term, symbols: Sequence[Term], solver: Solver) -> Iterator[Sample]:
    """Values of the symbols that the known facts allow: drawn, and where few of these are allowed, a solver's."""
    drawing, parts, found = random.Random(0), conjuncts(known), 0
    try:
        for _ in range(_DRAWS):
            drawn = {x: _drawn(drawing, x.sort) for x in symbols}
            if all(evaluate(part, drawn) for part in parts):
                found += 1
                yield drawn
            if found == _SAMPLES:
                return
    except CannotEvaluate:
        return
    for _ in range(found, _SAMPLES):
        wishes = _wishes(drawing, symbols)
        while True:
            answer = solver.check(known, *wishes)
            if isinstance(answer, Sat):
                yield {x: answer.model[x] for x in symbols}
                break
            if not wishes:
                return
            wishes = wishes[: len(wishes) // 2]


def _drawn(drawing: random.Random, sort: Sort) -> Any:
    return drawing.getrandbits(sort.width) if isinstance(sort, BitVec) else drawing.random() < 0.5


def _wishes(drawing: random.Random, symbols: Sequence[Term]) -> list[Term]:
    """What makes models differ: truth values, what is odd, and which of two numbers is the larger one."""
    bits = [x if x.sort is BOOL else eq(extract(0, 0, x), bv(1, 1)) for x in symbols]
    wishes = [bit if drawing.random() < 0.5 else not_(bit) for bit in bits]
    numbers = [x for x in symbols if isinstance(x.sort, BitVec)]
    drawing.shuffle(numbers)
    wishes += [bvule(a, b) for a, b in pairwise(numbers) if a.sort is b.sort]
    drawing.shuffle(wishes)
    return wishes
