"""`make_witness`: a verdict and its evidence as the text of a witness."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from craton.errors import CratonError
from craton.evidence.witness.graphml import check_graphml, write_graphml
from craton.evidence.witness.invariants import c_invariants
from craton.evidence.witness.model import (
    BadWitness,
    CorrectnessWitness,
    Invariant,
    Metadata,
    ViolationWitness,
    Witness,
)
from craton.evidence.witness.path import NoWitness, segments_of
from craton.evidence.witness.source import Source
from craton.evidence.witness.yaml_format import check_yaml, write_yaml
from craton.frontends.programs import CSource, Request, c_source
from craton.program.cfa import Program
from craton.program.inlining import Inlining
from craton.program.specification import property_text
from craton.verdicts.text import VerdictText
from craton.verdicts.verdict import text_of
from craton.version import __version__

if TYPE_CHECKING:
    from craton.verdicts.result import Result

Format = Literal["yaml", "graphml"]
_LARGEST = 16_000_000  # bytes of a file that is read as a witness


def make_witness(request: Request, program: Program, result: Result, format: Format = "yaml") -> str:
    """The witness of a confirmed verdict on `program`, which is what the request loads."""
    witness = witness_of(request, program, result)
    text = write_yaml(witness) if format == "yaml" else write_graphml(witness)
    validate_witness_text(text)
    return text


def witness_of(request: Request, program: Program, result: Result) -> Witness:
    if any(Path(name).suffix == ".bpl" for name in request.files):
        raise NoWitness("witnesses speak of C programs: there is no format for Boogie")
    source = c_source(request)
    if result.proof is not None:
        proof = result.proof
        # Invariants of an unrolled program are of its copies of procedures, which nobody else knows; that all runs end
        # is no invariant at all.
        inlining = Inlining.PAYING if proof.contracts else Inlining.ALL
        known: tuple[Invariant, ...] = ()
        if not proof.unrolled and proof.runs is None:
            known = c_invariants(source, program, proof.program, proof.invariants, inlining)
        return CorrectnessWitness(_metadata(source, text_of(result.verdict)), known)
    if result.replay is not None:
        texts = {str(path): Source(path) for path in source.files}
        return ViolationWitness(_metadata(source, text_of(result.verdict)), segments_of(program, result.replay, texts))
    raise NoWitness(f"there is no witness of the verdict {result.verdict}")


def validate_witness_text(text: str) -> None:
    """BadWitness if the text does not fit its format."""
    if is_graphml(text):
        check_graphml(text)
    else:
        check_yaml(text)


def read_witness(path: Path) -> Witness:
    from craton.evidence.witness.graphml import read_graphml
    from craton.evidence.witness.yaml_format import read_yaml

    try:
        if path.stat().st_size > _LARGEST:
            raise BadWitness(f"{path} is no witness: it has more than {_LARGEST} bytes")
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise CratonError(f"cannot read {path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise BadWitness(f"{path} is no witness: it is no text in UTF-8") from None
    return read_graphml(text, str(path)) if is_graphml(text) else read_yaml(text, str(path))


def is_graphml(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("<")


def hash_of(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as problem:
        raise CratonError(f"cannot read {path}: {problem.strerror}") from None


def _metadata(source: CSource, verdict: VerdictText) -> Metadata:
    hashes = {str(path): hash_of(path) for path in source.files}
    now = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    name = uuid.uuid5(uuid.NAMESPACE_OID, f"{now} {verdict} {hashes}")
    data_model = source.options.data_model
    return Metadata("Craton", __version__, str(name), now, hashes, property_text(source.specification), data_model)
