"""The page of a run, made of what it printed: the same as `craton verify --report`."""

from __future__ import annotations

import json
import shlex

from craton.bench.runs import Run
from craton.processes.keeper import Contained
from craton.report.checks import SourceTexts
from craton.report.html import About, report
from craton.report.verdict import outcome_of_data


def run_report(run: Run, what: Contained) -> str | None:
    """The page; None if the run printed no verdict."""
    try:
        content = json.loads(what.output)
    except ValueError:
        return None
    told = outcome_of_data(content) if isinstance(content, dict) else None
    if told is None:
        return None
    texts = SourceTexts()
    told.sources = {str(path): "\n".join(texts.lines(str(path))) for path in run.task.inputs if path.suffix in _TEXTS}
    arguments = (*run.task.arguments(), *(one for one in run.configuration.arguments() if "{" not in one))
    configuration = {"configuration": run.configuration.name, "expected": run.task.expected or "not known"}
    return report(told, About(told.picture, configuration, f"craton verify {shlex.join(arguments)}"))


_TEXTS = (".c", ".i", ".h", ".bpl", ".smt2")
