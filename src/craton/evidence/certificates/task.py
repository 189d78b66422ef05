"""What a certificate is about, and whether that is what the user asks."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from craton.errors import CratonError
from craton.evidence.certificates.fields import Fields, one_line
from craton.evidence.certificates.format import BadCertificate, Certificate, HashedFile, Task
from craton.frontends.programs import Request, c_source, input_files, is_horn
from craton.program.passes import FIRST, Passes, named
from craton.program.specification import DEFAULT, property_text

_DEFAULT_PROPERTY = "no error function is called, no assertion fails, no label ERROR is reached"
_HORN_PROPERTY = "whether the Horn clauses are satisfiable"
_BOOGIE_PROPERTY = "no assertion fails"


def described(request: Request) -> Task:
    """What a request asks to be proved."""
    if is_horn(request):
        return Task(tuple(_hashed(Path(name)) for name in input_files(request)), _HORN_PROPERTY, "", (), ())
    if any(Path(name).suffix == ".bpl" for name in request.files):
        files = tuple(_hashed(Path(name)) for name in request.files)
        return Task(files, _BOOGIE_PROPERTY, "", (), (), request.passes)
    if request.formula is not None or request.checks is not None:
        raise CratonError("a certificate is of all properties of a property file, not of one of them")
    source = c_source(request)
    if source.specification.termination:
        raise CratonError("invariants prove no termination: there are no certificates for this property")
    text = _DEFAULT_PROPERTY
    if source.property_file is not None:
        text = source.property_file.read_text(encoding="utf-8")  # has been read as a specification, so it can be
    elif source.specification != DEFAULT:
        text = property_text(source.specification)
    return Task(
        tuple(map(_hashed, source.files)),
        text,
        source.options.data_model,
        tuple(map(printable, source.options.define)),
        tuple(map(printable, source.options.include)),
        request.passes,
    )


def read_task(fields: Fields) -> Task:
    """What a certificate says it is about."""
    said = fields.object("property")
    if said.text("sha256") != sha256(said.text("text").encode()):
        raise BadCertificate("the text of the property does not have its hash")
    files = tuple(HashedFile(file.text("name"), file.text("sha256")) for file in fields.objects("files"))
    return Task(
        files,
        said.text("text"),
        fields.text("data_model"),
        fields.texts("defines"),
        fields.texts("includes"),
        _passes(fields),
    )


def _passes(fields: Fields) -> Passes:
    """The first that there were, if nothing is said of them."""
    if "passes" not in fields.content:
        return FIRST
    try:
        return named(fields.texts("passes"))
    except CratonError as problem:
        raise BadCertificate(f"{fields.name}: {one_line(str(problem))}") from None


def about_request(certificate: Certificate, request: Request) -> None:
    """Raises BadCertificate, which names what differs, if the certificate is about something else."""
    asked, said = described(request), certificate.task
    if len(asked.files) != len(said.files):
        raise BadCertificate(f"the certificate is of {len(said.files)} files, not of {len(asked.files)}")
    for ours, theirs in zip(asked.files, said.files, strict=True):
        if ours.sha256 != theirs.sha256:
            raise BadCertificate(
                f"the certificate is of another program: {ours.name} has the SHA-256 hash {ours.sha256[:12]}…,"
                f" and {one_line(theirs.name)} had {one_line(theirs.sha256[:12])}…"
            )
    for name, mine, its, option in (
        ("property", asked.property, said.property, "--property"),
        ("data model", asked.data_model, said.data_model, "--data-model"),
        ("macros", asked.defines, said.defines, "-D"),
    ):
        if mine != its:
            raise BadCertificate(
                f"the certificate is of another {name}: {one_line(its)}, not {one_line(mine)} (see {option})"
            )


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def printable(text: str) -> str:
    """Names of files may be any bytes; those that are no text become question marks."""
    return os.fsencode(text).decode("utf-8", "replace")


def _hashed(path: Path) -> HashedFile:
    try:
        return HashedFile(printable(str(path)), sha256(path.read_bytes()))
    except OSError as problem:
        raise CratonError(f"cannot read {path}: {problem.strerror}") from None
