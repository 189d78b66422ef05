"""Invariants conjectured from runs: what held on every observed visit of a location may always hold.

The program is run on seeded random inputs, half of the runs on numbers that it names. The observed states suggest
conjectures (constants, low bits that never change, bounds, orders, linear and quadratic equations, conditions of the
program itself), and Houdini keeps those that are inductive together. Either they are a proof or not: no refiner is
used, and nothing is learned from a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from craton.engines.algebra import is_nonlinear, needed_equations
from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown, does_not_fit
from craton.engines.gauged import by_gauges
from craton.engines.guesses import (
    Rows,
    bounded_by_signs,
    compared,
    congruent,
    equations_by_signs,
    facts,
    linear_equations,
    mixed_signs,
    one_below,
    orders_under,
    sign,
    simple_facts,
)
from craton.engines.houdini import Guesses, bounds_by_constants, inductive, premises, wanted_before
from craton.engines.landmarks import NO_LANDMARKS, Landmarks, landmarks
from craton.errors import MissingCapability
from craton.logic import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    BitVec,
    Term,
    and_,
    bvsle,
    bvule,
    evaluate,
    free_variables,
    implies,
    le,
    not_,
    ops,
    zero_extend,
)
from craton.logic.elements import without_arrays
from craton.logic.evaluation import CannotEvaluate
from craton.logic.semantics import to_signed
from craton.logic.sorts import Array
from craton.logic.walk import atoms, post_order
from craton.processes.running_time import running_time
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.execution.codegen import CannotRun
from craton.program.execution.interpreter import Interpreter
from craton.program.execution.outcomes import ReachedError
from craton.program.transitions import NoTransition, Transition, transition
from craton.registry import flag
from craton.smt import Solver, Undecided, Unsat, make_solver

RUNS = 40
SAMPLING_SECONDS = 0.6
MOST_STEPS, LONG_RUN = 4_000, 100_000  # of one run
MOST_ROWS = 300  # at one location
QUERY_SECONDS = 1.0
MOST_QUOTIENTS = 4
NARROW = 16  # bits
_LARGE = 1 << 31
FEW_ROWS = 8
FEW_PARTS = 3  # of an invariant
FAILURES = (CannotRun, CannotEvaluate, NoTransition, MissingCapability)
_STRICT = {ops.BVSLT: bvsle, ops.BVULT: bvule, ops.LT: le}
_COMPARISONS = frozenset((ops.LE, ops.LT, ops.EQ))
_DIVISIONS = frozenset((ops.BVUDIV, ops.BVSDIV, ops.BVUREM, ops.BVSREM, ops.DIV, ops.MOD))


@dataclass(frozen=True, slots=True)
class Conjectures(Engine):
    """Invariants conjectured from runs, those that are inductive together; with `landmarks` also what the text says of
    single elements of arrays, and nothing if it says nothing of any; with `gauges` also bounds that grow with the
    rounds of loops, but of equations only linear ones, and nothing without loops; proves only; needs no refiner.
    """

    word: ClassVar[str] = "conjectures"

    landmarks: bool = flag("landmarks")
    gauges: bool = flag("gauges")
    solver: str = "z3"
    seed: int = 0
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        try:
            steps = {edge: transition(edge.statement) for edge in program.main.edges}
            marks = landmarks(program, steps) if self.landmarks else NO_LANDMARKS
            if self.landmarks and not marks.facts:
                return does_not_fit("nothing is written to arrays outside of loops: there are no landmarks")
            with make_solver(self.solver, time_limit=QUERY_SECONDS) as solver:
                kept = self.kept(program, steps, solver, budget, marks)
                if kept is None:
                    return Unknown("a run fails: there is nothing to prove")
                return self.verdict(program, steps, kept, solver)
        except OutOfTime:
            return Unknown("out of time before the conjectures were sorted out")
        except FAILURES as problem:
            return Unknown(str(problem))

    def kept(
        self,
        program: Program,
        steps: Mapping[Edge, Transition],
        solver: Solver,
        budget: Budget,
        marks: Landmarks = NO_LANDMARKS,
    ) -> Guesses | None:
        """The conjectures that are inductive together; None if a run fails. Raises `OutOfTime` or one of `FAILURES`."""
        statistics = budget.statistics
        gauged: Guesses = {}
        if self.gauges:
            with statistics.spending("gauges"):
                gauged = by_gauges(program, steps, budget.left)
            if not gauged:
                return {}
        live = live_variables(program, steps)
        watched = {
            location: comparable(live[location])
            for location in program.main.locations
            if location not in program.errors and location != program.main.entry
        }
        dead = {x: comparable(marks.variables.difference(variables)) for x, variables in watched.items()}
        with statistics.spending("runs for conjectures"):
            seen = _states(program, {x: watched[x] + dead[x] for x in watched}, self.seed, budget)
        if seen is None:
            return None
        live_rows = {x: list(dict.fromkeys(row[: len(watched[x])] for row in rows)) for x, rows in seen.items()}
        guesses = self.scalar_guesses(program, steps, watched, live_rows)
        for location, rows in seen.items() if marks.facts else ():
            more = _by_landmarks(marks, watched[location] + dead[location], rows)
            guesses[location] = list(dict.fromkeys((*guesses.get(location, ()), *more)))
        for location, told in gauged.items():
            own = guesses.get(location, (FALSE,))  # where no run came, perhaps none can
            guesses[location] = list(dict.fromkeys((*own, *told)))
        statistics.predicates = sum(map(len, guesses.values()))
        with statistics.spending("conjectures kept"):
            return inductive(program, steps, guesses, solver, budget)

    def scalar_guesses(
        self,
        program: Program,
        steps: Mapping[Edge, Transition],
        watched: Mapping[Location, tuple[Term, ...]],
        seen: Mapping[Location, Rows],
    ) -> Guesses:
        """What the values of variables that were seen suggest, and what the program asks."""
        bounds = bounds_by_constants(program, steps)
        quotients = _quotients(list(steps.values()))
        divides = divides_by_variables(steps.values())
        found: Guesses = {}
        for location, variables in watched.items():
            rows = seen[location]
            hints = [hint for hint in program.hints.get(location, ()) if free_variables(hint) <= frozenset(variables)]
            conditions = list(_conditions(program, steps, location, frozenset(variables)))
            asked = [guess for guess in (*conditions, *bounds[location], *hints) if _holds(guess, variables, rows)]
            if len(rows) < FEW_ROWS:  # what was seen once has one value, and that is soon given up
                signs = (sign(v, negative=False) for v in variables if v.sort is not BOOL)
                asked += [each for each in signs if _holds(each, variables, rows)]
            if not rows:  # possibly unreachable, or seldom reached
                found[location] = asked
                continue
            known = frozenset(variables)
            computed = [t for t in quotients if free_variables(t) <= known and _is_asked(t, variables, rows)]
            wider = [(*row, *(evaluate(t, dict(zip(variables, row, strict=True))) for t in computed)) for row in rows]
            columns = (*variables, *computed)
            if self.gauges:
                asked += (*_loops_left(program, steps, location, variables, rows), *bounded_by_signs(variables, rows))
            linear = (*simple_facts(columns, wider), *linear_equations(columns, wider)) if self.gauges else ()
            if divides:
                asked += (*orders_under(conditions, variables, rows), *one_below(variables, rows))
            asked += congruent(quotients, variables, rows)
            forms = (*asked, *(linear or facts(columns, wider)), *equations_by_signs(columns, wider))
            found[location] = [fact for fact in dict.fromkeys(forms) if fact is not TRUE]
        return found

    def verdict(
        self, program: Program, steps: Mapping[Edge, Transition], kept: Guesses, solver: Solver
    ) -> Safe | Unknown:
        return needed_parts(program, steps, kept, solver, self.solver)


def needed_parts(
    program: Program, steps: Mapping[Edge, Transition], kept: Guesses, solver: Solver, by: str
) -> Safe | Unknown:
    """The needed parts of the invariants, from the errors backwards: a proof should be readable."""
    needed: dict[Location, dict[Term, None]] = {location: {} for location in kept}
    waiting = [(edge, FALSE) for edge in steps if edge.target in program.errors and edge.source in kept]
    while waiting:
        edge, wanted = waiting.pop()
        step, parts = steps[edge], needed[edge.source]
        before = wanted_before(wanted, step)
        question = step.guard, not_(before)
        algebraic = wanted is FALSE or is_nonlinear(wanted)
        enough: Sequence[Term] | None = needed_equations(kept[edge.source], step.guard, before) if algebraic else None
        if enough is None:
            if parts and _enough(solver, list(parts), *question) is not None:
                continue  # what is needed anyway
            enough = _enough(solver, kept[edge.source], *question)
        if enough is None:
            return Unknown(f"{sum(map(len, kept.values()))} conjectures are invariants, but no proof")
        if len(enough) > FEW_PARTS:
            enough = _enough(solver, enough, *question) or enough  # of fewer, a solver needs still fewer
        for part in enough:
            if part not in parts:
                parts[part] = None
                waiting += [(e, part) for e in program.main.incoming(edge.source) if e.source in kept]
    beside = bounds_beside(program, kept)
    _support(program, steps, kept, beside, needed, solver)
    found = {location: and_(*parts, *beside.get(location, ())) for location, parts in needed.items()}
    return Safe(found, (by,))


def _support(
    program: Program,
    steps: Mapping[Edge, Transition],
    kept: Guesses,
    beside: Guesses,
    needed: Mapping[Location, dict[Term, None]],
    solver: Solver,
) -> None:
    """Adds what bounds need that stand beside a proof: one that the rest does not imply would be a flaw of it."""
    bounds = [(location, part) for location, parts in beside.items() for part in parts]
    waiting = [(edge, part) for location, part in bounds for edge in program.main.incoming(location)]
    for edge, wanted in waiting:
        if edge.source not in needed:
            continue
        step, parts = steps[edge], needed[edge.source]
        question = step.guard, not_(wanted_before(wanted, step))
        if _enough(solver, [*parts, *beside.get(edge.source, ())], *question) is None:
            new = [part for part in _enough(solver, kept[edge.source], *question) or () if part not in parts]
            parts |= dict.fromkeys(new)
            waiting += [(e, part) for part in new for e in program.main.incoming(edge.source)]


def bounds_beside(program: Program, kept: Guesses) -> Guesses:
    """Hints over integers that are invariants and compare numbers: of no use where nothing overflows, but in bits. Of
    bounds by constants the tightest, since each has to be shown again.
    """
    found: Guesses = {}
    for location, parts in kept.items():
        hints = frozenset(program.hints.get(location, ()))
        chosen: dict[tuple[Term | None, Term | None], Term] = {}
        for part in parts:
            if part in hints and part.op in _COMPARISONS and part.args[0].sort is INT:
                left, right = part.args
                if free_variables(left).isdisjoint(free_variables(right)) and not _reads(part):
                    sides = (left if left.op is not ops.VALUE else None, right if right.op is not ops.VALUE else None)
                    chosen[sides] = min((part, chosen.get(sides, part)), key=_looseness)
        found[location] = list(chosen.values())
    return found


def _reads(bound: Term) -> bool:
    """Whether it speaks of elements of arrays: that is no bound."""
    return any(isinstance(v.sort, Array) for v in free_variables(bound))


def _looseness(bound: Term) -> int:
    """Of bounds that compare the same with constants, less for tighter ones."""
    left, right = bound.args
    if bound.op is ops.EQ or (left.op is ops.VALUE) is (right.op is ops.VALUE):
        return 0
    strict = bound.op is ops.LT
    return int(right.payload) - strict if right.op is ops.VALUE else -int(left.payload) - strict


def _enough(solver: Solver, parts: Sequence[Term], *others: Term) -> Sequence[Term] | None:
    """A subset of the parts that contradicts the others; None if even all parts together do not."""
    known = dict(zip(premises(parts, *others), parts, strict=True))
    with solver.scope():
        solver.add(*others)
        answer = solver.check(*known)
        if isinstance(answer, Unsat):
            return [known[premise] for premise in answer.core.assumptions]
        if isinstance(answer, Undecided):
            solver.add(*known)  # assertions are easier for a solver than assumptions
            answer = solver.check()
    asked = [*others, *known]
    plain = without_arrays(asked) if isinstance(answer, Undecided) else None
    if plain is not None and plain != asked:
        with solver.scope():
            solver.add(*plain)
            answer = solver.check()
    return parts if isinstance(answer, Unsat) else None


# --- runs -------------------------------------------------------------------------------------------------------------


def _states(
    program: Program, watched: Mapping[Location, tuple[Term, ...]], seed: int, budget: Budget
) -> dict[Location, list[tuple[Any, ...]]] | None:
    """The values of the variables seen at each location, on several runs; None if a run reaches an error."""
    seen: dict[Location, dict[tuple[Any, ...], None]] = {location: {} for location in watched}
    visits: dict[Location, int] = {}

    def note(location: Location, values: tuple[Any, ...]) -> None:
        count = visits[location] = visits.get(location, 0) + 1
        if (count <= 12 or count & (count - 1) == 0) and len(seen[location]) < MOST_ROWS:  # later visits add little
            seen[location][values] = None

    if not run_often(program, watched, note, visits.clear, seed, budget):
        return None
    return {location: list(rows) for location, rows in seen.items()}


def run_often(
    program: Program,
    watched: Mapping[Location, tuple[Term, ...]],
    note: Callable[[Location, tuple[Any, ...]], None],
    begin: Callable[[], None],
    seed: int,
    budget: Budget,
    inputs: Callable[[int], Sequence[int]] = lambda number: (),
) -> bool:
    """Runs the program on several inputs, which begin with those of the run's number; `note` is told what is watched,
    `begin` that a run begins. False if a run reaches an error.
    """
    visited: set[Location] = set()

    def seen(location: Location, values: tuple[Any, ...]) -> None:
        visited.add(location)
        note(location, values)

    interpreter = Interpreter(program, watched=watched, seen=seen)
    named = _numbers(program)
    started = running_time()
    for number in range(RUNS):
        budget.check()
        begin()
        # Some places come only after long loops: if there are such, the last runs may be long.
        patient = number >= RUNS - 2 and len(visited) < len(watched)
        steps = LONG_RUN if patient else MOST_STEPS
        drawn = None if number == 0 else seed * RUNS + number
        run = interpreter.run(inputs(number), seed=drawn, step_limit=steps)
        if isinstance(run.outcome, ReachedError):
            return False
        if named and number % 2:
            begin()
            run = interpreter.run(inputs(number), seed=drawn, step_limit=MOST_STEPS, favourites=named)
            if isinstance(run.outcome, ReachedError):
                return False
        if running_time() - started > SAMPLING_SECONDS:
            break
    return True


def _numbers(program: Program) -> list[int]:
    """What a program is likely to compare with: its small constants, and their neighbours. Drawn numbers are seldom
    among them: a character that is a digit, a command, two arguments.
    """
    found: set[int] = set()
    for edge in program.main.edges:
        step = transition(edge.statement)
        for term in post_order(step.guard, *step.updates.values()):
            if term.op is ops.VALUE and (isinstance(term.sort, BitVec) or term.sort is INT):
                number = to_signed(term.sort.width, term.payload) if isinstance(term.sort, BitVec) else term.payload
                if abs(number) < _LARGE:
                    found.update((number - 1, number, number + 1))
    return sorted(found)


def comparable(variables: Iterable[Term]) -> tuple[Term, ...]:
    """Those that have values which can be compared, in the order of their making."""
    found = (v for v in variables if isinstance(v.sort, BitVec) or v.sort in (INT, BOOL))
    return tuple(sorted(found, key=lambda v: v.serial))


# --- conjectures ------------------------------------------------------------------------------------------------------


def _conditions(
    program: Program, steps: Mapping[Edge, Transition], location: Location, known: frozenset[Term]
) -> Iterator[Term]:
    """The conditions that the program itself tests at a location, and their negations."""
    for edge in program.main.outgoing(location):
        guard = steps[edge].guard
        if edge.target in program.errors and free_variables(guard) <= known:
            yield not_(guard)
        for atom in atoms(guard):
            if free_variables(atom) <= known:
                yield atom
                yield not_(atom)


def _loops_left(
    program: Program, steps: Mapping[Edge, Transition], location: Location, variables: Sequence[Term], rows: Rows
) -> Iterator[Term]:
    """What a loop that is gone around while a < b is left with: a ≤ b, if only where a variable is not negative."""
    signs = list(mixed_signs(variables, rows))
    for condition in _conditions(program, steps, location, frozenset(variables)):
        if condition.op in _STRICT:
            within = _STRICT[condition.op](*condition.args)
            claims = [within] if _holds(within, variables, rows) else [implies(sign, within) for sign in signs]
            yield from (claim for claim in claims if _holds(claim, variables, rows))


def divides_by_variables(steps: Iterable[Transition]) -> bool:
    """Whether numbers of many bits are; with few, solvers have no difficulties."""
    terms = post_order(*(term for step in steps for term in (step.guard, *step.updates.values())))
    return any(term.op in _DIVISIONS and term.args[1].op is not ops.VALUE and _is_wide(term) for term in terms)


def _is_wide(term: Term) -> bool:
    return not isinstance(term.sort, BitVec) or term.sort.width > NARROW


def _quotients(steps: Sequence[Transition]) -> list[Term]:
    """Quotients and remainders in the program's conditions, which no sum of variables can express; low bits are
    remainders, too.
    """
    found: dict[Term, None] = {}
    conditions = [(step, step.guard) for step in steps]
    conditions += [(step, value) for step in steps for value in step.updates.values()]
    for step, told in conditions:
        chosen = frozenset(step.inputs)
        for term in post_order(told):
            if (term.op in _DIVISIONS or _are_low_bits(term)) and not free_variables(term) & chosen:
                found[_as_wide(term)] = None
    return list(found)[:MOST_QUOTIENTS]


def _is_asked(quotient: Term, variables: Sequence[Term], rows: Rows) -> bool:
    """Whether its numerator is not below zero in all rows: C's quotients of integers are told by two, and of these the
    program asks for one that is not.
    """
    if quotient.op not in (ops.DIV, ops.MOD):
        return True
    return any(evaluate(quotient.args[0], dict(zip(variables, row, strict=True))) >= 0 for row in rows)


def _are_low_bits(term: Term) -> bool:
    return term.op is ops.EXTRACT and term.payload[1] == 0 and term.args[0].op is ops.VARIABLE


def _as_wide(term: Term) -> Term:
    """Low bits, as a number of the whole's width."""
    if term.op is not ops.EXTRACT:
        return term
    whole = term.args[0].sort
    assert isinstance(whole, BitVec)
    return zero_extend(whole.width - 1 - term.payload[0], term)


def _by_landmarks(marks: Landmarks, variables: Sequence[Term], rows: Rows) -> list[Term]:
    """What landmarks suggest where these variables are observed; of arrays nothing is."""
    known = frozenset(variables)
    told = [fact for fact in marks.facts if not free_variables(fact) <= known or _holds(fact, variables, rows)]
    numbers = [number for number in marks.numbers if free_variables(number) <= known]
    values = [dict(zip(variables, row, strict=True)) for row in rows]
    wider = [tuple(evaluate(number, row) for number in numbers) for row in values]
    orders = compared(numbers, wider) if wider else ()
    return [*told, *(fact for fact in orders if fact is not TRUE)]


def _holds(guess: Term, variables: Sequence[Term], rows: Rows) -> bool:
    return all(evaluate(guess, dict(zip(variables, row, strict=True))) for row in rows)
