"""Certificates: proofs as files that stand for themselves.

A certificate is a JSON object: which program (hashes of its texts), which property, how the text was read, and for each
cut-point an invariant as SMT-LIB over variables of the program. `craton.evidence.checker` decides whether it is a
proof; here it is only written and read. Reading believes nothing: the file may come from anybody.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.errors import CratonError
from craton.files import write_atomically
from craton.frontends.programs import Request, c_source
from craton.logic import Function, Term, functions, ordered_variables
from craton.logic.smtlib import Symbols, to_smtlib
from craton.program.cfa import Location, Program
from craton.version import __version__

if TYPE_CHECKING:
    from craton.verdicts.result import Result

FORMAT = "craton certificate"
VERSION = 1
_DEFAULT_PROPERTY = "no error function is called, no assertion fails, no label ERROR is reached"
_BOOGIE_PROPERTY = "no assertion fails"


class BadCertificate(CratonError):
    """A file that is no certificate, or one that does not fit the program."""


@dataclass(frozen=True, slots=True)
class HashedFile:
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Task:
    """What was proved: of which texts, read how, which property."""

    files: tuple[HashedFile, ...]
    property: str
    data_model: str  # "" where the language knows none
    defines: tuple[str, ...]
    includes: tuple[str, ...]  # for the reader: they are paths of one machine, so they may differ


@dataclass(frozen=True, slots=True)
class Declared:
    """A symbol of the invariants and which variable (or function, if it has parameters) of the program it means."""

    symbol: str
    name: str
    parameters: tuple[str, ...]
    sort: str


@dataclass(frozen=True, slots=True)
class Claim:
    """An invariant, as text."""

    location: int
    formula: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate as it was read: of the right form, and otherwise not yet believed in anything."""

    craton: str
    task: Task
    solver: str  # on whose word the proof rests
    blocks: int | None
    symbols: tuple[Declared, ...]
    claims: tuple[Claim, ...]


# --- writing ----------------------------------------------------------------------------------------------------------


def make_certificate(request: Request, result: Result) -> dict[str, Any]:
    """The proof of a result, as plain data."""
    proof = result.proof
    if proof is None:
        raise CratonError(f"there is no proof to write: the verdict is {result.verdict}")
    program = proof.program
    invariants = {x: proof.invariants[x] for x in program.main.locations if x in proof.invariants}
    task = described(request)
    symbols = _Spelled()
    # All that is free gets its symbol before any bound variable can take it.
    free: list[Term | Function] = [*ordered_variables(*invariants.values()), *functions(*invariants.values())]
    declared = [_declaration(item, symbols, program) for item in free]
    engine, _, refiner = result.stage.partition(" with ")
    return {
        "format": FORMAT,
        "version": VERSION,
        "craton": __version__,
        "program": {
            "files": [{"name": file.name, "sha256": file.sha256} for file in task.files],
            "property": {"text": task.property, "sha256": _hash(task.property.encode())},
            "data_model": task.data_model,
            "defines": list(task.defines),
            "includes": list(task.includes),
        },
        "found_by": {"engine": engine, "refiner": refiner, "solver": proof.found_with},
        "assumptions": list(result.assumptions),
        "blocks": proof.blocks,
        "symbols": declared,
        "invariants": [
            {
                "location": location.id,
                "position": _printable(place(location, program)),
                "formula": to_smtlib(invariant, symbols=symbols),
            }
            for location, invariant in invariants.items()
        ],
    }


def write_certificate(path: Path, certificate: Mapping[str, Any]) -> None:
    write_atomically(path, json.dumps(certificate, indent=2, ensure_ascii=False) + "\n")


def place(location: Location, program: Program) -> str:
    """Where a cut-point is in the text, for those who read it there."""
    loop = program.loop_heads.get(location)
    if loop is not None:
        return f"loop at {loop}"
    if location == program.main.entry:
        return "entry"
    if location in program.errors:
        return f"error: {program.errors[location]}"
    if location == program.main.exit:
        return "exit"
    for word, edges in (("before", program.main.outgoing(location)), ("behind", program.main.incoming(location))):
        for edge in edges:
            if edge.origin is not None:
                return f"{word} {edge.origin}"
    return ""


class _Spelled(Symbols):
    """Symbols that SMT-LIB can write, whatever variables are called."""

    def spelling(self, name: str) -> str:
        return "".join("?" if c in "|\\" or not c.isprintable() else c for c in name)


def _declaration(item: Term | Function, symbols: Symbols, program: Program) -> dict[str, Any]:
    entry: dict[str, Any] = {"symbol": symbols.of(item), "name": item.name}
    if isinstance(item, Function):
        return {**entry, "parameters": list(map(str, item.params)), "sort": str(item.result)}
    meaning = program.symbols.get(item)
    source = f"{meaning.type} {meaning.name}".strip() if meaning is not None and meaning.name else ""
    return {**entry, "parameters": [], "sort": str(item.sort), "source": _printable(source)}


def described(request: Request) -> Task:
    """What a request asks to be proved."""
    if any(Path(name).suffix == ".bpl" for name in request.files):
        files = tuple(_hashed(Path(name)) for name in request.files)
        return Task(files, _BOOGIE_PROPERTY, "", (), ())
    source = c_source(request)
    if source.specification.termination:
        raise CratonError("invariants prove no termination: there are no certificates for this property")
    text = _DEFAULT_PROPERTY
    if source.property_file is not None:
        text = source.property_file.read_text(encoding="utf-8")  # has been read as a specification, so it can be
    return Task(
        tuple(map(_hashed, source.files)),
        text,
        source.options.data_model,
        tuple(map(_printable, source.options.define)),
        tuple(map(_printable, source.options.include)),
    )


def _hashed(path: Path) -> HashedFile:
    try:
        return HashedFile(_printable(str(path)), _hash(path.read_bytes()))
    except OSError as problem:
        raise CratonError(f"cannot read {path}: {problem.strerror}") from None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _printable(text: str) -> str:
    """Names of files may be any bytes; those that are no text become question marks."""
    return os.fsencode(text).decode("utf-8", "replace")


# --- reading ----------------------------------------------------------------------------------------------------------


def read_certificate(path: Path) -> Certificate:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as problem:
        raise BadCertificate(f"cannot read {path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise BadCertificate(f"{path} is no certificate: it is not UTF-8 text") from None
    try:
        content = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        raise BadCertificate(f"{path} is no certificate: it is nested too deep") from None
    except ValueError as problem:  # of the parser, and of numbers that are too long for Python
        raise BadCertificate(f"{path} is no certificate: {problem}") from None
    try:
        return _certificate(_Fields(content, "the certificate"))
    except BadCertificate as problem:
        raise BadCertificate(f"{path} is no certificate: {problem}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):  # two readers might read different things
        raise ValueError("a key is there twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _certificate(fields: _Fields) -> Certificate:
    if fields.text("format") != FORMAT:
        raise BadCertificate(f"its format is not {FORMAT!r}")
    if fields.number("version") != VERSION:
        raise BadCertificate(f"version {fields.number('version')} is not known; known is {VERSION}")
    program = fields.object("program")
    said = program.object("property")
    if said.text("sha256") != _hash(said.text("text").encode()):
        raise BadCertificate("the text of the property does not have its hash")
    files = tuple(HashedFile(file.text("name"), file.text("sha256")) for file in program.objects("files"))
    task = Task(
        files, said.text("text"), program.text("data_model"), program.texts("defines"), program.texts("includes")
    )
    symbols = tuple(
        Declared(entry.text("symbol"), entry.text("name"), entry.texts("parameters"), entry.text("sort"))
        for entry in fields.objects("symbols")
    )
    claims = tuple(Claim(entry.number("location"), entry.text("formula")) for entry in fields.objects("invariants"))
    for location, count in Counter(claim.location for claim in claims).items():
        if count > 1:
            raise BadCertificate(f"L{location} has {count} invariants")
    solver = fields.object("found_by").text("solver")
    return Certificate(fields.text("craton"), task, solver, fields.number_or_none("blocks"), symbols, claims)


class _Fields:
    """A JSON object that must have certain fields."""

    def __init__(self, content: Any, name: str) -> None:
        if not isinstance(content, dict):
            raise BadCertificate(f"{name} is not an object")
        self.content = content
        self.name = name

    def text(self, key: str) -> str:
        return _text(self._field(key), f"{key!r} of {self.name}")

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(_text(entry, f"an entry of {key!r}") for entry in self._list(key))

    def number(self, key: str) -> int:
        value = self._field(key)
        if type(value) is not int or not 0 <= value <= _LARGEST:
            raise BadCertificate(f"{key!r} of {self.name} is not a number from 0 to {_LARGEST}")
        return value

    def number_or_none(self, key: str) -> int | None:
        return None if self._field(key) is None else self.number(key)

    def object(self, key: str) -> _Fields:
        return _Fields(self._field(key), f"{key!r}")

    def objects(self, key: str) -> tuple[_Fields, ...]:
        return tuple(_Fields(entry, f"an entry of {key!r}") for entry in self._list(key))

    def _list(self, key: str) -> list[Any]:
        value = self._field(key)
        if not isinstance(value, list):
            raise BadCertificate(f"{key!r} of {self.name} is not a list")
        return value

    def _field(self, key: str) -> Any:
        if key not in self.content:
            raise BadCertificate(f"{self.name} has no {key!r}")
        return self.content[key]


_LARGEST = 2**31 - 1


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadCertificate(f"{name} is not a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # halves of characters, which JSON can write
        raise BadCertificate(f"{name} is not Unicode text") from None
    return value


# --- does it fit the program? -----------------------------------------------------------------------------------------


def about_request(certificate: Certificate, request: Request) -> None:
    """Raises BadCertificate, which names what differs, if the certificate is about something else."""
    asked, said = described(request), certificate.task
    if len(asked.files) != len(said.files):
        raise BadCertificate(f"the certificate is of {len(said.files)} files, not of {len(asked.files)}")
    for ours, theirs in zip(asked.files, said.files, strict=True):
        if ours.sha256 != theirs.sha256:
            raise BadCertificate(
                f"the certificate is of another program: {ours.name} has the SHA-256 hash {ours.sha256[:12]}…,"
                f" and {_short(theirs.name)} had {_short(theirs.sha256[:12])}…"
            )
    for name, mine, its, option in (
        ("property", asked.property, said.property, "--property"),
        ("data model", asked.data_model, said.data_model, "--data-model"),
        ("macros", asked.defines, said.defines, "-D"),
    ):
        if mine != its:
            raise BadCertificate(
                f"the certificate is of another {name}: {_short(its)}, not {_short(mine)} (see {option})"
            )


def _short(said: object) -> str:
    """What a certificate says, fit for a message: on one line."""
    text = ", ".join(said) if isinstance(said, tuple) else f"{said}"
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return (text if len(text) <= 120 else text[:119] + "…") or "none"


def named_invariants(certificate: Certificate, known: Iterable[Term | Function]) -> dict[Location, Term]:
    """The invariants as formulas over the variables and functions of the program, which are `known`."""
    table = {_signature(item): item for item in known}
    symbols = _Spelled()
    meaning: dict[str, Term | Function] = {}
    seen: set[Term | Function] = set()
    for declared in certificate.symbols:
        item = table.get((declared.name, declared.parameters, declared.sort))
        if item is None:
            raise BadCertificate(f"the program has no variable {_short(declared.name)} of sort {_short(declared.sort)}")
        if item in seen:
            raise BadCertificate(f"the certificate declares {_short(declared.name)} twice")
        if symbols.of(item) != declared.symbol:
            raise BadCertificate(f"the certificate calls {_short(declared.name)} {_short(declared.symbol)}")
        meaning[declared.symbol] = item
        seen.add(item)
    terms: dict[str, Term] = {}
    found: dict[Location, Term] = {}
    for claim in certificate.claims:
        if claim.formula not in terms:
            try:
                terms[claim.formula] = _parsed(claim.formula, meaning)
            except CratonError as problem:
                raise BadCertificate(f"the invariant of L{claim.location} cannot be read: {_short(problem)}") from None
        found[Location(claim.location)] = terms[claim.formula]
    return found


def _signature(item: Term | Function) -> tuple[str, tuple[str, ...], str]:
    if isinstance(item, Function):
        return item.name, tuple(map(str, item.params)), str(item.result)
    return item.name, (), str(item.sort)


def _parsed(formula: str, meaning: Mapping[str, Term | Function]) -> Term:
    """z3's parser knows commands that read and write files, so it is shown nothing but one term."""
    from craton.smt.reading import parse_script
    from craton.smt.sexpr import unquoted
    from craton.smt.z3.api import Z3Error

    used = {token: meaning[token] for token in _tokens(formula) if token in meaning}
    lines = []
    for symbol, item in used.items():
        _, parameters, sort = _signature(item)
        lines.append(f"(declare-fun {symbol} ({' '.join(parameters)}) {sort})")
    names = {unquoted(symbol): item for symbol, item in used.items()}
    try:
        (parsed,) = parse_script("\n".join([*lines, f"(assert {formula})"]), names)
    except (Z3Error, KeyError, TypeError, ValueError) as problem:  # what z3 knows, and our formulas do not
        raise BadCertificate(f"no formula of Craton's: {problem}") from None
    return parsed


_TOKEN = re.compile(
    r"[ \t\r\n]+|([()]|\|[^|\\\x00-\x1f\x7f]*\||[A-Za-z0-9~!@$%^&*_\-+=<>.?/#]+)|(.)", re.ASCII | re.DOTALL
)
_LONGEST_NUMBER = 4000  # digits
_LARGEST_INDEX = 2**20


def _tokens(formula: str) -> Iterator[str]:
    """The tokens of a text that is one term, without annotations. Whatever else it is is an error."""
    depth, complete, indexed = 0, False, False
    for match in _TOKEN.finditer(formula):
        token, wrong = match.groups()
        if wrong is not None:
            raise BadCertificate(f"{wrong!r} has no place in a formula")
        if token is None:
            continue
        if complete or token == "!" or (token == ")" and depth == 0):
            raise BadCertificate("it is not one formula")
        depth += {"(": 1, ")": -1}.get(token, 0)
        complete = depth == 0
        indexed = token == "_" or (indexed and token not in ("(", ")"))
        if token[0].isdigit() or token[0] == "#":
            if len(token) > _LONGEST_NUMBER or (indexed and token.isdecimal() and int(token) > _LARGEST_INDEX):
                raise BadCertificate(f"the number {token[:12]}… is too large")
        yield token
    if not complete:
        raise BadCertificate("it is not one formula")
