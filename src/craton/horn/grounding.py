"""From what is known of a derivation to one of the original system, with values for every variable of every clause.

A solver of systems tells facts and from which facts each follows. Which clause makes the step, in which order it takes
its premises and by which values is found by asking z3 about single steps; a clause that is a resolution of several of
the original's becomes as many steps. Nothing is trusted: a derivation is checked by evaluation afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from craton.horn.clauses import Atom
from craton.horn.derivations import Derivation, Fact, Step
from craton.horn.preprocessing import Preprocessed
from craton.logic import Term, Value, and_, constant, eq, evaluate, var
from craton.logic.evaluation import Model as Values
from craton.processes.running_time import running_time
from craton.smt import Sat, make_solver

MOST_ORDERS = 24  # of premises that are tried for a step


@dataclass(frozen=True, slots=True)
class Inference:
    """A fact (None: false) that follows from earlier ones; by which clause of the small system, if that is known."""

    fact: Fact | None
    premises: tuple[int, ...]
    clause: int | None = None  # then the premises are in the order of its body


def grounded(found: Preprocessed, inferences: Sequence[Inference], seconds: float | None = None) -> Derivation | str:
    """The derivation in the original system; or why there is none."""
    work = _Grounding(found, inferences, None if seconds is None else running_time() + seconds)
    for number in range(len(inferences)):
        problem = work.take(number)
        if problem:
            return problem
    return Derivation(tuple(work.steps))


class _Grounding:
    def __init__(self, found: Preprocessed, inferences: Sequence[Inference], deadline: float | None) -> None:
        self.found = found
        self.inferences = inferences
        self.deadline = deadline
        self.steps: list[Step] = []
        self.made: list[int] = []  # for each inference the step that derives its fact

    def take(self, number: int) -> str:
        one = self.inferences[number]
        for clause, premises in self._candidates(one):
            if self.deadline is not None and running_time() > self.deadline:
                return "there was no time to find the values of a derivation"
            if self._step(one.fact, clause, premises):
                return ""
        return f"no clause derives {'false' if one.fact is None else one.fact.predicate} from its premises"

    def _candidates(self, one: Inference) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Clauses with the right head and body, and orders of the premises that fit."""
        if one.clause is not None:
            yield one.clause, one.premises
            return
        facts = [self.inferences[p].fact for p in one.premises]
        known = sorted(f.predicate.name for f in facts if f is not None)
        for number, clause in enumerate(self.found.system.clauses):
            if (clause.head is None) != (one.fact is None) or len(clause.body) != len(facts):
                continue
            if clause.head is not None and one.fact is not None and clause.head.predicate != one.fact.predicate:
                continue
            if sorted(atom.predicate.name for atom in clause.body) != known:
                continue
            orders = dict.fromkeys(permutations(one.premises))
            for order in list(orders)[:MOST_ORDERS]:
                if all(_fits(atom, self.inferences[p].fact) for atom, p in zip(clause.body, order, strict=True)):
                    yield number, order

    def _step(self, fact: Fact | None, number: int, premises: tuple[int, ...]) -> bool:
        """Makes the steps of an instance of a small clause, if its values can be found."""
        resolution = self.found.resolutions[number]
        own = [self.found.original.clauses[one.clause].renamed(f"#{i}") for i, one in enumerate(resolution.instances)]
        facts: list[Term] = []
        for i, one in enumerate(resolution.instances):
            facts.append(own[i].constraint)
            for atom, premise in zip(own[i].body, one.premises, strict=True):
                if premise >= 0:
                    head = own[premise].head
                    assert head is not None
                    facts.append(atom.equals(head.arguments))
                else:
                    known = self.steps[self.made[premises[~premise]]].derived
                    if known is None or known.predicate != atom.predicate:
                        return False
                    facts.append(_equals(atom, dict(enumerate(known.values))))
        if fact is not None and own[-1].head is not None:
            facts.append(_equals(own[-1].head, self.found.known_values(fact)))
        values = self._solved(facts)
        if values is None:
            return False
        numbers: list[int] = []
        for i, one in enumerate(resolution.instances):
            before = tuple(numbers[p] if p >= 0 else self.made[premises[~p]] for p in one.premises)
            numbers.append(self._add(one.clause, i, before, values))
        self.made.append(numbers[-1])
        return True

    def _add(self, number: int, instance: int, premises: tuple[int, ...], values: Values) -> int:
        clause = self.found.original.clauses[number]
        named = {v: values[var(f"{v.name}#{instance}", v.sort)] for v in clause.variables}
        derived = None
        if clause.head is not None:
            told = tuple(evaluate(a, named) for a in clause.head.arguments)
            derived = Fact(clause.head.predicate, told)
        self.steps.append(Step(number, named, premises, derived))
        return len(self.steps) - 1

    def _solved(self, facts: Sequence[Term]) -> Values | None:
        left = None if self.deadline is None else max(0.05, self.deadline - running_time())
        with make_solver("z3", time_limit=left) as solver:
            solver.add(and_(*facts))
            answer = solver.check()
            return answer.model if isinstance(answer, Sat) else None


def _equals(atom: Atom, values: Mapping[int, Value]) -> Term:
    """Some arguments, by their places, have these values."""
    return and_(*(eq(atom.arguments[k], constant(v, atom.predicate.sorts[k])) for k, v in values.items()))


def _fits(atom: Atom, fact: Fact | None) -> bool:
    return fact is not None and fact.predicate == atom.predicate
