"""What shows `unsat`: a derivation of false from instances of clauses.

    Law: each step is an instance of a clause by values of its variables; its constraint is true, the atoms of its body
    are what its premises derive, in order, and its head is what it derives. The last step derives false.

Premises are earlier steps, so a derivation is a DAG: what is used twice is derived once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from craton.horn.clauses import Atom, Predicate, System
from craton.logic import Term, Value, evaluate
from craton.logic.evaluation import CannotEvaluate
from craton.logic.ieee import Unspecified
from craton.logic.semantics import same

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fact:
    """A predicate of values."""

    predicate: Predicate
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """An instance of a clause: which one, by which values, from which earlier steps, and what it derives."""

    clause: int
    values: Mapping[Term, Value]
    premises: tuple[int, ...]
    derived: Fact | None  # None: false


@dataclass(frozen=True, slots=True)
class Derivation:
    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.steps)


def unfolded(root: T, premises: Callable[[T], Sequence[T]]) -> Iterator[tuple[T, tuple[int, ...]]]:
    """What a derivation is made of as a tree: premises come first, and each comes with the numbers of its own. What is
    used twice is there twice.
    """
    ends: list[int] = []  # those whose users are not there yet
    stack: list[tuple[T, int]] = [(root, -1)]
    made = 0
    while stack:
        item, count = stack.pop()
        if count < 0:
            below = premises(item)
            stack.append((item, len(below)))
            stack += [(premise, -1) for premise in reversed(below)]
            continue
        first = len(ends) - count
        yield item, tuple(ends[first:])
        del ends[first:]
        ends.append(made)
        made += 1


def derivation_flaw(system: System, derivation: Derivation) -> str:
    """What is wrong with a derivation, by evaluation alone; "" if nothing is."""
    if not derivation.steps or derivation.steps[-1].derived is not None:
        return "the last step does not derive false"
    for number, step in enumerate(derivation.steps):
        try:
            problem = _step_flaw(system, derivation, number, step)
        except Unspecified:
            problem = "its constraint depends on what SMT-LIB leaves open"
        except CannotEvaluate as reason:
            problem = str(reason)
        if problem:
            return f"step {number + 1}: {problem}"
    return ""


def _step_flaw(system: System, derivation: Derivation, number: int, step: Step) -> str:
    if not 0 <= step.clause < len(system.clauses):
        return f"there is no clause {step.clause}"
    clause = system.clauses[step.clause]
    missing = [v for v in clause.variables if v not in step.values]
    if missing:
        return f"the variable {missing[0]} has no value"
    if len(step.premises) != len(clause.body):
        return f"{len(step.premises)} premises for a body of {len(clause.body)}"
    if evaluate(clause.constraint, step.values, specified_only=True) is not True:
        return "its constraint is false"
    for atom, premise in zip(clause.body, step.premises, strict=True):
        if not 0 <= premise < number:
            return "a premise is no earlier step"
        if not _is(atom, derivation.steps[premise].derived, step.values):
            return f"its premise {atom} is not what step {premise + 1} derives"
    if clause.head is None:
        return "" if step.derived is None else "its clause has no head"
    return "" if _is(clause.head, step.derived, step.values) else f"it does not derive {clause.head}"


def _is(atom: Atom, fact: Fact | None, values: Mapping[Term, Value]) -> bool:
    if fact is None or fact.predicate != atom.predicate or len(fact.values) != len(atom.arguments):
        return False
    return all(
        same(argument.sort, evaluate(argument, values, specified_only=True), value)
        for argument, value in zip(atom.arguments, fact.values, strict=True)
    )
