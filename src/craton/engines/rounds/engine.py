"""Rounds without inputs: after each of them the state is a function of what no round changes.

Protocols that elect a leader read the ids of their nodes once, and then do the same again and again. How the ids are
ordered decides what happens, and there are too many orders to tell them apart; but after k rounds every variable is
*some* term over the ids, the same for all orders, and after a few rounds the terms repeat. So states are terms over the
variables that only the first step writes (the *fixed* ones), and

    what is known of the fixed variables ∧ (x = f₁ ∧ y = g₁ ∨ … ∨ x = fₙ ∧ y = gₙ)

is the invariant of a location. A round is followed part by part, from one narrow place to the next (`program/parts`):
the turn of one node changes few terms, and leaves easy questions. Terms grow with each part and are made small again: a
condition that the known facts decide is replaced by what it is, and a term that always has the value of one that was
there before by that one (`terms`).

What counts without end (`counters`) is a symbol like the fixed variables, of which a bound is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, Safe, does_not_fit
from craton.engines.rounds.beginning import Beginning, NoFunction, beginning, definitions, is_plain
from craton.engines.rounds.cases import Roles
from craton.engines.rounds.counters import Row, counting
from craton.engines.rounds.terms import Terms, as_conjunction, without_definitions
from craton.logic import FALSE, TRUE, Term, and_, conjuncts, eq, free_variables, ops, or_, substitute
from craton.program.analysis.liveness import live_variables
from craton.program.blocks import BlockSize, Cut, cut_points
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition, Transitions, transition
from craton.smt import Solver, make_solver

MOST_STATES = 8000
_QUESTION = 2.0  # seconds for one question

State = Mapping[Term, Term]


@dataclass(frozen=True, slots=True)
class Rounds(Engine):
    """States as terms over what only the first step writes, such as ids; for programs whose loops read no inputs;
    proves, but shows no error; needs no refiner.
    """

    word: ClassVar[str] = "rounds"

    solver: str = "z3"
    blocks: BlockSize = Cut.PARTS

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        steps = {edge: transition(edge.statement) for edge in program.main.edges if edge.source not in program.errors}
        try:
            with make_solver(self.solver, time_limit=_QUESTION) as solver:
                found = _Exploration(program, steps, solver, budget).invariants()
        except NoFunction as problem:
            return does_not_fit(str(problem))
        return Safe(found, (self.solver,))


class _Unbounded(NoFunction):
    """A bound of what counts does not hold for ever."""


class _Exploration:
    def __init__(self, program: Program, steps: Mapping[Edge, Transition], solver: Solver, budget: Budget) -> None:
        self.program = program
        self.steps = steps
        self.solver = solver
        self.budget = budget
        self.inputs = frozenset(x for step in steps.values() for x in step.inputs)
        self.whole: dict[Edge, Transitions] = {}
        self.live = live = live_variables(program, steps)
        entry = program.main.entry
        later = [step for edge, step in steps.items() if edge.source != entry]
        if not later or any(edge.target == entry for edge in steps):
            raise NoFunction("there is no loop behind a first step")
        written = frozenset[Term]().union(*(step.written for step in later))
        self.changing = {
            location: tuple(sorted(variables & written, key=lambda x: x.serial)) for location, variables in live.items()
        }
        needed = frozenset[Term]().union(*(live[x] for x in program.main.locations if x != entry))
        self.fixed = tuple(sorted(needed - written, key=lambda x: x.serial))
        self.written = written
        if not all(map(is_plain, needed)):
            raise NoFunction("there are variables that are neither numbers of so many bits nor truth values")
        if cut_points(program.main, program) >= frozenset(program.main.locations):
            self._refuse_inputs()  # there are no narrow places, perhaps since rounds read what they choose

    def _refuse_inputs(self) -> None:
        for edge, step in self.steps.items():
            used = (step.updates[x] for x in self.changing[edge.target] if x in step.updates)
            if edge.source != self.program.main.entry and any(free_variables(x) & set(step.inputs) for x in used):
                raise NoFunction("rounds read inputs")

    def invariants(self) -> dict[Location, Term]:
        found: dict[Location, Term] = {self.program.main.entry: TRUE}
        first = self._only_way(self.program.main.entry, Terms(TRUE, (), self.solver, Roles()), {})
        begun = beginning(self.steps[first], self.fixed, self.changing[first.target], self.written, self.solver)
        location, terms, state = self._to_the_loop(first.target, begun, found)
        known, symbols, state = self._at_the_loop(terms, state)
        bounds: Mapping[Term, Term] = {}
        choices: list[Mapping[Term, Term]] | None = None  # of bounds, once it was guessed what counts
        while True:
            roles = Roles(frozenset(self.fixed), frozenset(bounds))
            terms = Terms(and_(known, *bounds.values()), (*symbols, *bounds), self.solver, roles)
            loop = _Loop(self, terms, bounds, may_guess=choices is None)
            try:
                loop.explore(location, state)
            except _Unbounded:
                if not choices:
                    raise
                bounds = choices.pop(0)
                continue
            if not loop.guessed:
                return found | {x: self._formula(x, known, rows, bounds) for x, rows in loop.rows.items()}
            choices = list(_choices(loop.guessed))
            bounds = choices.pop(0)

    def _formula(self, location: Location, known: Term, rows: Mapping[Row, None], bounds: Mapping[Term, Term]) -> Term:
        changing = self.changing[location]

        def told(x: Term, value: Term) -> Term:
            return bounds.get(x, TRUE) if x is value else eq(x, value)

        return or_(*(and_(known, *map(told, changing, row)) for row in rows))

    # --- before the loop ---

    def _to_the_loop(
        self, location: Location, begun: Beginning, found: dict[Location, Term]
    ) -> tuple[Location, Terms, State]:
        """Along the only way; on it, more gets known of the fixed variables, and of those that hold anything first:
        what they hold may be asked later.
        """
        state = begun.state
        symbols = (*begun.fixed, *(x for x, value in state.items() if value is x))
        terms = Terms(begun.known, symbols, self.solver, Roles(frozenset(self.fixed)))
        heads = self.program.loop_heads
        while location not in heads:
            found[location] = and_(terms.known, *(eq(x, state[x]) for x in self.changing[location]))
            edge = self._only_way(location, terms, state)
            step = self.step(edge, state, terms)
            guard = as_conjunction(terms.decided(terms.small(self.guard(step))))
            if guard is not TRUE and free_variables(guard) <= frozenset(terms.symbols):
                terms = terms.where(guard)
                told = definitions(terms.known, terms.symbols, self.fixed)
                if told:
                    terms = terms.replaced(told)
                    step = step.where(told)
            location, state = edge.target, self.after(edge, step, terms)
            if gone := self.steps[edge].written & frozenset(terms.symbols):
                state = {x: x if free_variables(value) & gone else value for x, value in state.items()}
                terms = terms.without(gone)
        return location, terms, state

    def _at_the_loop(self, terms: Terms, state: State) -> tuple[Term, Sequence[Term], State]:
        """What is known of those symbols that the loop reads, or that its first state speaks of, but never writes."""
        live = frozenset[Term]().union(*(self.live[x] for x in self.program.loop_heads))
        read = live.union(*map(free_variables, state.values())) - self.written
        parts = (part for part in conjuncts(without_definitions(terms.known, read)) if free_variables(part) <= read)
        kept = {x: value if free_variables(value) <= read else x for x, value in state.items()}
        return and_(*parts), [x for x in terms.symbols if x in read], kept

    def _only_way(self, location: Location, terms: Terms, state: State) -> Edge:
        """The only step that is no error at once, nor an end."""
        main = self.program.main
        found: list[Edge] = []
        for edge in main.outgoing(location):
            self.budget.check()
            if edge.target in self.program.errors:
                if terms.is_possible(self.step(edge, state, terms).guard, self.budget.left):
                    raise NoFunction("an error may be reached")
            elif main.outgoing(edge.target):
                found.append(edge)
        if len(found) != 1:
            raise NoFunction("there are several first steps")
        return found[0]

    # --- steps ---

    def step(self, edge: Edge, state: State, terms: Terms) -> Transition:
        """From a state: what it decides on the way is not entered."""
        if edge not in self.whole:
            self.whole[edge] = Transitions(edge.statement)

        def decided(condition: Term) -> Term:
            if self._is_range_of_input(condition):
                return TRUE
            found = terms.decided(terms.small(condition))
            return found if found.is_value else condition

        return self.whole[edge].where(state, decided)

    def _is_range_of_input(self, condition: Term) -> bool:
        """That a chosen value is one of its type, as a truth value of a byte is 0 or 1: else there is no run. Where
        ways meet again, such conditions must not tell them apart.
        """
        if condition.op is not ops.BVULE:
            return False
        chosen, most = condition.args
        return most.is_value and chosen in self.inputs

    def guard(self, step: Transition) -> Term:
        """What is asked of inputs, such as of truth values without a value, is left out: more may happen then."""
        return and_(*(part for part in conjuncts(step.guard) if not free_variables(part) & frozenset(step.inputs)))

    def after(self, edge: Edge, step: Transition, terms: Terms) -> State:
        """What depends on inputs, or on variables that hold anything, may be anything then."""
        symbols = frozenset(terms.symbols)
        found = {x: terms.canonical(step.updates.get(x, x)) for x in self.changing[edge.target]}
        return {x: value if free_variables(value) <= symbols else x for x, value in found.items()}


def _choices(guessed: Mapping[Term, Sequence[Term]]) -> Iterator[Mapping[Term, Term]]:
    """The same kind of bound for all that count; and none."""
    for number in range(max(map(len, guessed.values()))):
        yield {x: bounds[min(number, len(bounds) - 1)] for x, bounds in guessed.items()}
    yield {}


class _Loop:
    """The states of the loop, from the first one at its head."""

    def __init__(self, run: _Exploration, terms: Terms, bounds: Mapping[Term, Term], may_guess: bool) -> None:
        self.run = run
        self.terms = terms
        self.bounds = bounds
        self.may_guess = may_guess
        self.rows: dict[Location, dict[Row, None]] = {}
        self.guessed: Mapping[Term, Sequence[Term]] = {}

    def explore(self, location: Location, state: State) -> None:
        """Until nothing new is found, or `guessed` what counts without end."""
        waiting = [(location, self._bounded(state))]
        while waiting and not self.guessed:
            location, state = waiting.pop()
            row = tuple(state[x] for x in self.run.changing[location])
            rows = self.rows.setdefault(location, {})
            if row in rows:
                continue
            rows[row] = None
            self.run.budget.check()
            self._report()
            if self.may_guess and location in self.run.program.loop_heads:
                self.guessed = counting(self.run.changing[location], list(rows))
            waiting += self._after(location, state)

    def _report(self) -> None:
        statistics = self.run.budget.statistics
        statistics.states = statistics.iterations = sum(map(len, self.rows.values()))
        if statistics.states > MOST_STATES:
            raise NoFunction(f"there are more than {MOST_STATES} states")

    def _after(self, location: Location, state: State) -> Iterator[tuple[Location, State]]:
        run, terms = self.run, self.terms
        for edge in run.program.main.outgoing(location):
            is_error = edge.target in run.program.errors
            step = run.step(edge, state, terms)
            if is_error and terms.is_possible(step.guard, run.budget.left):
                raise _Unbounded("an error may be reached") if self.bounds else NoFunction("an error may be reached")
            if is_error or terms.decided(terms.small(run.guard(step))) is FALSE:
                continue
            yield edge.target, self._bounded(run.after(edge, step, terms))

    def _bounded(self, state: State) -> State:
        """What counts is any number within its bound, as soon as it is within it; and what depends on it, anything."""
        found: dict[Term, Term] = {}
        for x, value in state.items():
            bound = self.bounds.get(x)
            if bound is not None and self.terms.decided(substitute(bound, {x: value})) is TRUE:
                found[x] = x
            elif free_variables(value) & self.bounds.keys():
                if bound is not None:
                    raise _Unbounded(f"{x.name} leaves its bound")
                found[x] = x
            else:
                found[x] = value
        return found
