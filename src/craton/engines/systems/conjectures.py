"""Models conjectured from facts: what is true of all facts that were seen may be true of all.

Facts are sampled. They suggest conjectures: simple forms (`engines.guesses`), of which Houdini keeps what is inductive,
and linear equations, everywhere and in the regions in which clauses look at a predicate. Of equations the best that is
inductive is found: each counterexample to a clause joins the affine hull of its region (the best transformer by
sampling, Reps, Sagiv and Yorsh), until there is none. So two programs that go in step, one an iteration ahead, are
found to do so, however their numbers wrap around.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from craton.engines.affine import Equation, Hull, beyond
from craton.engines.contract import Budget, OutOfTime, Unknown
from craton.engines.guesses import simple_facts
from craton.engines.systems.bounds import bounds, numbers
from craton.engines.systems.contract import Contradicted, Solved, SystemAnswer, SystemEngine
from craton.engines.systems.facts import KnownFacts
from craton.engines.systems.lean import lean
from craton.engines.systems.linear import shown_by_sums
from craton.engines.systems.regions import Detail, Region, forbidden, regions
from craton.engines.systems.sampling import sampled
from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.models import EMPTY, Model
from craton.logic import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    BitVec,
    Sort,
    Term,
    Value,
    add,
    and_,
    bv,
    bvadd,
    bvmul,
    conjuncts,
    eq,
    evaluate,
    implies,
    int_,
    mul,
    not_,
    substitute,
)
from craton.logic.evaluation import CannotEvaluate
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver

SAMPLING = 2.0  # seconds
QUERY_SECONDS, SECOND_SECONDS = 0.5, 2.0
SECOND = "bitwuzla"
MOST_IN_CASES = 250

Row = tuple[Value, ...]


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


# --- what is conjectured of a predicate -------------------------------------------------------------------------------


class Conjectured:
    """The conjectures about a predicate; they are true of every row that was added."""

    def __init__(
        self,
        predicate: Predicate,
        rows: Sequence[Row],
        cases: Sequence[Region],
        known: dict[Sort, list[int]],
        by_cases: Detail,
    ) -> None:
        self.predicate = predicate
        self.forms: list[Term] = [FALSE]
        self.hulls: list[_EquationsIn] = []
        if rows:
            parameters = predicate.parameters
            columns = [i for i, p in enumerate(parameters) if p.sort in (INT, BOOL) or isinstance(p.sort, BitVec)]
            distinct = {(parameters[i].sort, tuple(row[i] for row in rows)): i for i in reversed(columns)}
            columns = sorted(distinct.values())  # that columns are equal is what hulls tell
            named, table = [parameters[i] for i in columns], [tuple(row[i] for i in columns) for row in rows]
            told = dict.fromkeys((*simple_facts(named, table), *bounds(named, table, known)))
            self.forms = [form for form in told if form not in (TRUE, FALSE)]
            if by_cases is Detail.PAIRS:
                self.forms += _in_cases(predicate, columns, rows, cases, told)
            ordered = sorted(cases, key=len)
            self.hulls = [_EquationsIn(predicate, case, sort) for sort in _numbers(predicate) for case in ordered]
            for row in rows:
                self._join(row)

    def forget_empty(self, cases: Collection[Region]) -> None:
        """No longer conjectures of these regions that there is nothing in them."""
        wanted = {frozenset(case) for case in cases}
        self.hulls = [one for one in self.hulls if one.case not in wanted or one.hull.equations is not None]

    def parts(self) -> list[Term]:
        """What holds in a region is not said again of a smaller one."""
        found = list(self.forms)
        for place, one in enumerate(self.hulls):
            larger = [other for other in self.hulls[:place] if other.sort is one.sort and other.case < one.case]
            found += [implies(one.condition, equation) for equation in one.beyond(larger)]
        return list(dict.fromkeys(part for part in found if part is not TRUE))

    def weaken(self, row: Row) -> bool:
        """Whether the conjectures changed so that they are true of the row."""
        values = dict(zip(self.predicate.parameters, row, strict=True))
        kept = [form for form in self.forms if evaluate(form, values) is True]
        changed = len(kept) < len(self.forms)
        self.forms = kept
        return self._join(row) or changed

    def _join(self, row: Row) -> bool:
        values = dict(zip(self.predicate.parameters, row, strict=True))
        return sum(one.join(row, values) for one in self.hulls) > 0

    def drop(self, wrong: Iterable[Term]) -> None:
        """Gives up what cannot be shown, and cannot be weakened either."""
        lost = set(wrong)
        self.forms = [form for form in self.forms if form not in lost]
        self.hulls = [one for one in self.hulls if lost.isdisjoint(one.told())]


def _in_cases(
    predicate: Predicate,
    columns: Sequence[int],
    rows: Sequence[Row],
    cases: Sequence[Region],
    everywhere: Collection[Term],
) -> Iterator[Term]:
    """Orders and bounds of integers that hold in regions of one literal, and not everywhere."""
    places = [i for i in columns if predicate.parameters[i].sort is INT]
    named = [predicate.parameters[i] for i in places]
    found: dict[Term, None] = {}
    for case in cases:
        if len(case) == 1 and len(found) < MOST_IN_CASES:
            inside = [row for row in rows if _is_in(row, predicate, case[0])]
            forms = simple_facts(named, [tuple(row[i] for i in places) for row in inside]) if inside else ()
            found |= {implies(case[0], form): None for form in forms if form not in everywhere}
    yield from (form for form in found if form is not TRUE)


def _is_in(row: Row, predicate: Predicate, literal: Term) -> bool:
    return evaluate(literal, dict(zip(predicate.parameters, row, strict=True))) is True


class _EquationsIn:
    """The equations between arguments of one sort that hold in a region."""

    def __init__(self, predicate: Predicate, case: Region, sort: Sort) -> None:
        self.case = frozenset(case)
        self.condition = and_(*case)
        self.sort = sort
        self.places = [i for i, p in enumerate(predicate.parameters) if p.sort is sort]
        self.columns = [predicate.parameters[i] for i in self.places]
        self.hull = Hull(len(self.places), sort.width if isinstance(sort, BitVec) else None)
        self._told: dict[Equation, Term] = {}

    def beyond(self, larger: Sequence[_EquationsIn]) -> list[Term]:
        """The equations that do not follow from those of larger regions."""
        if self.hull.equations is None:
            return [FALSE]
        known = [equation for other in larger for equation in other.hull.equations or ()]
        return self._written(beyond(self.hull.equations, known, self.hull.width))

    def _written(self, equations: Sequence[Equation]) -> list[Term]:
        for equation in equations:
            if equation not in self._told:
                self._told[equation] = _equation(equation, self.columns)
        return [self._told[equation] for equation in equations]

    def told(self) -> list[Term]:
        if self.hull.equations is None:
            return [not_(self.condition)]
        return [implies(self.condition, e) for e in self._written(self.hull.equations)]

    def join(self, row: Row, values: dict[Term, Value]) -> bool:
        if evaluate(self.condition, values) is not True:
            return False
        return self.hull.add([row[i] for i in self.places])


def _numbers(predicate: Predicate) -> list[Sort]:
    return list(dict.fromkeys(p.sort for p in predicate.parameters if p.sort is INT or isinstance(p.sort, BitVec)))


def _equation(equation: Equation, columns: Sequence[Term]) -> Term:
    """Positive terms on the left, negative ones on the right."""
    sides: tuple[list[Term], list[Term]] = ([], [])
    for coefficient, column in zip(equation, (*columns, None), strict=True):
        if coefficient:
            sides[coefficient < 0].append(_times(abs(coefficient), column, columns[0].sort))
    left, right = (reduce(_sum, side, _number(0, columns[0].sort)) for side in sides)
    return eq(left, right)


def _times(coefficient: int, column: Term | None, sort: Sort) -> Term:
    number = _number(coefficient, sort)
    if column is None:
        return number
    return bvmul(number, column) if isinstance(sort, BitVec) else mul(number, column)


def _number(number: int, sort: Sort) -> Term:
    return bv(number, sort.width) if isinstance(sort, BitVec) else int_(number)


def _sum(a: Term, b: Term) -> Term:
    return bvadd(a, b) if isinstance(a.sort, BitVec) else add(a, b)


# --- what of it is inductive ------------------------------------------------------------------------------------------


class Search:
    """The conjectures, weakened until every clause derives them."""

    def __init__(
        self, system: System, known: KnownFacts, detail: Detail, model: Model, solver: str, budget: Budget
    ) -> None:
        self.clauses = [clause for clause in system.clauses if clause.head is not None]
        self.budget = budget
        self.judges = [_Judge(clause, solver) for clause in self.clauses]
        self.shown = model  # it is inductive already
        cases, known_numbers = regions(system, detail), numbers(system)
        self.conjectured: dict[Predicate, Conjectured] = {}
        for predicate in system.predicates:
            rows = [known.fact(n).values for n in known.of.get(predicate, ())]
            found = self.conjectured[predicate] = Conjectured(predicate, rows, cases[predicate], known_numbers, detail)
            if detail is Detail.USES:  # it should follow from the rest; if not, it is conjectured the second time
                found.forget_empty(forbidden(system, predicate))
            if detail is Detail.TRIPLES:
                found.forget_empty(cases[predicate])

    def model(self) -> Model:
        waiting = dict.fromkeys(range(len(self.clauses)))
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            if self._weakened(number):
                changed = self._head(self.clauses[number]).predicate
                using = (n for n, c in enumerate(self.clauses) if any(a.predicate == changed for a in c.body))
                waiting |= dict.fromkeys(using)
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
            if isinstance(answer, _NotShown) or not head.weaken(answer):
                head.drop(answer.parts if isinstance(answer, _NotShown) else parts)
        return changed

    def _told(self, atom: Atom) -> list[Term]:
        shown = conjuncts(self.shown.meanings.get(atom.predicate, TRUE))
        return _instances([*shown, *self.conjectured[atom.predicate].parts()], atom)


@dataclass(frozen=True, slots=True)
class _NotShown:
    """Conjectures about which no solver has an answer in time."""

    parts: tuple[Term, ...]


class _Judge:
    """Whether a clause derives conjectures: all at once, and one by one from when that was too hard. Which premises
    were needed is remembered. What the first solver does not decide soon, another one does for bits.
    """

    def __init__(self, clause: Clause, solver: str) -> None:
        self.clause = clause
        self.by: set[str] = set()
        self._solver = make_solver(solver, time_limit=QUERY_SECONDS)
        self._solver.add(clause.constraint)
        self._has_bits_only = all(isinstance(v.sort, BitVec) or v.sort is BOOL for v in clause.variables)
        self._at_once = True
        self._needed: dict[Term, frozenset[Term]] = {}  # by goal, premises that imply it

    def objection(self, premises: Sequence[Term], goals: Mapping[Term, Term], budget: Budget) -> Row | _NotShown | None:
        """A head that follows though not all goals are true of it; None if there is none. Goals are by conjecture.
        A goal that is shown is a premise of those behind it.
        """
        budget.check()
        shown = dict.fromkeys(premises)
        open_ = {part: goal for part, goal in goals.items() if not self._is_shown(shown, goal)}
        if self._at_once and open_:
            answer = self._asked(self._solver, tuple(shown), and_(*open_.values()))
            if not isinstance(answer, Undecided):
                return None if isinstance(answer, Unsat) else answer
            self._at_once = False
        stuck: list[Term] = []
        for part, goal in open_.items():
            budget.check()
            if self._is_shown(shown, goal):
                continue
            answer = self._one(tuple(shown), goal)
            if isinstance(answer, Undecided):
                stuck.append(part)
            elif isinstance(answer, Unsat):
                self._needed[goal] = frozenset(answer.core.assumptions).intersection(shown)
                shown[goal] = None
            else:
                return answer
        return _NotShown(tuple(stuck)) if stuck else None

    def _is_shown(self, known: dict[Term, None], goal: Term) -> bool:
        """Whether the goal follows without asking; then it is known, too."""
        if goal not in self._needed or not self._needed[goal] <= known.keys():
            enough = shown_by_sums([self.clause.constraint], known, goal)
            if enough is None:
                return False
            self._needed[goal] = enough
        known[goal] = None
        return True

    def _one(self, premises: Sequence[Term], goal: Term) -> Row | Unsat | Undecided:
        answer = self._asked(self._solver, premises, goal)
        if isinstance(answer, Undecided) and self._has_bits_only:
            with make_solver(SECOND, time_limit=SECOND_SECONDS) as second:
                second.add(self.clause.constraint)
                return self._asked(second, premises, goal)
        return answer

    def _asked(self, solver: Solver, premises: Sequence[Term], goal: Term) -> Row | Unsat | Undecided:
        answer = solver.check(*premises, not_(goal))
        if isinstance(answer, Unsat):
            answer.core  # noqa: B018 - read while the solver has it
            self.by.add(solver.name)
        if not isinstance(answer, Sat):
            return answer
        assert self.clause.head is not None
        try:
            return tuple(evaluate(argument, answer.model) for argument in self.clause.head.arguments)
        except CannotEvaluate as problem:
            return Undecided(str(problem))


def _instances(parts: Sequence[Term], atom: Atom) -> list[Term]:
    told = dict(zip(atom.predicate.parameters, atom.arguments, strict=True))
    return [substitute(part, told) for part in parts]
