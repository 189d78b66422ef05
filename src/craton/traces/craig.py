"""Craig: sequence interpolants of the trace formula as assertions ([CN] 3).

Interpolants of the abstract trace that keeps only an infeasible core are also interpolants of the whole trace, and the
solver has less to interpolate.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeVar

from craton.errors import MissingCapability
from craton.logic import Term
from craton.processes.running_time import running_time
from craton.registry import keyed_seconds, word_choice
from craton.smt import Capability, Interpolants, Sat, Satisfiable, Solver, Undecided, make_solver, sequence_interpolants
from craton.smt.registry import SOURCES
from craton.traces.cores import Granularity, InfeasibleCore, infeasible_core
from craton.traces.feasibility import NotDecided, feasible
from craton.traces.memory import NO_MEMORY, RunMemory
from craton.traces.numbers import over_bits, over_numbers, signs_along
from craton.traces.options import core_choice, core_minimisation, interpolation_source
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation, law_violation
from craton.traces.trace import Problem, Trace, TraceFormula, trace_formula
from craton.views.arithmetic import Overflow
from craton.views.signs import Signedness


class Bits(enum.Enum):
    """How bit-vectors are interpolated: as they are; or, where that takes more than half of the time or fails, as
    numbers whose interpolants are brought back to bits.
    """

    EXACT = "exact"
    NUMBERS = "numbers"


@dataclass(frozen=True, slots=True)
class Craig(Refiner):
    """Sequence interpolants from solver S (farkas: sums of linear constraints), of an infeasible core (it) or of the
    whole trace; of bit-vectors in bits, or by way of numbers where that is too slow.
    """

    word: ClassVar[str] = "craig"

    source: str = interpolation_source()
    core: Granularity | None = core_choice()  # IT; None interpolates the whole trace
    time_limit: float | None = keyed_seconds(10.0)  # for a refutation
    minimise: float | None = core_minimisation()
    bits: Bits = word_choice(Bits.EXACT)

    def refute(self, trace: Trace, memory: RunMemory = NO_MEMORY) -> Answer:
        return self.interpolating(_Sequences(trace))

    def interpolating(self, interpolation: Interpolation[C]) -> Answer:
        """The refutation of anything that can be interpolated."""
        try:
            return self._refuted(interpolation)
        except MissingCapability as problem:
            return GaveUp(str(problem))

    def _refuted(self, interpolation: Interpolation[C]) -> Answer:
        started = running_time()
        core: C | None = None
        if self.core is not None:
            solver = make_solver(_core_solver(self.source), time_limit=self.time_limit)
            found = interpolation.core(solver, self.core, self.minimise, self.time_limit)
            if isinstance(found, Sat):
                return Feasible(found.model)
            if isinstance(found, Undecided):
                return GaveUp(found.reason)
            core = found
        left = None if self.time_limit is None else max(0.001, self.time_limit - (running_time() - started))
        answer: Answer = GaveUp(f"{self.source}: no interpolants")
        for assertions in interpolation.assertions(core, Asked(self.source, left, self.bits)):
            answer = self._answer(interpolation, core, assertions)
            if not isinstance(answer, GaveUp):
                break
        return answer

    def _answer(self, interpolation: Interpolation[C], core: C | None, assertions: Assertions) -> Answer:
        if isinstance(assertions, Undecided):
            return GaveUp(assertions.reason)
        if isinstance(assertions, Satisfiable):
            return self._feasible(interpolation.problem)
        # Interpolation procedures are less well tested than solvers: z3's once answered `false` half-way on a trace
        # that it interpolated correctly in another process. So a solver checks every step.
        refutation = Refutation(assertions, self.name, core=None if core is None else core.kept)
        violation = interpolation.law_violation(refutation, make_solver("z3"), self.time_limit)
        return GaveUp(f"{self.source}: not an interpolant, {violation}") if violation else refutation

    def _feasible(self, problem: Problem) -> Answer:
        """Interpolation procedures give no models, so solvers are asked for one."""
        answer = feasible(problem, self.time_limit)
        if isinstance(answer, Feasible):
            return answer
        reason = answer.reason if isinstance(answer, NotDecided) else f"{answer.by} finds it infeasible"
        return GaveUp(f"{self.source} finds it feasible, but there is no model: {reason}")


Assertions = tuple[Term, ...] | Satisfiable | Undecided
Interpolating = Callable[[Sequence[Term], float | None], Interpolants]  # of formulas, within a limit


def _core_solver(source: str) -> str:
    """The interpolating solver also finds the core if it can; otherwise z3 does."""
    return source if source not in SOURCES and Capability.CORES in make_solver(source).can else "z3"


class Core(Protocol):
    @property
    def kept(self) -> frozenset[int]: ...


C = TypeVar("C", bound=Core)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked for interpolants, and for how long."""

    source: str
    time_limit: float | None
    bits: Bits = Bits.EXACT

    def readings(
        self, formulas: Sequence[Term], signs: Callable[[], Signedness], interpolate: Interpolating
    ) -> Iterator[Interpolants]:
        """Interpolants of formulas; others, should the first ones not do. Bits are not linear. So a source that knows
        numbers only gets them as numbers, at first as if none of them overflowed; and others do, if need be.
        """
        only_numbers = self.source in SOURCES
        if not over_bits(formulas) or not (only_numbers or self.bits is Bits.NUMBERS):
            yield interpolate(formulas, self.time_limit)
            return
        limit = self.time_limit
        if not only_numbers:
            limit = None if limit is None else limit / 2
            yield interpolate(formulas, limit)
        for overflow in (Overflow.NEVER, Overflow.WRAPS):
            yield over_numbers(formulas, lambda made: interpolate(made, limit), overflow, signs())


class Interpolation(Protocol[C]):
    """What Craig asks about a trace, or about a tree of clause instances."""

    @property
    def problem(self) -> Problem: ...

    def core(
        self, solver: Solver, granularity: Granularity, budget: float | None, time_limit: float | None
    ) -> C | Sat | Undecided: ...

    def assertions(self, core: C | None, asked: Asked) -> Iterator[Assertions]:
        """Interpolants of the core, or of the whole, as assertions; others, should the first ones not obey the law."""
        ...

    def law_violation(self, refutation: Refutation, checker: Solver, time_limit: float | None) -> str: ...


@dataclass(frozen=True, slots=True)
class _Sequences:
    """Sequence interpolants of a trace."""

    problem: Trace

    def core(
        self, solver: Solver, granularity: Granularity, budget: float | None, time_limit: float | None
    ) -> InfeasibleCore | Sat | Undecided:
        return infeasible_core(self.problem, solver, granularity, budget, time_limit)

    def assertions(self, core: InfeasibleCore | None, asked: Asked) -> Iterator[Assertions]:
        formula = self.problem.formula if core is None else trace_formula(core.steps)

        def interpolate(formulas: Sequence[Term], limit: float | None) -> Interpolants:
            return sequence_interpolants(formulas, asked.source, limit)

        for found in asked.readings(formula.by_step, lambda: signs_along(self.problem), interpolate):
            yield _along(formula, found)

    def law_violation(self, refutation: Refutation, checker: Solver, time_limit: float | None) -> str:
        return law_violation(self.problem, refutation, checker, time_limit)


def _along(formula: TraceFormula, found: Interpolants) -> Assertions:
    if isinstance(found, Undecided | Satisfiable):
        return found
    return tuple(formula.to_program(i, term) for i, term in enumerate(found))
