"""Invariants of all nodes of lists and trees, conjectured from runs and from the program's text (docs/lists.md).

∀k. (k is a node, and guard) → fact. Houdini keeps what is inductive, with what holds of all nodes taken for those that
a step touches: no solver sees a quantifier. What comes out is checked on the program like any proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from craton.engines.conjectures import FAILURES, Conjectures, comparable, needed_parts, run_often
from craton.engines.contract import Budget, Engine, EngineAnswer, OutOfTime, Safe, Unknown, does_not_fit
from craton.engines.houdini import Guesses, bounds_by_constants, inductive
from craton.engines.shapes.facts import Effort, Facts
from craton.engines.shapes.nodes import Nodes, Sized, Stacked, nodes
from craton.engines.shapes.states import Observed
from craton.logic import Model, Term
from craton.logic.semantics import ArrayValue
from craton.logic.sorts import Array
from craton.program.analysis.liveness import live_variables
from craton.program.cfa import Edge, Program
from craton.program.transitions import Transition, transition
from craton.smt import Solver, make_solver

QUERY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Shapes(Engine):
    """What is true of all nodes of lists and trees, whatever their number: conjectured from runs, those that are
    inductive together; proves only; needs no refiner.
    """

    word: ClassVar[str] = "shapes"

    solver: str = "z3"
    seed: int = 0
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        try:
            steps = {edge: transition(edge.statement) for edge in program.main.edges}
            every = list(steps.values())
            found, apart = nodes(every), nodes(every, without_texts=True)
            if found is None:
                return does_not_fit("the program allocates no nodes that point to each other")
            with make_solver(self.solver, time_limit=QUERY_SECONDS) as solver:
                answer = self._by_rounds(program, steps, found, solver, budget)
            if isinstance(answer, Safe) or apart is None or apart.kinds == found.kinds:
                return answer
            with make_solver(self.solver, time_limit=QUERY_SECONDS) as solver:
                return self._by_rounds(program, steps, apart, solver, budget)
        except OutOfTime:
            return Unknown("out of time before the conjectures were sorted out")
        except FAILURES as problem:
            return Unknown(str(problem))

    def _by_rounds(
        self, program: Program, steps: Mapping[Edge, Transition], found: Nodes, solver: Solver, budget: Budget
    ) -> EngineAnswer:
        """With few guesses first, and then with more."""
        facts = Facts(program, steps, found)
        seen = self._seen(program, steps, facts, budget)
        if seen is None:
            return Unknown("a run fails: there is nothing to prove")
        facts.look(seen.states(x) for x, rows in seen.seen.items() if rows)
        answer: EngineAnswer = does_not_fit("there is nothing to guess")
        kept: Guesses = {}
        for effort in Effort:
            guesses = self._guesses(program, steps, facts, seen, effort, kept)
            budget.statistics.predicates = sum(map(len, guesses.values()))
            known = {x: frozenset(some) for x, some in kept.items()}
            new = {x: [guess for guess in some if guess not in known.get(x, ())] for x, some in guesses.items()}
            with budget.statistics.spending("conjectures kept"):
                more = inductive(program, steps, new, solver, budget, kept)
                kept = {x: [*kept.get(x, ()), *some] for x, some in more.items()}
                answer = needed_parts(program, steps, kept, solver, self.solver)
            if isinstance(answer, Safe):
                break
        return answer

    def _inputs(self, number: int) -> list[int]:
        """The first inputs of a run: in every other run most are not zero, so that lists have several nodes; what
        comes before the lists is in some of these as often zero as not.
        """
        draw = Random(self.seed * 1000 + number)
        settings = [draw.choice((1, 0)) for _ in range(2)] if number % 8 == 7 else []
        return [*settings, *(draw.choice((1, 1, 1, 0)) for _ in range(16))] if number % 2 else []

    def _seen(
        self, program: Program, steps: Mapping[Edge, Transition], facts: Facts, budget: Budget
    ) -> Observed | None:
        """The states of several runs; None if one fails."""
        live = live_variables(program, steps)
        always = facts.nodes.variables | facts.arrays
        watched = {
            x: tuple(sorted(_values(live[x]) | always, key=lambda v: v.serial))
            for x in program.main.locations
            if x not in program.errors and x != program.main.entry
        }
        seen = Observed(watched, addresses(facts.nodes), conditions=facts.conditions)
        with budget.statistics.spending("runs for conjectures"):
            fine = run_often(program, watched, seen.note, seen.begin, self.seed, budget, self._inputs)
        return seen if fine else None

    def _guesses(
        self,
        program: Program,
        steps: Mapping[Edge, Transition],
        facts: Facts,
        seen: Observed,
        effort: Effort,
        kept: Guesses,
    ) -> Guesses:
        pointers = frozenset(facts.nodes.pointers) - facts.nodes.variables
        numbers = {x: comparable(_values(variables) - pointers) for x, variables in seen.watched.items()}
        guesses = Conjectures().scalar_guesses(
            program, steps, numbers, {x: seen.rows(x, some) for x, some in numbers.items()}
        )
        bounds = bounds_by_constants(program, steps) if effort is not Effort.LITTLE else {}
        for location, variables in seen.watched.items():
            if seen.seen[location]:
                states = seen.states(location)
                guesses.setdefault(location, []).extend(b for b in bounds.get(location, ()) if states.holds(b))
                more = facts.guesses(frozenset(variables), states, effort, kept.get(location, ()))
                guesses[location] = list(dict.fromkeys((*guesses.get(location, ()), *more)))
        return guesses


def _values(variables: Iterable[Term]) -> frozenset[Term]:
    return frozenset(x for x in variables if not isinstance(x.sort, Array))


def addresses(found: Nodes) -> Callable[[Model], Sequence[int]]:
    """Where nodes are in a state: where their members have been written, and where one was allocated last."""

    def of(model: Model) -> list[int]:
        places: dict[int, None] = {}
        for field in found.fields:
            held = model[field.array]
            assert isinstance(held, ArrayValue)
            places |= dict.fromkeys(index - field.offset for index in held.entries)
        for kind in found.kinds:
            if isinstance(kind, Sized):
                places |= dict.fromkeys(number << kind.shift for number in model[kind.sizes].entries)
            elif isinstance(kind, Stacked) and model[kind.next] > kind.first:
                places[model[kind.next] - kind.step] = None
        return sorted(place for place in places if place >= 0)

    return of
