"""Craig: sequence interpolants of the trace formula as assertions."""

from __future__ import annotations

from dataclasses import dataclass

from craton.errors import MissingCapability
from craton.smt import Sat, Satisfiable, Undecided, make_solver, sequence_interpolants
from craton.traces.refutation import Answer, Feasible, GaveUp, Refutation
from craton.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Craig:
    source: str = "z3"
    time_limit: float | None = 10.0

    @property
    def name(self) -> str:
        limited = self.time_limit is not None and self.time_limit != Craig().time_limit
        return f"craig({self.source},time={self.time_limit:g})" if limited else f"craig({self.source})"

    def refute(self, trace: Trace) -> Answer:
        formula = trace.formula
        try:
            found = sequence_interpolants(formula.by_step, self.source, self.time_limit)
        except MissingCapability as problem:
            return GaveUp(str(problem))
        if isinstance(found, Undecided):
            return GaveUp(found.reason)
        if isinstance(found, Satisfiable):
            return self._feasible(trace)
        return Refutation(tuple(formula.to_program(i, term) for i, term in enumerate(found)), self.name)

    def _feasible(self, trace: Trace) -> Answer:
        """Interpolation procedures give no models, so the question is asked again."""
        solver = make_solver("z3", time_limit=self.time_limit)
        solver.add(*trace.formula.by_step)
        answer = solver.check()
        if isinstance(answer, Sat):
            return Feasible(answer.model)
        reason = answer.reason if isinstance(answer, Undecided) else "z3 finds it infeasible"
        return GaveUp(f"{self.source} finds the trace feasible, but there is no model: {reason}")
