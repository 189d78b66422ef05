"""Whether a clause derives conjectures: all at once, and one by one from when that was too hard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.engines.contract import Budget
from craton.engines.systems.conjectured import Row
from craton.engines.systems.linear import shown_by_sums
from craton.horn.clauses import Clause
from craton.logic import (
    BOOL,
    BitVec,
    Term,
    and_,
    evaluate,
    not_,
)
from craton.logic.evaluation import CannotEvaluate
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver

QUERY_SECONDS, SECOND_SECONDS = 0.5, 2.0
SECOND = "bitwuzla"


@dataclass(frozen=True, slots=True)
class NotShown:
    """Conjectures about which no solver has an answer in time."""

    parts: tuple[Term, ...]


class Judge:
    """The judge of one clause. Which premises were needed is remembered. What the first solver does not decide soon,
    another one does for bits. `by` are the solvers whose word counted.
    """

    def __init__(self, clause: Clause, solver: str) -> None:
        self.clause = clause
        self.by: set[str] = set()
        self._name = solver
        self._made: Solver | None = None
        self._has_bits_only = all(isinstance(v.sort, BitVec) or v.sort is BOOL for v in clause.variables)
        self._at_once = True
        self._needed: dict[Term, frozenset[Term]] = {}  # by goal, premises that imply it

    @property
    def _solver(self) -> Solver:
        """Made when it is asked first: systems may have thousands of clauses."""
        if self._made is None:
            self._made = make_solver(self._name, time_limit=QUERY_SECONDS)
            self._made.add(self.clause.constraint)
        return self._made

    def objection(self, premises: Sequence[Term], goals: Mapping[Term, Term], budget: Budget) -> Row | NotShown | None:
        """A head that follows though not all goals are true of it; None if there is none. Goals are by conjecture.
        A goal that is shown is a premise of those behind it.
        """
        budget.check()
        shown = dict.fromkeys(premises)
        open_ = {part: goal for part, goal in goals.items() if not self._is_shown(shown, goal)}
        if self._at_once and open_:
            answer = self._asked(self._solver, tuple(shown), and_(*open_.values()))
            if not isinstance(answer, Undecided):
                return None if isinstance(answer, Unsat) else answer
            self._at_once = False
        stuck: list[Term] = []
        for part, goal in open_.items():
            budget.check()
            if self._is_shown(shown, goal):
                continue
            answer = self._one(tuple(shown), goal)
            if isinstance(answer, Undecided):
                stuck.append(part)
            elif isinstance(answer, Unsat):
                self._needed[goal] = frozenset(answer.core.assumptions).intersection(shown)
                shown[goal] = None
            else:
                return answer
        return NotShown(tuple(stuck)) if stuck else None

    def _is_shown(self, known: dict[Term, None], goal: Term) -> bool:
        """Whether the goal follows without asking; then it is known, too."""
        if goal not in self._needed or not self._needed[goal] <= known.keys():
            enough = shown_by_sums([self.clause.constraint], known, goal)
            if enough is None:
                return False
            self._needed[goal] = enough
        known[goal] = None
        return True

    def _one(self, premises: Sequence[Term], goal: Term) -> Row | Unsat | Undecided:
        answer = self._asked(self._solver, premises, goal)
        if isinstance(answer, Undecided) and self._has_bits_only:
            with make_solver(SECOND, time_limit=SECOND_SECONDS) as second:
                second.add(self.clause.constraint)
                return self._asked(second, premises, goal)
        return answer

    def _asked(self, solver: Solver, premises: Sequence[Term], goal: Term) -> Row | Unsat | Undecided:
        answer = solver.check(*premises, not_(goal))
        if isinstance(answer, Unsat):
            answer.core  # noqa: B018 - read while the solver has it
            self.by.add(solver.name)
        if not isinstance(answer, Sat):
            return answer
        assert self.clause.head is not None
        try:
            return tuple(evaluate(argument, answer.model) for argument in self.clause.head.arguments)
        except CannotEvaluate as problem:
            return Undecided(str(problem))
