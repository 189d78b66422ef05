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
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

from craton.engines.contract import Budget
from craton.engines.hoare import BOTTOM, State, Triples
from craton.engines.predicate.bdd import NO, YES, Bdd, Bdds
from craton.engines.predicate.grouping import Group, Grouping, Symbols, group, symbols
from craton.engines.predicate.precision import Literal, Predicates, levels_of
from craton.engines.predicate.questions import Question, Questions, When, mark
from craton.engines.steps import Step
from craton.logic import FALSE, TRUE, Term, conjuncts, free_variables, not_
from craton.program.statements import Block
from craton.smt import make_solver
from craton.traces.levels import is_straight

QUERY_SECONDS = 2.0


class Abstracting(enum.Enum):
    """BOOLEAN is the strongest Boolean function of the predicates, CARTESIAN the strongest conjunction of literals.
    MIXED is Boolean where blocks branch, and elsewhere the strongest conjunction of the literals that refutations
    assert, until that is too weak to follow one.
    """

    BOOLEAN = "boolean"
    CARTESIAN = "cartesian"
    MIXED = "mixed"


Pair = tuple[Bdd, Bdd]  # values before a step, values after it


@dataclass(slots=True)
class Successor:
    """What is known about the successor of one abstraction along one step, for the predicates asked for so far."""

    reachable: bool | None = None
    decided: dict[int, bool | None] = field(default_factory=dict)  # None: can be true or false
    # Of predicates, to each other and to constants.
    relations: dict[frozenset[Literal], Bdd] = field(default_factory=dict)
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
        self._triples = Triples(solver, budget.statistics, QUERY_SECONDS)
        self._states: dict[Bdd, State] = {}
        self._results: dict[tuple[Bdd, Step, frozenset[int], frozenset[Literal]], Bdd] = {}
        self._groupings: dict[tuple[Step, frozenset[int], frozenset[int], frozenset[int]], Grouping] = {}
        self._symbols_of: dict[Term, Symbols] = {}
        self._successors: dict[tuple[Bdd, Step], Successor] = {}
        self._asking: dict[Step, Questions] = {}

    def successor(self, before: Bdd, step: Step, tracked: frozenset[int], precision: frozenset[Literal]) -> Bdd:
        """The abstraction over `precision` after the step; NO if it cannot be taken. `before` is over `tracked`."""
        key = (before, step, tracked, precision)
        found = self._results.get(key)
        if found is None:
            found = self._results[key] = self._successor(before, step, tracked, precision)
        return found

    def _successor(self, before: Bdd, step: Step, tracked: frozenset[int], precision: frozenset[Literal]) -> Bdd:
        if step.update.guard is FALSE:
            return NO
        bdds = self._bdds
        support = bdds.support(before)
        grouping = self._grouping(step, support, tracked, levels_of(precision))
        parts = [(part, self._projected(before, support, part.before)) for part in grouping.groups]
        alone = [abstraction for _, abstraction in parts]
        if bdds.is_cube(before) or self._is_product(before, alone, support, grouping):
            result = self._projected(before, support, grouping.kept)
            for part, abstraction in parts:
                wanted = _among(precision, part.after)
                result = bdds.conjunction(result, self._group_successor(abstraction, step, wanted))
                if result == NO:
                    break
            return result
        return self._joint_successor(before, step, support, grouping, precision)

    def _joint_successor(
        self, before: Bdd, step: Step, support: frozenset[int], grouping: Grouping, precision: frozenset[Literal]
    ) -> Bdd:
        """For an abstraction that relates the groups to each other or to kept predicates: each possible change of the
        groups' values selects a part of it.
        """
        bdds = self._bdds
        levels = frozenset[int]().union(*(part.before for part in grouping.groups))
        after = frozenset[int]().union(*(part.after for part in grouping.groups))
        changing = self._projected(before, support, levels)
        apart = bdds.conjunction(changing, self._projected(before, support, support - levels)) == before
        common = self._group_successor(changing, step, _among(precision, after))
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
        if not gone:
            return before
        if self._bdds.is_cube(before):
            forced = self._bdds.forced(before)
            return self._bdds.cube({level: value for level, value in forced.items() if level in levels})
        return self._bdds.without(before, gone)

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

    def _group_successor(self, before: Bdd, step: Step, precision: frozenset[Literal]) -> Bdd:
        known = self._known(before, step)
        forced = self._bdds.forced(before)
        levels = sorted(levels_of(precision))
        kept = {level: forced[level] for level in levels if level in forced and self._stays(step, level)}
        asked = frozenset(literal for literal in precision if literal not in kept and ~literal not in kept)
        if known.reachable is not False and (known.reachable is None or asked not in known.relations):
            with self._budget.statistics.spending("abstraction"):
                if self._is_boolean(step):
                    self._ask(before, step, asked, known)
                else:
                    self._follow(before, step, asked, known)
        if known.reachable is False:
            return NO
        return self._bdds.conjunction(self._bdds.cube(kept), known.relations[asked])

    def _known(self, before: Bdd, step: Step) -> Successor:
        found = self._successors.get((before, step))
        if found is None:
            found = self._successors[before, step] = Successor(True if step.update.guard is TRUE else None)
            found.relations[frozenset()] = YES
        return found

    def _is_boolean(self, step: Step) -> bool:
        match self._abstracting:
            case Abstracting.BOOLEAN:
                return True
            case Abstracting.CARTESIAN:
                return False
            case Abstracting.MIXED:
                return not is_straight(step.edge)

    def _follow(self, before: Bdd, step: Step, asked: frozenset[Literal], known: Successor) -> None:
        """Literal by literal, from what is known of the step already: what was needed for each, and what not enough."""
        self._budget.check()
        literals = {self._predicates.literal(literal): literal for literal in sorted(asked)}
        if self._abstracting is Abstracting.CARTESIAN:
            literals |= {not_(term): ~literal for term, literal in literals.items()}
        holds = self._triples.successors(self._state(before), step, list(literals))
        known.reachable = holds != BOTTOM
        if known.reachable:
            following = [literal for term, literal in literals.items() if term in holds]
            cube = {level: level in following for level in levels_of(following)}
            known.relations[asked] = self._bdds.cube(cube)

    def _state(self, before: Bdd) -> State:
        """An abstraction as a conjunction: of literals, and of all of it as one formula if it says more."""
        found = self._states.get(before)
        if found is None:
            forced = self._bdds.forced(before)
            found = frozenset(self._predicates.literal(level if value else ~level) for level, value in forced.items())
            if not self._bdds.is_cube(before):
                found |= {self._predicates.formula(before)}
            self._states[before] = found
        return found

    def _ask(self, before: Bdd, step: Step, asked: frozenset[Literal], known: Successor) -> None:
        levels = sorted(levels_of(asked))
        with self._questions(step).about(before, [mark(level, When.AFTER) for level in levels]) as question:
            if question.complete(self._budget.check):
                known.reachable = bool(question.seen)
                cubes = (dict(zip(levels, values, strict=True)) for values in question.seen)
                known.relations[asked] = self._bdds.disjunction_of(cubes)
                return
            known.reachable = question.is_possible()
            if known.reachable:
                known.relations[asked] = self._bdds.cube(self._decided(question, levels, known))

    def _decided(self, question: Question, levels: Sequence[int], known: Successor) -> dict[int, bool]:
        """The predicates that can have one value only."""
        for number, level in enumerate(levels):
            if level not in known.decided:
                self._budget.check()
                known.decided[level] = question.only_value(number)
        values = ((level, known.decided[level]) for level in levels)
        return {level: value for level, value in values if value is not None}

    def _pairs(self, before: Bdd, step: Step, levels: frozenset[int], after: frozenset[int]) -> Sequence[Pair]:
        """All values that predicates can have before the step, each with the possible values after it."""
        known = self._known(before, step)
        key = levels | frozenset(~level for level in after)
        if key not in known.pairs:
            with self._budget.statistics.spending("abstraction"):
                known.pairs[key] = self._enumerated(before, step, sorted(levels), sorted(after))
        return known.pairs[key]

    def _enumerated(self, before: Bdd, step: Step, levels: Sequence[int], after: Sequence[int]) -> Sequence[Pair]:
        # A predicate that stays is the same before and after.
        changed = [level for level in after if level not in levels or not self._stays(step, level)]
        unchanged = [level for level in after if level not in changed]
        marks = [*(mark(level, When.BEFORE) for level in levels), *(mark(level, When.AFTER) for level in changed)]
        with self._questions(step).about(before, marks) as question:
            if not question.complete(self._budget.check):
                return ((YES, YES),)
        pairs = []
        for values in question.seen:
            start = dict(zip(levels, values, strict=False))
            then = dict(zip(changed, values[len(levels) :], strict=True)) | {level: start[level] for level in unchanged}
            pairs.append((self._bdds.cube(start), self._bdds.cube(then)))
        return pairs

    def strengthen(self) -> bool:
        """From now on all steps have the strongest abstraction; whether that is new."""
        was, self._abstracting = self._abstracting, Abstracting.BOOLEAN
        self._results.clear()
        self._successors.clear()
        return was is Abstracting.MIXED

    def _after(self, step: Step, level: int) -> Term:
        """A predicate after the step, expressed over the state before."""
        return step.before(self._predicates.term(level))

    def _questions(self, step: Step) -> Questions:
        """Blocks have a solver of their own, since they are worth keeping asserted."""
        found = self._asking.get(step)
        if found is None:
            kept = isinstance(step.edge.statement, Block)
            solver = make_solver(self._solver_name, time_limit=QUERY_SECONDS) if kept else self._shared
            found = self._asking[step] = Questions(step, self._predicates, self._bdds, solver, kept=kept)
        return found


def _among(literals: frozenset[Literal], levels: frozenset[int]) -> frozenset[Literal]:
    return frozenset(literal for literal in literals if literal in levels or ~literal in levels)
