"""Invariants of all elements of arrays, conjectured from runs and from what is asked and written (docs/arrays.md).

∀k. (k in a range) → fact(a[k], k, x). Ranges, and some of the facts, are hints of the program (`views/cells`); others
are what the elements in a range had to do with their positions and with variables, in runs. Houdini keeps what is
inductive, with what holds of all elements taken for those that a step reads: so a sum of elements can be told from what
is true of each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any, ClassVar

from craton.engines.conjectures import FAILURES, Conjectures, comparable, needed_parts, run_often
from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown, does_not_fit
from craton.engines.guesses import facts, linear_equations, multiples, simple_facts
from craton.engines.houdini import Guesses, inductive
from craton.engines.parts import Parts
from craton.engines.pointed import Pointed
from craton.engines.shapes.states import MOST_STATES as STATES
from craton.engines.shapes.states import Observed
from craton.engines.small_copies import SmallCopy
from craton.engines.sortedness import Sorting, asks_for_order
from craton.logic import (
    TRUE,
    BitVec,
    Model,
    Term,
    and_,
    eq,
    evaluate,
    forall,
    free_variables,
    implies,
    not_,
    ops,
    post_order,
    sign_extend,
)
from craton.logic.evaluation import CannotEvaluate
from craton.logic.sorts import INT, Array
from craton.logic.terms import value
from craton.logic.walk import atoms
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition, transition
from craton.smt import make_solver

QUERY_SECONDS = 2.0
MOST_STATES, MOST_POSITIONS = 8, 4  # that a hint is tried at: at one location, of one state
MOST_FACTORS, LARGEST_FACTOR = 8, 1000  # of how many there are, in bounds of sums
MOST_RANGES, MOST_COLUMNS = 12, 6  # of positions; of variables that elements have to do with
SMALL = (0, 1, 2, 3, 5, 8)  # numbers that runs begin with
LENGTHS = (3, 5, 8, 4, 2, 1)  # the same, of arrays that may be sorted
SORTING_STATES = 40  # at one location


@dataclass(frozen=True, slots=True)
class Elements(Engine):
    """What is true of all elements of arrays: hints, and conjectures from runs, those that are inductive together;
    proves only; needs no refiner. It is for arrays=all and arrays=prefixes.
    """

    word: ClassVar[str] = "elements"

    solver: str = "z3"
    seed: int = 0
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        if not any(hint.op is ops.FORALL for hints in program.hints.values() for hint in hints):
            return does_not_fit("nothing is suggested of all elements of an array")
        try:
            steps = {edge: transition(edge.statement) for edge in program.main.edges}
            seen = self._seen(program, steps, budget, _inputs)
            if seen is None:
                return Unknown("a run fails: there is nothing to prove")
            guesses = self._guesses(program, steps, seen)
            if not _has_histories(program, steps):
                self._guess_of_parts(program, steps, guesses, budget)
            budget.statistics.predicates = sum(map(len, guesses.values()))
            with (
                make_solver(self.solver, time_limit=QUERY_SECONDS) as solver,
                budget.statistics.spending("conjectures kept"),
            ):
                kept = inductive(program, steps, guesses, solver, budget)
                alike = {
                    x: [part for part in parts if part in program.hints.get(x, ()) or not _computes(part)]
                    for x, parts in kept.items()
                }
                answer = needed_parts(program, steps, alike, solver, self.solver)
                if isinstance(answer, Safe):  # hints say the same of bits; sums that were seen say that none overflows
                    return answer
                return needed_parts(program, steps, kept, solver, self.solver)
        except OutOfTime:
            return Unknown("out of time before the conjectures were sorted out")
        except FAILURES as problem:
            return Unknown(str(problem))

    def _seen(
        self,
        program: Program,
        steps: Mapping[Edge, Transition],
        budget: Budget,
        inputs: Callable[[int], Sequence[int]],
        most: int = STATES,
    ) -> Observed | None:
        """The states of several runs, arrays included; None if one fails."""
        live = live_variables(program, steps)
        unread = _unread(program, live)
        watched = {
            x: tuple(sorted(live[x] | unread, key=lambda v: v.serial))
            for x in program.main.locations
            if x not in program.errors and x != program.main.entry
        }
        seen = Observed(watched, lambda model: (), most)
        with budget.statistics.spending("runs for conjectures"):
            fine = run_often(program, watched, seen.note, seen.begin, self.seed, budget, inputs)
        return seen if fine else None

    def _guesses(self, program: Program, steps: Mapping[Edge, Transition], seen: Observed) -> Guesses:
        live = live_variables(program, steps)
        numbers = {x: comparable(live[x]) for x in seen.watched}
        scalar = {x: tuple(h for h in hints if h.op is not ops.FORALL) for x, hints in program.hints.items()}
        plain = replace(program, hints=scalar)
        rows = {x: seen.rows(x, some) for x, some in numbers.items()}
        guesses = Conjectures().scalar_guesses(plain, steps, numbers, rows)
        factors = list(islice(_small_constants(steps.values()), MOST_FACTORS))
        for location, some in numbers.items():
            guesses.setdefault(location, []).extend(multiples(some, rows[location], factors))
        states = _models(seen)
        for location, variables in seen.watched.items():
            of_all = [hint for hint in program.hints.get(location, ()) if hint.op is ops.FORALL]
            if of_all:
                more = _AtOnePlace(of_all, states[location], frozenset(variables))
                told = (*program.hints[location], *_asked(program, steps, location))
                single = _of_single_elements(told, states[location], frozenset(variables))
                guesses[location] = list(dict.fromkeys((*guesses.get(location, ()), *more.guesses(), *single)))
        return guesses

    def _guess_of_parts(
        self, program: Program, steps: Mapping[Edge, Transition], guesses: Guesses, budget: Budget
    ) -> None:
        """Adds what sorting makes of elements, and what is true of the objects that they point to."""
        small = SmallCopy(program)
        pointed = Pointed(program, steps, small)
        sorts = asks_for_order(steps.values())
        hints = [hint for hints in program.hints.values() for hint in hints]
        parts = Parts(hints, list(steps.values()), small)
        if not pointed and not sorts and not parts:
            return
        small_steps = {edge: transition(edge.statement) for edge in small.program.main.edges}
        seen = self._seen(small.program, small_steps, budget, _inputs_in_order, SORTING_STATES)
        if seen is None:
            return
        makers: list[Sorting | Pointed | Parts] = [Sorting(hints, list(steps.values()), small)] if sorts else []
        for location, states in _models(seen).items():
            known = frozenset(seen.watched[location])
            found = [guess for maker in [*makers, pointed, parts] for guess in maker.guesses(known, states)]
            # What comes behind long loops is seen in the copy only; what is not so in the program is not inductive.
            numbers = comparable(seen.watched[location])
            beside = simple_facts(numbers, seen.rows(location, numbers)) if states else ()
            guesses[location] = list(dict.fromkeys((*guesses.get(location, ()), *beside, *found)))


def _inputs(number: int) -> Sequence[int]:
    """In most runs the first inputs are small: they are how long arrays are."""
    return () if number % 4 == 3 else (SMALL[number % len(SMALL)],) * 2


def _inputs_in_order(number: int) -> Sequence[int]:
    """In every second run, too, what follows is in order, arrays that have to be sorted being so by chance otherwise;
    and in half of these small and not negative.
    """
    length, least = LENGTHS[number // 2 % len(LENGTHS)], 0 if number % 4 == 1 else -9
    return (length, *sorted((7 * number * at) % 40 + least for at in range(1, 20))) if number % 2 else (length,)


def _has_histories(program: Program, steps: Mapping[Edge, Transition]) -> bool:
    return bool(_unread(program, live_variables(program, steps)))


def _unread(program: Program, live: Mapping[Location, frozenset[Term]]) -> frozenset[Term]:
    """Arrays that no error depends on but that hints speak of, and the variables they are told by: histories."""
    needed = frozenset[Term]().union(*live.values())
    free = {hint: free_variables(hint) for hints in program.hints.values() for hint in hints}
    return frozenset[Term]().union(
        *(known for known in free.values() if any(isinstance(v.sort, Array) and v not in needed for v in known))
    )


def _asked(program: Program, steps: Mapping[Edge, Transition], location: Location) -> Iterator[Term]:
    """What the program asks of elements at a location, and that it is not so."""
    for edge in program.main.outgoing(location):
        for atom in atoms(steps[edge].guard):
            if any(node.op is ops.SELECT for node in post_order(atom)):
                yield from (atom, not_(atom))


def _of_single_elements(hints: Iterable[Term], states: Sequence[Model], known: frozenset[Term]) -> Iterator[Term]:
    """Hints about elements at places that variables tell."""
    told = [hint for hint in hints if hint.op is not ops.FORALL and free_variables(hint) <= known]
    yield from (hint for hint in told if all(_evaluated(hint, state) is not False for state in states))


def _computes(formula: Term) -> bool:
    return any(node.op in (ops.ADD, ops.MUL) for node in post_order(formula))


def _small_constants(steps: Iterable[Transition]) -> Iterator[int]:
    """Numbers that the program names, each once."""
    nodes = post_order(*(term for step in steps for term in (step.guard, *step.updates.values())))
    numbers = (node.payload for node in nodes if node.op is ops.VALUE and node.sort is INT)
    yield from dict.fromkeys(number for number in numbers if abs(number) <= LARGEST_FACTOR)


def _models(seen: Observed) -> dict[Location, list[Model]]:
    return {
        location: [Model(dict(zip(variables, row, strict=True))) for row in seen.seen[location]]
        for location, variables in seen.watched.items()
    }


class _AtOnePlace:
    """What may be true of all elements at one location."""

    def __init__(self, hints: Sequence[Term], states: Sequence[Model], known: frozenset[Term]) -> None:
        self.hints = [hint for hint in hints if free_variables(hint) <= known]
        self.of_places = [hint for hint in self.hints if not _is_recurrence(hint)]
        self.states = states
        self.known = known
        self._seen: dict[tuple[Term, tuple[Term, ...]], frozenset[tuple[int, ...]]] = {}

    def guesses(self) -> Iterator[Term]:
        yield from (hint for hint in self.hints if self._holds(hint))
        for bound, ranges in self._ranges().items():
            for range_ in ranges:
                for element in self._elements(bound):
                    for fact in self._facts(bound, range_, element):
                        yield forall((bound,), implies(range_, fact))

    def _holds(self, hint: Term) -> bool:
        if len(hint.payload) == 1:
            (bound,) = hint.payload
            return all(
                _evaluated(hint.args[0], at) is not False
                for state in self.states[:MOST_STATES]
                for at in _at_positions(state, bound)
            )
        if not self.states or not _are_together(hint):
            return True  # of pairs of positions there are too many to try
        range_, fact = hint.args[0].args if hint.args[0].op is ops.IMPLIES else (TRUE, hint.args[0])
        within = self._where(range_, hint.payload)
        return bool(within) and within <= self._where(fact, hint.payload, or_unknown=True)

    def _where(self, formula: Term, bound: tuple[Term, ...], *, or_unknown: bool = False) -> frozenset[tuple[int, ...]]:
        """In which states, and for which small numbers as positions, a formula is true; or not known to be false."""
        key = formula, bound
        if key not in self._seen:
            self._seen[key] = frozenset(
                (number, *at)
                for number, state in enumerate(self.states[:MOST_STATES])
                for at in product(range(MOST_POSITIONS), repeat=len(bound))
                if (held := _evaluated(formula, Model({**state.values, **dict(zip(bound, at, strict=True))}))) is True
                or (held is None and or_unknown)
            )
        return self._seen[key]

    def _ranges(self) -> dict[Term, list[Term]]:
        """Of one position, as hints have them; and the first one alone, which loops may begin behind."""
        found: dict[Term, dict[Term, None]] = {}
        for hint in self.of_places:
            if len(hint.payload) == 1:
                body, within = hint.args[0], list[Term]()
                while body.op is ops.IMPLIES:
                    within += body.args[:-1]
                    body = body.args[-1]
                found.setdefault(hint.payload[0], {})[and_(*within)] = None
        return {
            bound: [*list(ranges)[:MOST_RANGES], eq(bound, value(0, bound.sort))] for bound, ranges in found.items()
        }

    def _elements(self, bound: Term) -> list[Term]:
        """What hints read at the position."""
        nodes = (node for hint in self.of_places if hint.payload == (bound,) for node in post_order(hint.args[0]))
        return [node for node in dict.fromkeys(nodes) if node.op is ops.SELECT and bound in free_variables(node)]

    def _facts(self, bound: Term, range_: Term, element: Term) -> Iterator[Term]:
        """What elements in the range had to do with their positions, and with variables."""
        if element.sort is not INT and not isinstance(element.sort, BitVec):
            return
        inside = [at for state in self.states for at in _at_positions(state, bound) if _evaluated(range_, at) is True]
        if len(inside) < 2:
            return
        scalars = [v for v in comparable(self.known) if not isinstance(v.sort, Array)][:MOST_COLUMNS]
        few, more = _alike((element, bound)), _alike((element, bound, *scalars))
        told = (*facts(few, _rows(few, inside)), *linear_equations(more, _rows(more, inside)))
        yield from (fact for fact in dict.fromkeys(told) if _speaks_of(fact, element))


def _are_together(hint: Term) -> bool:
    """Whether one index speaks of all its positions, as of row and column."""
    reads = (node.args[1] for node in post_order(hint.args[0]) if node.op is ops.SELECT)
    return any(free_variables(index) >= frozenset(hint.payload) for index in reads)


def _is_recurrence(hint: Term) -> bool:
    """Whether it tells elements of an array by others of it: of one alone, little is to be said."""
    places: dict[Term, set[Term]] = {}
    for node in post_order(hint.args[0]):
        if node.op is ops.SELECT:
            places.setdefault(node.args[0], set()).add(node.args[1])
    return any(len(some) > 1 for some in places.values())


def _at_positions(state: Model, bound: Term) -> Iterator[Model]:
    for position in range(MOST_POSITIONS):
        yield Model({**state.values, bound: position})


def _rows(columns: Sequence[Term], states: Sequence[Model]) -> list[tuple[Any, ...]]:
    return list(dict.fromkeys(tuple(evaluate(column, state) for column in columns) for state in states))


def _evaluated(formula: Term, state: Model) -> Any:
    try:
        return evaluate(formula, state)
    except CannotEvaluate:
        return None


def _alike(columns: Sequence[Term]) -> list[Term]:
    """Numbers of the first one's sort, narrower ones extended; others are left out."""
    wanted = columns[0].sort
    found = []
    for column in columns:
        if column.sort is wanted:
            found.append(column)
        elif isinstance(column.sort, BitVec) and isinstance(wanted, BitVec) and column.sort.width < wanted.width:
            found.append(sign_extend(wanted.width - column.sort.width, column))
    return found


def _speaks_of(fact: Term, element: Term) -> bool:
    return any(node is element for node in post_order(fact))
