"""The same proof in plainer words: invariants that were made by weakest preconditions along a trace say what they must,
but no person would say it so. If the comparisons that occur in them, and what is known of single variables, are a proof
by themselves, then a few of these are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from craton.engines.contract import Budget
from craton.engines.houdini import Guesses, inductive
from craton.facts import facts
from craton.logic import FALSE, Term, and_, conjuncts, not_, ops, size, substitute
from craton.logic.build import rebuild
from craton.logic.walk import atoms, fold
from craton.program.cfa import Edge, Location, Program
from craton.program.transitions import Transition, transition
from craton.smt import Solver, Unsat, make_solver

SOLVER = "z3"  # that plain proofs rely on
LONG, HOPELESS = 15, 300  # nodes of an invariant that is worth the effort, and of one that nobody can say plainly
_PLAIN, _MOST = 12, 16  # nodes of a comparison that is a guess, and how many are tried at a location
_QUERY, _SHARE = 0.1, 0.2  # seconds for one query; the part of the time that is for facts


def is_long(invariants: Mapping[Location, Term]) -> bool:
    """Whether plainer words are wanted, and not beyond hope."""
    return LONG < max((size(invariant, HOPELESS) for invariant in invariants.values()), default=0) < HOPELESS


def plain_proof(program: Program, invariants: Mapping[Location, Term], budget: Budget) -> dict[Location, Term] | None:
    """Inductive invariants of plain comparisons that exclude the errors; None if there are none that are shorter."""
    steps = {edge: transition(edge.statement) for edge in program.main.edges}
    solver = make_solver(SOLVER, time_limit=_QUERY)
    guesses = _guesses(program, invariants, budget)
    search = _Search(program, steps, inductive(program, steps, guesses, solver, budget), solver, budget)
    if not all(search.holds(edge) for edge in search.to_errors):
        return None
    search.leave_out_what_is_not_needed()
    found = {location: and_(*parts) for location, parts in search.parts.items()}
    return found if _length(found) < _length(invariants) else None


def _length(invariants: Mapping[Location, Term]) -> int:
    return sum(map(size, invariants.values()))


def _guesses(program: Program, invariants: Mapping[Location, Term], budget: Budget) -> Guesses:
    known = facts(program, None if budget.left is None else _SHARE * budget.left)
    found: Guesses = {}
    for location, invariant in invariants.items():
        if invariant is not FALSE and location not in program.errors:
            found[location] = list(dict.fromkeys((*known.get(location, ()), *_literals(invariant))))
    return found


def _literals(invariant: Term) -> Iterator[Term]:
    """Plain parts of the invariant, and the comparisons in it, one way and the other."""
    yield from (part for part in conjuncts(invariant) if size(part, _PLAIN) <= _PLAIN)
    compared = dict.fromkeys(case for atom in atoms(invariant) for case in _cases(atom))
    for atom in sorted((atom for atom in compared if size(atom, _PLAIN) <= _PLAIN), key=size)[:_MOST]:
        yield from (atom, not_(atom))


def _cases(atom: Term) -> tuple[Term, Term]:
    """The comparison with the first, and with the second of the values between which its terms choose."""

    def choosing(which: int) -> Callable[[Term, list[Term]], Term]:
        return lambda node, parts: parts[which] if node.op is ops.ITE else rebuild(node, parts)

    return fold(atom, choosing(1)), fold(atom, choosing(2))


class _Search:
    """What can be left out of inductive invariants that exclude the errors."""

    def __init__(
        self, program: Program, steps: Mapping[Edge, Transition], parts: Guesses, solver: Solver, budget: Budget
    ) -> None:
        self.steps = steps
        self.errors = program.errors
        self.parts = parts
        self.solver = solver
        self.budget = budget
        self.to_errors = [edge for edge in steps if edge.target in program.errors]

    def holds(self, edge: Edge) -> bool:
        """Whether what is said before the step implies what is said after it."""
        self.budget.check()
        if edge.source not in self.parts:
            return True
        step = self.steps[edge]
        after = FALSE if edge.target in self.errors else self._said(edge.target)
        with self.solver.scope():
            self.solver.add(self._said(edge.source), step.guard, not_(substitute(after, step.updates)))
            return isinstance(self.solver.check(), Unsat)

    def _said(self, location: Location) -> Term:
        return and_(*self.parts[location]) if location in self.parts else FALSE

    def leave_out_what_is_not_needed(self) -> None:
        """The longest first; again and again, since what is needed for another part may go with it."""
        count = None
        while count != (count := sum(map(len, self.parts.values()))):
            for location in self.parts:
                self._leave_out(location)

    def _leave_out(self, location: Location) -> None:
        for part in sorted(self.parts[location], key=size, reverse=True):
            before = self.parts[location]
            self.parts[location] = [other for other in before if other is not part]
            touched = [edge for edge in self.steps if location in (edge.source, edge.target)]
            if not all(map(self.holds, touched)):
                self.parts[location] = before
