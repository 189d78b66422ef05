"""A proof by looking at all runs: all of them end, and none at an error.

The runs are followed all at once (`program/unfolding`). The proof names the states that no run comes to, beside errors,
so that unfolding ends. Solvers show that no run comes to these, in the order of time and some at a time, each time with
what was shown before; so they find the way again that unfolding has gone. By the law of unfolding every run then passes
only states that were followed, and ends with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from craton.evidence.checker import Confirmed, Flaw, Question, check_questions
from craton.evidence.paths import error_on_some_path
from craton.logic import Term, free_variables, not_, or_
from craton.processes.running_time import running_time
from craton.program.cfa import Location, Program
from craton.program.unfolding import AllRuns, Unfolding, needed_definitions

MOST_QUESTIONS = 16


@dataclass(frozen=True, slots=True)
class Exhaustion:
    """The claim that all runs of a program without calls end, none at an error."""

    program: Program
    runs: AllRuns

    def questions(self, deadline: float | None = None) -> list[Question] | Flaw:
        """What shows it; a flaw if runs go on."""
        unfolding = Unfolding(self.program, self.runs.order)
        claims: list[Term] = []
        seen, state = 0, unfolding.first()
        while True:
            if deadline is not None and running_time() > deadline:
                return Flaw(None, "no time left to follow all runs", decided=False)
            if state.location in self.program.errors or (state.time, state.location) in self.runs.unreached:
                claims.append(state.condition)
            else:
                unfolding.follow(state)
            following, seen = unfolding.next(), seen + 1
            if following is None:
                break
            if seen == self.runs.states:
                return Flaw(None, f"some run goes on after {seen} states, to {following.location}")
            state = following
        return list(one_after_another(claims, unfolding.definitions))


def check_exhaustion(
    claimed: Exhaustion, checkers: Sequence[str], seconds: float | None = None, *, opinions: int = 1
) -> Flaw | Confirmed:
    started = running_time()
    questions = claimed.questions(None if seconds is None else started + seconds)
    if isinstance(questions, Flaw):
        return questions
    left = None if seconds is None else max(0.0, seconds - (running_time() - started))
    found = check_questions(questions, checkers, left, opinions=opinions, alike=True)
    return _second_opinion(claimed.program, checkers) or found if isinstance(found, Confirmed) else found


def _second_opinion(program: Program, checkers: Sequence[str]) -> Flaw | None:
    """What speaks against a proof that one unfolding has found and the same one has confirmed: a path to an error that
    somebody finds who does not unfold.
    """
    error = error_on_some_path(program, checkers[-1]) if checkers else None
    return Flaw(None, f"followed path by path, some run comes to {error}") if isinstance(error, Location) else None


def one_after_another(claims: Sequence[Term], definitions: Mapping[Term, Term]) -> Iterator[Question]:
    """Law: if each question's formulas contradict each other, no claim holds together with the definitions. Of the
    claims before, which cannot hold then, those are denied that a question's own definitions speak of.
    """
    failed, open_ = "some run comes to where none should", "not shown: all runs end, and none at an error"
    size = max(1, -(-len(claims) // MOST_QUESTIONS))
    for first in range(0, len(claims), size):
        claimed = or_(*claims[first : first + size])
        told = needed_definitions(claimed, definitions)
        spoken_of = frozenset(equation.args[0] for equation in told)
        shown = (claim for claim in claims[:first] if free_variables(claim) <= spoken_of)
        yield Question((claimed, *(not_(claim) for claim in shown), *told), failed, open_)
