"""Proofs that are kept, and checked again: each TRUE of a campaign by `craton check`, in a process of its own.

What found the proof, and what confirmed it, is gone by then: the program is read again from its text. A run whose
proof is not accepted has no verdict but an error; one that contradicts the expected verdict stays wrong.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from craton.bench.configurations import source_options
from craton.bench.results import WRONG, NoVerdict, RunRecord, score_of
from craton.bench.runs import CRATON, Run, with_grace
from craton.processes.keeper import Contained, Order
from craton.processes.limits import Limits
from craton.verdicts.text import VerdictKind

ACCEPTED, REFUSED, UNKNOWN = "accepted", "refused", "unknown"  # the answers of `craton check`
MISSING, FAILED = "missing", "failed"  # no proof was written; no answer came

_CHECK_SECONDS = 300.0  # of wall time: what `craton check` takes by itself
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Check:
    """A run that said TRUE, and its proof on disk. It takes a place among the runs."""

    run: Run
    record: RunRecord
    proof: Path

    def order(self, command: Sequence[str] = CRATON) -> Order:
        own = ("--time-limit", f"{_CHECK_SECONDS:g}", "--json")
        options = (*source_options(self.run.configuration), *own)
        words = (*command, "check", str(self.proof), *self.run.task.arguments(), *options)
        return Order(words, Limits(with_grace(_CHECK_SECONDS), None, self.run.limits.memory))

    def judged(self, what: Contained, kept: str) -> RunRecord:
        """The record with what came of the check. `kept` is the proof's path in the campaign."""
        told = _answer(what)
        answer = str(told.get("answer", FAILED))
        seconds = told.get("seconds")
        record = dataclasses.replace(
            self.record, proof=kept, check=answer, check_seconds=seconds if isinstance(seconds, float) else None
        )
        if answer == ACCEPTED:
            return record
        return _without_verdict(record, f"its proof was not accepted ({answer}): {told.get('reason') or _end(what)}")


def without_proof(record: RunRecord, what: Contained) -> RunRecord:
    """The record of a TRUE of which no proof was kept."""
    told = _object(what.output).get("files")
    why = [line for line in told if str(line).startswith("no proof")] if isinstance(told, list) else []
    reason = f"no proof of it was kept: {why[0] if why else 'none was written, or one too large to be handed on'}"
    return _without_verdict(dataclasses.replace(record, check=MISSING), reason)


def needs_check(record: RunRecord) -> bool:
    return record.kind() is VerdictKind.TRUE


def is_not_accepted(record: RunRecord) -> bool:
    return record.check not in ("", ACCEPTED)


def complaint(record: RunRecord) -> str:
    """What nobody must overlook, in one line."""
    return f"NOT ACCEPTED: {record.task} ({record.property}) under {record.config}: {record.reason}"


def _without_verdict(record: RunRecord, reason: str) -> RunRecord:
    """A verdict that is known to be wrong stays it: an error is less."""
    reason = " ".join(reason.split())[:_LONGEST_REASON]
    if record.status in WRONG:
        return dataclasses.replace(record, reason=reason)
    status = NoVerdict.ERROR.status
    return dataclasses.replace(
        record, verdict=str(NoVerdict.ERROR), status=status, score=score_of(status), reason=f"said true, but {reason}"
    )


# The exit codes of `craton check`: an answer that they contradict is none.
_CODES = {ACCEPTED: 0, REFUSED: 1, UNKNOWN: 3}


def _answer(what: Contained) -> dict[str, Any]:
    told = _object(what.output)
    answered = what.exceeded is None and _CODES.get(str(told.get("answer"))) == what.exit_code
    return told if answered and what.exit_code is not None else {}


def _object(output: str) -> dict[str, Any]:
    try:
        content = json.loads(output)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _end(what: Contained) -> str:
    lines = [line.strip() for line in what.log.splitlines() if line.strip()]
    return what.reason or (lines[-1] if lines else f"exit code {what.exit_code}")
