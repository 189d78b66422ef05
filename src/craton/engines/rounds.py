"""Rounds without inputs: after each of them the state is a function of what no round changes.

Protocols that elect a leader read the ids of their nodes once, and then do the same again and again. How the ids are
ordered decides what happens, and there are too many orders to tell them apart; but after k rounds every variable is
*some* term over the ids, the same for all orders, and after a few rounds the terms repeat. So states are terms over the
variables that only the steps out of the entry write (the *fixed* ones), and

    what is known of the fixed variables ∧ (x = f₁ ∧ y = g₁ ∨ … ∨ x = fₙ ∧ y = gₙ)

is the invariant of a loop head. Terms grow with each round and are made small again: a condition that the known facts
decide is replaced by what it is, and a term that always has the value of one that was there before by that one. Which
terms may be equal is guessed from some values of the fixed variables, and asked.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from craton.engines.contract import Budget, Engine, EngineAnswer, Safe, does_not_fit
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    BitVec,
    Sort,
    Term,
    and_,
    conjuncts,
    eq,
    evaluate,
    fold,
    free_variables,
    not_,
    ops,
    or_,
    rebuild,
    substitute,
)
from craton.logic.evaluation import CannotEvaluate, constant
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition, transition
from craton.smt import Sat, Solver, Unsat, make_solver

MOST_STATES = 1500
_SAMPLES, _DRAWS = 24, 4000
_QUESTION = 2.0  # seconds for one question

State = Mapping[Term, Term]


@dataclass(frozen=True, slots=True)
class Rounds(Engine):
    """States as terms over what only the first step writes, such as ids; for programs whose loops read no inputs;
    proves, but shows no error; needs no refiner.
    """

    word: ClassVar[str] = "rounds"

    solver: str = "z3"
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        steps = {edge: transition(edge.statement) for edge in program.main.edges if edge.source not in program.errors}
        try:
            with make_solver(self.solver, time_limit=_QUESTION) as solver:
                found = _Exploration(program, steps, solver, budget).invariants()
        except _NoFunction as problem:
            return does_not_fit(str(problem))
        return Safe(found, (self.solver,))


class _NoFunction(Exception):
    """The state is no function of what does not change, or nobody knows which."""


class _Exploration:
    def __init__(self, program: Program, steps: Mapping[Edge, Transition], solver: Solver, budget: Budget) -> None:
        self.program = program
        self.steps = steps
        self.solver = solver
        self.budget = budget
        live = live_variables(program, steps)
        entry = program.main.entry
        later = [step for edge, step in steps.items() if edge.source != entry]
        if not later or any(edge.target == entry for edge in steps):
            raise _NoFunction("there is no loop behind a first step")
        written = frozenset[Term]().union(*(step.written for step in later))
        self.changing = {
            location: tuple(sorted(variables & written, key=lambda x: x.serial)) for location, variables in live.items()
        }
        needed = frozenset[Term]().union(*(live[x] for x in program.main.locations if x != entry))
        self.fixed = tuple(sorted(needed - written, key=lambda x: x.serial))
        self.written = written
        if not all(map(_is_plain, needed)):
            raise _NoFunction("there are variables that are neither numbers of so many bits nor truth values")
        for step in later:
            if any(free_variables(step.updates[x]) & frozenset(step.inputs) for x in step.updates if x in needed):
                raise _NoFunction("rounds read inputs")

    def invariants(self) -> dict[Location, Term]:
        found: dict[Location, Term] = {self.program.main.entry: TRUE}
        first = self._first_step()
        known, state = self._beginning(self.steps[first], first.target)
        terms = _Terms(known, self.fixed, self.solver)
        states: dict[Location, dict[tuple[Term, ...], None]] = {}
        waiting = [(first.target, state)]
        while waiting:
            location, state = waiting.pop()
            row = tuple(state[x] for x in self.changing[location])
            rows = states.setdefault(location, {})
            if row in rows:
                continue
            rows[row] = None
            self.budget.check()
            self._report(states)
            waiting += self._after(location, state, terms)
        for location, rows in states.items():
            told = (and_(known, *map(eq, self.changing[location], row)) for row in rows)
            found[location] = or_(*told)
        return found

    def _report(self, states: Mapping[Location, Mapping[tuple[Term, ...], None]]) -> None:
        number = sum(map(len, states.values()))
        self.budget.statistics.states = number
        self.budget.statistics.iterations = number
        if number > MOST_STATES:
            raise _NoFunction(f"there are more than {MOST_STATES} states")

    def _after(self, location: Location, state: State, terms: _Terms) -> Iterator[tuple[Location, State]]:
        for edge in self.program.main.outgoing(location):
            step = self.steps[edge]
            # What is asked of inputs, such as of truth values without a value, is left out: more may happen then.
            asked = (part for part in conjuncts(step.guard) if not free_variables(part) & frozenset(step.inputs))
            guard = terms.small(substitute(and_(*asked), state))
            if terms.decided(guard) is FALSE:
                continue
            if edge.target in self.program.errors:
                raise _NoFunction("an error may be reached")
            updates = {x: step.updates.get(x, x) for x in self.changing[edge.target]}
            yield edge.target, {x: terms.canonical(substitute(value, state)) for x, value in updates.items()}

    # --- the first step ---

    def _first_step(self) -> Edge:
        """The only one that is no error at once."""
        main = self.program.main
        first = [edge for edge in main.outgoing(main.entry) if edge.target not in self.program.errors]
        if len(first) != 1:
            raise _NoFunction("there are several first steps")
        for edge in main.outgoing(main.entry):
            if edge.target in self.program.errors and not _follows(self.solver, self.steps[edge].guard, FALSE):
                raise _NoFunction("an error may be reached")
        return first[0]

    def _beginning(self, step: Transition, target: Location) -> tuple[Term, State]:
        """What is known of the fixed variables after it, and the others as functions of them."""
        names = {step.updates[x]: x for x in self.fixed if step.updates.get(x, x).is_variable and x in step.updates}
        same = (eq(x, substitute(step.updates[x], names)) for x in self.fixed if x in step.updates)
        facts = and_(substitute(step.guard, names), *same)
        values = {x: substitute(step.updates.get(x, x), names) for x in self.changing[target]}
        needed = frozenset[Term]().union(*map(free_variables, values.values())) - frozenset(self.fixed)
        told = self._told(facts, (free_variables(facts) | needed) - frozenset(self.fixed))
        told |= {symbol: self._keeper(symbol, step) for symbol in sorted(needed - told.keys(), key=lambda x: x.serial)}
        self.fixed = tuple(dict.fromkeys((*self.fixed, *(x for x in told.values() if x.is_variable))))
        fixed = frozenset(self.fixed)
        parts = (substitute(part, told) for part in conjuncts(facts))
        known = and_(*(part for part in parts if free_variables(part) <= fixed))
        return known, {x: substitute(value, told) for x, value in values.items()}

    def _keeper(self, symbol: Term, step: Transition) -> Term:
        """A variable that keeps what was chosen in the first step, though no round needs it."""
        for x in sorted(step.updates.keys() - self.written, key=lambda x: x.serial):
            if step.updates[x] is symbol and _is_plain(x):
                return x
        raise _NoFunction(f"{symbol.name} begins with a value that nothing tells")

    def _told(self, facts: Term, symbols: frozenset[Term]) -> dict[Term, Term]:
        """What was chosen in the first step and is a constant or a fixed variable all the same, as those."""
        answer = self.solver.check(facts)
        if not isinstance(answer, Sat):
            raise _NoFunction("nothing is known of the first states")
        found: dict[Term, Term] = {}
        for symbol in sorted(symbols, key=lambda x: x.serial):
            now = answer.model.term(symbol)
            same = (x for x in self.fixed if x.sort is symbol.sort and answer.model.term(x) is now)
            told = next((t for t in (now, *same) if _follows(self.solver, facts, eq(symbol, t))), None)
            if told is not None:
                found[symbol] = told
        return found


@dataclass(slots=True)
class _Terms:
    """Terms over the fixed variables, of which something is known; small, and one for each function, mostly."""

    known: Term
    fixed: Sequence[Term]
    solver: Solver
    samples: list[Mapping[Term, Any]] = field(init=False)
    _small: dict[Term, Term] = field(default_factory=dict)
    _decided: dict[Term, Term] = field(default_factory=dict)
    _canonical: dict[Term, Term] = field(default_factory=dict)
    _by_values: dict[tuple[Any, ...], list[Term]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.samples = list(self._drawn())
        for x in self.fixed:
            self._by_values.setdefault(self._values(x), []).append(x)

    def _drawn(self) -> Iterator[Mapping[Term, Any]]:
        """Values of the fixed variables that the known facts allow."""
        drawing, found = random.Random(0), 0
        for _ in range(_DRAWS):
            drawn = {x: _drawn_value(drawing, x.sort) for x in self.fixed}
            try:
                if evaluate(self.known, drawn):
                    found += 1
                    yield drawn
            except CannotEvaluate:
                return
            if found == _SAMPLES:
                return
        if not found and isinstance(answer := self.solver.check(self.known), Sat):
            yield {x: answer.model[x] for x in self.fixed}

    def small(self, term: Term) -> Term:
        """With conditions that are decided replaced by what they are."""
        return fold(term, self._visit, self._small)

    def _visit(self, node: Term, args: list[Term]) -> Term:
        if node.op is ops.ITE:
            condition = self.decided(args[0])
            if condition.is_value:
                return args[1] if condition is TRUE else args[2]
        made = rebuild(node, args) if args else node
        if made.sort is BOOL and made.op not in (ops.AND, ops.OR, ops.NOT):
            return self.decided(made)
        return made

    def decided(self, condition: Term) -> Term:
        """TRUE or FALSE where it always is."""
        if condition.is_value:
            return condition
        if condition not in self._decided:
            self._decided[condition] = self._asked(condition)
        return self._decided[condition]

    def _asked(self, condition: Term) -> Term:
        seen = {evaluate(condition, sample) for sample in self.samples}
        for answer in (TRUE, FALSE):
            other = answer is FALSE  # what must never have been seen
            if other not in seen and self._always(condition if answer is TRUE else not_(condition)):
                return answer
        return condition

    def canonical(self, term: Term) -> Term:
        """A term of the same function that was there before, if there is one."""
        term = self.small(term)
        if term not in self._canonical:
            self._canonical[term] = term if term.is_value else self._seen_before(term)
        return self._canonical[term]

    def _seen_before(self, term: Term) -> Term:
        values = self._values(term)
        same = self._by_values.setdefault(values, [])
        if len(set(values)) == 1 and self.samples:
            value = constant(values[0], term.sort)
            if self._always(eq(term, value)):
                return value
        for other in same:
            if other is term or (other.sort is term.sort and self._always(eq(term, other))):
                return other
        same.append(term)
        return term

    def _values(self, term: Term) -> tuple[Any, ...]:
        return tuple(evaluate(term, sample) for sample in self.samples)

    def _always(self, claim: Term) -> bool:
        return _follows(self.solver, self.known, claim)


def _follows(solver: Solver, facts: Term, claim: Term) -> bool:
    return isinstance(solver.check(facts, not_(claim)), Unsat)


def _drawn_value(drawing: random.Random, sort: Sort) -> Any:
    return drawing.getrandbits(sort.width) if isinstance(sort, BitVec) else drawing.random() < 0.5


def _is_plain(variable: Term) -> bool:
    return isinstance(variable.sort, BitVec) or variable.sort is BOOL
