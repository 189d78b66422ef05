"""What refiners remember during a run. Refiners are values: equal refiners behave equally. What they have seen so far
belongs to the run, which passes it to them with each trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Protocol, TypeVar

from craton.logic import Term
from craton.program.analysis.domain_types import DomainType, domain_types
from craton.smt import Solver, make_solver
from craton.traces.trace import Trace

T = TypeVar("T")
Entries = dict[tuple[Hashable, Hashable], Any]  # a refiner's notes about a trace


class Identified(Protocol):
    """What refiners take notes about: what they are asked about, mostly."""

    @property
    def identity(self) -> Hashable:
        """What memories know it by."""
        ...


class RunMemory:
    """The memory of one run: refiners' notes on traces, the solvers they keep, cached facts about the program."""

    def __init__(self) -> None:
        self._entries: Entries = {}
        self._solvers: dict[tuple[str, float | None], Solver] = {}
        self._kept: dict[Hashable, Any] = {}
        self._types: dict[int, tuple[object, Mapping[Term, DomainType]]] = {}  # by the identity of a program's edges

    def recall(self, refiner: Hashable, problem: Identified) -> Any:
        """What the refiner noted when it last saw the problem; None if it has not seen it."""
        return self._entries.get((refiner, problem.identity))

    def note(self, refiner: Hashable, problem: Identified, entry: Any) -> None:
        self._entries[refiner, problem.identity] = entry

    def solver(self, name: str, time_limit: float | None = None) -> Solver:
        """A solver that is kept for the run; callers must retract the assertions that they add."""
        key = name, time_limit
        if key not in self._solvers:
            self._solvers[key] = make_solver(name, time_limit=time_limit)
        return self._solvers[key]

    def kept(self, name: Hashable, make: Callable[[], T]) -> T:
        """What is made once for the run, whoever asks for it by this name."""
        found: T | None = self._kept.get(name)
        if found is None:
            found = self._kept[name] = make()
        return found

    def domain_types(self, trace: Trace) -> Mapping[Term, DomainType]:
        """The domain types of the variables, computed from the whole program if it is known."""
        edges = trace.context
        known = self._types.get(id(edges))
        if known is None or known[0] is not edges:  # stored with its types, so that its id is not reused
            known = self._types[id(edges)] = edges, domain_types(edges)
        return known[1]

    # --- for work in another process, whose memory is lost when it ends ---

    def branch(self) -> Branch:
        """A memory that starts with everything known here and keeps separate what is learned from now on."""
        return Branch(self)

    def merge(self, learned: Entries) -> None:
        self._entries |= learned


class Branch(RunMemory):
    """See `RunMemory.branch`."""

    def __init__(self, trunk: RunMemory) -> None:
        super().__init__()
        self._solvers = trunk._solvers
        self._kept = trunk._kept
        self._types = trunk._types
        self._trunk = trunk

    def recall(self, refiner: Hashable, problem: Identified) -> Any:
        found = super().recall(refiner, problem)
        return self._trunk.recall(refiner, problem) if found is None else found

    @property
    def learned(self) -> Entries:
        return self._entries


class NoMemory(RunMemory):
    """For a single refutation: nothing is kept."""

    def note(self, refiner: Hashable, problem: Identified, entry: Any) -> None:
        pass

    def merge(self, learned: Entries) -> None:
        pass

    def solver(self, name: str, time_limit: float | None = None) -> Solver:
        return make_solver(name, time_limit=time_limit)

    def kept(self, name: Hashable, make: Callable[[], T]) -> T:
        return make()

    def domain_types(self, trace: Trace) -> Mapping[Term, DomainType]:
        return domain_types(trace.context)


NO_MEMORY = NoMemory()
