"""One run: from a task and a configuration to a command, and from its outcome to a record."""

from __future__ import annotations

import hashlib
import json
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from craton.bench.configurations import Configuration
from craton.bench.results import NoVerdict, RunRecord, score_of, status_of
from craton.bench.tasks import BenchTask
from craton.processes.keeper import FILE, PYTHON, Contained, Order
from craton.processes.limits import Kind, Limits
from craton.verdicts.text import Limit, VerdictKind, VerdictText

CRATON = (PYTHON, "-P", "-m", "craton")  # -P: do not import from the current directory

PROOF = "proof"  # the file of a run with its proof

# Craton stops itself at the limits and can then report statistics; if it does not, it is killed a little later.
_GRACE, _GRACE_SHARE = 2.0, 0.1
_OWN_MEMORY_SHARE = 0.9
_NEARLY, _NEARLY_SHARE = 0.5, 0.2  # an unknown this close to the time limit (in seconds) counts as a time-out

_UNKNOWN = VerdictText(VerdictKind.UNKNOWN)
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Run:
    """A task under a configuration, within limits."""

    task: BenchTask
    configuration: Configuration
    limits: Limits
    pictured: bool = False  # whether it says how its automaton looks, for a page about it
    proved: bool = False  # whether its proof is kept

    @property
    def key(self) -> tuple[str, str, str]:
        return self.task.name, self.task.property, self.configuration.name

    @property
    def file_name(self) -> str:
        """The name of its log: readable and unique."""
        readable = "--".join(re.sub(r"[^\w.+-]+", "_", part).strip("_")[-60:] for part in self.key)
        return f"{readable}--{hashlib.sha256(repr(self.key).encode()).hexdigest()[:8]}"

    def order(self, command: Sequence[str] = CRATON) -> Order:
        """The order for the keeper. `command` is run with its subcommand, the task and the options."""
        wall, cpu, memory = self.limits.wall, self.limits.cpu, self.limits.memory
        own = []
        if wall is not None:
            own += ["--time-limit", f"{wall:g}"]
        if cpu is not None:
            own += ["--cpu-limit", f"{cpu:g}"]
        if memory is not None:
            own += ["--memory-limit", f"{memory * _OWN_MEMORY_SHARE / 2**20:g}"]
        own += ["--no-config", "--json", *(["--picture"] if self.pictured else [])]
        own += ["--proof", FILE % PROOF] if self.proved else []
        options = (*self.configuration.arguments(), *own)
        words = (*command, "verify", *self.task.arguments(), *options)
        outside = self.outside
        return Order(words, Limits(with_grace(outside.wall), with_grace(outside.cpu), outside.memory))

    @property
    def outside(self) -> Limits:
        """The limits as whoever watches the run counts."""
        return self.limits.of_counted_work if "--deterministic" in self.configuration.arguments() else self.limits


def with_grace(limit: float | None) -> float | None:
    return None if limit is None else limit + max(_GRACE, _GRACE_SHARE * limit)


# --- the outcome ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Said:
    verdict: VerdictText | NoVerdict
    reason: str = ""
    statistics: dict[str, Any] | None = None
    by: str = ""


_EXCEEDED = {Kind.MEMORY: NoVerdict.MEMORY, Kind.WALL: NoVerdict.TIMEOUT, Kind.CPU: NoVerdict.TIMEOUT}


def record(run: Run, what: Contained, log: str, evidence: str, report: str = "") -> RunRecord:
    said = _said(run.outside, what)
    statistics = said.statistics or {}
    status = status_of(str(said.verdict), run.task.expected)
    return RunRecord(
        task=run.task.name,
        category=run.task.category,
        property=run.task.property,
        expected=run.task.expected,
        config=run.configuration.name,
        verdict=str(said.verdict),
        status=status,
        reason=" ".join(said.reason.split())[:_LONGEST_REASON],
        score=score_of(status),
        cpu=what.cpu,
        wall=what.wall,
        memory=what.memory,
        exit_code=what.exit_code,
        statistics=statistics,
        log=log,
        evidence=evidence,
        report=report,
        by=said.by,
        by_seconds=_part(statistics, "seconds of stages").get(said.by),
        schedule=str(statistics.get("schedule", "")),
        features=_part(statistics, "features"),
    )


def _part(statistics: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = statistics.get(name)
    return found if isinstance(found, dict) else {}


def _said(limits: Limits, what: Contained) -> _Said:
    """A verdict after the time limit does not count."""
    answer = _answer(what.output)
    statistics = answer.get("statistics") if isinstance(answer.get("statistics"), dict) else None
    if what.exceeded is not None:
        return _Said(_EXCEEDED.get(what.exceeded.kind, NoVerdict.ERROR), what.reason, statistics)
    if what.problem and what.exit_code != 0:
        return _Said(NoVerdict.ERROR, what.reason, statistics)
    verdict, reason = VerdictText.parse(answer.get("verdict")), str(answer.get("reason", ""))
    if verdict is None:
        return _without_answer(what)
    if what.exit_code != verdict.kind.exit_code:
        return _Said(NoVerdict.ERROR, f"said {verdict}, but ended with {_ending(what.exit_code)}", statistics)
    late = _over(limits.wall, what.wall) or _over(limits.cpu, what.cpu)
    if verdict.kind is VerdictKind.UNKNOWN:
        late = late or _nearly_over(limits.wall, what.wall)
        return _Said(_cause(answer.get("limit"), late), reason or ("out of time" if late else ""), statistics)
    if late:
        return _Said(NoVerdict.TIMEOUT, f"said {verdict} after the time limit", statistics)
    return _Said(verdict, reason, statistics, str(answer.get("found_by", "")))


def _cause(limit: object, late: bool) -> VerdictText | NoVerdict:
    """What an unknown counts as: `craton verify` reports which limit was the cause, if any."""
    if limit == Limit.MEMORY.value:
        return NoVerdict.MEMORY
    return NoVerdict.TIMEOUT if late or limit == Limit.CPU.value else _UNKNOWN


def _over(limit: float | None, used: float) -> bool:
    return limit is not None and used > limit


def _nearly_over(limit: float | None, used: float) -> bool:
    return limit is not None and used > limit - min(_NEARLY, _NEARLY_SHARE * limit)


def _answer(output: str) -> dict[str, Any]:
    """The JSON object that `craton verify --json` prints."""
    try:
        content = json.loads(output)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _without_answer(what: Contained) -> _Said:
    """The last line says what was wrong, as `craton` prints it; exit code 3 is an unknown, even without output."""
    lines = [line for line in what.log.splitlines() if line.strip()]
    last = lines[-1].strip().removeprefix("craton: ") if lines else ""
    if what.exit_code == 3:
        return _Said(_UNKNOWN, last.removeprefix("UNKNOWN: "))
    if len(what.output) < what.written and what.written > len(what.log):
        last = f"its output of {what.written:,} bytes was cut, and is no answer"
    ending = _ending(what.exit_code)
    return _Said(NoVerdict.ERROR, last if what.exit_code == 2 and last else f"{ending}: {last}" if last else ending)


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"signal {-code} ({signal.Signals(-code).name})"
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"
