"""The outcome for a function that is called with arbitrary arguments (`--function`), in the user's words: of the file
that was given, not of its copy; and no more than what was looked at.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from craton.report.unknown import OTHER_MEMORY
from craton.report.verdict import Outcome
from craton.verdicts.text import VerdictKind, VerdictText

if TYPE_CHECKING:
    from craton.frontends.function_entry import FunctionProgram


def of_called(found: Outcome, called: FunctionProgram) -> Outcome:
    if called.looked_at and found.verdict.kind is VerdictKind.TRUE:
        reason = f"no violation where {called.looked_at}, but {OTHER_MEMORY}"
        found = replace(found, verdict=VerdictText(VerdictKind.UNKNOWN), reason=reason, evidence="", invariants=[])
    way, violated = called.with_one_call(found.way, found.violated)
    found = replace(found, way=way, violated=violated)
    names = [one.name for one in fields(found) if one.name != "verdict"]
    renamed: dict[str, Any] = {name: called.renamed(getattr(found, name)) for name in names}
    return replace(found, **renamed)
