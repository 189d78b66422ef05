"""Invariants conjectured from runs: what held on every observed visit of a location may always hold.

The program is run on seeded random inputs. The observed states suggest conjectures (constants, low bits that never
change, bounds, orders, linear and quadratic equations, conditions of the program itself), and Houdini keeps those that
are inductive together. Either they are a proof or not: no refiner is used, and nothing is learned from a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, combinations_with_replacement, product
from typing import Any, ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown
from craton.engines.houdini import Guesses, bounds_by_constants, inductive
from craton.engines.relations import Relation, relations
from craton.errors import MissingCapability
from craton.logic import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    BitVec,
    Sort,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvmul,
    bvsle,
    bvule,
    eq,
    evaluate,
    extract,
    free_variables,
    implies,
    int_,
    le,
    mul,
    not_,
    ops,
    substitute,
)
from craton.logic.evaluation import CannotEvaluate
from craton.logic.semantics import to_signed
from craton.logic.terms import value
from craton.logic.walk import atoms, post_order
from craton.processes.running_time import running_time
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.codegen import CannotRun
from craton.program.interpreter import Interpreter, ReachedError
from craton.program.transitions import NoTransition, Transition, transition
from craton.smt import Solver, Undecided, Unsat, make_solver

RUNS = 40
SAMPLING_SECONDS = 0.6
MOST_STEPS = 4_000  # of one run
MOST_ROWS = 300  # at one location
QUERY_SECONDS = 1.0
MOST_VARIABLES = 14  # of one sort at one location that are compared pairwise
LARGEST_EXCESS = 2
MOST_MIXED = 4  # variables of both signs that are used as conditions
MOST_IN_LINEAR, MOST_IN_QUADRATIC = 8, 4
MOST_QUOTIENTS = 4
_DIVISIONS = frozenset((ops.BVUDIV, ops.BVSDIV, ops.BVUREM, ops.BVSREM, ops.DIV, ops.MOD))

Rows = Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Conjectures(Engine):
    """Invariants conjectured from runs, those that are inductive together; proves only; needs no refiner."""

    word: ClassVar[str] = "conjectures"

    solver: str = "z3"
    seed: int = 0
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        statistics = budget.statistics
        try:
            steps = {edge: transition(edge.statement) for edge in program.main.edges}
            live = live_variables(program, steps)
            watched = {
                location: tuple(sorted((v for v in live[location] if _comparable(v.sort)), key=lambda v: v.serial))
                for location in program.main.locations
                if location not in program.errors and location != program.main.entry
            }
            with statistics.spending("runs for conjectures"):
                seen = _states(program, watched, self.seed, budget)
            if seen is None:
                return Unknown("a run fails: there is nothing to prove")
            guesses = self._guesses(program, steps, watched, seen)
            statistics.predicates = sum(map(len, guesses.values()))
            with statistics.spending("conjectures kept"), make_solver(self.solver, time_limit=QUERY_SECONDS) as solver:
                kept = inductive(program, steps, guesses, solver, budget)
                return self._verdict(program, steps, kept, solver)
        except OutOfTime:
            return Unknown("out of time before the conjectures were sorted out")
        except (CannotRun, CannotEvaluate, NoTransition, MissingCapability) as problem:
            return Unknown(str(problem))

    def _guesses(
        self,
        program: Program,
        steps: Mapping[Edge, Transition],
        watched: Mapping[Location, tuple[Term, ...]],
        seen: Mapping[Location, Rows],
    ) -> Guesses:
        bounds = bounds_by_constants(program, steps)
        quotients = _quotients(steps.values())
        found: Guesses = {}
        for location, variables in watched.items():
            rows = seen[location]
            if not rows:
                continue  # possibly unreachable
            conditions = _conditions(program, steps, location, frozenset(variables))
            asked = [guess for guess in (*conditions, *bounds[location]) if _holds(guess, variables, rows)]
            computed = [t for t in quotients if free_variables(t) <= frozenset(variables)]
            wider = [(*row, *(evaluate(t, dict(zip(variables, row, strict=True))) for t in computed)) for row in rows]
            columns = (*variables, *computed)
            facts = (*asked, *_facts(columns, wider), *_conditional(columns, wider))
            found[location] = [fact for fact in dict.fromkeys(facts) if fact is not TRUE]
        return found

    def _verdict(
        self, program: Program, steps: Mapping[Edge, Transition], kept: Guesses, solver: Solver
    ) -> Safe | Unknown:
        """The needed parts of the invariants, from the errors backwards: a proof should be readable."""
        needed: dict[Location, dict[Term, None]] = {location: {} for location in kept}
        waiting = [(edge, FALSE) for edge in steps if edge.target in program.errors and edge.source in kept]
        while waiting:
            edge, wanted = waiting.pop()
            step = steps[edge]
            enough = _enough(solver, kept[edge.source], step.guard, not_(substitute(wanted, step.updates)))
            if enough is None:
                return Unknown(f"{sum(map(len, kept.values()))} conjectures are invariants, but no proof")
            parts = needed[edge.source]
            for part in enough:
                if part not in parts:
                    parts[part] = None
                    waiting += [(e, part) for e in program.main.incoming(edge.source) if e.source in kept]
        return Safe({location: and_(*parts) for location, parts in needed.items()}, (self.solver,))


def _enough(solver: Solver, parts: Sequence[Term], *others: Term) -> Sequence[Term] | None:
    """A subset of the parts that contradicts the others; None if even all parts together do not."""
    with solver.scope():
        solver.add(*others)
        answer = solver.check(*parts)
        if isinstance(answer, Unsat):
            return answer.core.assumptions
        solver.add(*parts)  # assertions are easier for a solver than assumptions
        return parts if isinstance(answer, Undecided) and isinstance(solver.check(), Unsat) else None


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

    interpreter = Interpreter(program, watched=watched, seen=note)
    started = running_time()
    for number in range(RUNS):
        budget.check()
        visits.clear()
        run = interpreter.run(seed=None if number == 0 else seed * RUNS + number, step_limit=MOST_STEPS)
        if isinstance(run.outcome, ReachedError):
            return None
        if running_time() - started > SAMPLING_SECONDS:
            break
    return {location: list(rows) for location, rows in seen.items()}


def _comparable(sort: Sort) -> bool:
    return isinstance(sort, BitVec) or sort in (INT, BOOL)


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


def _quotients(steps: Iterable[Transition]) -> list[Term]:
    """Quotients and remainders in the program's conditions, which no sum of variables can express."""
    found: dict[Term, None] = {}
    for step in steps:
        chosen = frozenset(step.inputs)
        for term in post_order(step.guard):
            if term.op in _DIVISIONS and not free_variables(term) & chosen:
                found[term] = None
    return list(found)[:MOST_QUOTIENTS]


def _holds(guess: Term, variables: Sequence[Term], rows: Rows) -> bool:
    return all(evaluate(guess, dict(zip(variables, row, strict=True))) for row in rows)


def _facts(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """Facts that hold for all rows, in forms typical of invariants."""
    by_sort: dict[Sort, list[int]] = {}
    for column, variable in enumerate(variables):
        values = [row[column] for row in rows]
        if all(number == values[0] for number in values):
            yield eq(variable, value(values[0], variable.sort))
        else:
            by_sort.setdefault(variable.sort, []).append(column)
            yield from _of_one(variable, values)
    for sort, columns in by_sort.items():
        group = [variables[column] for column in columns[:MOST_VARIABLES]]
        table = [tuple(row[column] for column in columns[:MOST_VARIABLES]) for row in rows]
        yield from _of_two(group, table)
        if sort is not BOOL:
            yield from _equations(group, table)


def _conditional(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    """Equations that hold only where variables have certain signs: for example, a loop up to a negative bound does
    nothing.
    """
    mixed = [
        column
        for column, variable in enumerate(variables)
        if len({_negative(row[column], variable.sort) for row in rows}) == 2
    ]
    known = set(_linear(variables, rows))
    for size in (1, 2):
        for chosen in combinations(mixed[:MOST_MIXED], size):
            for signs_chosen in product((False, True), repeat=size):
                wanted = dict(zip(chosen, signs_chosen, strict=True))
                fitting = [
                    row for row in rows if all(_negative(row[c], variables[c].sort) is s for c, s in wanted.items())
                ]
                condition = and_(*(_sign(variables[c], s) for c, s in wanted.items()))
                yield from (implies(condition, fact) for fact in _linear(variables, fitting) if fact not in known)


def _linear(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    by_sort: dict[Sort, list[int]] = {}
    for column, variable in enumerate(variables):
        if variable.sort is not BOOL:
            by_sort.setdefault(variable.sort, []).append(column)
    for columns in by_sort.values():
        group = [variables[column] for column in columns[:MOST_IN_LINEAR]]
        table = [tuple(row[column] for column in columns[:MOST_IN_LINEAR]) for row in rows]
        yield from _equations(group, table, quadratic=False)


def _negative(number: Any, sort: Sort) -> bool:
    return bool(number >> (sort.width - 1)) if isinstance(sort, BitVec) else sort is INT and number < 0


def _sign(variable: Term, negative: bool) -> Term:
    at_most = bvsle if isinstance(variable.sort, BitVec) else le
    at_least_zero = at_most(value(0, variable.sort), variable)
    return not_(at_least_zero) if negative else at_least_zero


def _of_one(variable: Term, values: Sequence[Any]) -> Iterator[Term]:
    """Bounds, and the low bits that never change."""
    sort = variable.sort
    if isinstance(sort, BitVec):
        changing = reduce(lambda all_, number: all_ | (number ^ values[0]), values, 0)
        fixed = (changing & -changing).bit_length() - 1
        if fixed:
            yield eq(extract(fixed - 1, 0, variable), bv(values[0], fixed))
        yield bvule(bv(min(values), sort.width), variable)
        yield bvule(variable, bv(max(values), sort.width))
        signed = [to_signed(sort.width, number) for number in values]
        yield bvsle(bv(min(signed), sort.width), variable)
        yield bvsle(variable, bv(max(signed), sort.width))
    elif sort is INT:
        yield le(int_(min(values)), variable)
        yield le(variable, int_(max(values)))


def _of_two(variables: Sequence[Term], rows: Rows) -> Iterator[Term]:
    for a, b in combinations(range(len(variables)), 2):
        x, y = variables[a], variables[b]
        pairs = [(row[a], row[b]) for row in rows]
        if isinstance(x.sort, BitVec):
            width = x.sort.width
            yield from _ordered(bvule, x, y, pairs)
            yield from _ordered(bvsle, x, y, [(to_signed(width, p), to_signed(width, q)) for p, q in pairs])
        elif x.sort is INT:
            yield from _ordered(le, x, y, pairs)
        elif all(p == q for p, q in pairs):
            yield eq(x, y)
        elif all(p != q for p, q in pairs):
            yield not_(eq(x, y))


def _ordered(at_most: Any, x: Term, y: Term, pairs: Sequence[tuple[int, int]]) -> Iterator[Term]:
    """Which one is larger, up to a small offset: a counter often goes one beyond its bound."""
    differences = [p - q for p, q in pairs]
    for one, other, most in ((x, y, max(differences)), (y, x, -min(differences))):
        if most <= 0:
            yield at_most(one, other)
        elif most <= LARGEST_EXCESS:
            yield at_most(one, _sum(other, value(most, other.sort)))
    if 0 not in differences:
        yield not_(eq(x, y))


def _equations(variables: Sequence[Term], rows: Rows, *, quadratic: bool = True) -> Iterator[Term]:
    """Linear equations, and quadratic ones where the variables are few."""
    sort = variables[0].sort
    width = sort.width if isinstance(sort, BitVec) else None
    numbers = rows if width is None else [tuple(to_signed(width, number) for number in row) for row in rows]
    independent = list(range(min(len(variables), MOST_IN_LINEAR)))
    for found in list(relations(numbers, [(column,) for column in independent], width)):
        yield _equation(found, variables)
        (determined,) = found.terms[-1][1]  # by the others, so it adds nothing to quadratic equations
        if determined in independent:
            independent.remove(determined)
    if quadratic and len(independent) <= MOST_IN_QUADRATIC:
        monomials = [*((column,) for column in independent), *combinations_with_replacement(independent, 2)]
        yield from (_equation(found, variables) for found in relations(numbers, monomials, width))


def _equation(relation: Relation, variables: Sequence[Term]) -> Term:
    """Written without minus signs: negative terms are moved to the other side."""
    sort = variables[0].sort
    sides: tuple[list[Term], list[Term]] = ([], [])
    for coefficient, monomial in (*relation.terms, (-relation.constant, ())):
        if coefficient:
            factors = (value(abs(coefficient), sort), *(variables[column] for column in monomial))
            sides[coefficient < 0].append(reduce(bvmul if isinstance(sort, BitVec) else mul, factors))
    left, right = (reduce(_sum, side, value(0, sort)) for side in sides)
    return eq(left, right)


def _sum(a: Term, b: Term) -> Term:
    return bvadd(a, b) if isinstance(a.sort, BitVec) else add(a, b)
