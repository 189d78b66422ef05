"""Models conjectured from facts: what is true of all facts that were seen may be true of all.

Facts are sampled. They suggest conjectures: simple forms (`engines.guesses`), of which Houdini keeps what is inductive,
and linear equations, everywhere and in the regions in which clauses look at a predicate. Of equations the best that is
inductive is found: each counterexample to a clause joins the affine hull of its region (the best transformer by
sampling, Reps, Sagiv and Yorsh), until there is none. So two programs that go in step, one an iteration ahead, are
found to do so, however their numbers wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.engines.contract import Budget, OutOfTime, Unknown
from craton.engines.systems.bounds import numbers
from craton.engines.systems.conjectured import Conjectured
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.engines.systems.facts import KnownFacts
from craton.engines.systems.judges import QUERY_SECONDS, Judge, NotShown
from craton.engines.systems.lean import lean
from craton.engines.systems.regions import Detail, forbidden, regions
from craton.engines.systems.sampling import sampled
from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.models import EMPTY, Model
from craton.logic import (
    TRUE,
    Term,
    and_,
    conjuncts,
    substitute,
)
from craton.logic.evaluation import CannotEvaluate
from craton.smt import make_solver

SAMPLING = 2.0  # seconds


@dataclass(frozen=True, slots=True)
class Conjectures(SystemEngine):
    """What holds of sampled facts, as far as it is inductive. It may also come upon a derivation of false."""

    solver: str = "z3"
    seed: int = 0

    def run(self, system: System, budget: Budget) -> SystemAnswer:
        try:
            with budget.statistics.spending("facts for conjectures"):
                known = sampled(system, SAMPLING, budget, self.seed)
            if isinstance(known, Contradicted):
                return known
            model = EMPTY
            by: tuple[str, ...] = ()
            for detail in Detail:
                with budget.statistics.spending("conjectures kept"):
                    search = Search(system, known, detail, model, self.solver, budget)
                    model, by = search.model(), (*by, *search.by)
                if not violates_queries(system, model, self.solver):
                    return self._lean(system, Solved(model, tuple(dict.fromkeys(by))), budget)
            return Unknown("the conjectures that are inductive are no model")
        except OutOfTime:
            return Unknown("out of time before the conjectures were sorted out")
        except CannotEvaluate as problem:
            return Unknown(str(problem))

    def _lean(self, system: System, found: Solved, budget: Budget) -> Solved:
        with budget.statistics.spending("conjectures needed"):
            try:
                model, by = lean(system, found.model, self.solver, budget)
            except OutOfTime:
                return found
            return Solved(model, tuple(dict.fromkeys((*found.by, *by))))


def violates_queries(system: System, model: Model, solver: str) -> bool:
    """Whether the model surely is none. What is not decided is left to whoever checks it."""
    judge = make_solver(solver, time_limit=2 * QUERY_SECONDS)
    return any(judge.is_valid(model.condition(system.clauses[number])) is False for number in system.queries)


# --- what of it is inductive ------------------------------------------------------------------------------------------


class Search:
    """The conjectures, weakened until every clause derives them."""

    def __init__(
        self, system: System, known: KnownFacts, detail: Detail, model: Model, solver: str, budget: Budget
    ) -> None:
        self.clauses = [clause for clause in system.clauses if clause.head is not None]
        self.budget = budget
        self.judges = [Judge(clause, solver) for clause in self.clauses]
        self.shown = model  # it is inductive already
        self.using: dict[Predicate, list[int]] = {}
        for number, clause in enumerate(self.clauses):
            for atom in clause.body:
                self.using.setdefault(atom.predicate, []).append(number)
        cases, known_numbers, wrong = regions(system, detail), numbers(system), forbidden(system)
        self.conjectured: dict[Predicate, Conjectured] = {}
        for predicate in system.predicates:
            budget.check()
            rows = [known.fact(n).values for n in known.of.get(predicate, ())]
            found = self.conjectured[predicate] = Conjectured(predicate, rows, cases[predicate], known_numbers, detail)
            if detail is Detail.USES:  # it should follow from the rest; if not, it is conjectured the second time
                found.forget_empty(wrong.get(predicate, ()))
            if detail is Detail.TRIPLES:
                found.forget_empty(cases[predicate])

    def model(self) -> Model:
        waiting = dict.fromkeys(range(len(self.clauses)))
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            if self._weakened(number):
                changed = self._head(self.clauses[number]).predicate
                waiting |= dict.fromkeys(self.using.get(changed, ()))
        self.budget.statistics.predicates = sum(len(one.parts()) for one in self.conjectured.values())
        return Model(
            {
                predicate: and_(self.shown.meanings.get(predicate, TRUE), *one.parts())
                for predicate, one in self.conjectured.items()
            }
        )

    @property
    def by(self) -> tuple[str, ...]:
        """The solvers that the model relies on."""
        return tuple(dict.fromkeys(name for judge in self.judges for name in judge.by))

    def _head(self, clause: Clause) -> Conjectured:
        assert clause.head is not None
        return self.conjectured[clause.head.predicate]

    def _weakened(self, number: int) -> bool:
        """Whether the head's conjectures had to change for this clause to derive them."""
        clause, head = self.clauses[number], self._head(self.clauses[number])
        assert clause.head is not None
        changed = False
        while parts := head.parts():
            premises = [t for atom in clause.body for t in self._told(atom)]
            goals = dict(zip(parts, _instances(parts, clause.head), strict=True))
            answer = self.judges[number].objection(premises, goals, self.budget)
            if answer is None:
                return changed
            changed = True
            if isinstance(answer, NotShown) or not head.weaken(answer):
                head.drop(answer.parts if isinstance(answer, NotShown) else parts)
        return changed

    def _told(self, atom: Atom) -> list[Term]:
        shown = conjuncts(self.shown.meanings.get(atom.predicate, TRUE))
        return _instances([*shown, *self.conjectured[atom.predicate].parts()], atom)


def _instances(parts: Sequence[Term], atom: Atom) -> list[Term]:
    told = dict(zip(atom.predicate.parameters, atom.arguments, strict=True))
    return [substitute(part, told) for part in parts]
