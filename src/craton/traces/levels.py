"""At which level a trace is looked at ([NR] 4.1): its own steps (BLOCK), or the statements inside of its blocks (EDGE).

A block with several paths has no statements that a trace passes in order; it stays one step.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from craton.program.cfa import Edge
from craton.program.statements import Block
from craton.program.transitions import is_linear
from craton.traces.refutation import Answer, Feasible, Refiner, Refutation
from craton.traces.trace import Trace


class Level(enum.Enum):
    EDGE = "edge"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class AtLevel:
    """Refutes the trace at a finer level, and keeps the assertions between its own steps."""

    level: Level
    refiner: Refiner

    @property
    def name(self) -> str:
        return f"{self.refiner.name.removesuffix(')')},level={self.level.value})"

    def refute(self, trace: Trace) -> Answer:
        if self.level is Level.BLOCK:
            return self.refiner.refute(trace)
        edges, ends = unfolded(trace)
        if len(edges) == len(trace):
            return self.refiner.refute(trace)
        answer = self.refiner.refute(Trace(edges, trace.program))
        if isinstance(answer, Feasible):
            # The model speaks of other indices; the coarse trace has one of its own.
            return self.refiner.refute(trace)
        if isinstance(answer, Refutation):
            kept = (answer.assertions[0], *(answer.assertions[end] for end in ends))
            return replace(answer, assertions=kept, by=self.name)
        return answer


def unfolded(trace: Trace) -> tuple[tuple[Edge, ...], tuple[int, ...]]:
    """The statements of the trace, and after how many of them each of its own steps ends."""
    edges: list[Edge] = []
    ends: list[int] = []
    for edge in trace.edges:
        inside = edge.statement
        edges += inside.edges if isinstance(inside, Block) and is_linear(inside) else (edge,)
        ends.append(len(edges))
    return tuple(edges), tuple(ends)
