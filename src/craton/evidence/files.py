"""Evidence as files, where the user wants it: the certificate of a proof, the harness of a replay, a witness."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from craton.errors import CratonError
from craton.files import CannotWrite, check_can_be_written, check_directory_can_be_made

if TYPE_CHECKING:
    from craton.frontends.programs import Request
    from craton.verdicts.result import Result


@dataclass(frozen=True, slots=True)
class EvidenceFiles:
    """What is to be written, and where."""

    proof: Path | None = None
    harness: Path | None = None
    witness: Path | None = None
    witness_format: Literal["yaml", "graphml"] = "yaml"

    def check(self) -> None:
        """Before long work: a place that cannot be written to is bad input."""
        for path in (self.proof, self.witness):
            if path is not None:
                check_can_be_written(path)
        if self.harness is not None:
            check_directory_can_be_made(self.harness)


def write_evidence(request: Request, result: Result, files: EvidenceFiles) -> tuple[list[str], str]:
    """Writes what there is, and tells what was written or why not; and, if something could not be written though there
    is something to write, that error.
    """
    told: list[str] = []
    problems: list[str] = []
    for what, path, write in (
        ("proof", files.proof, _proof),
        ("harness", files.harness, _harness),
        ("witness", files.witness, _witness),
    ):
        if path is not None:
            try:
                write(request, result, path, files)
                told.append(f"{what} written to {path}")
            except CratonError as problem:
                told.append(f"no {what} written: {problem}")
                if isinstance(problem, CannotWrite):
                    problems.append(str(problem))
    return told, "; ".join(problems)


def _proof(request: Request, result: Result, path: Path, files: EvidenceFiles) -> None:
    from craton.evidence.certificates.writing import make_certificate, write_certificate

    write_certificate(path, make_certificate(request, result))


def _harness(request: Request, result: Result, path: Path, files: EvidenceFiles) -> None:
    from craton.evidence.compiled import write_harness
    from craton.verdicts.verdict import Violated

    verdict = result.verdict
    if not isinstance(verdict, Violated) or result.program is None:
        raise CratonError(f"the verdict is {verdict}")
    write_harness(path, request, result.program, verdict.replay, verdict.property.name, verdict.compiled)


def _witness(request: Request, result: Result, path: Path, files: EvidenceFiles) -> None:
    from craton.evidence.witness import make_witness
    from craton.files import write_atomically

    if result.program is None or result.is_unknown:
        raise CratonError(f"the verdict is {result.verdict}")
    write_atomically(path, make_witness(request, result.program, result, files.witness_format))
