"""Certificates as files: from a proof over terms to texts, and from typed data to JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from craton.errors import CratonError
from craton.evidence.certificates.format import (
    FORMAT,
    KINDS,
    VERSION,
    Certificate,
    Claim,
    Contract,
    Contracts,
    Declared,
    Derivation,
    HornModel,
    Inference,
    Invariants,
    Lemma,
    Moment,
    Predicate,
    Proof,
    Runs,
    StateSet,
    Task,
    Unrolled,
)
from craton.evidence.certificates.formulas import Spelled
from craton.evidence.certificates.task import described, printable, sha256
from craton.evidence.certificates.values import read_sort, write_value
from craton.evidence.conditions import Paths
from craton.evidence.contracts import ContractProof, contract_proof
from craton.files import write_atomically
from craton.frontends.programs import Request
from craton.logic import Function, Term, functions, ordered_variables
from craton.logic.smtlib import Symbols, to_smtlib
from craton.program.blocks import BlockSize, Cut
from craton.program.cfa import Location, Program
from craton.program.passes import FIRST
from craton.program.variables import at_entry
from craton.verdicts.provenance import Provenance
from craton.version import __version__

if TYPE_CHECKING:
    from craton.verdicts.proof import Proof as ShownProof
    from craton.verdicts.result import Result


# --- from proofs over terms -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Annotated:
    """Invariants of a program in blocks of a size, and who found them."""

    found_by: Provenance
    program: Program
    blocks: BlockSize
    invariants: Mapping[Location, Term]
    k: int = 1
    paths: Paths = Paths.ALL
    assumes: tuple[str, ...] = ()


def make_certificate(request: Request, result: Result) -> Certificate:
    """The proof of a result."""
    proof = result.proof
    if proof is None:
        raise CratonError(f"there is no proof to write: the verdict is {result.verdict}")
    request = replace(request, passes=result.passes)
    if proof.contracts:
        return certificate_of_contracts(described(request), contract_proof(proof), proof, result.assumptions)
    annotated = Annotated(proof.found_by, proof.program, proof.blocks, proof.invariants, proof.k)
    made = certificate_of(described(request), annotated, assumptions=result.assumptions)
    if proof.runs is not None:
        runs = proof.runs
        unreached = sorted((time, location.id) for time, location in runs.unreached)
        made = replace(made, proof=Runs(proof.blocks, runs.order, runs.states, tuple(unreached)))
    if not proof.unrolled:
        return made
    assert isinstance(made.proof, Invariants | Runs)
    return replace(made, proof=Unrolled(proof.unrolled, made.proof))


def certificate_of(
    task: Task, proof: Annotated, lemmas: Mapping[str, Annotated] | None = None, assumptions: Sequence[str] = ()
) -> Certificate:
    """Invariants that prove the task, with the lemmas they rest on, in an order in which each assumes earlier ones."""
    lemmas = lemmas or {}
    symbols = Spelled()
    # All that is free gets its symbol before any bound variable can take it.
    terms = [term for part in (*lemmas.values(), proof) for term in _written(part).values()]
    free: list[Term | Function] = [*ordered_variables(*terms), *functions(*terms)]
    return Certificate(
        __version__,
        task,
        proof.found_by,
        tuple(_declaration(item, symbols, proof.program) for item in free),
        tuple(Lemma(name, lemma.found_by, _invariants(lemma, symbols)) for name, lemma in lemmas.items()),
        _invariants(proof, symbols),
        tuple(assumptions),
    )


def certificate_of_contracts(
    task: Task, contracts: ContractProof, proof: ShownProof, assumptions: Sequence[str] = ()
) -> Certificate:
    """Contracts of all procedures whose calls are not inlined, and the invariants in between."""
    program, symbols = contracts.program, Spelled()
    terms = [term for each in contracts.contracts.values() for term in (each.requires, each.ensures)]
    free: list[Term | Function] = [*ordered_variables(*terms, *contracts.invariants.values())]
    free += functions(*terms, *contracts.invariants.values())
    entry = {at_entry(v): v for p in program.procedures.values() for v in contracts.entered(p)}
    declared = tuple(_declaration(item, symbols, program, entry) for item in free)
    procedures = []
    for name, procedure in program.procedures.items():
        said = contracts.contracts[name]
        requires, ensures = (to_smtlib(formula, symbols=symbols) for formula in (said.requires, said.ensures))
        claims = {x: contracts.invariants[x] for x in procedure.locations if x in contracts.invariants}
        procedures.append(Contract(name, requires, ensures, _claimed(claims, symbols, program)))
    return Certificate(
        __version__,
        task,
        proof.found_by,
        declared,
        (),
        Contracts(proof.blocks, tuple(procedures)),
        tuple(assumptions),
    )


def _written(part: Annotated) -> dict[Location, Term]:
    """Its invariants in the order of the program."""
    return {x: part.invariants[x] for x in part.program.main.locations if x in part.invariants}


def _invariants(part: Annotated, symbols: Symbols) -> Invariants:
    claims = _claimed(_written(part), symbols, part.program)
    return Invariants(part.blocks, claims, part.k, part.paths, part.assumes)


def _claimed(invariants: Mapping[Location, Term], symbols: Symbols, program: Program) -> tuple[Claim, ...]:
    return tuple(
        Claim(location.id, to_smtlib(invariant, symbols=symbols), printable(place(location, program)))
        for location, invariant in invariants.items()
    )


def _declaration(
    item: Term | Function, symbols: Symbols, program: Program, entry: Mapping[Term, Term] | None = None
) -> Declared:
    """`entry` are values at the entry of a procedure, each with the variable that had it."""
    if isinstance(item, Function):
        return Declared(symbols.of(item), item.name, tuple(map(str, item.params)), str(item.result))
    variable, moment = item, Moment.NOW
    if entry is not None and item in entry:
        variable, moment = entry[item], Moment.ENTRY
    meaning = program.symbols.get(variable)
    source = f"{meaning.type} {meaning.name}".strip() if meaning is not None and meaning.name else ""
    return Declared(symbols.of(item), variable.name, (), str(item.sort), moment, printable(source))


def place(location: Location, program: Program) -> str:
    """Where a cut-point is in the text, for those who read it there."""
    loop = program.loop_heads.get(location)
    if loop is not None:
        return f"loop at {loop}"
    procedure = next((p for p in program.procedures.values() if location in p.locations), program.main)
    of = "" if procedure is program.main else f" of {procedure.name}"
    if location == procedure.entry:
        return f"entry{of}"
    if location in program.errors:
        return f"error: {program.errors[location]}"
    if location == procedure.exit:
        return f"exit{of}"
    for word, edges in (("before", procedure.outgoing(location)), ("behind", procedure.incoming(location))):
        for edge in edges:
            if edge.origin is not None:
                return f"{word} {edge.origin}"
    return ""


# --- to files ---------------------------------------------------------------------------------------------------------


def write_certificate(path: Path, certificate: Certificate) -> None:
    write_atomically(path, json.dumps(as_data(certificate), indent=2, ensure_ascii=False) + "\n")


def as_data(certificate: Certificate) -> dict[str, Any]:
    """The certificate as plain data, which `reading.from_data` takes for the same certificate."""
    task = certificate.task
    return {
        "format": FORMAT,
        "version": VERSION,
        "craton": certificate.craton,
        "program": {
            "files": [{"name": file.name, "sha256": file.sha256} for file in task.files],
            "property": {"text": task.property, "sha256": sha256(task.property.encode())},
            "data_model": task.data_model,
            "defines": list(task.defines),
            "includes": list(task.includes),
        }
        | ({} if task.passes == FIRST else {"passes": [one.value for one in task.passes]}),
        "assumptions": list(certificate.assumptions),
        "symbols": list(map(_symbol, certificate.symbols)),
        "lemmas": [
            {"name": lemma.name, "found_by": _found_by(lemma.found_by), "proof": _proof(lemma.proof, ())}
            for lemma in certificate.lemmas
        ],
        "found_by": _found_by(certificate.found_by),
        "proof": _proof(certificate.proof, certificate.symbols),
    }


def _symbol(declared: Declared) -> dict[str, Any]:
    return {
        "symbol": declared.symbol,
        "name": declared.name,
        "parameters": list(declared.parameters),
        "sort": declared.sort,
        "at": declared.at.value,
        "source": declared.source,
    }


def _found_by(provenance: Provenance) -> dict[str, Any]:
    return {
        "engine": provenance.engine,
        "refine": provenance.refine,
        "encoding": provenance.encoding,
        "floats": provenance.floats,
        "solvers": list(provenance.solvers),
    }


def _proof(proof: Proof, symbols: Sequence[Declared]) -> dict[str, Any]:
    kind = {"kind": KINDS[type(proof)]}
    match proof:
        case Invariants():
            return kind | {
                "blocks": _size(proof.blocks),
                "k": proof.k,
                "paths": proof.paths.value,
                "assumes": list(proof.assumes),
                "invariants": _claims(proof.claims),
            }
        case StateSet():
            return kind | _states(proof, symbols)
        case Runs():
            unreached = [{"time": list(time), "location": location} for time, location in proof.unreached]
            order = proof.order.value
            size = _size(proof.blocks)
            return kind | {"blocks": size, "order": order, "states": proof.states, "unreached": unreached}
        case Contracts():
            return kind | {
                "blocks": _size(proof.blocks),
                "procedures": [
                    {
                        "procedure": contract.procedure,
                        "requires": contract.requires,
                        "ensures": contract.ensures,
                        "invariants": _claims(contract.claims),
                    }
                    for contract in proof.procedures
                ],
            }
        case Unrolled():
            return kind | {"depth": proof.depth, "proof": _proof(proof.proof, symbols)}
        case HornModel():
            return kind | _model(proof)
        case Derivation():
            table = {predicate.name: predicate for predicate in proof.predicates}
            return kind | {
                "predicates": [{"name": p.name, "sorts": list(map(str, p.sorts))} for p in proof.predicates],
                "steps": [_inference(step, table) for step in proof.steps],
            }


def _size(blocks: BlockSize) -> int | str | None:
    return blocks.value if isinstance(blocks, Cut) else blocks


def _claims(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    return [{"location": claim.location, "position": claim.position, "formula": claim.formula} for claim in claims]


def _states(proof: StateSet, symbols: Sequence[Declared]) -> dict[str, Any]:
    table = {declared.symbol: read_sort(declared.sort) for declared in symbols if declared.symbol in proof.variables}
    sorts = [table[name] for name in proof.variables]
    return {
        "blocks": _size(proof.blocks),
        "variables": list(proof.variables),
        "states": [
            {
                "location": states.location,
                "rows": [
                    [None if v is None else write_value(v, sort) for v, sort in zip(row, sorts, strict=True)]
                    for row in states.rows
                ],
            }
            for states in proof.sets
        ],
    }


def _model(proof: HornModel) -> dict[str, Any]:
    return {
        "predicates": [
            {
                "name": definition.predicate,
                "parameters": [{"name": each.name, "sort": str(each.sort)} for each in definition.parameters],
                "formula": definition.formula,
            }
            for definition in proof.definitions
        ]
    }


def _inference(step: Inference, predicates: Mapping[str, Predicate]) -> dict[str, Any]:
    derived = step.derived
    return {
        "clause": step.clause,
        "values": [
            {"variable": given.variable, "sort": str(given.sort), "value": write_value(given.value, given.sort)}
            for given in step.values
        ],
        "premises": list(step.premises),
        "predicate": None if derived is None else derived.predicate,
        "arguments": []
        if derived is None
        else list(map(write_value, derived.arguments, predicates[derived.predicate].sorts)),
    }
