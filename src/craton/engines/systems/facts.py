"""Facts that were derived, and which clauses may use them together.

What can be told without a solver is: arguments that are variables, or variables and a constant, have the values of the
facts; two facts that need different values of a variable have no consequence together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.derivations import Fact
from craton.horn.grounding import Inference
from craton.logic import BitVec, Term, Unspecified, Value, evaluate, free_variables, ops
from craton.logic.semantics import same

Binding = dict[Term, Value]


@dataclass(slots=True)
class KnownFacts:
    """Facts by number, each derived from earlier ones."""

    system: System
    inferences: list[Inference] = field(default_factory=list)
    of: dict[Predicate, list[int]] = field(default_factory=dict)
    _known: set[tuple[Predicate, tuple[str, ...]]] = field(default_factory=set)
    _places: dict[Predicate, list[tuple[int, int]]] = field(default_factory=dict)  # in bodies, by clause

    def __post_init__(self) -> None:
        for number, clause in enumerate(self.system.clauses):
            for place, atom in enumerate(clause.body):
                self._places.setdefault(atom.predicate, []).append((number, place))

    def __len__(self) -> int:
        return len(self.inferences)

    def fact(self, number: int) -> Fact:
        found = self.inferences[number].fact
        assert found is not None
        return found

    def add(self, fact: Fact, premises: tuple[int, ...], clause: int) -> int | None:
        """The number of the fact; None if it was known."""
        key = (fact.predicate, tuple(map(str, fact.values)))
        if key in self._known:
            return None
        self._known.add(key)
        self.inferences.append(Inference(fact, premises, clause))
        self.of.setdefault(fact.predicate, []).append(len(self.inferences) - 1)
        return len(self.inferences) - 1

    def users(self, new: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Clauses, and premises of which the new fact is one, the others being known."""
        for number, place in self._places.get(self.fact(new).predicate, ()):
            for premises in self._joined(self.system.clauses[number], place, new):
                yield number, premises

    def _joined(self, clause: Clause, place: int, new: int) -> Iterator[tuple[int, ...]]:
        order = [place, *(i for i in range(len(clause.body)) if i != place)]
        waiting: list[tuple[dict[int, int], Binding]] = [({}, {})]
        for i in order:
            found: list[tuple[dict[int, int], Binding]] = []
            known = [new] if i == place else self.of.get(clause.body[i].predicate, [])
            for chosen, bound in waiting:
                for number in known:
                    if i < place and number == new:
                        continue  # counted when this place is the first of the new fact
                    more = bound_by(clause.body[i], self.fact(number).values, bound)
                    if more is not None:
                        found.append(({**chosen, i: number}, more))
            waiting = found
        for chosen, _ in waiting:
            yield tuple(chosen[i] for i in range(len(clause.body)))

    def binding(self, clause: Clause, premises: Sequence[int]) -> Binding | None:
        """The values of the clause's variables, as far as the premises determine them; None if they cannot be used."""
        bound: Binding | None = {}
        for atom, premise in zip(clause.body, premises, strict=True):
            bound = None if bound is None else bound_by(atom, self.fact(premise).values, bound)
        return bound


def applies(clause: Clause, bound: Binding) -> bool | None:
    """Whether the constraint is true; None if that, or what the head is of, is not determined."""
    if any(v not in bound for v in clause.variables):
        return None
    try:
        for argument in () if clause.head is None else clause.head.arguments:
            evaluate(argument, bound, specified_only=True)
        return evaluate(clause.constraint, bound, specified_only=True) is True
    except Unspecified:
        return None


def bound_by(atom: Atom, values: Sequence[Value], bound: Binding) -> Binding | None:
    """The values of variables if the atom is a fact of these values; None if it cannot be."""
    found = dict(bound)
    pairs = list(zip(atom.arguments, values, strict=True))
    for argument, value in pairs:
        if argument.is_variable:
            found.setdefault(argument, value)
    for argument, value in pairs:
        if argument.op in (ops.ADD, ops.BVADD):
            _solve_sum(argument, value, found)
    for argument, value in pairs:
        if free_variables(argument) <= found.keys() and not _same(argument, value, found):
            return None
    return found


def _solve_sum(argument: Term, value: Value, found: Binding) -> None:
    """Of a sum with one unknown variable, its value."""
    unknown = [part for part in argument.args if part.op is not ops.VALUE and part not in found]
    if len(unknown) != 1 or not unknown[0].is_variable:
        return
    rest = value - sum(evaluate(part, found) for part in argument.args if part is not unknown[0])
    found[unknown[0]] = rest % (1 << argument.sort.width) if isinstance(argument.sort, BitVec) else rest


def _same(argument: Term, value: Value, bound: Binding) -> bool:
    try:
        return same(argument.sort, evaluate(argument, bound, specified_only=True), value)
    except Unspecified:
        return True  # left to the solver
