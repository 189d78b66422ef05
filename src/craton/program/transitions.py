"""Every statement as one guarded update.

A transition has inputs (fresh variables, one for each value that is chosen on the way), a guard over the old state and
the inputs, and for each written variable a new value over the old state and the inputs:

    choose inputs; assume guard; x1, …, xk := t1, …, tk   (all at once)

Every statement except calls has this form, including loop-free blocks, so code that needs formulas of statements (trace
formulas, postconditions, Hoare triples) handles only one case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from types import MappingProxyType

from craton.errors import CratonError
from craton.logic import (
    BOOL,
    FALSE,
    TRUE,
    Term,
    and_,
    conjuncts,
    free_variables,
    ite,
    not_,
    ops,
    or_,
    post_order,
    substitute,
    var,
)
from craton.program.cfa import Edge, Location, Procedure
from craton.program.statements import Assign, Assume, Block, Call, Doubt, Havoc, Input, Proposed, Return, Statement

NOTHING: Mapping[Term, Term] = MappingProxyType({})
Decided = Callable[[Term], Term]


def same(condition: Term) -> Term:
    """Nothing is known of it."""
    return condition


@dataclass(frozen=True)
class Transition:
    guard: Term
    updates: Mapping[Term, Term]
    inputs: tuple[Term, ...] = ()

    @cached_property
    def written(self) -> frozenset[Term]:
        return frozenset(self.updates)

    @cached_property
    def read(self) -> frozenset[Term]:
        """The variables whose old value matters."""
        terms = (self.guard, *self.updates.values())
        return frozenset[Term]().union(*map(free_variables, terms)) - frozenset(self.inputs)

    @property
    def choices(self) -> tuple[Term, ...]:
        """The conditions that the new values depend on."""
        return tuple(node.args[0] for node in post_order(*self.updates.values()) if node.op is ops.ITE)

    @property
    def havocked(self) -> frozenset[Term]:
        """The written variables whose new value is arbitrary."""
        chosen = frozenset(self.inputs)
        used = Counter(v for t in (self.guard, *self.updates.values()) for v in free_variables(t))
        return frozenset(x for x, t in self.updates.items() if t in chosen and used[t] == 1)

    def where(self, values: Mapping[Term, Term], decided: Decided = same) -> Transition:
        """From states in which variables have these values; those that keep theirs are among its updates. Here nothing
        is decided besides: the whole step is looked at anyway.
        """
        updates = {x: substitute(term, values) for x, term in self.updates.items()}
        return Transition(substitute(self.guard, values), {**values, **updates}, self.inputs)


SKIP = Transition(TRUE, {})


class NoTransition(CratonError):
    """Calls have no transition: they are inlined, or handled by engines that support procedures."""


def transition(statement: Statement) -> Transition:
    """The guarded update of a statement. Inputs are named after the variables they are chosen for."""
    known = _known.get(id(statement))
    return _keep(statement, _Composer().statement(statement)) if known is None else known[1]


def _keep(statement: Statement, found: Transition) -> Transition:
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known[id(statement)] = statement, found
    return found


# A cache: blocks are large, and engines, all their traces and the checker ask for their transitions. Keyed by identity,
# since comparing blocks would take as long; the statement is stored too, so that its id is not reused.
_known: dict[int, tuple[Statement, Transition]] = {}
MOST_KNOWN = 50_000


class Transitions:
    """The guarded updates of one statement from many states, `transition(statement).where(values)` for each.

    A block is executed anew from the values, which decide most of its branchings: what is not entered costs nothing,
    and what is has mostly been seen before, since few values make many states.
    """

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._known: dict[tuple[Term, ...], Term] = {}
        self._open: dict[int, frozenset[int]] = {}

    def where(self, values: Mapping[Term, Term], decided: Decided = same) -> Transition:
        """`decided` says TRUE or FALSE of conditions that hold in all the states that are meant, or in none."""
        return _Composer(self._known, self._open, decided).statement(self._statement, values)


@dataclass(slots=True)
class _State:
    """Symbolic state at a location inside a block: the condition that control gets there, and the variables' values."""

    condition: Term
    values: dict[Term, Term] = field(default_factory=dict)


_JUNCTIONS = {ops.AND: (and_, FALSE), ops.OR: (or_, TRUE)}
MANY = 16  # states that are merged: as many are merged at once
_DEEPEST = 60  # of connectives inside of each other; what is below is looked at as a whole


class _Composer:
    """Inputs are named after the variable and the number of the edge in its block, so that code that follows a model
    through the block can look up the chosen value.

    `known` are terms with values put in, by these; `open_` what `_open_edges` says of blocks, by their identities. Both
    are kept by those who execute the same statement again.
    """

    def __init__(
        self,
        known: dict[tuple[Term, ...], Term] | None = None,
        open_: dict[int, frozenset[int]] | None = None,
        decided: Decided = same,
    ) -> None:
        self._inputs: list[Term] = []
        self._decided = decided
        self._values: Mapping[Term, Term] = NOTHING  # of the last state in which a term was looked at
        self._seen: dict[Term, Term] = {}  # what terms are there
        self._known = known
        self._open = {} if open_ is None else open_

    def statement(self, statement: Statement, values: Mapping[Term, Term] = NOTHING) -> Transition:
        return self._to(self._execute(_State(TRUE, dict(values)), statement, 0))

    def together(self, blocks: Sequence[Block]) -> dict[Location, Transition]:
        """Of blocks that begin at the same place, by their ends."""
        edges = {number: edge for block in blocks for number, edge in block.numbered}
        ends = frozenset(block.end for block in blocks)
        states = self._through(_State(TRUE), blocks[0].begin, sorted(edges.items(), key=itemgetter(0)), ends)
        return {end: self._to(states.get(end, _State(FALSE))) for end in ends}

    def _to(self, end: _State) -> Transition:
        updates = {x: t for x, t in end.values.items() if x is not t}
        if not self._inputs:
            return Transition(end.condition, updates)
        mentioned = {id(found): found for found in map(free_variables, (end.condition, *updates.values()))}
        used = frozenset[Term]().union(*mentioned.values())  # of terms that share their variables once
        return Transition(end.condition, updates, tuple(i for i in self._inputs if i in used))

    def _execute(self, state: _State, statement: Statement, number: int) -> _State:
        match statement:
            case Assume(condition):
                return _State(and_(state.condition, self._applied(condition, state)), state.values)
            case Assign(variable, value):
                return _State(state.condition, {**state.values, variable: self._applied(value, state)})
            case Havoc(variables):
                chosen = {v: self._input(chosen_value(v, number)) for v in variables}
                return _State(state.condition, {**state.values, **chosen})
            case Block():
                return self._block(state, statement)
            case Return():
                return state
            case Call(procedure):
                raise NoTransition(f"the call of {procedure} has not been inlined")

    def _applied(self, term: Term, state: _State) -> Term:
        """The term in a state."""
        if not state.values:
            return term
        if self._known is None:
            return substitute(term, state.values)
        if state.values is not self._values:
            self._values, self._seen = state.values, {}
        if term not in self._seen:  # the other side of a branching has perhaps been
            other = self._seen.get(not_(term)) if term.sort is BOOL else None
            found = self._reduced(term, state.values, self._known, _DEEPEST) if other is None else not_(other)
            self._seen[term] = found
        return self._seen[term]

    def _reduced(
        self, term: Term, values: Mapping[Term, Term], known: dict[tuple[Term, ...], Term], depth: int
    ) -> Term:
        """The same, no further than to the first part that decides: most parts speak of one variable, and are known."""
        if depth and term.op is ops.NOT:
            return not_(self._reduced(term.args[0], values, known, depth - 1))
        if depth and term.op in _JUNCTIONS:
            join, deciding = _JUNCTIONS[term.op]
            parts = []
            for part in term.args:
                found = self._reduced(part, values, known, depth - 1)
                if found is deciding:
                    return deciding
                parts.append(found)
            return join(*parts)
        used = {x: values[x] for x in free_variables(term) if x in values}
        key = (term, *used, *used.values())
        if key not in known:
            known[key] = substitute(term, used)
        found = known[key]
        return found if found.sort is not BOOL or found.is_value else self._decided(found)

    def _input(self, chosen: Term) -> Term:
        self._inputs.append(chosen)
        return chosen

    def _block(self, state: _State, block: Block) -> _State:
        open_ = self._open.get(id(block))
        if open_ is None:
            open_ = self._open[id(block)] = _open_edges(block.numbered)
        ends = self._through(state, block.begin, block.numbered, (block.end,), open_)
        return ends.get(block.end, _State(FALSE))

    def _through(
        self,
        state: _State,
        begin: Location,
        edges: Iterable[tuple[int, Edge]],
        ends: Collection[Location],
        open_: Collection[int] = (),
    ) -> dict[Location, _State]:
        """The states at the ends of numbered edges in topological order, from one where they begin."""
        arriving: dict[Location, list[_State]] = {begin: [state]}
        merged: dict[Location, _State] = {}
        arrived: dict[Location, list[_State]] = {}  # apart from `arriving`: a block around a loop ends where it begins
        for number, edge in edges:
            if edge.source not in arriving:
                continue
            here = merged.get(edge.source)
            if here is None:
                here = merged[edge.source] = _merged(arriving[edge.source])
            if number in open_:
                choice = self._input(taken(number))
                merged[edge.source] = _State(and_(here.condition, not_(choice)), here.values)
                here = _State(and_(here.condition, choice), here.values)
            after = self._execute(here, edge.statement, number)
            if after.condition is FALSE:
                continue
            there = arrived if edge.target in ends else arriving
            there.setdefault(edge.target, []).append(after)
        return {end: _merged(states) for end, states in arrived.items()}


def known_together(procedure: Procedure) -> None:
    """Finds the transitions of a procedure's blocks, those that begin at the same place at once: states inside are the
    same for all of them, since a block has all edges from its beginning to each of its locations.

    Law: what `transition` says afterwards is what it would have said.
    """
    beginning: dict[Location, list[Block]] = {}
    for edge in procedure.edges:
        if isinstance(edge.statement, Block) and edge.statement.numbers is not None:
            beginning.setdefault(edge.source, []).append(edge.statement)
    for blocks in beginning.values():
        if len(blocks) > 1 and not _any_open(blocks):
            found = _Composer().together(blocks)
            for block in blocks:
                _keep(block, found[block.end])


def _any_open(blocks: Sequence[Block]) -> bool:
    """Whether an input decides in one of the blocks which edge is taken. Where it is nowhere so of all their edges, it
    is so in none of them: edges that exclude each other do so without the others.
    """
    together = {number: edge for block in blocks for number, edge in block.numbered}
    return bool(_open_edges(together.items())) and any(_open_edges(block.numbered) for block in blocks)


def _open_edges(edges: Iterable[tuple[int, Edge]]) -> frozenset[int]:
    """The numbers of the edges of which an input decides whether they are taken, or others that follow."""
    outgoing: dict[Location, list[tuple[int, Edge]]] = {}
    for number, edge in edges:
        outgoing.setdefault(edge.source, []).append((number, edge))
    free = (leaving for leaving in outgoing.values() if not exclusive([edge for _, edge in leaving]))
    return frozenset(number for leaving in free for number, _ in leaving[:-1])


def chosen_value(variable: Term, number: int) -> Term:
    """The input for the value that the havoc on edge `number` of a block chooses.

    Its name contains a space, so no program variable has it (Boogie's may contain question marks).
    """
    return var(f"{variable.name} ?{number}", variable.sort)


def sources(statement: Statement) -> dict[Term, Input | Proposed | Doubt | None]:
    """What the inputs of a statement are, those that say which edge is taken left out."""
    edges = statement.numbered if isinstance(statement, Block) else [(0, None)]
    havocs = ((number, statement if edge is None else edge.statement) for number, edge in edges)
    return {
        chosen_value(variable, number): havoc.source
        for number, havoc in havocs
        if isinstance(havoc, Havoc)
        for variable in havoc.variables
    }


def taken(number: int) -> Term:
    """The input that says whether edge `number` of a block is taken, if nothing else decides."""
    return var(f"taken ?{number}", BOOL)


def _merged(states: Sequence[_State]) -> _State:
    """Merges states whose conditions exclude each other.

    States from the two sides of a branching are neighbours. Merging them first leaves just the condition under which
    the branching was reached.
    """
    stack: list[_State] = []
    for state in states:
        while stack and (joined := _join(stack[-1], state, only_opposites=True)) is not None:
            stack.pop()
            state = joined
        stack.append(state)
    if len(stack) > MANY:
        return _merged_at_once(stack)
    result = stack.pop()
    while stack:
        joined = _join(stack.pop(), result)
        assert joined is not None
        result = joined
    return result


def _merged_at_once(states: Sequence[_State]) -> _State:
    """The same for many states: what most of them have is asked for nowhere. One by one, a variable that is changed in
    one of n states would get n choices, as a switch has it that changes another variable in each case.

    It is right since conditions exclude each other. All states share some conjuncts; where these hold, a state's others
    hold exactly if its condition does, and so for one state at most. Where it is one whose value is asked for, the
    choices of the others do not hold; where it is another one, no choice does, and what is left is what it has.
    """
    conditions = [conjuncts(state.condition) for state in states]
    common = frozenset(conditions[0]).intersection(*conditions[1:])
    choices = [and_(*(c for c in parts if c not in common)) for parts in conditions]
    condition = and_(*(c for c in conditions[0] if c in common), or_(*choices))
    return _State(condition, _values_asked_for(choices, [state.values for state in states]))


def _values_asked_for(choices: Sequence[Term], values: Sequence[Mapping[Term, Term]]) -> dict[Term, Term]:
    """The values of the state whose choice holds. Most are as in the last: only others are looked at one by one."""
    result = dict(values[-1])
    others: dict[Term, dict[int, Term]] = {}  # by the number of the state
    for number, here in enumerate(values[:-1]):
        for variable, value in here.items():
            if result.get(variable, variable) is not value:
                others.setdefault(variable, {})[number] = value
        for variable in result.keys() - here.keys():
            if result[variable] is not variable:
                others.setdefault(variable, {})[number] = variable
    for variable, found in others.items():
        last = result.get(variable, variable)
        usual, most = Counter(found.values()).most_common(1)[0]
        if most <= len(values) - len(found):
            usual = last
        value = usual
        for number in sorted(found if usual is last else range(len(values)), reverse=True):
            own = found.get(number, last)
            if own is not usual:
                value = ite(choices[number], own, value)
        result[variable] = value
    return result


def _join(a: _State, b: _State, only_opposites: bool = False) -> _State | None:
    """`a` if its condition holds, `b` otherwise. Conjuncts that both conditions share decide nothing."""
    first, second = conjuncts(a.condition), conjuncts(b.condition)
    common = frozenset(first) & frozenset(second)
    choice = and_(*(c for c in first if c not in common))
    other = and_(*(c for c in second if c not in common))
    if only_opposites and choice is not not_(other):
        return None
    condition = and_(*(c for c in first if c in common), or_(choice, other))
    return _State(condition, _chosen(choice, a.values, b.values))


def _chosen(choice: Term, first: Mapping[Term, Term], second: Mapping[Term, Term]) -> dict[Term, Term]:
    """The values of the first if the choice is so, else those of the second. Most are the same, and there are many:
    each is looked up as rarely as possible.
    """
    if first is second:
        return dict(first)
    values, in_both = dict(first), 0
    for variable, one in first.items():
        another = second.get(variable)
        if another is None:
            another = variable
        else:
            in_both += 1
        if one is not another:
            values[variable] = ite(choice, one, another)
    if in_both < len(second):
        for variable, another in second.items():
            if variable not in first:
                values[variable] = another if another is variable else ite(choice, variable, another)
    return values


def exclusive(edges: Sequence[Edge]) -> bool:
    """Whether at most one of the edges can be enabled. Decided syntactically."""
    conditions: list[Term] = []
    for edge in edges:
        if not isinstance(edge.statement, Assume):
            return False
        conditions.append(edge.statement.condition)
    if len(conditions) == 2 and not_(conditions[0]) is conditions[1]:
        return True
    values: set[Term] = set()
    subjects: set[Term] = set()
    defaults: list[Term] = []
    for condition in conditions:
        if condition.op is ops.EQ and condition.args[1].op is ops.VALUE:
            if condition.args[1] in values:
                return False
            values.add(condition.args[1])
            subjects.add(condition.args[0])
        else:
            defaults.append(condition)
    return len(subjects) <= 1 and len(defaults) <= 1 and all(_denies(d, conditions) for d in defaults)


def _denies(default: Term, conditions: Sequence[Term]) -> bool:
    """Whether the default is `not (a or b)` for conditions a and b."""
    denied = not_(default)
    parts = frozenset(denied.args) if denied.op is ops.OR else frozenset((denied,))
    return all(condition in parts for condition in conditions if condition is not default)


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
    """Does the block have only one path?"""
    return all(a.target == b.source for a, b in zip(block.edges, block.edges[1:], strict=False))
