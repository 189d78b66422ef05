"""Evidence about a system of Horn clauses as files: certificates, or a model as definitions that any solver reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from craton.errors import CratonError
from craton.files import CannotWrite, write_atomically
from craton.horn.models import definitions
from craton.horn.results import Satisfiable, Unsatisfiable

if TYPE_CHECKING:
    from craton.evidence.files import EvidenceFiles
    from craton.frontends.programs import Request
    from craton.horn.clauses import System
    from craton.verdicts.verdict import Unknown


def write_system_evidence(
    request: Request,
    answer: Satisfiable | Unsatisfiable | Unknown,
    system: System,
    files: EvidenceFiles,
    stage: str,
) -> tuple[list[str], str]:
    """Writes what there is, and tells what was written or why not; see `files.write_evidence`."""
    told = [
        f"no {what} written: there is none of Horn clauses"
        for what, path in (("harness", files.harness), ("witness", files.witness))
        if path is not None
    ]
    problem = ""
    if files.proof is not None:
        try:
            _write_proof(request, answer, system, files.proof, stage)
            told.append(f"proof written to {files.proof}")
        except CratonError as reason:
            told.append(f"no proof written: {reason}")
            problem = str(reason) if isinstance(reason, CannotWrite) else ""
    return told, problem


def _write_proof(
    request: Request, answer: Satisfiable | Unsatisfiable | Unknown, system: System, path: Path, stage: str
) -> None:
    """A name that ends in .smt2 asks for definitions, any other for a certificate."""
    if path.suffix == ".smt2":
        if not isinstance(answer, Satisfiable):
            raise CratonError("only a model is written as definitions")
        write_atomically(path, definitions(answer.model, system.predicates))
        return
    from craton.evidence.certificates.systems import certificate_of_answer
    from craton.evidence.certificates.writing import write_certificate

    if not isinstance(answer, Satisfiable | Unsatisfiable):
        raise CratonError("there is nothing to write: the answer is unknown")
    write_certificate(path, certificate_of_answer(request, answer, system, stage))
