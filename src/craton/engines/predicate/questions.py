"""What a solver is asked about a step, and what is remembered of its answers.

    which values can these predicates have, before the step and after it, if it starts in φ?

A block is asserted once, in a solver of its own, together with the predicates before and after it. What a question
assumes has a switch, so nothing is ever retracted or said twice, and the solver keeps what it learns. Each model is an
*example* of the step: values of variables before and after it. Examples answer later questions, about other states and
about predicates that nobody tracked when they were found: what they show is possible. Only that nothing else is
possible has to be asked.

An example that is wrong would make an abstraction weaker, never unsound: what a state excludes is always the solver's
word.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from craton.engines.hoare import is_scalar
from craton.engines.predicate.bdd import Bdd, Bdds
from craton.engines.predicate.precision import Predicates
from craton.engines.steps import Step
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    Term,
    eq,
    evaluate,
    free_variables,
    iff,
    implies,
    is_quantified,
    ite,
    not_,
    or_,
    var,
)
from craton.logic.semantics import Value
from craton.smt import Answer, Sat, Solver, Unsat

MOST_COMBINATIONS = 1000  # of values of predicates; where there are more, they are not told apart


class When(enum.Enum):
    BEFORE = " before"
    AFTER = ""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A predicate before or after a step. Its variable represents it, so that models need not be read elsewhere."""

    level: int
    when: When
    variable: Term


@cache
def mark(level: int, when: When) -> Mark:
    return Mark(level, when, var(f"predicate {level}{when.value}", BOOL))


Values = tuple[bool, ...]  # of the marks of a question


@dataclass(slots=True)
class Example:
    """A step that can be taken: values of some variables before and after it, and of marks."""

    marks: dict[Mark, bool]
    states: dict[When, dict[Term, Value]] = field(default_factory=lambda: {when: {} for when in When})

    def value(self, of: Mark, predicate: Term) -> bool | None:
        """Whether the predicate holds there; None if the example does not tell."""
        found = self.marks.get(of)
        if found is None and is_scalar(predicate) and free_variables(predicate) <= self.states[of.when].keys():
            found = self.marks[of] = bool(evaluate(predicate, self.states[of.when]))
        return found


class Questions:
    """About one step. If `kept`, the solver is the step's own, and keeps what was asserted."""

    def __init__(self, step: Step, predicates: Predicates, bdds: Bdds, solver: Solver, *, kept: bool) -> None:
        self.solver = solver
        self._step = step
        self._predicates = predicates
        self._bdds = bdds
        self._kept = kept
        self._told: set[Term] = set()  # variables whose meaning is asserted
        self._switches: dict[Term, Term] = {}  # of what was assumed
        self._others: dict[tuple[tuple[Mark, ...], Values], Term] = {}
        self._marked: dict[Bdd, Term] = {}
        self._examples: list[Example] = []
        if kept:
            solver.add(step.update.guard)

    @contextmanager
    def about(self, before: Bdd, marks: Sequence[Mark]) -> Iterator[Question]:
        """A question about the step from these states. What is asserted for it does not concern others."""
        if self._kept:
            yield self._question(before, marks)
        else:
            with self.solver.scope():
                self._told = set()
                self.solver.add(self._step.update.guard)
                yield self._question(before, marks)

    def _question(self, before: Bdd, marks: Sequence[Mark]) -> Question:
        assumptions = [switch for one in (*self.supporting(before), *marks) for switch in self._tell(one)]
        seen = (self.values(example, before, marks) for example in self._examples)
        possible = dict.fromkeys(values for values in seen if values is not None)
        return Question(self, before, tuple(marks), possible, [*assumptions, *self.assumed(self._over_marks(before))])

    def assumed(self, formula: Term) -> tuple[Term, ...]:
        """What has to be assumed in checks of a question for the formula to count: its switch, or nothing where it is
        asserted for the question alone.
        """
        if not self._kept:
            self.solver.add(formula)
            return ()
        switch = self._switches.get(formula)
        if switch is None:
            switch = self._switches[formula] = var(f"switch {len(self._switches)}", BOOL)
            self.solver.add(implies(switch, formula))
        return (switch,)

    def other_than(self, marks: tuple[Mark, ...], values: Values) -> Term:
        found = self._others.get((marks, values))
        if found is None:
            pairs = zip(marks, values, strict=True)
            found = or_(*(_literal(one.variable, not value) for one, value in pairs))
            self._others[marks, values] = found
        return found

    def supporting(self, before: Bdd) -> list[Mark]:
        """The predicates that the states before the step are told by."""
        return [mark(level, When.BEFORE) for level in sorted(self._bdds.support(before))]

    # --- what the solver is told ---

    def _tell(self, of: Mark) -> tuple[Term, ...]:
        """Says what the mark means; returns what to assume for it to count."""
        if of.variable in self._told:
            return ()
        predicate = self._predicates.term(of.level)
        meaning = iff(of.variable, predicate if of.when is When.BEFORE else self._step.before(predicate))
        if is_quantified(predicate):
            return self.assumed(meaning)  # no burden for questions about others
        self._told.add(of.variable)
        self.solver.add(meaning)
        if self._kept and of.when is When.AFTER and is_scalar(predicate):
            for variable in free_variables(predicate):
                self._tell_value(variable)
        return ()

    def _tell_value(self, variable: Term) -> None:
        """Names the variable's value after the step, for examples."""
        value, after = self._step.update.updates.get(variable), _after(variable)
        if value is not None and after not in self._told:
            self._told.add(after)
            self.solver.add(eq(after, value))

    def _over_marks(self, before: Bdd) -> Term:
        def choice(level: int, low: Term, high: Term) -> Term:
            return ite(mark(level, When.BEFORE).variable, high, low)

        return self._bdds.fold(before, FALSE, TRUE, choice, self._marked)

    # --- examples ---

    def remember(self, answer: Sat, marks: Iterable[Mark]) -> Example:
        example = Example({one: bool(answer.value(one.variable)) for one in marks})
        if self._kept:
            for one in example.marks:
                self._read_state(answer, one.when, self._predicates.term(one.level), example.states[one.when])
        self._examples.append(example)
        return example

    def _read_state(self, answer: Sat, when: When, predicate: Term, state: dict[Term, Value]) -> None:
        updates = self._step.update.updates
        for v in free_variables(predicate) if is_scalar(predicate) else ():
            if v not in state:
                state[v] = answer.value(_after(v) if when is When.AFTER and v in updates else v)

    def values(self, example: Example, before: Bdd, marks: Sequence[Mark]) -> Values | None:
        """What the marks are in an example that starts in these states; None if it does not, or does not tell."""
        term = self._predicates.term
        if not self._bdds.holds(before, lambda level: example.value(mark(level, When.BEFORE), term(level))):
            return None
        found = [example.value(one, term(one.level)) for one in marks]
        return None if None in found else tuple(map(bool, found))


def _after(variable: Term) -> Term:
    return var(f"{variable.name} after", variable.sort)


@dataclass(slots=True)
class Question:
    """Which values the marks can have. The combinations that were `seen` are possible."""

    _about: Questions
    _before: Bdd
    _marks: tuple[Mark, ...]
    seen: dict[Values, None]
    _assumptions: list[Term]

    def complete(self, check: Callable[[], None]) -> bool:
        """Asks until all possible combinations were seen; False if it cannot be told, or if there are too many."""
        for values in self.seen:
            self._exclude(values)
        while self._marks or not self.seen:
            if len(self.seen) > MOST_COMBINATIONS:
                return False
            check()
            known = len(self.seen)
            answer = self._ask()
            if not isinstance(answer, Sat):
                return isinstance(answer, Unsat)
            if len(self.seen) == known:
                return False  # a model that violates its own formula would make this loop forever
            self._exclude(next(reversed(self.seen)))
        return True

    def is_possible(self) -> bool:
        """Whether the step can be taken, as far as the solver can tell."""
        return bool(self.seen) or not isinstance(self._ask(), Unsat)

    def only_value(self, number: int) -> bool | None:
        """The only value that a mark can have; None if there are two, or the solver cannot tell. Combinations that were
        excluded do not matter here: they have the other value.
        """
        for value in (True, False):
            if any(values[number] is value for values in self.seen):
                continue
            if isinstance(self._ask(_literal(self._marks[number].variable, value)), Unsat):
                return not value
        return None

    def _ask(self, *assumptions: Term) -> Answer:
        answer = self._about.solver.check(*self._assumptions, *assumptions)
        if isinstance(answer, Sat):
            values = self._about.values(self._about.remember(answer, self._shown), self._before, self._marks)
            if values is not None:
                self.seen[values] = None
        return answer

    @property
    def _shown(self) -> Iterable[Mark]:
        return dict.fromkeys((*self._about.supporting(self._before), *self._marks))

    def _exclude(self, values: Values) -> None:
        self._assumptions += self._about.assumed(self._about.other_than(self._marks, values))


def _literal(variable: Term, positive: bool) -> Term:
    return variable if positive else not_(variable)
