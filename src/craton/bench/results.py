"""A campaign on disk: a file of JSON lines, the first about the campaign, each other one about a run.

A line is appended with a single write when a run is over, so a killed campaign loses at most the line it was writing.
Readers ignore an incomplete last line.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from craton.errors import CratonError
from craton.files import CannotWrite
from craton.verdicts.text import VerdictKind, VerdictText

RESULTS = "results.jsonl"
FORMAT = 1

SCORES = {"correct-true": 2, "correct-false": 1, "wrong-true": -32, "wrong-false": -16}

WRONG = ("wrong-true", "wrong-false")
CORRECT = ("correct-true", "correct-false")
DONE = ("done-true", "done-false")  # where no verdict is expected


class NoVerdict(Enum):
    """The outcome recorded for a run that gave no verdict, and the corresponding status."""

    TIMEOUT = "TIMEOUT"
    MEMORY = "OUT OF MEMORY"
    ERROR = "ERROR"

    @property
    def status(self) -> str:
        return self.name.lower()

    def __str__(self) -> str:
        return self.value


class NoCampaign(CratonError):
    """A path that does not contain the results of a campaign."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One task under one configuration, and its outcome."""

    task: str  # path of the task definition or program, as shown to the user
    category: str  # stem of the .set file, or name of the directory the task was found in
    property: str  # unreach-call, no-overflow, valid-memsafety, …
    expected: str | None  # true, false, false(valid-deref), …; None if not known
    config: str
    verdict: str  # true, false(unreach-call), unknown, TIMEOUT, OUT OF MEMORY, ERROR
    status: str  # correct-true, …, wrong-false, unknown, timeout, memory, error; done-true, done-false if none expected
    reason: str  # in one line, if there is no verdict
    score: int
    cpu: float  # seconds of all processes
    wall: float  # seconds
    memory: int  # bytes, peak of all processes together
    exit_code: int | None
    statistics: dict[str, Any] = field(repr=False)
    log: str  # relative to the campaign; empty if there is none
    evidence: str  # a witness, relative to the campaign; empty if there is none
    report: str = ""  # a page about the run, relative to the campaign; empty if none was asked for
    by: str = ""  # the stage that found the verdict; empty if there is none, or it was not recorded
    by_seconds: float | None = None  # of that stage's turns, on the clock of the run's limit
    schedule: str = ""  # by which stages took turns; empty if it was not recorded
    features: dict[str, int | None] = field(default_factory=dict, repr=False)  # of the program
    proof: str = ""  # relative to the campaign; empty if it was not to be kept, or there is none
    check: str = (
        ""  # what became of it (`proofs`): accepted, refused, unknown, missing, failed; empty if none was asked for
    )
    check_seconds: float | None = None  # of `craton check`

    def key(self) -> tuple[str, str, str]:
        """Identifies a run within a campaign."""
        return self.task, self.property, self.config

    def kind(self) -> VerdictKind | None:
        """The kind of its verdict; None if there is no verdict."""
        said = VerdictText.parse(self.verdict)
        return None if said is None else said.kind


@dataclass(frozen=True, slots=True)
class Campaign:
    header: dict[str, Any]
    runs: tuple[RunRecord, ...]


def status_of(verdict: str, expected: str | None) -> str:
    """The verdict compared with the expected one. A false(p) is right if p was expected to be violated."""
    said = VerdictText.parse(verdict)
    if said is None:
        return NoVerdict(verdict).status
    if said.kind is VerdictKind.UNKNOWN:
        return "unknown"
    if expected is None:
        return f"done-{said.kind.value}"
    known = VerdictText.parse(expected)
    right = known is not None and said.confirms(known)
    return f"{'correct' if right else 'wrong'}-{said.kind.value}"


def score_of(status: str) -> int:
    return SCORES.get(status, 0)


# --- lines ------------------------------------------------------------------------------------------------------------


def line_of(record: RunRecord) -> dict[str, Any]:
    return {"kind": "run", **{entry.name: getattr(record, entry.name) for entry in dataclasses.fields(record)}}


def record_of(line: Mapping[str, Any]) -> RunRecord:
    """Lines of older campaigns lack what was not recorded then: pages, stages, features, proofs."""
    return RunRecord(
        **{entry.name: line[entry.name] for entry in dataclasses.fields(RunRecord) if _is_there(entry, line)}
    )


def _is_there(entry: dataclasses.Field[Any], line: Mapping[str, Any]) -> bool:
    required = entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING
    return entry.name in line or required


def read_campaign(path: Path) -> Campaign:
    """The campaign in a directory or in its results file. If a run occurs twice, the first one counts."""
    file = path / RESULTS if path.is_dir() else path
    header: dict[str, Any] | None = None
    runs: dict[tuple[str, str, str], RunRecord] = {}
    for number, line in _lines(file):
        try:
            if line["kind"] == "campaign" and header is None:
                header = line
            elif line["kind"] == "run":
                record = record_of(line)
                runs.setdefault(record.key(), record)
        except (KeyError, TypeError) as problem:
            raise NoCampaign(f"{file}:{number}: not a line of a campaign's results ({problem!r})") from problem
        if header is None:
            raise NoCampaign(f"{file}: these are not the results of a campaign: the first line says nothing about it")
        if header.get("format") != FORMAT:
            raise NoCampaign(f"{file}: results of format {header.get('format')!r}; this version reads {FORMAT}")
    if header is None:
        raise NoCampaign(f"{file}: empty; these are not the results of a campaign")
    return Campaign(header, tuple(runs.values()))


def _lines(file: Path) -> Iterator[tuple[int, Any]]:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise NoCampaign(f"{file}: no such file; name a directory that `craton bench --out` has written") from None
    except OSError as problem:
        raise NoCampaign(f"{file}: cannot be read: {problem.strerror}") from problem
    whole, _, torn = content.rpartition(b"\n")
    for number, line in enumerate([*whole.split(b"\n"), torn], 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except ValueError as problem:  # of JSON, and of UTF-8
            if line is torn:
                return
            raise NoCampaign(f"{file}:{number}: not a line of JSON ({problem})") from problem


class Appender:
    """Appends lines to the results of a campaign."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self.descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as problem:
            raise CannotWrite(f"cannot write {file}: {problem.strerror}") from problem

    def mend(self) -> None:
        """Removes the incomplete last line of a killed campaign. Only the holder of the campaign's lock may call it."""
        content = self.file.read_bytes()
        end = content.rfind(b"\n") + 1
        if end < len(content):
            os.ftruncate(self.descriptor, end)

    def append(self, line: Mapping[str, Any]) -> None:
        """Writes the line in one write, and to disk before this returns."""
        content = (json.dumps(line) + "\n").encode()
        try:
            while content:  # a signal may cut a write short
                content = content[os.write(self.descriptor, content) :]
            os.fsync(self.descriptor)
        except OSError as problem:  # the disk is full: the incomplete line is removed when there is room again
            raise CannotWrite(f"cannot write {self.file}: {problem.strerror}") from problem

    def close(self) -> None:
        os.close(self.descriptor)
