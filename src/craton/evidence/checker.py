"""The checker: is an annotation of a program with invariants a proof? Asked of solvers that the engine did not use.

Every TRUE has passed here, be it of `craton verify` or of `craton check`. What has to be trusted for it is this file,
`conditions` (which says what has to be shown, and why that is a proof), what makes questions easier (`state_questions`,
`state_ways`, `elements`, `cases`, `logic.instances`), the front ends and the passes that rebuild the program
(`program.preparation`, `program.blocks`, `program.transitions`), and one of the solvers; or, but for the paranoid, what
decides without one: bounds (`state_bounds`), tables (`state_tables`, `state_orders`, `smaller_questions` and
`logic.columns`; of all cases: `smt.tables`), and ranges (`smt.intervals.narrowing`), which engines use, too. Whoever
rests on these is told so. No engine is trusted, and none is imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from craton.errors import CratonError, MissingCapability
from craton.evidence.cases import cases_by_conditions
from craton.evidence.conditions import MOST_PATHS, Annotation, Condition, EdgePath
from craton.evidence.state_bounds import BOUNDS, bounds_contradict
from craton.evidence.state_questions import StateQuestions
from craton.evidence.state_tables import TABLES, StateTables
from craton.evidence.state_ways import connected
from craton.logic import (
    FALSE,
    Term,
    alternatives,
    conjuncts,
    disjuncts,
    free_variables,
    is_quantified,
    not_,
    or_,
    size,
)
from craton.logic.elements import without_arrays
from craton.logic.instances import cases_of_indices, instantiated
from craton.logic.sorts import Float
from craton.logic.walk import post_order
from craton.processes.running_time import running_time
from craton.program.cfa import Edge, Location, Program
from craton.smt import Answer, Sat, Solver, Unsat, make_solver
from craton.smt.intervals.narrowing import RANGES, in_fewer_bits
from craton.smt.registry import OVER_INTEGERS

# In the order they are tried; one that cannot speak of a condition is left out.
ALL_CASES = "truth-tables"  # computed by us: one opinion, but not of those that the paranoid ask for
CHECKERS = ("bitwuzla", "z3", "intervals", ALL_CASES, OVER_INTEGERS, "cvc5")
# One that heeds no limit while it prepares large conditions: it is asked when all others have had their tries.
_HEEDLESS, _LARGE = OVER_INTEGERS, 4000  # nodes
# It takes them up to a second to prepare a question about floats, whatever their limit is: not asked at first.
_SLOW_WITH_FLOATS = (OVER_INTEGERS, "cvc5")
_OF_FLOATS = "intervals"  # knows in milliseconds, or heeds its limit, as those who make gates of floats do not
_TRIES = (0.1, 0.3, 1.0, 4.0)  # seconds for each of them, before they get all the time there is
_PATIENT = (*_TRIES, None)
_OF_LEADER = (0.3, 2.0)  # for who has shown most and is asked alone
_QUICK = _TRIES[:3]  # where another question will do as well
_SHORT = 0.3  # seconds: with more, instances are asked about without arrays only, and element by element
_SHORTEST = _TRIES[0]  # seconds: with no more, only those are asked who are likely to know …
_LIKELY = 1  # … this many more than have to agree …
_PROVEN = 8  # … and, once somebody has shown so many, only those who have shown something
_KEEPING = ("bitwuzla", "cvc5")  # that answer sooner what they are asked of the same premise again
_FEW = 3  # parts of what is to be shown: more are asked for one by one


# --- proofs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Flaw:
    """A condition of the proof that does not hold or, if not `decided`, could not be shown to."""

    edge: Edge | None
    problem: str
    decided: bool = True

    def __str__(self) -> str:
        return self.problem


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Every condition holds; with the solvers that said so, none if there was nothing to ask."""

    by: tuple[str, ...]
    conditions: int


def check_proof(
    program: Program,
    invariants: Mapping[Location, Term],
    checkers: Sequence[str],
    seconds: float | None = None,
    *,
    opinions: int = 1,
) -> Flaw | Confirmed:
    """The first flaw of an inductive proof, if it has one."""
    return check_annotation(Annotation(program, invariants), checkers, seconds, opinions=opinions)


def check_annotation(
    annotation: Annotation, checkers: Sequence[str], seconds: float | None = None, *, opinions: int = 1
) -> Flaw | Confirmed:
    """The first flaw of the annotation, if it has one. Each condition must be shown by as many different solvers as
    `opinions` says.
    """
    for location, invariant in annotation.invariants.items():
        for variable in sorted(free_variables(invariant) - annotation.known, key=lambda v: v.serial):
            problem = f"the invariant of {location} speaks of {variable.name}, which is no variable of the program"
            return Flaw(None, problem)
    with closing(_Panel(checkers, None if seconds is None else running_time() + seconds, opinions)) as panel:
        return _Check(annotation, panel).result()


@dataclass(frozen=True, slots=True)
class Question:
    """Formulas that are to contradict each other; what is said if they do not, and if nobody can tell."""

    formulas: tuple[Term, ...]
    failed: str
    open: str


def check_questions(
    questions: Sequence[Question],
    checkers: Sequence[str],
    seconds: float | None = None,
    *,
    opinions: int = 1,
    alike: bool = False,
) -> Flaw | Confirmed:
    """The first question that is not answered as it should be, if there is one: proofs without a program. If all are
    `alike`, who has answered some is asked alone first.
    """
    with closing(_Panel(checkers, None if seconds is None else running_time() + seconds, opinions)) as panel:
        for question in questions:
            if panel.late:
                return _late(None)
            led = alike and panel.shown_by_leader(question.formulas)
            holds = led or panel.contradictory(question.formulas, _PATIENT)
            if holds is not True:
                return Flaw(None, question.open if holds is None else question.failed, decided=holds is False)
        return Confirmed(tuple(panel.believed), len(questions))


class _Check:
    """One annotation before one panel.

    The conditions of k-induction speak of all paths of k edges. They are shown from behind: what holds along the last
    edges of a path holds along all that end with them, so paths grow backwards only as far as it takes.
    """

    def __init__(self, annotation: Annotation, panel: _Panel) -> None:
        self.annotation = annotation
        self.panel = panel
        self.asked = 0
        self.shown = 0
        self.known: dict[tuple[Term, ...], bool] = {}
        self.by_bounds: dict[tuple[Term, ...], bool] = {}
        self.tables: dict[Term, StateTables] = {}

    def result(self) -> Flaw | Confirmed:
        for condition in self.annotation.start():
            flaw = self._flaw(condition)
            if flaw is not None:
                return flaw
        for edge in self.annotation.program.main.edges:
            flaw = self._flaw_along_paths_with(edge)
            if flaw is not None:
                return flaw
        return Confirmed(tuple(self.panel.believed), self.shown)

    def _flaw_along_paths_with(self, last: Edge) -> Flaw | None:
        states = self.annotation.by_states(last, with_bounds=self.panel.opinions == 1)
        if states is not None:
            return self._flaw_of_states(last, states)
        waiting: list[EdgePath] = [(last,)]
        while waiting:
            if self.panel.late:
                return _late(last)
            path = waiting.pop()
            complete = self.annotation.complete(path)
            flaw = self._flaw(self.annotation.along(path), _PATIENT if complete else _QUICK)
            if flaw is None:
                continue
            if complete:
                return flaw
            self.asked += 1
            if self.asked > MOST_PATHS:
                return Flaw(last, f"there are more than {MOST_PATHS} paths to look at", decided=False)
            waiting.extend(self.annotation.earlier(path))
        return None

    def _flaw_of_states(self, edge: Edge, states: StateQuestions) -> Flaw | None:
        """Of an edge between invariants that are sets of states, one state after the other."""
        for question in states.questions():
            if self.panel.late:
                return _late(edge)
            said = (question.state, question.rest)
            at_once = self._shown_of_terms(said) if question.of_terms else self._shown_by_bounds(said, question.guard)
            if not at_once and not all(self._remembered(case, _PATIENT) for case in question.cases(self._follows)):
                holds = self.panel.contradictory((question.state, question.rest, question.guard), _PATIENT)
                if holds is not True:
                    condition = self.annotation.along((edge,))
                    return Flaw(edge, condition.open if holds is None else condition.failed, decided=holds is False)
            self.shown += 1
        if states.ways.rest_on_bounds:
            self.panel.believed[BOUNDS] = None
        return None

    def _shown_of_terms(self, formulas: tuple[Term, Term]) -> bool:
        """What a state says of terms is said by many states. Tables are one opinion, and not one of a solver."""
        premise, rest = formulas
        if self.panel.opinions == 1:
            if premise not in self.tables:
                self.tables[premise] = StateTables(premise)
            if self.tables[premise].contradict(rest):
                self.panel.believed[TABLES] = None
                return True
        if formulas not in self.known:
            self.known[formulas] = self.panel.contradicts(*formulas, _TRIES[1:])
        return self.known[formulas]

    def _shown_by_bounds(self, formulas: tuple[Term, Term], guard: Term) -> bool:
        """What else there is, is looked at if that is not enough. That is one opinion, and not one of a solver."""
        if self.panel.opinions > 1:
            return False
        state, rest = formulas
        asked = rest, *connected(conjuncts(state), rest)
        if asked not in self.by_bounds:
            self.by_bounds[asked] = bounds_contradict(asked)
        shown = self.by_bounds[asked] or bounds_contradict((*formulas, guard))
        if shown:
            self.panel.believed[BOUNDS] = None
        return shown

    def _follows(self, premise: Term, formula: Term) -> bool:
        return self._remembered((premise, not_(formula)), _QUICK)

    def _remembered(self, formulas: tuple[Term, ...], limits: Sequence[float | None]) -> bool:
        """Whether formulas are known to be contradictory. States that differ in what does not matter ask the same."""
        if formulas not in self.known:
            self.known[formulas] = self.panel.contradictory(formulas, limits) is True
        return self.known[formulas]

    def _flaw(self, condition: Condition, limits: Sequence[float | None] = _PATIENT) -> Flaw | None:
        if self.panel.late:
            return _late(condition.edge)
        holds = self.panel.contradictory([formula for _, formula in condition.formulas], limits)
        if holds is False:
            return Flaw(condition.edge, condition.failed)
        if holds is None:
            return Flaw(condition.edge, condition.open, decided=False)
        self.shown += 1
        return None


def _late(edge: Edge | None) -> Flaw:
    return Flaw(edge, "no time left to check the proof", decided=False)


def find_flaw(
    program: Program, invariants: Mapping[Location, Term], checkers: Sequence[str], seconds: float | None = None
) -> Flaw | None:
    """The first flaw of the proof; None if it is one."""
    found = check_proof(program, invariants, checkers, seconds)
    return found if isinstance(found, Flaw) else None


class _Panel:
    """Solvers that are asked one after the other, until enough of them have shown a condition. One that has a
    counterexample decides the question the other way.
    """

    def __init__(self, members: Sequence[str], deadline: float | None, opinions: int) -> None:
        self.members = members
        self.deadline = deadline
        self.opinions = opinions
        self.believed: dict[str, None] = {}
        self.shown = Counter[str]()
        self.failed = Counter[str]()
        self.in_vain = set[str]()  # leaders that could not show something
        self.plain_is_easier = False  # what was decided last was so when it was freed of arrays
        self.kept: dict[str, tuple[Term, Solver]] = {}  # with the premise that they have been told

    def close(self) -> None:
        while self.kept:
            self.kept.popitem()[1][1].close()

    @property
    def left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - running_time())

    @property
    def late(self) -> bool:
        return self.left == 0.0

    def contradictory(self, formulas: Sequence[Term], limits: Sequence[float | None]) -> bool | None:
        """None if nobody, or not enough of them, can tell within limits of seconds that are tried one after the other.
        What is not told at once is asked case by case.
        """
        if FALSE in formulas:
            return True
        if any(map(is_quantified, formulas)):
            rest = self._not_shown_of_some(formulas)
            if not rest:
                return True
            formulas = (*formulas[:-1], or_(*rest))
        cases, goals = disjuncts(formulas[0]), alternatives(formulas[-1])
        apart = cases_by_conditions(formulas) if len(limits) > len(_QUICK) else []
        if len(cases) == 1 and not apart and (len(goals) == 1 or len(limits) <= len(_QUICK)):
            return self._tried(formulas, limits)
        answer = self._tried(formulas, limits[: len(_QUICK)])
        if answer is not None or self.late:
            return answer
        if apart:
            return self._all_tried(((*case[:-1], part) for case in apart for part in alternatives(case[-1])), limits)
        if len(cases) > 1:
            return self._all_tried(((case, *formulas[1:]) for case in cases), limits)
        return self._all_tried(((*formulas[:-1], goal) for goal in goals), limits)

    def _all_tried(self, cases: Iterable[Sequence[Term]], limits: Sequence[float | None]) -> bool | None:
        """True if all of the cases are contradictory."""
        for formulas in cases:
            answer = self._tried(formulas, limits)
            if not answer:
                return answer
        return True

    def shown_by_leader(self, formulas: Sequence[Term]) -> bool:
        """Whether the one who has shown the most shows this alone, since others would only take the same time again.
        Not if several are to agree, nor after it was tried in vain.
        """
        leader = max(self.members, key=lambda member: self.shown[member], default="")
        if self.opinions > 1 or not self.shown[leader] or leader in self.in_vain:
            return False
        with suppress(MissingCapability):
            for limit in _OF_LEADER:
                if isinstance(self._answer(leader, formulas, self._within(limit), keeping=False), Unsat):
                    self.believed[leader] = None
                    self.shown[leader] += 1
                    return True
        self.in_vain.add(leader)
        return False

    def _within(self, limit: float) -> float:
        return limit if self.left is None else min(limit, self.left)

    def contradicts(self, premise: Term, formula: Term, limits: Sequence[float]) -> bool:
        """Whether a formula is shown to contradict a premise that other questions share."""
        return any(self._asked((premise, formula), limit, shared=True) is True for limit in limits if not self.late)

    def _not_shown_of_some(self, formulas: Sequence[Term]) -> list[Term]:
        """The parts of what is to follow for which instances of what holds of all are not shown to be enough, or for
        which there are none: one after the other, if they are many. What is shown once is not asked again.
        """
        *known, goal = formulas
        parts = alternatives(goal)
        if len(parts) <= _FEW and self._shown_of_some((*known, goal), _TRIES[0]):
            return []
        waiting, refused = list(parts), list[Term]()
        for limit in _TRIES:
            answers = {part: self._shown_of_some((*known, part), limit) for part in waiting}
            refused += [part for part, answer in answers.items() if answer is False]
            waiting = [part for part, answer in answers.items() if answer is None]
        return [*refused, *waiting]

    def _shown_of_some(self, formulas: Sequence[Term], limit: float) -> bool | None:
        """By their instances, as they are and freed of arrays; at last for elements that were written and others one
        by one. False if the instances do not contradict each other. They are many, and alike: few solvers are asked.
        """
        some = instantiated(formulas)
        if some is None:
            return False if any(map(is_quantified, formulas)) else self._tried(formulas, (limit,))
        answer: bool | None = None
        for freed in (True, False) if self.plain_is_easier else (False, True):
            if answer is None and (limit <= _SHORT or freed):
                way = without_arrays(some) if freed else some
                if way is not None:
                    answer = self._tried(way, (limit,) if limit <= _SHORT else (_TRIES[0], limit), short=_SHORT)
                if answer is not None:
                    self.plain_is_easier = freed
        if answer is None and limit > _SHORT:
            cases = cases_of_indices(some)
            answer = all(self._tried(case, (limit,)) is True for case in cases) or None
        return answer

    def _tried(self, formulas: Sequence[Term], limits: Sequence[float | None], short: float = _SHORTEST) -> bool | None:
        narrowed: Sequence[Term] | None = None
        for number, limit in enumerate(limits):
            answer = self._asked(narrowed or formulas, limit, short=short)
            if answer and narrowed:
                self.believed[RANGES] = None
            if answer is not None or self.late:
                return answer
            if number == 0 and self.opinions == 1:  # several are to rest on nothing that they have in common
                narrowed = in_fewer_bits(formulas)
        return None

    def _asked(
        self, formulas: Sequence[Term], limit: float | None, shared: bool = False, short: float = _SHORTEST
    ) -> bool | None:
        """Each of them, with a limit of seconds, or a few if it is short; who has shown the most before comes first. If
        other questions share the first formula, before them those that keep it.
        """
        shown: set[str] = set()
        is_large = limit is not None and any(size(formula, _LARGE) > _LARGE for formula in formulas)
        passed_over = {_HEEDLESS} if is_large else set[str]()
        passed_over.update([ALL_CASES] if self.opinions > 1 else [])
        ahead = False
        if limit == _TRIES[0] and _speak_of_floats(formulas):
            passed_over.update(_SLOW_WITH_FLOATS)
            ahead = self.failed[_OF_FLOATS] <= self.shown[_OF_FLOATS] + _FEW
        places = self.opinions + _LIKELY if limit is not None and limit <= short else len(self.members)

        def place(member: str) -> tuple[bool, bool, int]:
            return not ahead or member != _OF_FLOATS, shared and member not in _KEEPING, -self.shown[member]

        for name in sorted(self.members, key=place):
            if family(name) in shown or name in passed_over:
                continue
            if places == 0 or (places <= _LIKELY and self._never_likely(name)):
                break
            if self.late:
                return None
            limits = [seconds for seconds in (limit, self.left) if seconds is not None]
            try:
                answer = self._answer(name, formulas, min(limits, default=None), shared and name in _KEEPING)
            except MissingCapability:
                continue
            places -= name != _OF_FLOATS  # which knows at once whether a question is for it
            if isinstance(answer, Sat):
                return False
            if isinstance(answer, Unsat):
                self.believed[name] = None
                self.shown[name] += 1
                shown.add(family(name))
                if len(shown) == self.opinions:
                    return True
            else:
                self.failed[name] += 1
        return None

    def _never_likely(self, name: str) -> bool:
        """Whether somebody has shown a lot, and this one nothing."""
        return not self.shown[name] and max(self.shown.values(), default=0) >= _PROVEN

    def _answer(self, name: str, formulas: Sequence[Term], seconds: float | None, keeping: bool) -> Answer:
        """A new solver's; or, where that is worth it, of one that knows the first formula already, and what it has
        learned of it. The others are assumptions: they count for this question only.
        """
        if not keeping:
            with make_checker(name, seconds) as solver:
                solver.add(*formulas)
                return solver.check()
        premise, *others = formulas
        if name not in self.kept or self.kept[name][0] is not premise:
            if name in self.kept:
                self.kept.pop(name)[1].close()
            told = make_checker(name, None)
            told.add(premise)
            self.kept[name] = premise, told
        return self.kept[name][1].check(*others, time_limit=seconds)


def _speak_of_floats(formulas: Sequence[Term]) -> bool:
    return any(isinstance(node.sort, Float) for node in post_order(*formulas))


def family(solver: str) -> str:
    """What a solver is, however it is asked: cvc5 over integers is cvc5 still, and so is /usr/bin/cvc5 --quiet."""
    return solver.split(" ", 1)[0].rsplit("/", 1)[-1]


def others(solvers: tuple[str, ...]) -> tuple[str, ...]:
    """The checkers of a proof that rests on the word of these solvers."""
    return independent_of(solvers, CHECKERS)


def independent_of(solvers: tuple[str, ...], candidates: Sequence[str]) -> tuple[str, ...]:
    """Those of the candidates that are of no family of these solvers."""
    families = set(map(family, solvers))
    return tuple(name for name in candidates if family(name) not in families)


def make_checker(name: str, seconds: float | None) -> Solver:
    if name == "intervals":
        from craton.smt.intervals.solver import IntervalSolver

        return IntervalSolver(time_limit=seconds)
    if name == ALL_CASES:
        from craton.smt.tables.solver import TableSolver

        return TableSolver(time_limit=seconds)
    return make_solver(name, time_limit=seconds)


def chosen_checkers(found_with: tuple[str, ...], solvers: Sequence[str] | None, paranoid: bool) -> tuple[str, ...]:
    """Who is asked: no solver on whose word the proof rests, but as the second opinion of the paranoid."""
    if solvers:
        for name in solvers:
            make_checker(name, None).close()
        chosen = tuple(solvers)
    else:
        chosen = (*others(found_with), *(name for name in CHECKERS if name not in others(found_with)))
    independent = independent_of(found_with, chosen)
    if not independent:
        named = " and ".join(found_with)
        raise CratonError(f"the proof was found with {named}: it takes another solver to check it")
    if not paranoid:
        return independent
    # Of two different ones, one must be independent: so all others are of one family.
    rest = [name for name in chosen if name not in independent]
    asked = (*independent, *(name for name in rest if family(name) == family(rest[0])))
    if len(set(map(family, asked))) < 2:
        raise CratonError(f"--paranoid takes two different solvers, and there is only {', '.join(chosen)}")
    return tuple(name for name in chosen if name in asked)
