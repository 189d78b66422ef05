"""The body of a loop, n times in a row, as one step.

    choose n; assume n ≥ 1, and the guard in rounds 0 … n - 1; x := what it is after n rounds

Law: such a step is n rounds of the body, so whatever it reaches the loop reaches; and one round of the body is such a
step. Where the guard reads what the body resets, the first round is taken by itself: after it, what is reset is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from craton.logic import (
    FALSE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvsub,
    bvule,
    bvult,
    conjuncts,
    eq,
    free_variables,
    ite,
    or_,
    substitute,
    var,
)
from craton.program.acceleration.closed_forms import ClosedForms, NotAccelerated, closed_forms, resized, steady_sums
from craton.program.acceleration.guards import Duration, Stay, stay
from craton.program.transitions import Transition


@dataclass(frozen=True, slots=True)
class Body:
    """`step` has `rounds` as its only input. If `exact` holds behind a step, a second one leads nowhere but to where
    the first one could have led, or began. `whole`, where it is known, is the step with as many rounds as the guard
    allows; it needs no input.
    """

    step: Transition
    rounds: Term
    exact: Term
    whole: Transition | None

    @property
    def zero(self) -> Term:
        return bv(0, _width(self.rounds))

    @property
    def or_none(self) -> Transition:
        """The step, or no round at all (n = 0)."""
        none = eq(self.rounds, self.zero)
        at_first = {x: substitute(t, {self.rounds: self.zero}) for x, t in self.step.updates.items()}
        updates = {x: t if at_first[x] is x else ite(none, x, t) for x, t in self.step.updates.items()}
        return replace(self.step, guard=or_(none, self.step.guard), updates=updates)


def accelerated(step: Transition, counter: str) -> Body:
    """The rounds of a body, counted by a variable of this name."""
    forms = closed_forms(step)
    if forms is None or _reads_resets(step, forms):
        return _after_first(step, counter)
    n = _counter(counter, forms.width, forms)
    one = bv(1, _width(n))
    stays = [stay(atom, forms, bvsub(n, one)) for atom in conjuncts(step.guard)]
    guard = and_(bvule(one, n), *(found.condition for found in stays))
    most = _most(stays, _width(n))
    whole = None
    if most is not None:
        whole = Transition(and_(step.guard, bvult(most, bv(-1, _width(n)))), forms.after(bvadd(most, one)))
    return Body(Transition(guard, forms.after(n), (n,)), n, _exact(stays, forms), whole)


def _after_first(step: Transition, counter: str) -> Body:
    """One round, and then others, in which what is reset has the value that the round before gave it."""
    known = _known_after_a_round(step)
    later = Transition(
        substitute(step.guard, known), {x: t if x in known else substitute(t, known) for x, t in step.updates.items()}
    )
    forms = closed_forms(later)
    if forms is None or _reads_resets(later, forms):
        raise NotAccelerated
    n = _counter(counter, forms.width + 1, forms)  # one round more than what is counted
    one, others = bv(1, _width(n)), bvsub(n, bv(1, _width(n)))
    stays = [stay(atom, forms, bvsub(others, one)) for atom in conjuncts(later.guard)]
    counted = forms.counted(others)
    first = {x: t for x, t in step.updates.items() if x is not t}
    updates = {**first, **{x: substitute(t, first) for x, t in counted.items()}}
    for x, t in forms.after(others).items():
        if x in known:
            updates[x] = substitute(substitute(known[x], counted), first)
        elif x not in counted:
            updates[x] = ite(eq(n, one), first[x], substitute(t, first))
    goes_on = substitute(and_(*(found.condition for found in stays)), first)
    guard = and_(step.guard, bvule(one, n), or_(eq(n, one), goes_on))
    return Body(Transition(guard, updates, (n,)), n, _exact(stays, forms), None)


def _known_after_a_round(step: Transition) -> dict[Term, Term]:
    """What is reset, said of what it is after the round: values that are counted are traced back by one round."""
    counted = steady_sums(step.updates)
    before = {x: bvsub(x, c) for x, c in counted.items()}
    unsteady = {x for x, t in step.updates.items() if x is not t and x not in counted}
    resets = {x: step.updates[x] for x in unsteady if unsteady.isdisjoint(free_variables(step.updates[x]))}
    return {x: substitute(t, before) for x, t in resets.items()}


def _counter(name: str, width: int, forms: ClosedForms) -> Term:
    """Of rounds; without anything to count it would be of no use."""
    if not forms.linear and not forms.quadratic:
        raise NotAccelerated
    return var(name, BitVec(width))


def _reads_resets(step: Transition, forms: ClosedForms) -> bool:
    counted = [t for x, t in step.updates.items() if x not in forms.resets]
    return any(free_variables(term) & forms.resets.keys() for term in (step.guard, *counted))


def _exact(stays: Sequence[Stay], forms: ClosedForms) -> Term:
    """Without an end, what is counted comes back after 2^w rounds; but a step of so many rounds there is not, and
    neither what is reset nor what is quadratic is as before.
    """
    ends = any(found.rounds is not Duration.FOREVER for found in stays)
    return and_(*(found.exact for found in stays)) if ends or not (forms.quadratic or forms.resets) else FALSE


def _most(stays: Sequence[Stay], width: int) -> Term | None:
    """How often the guard holds again if it holds now."""
    found: Term | None = None
    for one in stays:
        if one.rounds is Duration.OPEN:
            return None
        if isinstance(one.rounds, Term):
            rounds = resized(one.rounds, width)
            found = rounds if found is None else ite(bvult(rounds, found), rounds, found)
    return found


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width
