"""The step that all CEGAR engines share: an error trace goes to the refiner, and the statistics hear of it."""

from __future__ import annotations

from craton.engines.contract import Budget, Progress, Unknown, Unsafe
from craton.traces.refutation import Answer, Feasible, GaveUp, Refiner, Refutation
from craton.traces.trace import Trace


def refute(refiner: Refiner, trace: Trace, budget: Budget) -> Refutation | Unsafe | Unknown:
    """A refutation; where there is none, the engine's verdict."""
    match _asked(refiner, trace, budget):
        case Refutation() as found:
            return found
        case Feasible(model):
            return Unsafe(trace, model)
        case GaveUp(reason):
            return Unknown(f"no refutation of an error trace of {len(trace)} steps: {reason}")


def _asked(refiner: Refiner, trace: Trace, budget: Budget) -> Answer:
    """Whether a sequence is perfect is counted where the refiner has tested it."""
    budget.check()
    statistics = budget.statistics
    statistics.iterations += 1
    statistics.trace_lengths.append(len(trace))
    budget.watch(Progress(statistics.iterations, len(trace), statistics.predicates, statistics.states))
    with statistics.spending("refinement"):
        answer = refiner.refute(trace)
    if isinstance(answer, Refutation):
        statistics.refutations[answer.by] += 1
        eliminated = answer.notes.get("eliminated")
        if isinstance(eliminated, dict):
            statistics.eliminated.update(eliminated)
        if "perfect" in answer.notes:
            statistics.tested += 1
            statistics.perfect += bool(answer.notes["perfect"])
    return answer
