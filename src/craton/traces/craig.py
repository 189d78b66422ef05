"""Craig: sequence interpolants of the trace formula as assertions ([CN] 3).

Interpolants of the abstract trace that keeps only an infeasible core are also interpolants of the whole trace, and the
solver has less to interpolate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from craton.errors import MissingCapability
from craton.processes.running_time import running_time
from craton.registry import keyed_seconds
from craton.smt import Capability, Sat, Satisfiable, Undecided, make_solver, sequence_interpolants
from craton.traces.cores import Granularity, infeasible_core
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.options import core_choice, interpolation_source
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation, law_violation
from craton.traces.trace import Trace, TraceFormula, trace_formula


@dataclass(frozen=True, slots=True)
class Craig(Refiner):
    """Sequence interpolants from solver S, of an infeasible core (it) or of the whole trace."""

    word: ClassVar[str] = "craig"

    source: str = interpolation_source()
    core: Granularity | None = core_choice()  # IT; None interpolates the whole trace
    time_limit: float | None = keyed_seconds(10.0)  # for a refutation
    core_budget: float | None = 1.0  # seconds to spend on a smaller core

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        try:
            return self._refuted(trace)
        except MissingCapability as problem:
            return GaveUp(str(problem))

    def _refuted(self, trace: Trace) -> Answer:
        started = running_time()
        formula: TraceFormula = trace.formula
        kept: frozenset[int] | None = None
        if self.core is not None:
            solver = make_solver(_core_solver(self.source), time_limit=self.time_limit)
            core = infeasible_core(trace, solver, self.core, self.core_budget, self.time_limit)
            if isinstance(core, Sat):
                return Feasible(core.model)
            if isinstance(core, Undecided):
                return GaveUp(core.reason)
            formula = trace_formula(core.steps)
            kept = core.kept
        left = None if self.time_limit is None else max(0.001, self.time_limit - (running_time() - started))
        found = sequence_interpolants(formula.by_step, self.source, left)
        if isinstance(found, Undecided):
            return GaveUp(found.reason)
        if isinstance(found, Satisfiable):
            return self._feasible(trace)
        assertions = tuple(formula.to_program(i, term) for i, term in enumerate(found))
        return self._checked(trace, Refutation(assertions, self.name, core=kept))

    def _checked(self, trace: Trace, refutation: Refutation) -> Answer:
        """Interpolation procedures are less well tested than solvers: z3's once answered `false` half-way on a trace
        that it interpolated correctly in another process. So a solver checks every triple.
        """
        problem = law_violation(trace, refutation, make_solver("z3"), self.time_limit)
        return GaveUp(f"{self.source}: not an interpolant, {problem}") if problem else refutation

    def _feasible(self, trace: Trace) -> Answer:
        """Interpolation procedures give no models, so z3 is asked for one."""
        solver = make_solver("z3", time_limit=self.time_limit)
        solver.add(*trace.formula.by_step)
        answer = solver.check()
        if isinstance(answer, Sat):
            return Feasible(answer.model)
        reason = answer.reason if isinstance(answer, Undecided) else "z3 finds it infeasible"
        return GaveUp(f"{self.source} finds the trace feasible, but there is no model: {reason}")


def _core_solver(source: str) -> str:
    """The interpolating solver also finds the core if it can; otherwise z3 does."""
    return source if Capability.CORES in make_solver(source).can else "z3"
