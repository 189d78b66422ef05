"""Questions about an unrolled program, asked in fewer bits where its numbers are known to be small.

One solver has all definitions and is asked one question after another, so that it keeps what it has learned. Where that
takes long and there are products, quotients or remainders of variables, a new one gets what a question depends on, with
these in as many bits as they need (`smt/intervals/narrowing`): a loop with a remainder in each round is unrolled to its
end in a second then.
"""

from __future__ import annotations

from collections.abc import Mapping

from craton.logic import Term, and_
from craton.processes.limits import least
from craton.program.unfolding import needed_definitions
from craton.smt import Answer, Solver, Undecided, make_solver
from craton.smt.intervals.narrowing import in_fewer_bits

SECONDS = 0.2  # for the solver that has all definitions, where fewer bits may help
MOST_IN_VAIN = 4  # questions of which fewer bits make nothing else


class SmallNumbers:
    """Asks `solver`, which has been told the definitions, or one of the same name."""

    def __init__(self, solver: Solver, definitions: Mapping[Term, Term]) -> None:
        self._solver = solver
        self._definitions = definitions
        self._in_vain = 0
        self._helped = False

    def check(self, *conditions: Term, time_limit: float | None = None) -> Answer:
        if self._in_vain < MOST_IN_VAIN:
            if not self._helped:
                answer = self._solver.check(*conditions, time_limit=least(SECONDS, time_limit))
                if not isinstance(answer, Undecided):
                    return answer
            narrow = self._in_fewer_bits(conditions)
            if narrow is not None:
                return narrow.check(time_limit=time_limit)
        return self._solver.check(*conditions, time_limit=time_limit)

    def _in_fewer_bits(self, conditions: tuple[Term, ...]) -> Solver | None:
        """A solver of its own for the question, which answers keep alive; None if it would be the same question."""
        told = in_fewer_bits([*conditions, *needed_definitions(and_(*conditions), self._definitions)])
        self._helped = told is not None
        if told is None:
            self._in_vain += 1
            return None
        solver = make_solver(self._solver.name)
        solver.add(*told)
        return solver
