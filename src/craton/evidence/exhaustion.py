"""A proof by looking at all runs: none has more than n steps, and none comes to an error.

The runs are followed layer by layer (`program/layers`). The proof names the states that no run comes to, beside errors,
so that the layers end; one question to a solver shows all of that. By the law of layers every run then passes only
states that were followed, and ends with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from craton.evidence.checker import Confirmed, Flaw, Question, check_questions
from craton.logic import Term, eq, free_variables, or_
from craton.processes.running_time import running_time
from craton.program.cfa import Program
from craton.program.layers import AllRuns, Layers


@dataclass(frozen=True, slots=True)
class Exhaustion:
    """The claim that all runs of a program without calls have ended after so many steps, none at an error."""

    program: Program
    runs: AllRuns

    def question(self, deadline: float | None = None) -> Question | Flaw:
        """What shows it; a flaw if runs go on."""
        layers = Layers(self.program)
        layer = [layers.first()]
        claims: list[Term] = []
        for steps in range(1, self.runs.steps + 1):
            if deadline is not None and running_time() > deadline:
                return Flaw(None, "no time left to follow all runs", decided=False)
            states, layer = layers.following(layer), []
            for state in states:
                if state.location in self.program.errors or (steps, state.location) in self.runs.unreached:
                    claims.append(state.condition)
                else:
                    layer.append(state)
        if layer:
            return Flaw(None, f"some run goes on after {self.runs.steps} steps, at {layer[0].location}")
        claimed = or_(*claims)
        failed, open_ = "some run comes to where none should", "not shown: all runs end, and none at an error"
        return Question((claimed, *_needed(claimed, layers.definitions)), failed, open_)


def check_exhaustion(
    claimed: Exhaustion, checkers: Sequence[str], seconds: float | None = None, *, opinions: int = 1
) -> Flaw | Confirmed:
    started = running_time()
    question = claimed.question(None if seconds is None else started + seconds)
    if isinstance(question, Flaw):
        return question
    left = None if seconds is None else max(0.0, seconds - (running_time() - started))
    return check_questions([question], checkers, left, opinions=opinions)


def _needed(root: Term, definitions: Mapping[Term, Term]) -> list[Term]:
    """The definitions on which a formula depends. Without the others it says less, so nothing is shown wrongly."""
    found: dict[Term, None] = {}
    waiting = [root]
    while waiting:
        for name in free_variables(waiting.pop()):
            if name in definitions and name not in found:
                found[name] = None
                waiting.append(definitions[name])
    return [eq(name, definitions[name]) for name in found]
