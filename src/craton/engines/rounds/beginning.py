"""What a first step leaves behind: what is known of the variables that no later step writes, and the others as
functions of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.engines.rounds.terms import as_conjunction, follows
from craton.logic import BOOL, BitVec, Term, and_, conjuncts, eq, free_variables, substitute
from craton.logic.equations import said_equal
from craton.program.transitions import Transition
from craton.smt import Sat, Solver


class NoFunction(Exception):
    """The state is no function of what does not change, or nobody knows which."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """`fixed` are variables that are never written again. A variable that is itself in the state holds anything."""

    fixed: tuple[Term, ...]
    known: Term
    state: Mapping[Term, Term]


def beginning(
    step: Transition, fixed: Sequence[Term], changing: Sequence[Term], written: frozenset[Term], solver: Solver
) -> Beginning:
    """After the first step; `changing` are the variables that matter and are `written` later."""
    names = {step.updates[x]: x for x in fixed if step.updates.get(x, x).is_variable and x in step.updates}
    same = (eq(x, substitute(step.updates[x], names)) for x in fixed if x in step.updates)
    facts = and_(substitute(step.guard, names), *same)
    values = {x: substitute(step.updates.get(x, x), names) for x in changing}
    needed = frozenset[Term]().union(*map(free_variables, values.values())) - frozenset(fixed)
    told = _told(facts, (free_variables(facts) | needed) - frozenset(fixed), fixed, solver)
    for symbol in sorted(needed - told.keys(), key=lambda x: x.serial):
        keeper = _keeper(symbol, step, written)
        if keeper is not None:
            told[symbol] = keeper
    state = {x: substitute(value, told) for x, value in values.items()}
    kept = [x for x in told.values() if x.is_variable]
    spoken_of = frozenset((*fixed, *kept)) & frozenset[Term](fixed).union(*map(free_variables, state.values()))
    parts = conjuncts(as_conjunction(substitute(facts, told)))
    known = and_(*(part for part in parts if free_variables(part) <= spoken_of))
    state = {x: value if free_variables(value) <= spoken_of else x for x, value in state.items()}
    return Beginning(tuple(sorted(spoken_of, key=lambda x: x.serial)), known, state)


def _keeper(symbol: Term, step: Transition, written: frozenset[Term]) -> Term | None:
    """A variable that keeps what was chosen in the first step, though no round needs it."""
    kept = (x for x in step.updates.keys() - written if step.updates[x] is symbol and is_plain(x))
    return min(kept, key=lambda x: x.serial, default=None)


def _told(facts: Term, symbols: frozenset[Term], fixed: Sequence[Term], solver: Solver) -> dict[Term, Term]:
    """What was chosen in the first step and is a constant or a fixed variable all the same, as those."""
    answer = solver.check(facts)
    if not isinstance(answer, Sat):
        raise NoFunction("nothing is known of the first states")
    found: dict[Term, Term] = {}
    for symbol in sorted(symbols, key=lambda x: x.serial):
        now = answer.model.term(symbol)
        same = (x for x in fixed if x.sort is symbol.sort and answer.model.term(x) is now)
        told = next((t for t in (now, *same) if follows(solver, facts, eq(symbol, t))), None)
        if told is not None:
            found[symbol] = told
    return found


def definitions(known: Term, symbols: Sequence[Term], fixed: Sequence[Term]) -> dict[Term, Term]:
    """Symbols that are not fixed and are said to be values, or other symbols, fixed ones rather than others."""
    found: dict[Term, Term] = {}
    rank = {x: number for number, x in enumerate((*fixed, *(x for x in symbols if x not in frozenset(fixed))))}
    for part in conjuncts(known):
        for one, other in said_equal(substitute(part, found)):
            if rank.get(one, 0) >= len(fixed) and (other.is_value or rank.get(other, len(rank)) < rank[one]):
                found = {x: substitute(term, {one: other}) for x, term in found.items()} | {one: other}
                break
    return found


def is_plain(variable: Term) -> bool:
    return isinstance(variable.sort, BitVec) or variable.sort is BOOL
