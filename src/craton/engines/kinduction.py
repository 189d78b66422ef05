"""k-induction (Sheeran, Singh, Stålmarck 2000), with facts, gauges and conjectures as auxiliary invariants.

An error is looked at from behind: paths that end with it grow backwards, edge by edge, as long as they can be executed
from any state that satisfies the invariants known so far. A path that grew back to the entry is a counterexample. If no
path of k edges can be executed any more, the invariants are k-inductive: that is the proof, and the checker sees it in
the same way. So base case and step are one search, and only what leads to an error is unrolled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from craton.engines.conjectures import FAILURES, QUERY_SECONDS, Conjectures, divides_by_variables
from craton.engines.contract import Budget, Engine, EngineAnswer, Lemma, OutOfTime, Progress, Safe, Unknown, Unsafe
from craton.engines.phases import phases
from craton.errors import MissingCapability
from craton.facts import facts
from craton.facts.cases import exclude_each_other, speak_of_floats
from craton.logic import TRUE, Float, Term, and_, conjuncts, free_variables, size, substitute
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import NoTransition, Transition, transition
from craton.registry import flag, keyed_number
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver
from craton.smt.intervals.search import without_definitions
from craton.smt.registry import OVER_INTEGERS
from craton.traces.trace import Trace, TraceFormula

FIRST = 2  # so many edges are tried with facts alone, before conjectures are made
MOST_PATHS = 2_000  # of one length; the checker looks at ten times as many, of all lengths
FACTS_SHARE = 0.2  # of the time that is left
GAUGES_SHARE = 0.2
PHASES_SHARE = 0.1  # each
CONJECTURES_SHARE = 0.3
LARGE = 4000  # nodes of all steps: cvc5 heeds no limit while it prepares large questions

Invariants = Mapping[Location, Term]
EdgePath = tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class KInduction(Engine):
    """Paths to errors, unrolled backwards until none can be executed (at most k edges), between invariants that facts,
    gauges of loops and conjectures give (plain: facts only); needs no refiner.
    """

    word: ClassVar[str] = "kinduction"

    plain: bool = flag("plain")
    most: int | None = keyed_number(None, "k")
    solver: str = "z3"
    seed: int = 0
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        try:
            with budget.statistics.spending("facts"):
                told = facts(program, _share(budget, FACTS_SHARE))
                shorter = _without_excluded_edges(program, told, _share(budget, FACTS_SHARE))
                if shorter is not None:
                    program, told = shorter, facts(shorter, _share(budget, FACTS_SHARE))
            invariants = {location: and_(*parts) for location, parts in told.items() if location not in program.errors}
            if not any(location in told for location in program.errors):
                return Safe(invariants, ())
            known = _Known(invariants, ())  # shown without a solver
            if not self.plain:
                few = FIRST if self.most is None else min(FIRST, self.most)
                first = _Unrolling(self, program, known, budget, QUERY_SECONDS).run(few)
                if not isinstance(first, Unknown):
                    return first
                for engine, share in self._guessing:
                    found = _with_conjectures(program, known, engine, budget, _share(budget, share))
                    if not isinstance(found, Safe) and engine.gauges:
                        found = _in_phases(program, engine, budget, _share(budget, PHASES_SHARE)) or found
                    if isinstance(found, Safe):
                        return found
                    known = found
            budget.tell(Lemma(known.invariants, known.by))
            return _Unrolling(self, program, known, budget).run(self.most)
        except OutOfTime:
            return Unknown("out of time, no k is enough so far")
        except (MissingCapability, NoTransition) as problem:
            return Unknown(str(problem))

    @property
    def _guessing(self) -> tuple[tuple[Conjectures, float], ...]:
        """What is linear comes first, by the solver that is quickest with sums in bits."""
        return (
            (Conjectures(gauges=True, solver="bitwuzla", seed=self.seed), GAUGES_SHARE),
            (Conjectures(solver=self.solver, seed=self.seed), CONJECTURES_SHARE),
        )


@dataclass(frozen=True, slots=True)
class _Known:
    """Invariants, and on whose word they rest."""

    invariants: Invariants
    by: tuple[str, ...]


def _with_conjectures(
    program: Program, known: _Known, engine: Conjectures, budget: Budget, seconds: float | None
) -> _Known | Safe:
    """What is known with conjectures that are inductive together; the needed ones, if all of them are a proof."""
    try:
        steps = {edge: transition(edge.statement) for edge in program.main.edges}
        if _is_for_integers(steps.values()):
            engine = replace(engine, solver=OVER_INTEGERS)
        with make_solver(engine.solver, time_limit=QUERY_SECONDS) as solver:
            kept = engine.kept(program, steps, solver, Budget(seconds, statistics=budget.statistics))
            if not kept:
                return known
            both = {x: [*conjuncts(one), *kept[x]] for x, one in known.invariants.items() if x in kept}
            found = engine.verdict(program, steps, both, solver)
    except (OutOfTime, *FAILURES):
        return known
    by = tuple(dict.fromkeys((*known.by, engine.solver)))
    if isinstance(found, Safe):
        return replace(found, by=by)
    if engine.gauges and any(isinstance(x.sort, Float) for step in steps.values() for x in step.written):
        return known  # bitwuzla's word would cost the best checker of what is said about floats
    return _Known({x: and_(*dict.fromkeys(parts)) for x, parts in both.items()}, by)


def _is_for_integers(steps: Collection[Transition]) -> bool:
    """Whether numbers are divided by variables, which is hard in bits, and the steps are small and without floats."""
    if not divides_by_variables(steps) or any(isinstance(x.sort, Float) for step in steps for x in step.written):
        return False
    return sum(size(term) for step in steps for term in (step.guard, *step.updates.values())) < LARGE


def _in_phases(program: Program, engine: Conjectures, budget: Budget, seconds: float | None) -> Safe | None:
    """A proof of the program with a loop split by a condition, as one of the program."""
    try:
        steps = {edge: transition(edge.statement) for edge in program.main.edges}
    except NoTransition:
        return None
    for split in phases(program, steps):
        errors = split.program.errors
        nothing = {location: TRUE for location in split.program.main.locations if location not in errors}
        found = _with_conjectures(split.program, _Known(nothing, ()), engine, budget, seconds)
        if isinstance(found, Safe):
            return replace(found, invariants=split.joined(found.invariants))
    return None


def _without_excluded_edges(
    program: Program, told: Mapping[Location, Sequence[Term]], seconds: float | None
) -> Program | None:
    """The program without steps that no floats between the facts take, but for those to errors, which are looked at
    anyway: loops that only they lead to need no invariants. None if there are no such steps.
    """
    main = program.main
    asked = [edge for edge in main.edges if edge.source in told and edge.target not in program.errors]
    excluded = set()
    for edge in asked:
        step = Trace((edge,)).formula
        known = and_(*told[edge.source])
        formulas = [*step.by_step, substitute(known, {v: step.at(0, v) for v in free_variables(known)})]
        if _excluded(formulas, None if seconds is None else seconds / len(asked)):
            excluded.add(edge)
    if not excluded:
        return None
    kept = main.with_edges(tuple(edge for edge in main.edges if edge not in excluded))
    return replace(program, procedures={**program.procedures, program.entry: kept})


def _excluded(formulas: Sequence[Term], seconds: float | None) -> bool:
    """Whether ranges tell that formulas exclude each other: where there are floats, solvers are slow."""
    return speak_of_floats(formulas) and exclude_each_other(without_definitions(formulas), seconds)


def _share(budget: Budget, share: float) -> float | None:
    return None if budget.left is None else share * budget.left


class _Unrolling:
    """`seconds` is the limit of each query; a path that nobody decides in time counts as one that can be executed."""

    def __init__(
        self,
        engine: KInduction,
        program: Program,
        known: _Known,
        budget: Budget,
        seconds: float | None = None,
    ) -> None:
        self.seconds = seconds
        self.undecided = False  # of a path from the entry: no longer path can help
        self.engine = engine
        self.program = program
        self.invariants = dict(known.invariants)
        self.by = dict.fromkeys((*known.by, engine.solver))
        self.budget = budget

    def run(self, most: int | None) -> EngineAnswer:
        main, errors = self.program.main, self.program.errors
        waiting: list[EdgePath] = [(edge,) for edge in main.edges if edge.target in errors and self._known(edge)]
        k = 1
        with make_solver(self.engine.solver) as solver:
            while True:
                self.budget.watch(Progress(k, k, 0, len(waiting)))
                executed: list[EdgePath] = []
                for path in waiting:
                    answer = self._executed(path, solver)
                    if isinstance(answer, Unsafe):
                        return answer
                    if answer:
                        executed.append(path)
                if self.undecided:
                    return Unknown("whether a path from the entry to an error can be executed is not decided")
                if not executed:
                    return Safe(self.invariants, tuple(self.by), k)
                if most is not None and k >= most:
                    return Unknown(f"not {k}-inductive: {len(executed)} paths of {k} edges lead to an error")
                self._hear()
                waiting = list(self._longer(executed))
                if len(waiting) > MOST_PATHS:
                    return Unknown(f"more than {MOST_PATHS} paths of {k + 1} edges lead to an error")
                k += 1

    def _hear(self) -> None:
        """Others' invariants are added to ours: what was refuted stays so, and k-inductive they are, too."""
        for lemma in self.budget.news():
            told = lemma.invariants
            self.invariants |= {x: and_(known, told[x]) for x, known in self.invariants.items() if x in told}
            self.by |= dict.fromkeys(lemma.by)

    def _known(self, edge: Edge) -> bool:
        """Whether the edge leaves a location that may be reached."""
        return edge.source in self.invariants

    def _longer(self, paths: Sequence[EdgePath]) -> Iterator[EdgePath]:
        for path in paths:
            for edge in self.program.main.incoming(path[0].source):
                if self._known(edge) and edge.target not in self.program.errors:
                    yield (edge, *path)

    def _executed(self, path: EdgePath, solver: Solver) -> bool | Unsafe:
        """Whether the path can be executed between the invariants; if nothing leads to it, it is a counterexample."""
        self.budget.check()
        trace = Trace(path)
        formula = trace.formula
        self.budget.statistics.iterations += 1
        formulas = [*formula.by_step, *(self._at(position, edge.source, formula) for position, edge in enumerate(path))]
        with self.budget.statistics.spending("ranges"):
            if _excluded(formulas, self.budget.left):
                return False
        with solver.scope(), self.budget.statistics.spending("paths"):
            solver.add(*formulas)
            limits = [limit for limit in (self.seconds, self.budget.left) if limit is not None]
            answer = solver.check(time_limit=min(limits, default=None))
            if isinstance(answer, Sat) and path[0].source == self.program.main.entry:
                return Unsafe(trace, answer.model)
        if isinstance(answer, Undecided) and path[0].source == self.program.main.entry:
            self.undecided = True
        return not isinstance(answer, Unsat)

    def _at(self, position: int, location: Location, formula: TraceFormula) -> Term:
        invariant = self.invariants[location]
        if invariant is TRUE:
            return TRUE
        return substitute(invariant, {v: formula.at(position, v) for v in free_variables(invariant)})
