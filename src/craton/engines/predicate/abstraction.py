"""The successor of an abstraction along an edge: the strongest formula over the predicates that holds afterwards.

    α(∃ before. φ ∧ guard ∧ x' = t), over the predicates tracked at the edge's target

The solver is asked only where necessary. Predicates that share no variable with the guard, nor with a predicate that
the edge changes, stay as they are: their part of φ is kept by quantification in the diagram. The others fall into
groups without common variables (`grouping`). For a group, each model shows possible values of all its predicates at
once; what remains is decided one predicate at a time (Cartesian abstraction), and predicates that can have both values
are enumerated (Boolean abstraction; Lahiri, Nieuwenhuis, Oliveras, CAV 2006). An undecided query leaves the predicate
open, which is sound.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce

from craton.engines.contract import Budget
from craton.engines.predicate.bdd import NO, YES, Bdd, Bdds
from craton.engines.predicate.grouping import Group, Grouping, Symbols, group, symbols
from craton.engines.predicate.precision import Predicates
from craton.engines.steps import Step
from craton.logic import BOOL, FALSE, TRUE, Term, conjuncts, free_variables, iff, not_, or_, var
from craton.program.statements import Block
from craton.smt import Sat, Solver, Unsat, make_solver

QUERY_SECONDS = 2.0


class Abstracting(enum.Enum):
    """BOOLEAN is the strongest Boolean function of the predicates, CARTESIAN the strongest conjunction of literals."""

    BOOLEAN = "boolean"
    CARTESIAN = "cartesian"


Values = dict[int, bool]  # of predicates, in some model
Pair = tuple[Bdd, Bdd]  # values before a step, values after it


@dataclass(slots=True)
class Successor:
    """What is known about the successor of one abstraction along one step, for the predicates asked for so far."""

    reachable: bool | None = None
    decided: dict[int, bool | None] = field(default_factory=dict)  # None: can be true or false
    relations: dict[frozenset[int], Bdd] = field(default_factory=dict)  # of those that can be both
    pairs: dict[frozenset[int], Sequence[Pair]] = field(default_factory=dict)


class Abstractor:
    def __init__(
        self, solver: str, abstracting: Abstracting, predicates: Predicates, bdds: Bdds, budget: Budget
    ) -> None:
        self._solver_name = solver
        self._abstracting = abstracting
        self._predicates = predicates
        self._bdds = bdds
        self._budget = budget
        self._shared = make_solver(solver, time_limit=QUERY_SECONDS)
        self._results: dict[tuple[Bdd, Step, frozenset[int], frozenset[int]], Bdd] = {}
        self._groupings: dict[tuple[Step, frozenset[int], frozenset[int], frozenset[int]], Grouping] = {}
        self._symbols_of: dict[Term, Symbols] = {}
        self._successors: dict[tuple[Bdd, Step], Successor] = {}
        self._solvers: dict[Step, Solver] = {}

    def successor(self, before: Bdd, step: Step, tracked: frozenset[int], precision: frozenset[int]) -> Bdd:
        """The abstraction over `precision` after the step; NO if it cannot be taken. `before` is over `tracked`."""
        key = (before, step, tracked, precision)
        found = self._results.get(key)
        if found is None:
            found = self._results[key] = self._successor(before, step, tracked, precision)
        return found

    def _successor(self, before: Bdd, step: Step, tracked: frozenset[int], precision: frozenset[int]) -> Bdd:
        if step.update.guard is FALSE:
            return NO
        bdds = self._bdds
        support = bdds.support(before)
        grouping = self._grouping(step, support, tracked, precision)
        parts = [(part, self._projected(before, support, part.before)) for part in grouping.groups]
        if self._is_product(before, [abstraction for _, abstraction in parts], support, grouping):
            result = self._projected(before, support, grouping.kept)
            for part, abstraction in parts:
                result = bdds.conjunction(result, self._group_successor(abstraction, step, part.after))
                if result == NO:
                    break
            return result
        return self._joint_successor(before, step, support, grouping)

    def _joint_successor(self, before: Bdd, step: Step, support: frozenset[int], grouping: Grouping) -> Bdd:
        """For an abstraction that relates the groups to each other or to kept predicates: each possible change of the
        groups' values selects a part of it.
        """
        bdds = self._bdds
        levels = frozenset[int]().union(*(part.before for part in grouping.groups))
        after = frozenset[int]().union(*(part.after for part in grouping.groups))
        changing = self._projected(before, support, levels)
        apart = bdds.conjunction(changing, self._projected(before, support, support - levels)) == before
        common = self._group_successor(changing, step, after)
        if apart or common == NO:
            return bdds.conjunction(common, self._projected(before, support, grouping.kept))
        result = NO
        for values, then in self._pairs(changing, step, levels & support, after):
            selected = self._projected(bdds.conjunction(before, values), support, grouping.kept)
            result = bdds.disjunction(result, bdds.conjunction(selected, then))
        return bdds.conjunction(result, common)

    def _is_product(self, before: Bdd, parts: Sequence[Bdd], support: frozenset[int], grouping: Grouping) -> bool:
        levels = frozenset[int]().union(*(part.before for part in grouping.groups))
        rest = self._projected(before, support, support - levels)
        return reduce(self._bdds.conjunction, parts, rest) == before

    def _projected(self, before: Bdd, support: frozenset[int], levels: frozenset[int]) -> Bdd:
        gone = support - levels
        return self._bdds.without(before, gone) if gone else before

    def _grouping(
        self, step: Step, support: frozenset[int], tracked: frozenset[int], precision: frozenset[int]
    ) -> Grouping:
        key = (step, support, tracked, precision)
        found = self._groupings.get(key)
        if found is None:
            staying = frozenset(level for level in precision & tracked if self._stays(step, level))
            guards = [self._symbols(conjunct) for conjunct in conjuncts(step.update.guard)]
            befores = [
                Group(frozenset((level,)), frozenset(), self._symbols(self._predicates.term(level)))
                for level in sorted(support)
            ]
            afters = [
                Group(frozenset(), frozenset((level,)), self._symbols(self._after(step, level)))
                for level in sorted(precision)
            ]
            found = self._groupings[key] = group(guards, (*befores, *afters), staying)
        return found

    def _symbols(self, formula: Term) -> Symbols:
        found = self._symbols_of.get(formula)
        if found is None:
            found = self._symbols_of[formula] = symbols(formula)
        return found

    def _stays(self, step: Step, level: int) -> bool:
        return step.update.written.isdisjoint(free_variables(self._predicates.term(level)))

    # --- one group ---

    def _group_successor(self, before: Bdd, step: Step, precision: frozenset[int]) -> Bdd:
        known = self._known(before, step)
        if known.reachable is not False:
            self._keep_values(before, step, precision, known)
            if self._is_incomplete(known, precision):
                with self._budget.statistics.spending("abstraction"):
                    self._ask(before, step, precision, known)
        if known.reachable is False:
            return NO
        fixed, both = _split(known, precision)
        return self._bdds.conjunction(self._bdds.cube(fixed), known.relations.get(both, YES))

    def _known(self, before: Bdd, step: Step) -> Successor:
        found = self._successors.get((before, step))
        if found is None:
            found = self._successors[before, step] = Successor(True if step.update.guard is TRUE else None)
        return found

    def _keep_values(self, before: Bdd, step: Step, precision: frozenset[int], known: Successor) -> None:
        forced = self._bdds.forced(before)
        for level in precision:
            if level in forced and level not in known.decided and self._stays(step, level):
                known.decided[level] = forced[level]

    def _is_incomplete(self, known: Successor, precision: frozenset[int]) -> bool:
        if known.reachable is None or not known.decided.keys() >= precision:
            return True
        _, both = _split(known, precision)
        return self._is_relation_wanted(both) and both not in known.relations

    def _is_relation_wanted(self, both: frozenset[int]) -> bool:
        return self._abstracting is Abstracting.BOOLEAN and len(both) > 1

    def _ask(self, before: Bdd, step: Step, precision: frozenset[int], known: Successor) -> None:
        _, asked = _split(known, precision)
        levels = sorted(asked)
        with self._prepared(before, step) as solver:
            for level in levels:
                solver.add(iff(_marker(level), self._after(step, level)))
            models: list[Values] = []
            answer = solver.check()
            known.reachable = not isinstance(answer, Unsat)
            if not known.reachable:
                return
            if isinstance(answer, Sat):
                models.append(_values(answer, _marker, levels))
            for level in levels:
                if level not in known.decided:
                    self._budget.check()
                    known.decided[level] = _decide(solver, level, levels, models)
            both = frozenset(level for level in levels if known.decided[level] is None)
            if self._is_relation_wanted(both):
                known.relations[both] = self._relation(solver, sorted(both), models)

    def _relation(self, solver: Solver, levels: Sequence[int], models: Iterable[Values]) -> Bdd:
        """All combinations of values that the predicates can have after the step."""
        found = NO
        for values in models:
            cube = self._bdds.cube({level: values[level] for level in levels})
            if not self._bdds.implies(cube, found):
                found = self._bdds.disjunction(found, cube)
                solver.add(_other_than(values, _marker, levels))
        while isinstance(answer := solver.check(), Sat):
            self._budget.check()
            values = _values(answer, _marker, levels)
            cube = self._bdds.cube(values)
            if self._bdds.implies(cube, found):
                return YES  # a model that violates its own formula would make this loop forever
            found = self._bdds.disjunction(found, cube)
            solver.add(_other_than(values, _marker, levels))
        return found if isinstance(answer, Unsat) else YES

    def _pairs(self, before: Bdd, step: Step, levels: frozenset[int], after: frozenset[int]) -> Sequence[Pair]:
        """All values that predicates can have before the step, each with the possible values after it."""
        known = self._known(before, step)
        _, both = _split(known, after)
        key = levels | frozenset(~level for level in both)
        if key not in known.pairs:
            with self._budget.statistics.spending("abstraction"):
                known.pairs[key] = self._enumerated(before, step, sorted(levels), sorted(both))
        return known.pairs[key]

    def _enumerated(self, before: Bdd, step: Step, levels: Sequence[int], after: Sequence[int]) -> Sequence[Pair]:
        # A predicate that stays is the same before and after.
        changed = [level for level in after if level not in levels or not self._stays(step, level)]
        unchanged = [level for level in after if level not in changed]
        found: dict[Pair, None] = {}
        with self._prepared(before, step) as solver:
            solver.add(*(iff(_marker_before(level), self._predicates.term(level)) for level in levels))
            solver.add(*(iff(_marker(level), self._after(step, level)) for level in changed))
            while isinstance(answer := solver.check(), Sat):
                self._budget.check()
                values = _values(answer, _marker_before, levels)
                then = _values(answer, _marker, changed)
                solver.add(or_(_other_than(values, _marker_before, levels), _other_than(then, _marker, changed)))
                then |= {level: values[level] for level in unchanged}
                pair = (self._bdds.cube(values), self._bdds.cube(then))
                if pair in found:
                    return ((YES, YES),)  # as above
                found[pair] = None
        return tuple(found) if isinstance(answer, Unsat) else ((YES, YES),)

    @contextmanager
    def _prepared(self, before: Bdd, step: Step) -> Iterator[Solver]:
        """A solver in which the state before and the guard are asserted."""
        solver = self._shared
        if isinstance(step.edge.statement, Block):
            solver = self._solver_of(step)
        with solver.scope():
            if solver is self._shared:
                solver.add(step.update.guard)
            solver.add(self._predicates.formula(before))
            yield solver

    def _after(self, step: Step, level: int) -> Term:
        """A predicate after the step, expressed over the state before."""
        return step.before(self._predicates.term(level))

    def _solver_of(self, step: Step) -> Solver:
        """Blocks have a solver of their own, since their guard is worth keeping asserted."""
        found = self._solvers.get(step)
        if found is None:
            found = self._solvers[step] = make_solver(self._solver_name, time_limit=QUERY_SECONDS)
            found.add(step.update.guard)
        return found


def _split(known: Successor, precision: frozenset[int]) -> tuple[Values, frozenset[int]]:
    """The predicates that have one value, and the others."""
    fixed: Values = {}
    for level in precision:
        value = known.decided.get(level)
        if value is not None:
            fixed[level] = value
    return fixed, precision.difference(fixed)


def _decide(solver: Solver, level: int, levels: Sequence[int], models: list[Values]) -> bool | None:
    """The only value that the predicate can have; None if there are two, or the solver cannot tell."""
    for value in (True, False):
        if any(values[level] is value for values in models):
            continue
        answer = solver.check(_literal(_marker(level), value))
        if isinstance(answer, Unsat):
            return not value
        if isinstance(answer, Sat):
            models.append(_values(answer, _marker, levels))
    return None


# --- markers: variables that represent predicates, so that a model only has to be read at the markers ---


def _marker(level: int) -> Term:
    return var(f"predicate {level}", BOOL)


def _marker_before(level: int) -> Term:
    return var(f"predicate {level} before", BOOL)


def _literal(variable: Term, positive: bool) -> Term:
    return variable if positive else not_(variable)


def _other_than(values: Values, marker: Callable[[int], Term], levels: Sequence[int]) -> Term:
    return or_(*(_literal(marker(level), not values[level]) for level in levels))


def _values(answer: Sat, marker: Callable[[int], Term], levels: Sequence[int]) -> Values:
    return {level: bool(answer.value(marker(level))) for level in levels}
