"""Explanations as data, for `--json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from craton.logic import infix, ordered_variables, to_smtlib
from craton.traces.explanation import Column, Explained
from craton.traces.refutation import Answer, Element, Refutation
from craton.trees.explanation import TreeExplanation


def as_data(explanation: Explained) -> dict[str, Any]:
    """Everything, with formulas in SMT-LIB and as people write them."""
    return {**_steps(explanation), "refiners": [_column_data(explanation, column) for column in explanation.columns]}


def _steps(explanation: Explained) -> dict[str, Any]:
    lines = [(line.text, int(line.place) if line.place else None) for line in explanation.lines]
    if isinstance(explanation, TreeExplanation):
        nodes = zip(lines, explanation.facts, explanation.tree.nodes, strict=True)
        return {
            "tree": [
                {"clause": text, "line": line, "derives": fact, "premises": list(node.children)}
                for (text, line), fact, node in nodes
            ]
        }
    return {"trace": [{"statement": text, "line": line} for text, line in lines]}


def _column_data(explanation: Explained, column: Column) -> dict[str, Any]:
    return {
        "refiner": column.refiner,
        "verdict": column.verdict,
        "perfect": column.perfect,
        "quality": None if column.quality is None else column.quality.name.lower(),
        "seconds": round(column.seconds, 6),
        "size": column.total_size,
        "core": None if column.core is None else sorted(column.core),
        **_told_besides(column.answer),
        "assertions": [
            {
                "formula": explanation.told(assertion),
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
            found["abstraction"] = {
                "templates": [infix(term) for term in answer.abstraction.templates],
                "frontier": answer.abstraction.frontier,
                "sets": [[infix(term) for term in element] for element in answer.abstraction.sets],
                "elements": [_element(element) for element in answer.abstraction.elements],
                "base": answer.abstraction.base,
                "complete": answer.abstraction.complete,
            }
        if answer.unchecked is not None:
            found["unchecked steps"] = answer.unchecked
    return found


def _element(element: Element) -> dict[str, Any]:
    members = [{"place": member.place, "term": infix(member.term)} for member in element.members]
    return {"cost": element.cost, "members": members}
