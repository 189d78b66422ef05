"""Value analysis: explicit values of the variables that matter (Beyer, Löwe 2013; [RS] 3).

States are unwound with the values of the variables tracked so far. A path to an error goes to the refiner; from then on
the variables of a refutation's assertions are tracked at the assertions' locations. The unwinding starts again, or goes
on from the first state that lacked one of them (`lazy`). Without CEGAR (`eager`) all variables are tracked from the
start. Where the refiner has no answer, as one of values has none to a path that values do not contradict, a solver says
whether the path can be executed. When nothing is left to unwind, the states at each location are its invariant.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown, Unsafe
from craton.engines.options import block_size
from craton.engines.reachability.domain import Laziness
from craton.engines.reachability.precision import Sharing
from craton.engines.reachability.unwinding import Unwinding
from craton.engines.refinement import Refinement, Returning, or_executed
from craton.engines.value.domain import AllValues, ValueDomain
from craton.program.blocks import CHAINS, BlockSize
from craton.program.cfa import Program
from craton.registry import word_choice
from craton.traces.refutation import Refiner, Refutation
from craton.traces.trace import Trace


class Refining(enum.Enum):
    """What is tracked: what refutations mention, starting again after each, or going on from the first state that
    lacked some of it; or everything ([RS] 7).
    """

    RESTART = "restart"
    LAZY = "lazy"
    EAGER = "eager"


@dataclass(frozen=True, slots=True)
class ValueAnalysis(Engine):
    """Explicit values of the variables that refutations mention, or of all (eager); try it with --refine 'values'."""

    word: ClassVar[str] = "value"

    refiner: Refiner
    blocks: BlockSize = block_size(CHAINS)
    sharing: Sharing = word_choice(Sharing.LOCATION)
    refinement: Refining = word_choice(Refining.RESTART)

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        refinement = Refinement(self.refiner, budget, Returning.POSSIBLE)

        def refute(trace: Trace) -> Refutation | Unsafe | Unknown:
            if self.refinement is Refining.EAGER:
                return or_executed(Unknown(f"values do not refute an error trace of {len(trace)} steps"), trace, budget)
            return or_executed(refinement.refute(trace), trace, budget)

        kind = AllValues if self.refinement is Refining.EAGER else ValueDomain
        laziness = Laziness.LAZY if self.refinement is Refining.LAZY else Laziness.RESTART
        unwinding = Unwinding(kind(self.sharing, program), refute, program, budget, laziness)
        try:
            return unwinding.run() or Safe(unwinding.invariants(), by=())
        except OutOfTime:
            return Unknown(f"out of time after {budget.statistics.iterations} iterations")
