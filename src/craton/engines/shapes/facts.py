"""What may be true of nodes: facts of any node k, what may have to be known of it first, and facts of single ones.

A guess is ∀k. (k is a node, and guard) → fact; or the fact of a node that a variable points to. Facts come from the
members' shape (a pointer is null or points to a node, to the node behind, back; a number is one of those that are
stored), and from what the program itself asks of a node, with k in its place. Runs choose among them: a guard is put in
front of a fact only if the fact is not always true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import islice

from craton.engines.shapes.modes import Modes
from craton.engines.shapes.nodes import Field, Kind, Nodes, Stacked, leaves
from craton.engines.shapes.order import Order
from craton.engines.shapes.states import States
from craton.logic import (
    FALSE,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvsle,
    bvult,
    conjuncts,
    disjuncts,
    eq,
    fold,
    forall,
    free_variables,
    implies,
    not_,
    ops,
    or_,
    post_order,
    rebuild,
    select,
    substitute,
    var,
)
from craton.logic.sorts import Array
from craton.logic.terms import value
from craton.logic.walk import atoms, replaced
from craton.program.cfa import Edge, Program
from craton.program.transitions import Transition
from craton.views.cells.layout import roots

MOST_OF_ALL, MOST_OF_ONE, MOST_WANTED, MOST_QUESTIONS, MOST_SCALARS, MOST_TERMS = 140, 90, 6, 18, 16, 6
MOST_BY_MODES = 400
MOST_NUMBERS = 6  # variables that are compared with what nodes hold
MOST_STORED, MOST_UNDER_GUARD = 4, 20  # different constants in one member; facts of the nodes that a guard is true of


class Effort(Enum):
    """How much is guessed."""

    LITTLE = "facts of all nodes, without guards"
    MORE = "facts of some nodes"
    MOST = "facts of nodes in modes"


class Facts:
    """The guesses about the nodes of a program, place by place."""

    def __init__(self, program: Program, steps: Mapping[Edge, Transition], nodes: Nodes) -> None:
        self.nodes = nodes
        self.sort = nodes.fields[0].of_sort
        self.node = var("any node", self.sort)
        self.constant_arrays = _constant_arrays(steps.values())
        self.wanted = _first(MOST_WANTED, self._wanted(program, steps))
        self.questions = [*self.wanted, *_first(MOST_QUESTIONS, self._questions(steps.values()))]
        self.conditions = _first(MOST_SCALARS, self._conditions(steps.values()))
        self.numbers = _first(MOST_NUMBERS, self._numbers(steps.values()))
        self.order = Order(nodes, self.node)
        self.kinds = nodes.kinds
        self.modes: Modes | None = None  # which there are is seen in runs
        self.limited: dict[Term, tuple[frozenset[Term], Term]] = {}  # guesses: when, and what
        self.kept: dict[Term, list[frozenset[Term]]] = {}  # what is invariant where guesses are made, and when it holds
        self.stored = {f.array: _first(MOST_STORED, _constants_stored(f.array, steps.values())) for f in nodes.fields}

    def _numbers(self, steps: Iterable[Transition]) -> Iterator[Term]:
        """Variables that are compared with what nodes hold: first those that say the program's mode, and counters."""
        pointers = frozenset(self.nodes.pointers) | self.nodes.variables
        yield from (x for condition in self.conditions for x in free_variables(condition))
        yield from self.nodes.counters
        for step in steps:
            yield from (x for x in step.updates if isinstance(x.sort, BitVec) and x not in pointers)

    @property
    def arrays(self) -> frozenset[Term]:
        """That guesses speak of."""
        return frozenset(self.constant_arrays).union(x for x in self.nodes.variables if isinstance(x.sort, Array))

    # --- what the program says ---

    def _wanted(self, program: Program, steps: Mapping[Edge, Transition]) -> Iterator[Term]:
        """That errors are not reached, as far as it is said of members and without inputs."""
        for edge, step in steps.items():
            guard = self._simplified(step.guard)
            if edge.target in program.errors and self._is_open(guard, step):
                yield not_(guard)

    def _questions(self, steps: Iterable[Transition]) -> Iterator[Term]:
        """What the steps ask of members: whether they can be taken, and then what they do."""
        every = list(steps)
        choices = [(step, choice) for step in every for choice in step.choices]
        for step, asked in [*((step, step.guard) for step in every), *choices]:
            for atom in atoms(self._simplified(asked)):
                if self._is_open(atom, step):
                    yield atom

    def _is_open(self, formula: Term, step: Transition) -> bool:
        used = {node.op for node in post_order(formula)}
        reads = ops.SELECT in used and ops.STORE not in used
        return reads and free_variables(formula).isdisjoint(step.inputs)

    def _simplified(self, formula: Term) -> Term:
        """With what is known of arrays that never change."""

        def visit(node: Term, args: list[Term]) -> Term:
            if node.op is ops.SELECT and args[0] in self.constant_arrays:
                return self.constant_arrays[args[0]]
            return rebuild(node, args) if args else node

        return fold(formula, visit)

    def _conditions(self, steps: Iterable[Transition]) -> Iterator[Term]:
        """Conditions of other variables than pointers: the modes of a program."""
        others = frozenset((*self.nodes.pointers, *self.nodes.counters)) | self.nodes.variables
        asked: dict[Term, None] = {}
        for step in steps:
            for x, set_to in step.updates.items():
                if isinstance(x.sort, BitVec) and x not in others:
                    constants = [leaf for leaf in leaves(set_to) if leaf.op is ops.VALUE]
                    yield from (eq(x, c) for c in constants)
                    yield from (not_(eq(x, c)) for c in constants)
            for atom in atoms(step.guard):
                spoken = free_variables(atom)
                if len(spoken) == 1 and spoken.isdisjoint(others) and spoken.isdisjoint(step.inputs):
                    asked |= {atom: None, not_(atom): None}
        yield from asked

    def look(self, seen: Iterable[States]) -> None:
        """At the states of runs, for what tells nodes apart."""
        states = list(seen)
        self.nodes = replace(self.nodes, kinds=tuple(self._from_the_first(kind, states) for kind in self.nodes.kinds))
        self.order = Order(self.nodes, self.node)
        self.modes = Modes(self.nodes, self.node, self.stored, self._asked(), states)
        having = [kind for kind in self.nodes.kinds if any(self._has_members(kind, some) for some in states)]
        self.kinds = tuple(having) or self.nodes.kinds

    def _from_the_first(self, kind: Kind, seen: Iterable[States]) -> Kind:
        """Nodes that lie one behind the other, from the first that was seen to point anywhere: what was allocated
        before it are other blocks.
        """
        if not isinstance(kind, Stacked):
            return kind
        pointing = [field for field in self.nodes.fields if field.points]
        held = ((field.offset, model[field.array].entries) for s in seen for model in s.models for field in pointing)
        places = {index - offset for offset, entries in held for index in entries}
        return replace(kind, first=min((p for p in places if kind.may_be(p)), default=kind.first))

    def _has_members(self, kind: Kind, states: States) -> bool:
        """Whether something was seen to be written to members of a node of the kind; others are mere blocks."""
        for model, address in states.among(states.where(kind.valid(self.node), self.node)):
            if any(address + field.offset in model[field.array].entries for field in self.nodes.fields):
                return True
        return False

    # --- what may be true of a node ---

    def _of(self, node: Term, others: Sequence[Term]) -> Iterator[Term]:
        """Facts of one node; `others` are what its pointers may be compared with."""
        for kind in self.nodes.kinds:
            yield kind.valid(node)
        for field in self.nodes.fields:
            yield from self._of_pointer(field, node, others) if field.points else self._of_number(field, node)
        for pointer in self.nodes.pointers:
            for question in self.questions:
                if pointer in free_variables(question):
                    here = _not_null(substitute(question, {pointer: node}), node)
                    yield here
                    yield not_(here)

    def _asked(self) -> list[Term]:
        """What the program asks of a number in a node, and of nothing else."""
        asked: dict[Term, None] = {}
        for question in self.questions:
            for atom in atoms(question):
                spoken = free_variables(atom)
                for pointer in spoken.intersection(self.nodes.pointers):
                    if any(not f.points and spoken == {f.array, pointer} for f in self.nodes.fields):
                        asked[_not_null(substitute(atom, {pointer: self.node}), self.node)] = None
        return [atom for atom in asked if atom.op not in (ops.VALUE, ops.EQ)]

    def _of_number(self, field: Field, node: Term) -> Iterator[Term]:
        constants = self.stored[field.array]
        equations = [eq(field.of(node), c) for c in constants]
        yield from equations
        yield from map(not_, equations)
        if len(equations) > 1:
            yield or_(*equations)
        for number in self.numbers:
            if number.sort is field.of(node).sort:
                yield bvsle(field.of(node), number)
                yield bvsle(number, field.of(node))

    def _of_pointer(self, field: Field, node: Term, others: Sequence[Term]) -> Iterator[Term]:
        assert isinstance(self.sort, BitVec)
        there, null = field.of(node), bv(0, self.sort.width)
        facts = [bvult(node, there), bvult(there, node), eq(there, node)]
        for kind in self.nodes.kinds:
            facts += [kind.valid(there)]
            facts += [eq(there, bvadd(node, bv(sign * kind.step, self.sort.width))) for sign in (1, -1)]
        if self.modes is not None:
            facts += [eq(there, bvadd(node, bv(far, self.sort.width))) for far in self.modes.steps[field]]
        facts += [eq(other.of(there), node) for other in self.nodes.fields if other.points and other is not field]
        facts += [eq(f.of(there), c) for f in self.nodes.fields if not f.points for c in self.stored[f.array]]
        facts += [eq(there, other) for other in others]
        yield eq(there, null)
        yield not_(eq(there, null))
        yield from (or_(not_(eq(there, null)), end) for kind in self.nodes.kinds for end in self.order.ends(kind, node))
        yield from facts
        yield from (or_(eq(there, null), fact) for fact in facts)
        yield from (not_(eq(there, other)) for other in others)
        yield from (or_(eq(there, other), fact) for other in others for fact in facts)

    def _guards(self, others: Sequence[Term]) -> Iterator[Term]:
        """What may have to be known of a node first."""
        k = self.node
        for field in self.nodes.fields:
            constants = () if field.points else self.stored[field.array]
            yield from (eq(field.of(k), c) for c in constants)
            yield from (not_(eq(field.of(k), c)) for c in constants if len(constants) != 2)
        yield from self.conditions
        for field in self.nodes.fields:
            if field.points:
                yield not_(eq(field.of(k), value(0, self.sort)))
        for other in others:
            yield not_(eq(k, other))
            yield bvult(k, other)
            yield bvult(other, k)
        for field in self.nodes.fields:
            if field.points:
                yield from (not_(eq(field.of(k), other)) for other in others)
                yield from (eq(field.of(k), other) for other in others)

    def _terms(self, known: frozenset[Term]) -> Iterator[Term]:
        """Nodes that the program's questions lead to."""
        for question in self.questions:
            for node in post_order(question):
                if node.op is ops.SELECT and node.sort is self.sort and free_variables(node) <= known:
                    if any(f.points and f.array is node.args[0] for f in self.nodes.fields):
                        yield node

    # --- guesses ---

    def guesses(self, known: frozenset[Term], states: States, effort: Effort, kept: Iterable[Term] = ()) -> list[Term]:
        """What may be true where these variables are known, and these states were seen; what is kept is invariant."""
        self.kept = {}
        for guard, fact in (self.limited[guess] for guess in kept if guess in self.limited):
            self.kept.setdefault(fact, []).append(guard)
        others = [x for x in self.nodes.pointers if x in known and x not in self.nodes.variables]
        places = [*others, *self.nodes.addresses, *_first(MOST_TERMS, self._terms(known))]
        found = [
            forall([self.node], eq(select(array, self.node), held)) for array, held in self.constant_arrays.items()
        ]
        ordered = list(self.order.guesses(known, states, self.numbers, self.conditions))
        if effort is Effort.MOST and self.modes is not None:
            ordered += self.modes.order(others, [x for x in self.nodes.counters if x.sort is self.sort], states)
            found += _first(MOST_BY_MODES, self._by_modes(others, known, states))
            alone = (*self.modes.first_ones(others, states), *self.modes.lengths(others, self.conditions, states))
            found += [x for x in alone if free_variables(x) - {self.node} <= known]
        found += [fact for fact in ordered if free_variables(fact) - {self.node} <= known]
        found += _first(MOST_OF_ALL, self._of_all([*others, *self.nodes.addresses], known, states, effort))
        found += _first(MOST_OF_ONE, self._of_some(places, known, states, effort))
        return list(dict.fromkeys(found))

    def _of_all(self, others: Sequence[Term], known: frozenset[Term], states: States, effort: Effort) -> Iterator[Term]:
        k = self.node
        facts = [f for f in dict.fromkeys(self._of(k, others)) if free_variables(f) - {k} <= known]
        guards = [g for g in dict.fromkeys(self._guards(others)) if free_variables(g) - {k} <= known]
        for kind in self.kinds:
            there = kind.valid(k)
            where = states.where(there, k)
            true = {fact: states.where(fact, k) for fact in facts if fact is not there}
            always = [fact for fact, holds in true.items() if not where & ~holds]
            weaker = {w for fact in always for w in true if w is not fact and _is_part(fact, w)}
            yield from (forall([k], implies(there, fact)) for fact in always if fact not in weaker)
            yield from self._closed(kind, known, states, where)
            if effort is Effort.LITTLE:
                continue
            yield from self._limited(there, where, guards, true, always, states)

    def _by_modes(self, others: Sequence[Term], known: frozenset[Term], states: States) -> Iterator[Term]:
        """What is true of nodes in a mode, where the program is in one and variables point elsewhere."""
        k, modes = self.node, self.modes
        assert modes is not None
        facts = dict.fromkeys((*modes.facts(k, others), *self._of(k, others)))
        conditions = {states.where(c): c for c in reversed(self.conditions)}  # of those with the same sense one
        several = dict.fromkeys(modes.guards(others, list(conditions.values())[::-1]))
        guards = [guard for guard in several if free_variables(guard) - {k} <= known]
        for kind in self.kinds:
            there = kind.valid(k)
            where = states.where(there, k)
            true = {f: states.where(f, k) for f in facts if f is not there and free_variables(f) - {k} <= known}
            always = [fact for fact, holds in true.items() if not where & ~holds]
            yield from (forall([k], implies(there, fact)) for fact in always)
            yield from self._limited(there, where, guards, true, always, states)

    def _limited(
        self,
        there: Term,
        where: int,
        guards: Sequence[Term],
        true: Mapping[Term, int],
        always: Sequence[Term],
        states: States,
    ) -> Iterator[Term]:
        """What is true of some nodes: those for which a guard holds, and of each guard only the strongest facts."""
        k = self.node
        for guard in guards:
            here = where & states.where(guard, k)
            if not here or here == where:
                continue
            denied = {*conjuncts(guard), not_(guard)}
            told = _told(guard)
            fine = [fact for fact, holds in true.items() if not here & ~holds and fact not in always]
            fine = [fact for fact in fine if denied.isdisjoint(disjuncts(fact)) and _simpler(fact, told) is not TRUE]
            plain = {fact for fact in (*fine, *always) if fact.op is not ops.OR}
            strong = [fact for fact in fine if fact in plain or plain.isdisjoint(disjuncts(fact))]
            parts = frozenset((there, *conjuncts(guard)))
            new = (fact for fact in strong if not any(weaker <= parts for weaker in self.kept.get(fact, ())))
            for fact in islice(new, MOST_UNDER_GUARD):
                guess = forall([k], implies(and_(there, guard), fact))
                self.limited[guess] = parts, fact
                yield guess

    def _closed(self, kind: Kind, known: frozenset[Term], states: States, where: int) -> Iterator[Term]:
        """Where only some nodes are as they should be: those that they point to are, too."""
        k = self.node
        for question in self.wanted:
            for pointer in self.nodes.pointers:
                here = substitute(question, {pointer: k})
                if here is question or not free_variables(here) - {k} <= known or not where & ~states.where(here, k):
                    continue
                good = and_(kind.valid(k), here)
                for field in self.nodes.fields if where & states.where(here, k) else ():
                    if field.points:
                        there = field.of(k)
                        fine = or_(eq(there, value(0, self.sort)), substitute(good, {k: there}))
                        yield forall([k], implies(good, fine))
                        unmoved = [not_(eq(there, x)) for x in self.nodes.pointers if x in known]
                        yield from (forall([k], implies(good, or_(eq(there, k), fact))) for fact in unmoved)

    def _of_some(
        self, places: Sequence[Term], known: frozenset[Term], states: States, effort: Effort
    ) -> Iterator[Term]:
        null = value(0, self.sort)
        for place in places:
            facts = [not_(eq(place, null)), *self._of(place, [x for x in places if x is not place])]
            facts += [eq(place, x) for x in places if x is not place]
            facts += [not_(eq(place, x)) for x in places if x is not place]
            facts += [bvult(place, x) for x in places if x is not place]
            facts = [fact for fact in dict.fromkeys(facts) if free_variables(fact) <= known]
            true = {fact: states.where(fact) for fact in facts}
            always = [fact for fact, holds in true.items() if not states.all & ~holds]
            yield from always
            exists = states.where(not_(eq(place, null)))
            for fact, holds in true.items():  # what was seen at null was by chance
                if not exists & ~holds and (fact not in always or exists != states.all):
                    yield or_(eq(place, null), fact)
            for condition in self.conditions if effort is not Effort.LITTLE else ():
                if free_variables(condition) <= known and (here := states.where(condition)) and here != states.all:
                    yield from (
                        implies(condition, fact)
                        for fact, holds in true.items()
                        if fact not in always and not here & ~holds
                    )


def _not_null(fact: Term, node: Term) -> Term:
    """The fact, knowing that no node is at null: what is said of nodes should not say this again in other words."""
    return replaced((fact,), {eq(node, value(0, node.sort)): FALSE})[0]


def _told(guard: Term) -> dict[Term, Term]:
    """What members are where a guard holds."""
    sides = (part.args for part in conjuncts(guard) if part.op is ops.EQ)
    pairs = ((a, b) if b.op is ops.VALUE else (b, a) for a, b in sides)
    return {member: held for member, held in pairs if held.op is ops.VALUE}


def _simpler(fact: Term, told: Mapping[Term, Term]) -> Term:
    """A fact with what is known of members and variables in their places."""
    if not told:
        return fact

    def visit(node: Term, args: list[Term]) -> Term:
        again = rebuild(node, args) if args else node
        return told.get(again, again)

    return fold(fact, visit)


def _is_part(fact: Term, weaker: Term) -> bool:
    """Whether a disjunction has a fact among its cases."""
    return fact is not weaker and fact in disjuncts(weaker)


def _first(number: int, things: Iterable[Term]) -> list[Term]:
    return list(islice(dict.fromkeys(t for t in things if t.op is not ops.VALUE or t is not TRUE), number))


def _constant_arrays(steps: Iterable[Transition]) -> dict[Term, Term]:
    """Arrays that are set to one element everywhere, and never to anything else."""
    found: dict[Term, set[Term]] = {}
    for step in steps:
        for x, set_to in step.updates.items():
            if isinstance(x.sort, Array) and set_to is not x:
                found.setdefault(x, set()).update(leaves(set_to))
    return {
        x: next(iter(terms)).args[0]
        for x, terms in found.items()
        if len(terms) == 1 and next(iter(terms)).op is ops.CONST_ARRAY
    }


def _constants_stored(array: Term, steps: Iterable[Transition]) -> Iterator[Term]:
    for step in steps:
        for node in post_order(*step.updates.values()):
            if node.op is ops.STORE and array in roots(node.args[0]):
                yield from (leaf for leaf in leaves(node.args[2]) if leaf.op is ops.VALUE)
