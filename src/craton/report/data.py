"""Explanations as data, for `--json`."""

from __future__ import annotations

from typing import Any

from craton.logic import infix, ordered_variables, to_smtlib
from craton.traces.explanation import Column, Explanation


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
