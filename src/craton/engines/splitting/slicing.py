"""Slicing: can an edge of the program lead from the states of one node to those of another?

Nodes are cubes: conjunctions of literals. An edge between two cubes is infeasible if the cube before, the step and the
cube after contradict each other. This is decided by data flow first (a step that writes none of a literal's variables
keeps it), then by known conflicts, then by a solver, whose core becomes a new conflict: parts of the two cubes that
exclude each other over this edge, and so exclude each other in all other cubes that contain them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from craton.engines.contract import Budget
from craton.engines.steps import Step
from craton.errors import MissingCapability
from craton.logic import FALSE, TRUE, Term, free_variables, not_, ops
from craton.smt import Solver, Unsat, make_solver

Cube = frozenset[Term]

NOTHING: Cube = frozenset()
TIME_LIMIT = 2.0  # seconds for one query; an undecided one keeps the edge, which is sound


# --- cubes ------------------------------------------------------------------------------------------------------------


def literals(formula: Term) -> Cube:
    """The parts of a conjunction, also of negated disjunctions; `TRUE` has none."""
    found: set[Term] = set()
    stack = [formula]
    while stack:
        part = stack.pop()
        if part.op is ops.AND:
            stack.extend(part.args)
        elif part.op is ops.NOT and part.args[0].op is ops.OR:
            stack.extend(not_(a) for a in part.args[0].args)
        elif part is not TRUE:
            found.add(part)
    return frozenset(found)


def affirms(cube: Cube, formula: Term) -> bool:
    """Does the cube imply the formula? Decided syntactically."""
    return formula in cube or literals(formula) <= cube


def denies(cube: Cube, formula: Term) -> bool:
    """Does the cube contradict the formula? Decided syntactically."""
    return affirms(cube, not_(formula)) or any(not_(literal) in cube for literal in literals(formula))


# --- conflicts--------------------------------------------------------------------------------------------------------


Conflict = tuple[Cube, Cube]


@dataclass(slots=True)
class Conflicts:
    """Known conflicts over a step: a part of the cube before and a part of the cube after that exclude each other.

    Conflicts are indexed by one of their literals, so that a query looks at few of them.
    """

    _by_after: dict[Term, list[Conflict]] = field(default_factory=dict)
    _by_before: dict[Term, list[Conflict]] = field(default_factory=dict)  # those without literals after
    _known: set[Conflict] = field(default_factory=set)

    def remember(self, conflict: Conflict) -> None:
        if conflict not in self._known:
            self._known.add(conflict)
            first, second = conflict
            table, cube = (self._by_after, second) if second else (self._by_before, first)
            if cube:
                table.setdefault(max(cube, key=lambda t: t.serial), []).append(conflict)

    def has(self, before: Cube, after: Cube) -> bool:
        if (NOTHING, NOTHING) in self._known:
            return True
        for cube, table in ((after, self._by_after), (before, self._by_before)):
            for literal in cube & table.keys():
                for first, second in table[literal]:
                    if first <= before and second <= after:
                        return True
        return False


# --- questions --------------------------------------------------------------------------------------------------------


class Slicer:
    def __init__(self, solver_name: str, budget: Budget) -> None:
        self._solver: Solver = make_solver(solver_name, time_limit=TIME_LIMIT)
        self._budget = budget
        self._conflicts: dict[Step | None, Conflicts] = {}  # None: no step, a single cube
        self._negations: dict[Cube, Cube] = {}

    def learn(self, before: Term, step: Step, after: Term) -> None:
        """The refiner claims that {before} step {after} holds: no link leads from a cube that affirms `before` to one
        that denies `after`. The claim is trusted: it saves solver queries, and each refutation removes a path even if
        the solver cannot decide its triples.
        """
        cube = literals(before)
        conflicts = self._about(step)
        conflicts.remember((cube, literals(not_(after))))
        for literal in _ordered(literals(after)):
            conflicts.remember((cube, literals(not_(literal))))

    def is_known_infeasible(self, before: Cube, step: Step, after: Cube) -> bool:
        """Without asking the solver."""
        if step.update.guard is FALSE:
            return True
        if self._about(step).has(before, after):
            return True
        written = step.update.updates.keys()
        return any(written.isdisjoint(free_variables(literal)) for literal in self._negated(before) & after)

    def is_feasible(self, before: Cube, step: Step, after: Cube) -> bool:
        """Undecided is feasible."""
        if self.is_known_infeasible(before, step, after):
            return False
        required = {step.before(literal): literal for literal in _ordered(after)}
        return not self._conflict(before, step.update.guard, required, self._about(step))

    def is_satisfiable(self, cube: Cube) -> bool:
        """Undecided is satisfiable."""
        known = self._about(None)
        return not known.has(NOTHING, cube) and not self._conflict(NOTHING, TRUE, {t: t for t in _ordered(cube)}, known)

    def _about(self, step: Step | None) -> Conflicts:
        found = self._conflicts.get(step)
        if found is None:
            found = self._conflicts[step] = Conflicts()
        return found

    def _negated(self, cube: Cube) -> Cube:
        """The literals that the cube denies."""
        found = self._negations.get(cube)
        if found is None:
            found = self._negations[cube] = frozenset(map(not_, cube))
        return found

    def _conflict(self, before: Cube, guard: Term, required: Mapping[Term, Term], known: Conflicts) -> bool:
        """Whether the cube before, the guard and the requirements on the state before contradict each other; if so, the
        conflict is recorded. `required` maps each requirement to the literal of the cube after that it stems from.
        """
        if FALSE in required:
            known.remember((NOTHING, frozenset((required[FALSE],))))
            return True
        assumed = dict.fromkeys((*_ordered(before), *required))
        assumed.pop(TRUE, None)
        if not assumed and guard is TRUE:
            return False
        core = self._core(guard, assumed)
        if core is None:
            return False
        # A requirement that is also in the first cube is taken from there.
        first = frozenset(term for term in core if term in before)
        known.remember((first, frozenset(required[term] for term in core if term not in before)))
        return True

    def _core(self, guard: Term, assumed: Iterable[Term]) -> Sequence[Term] | None:
        self._budget.check()
        left = self._budget.left
        limit = TIME_LIMIT if left is None else max(0.001, min(TIME_LIMIT, left))
        try:
            with self._solver.scope():
                self._solver.add(guard)
                answer = self._solver.check(*assumed, time_limit=limit)
                return answer.core.assumptions if isinstance(answer, Unsat) else None
        except MissingCapability:  # without the theory, nothing is sliced
            return None


def _ordered(cube: Cube) -> list[Term]:
    return sorted(cube, key=lambda t: t.serial)
