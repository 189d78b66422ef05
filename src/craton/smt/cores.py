"""Unsatisfiable cores of a list of formulas: as the solver returns them, and minimised by deletion.

Members are positions in the list, never formulas: a formula may occur twice.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from craton.logic import ops
from craton.logic.arithmetic import le
from craton.logic.bitvectors import bvsle, bvule
from craton.logic.core import conjuncts, implies
from craton.logic.sorts import BOOL, INT, REAL, BitVec, Sort
from craton.logic.terms import Term, var
from craton.logic.walk import free_variables, post_order
from craton.processes.running_time import running_time
from craton.smt.contract import Answer, Capability, Sat, Solver, Undecided, Unsat

CoreAnswer = tuple[int, ...] | Sat | Undecided

BISECTION = 1.0  # seconds


def unsat_core(formulas: Sequence[Term], solver: Solver, time_limit: float | None = None) -> CoreAnswer:
    """Positions of formulas that are unsatisfiable together with the solver's assertions; the solver's own core."""
    with CoreFinder(formulas, solver) as finder:
        return finder.find(range(len(formulas)), time_limit)


def minimal_core(
    formulas: Sequence[Term], solver: Solver, budget: float | None = None, time_limit: float | None = None
) -> CoreAnswer:
    """A core minimised by deleting members one by one as long as the rest is still a core.

    `time_limit` is for finding a core at all, `budget` for making it smaller (both in seconds; None: no limit).
    """
    with CoreFinder(formulas, solver) as finder:
        core = finder.find(range(len(formulas)), time_limit)
        if not isinstance(core, tuple):
            return core
        end = float("inf") if budget is None else running_time() + budget
        # From the back: in a trace, late statements are more likely to be irrelevant repetitions.
        return _shrunk(finder, core, end)


def minimal_cores(
    formulas: Sequence[Term], solver: Solver, budget: float | None = None, time_limit: float | None = None
) -> list[tuple[int, ...]] | Sat | Undecided:
    """Distinct minimal cores: all of them, if the budget suffices.

    A new minimal core lacks a member of each known one. So the set of omitted members grows, each time by a member of
    a known core, until the rest has no core (hitting sets, as in diagnosis). Members at the back are omitted first.
    """
    with CoreFinder(formulas, solver) as finder:
        first = finder.find(range(len(formulas)), time_limit)
        if not isinstance(first, tuple):
            return first
        end = float("inf") if budget is None else running_time() + budget
        found = [_shrunk(finder, first, end)]
        waiting = deque([frozenset[int]()])
        seen = {frozenset[int]()}
        while waiting and running_time() < end:
            out = waiting.popleft()
            core = next((c for c in found if out.isdisjoint(c)), None)
            if core is None:
                within = [i for i in range(len(formulas)) if i not in out]
                another = finder.core_of(within, None if budget is None else max(0.001, end - running_time()))
                if another is None:
                    continue
                core = _shrunk(finder, sorted(another), end)
                found.append(core)
            for member in reversed(core):
                more = out | {member}
                if more not in seen:
                    seen.add(more)
                    waiting.append(more)
        return found


def latest_core(
    formulas: Sequence[Term],
    groups: Sequence[int],
    solver: Solver,
    budget: float | None = None,
    time_limit: float | None = None,
) -> CoreAnswer:
    """A core whose first group is as late as possible, minimised from the front.

    `groups` says which group each formula belongs to, in ascending order. A core that needs less of a trace's beginning
    applies to more beginnings. Without a budget for making it smaller, finding the group still has BISECTION seconds.
    """
    with CoreFinder(formulas, solver) as finder:
        core = finder.find(range(len(formulas)), time_limit)
        if not isinstance(core, tuple):
            return core
        started = running_time()
        end = float("inf") if budget is None else started + (budget or BISECTION)
        # Invariant: the groups from `low` on have a core; none was found for the groups from `high` on.
        low, high = groups[core[0]], groups[-1] + 1
        while high - low > 1:
            left = end - running_time()
            if left <= 0:
                break
            middle = (low + high) // 2
            behind = [i for i in range(len(formulas)) if groups[i] >= middle]
            smaller = finder.core_of(behind, None if budget is None else left / 2)
            if smaller is None:
                high = middle
            else:
                core = tuple(sorted(smaller))
                low = groups[core[0]]
        return _shrunk(finder, core[::-1], float("inf") if budget is None else started + budget)


def _shrunk(finder: CoreFinder, core: Sequence[int], end: float) -> tuple[int, ...]:
    """The core without members it does not need, tried from last to first as long as there is time."""
    needed: list[int] = []
    candidates = list(core)
    while candidates:
        left = end - running_time()
        if left <= 0:
            break
        candidate = candidates.pop()
        smaller = finder.core_of([*needed, *candidates], None if end == float("inf") else left)
        if smaller is None:
            needed.append(candidate)
        else:
            candidates = [c for c in candidates if c in smaller]
    return tuple(sorted(needed + candidates))


class CoreFinder:
    """Finds cores of subsets of one list.

    Each formula is guarded by a Boolean switch, so that the solver keeps what it has learned between queries.
    """

    def __init__(self, formulas: Sequence[Term], solver: Solver) -> None:
        solver.need(Capability.CORES)
        self._solver = solver
        self._formulas = formulas
        known = {v.name for f in (*formulas, *(f for _, f in solver.assertions)) for v in free_variables(f)}
        stem = "in core"
        while any(name.startswith(stem) for name in known):  # a finder may work inside another one's scope
            stem += "'"
        self._switches = [var(f"{stem} {i}", BOOL) for i in range(len(formulas))]

    def __enter__(self) -> CoreFinder:
        self._solver.push()
        try:
            self._solver.add(*map(implies, self._switches, self._formulas))
        except BaseException:
            self._solver.pop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.pop()

    def find(self, positions: Sequence[int], time_limit: float | None) -> CoreAnswer:
        answer = self._check(positions, time_limit)
        if isinstance(answer, Unsat):
            return self._members(answer, positions)
        if isinstance(answer, Sat):  # read now, before the scope is closed; and without the switches
            model, switches = answer.model, frozenset(self._switches)
            values = {v: value for v, value in model.values.items() if v not in switches}
            return Sat(lambda: replace(model, values=values))
        return answer

    def core_of(self, positions: Sequence[int], time_limit: float | None) -> frozenset[int] | None:
        """A core among these positions; None if there is none or none was found in time."""
        answer = self._check(positions, time_limit)
        return frozenset(self._members(answer, positions)) if isinstance(answer, Unsat) else None

    def _check(self, positions: Sequence[int], time_limit: float | None) -> Answer:
        return self._solver.check(*(self._switches[i] for i in positions), time_limit=time_limit)

    def _members(self, answer: Unsat, positions: Sequence[int]) -> tuple[int, ...]:
        chosen = frozenset(answer.core.assumptions)
        return tuple(i for i in sorted(positions) if self._switches[i] in chosen)


def split_equalities(formula: Term, unsigned: frozenset[Sort] = frozenset()) -> tuple[Term, ...]:
    """The conjuncts, with equalities as two inequalities, so that a core can keep half of one.

    Numbers have one order, bit-vectors the signed one unless their sort is among the `unsigned`.
    """
    return tuple(half for part in conjuncts(formula) for half in _halves(part, unsigned))


def _halves(part: Term, unsigned: frozenset[Sort]) -> tuple[Term, ...]:
    if part.op is not ops.EQ:
        return (part,)
    left, right = part.args
    below: Callable[[Term, Term], Term]
    if left.sort in (INT, REAL):
        below = le
    elif isinstance(left.sort, BitVec) and left.sort.width > 1:
        below = bvule if left.sort in unsigned else bvsle
    else:
        return (part,)
    return below(left, right), below(right, left)


def unsigned_sorts(formulas: Iterable[Term]) -> frozenset[Sort]:
    """The sorts of bit-vectors that the formulas compare as unsigned more often than as signed."""
    count: Counter[Sort] = Counter()
    for node in post_order(*formulas):
        if node.op in (ops.BVULE, ops.BVULT):
            count[node.args[0].sort] += 1
        elif node.op in (ops.BVSLE, ops.BVSLT):
            count[node.args[0].sort] -= 1
    return frozenset(sort for sort, more in count.items() if more > 0)
