"""What refiners learn from the first spurious error path of a subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from craton.configuration.refiners import refiner
from craton.verification.explaining import USUAL, Clock, Wanted, explanations, spurious

if TYPE_CHECKING:
    from craton.library.subject import Subject
    from craton.traces.explanation import Explanation
    from craton.traces.refutation import Refiner
    from craton.trees.explanation import TreeExplanation


def explained(
    subject: Subject, refine: Sequence[str | Refiner] | None, unroll: int, seconds: float
) -> Explanation | TreeExplanation:
    refiners = [refiner(one) if isinstance(one, str) else one for one in (USUAL if refine is None else refine)]
    clock = Clock(seconds)
    with subject.at_hand() as folder:
        found = spurious(subject.request, Wanted(unroll, folder=folder), clock, refiners)
    _, explanation = next(explanations(found, refiners, clock))
    return cast("Explanation | TreeExplanation", explanation)
