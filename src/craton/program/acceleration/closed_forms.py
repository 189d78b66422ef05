"""What n rounds of a loop's body do to the variables, in closed form.

Values are bit-vectors, and so are the closed forms: x + n·c and x + n·c + n·(n - 1)/2·d are exact modulo 2^w, however
often they wrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from craton.logic import BitVec, Term, bv, bvadd, bvmul, bvsub, extract, free_variables, ops, substitute, zero_extend
from craton.logic.affine import affine, low_part
from craton.program.transitions import Transition


class NotAccelerated(Exception):
    """The body has no closed form that is known here."""


@dataclass(frozen=True, slots=True)
class ClosedForms:
    """How a body without inputs changes the variables in each round.

    linear      x := x + c, c being the same in all rounds
    quadratic   x := x + t, t being linear: it grows by the same amount in each round
    resets      x := t, where t speaks of variables that are not reset
    """

    linear: Mapping[Term, Term]  # to what is added
    quadratic: Mapping[Term, tuple[Term, Term]]  # to what is added in the first round, and how much that grows
    resets: Mapping[Term, Term]

    @property
    def changed(self) -> frozenset[Term]:
        return frozenset((*self.linear, *self.quadratic, *self.resets))

    @property
    def width(self) -> int:
        """Of a counter of rounds: after 2^width rounds all is as before, but for what is quadratic."""
        return max((_width(x) for x in (*self.linear, *self.quadratic)), default=1)

    def counted(self, n: Term) -> dict[Term, Term]:
        """What is added to, after n rounds, n ≥ 0."""
        found = {x: bvadd(x, bvmul(resized(n, _width(x)), c)) for x, c in self.linear.items()}
        for x, (first, growth) in self.quadratic.items():
            width = _width(x)
            found[x] = bvadd(x, bvmul(resized(n, width), first), bvmul(_pairs(n, width), growth))
        return found

    def after(self, n: Term) -> dict[Term, Term]:
        """All that changes, after n rounds, n ≥ 1: what is reset has its value from the last of them."""
        before_last = self.counted(bvsub(n, bv(1, _width(n))))
        return {**self.counted(n), **{x: substitute(t, before_last) for x, t in self.resets.items()}}

    def difference(self, term: Term) -> Term | None:
        """What is added to a term in one round, if that is the same in all of them. It speaks of nothing reset."""
        if not isinstance(term.sort, BitVec):
            return None
        later = substitute(term, {x: bvadd(x, c) for x, c in self._added().items()})
        grown = affine(later).minus(affine(term)).term
        return None if free_variables(grown) & self.changed else grown

    def _added(self) -> dict[Term, Term]:
        return {**self.linear, **{x: first for x, (first, _) in self.quadratic.items()}}


def closed_forms(step: Transition) -> ClosedForms | None:
    """Of the body that a transition is; None if what is reset depends on what else is reset."""
    if step.inputs:
        raise NotAccelerated
    updates = {x: t for x, t in step.updates.items() if not _stays(x, t)}
    linear = steady_sums(updates)
    counting = ClosedForms(linear, {}, {x: t for x, t in updates.items() if x not in linear})
    quadratic: dict[Term, tuple[Term, Term]] = {}
    for x in counting.resets:
        first = _added(x, updates[x])
        growth = None if first is None or _speaks_of(first, counting.resets) else counting.difference(first)
        if first is not None and growth is not None:
            quadratic[x] = first, growth
    resets = {x: t for x, t in counting.resets.items() if x not in quadratic}
    return None if any(_speaks_of(t, resets) for t in resets.values()) else ClosedForms(linear, quadratic, resets)


def steady_sums(updates: Mapping[Term, Term]) -> dict[Term, Term]:
    """What is added to variables, where it is the same in all rounds."""
    changed = [x for x, t in updates.items() if not _stays(x, t)]
    added = {x: rest for x in changed if (rest := _added(x, updates[x])) is not None}
    return {x: rest for x, rest in added.items() if not _speaks_of(rest, changed)}


def resized(n: Term, width: int) -> Term:
    """A number of rounds modulo 2^width."""
    has = _width(n)
    return n if has == width else zero_extend(width - has, n) if has < width else extract(width - 1, 0, n)


def _pairs(n: Term, width: int) -> Term:
    """n·(n - 1)/2 modulo 2^width."""
    wide = resized(n, width + 1)
    return extract(width, 1, bvmul(wide, bvsub(wide, bv(1, width + 1))))


def _stays(x: Term, value: Term) -> bool:
    added = _added(x, value)
    return x is value or (added is not None and added.is_value and added.payload == 0)


def _added(x: Term, value: Term) -> Term | None:
    """What x := value adds to x, if it does."""
    if not isinstance(x.sort, BitVec):
        return None
    if value.op is ops.EXTRACT and value.payload[1] == 0:
        value = low_part(value.args[0], value.payload[0] + 1)
    found = affine(value)
    return found.without(x).term if found.factors.get(x) == 1 else None


def _speaks_of(term: Term, variables: Iterable[Term]) -> bool:
    return not free_variables(term).isdisjoint(variables)


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width
