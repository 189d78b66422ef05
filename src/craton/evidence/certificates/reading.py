"""Certificates from files. Reading believes nothing: the file may come from anybody.

What is not known is refused by its name and never skipped: a field that this version does not understand might be what
the proof depends on. (Format 1 is read as it always was: `format1`.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from craton.evidence.certificates import format1
from craton.evidence.certificates.fields import (
    Fields,
    all_different,
    as_list,
    one_for_each_location,
    one_line,
    read_json,
)
from craton.evidence.certificates.format import (
    FORMAT,
    KINDS,
    MOST_DEPTH,
    MOST_LEMMAS,
    MOST_STATES,
    MOST_STEPS,
    VERSION,
    Assignment,
    Atom,
    BadCertificate,
    Certificate,
    Claim,
    Contract,
    Contracts,
    Declared,
    Definition,
    Derivation,
    HornModel,
    Inference,
    Invariants,
    Lemma,
    LocationStates,
    Moment,
    Parameter,
    Predicate,
    Proof,
    Row,
    Runs,
    StateSet,
    Task,
    Unrolled,
)
from craton.evidence.certificates.formulas import tokens
from craton.evidence.certificates.task import read_task
from craton.evidence.certificates.values import read_sort, read_value
from craton.evidence.conditions import Paths
from craton.logic.semantics import Value
from craton.logic.sorts import Sort
from craton.program.unfolding import Order
from craton.verdicts.provenance import Provenance


def read_certificate(path: Path) -> Certificate:
    content = read_json(path)
    try:
        return from_data(content)
    except BadCertificate as problem:
        raise BadCertificate(f"{path} is no certificate: {problem}") from None


def from_data(content: Any) -> Certificate:
    """A certificate from plain data."""
    fields = Fields(content, "the certificate")
    if fields.text("format") != FORMAT:
        raise BadCertificate(f"its format is not {FORMAT!r}")
    version = fields.number("version")
    if version not in _VERSIONS:
        raise BadCertificate(f"version {version} is not known; known are {' and '.join(map(str, _VERSIONS))}")
    return _VERSIONS[version](fields)


def _certificate(fields: Fields) -> Certificate:
    fields.only("format", "version", "craton", "program", "assumptions", "symbols", "lemmas", "found_by", "proof")
    symbols = tuple(map(_declared, fields.objects("symbols")))
    proof = _proof(fields.object("proof"), symbols)
    lemmas = _lemmas(fields)
    _proved_before(proof, "the proof", [lemma.name for lemma in lemmas])
    return Certificate(
        fields.text("craton"),
        _task(fields.object("program")),
        _provenance(fields.object("found_by")),
        symbols,
        lemmas,
        proof,
        fields.texts("assumptions"),
    )


def _task(fields: Fields) -> Task:
    fields.only("files", "property", "data_model", "defines", "includes", "passes")
    fields.object("property").only("text", "sha256")
    for file in fields.objects("files"):
        file.only("name", "sha256")
    return read_task(fields)


def _provenance(fields: Fields) -> Provenance:
    fields.only("engine", "refine", "encoding", "floats", "solvers")
    engine, refine, encoding, floats = map(fields.text, ("engine", "refine", "encoding", "floats"))
    return Provenance(engine, refine, encoding, floats, fields.texts("solvers"))


def _declared(fields: Fields) -> Declared:
    fields.only("symbol", "name", "parameters", "sort", "at", "source")
    return Declared(
        fields.text("symbol"),
        fields.text("name"),
        fields.texts("parameters"),
        fields.text("sort"),
        fields.choice("at", Moment),
        fields.text("source"),
    )


# --- lemmas -----------------------------------------------------------------------------------------------------------


def _lemmas(fields: Fields) -> tuple[Lemma, ...]:
    """In order: each may assume those before it, so nothing is ever assumed for its own proof."""
    entries = fields.objects("lemmas")
    if len(entries) > MOST_LEMMAS:
        raise BadCertificate(f"there are more than {MOST_LEMMAS} lemmas")
    found: list[Lemma] = []
    for entry in entries:
        entry.only("name", "found_by", "proof")
        name = entry.text("name")
        proof = _proof(entry.object("proof"), ())
        if not isinstance(proof, Invariants):
            kind = KINDS[type(proof)]
            raise BadCertificate(f"the lemma {one_line(name)!r} is of kind {kind!r}: lemmas are invariants")
        known = [lemma.name for lemma in found]
        if name in known:
            raise BadCertificate(f"there are two lemmas {one_line(name)!r}")
        _proved_before(proof, f"the lemma {one_line(name)!r}", known)
        found.append(Lemma(name, _provenance(entry.object("found_by")), proof))
    return tuple(found)


def _proved_before(proof: Proof, whose: str, known: Iterable[str]) -> None:
    proof = proof.proof if isinstance(proof, Unrolled) else proof
    for name in proof.assumes if isinstance(proof, Invariants) else ():
        if name not in known:
            raise BadCertificate(f"{whose} assumes {one_line(name)!r}, which no lemma before it proves")


# --- proofs by kind ---------------------------------------------------------------------------------------------------


def _proof(fields: Fields, symbols: tuple[Declared, ...]) -> Proof:
    kind = fields.text("kind")
    if kind == "states":
        return _states(fields, symbols)
    if kind not in _READERS:
        raise BadCertificate(f"the kind {one_line(kind)!r} is not known; known are {', '.join(KINDS.values())}")
    return _READERS[kind](fields)


def _invariants(fields: Fields) -> Invariants:
    fields.only("kind", "blocks", "k", "paths", "assumes", "invariants")
    k = fields.number("k")
    if not 1 <= k <= MOST_STEPS:
        raise BadCertificate(f"k is {k}, and not from 1 to {MOST_STEPS}")
    assumes = fields.texts("assumes")
    all_different(assumes, lambda name, count: f"{one_line(name)!r} is assumed {count} times")
    return Invariants(fields.block_size("blocks"), _claims(fields), k, fields.choice("paths", Paths), assumes)


def _claims(fields: Fields) -> tuple[Claim, ...]:
    entries = [entry.only("location", "position", "formula") for entry in fields.objects("invariants")]
    found = tuple(Claim(entry.number("location"), entry.text("formula"), entry.text("position")) for entry in entries)
    one_for_each_location(claim.location for claim in found)
    return found


def _states(fields: Fields, symbols: tuple[Declared, ...]) -> StateSet:
    fields.only("kind", "blocks", "variables", "states")
    variables = fields.texts("variables")
    all_different(variables, lambda name, count: f"the variable {one_line(name)!r} is there {count} times")
    declared = {entry.symbol: entry for entry in symbols if not entry.parameters}
    for name in variables:
        if name not in declared:
            raise BadCertificate(f"the variable {one_line(name)!r} of the states is not declared")
    sorts = [read_sort(declared[name].sort) for name in variables]
    found = []
    for entry in fields.objects("states"):
        entry.only("location", "rows")
        rows = tuple(_row(as_list(row, "an entry of 'rows'"), sorts) for row in entry.entries("rows"))
        found.append(LocationStates(entry.number("location"), rows))
    all_different((s.location for s in found), lambda location, count: f"L{location} has {count} sets of states")
    return StateSet(fields.block_size("blocks"), variables, tuple(found))


def _row(content: list[Any], sorts: list[Sort]) -> Row:
    if len(content) != len(sorts):
        raise BadCertificate(f"a state has {len(content)} values, and there are {len(sorts)} variables")
    return tuple(None if v is None else read_value(v, sort) for v, sort in zip(content, sorts, strict=True))


def _runs(fields: Fields) -> Runs:
    fields.only("kind", "blocks", "order", "states", "unreached")
    states = fields.number("states")
    if not 1 <= states <= MOST_STATES:
        raise BadCertificate(f"there are {states} states, and not from 1 to {MOST_STATES}")
    entries = [entry.only("time", "location") for entry in fields.objects("unreached")]
    unreached = tuple((entry.numbers("time"), entry.number("location")) for entry in entries)
    return Runs(fields.block_size("blocks"), fields.choice("order", Order), states, unreached)


def _contracts(fields: Fields) -> Contracts:
    fields.only("kind", "blocks", "procedures")
    found = []
    for entry in fields.objects("procedures"):
        entry.only("procedure", "requires", "ensures", "invariants")
        contract = Contract(entry.text("procedure"), entry.text("requires"), entry.text("ensures"), _claims(entry))
        _one_formula(contract.requires)
        _one_formula(contract.ensures)
        found.append(contract)
    one_for_each_location(claim.location for contract in found for claim in contract.claims)
    all_different((c.procedure for c in found), lambda name, count: f"{one_line(name)!r} has {count} contracts")
    return Contracts(fields.block_size("blocks"), tuple(found))


def _unrolled(fields: Fields) -> Unrolled:
    fields.only("kind", "depth", "proof")
    depth = fields.number("depth")
    if not 1 <= depth <= MOST_DEPTH:
        raise BadCertificate(f"the depth is {depth}, and not from 1 to {MOST_DEPTH}")
    inner = fields.object("proof")
    readers: dict[str, Callable[[Fields], Invariants | Runs]] = {"invariants": _invariants, "runs": _runs}
    kind = inner.text("kind")
    if kind not in readers:
        raise BadCertificate(f"what proves an unrolled program is of kind {' or '.join(readers)}")
    return Unrolled(depth, readers[kind](inner))


def _model(fields: Fields) -> HornModel:
    fields.only("kind", "predicates")
    found = []
    for entry in fields.objects("predicates"):
        entry.only("name", "parameters", "formula")
        named = [parameter.only("name", "sort") for parameter in entry.objects("parameters")]
        parameters = tuple(Parameter(each.text("name"), read_sort(each.text("sort"))) for each in named)
        names = (parameter.name for parameter in parameters)
        all_different(names, lambda name, count: f"a predicate has {count} parameters {one_line(name)!r}")
        _one_formula(entry.text("formula"))
        found.append(Definition(entry.text("name"), parameters, entry.text("formula")))
    all_different((d.predicate for d in found), lambda name, count: f"{one_line(name)!r} has {count} definitions")
    return HornModel(tuple(found))


def _one_formula(text: str) -> None:
    for _ in tokens(text):
        pass


# --- derivations ------------------------------------------------------------------------------------------------------


def _derivation(fields: Fields) -> Derivation:
    """The premises of a step are earlier ones, so there is no circle; the last one derives false, and no other."""
    fields.only("kind", "predicates", "steps")
    predicates = []
    for entry in fields.objects("predicates"):
        entry.only("name", "sorts")
        predicates.append(Predicate(entry.text("name"), tuple(map(read_sort, entry.texts("sorts")))))
    all_different((p.name for p in predicates), lambda name, count: f"{one_line(name)!r} is declared {count} times")
    table = {predicate.name: predicate for predicate in predicates}
    steps: list[Inference] = []
    for entry in fields.objects("steps"):
        if steps and steps[-1].derived is None:
            raise BadCertificate("there are steps behind the one that derives false")
        steps.append(_inference(entry, table, len(steps)))
    if not steps or steps[-1].derived is not None:
        raise BadCertificate("the last step does not derive false")
    return Derivation(tuple(predicates), tuple(steps))


def _inference(fields: Fields, predicates: Mapping[str, Predicate], number: int) -> Inference:
    fields.only("clause", "values", "premises", "predicate", "arguments")
    premises = fields.numbers("premises")
    for premise in premises:
        if premise >= number:
            raise BadCertificate(f"step {number} uses step {premise}, which is not before it")
    values = []
    for entry in fields.objects("values"):
        entry.only("variable", "sort", "value")
        sort = read_sort(entry.text("sort"))
        values.append(Assignment(entry.text("variable"), sort, read_value(entry.value("value"), sort)))
    all_different((v.variable for v in values), lambda name, count: f"{one_line(name)!r} has {count} values in a step")
    return Inference(fields.number("clause"), tuple(values), premises, _atom(fields, predicates))


def _atom(fields: Fields, predicates: Mapping[str, Predicate]) -> Atom | None:
    arguments = fields.entries("arguments")
    if fields.value("predicate") is None:
        if arguments:
            raise BadCertificate("false has no arguments")
        return None
    name = fields.text("predicate")
    if name not in predicates:
        raise BadCertificate(f"the predicate {one_line(name)!r} is not declared")
    sorts = predicates[name].sorts
    if len(arguments) != len(sorts):
        raise BadCertificate(f"{one_line(name)!r} has {len(sorts)} arguments, and not {len(arguments)}")
    values: tuple[Value, ...] = tuple(map(read_value, arguments, sorts))
    return Atom(name, values)


_READERS: dict[str, Callable[[Fields], Proof]] = {
    "invariants": _invariants,
    "runs": _runs,
    "contracts": _contracts,
    "unrolled": _unrolled,
    "model": _model,
    "derivation": _derivation,
}
_VERSIONS: dict[int, Callable[[Fields], Certificate]] = {format1.VERSION: format1.certificate, VERSION: _certificate}
