"""Sequence and tree interpolants as partial sums of a contradiction, case by case where formulas leave a choice.

For constraints e[j] ≤ 0 of steps s(j) with multipliers λ[j] ≥ 0 and Σ λ[j] · e[j] = c > 0, the interpolant of a cut is
I = (Σ over s(j) inside of λ[j] · e[j] ≤ 0): each step adds its own constraints, and what is not shared cancels out.
Inside are the steps before a place of a sequence, or the nodes below one of a tree (in post-order): a range either way.
A choice belongs to a step. The interpolants of its alternatives are joined by ∧ where that step is outside, since
either may be met there, and by ∨ where it is inside.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from math import floor

from craton.logic import ops
from craton.logic.core import and_, conjuncts, disjuncts, or_
from craton.logic.sorts import INT, REAL
from craton.logic.terms import Term
from craton.processes.running_time import running_time
from craton.smt.contract import Undecided
from craton.smt.farkas.contents import Choice, Content, content
from craton.smt.farkas.equations import consistent
from craton.smt.farkas.forms import Constraint, Form, Relation, constant, constraint, formula, tightened
from craton.smt.farkas.simplex import Multipliers, Point
from craton.smt.interpolation import Interpolants, Satisfiable

MOST_CASES = 400  # contradictions to look for; a sequence of more cases says nothing that could be read or used
DEEPEST = 150  # choices inside of each other
MOST_BRANCHINGS = 20  # between integers: where parity is the contradiction, there is no end of them


@dataclass(frozen=True, slots=True)
class _Refuted:
    """The formulas of the cuts, and the constraints that contradict each other."""

    cuts: tuple[Term, ...]
    used: frozenset[Constraint]


_Answer = _Refuted | Satisfiable | Undecided


def interpolants(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
    """The inner interpolants of a sequence whose contradiction is linear; otherwise `Undecided`."""
    return interpolants_of_cuts(formulas, [range(end) for end in range(1, len(formulas))], time_limit)


def interpolants_of_cuts(formulas: Sequence[Term], cuts: Sequence[range], time_limit: float | None) -> Interpolants:
    """An interpolant for each of the cuts, which are the positions of the formulas inside."""
    answer = _Search(formulas, cuts, time_limit).answer()
    return answer.cuts if isinstance(answer, _Refuted) else answer


@dataclass(slots=True)
class _Search:
    formulas: Sequence[Term]
    cuts: Sequence[range]
    time_limit: float | None
    cases: int = 0
    branchings: int = 0
    first_step: dict[Term, int] = field(default_factory=dict)  # of each atom
    end: float = field(init=False)
    halves: dict[Term, Form] = field(default_factory=dict)  # inequality → its form

    def __post_init__(self) -> None:
        self.end = float("inf") if self.time_limit is None else running_time() + self.time_limit

    def answer(self) -> _Answer:
        contents = [content(one, step) for step, one in enumerate(self.formulas)]
        for step, one in enumerate(contents):
            for atom in _atoms(one):
                self.first_step.setdefault(atom, step)
        constraints = [c for one in contents for c in one.constraints]
        return self._refuted(constraints, [c for one in contents for c in one.choices], 0)

    def _refuted(self, constraints: list[Constraint], choices: list[Choice], depth: int) -> _Answer:
        self.cases += 1
        if self.cases > MOST_CASES or depth > DEEPEST or self.branchings > MOST_BRANCHINGS:
            return Undecided("farkas: too many cases")
        if running_time() > self.end:
            return Undecided("farkas: out of time")
        found = consistent(constraints)
        if isinstance(found, Multipliers):
            return self._sums(constraints, found)
        choice = self._violated(found, choices)
        if choice is None:
            linear = all(_is_understood(atom) for atom in self.first_step)
            return Satisfiable() if linear else Undecided("farkas: the contradiction is not linear")
        return self._by_cases(constraints, [c for c in choices if c is not choice], choice, depth)

    # --- one case -----------------------------------------------------------------------------------------------------

    def _sums(self, constraints: Sequence[Constraint], found: Multipliers) -> _Answer:
        used = sorted(((constraints[i], factor) for i, factor in found.of.items()), key=lambda pair: pair[0].step)
        sorts = {atom.sort for one, _ in used for atom in one.form.factors}
        if sorts >= {INT, REAL}:
            return Undecided("farkas: integers and reals in one contradiction")
        totals, stricts, starts = [constant(0)], [0], [0]  # of the first ones used; how many of them each step has seen
        for step in range(len(self.formulas)):
            for one, factor in used[starts[-1] :]:
                if one.step != step:
                    break
                totals.append(totals[-1].plus(one.form, factor))
                stricts.append(stricts[-1] + (one.relation is Relation.BELOW))
            starts.append(len(totals) - 1)
        sums: dict[tuple[int, int], Term] = {}
        for cut in self.cuts:
            low, high = starts[cut.start], starts[cut.stop]
            if (low, high) not in sums:
                inside = totals[high].plus(totals[low], -1)
                sums[low, high] = self._half(inside, stricts[high] > stricts[low])
        cuts = [sums[starts[cut.start], starts[cut.stop]] for cut in self.cuts]
        return _Refuted(tuple(cuts), frozenset(one for one, _ in used))

    def _half(self, form: Form, strict: bool) -> Term:
        if strict and any(atom.sort is REAL for atom in form.factors):
            return formula(form, Relation.BELOW)
        form, _ = tightened(form, Relation.BELOW if strict else Relation.AT_MOST)
        made = formula(form, Relation.AT_MOST)
        self.halves.setdefault(made, form)
        return made

    # --- cases --------------------------------------------------------------------------------------------------------

    def _violated(self, found: Point, choices: Sequence[Choice]) -> Choice | None:
        """A choice of which the point satisfies no alternative: of the program's first, then between integers."""
        point = found.values
        for choice in choices:
            if not choice.holds(point):
                return choice
        for atom, number in point.items():
            if atom.sort is not REAL and number.denominator != 1:
                self.branchings += 1
                return self._branching(atom, floor(number))
        return None

    def _branching(self, atom: Term, below: int) -> Choice:
        """x ≤ k or x ≥ k + 1: true of every integer, and therefore at home in any step that mentions x."""
        step = self.first_step[atom]
        low = constraint(Form({atom: 1}, -below), Relation.AT_MOST, step)
        high = constraint(Form({atom: -1}, below + 1), Relation.AT_MOST, step)
        return Choice(step, (Content([low]), Content([high])))

    def _by_cases(self, constraints: list[Constraint], choices: list[Choice], choice: Choice, depth: int) -> _Answer:
        cases: list[_Refuted] = []
        for one in choice.alternatives:
            answer = self._refuted(constraints + one.constraints, choices + one.choices, depth + 1)
            if not isinstance(answer, _Refuted):
                return answer
            if answer.used.isdisjoint(_constraints(one)):
                return answer  # the choice has no part in the contradiction
            cases.append(answer)
        cuts = [
            self._any(interpolants) if choice.step in cut else self._all(interpolants)
            for cut, *interpolants in zip(self.cuts, *(case.cuts for case in cases), strict=True)
        ]
        return _Refuted(tuple(cuts), frozenset[Constraint]().union(*(case.used for case in cases)))

    def _all(self, parts: Sequence[Term]) -> Term:
        """The conjunction; e ≤ 0 and -e ≤ 0 are e = 0, and of e ≤ 0 and e + 1 ≤ 0 the second is enough."""
        together = self._extreme(conjuncts(and_(*parts)), greatest=True)
        found: list[Term] = []
        for part in together:
            form = self.halves.get(part)
            opposite = None if form is None else formula(form.times(-1), Relation.AT_MOST)
            if form is not None and opposite is not part and opposite in together:
                part = formula(form, Relation.EQUAL)
            found.append(part)
        return and_(*dict.fromkeys(found))

    def _any(self, parts: Sequence[Term]) -> Term:
        """The disjunction; of e ≤ 0 and e + 1 ≤ 0 the first is enough."""
        return or_(*self._extreme(disjuncts(or_(*parts)), greatest=False))

    def _extreme(self, parts: Sequence[Term], greatest: bool) -> tuple[Term, ...]:
        """Of inequalities that differ in their constant only, the one with the greatest or least."""
        kept: dict[Hashable, Term] = {}
        for part in parts:
            form = self.halves.get(part)
            key: Hashable = part if form is None else frozenset(form.factors.items())
            other = self.halves.get(kept.get(key, part))
            if form is None or other is None or other is form or (form.constant > other.constant) is greatest:
                kept[key] = part
        return tuple(kept.values())


def _constraints(one: Content) -> Iterator[Constraint]:
    """All constraints of a content, those inside of its choices too."""
    stack = [one]
    while stack:
        here = stack.pop()
        yield from here.constraints
        stack += [inside for choice in here.choices for inside in choice.alternatives]


def _atoms(one: Content) -> Iterator[Term]:
    return (atom for c in _constraints(one) for atom in c.form.factors)


_UNDERSTOOD = (ops.VARIABLE, ops.ITE, ops.ABS)


def _is_understood(atom: Term) -> bool:
    """Whether constraints say all there is to know about an atom."""
    if atom.op is ops.DIV:
        return atom.args[1].is_value and atom.args[1].payload > 0
    return atom.op in _UNDERSTOOD
