"""Quantifier elimination: cheap methods first, then the solver's; counts what each achieves ([CN] 7, [NR] 4.2).

An `Eliminator` is a list of methods in the order in which they are tried. Without DROP its results are equivalent to
the input (perhaps still quantified); DROP weakens ∃ and, dually, strengthens ∀, so that nothing quantified remains.
"""

from __future__ import annotations

import enum
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from craton.errors import MissingCapability
from craton.logic.core import not_
from craton.logic.terms import Term
from craton.logic.walk import free_variables, is_quantified
from craton.processes.running_time import asked, running_time
from craton.smt.contract import Sat, Solver, Undecided
from craton.smt.elimination.bounds import resolve_bounds
from craton.smt.elimination.by_solver import by_cvc5, by_process, by_z3
from craton.smt.elimination.cases import by_cases
from craton.smt.elimination.nesting import pulled_out, pushed_in
from craton.smt.elimination.reads import resolve_reads
from craton.smt.elimination.sums import collected
from craton.smt.elimination.syntactic import (
    Quantified,
    destructive_equality_resolution,
    drop,
    literals,
    occurring,
    unconnected_parameter_drop,
)


class Method(enum.Enum):
    DER = "destructive equality resolution"
    READS = "elements for arrays that are only read"
    UPD = "unconnected parameter drop"
    BOUNDS = "resolution of bounds"
    CASES = "case by case"
    LIGHT = "the solver's light elimination"
    FULL = "the solver's full elimination"
    DROP = "over-approximation"


SYNTACTIC = (Method.DER, Method.READS, Method.UPD, Method.BOUNDS, Method.CASES)
CHEAP = (*SYNTACTIC, Method.LIGHT)
EXACT = (*CHEAP, Method.FULL)


@dataclass(slots=True)
class Eliminator:
    """Eliminates quantifiers by `methods`; each solver call takes at most `time_limit` seconds, none after `deadline`.

    `counts` says how many variables each method eliminated, `kept` how many stayed quantified. A variable that stays is
    pulled out and tried again by the next call, and is then counted again.
    """

    methods: tuple[Method, ...] = CHEAP
    solver: str = "z3"
    time_limit: float | None = 1.0
    deadline: float | None = None  # on the clock `running_time`
    counts: Counter[Method] = field(default_factory=Counter)
    kept: int = 0
    seconds: defaultdict[Method, float] = field(default_factory=lambda: defaultdict(float))
    _satisfiability: Solver | None = None

    def exists(self, variables: Sequence[Term], body: Term) -> Term:
        """∃ variables. body"""
        free = free_variables(body)
        remaining: Quantified = tuple(v for v in dict.fromkeys(variables) if v in free), body
        if not remaining[0]:
            return body
        remaining = pulled_out(*remaining)
        for method in self.methods:
            if not remaining[0]:
                break
            start = time.perf_counter()
            before = remaining[0]
            remaining = self._apply(method, *remaining)
            self.seconds[method] += time.perf_counter() - start
            self.counts[method] += sum(v not in remaining[0] for v in before)
        self.kept += len(remaining[0])
        return pushed_in(*remaining)

    def achieved(self) -> dict[str, int]:
        """The number of variables per eliminating method; those that stayed are listed under "none"."""
        found = {method.value: count for method, count in self.counts.items() if count}
        return found | {"none": self.kept} if self.kept else found

    def forall(self, variables: Sequence[Term], body: Term) -> Term:
        """∀ variables. body, as ¬∃ variables. ¬body"""
        return not_(self.exists(variables, not_(body)))

    def _apply(self, method: Method, variables: tuple[Term, ...], body: Term) -> Quantified:
        if method is Method.DER:
            return _by_equations(variables, body)
        if method is Method.READS:
            return self._by_elements(variables, body)
        if method is Method.UPD:
            return unconnected_parameter_drop(variables, body, self._is_satisfiable)
        if method is Method.BOUNDS:
            return resolve_bounds(variables, body)
        if method is Method.CASES:
            return by_cases(variables, body, self._of_one_case)
        if method is Method.DROP:
            return drop(variables, body)
        return self._by_solver(method, variables, body)

    def _by_elements(self, variables: tuple[Term, ...], body: Term) -> Quantified:
        found = resolve_reads(variables, body)
        changed = found[1] is not body and Method.DER in self.methods
        return _by_equations(*found) if changed else found

    def _of_one_case(self, variables: Sequence[Term], body: Term) -> Quantified:
        """All syntactic methods, but without splitting into further cases: `by_cases` limits their number."""
        remaining = pulled_out(occurring(variables, body), body)
        for method in self.methods:
            if remaining[0] and method in SYNTACTIC and method is not Method.CASES:
                remaining = self._apply(method, *remaining)
        return remaining

    def _by_solver(self, method: Method, variables: tuple[Term, ...], body: Term) -> Quantified:
        limit = self._limit()
        if limit == 0:
            return variables, body
        found = asked(lambda left: self._answer(method, variables, body, left), limit, lambda it: it is not None)
        if found is None:
            return variables, body
        left, inside = pulled_out((), found)
        if is_quantified(inside) or len(left) >= len(variables):
            return variables, body  # inner quantifiers, or no fewer variables than before: no progress
        # The syntactic methods may be able to eliminate what the solver left.
        left, inside = self._of_one_case(left, inside)
        return by_cases(left, inside, self._of_one_case) if left and Method.CASES in self.methods else (left, inside)

    def _answer(self, method: Method, variables: tuple[Term, ...], body: Term, limit: float | None) -> Term | None:
        if self.solver == "cvc5":
            return by_cvc5(variables, body, limit)
        if self.solver == "z3":
            return by_z3(variables, body, "qe-light" if method is Method.LIGHT else "qe", limit)
        return by_process(self._kept_solver(), variables, body, limit)

    def _kept_solver(self) -> Solver:
        from craton.smt.registry import make_solver

        if self._satisfiability is None:
            self._satisfiability = make_solver(self.solver)
        return self._satisfiability

    def _limit(self) -> float | None:
        """Seconds for the next solver call; 0 if none are left."""
        if self.deadline is None:
            return self.time_limit
        left = max(0.0, self.deadline - running_time())
        return left if self.time_limit is None else min(left, self.time_limit)

    def _is_satisfiable(self, formula: Term) -> bool | None:
        limit = self._limit()
        if limit == 0:
            return None
        try:
            answer = self._kept_solver().check(formula, time_limit=limit)
        except MissingCapability:  # outside this solver's fragment: skip the method
            return None
        return None if isinstance(answer, Undecided) else isinstance(answer, Sat)


def _by_equations(variables: tuple[Term, ...], body: Term) -> Quantified:
    """Collecting like terms may remove a remaining variable, or leave a single occurrence to solve for."""
    left, inside = destructive_equality_resolution(variables, body)
    if not left:
        return left, inside
    simpler = collected(inside)
    return (left, inside) if simpler is inside else destructive_equality_resolution(left, simpler)


__all__ = [
    "CHEAP",
    "EXACT",
    "SYNTACTIC",
    "Eliminator",
    "Method",
    "collected",
    "destructive_equality_resolution",
    "drop",
    "literals",
    "pulled_out",
    "pushed_in",
    "resolve_bounds",
    "resolve_reads",
    "unconnected_parameter_drop",
]
