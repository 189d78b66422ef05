"""A smaller system with the same answer, and the way back: from its models and derivations to those of the original.

- *Arguments* that no clause looks at are dropped (`filtering`).
- *Equations* that define a variable of a clause are substituted away.
- *Cone of influence*: a predicate that cannot be derived holds of nothing; one from which no query follows may hold of
  everything. Their clauses are dropped.
- *Inlining*: a predicate that does not occur in the bodies of its own clauses is replaced by them (resolution), as long
  as this does not make many clauses. What remains recurs.

Back: each clause of the small system is a resolution of clauses of the original, so a derivation is one of the
original's. A predicate that was inlined means what its clauses derive, told without quantifiers where possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from craton.horn.clauses import Clause, Predicate, System
from craton.horn.derivations import Fact
from craton.horn.filtering import Filtered, filtered
from craton.horn.models import Model
from craton.horn.recursion_free import meaning_between
from craton.logic import FALSE, TRUE, Term, Value, and_, conjuncts, free_variables, ops, size

MOST_NEW_CLAUSES = 4  # more than a predicate's own clauses and uses that inlining may make
LARGEST_CONSTRAINT = 4000  # nodes


@dataclass(frozen=True, slots=True)
class Instance:
    """A clause of the original, by its number. Its premises are earlier instances, by number, or, as ~i, the i-th atom
    of the new clause's body.
    """

    clause: int
    premises: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a clause comes from clauses of the original: a tree of instances, the last of which has its head."""

    instances: tuple[Instance, ...]

    @classmethod
    def alone(cls, number: int, atoms: int) -> Resolution:
        return cls((Instance(number, tuple(~i for i in range(atoms))),))

    def with_atom(self, place: int, inside: Resolution, atoms: int) -> Resolution:
        """The atom at a place is derived by another resolution, whose body has so many atoms; they take its place."""
        moved = tuple(
            Instance(one.clause, tuple(~(~p + place) if p < 0 else p for p in one.premises)) for one in inside.instances
        )
        offset = len(moved)

        def premise(p: int) -> int:
            if p >= 0:
                return p + offset
            if ~p == place:
                return offset - 1
            return ~(~p + atoms - 1) if ~p > place else p

        own = tuple(Instance(one.clause, tuple(map(premise, one.premises))) for one in self.instances)
        return Resolution(moved + own)


@dataclass(frozen=True, slots=True)
class Inlined:
    """A predicate that was inlined, with the clauses in which it stood at that moment."""

    predicate: Predicate
    defining: tuple[Clause, ...]
    using: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A predicate outside of the cone of influence, and what it may mean."""

    predicate: Predicate
    meaning: Term


@dataclass(frozen=True)
class Preprocessed:
    """The small system, and the way back."""

    original: System
    system: System
    resolutions: tuple[Resolution, ...]  # one for each clause of the small system
    removed: tuple[Inlined | Dropped, ...]  # in the order in which they went
    filtered: Filtered  # the original with fewer arguments, which the rest is made of

    def model(self, small: Model, seconds: float | None = None) -> Model:
        """A model of the original from one of the small system. Within its time it looks for meanings without
        quantifiers; others are told with them.
        """
        meanings = dict(small.meanings)
        for gone in reversed(self.removed):
            if isinstance(gone, Dropped):
                meanings[gone.predicate] = gone.meaning
            else:
                meanings[gone.predicate] = meaning_between(
                    gone.predicate, gone.defining, gone.using, Model(meanings), seconds
                )
        return self.filtered.model(Model(meanings))

    def known_values(self, fact: Fact) -> dict[int, Value]:
        """The arguments of the original predicate that a fact of the small system tells."""
        return dict(zip(self.filtered.places[fact.predicate], fact.values, strict=True))


def preprocessed(system: System, *, inline: bool = True, kept: frozenset[str] = frozenset()) -> Preprocessed:
    """The small system. Law: it is satisfiable iff the original is. Predicates of the names `kept` are not inlined."""
    smaller = filtered(system)
    work = _Work(
        [(_simplified(c), Resolution.alone(number, len(c.body))) for number, c in enumerate(smaller.system.clauses)]
    )
    work.drop_outside_cone()
    if inline:
        work.inline_all(kept)
        work.drop_outside_cone()
    small = System(tuple(clause for clause, _ in work.clauses), system.file, system.status)
    return Preprocessed(system, small, tuple(made for _, made in work.clauses), tuple(work.removed), smaller)


# --- equations --------------------------------------------------------------------------------------------------------


def _simplified(clause: Clause) -> Clause:
    """The clause without variables that an equation of its constraint defines."""
    while True:
        solved, rest = _definitions(clause.constraint)
        if not solved:
            return clause
        clause = replace(clause, constraint=rest).substituted(solved)


def _definitions(constraint: Term) -> tuple[dict[Term, Term], Term]:
    """Equations that define variables, none by another of them, and the other conjuncts."""
    solved: dict[Term, Term] = {}
    inside: set[Term] = set()  # variables that the definitions speak of
    rest: list[Term] = []
    for part in conjuncts(constraint):
        found = next(_sides(part), None)
        if found is not None and found[0] not in inside and solved.keys().isdisjoint(free_variables(part)):
            solved[found[0]] = found[1]
            inside |= free_variables(found[1])
        else:
            rest.append(part)
    return solved, and_(*rest)


def _sides(part: Term) -> Iterator[tuple[Term, Term]]:
    """The variable that a conjunct defines, and by what."""
    if part.op is ops.EQ:
        for one, other in (part.args, part.args[::-1]):
            if one.is_variable and one not in free_variables(other):
                yield one, other
    elif part.is_variable:
        yield part, TRUE
    elif part.op is ops.NOT and part.args[0].is_variable:
        yield part.args[0], FALSE


def _without_repetitions(clause: Clause, made: Resolution) -> tuple[Clause, Resolution]:
    """The clause with each atom of its body once."""
    places = {atom: place for place, atom in enumerate(dict.fromkeys(clause.body))}
    if len(places) == len(clause.body):
        return clause, made
    moved = [~places[atom] for atom in clause.body]
    instances = tuple(
        Instance(one.clause, tuple(p if p >= 0 else moved[~p] for p in one.premises)) for one in made.instances
    )
    return replace(clause, body=tuple(places)), Resolution(instances)


# --- the work ---------------------------------------------------------------------------------------------------------

_Entry = tuple[Clause, Resolution]


class _Work:
    """The clauses while they change. They have numbers of their own here, by which predicates find them."""

    def __init__(self, entries: Sequence[_Entry]) -> None:
        self.entries: dict[int, _Entry] = {}
        self.defining: dict[Predicate, dict[int, None]] = {}
        self.using: dict[Predicate, dict[int, None]] = {}
        self.removed: list[Inlined | Dropped] = []
        self.renamed = 0
        self.made = 0
        for entry in entries:
            self._add(entry)

    @property
    def clauses(self) -> list[_Entry]:
        return list(self.entries.values())

    def _add(self, entry: _Entry) -> None:
        clause = entry[0]
        if clause.head in clause.body:
            return  # it derives only what is derived already
        entry = _without_repetitions(*entry)
        clause = entry[0]
        for atom in clause.atoms:
            self.defining.setdefault(atom.predicate, {})
            self.using.setdefault(atom.predicate, {})
        if clause.constraint is FALSE:
            return
        self.made += 1
        self.entries[self.made] = entry
        for atom in clause.body:
            self.using[atom.predicate][self.made] = None
        if clause.head is not None:
            self.defining[clause.head.predicate][self.made] = None

    def _remove(self, number: int) -> None:
        clause, _ = self.entries.pop(number)
        for atom in clause.body:
            self.using[atom.predicate].pop(number, None)
        if clause.head is not None:
            del self.defining[clause.head.predicate][number]

    def _forget(self, predicate: Predicate, how: Inlined | Dropped) -> None:
        for number in {**self.defining[predicate], **self.using[predicate]}:
            self._remove(number)
        del self.defining[predicate], self.using[predicate]
        self.removed.append(how)

    def drop_outside_cone(self) -> None:
        derivable = _closure(self.clauses, _derives)
        for predicate in [p for p in self.using if p not in derivable]:
            self._forget(predicate, Dropped(predicate, FALSE))
        wanted = _closure(self.clauses, _wants)
        for predicate in [p for p in self.using if p not in wanted]:
            self._forget(predicate, Dropped(predicate, TRUE))

    def inline_all(self, kept: frozenset[str]) -> None:
        """Inlines predicates, those that make the fewest clauses first, as long as it pays."""
        growth = {predicate: self._growth(predicate) for predicate in self.using if predicate.name not in kept}
        while growth:
            chosen = min(growth, key=growth.__getitem__)
            if growth[chosen] > MOST_NEW_CLAUSES:
                return
            del growth[chosen]
            for touched in self._inline(chosen):
                if touched in growth:
                    growth[touched] = self._growth(touched)

    def _growth(self, predicate: Predicate) -> float:
        """How many more clauses there are if the predicate is inlined; infinity if it must not be."""
        own, uses = self.defining[predicate], self.using[predicate]
        if not own.keys().isdisjoint(uses):
            return float("inf")
        if any(size(self.entries[n][0].constraint, LARGEST_CONSTRAINT) > LARGEST_CONSTRAINT for n in own):
            return float("inf")
        new = 0.0
        for number in uses:
            times = sum(atom.predicate == predicate for atom in self.entries[number][0].body)
            new += float(len(own)) ** min(times, 20)
        return new - len(own) - len(uses)

    def _inline(self, predicate: Predicate) -> set[Predicate]:
        """Replaces a predicate by its clauses; the predicates whose clauses have changed."""
        defining = [self.entries[number] for number in self.defining[predicate]]
        using = [self.entries[number] for number in self.using[predicate]]
        self._forget(predicate, Inlined(predicate, tuple(c for c, _ in defining), tuple(c for c, _ in using)))
        for entry in using:
            for new in self._resolved(entry, predicate, defining):
                self._add(new)
        return {atom.predicate for clause, _ in (*defining, *using) for atom in clause.atoms}

    def _resolved(self, entry: _Entry, predicate: Predicate, defining: Sequence[_Entry]) -> Iterator[_Entry]:
        """The clause with all its atoms of the predicate replaced, in all ways."""
        waiting = [entry]
        while waiting:
            clause, made = waiting.pop()
            place = next((i for i, atom in enumerate(clause.body) if atom.predicate == predicate), None)
            if place is None:
                yield clause, made
                continue
            for one, how in reversed(defining):
                self.renamed += 1
                renamed = one.renamed(f"'{self.renamed}")
                assert renamed.head is not None
                body = (*clause.body[:place], *renamed.body, *clause.body[place + 1 :])
                link = renamed.head.equals(clause.body[place].arguments)
                joined = Clause(clause.head, body, and_(clause.constraint, renamed.constraint, link), clause.line)
                waiting.append((_simplified(joined), made.with_atom(place, how, len(one.body))))


def _closure(
    clauses: Sequence[tuple[Clause, Resolution]], step: Callable[[Clause, set[Predicate]], Iterator[Predicate]]
) -> frozenset[Predicate]:
    """The least set of predicates that is closed under a step."""
    found: set[Predicate] = set()
    while True:
        new = {p for clause, _ in clauses for p in step(clause, found) if p not in found}
        if not new:
            return frozenset(found)
        found |= new


def _derives(clause: Clause, known: set[Predicate]) -> Iterator[Predicate]:
    if clause.head is not None and all(atom.predicate in known for atom in clause.body):
        yield clause.head.predicate


def _wants(clause: Clause, known: set[Predicate]) -> Iterator[Predicate]:
    if clause.head is None or clause.head.predicate in known:
        yield from (atom.predicate for atom in clause.body)
