"""What a statement does, as one guarded update.

A transition has inputs (fresh variables, one for each value that is chosen on the way), a guard over the state before
and the inputs, and for each written variable its new value over the same:

    choose inputs; assume guard; x1, …, xk := t1, …, tk   (all at once)

Every statement but calls has this form, loop-free blocks included, so whoever needs formulas of statements (trace
formulas, postconditions, Hoare triples) needs one case only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from craton.errors import CratonError
from craton.logic import BOOL, FALSE, TRUE, Sort, Term, and_, free_variables, ite, or_, substitute, var
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Return, Statement


@dataclass(frozen=True, slots=True)
class Transition:
    guard: Term
    updates: Mapping[Term, Term]
    inputs: tuple[Term, ...] = ()

    @property
    def written(self) -> frozenset[Term]:
        return frozenset(self.updates)

    @property
    def read(self) -> frozenset[Term]:
        """The variables whose value before matters."""
        terms = (self.guard, *self.updates.values())
        return frozenset[Term]().union(*map(free_variables, terms)) - frozenset(self.inputs)

    @property
    def havocked(self) -> frozenset[Term]:
        """The written variables that get a fresh value of which nothing is known."""
        chosen = frozenset(self.inputs)
        used = Counter(v for t in (self.guard, *self.updates.values()) for v in free_variables(t))
        return frozenset(x for x, t in self.updates.items() if t in chosen and used[t] == 1)


SKIP = Transition(TRUE, {})


class NoTransition(CratonError):
    """Calls have no transition: they are inlined, or handled by engines that know procedures."""


def transition(statement: Statement) -> Transition:
    """The guarded update of a statement. Inputs are named after what they are chosen for."""
    return _Composer().statement(statement)


@dataclass(slots=True)
class _State:
    """Symbolic state at a location inside a block: when control gets there, and what the variables hold then."""

    condition: Term
    values: dict[Term, Term] = field(default_factory=dict)

    def apply(self, term: Term) -> Term:
        return substitute(term, self.values) if self.values else term


class _Composer:
    def __init__(self) -> None:
        self._inputs: list[Term] = []
        self._numbers = count()

    def statement(self, statement: Statement) -> Transition:
        end = self._execute(_State(TRUE), statement)
        updates = {x: t for x, t in end.values.items() if x is not t}
        used = frozenset[Term]().union(*map(free_variables, (end.condition, *updates.values())))
        return Transition(end.condition, updates, tuple(i for i in self._inputs if i in used))

    def _execute(self, state: _State, statement: Statement) -> _State:
        match statement:
            case Assume(condition):
                return _State(and_(state.condition, state.apply(condition)), state.values)
            case Assign(variable, value):
                return _State(state.condition, {**state.values, variable: state.apply(value)})
            case Havoc(variables):
                chosen = {v: self._input(v.name, v.sort) for v in variables}
                return _State(state.condition, {**state.values, **chosen})
            case Block():
                return self._block(state, statement)
            case Return():
                return state
            case Call(procedure):
                raise NoTransition(f"the call of {procedure} has not been inlined")

    def _input(self, stem: str, sort: Sort) -> Term:
        chosen = var(f"{stem}?{next(self._numbers)}", sort)
        self._inputs.append(chosen)
        return chosen

    def _block(self, state: _State, block: Block) -> _State:
        arriving: dict[Location, list[_State]] = {block.begin: [state]}
        ends: list[_State] = []  # apart from `arriving`: a block round a loop ends where it begins
        for edge in block.edges:
            if edge.source in arriving:
                here = self._merged(arriving[edge.source])
                arriving[edge.source] = [here]
                after = self._execute(here, edge.statement)
                if after.condition is FALSE:
                    continue
                if edge.target == block.end:
                    ends.append(after)
                else:
                    arriving.setdefault(edge.target, []).append(after)
        return self._merged(ends) if ends else _State(FALSE)

    def _merged(self, states: Sequence[_State]) -> _State:
        merged = states[0]
        for other in states[1:]:
            merged = self._merge(merged, other)
        return merged

    def _merge(self, a: _State, b: _State) -> _State:
        """Where both could be the case, an input decides."""
        if and_(a.condition, b.condition) is FALSE:
            choice = a.condition
            condition = or_(a.condition, b.condition)
        else:
            choice = self._input("choice", BOOL)
            condition = ite(choice, a.condition, b.condition)
        values = {}
        for variable in {**a.values, **b.values}:
            values[variable] = ite(choice, a.values.get(variable, variable), b.values.get(variable, variable))
        return _State(condition, values)


def paths(block: Block) -> Iterator[tuple[Edge, ...]]:
    """The paths through a block, one by one."""
    stack: list[tuple[Location, tuple[Edge, ...]]] = [(block.begin, ())]
    while stack:
        location, path = stack.pop()
        if path and location == block.end:
            yield path
            continue
        stack.extend((e.target, (*path, e)) for e in reversed(block.edges) if e.source == location)


def is_linear(block: Block) -> bool:
    """Does the block have one path only?"""
    return all(a.target == b.source for a, b in zip(block.edges, block.edges[1:], strict=False))
