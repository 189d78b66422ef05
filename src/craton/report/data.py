"""Explanations as data, for `--json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from craton.logic import infix, ordered_variables, to_smtlib
from craton.traces.explanation import Column, Explanation
from craton.traces.refutation import Answer, Refutation


def as_data(explanation: Explanation) -> dict[str, Any]:
    """Everything, with formulas in SMT-LIB and as people write them."""
    return {
        "trace": [
            {"statement": statement, "line": int(place) if place else None}
            for statement, place in zip(explanation.statements, explanation.places, strict=True)
        ],
        "refiners": [_column_data(column) for column in explanation.columns],
    }


def _column_data(column: Column) -> dict[str, Any]:
    return {
        "refiner": column.refiner,
        "verdict": column.verdict,
        "perfect": column.perfect,
        "seconds": round(column.seconds, 6),
        "size": column.total_size,
        "core": None if column.core is None else sorted(column.core),
        **_told_besides(column.answer),
        "assertions": [
            {
                "formula": infix(assertion),
                "smtlib": to_smtlib(assertion),
                "variables": [v.name for v in ordered_variables(assertion)],
                "live": list(column.live(position)),
            }
            for position, assertion in enumerate(column.assertions)
        ],
    }


def _told_besides(answer: Answer) -> dict[str, Any]:
    """What a refutation tells besides its assertions, where there is something to tell."""
    found: dict[str, Any] = {}
    if isinstance(answer, Refutation):
        if answer.selection is not None:
            found["selection"] = asdict(answer.selection)
        if answer.abstraction is not None:
            templates = [infix(term) for term in answer.abstraction.templates]
            found["abstraction"] = {"templates": templates, "frontier": answer.abstraction.frontier}
        if answer.unchecked is not None:
            found["unchecked steps"] = answer.unchecked
    return found
