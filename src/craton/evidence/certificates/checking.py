"""Does a certificate prove the program that the user names? The program is rebuilt from its text, and every section of
the certificate is checked in order: lemmas first, each of which later ones may assume.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from craton.errors import CratonError
from craton.evidence.certificates.fields import one_line
from craton.evidence.certificates.format import (
    BadCertificate,
    Certificate,
    Contracts,
    Derivation,
    HornModel,
    Invariants,
    Proof,
    Runs,
    StateSet,
    Unrolled,
)
from craton.evidence.certificates.formulas import Named, named_claims, named_formula, named_symbols
from craton.evidence.certificates.task import about_request
from craton.evidence.checker import Confirmed, Flaw, check_annotation, chosen_checkers
from craton.evidence.conditions import Annotation, Role, vocabulary
from craton.evidence.contracts import Contract, ContractProof, check_contracts
from craton.evidence.exhaustion import Exhaustion, check_exhaustion
from craton.evidence.states import States, check_states
from craton.files import CannotWrite, write_atomically
from craton.frontends.programs import Request, is_horn, load_program
from craton.logic import Function, Term, and_, functions
from craton.logic.smtlib import script
from craton.processes.running_time import running_time
from craton.program.blocks import BlockSize, encode_blocks
from craton.program.cfa import Location, Program
from craton.program.inlining import MOST_EDGES, Inlining
from craton.program.passes import ALL, Passes
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Block, Call
from craton.program.transitions import known_together
from craton.program.unfolding import AllRuns
from craton.program.unrolling import Beyond, unroll_recursion, unrolled_size
from craton.verdicts.provenance import Provenance
from craton.version import __version__


@dataclass(frozen=True, slots=True)
class Accepted:
    """The certificate is a proof."""

    conditions: int
    cut_points: int
    solvers: tuple[str, ...]
    seconds: float
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """The certificate is no proof or, if not `decided`, could not be shown to be one."""

    problem: str
    decided: bool = True


def check_certificate(
    certificate: Certificate,
    request: Request,
    *,
    solvers: Sequence[str] | None = None,
    paranoid: bool = False,
    seconds: float | None = None,
    conditions: Path | None = None,
) -> Accepted | Refused:
    """Whether the certificate proves the program that the request names. One of another program is bad input.

    With `conditions`, a directory, every condition is written there for other solvers to check again.
    """
    started = running_time()
    if isinstance(certificate.proof, HornModel | Derivation) or is_horn(request):
        return _of_system(certificate, request, solvers, paranoid, seconds, conditions)
    checkers = {
        found_by.solvers: chosen_checkers(found_by.solvers, solvers, paranoid) for found_by in _provenances(certificate)
    }
    about_request(certificate, request)
    depth = certificate.proof.depth if isinstance(certificate.proof, Unrolled) else 0
    # Contracts are of the program in which calls that do not pay are not inlined.
    inlining = Inlining.PAYING if isinstance(certificate.proof, Contracts) else Inlining.ALL
    programs = Programs(request, depth, certificate.task.passes, inlining)
    sections = _sections(certificate, programs)
    if isinstance(sections, Refused):
        return sections
    if conditions is not None:
        write_conditions(conditions, sections)
    shown, believed = 0, dict[str, None]()
    for section in sections:
        left = None if seconds is None else max(0.0, seconds - (running_time() - started))
        found = section.checked(checkers[section.found_by.solvers], left, 2 if paranoid else 1)
        if isinstance(found, Flaw):
            return Refused(section.label + found.problem + _other_version(certificate), found.decided)
        shown += found.conditions
        believed.update(dict.fromkeys(found.by))
    used = running_time() - started
    assumptions = sections[-1].content.program.assumptions
    return Accepted(shown, len(sections[-1].locations), tuple(believed), used, assumptions)


def _of_system(
    certificate: Certificate,
    request: Request,
    solvers: Sequence[str] | None,
    paranoid: bool,
    seconds: float | None,
    conditions: Path | None,
) -> Accepted | Refused:
    """Whether it is evidence about a system of Horn clauses."""
    from craton.evidence.certificates.systems import check_system

    if not is_horn(request):
        return Refused(f"the kind {certificate.kind!r} speaks of Horn clauses, and {request.files[0]} is a program")
    if not isinstance(certificate.proof, HornModel | Derivation):
        return Refused(f"the kind {certificate.kind!r} speaks of programs, and {request.files[0]} is Horn clauses")
    if certificate.symbols or certificate.lemmas:
        return Refused("evidence about Horn clauses has neither symbols nor lemmas: its predicates name their own")
    if conditions is not None:
        raise CratonError("conditions are written of invariants of programs; a model is written as definitions (.smt2)")
    started = running_time()
    found = check_system(certificate, request, solvers=solvers, paranoid=paranoid, seconds=seconds)
    if isinstance(found, Flaw):
        return Refused(found.problem + _other_version(certificate), found.decided)
    size = len(certificate.proof.definitions) if isinstance(certificate.proof, HornModel) else found.conditions
    return Accepted(found.conditions, size, found.by, running_time() - started, ())


def _provenances(certificate: Certificate) -> Iterator[Provenance]:
    for lemma in certificate.lemmas:
        yield lemma.found_by
    yield certificate.found_by


def _other_version(certificate: Certificate) -> str:
    if certificate.craton == __version__:
        return ""
    return f"; the certificate was made by Craton {one_line(certificate.craton)}, and this is {__version__}"


# --- sections ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """A lemma or the proof, with what its texts mean."""

    label: str  # in front of messages about it
    found_by: Provenance
    content: Annotation | States | Exhaustion | ContractProof

    @property
    def locations(self) -> Collection[Location]:
        match self.content:
            case States():
                return self.content.rows
            case Exhaustion():
                return {location for _, location in self.content.runs.unreached}
            case _:
                return self.content.invariants

    def checked(self, checkers: Sequence[str], seconds: float | None, opinions: int) -> Flaw | Confirmed:
        match self.content:
            case States():
                return check_states(self.content, seconds)
            case Exhaustion():
                return check_exhaustion(self.content, checkers, seconds, opinions=opinions)
            case ContractProof():
                return check_contracts(self.content, checkers, seconds, opinions=opinions)
            case _:
                return check_annotation(self.content, checkers, seconds, opinions=opinions)


class Programs:
    """The program of a request, rebuilt from its text, in blocks of any size: that of which a proof speaks. With a
    depth its recursion is unrolled, and calls that would be one too many are errors.
    """

    def __init__(
        self, request: Request, depth: int = 0, passes: Passes = ALL, inlining: Inlining = Inlining.ALL
    ) -> None:
        """The passes are those that the certificate names. Whichever they are: what they leave proves the program."""
        program = load_program(request)
        if depth:
            if unrolled_size(program, depth) > MOST_EDGES:
                raise BadCertificate(f"the program with its recursion unrolled to {depth} calls is too large")
            program = unroll_recursion(program, depth, Beyond.GAP)
        self._small = prepare(program, passes, inlining).small.program
        self._blocks: dict[BlockSize, Program] = {}

    def in_blocks(self, size: BlockSize) -> Program:
        if size not in self._blocks:
            self._blocks[size] = encode_blocks(self._small, size).program
            for procedure in self._blocks[size].procedures.values():
                known_together(procedure)
        return self._blocks[size]


def _sections(certificate: Certificate, programs: Programs) -> tuple[Section, ...] | Refused:
    """What is to be checked, in order. A lemma may be of other blocks than those who assume it: what holds whenever
    control is at a location does so however the program is cut.
    """
    parts: list[tuple[str, Provenance, Role, Proof]] = [
        (f"lemma {one_line(lemma.name)!r}: ", lemma.found_by, Role.LEMMA, lemma.proof) for lemma in certificate.lemmas
    ]
    proved_of = certificate.proof.proof if isinstance(certificate.proof, Unrolled) else certificate.proof
    parts.append(("", certificate.found_by, Role.PROOF, proved_of))
    if isinstance(certificate.proof, Contracts):
        if certificate.lemmas:
            return Refused("lemmas are of programs whose calls are inlined: contracts can assume none")
        return _contracts(certificate, certificate.proof, programs.in_blocks(certificate.proof.blocks))
    known: dict[Term | Function, None] = {}
    for _, _, _, proof in parts:
        program = programs.in_blocks(_blocks(proof))
        calls = [edge.statement.procedure for edge in program.main.edges if isinstance(edge.statement, Call)]
        if calls:
            return Refused(f"no proof of this kind is possible: the call of {calls[0]} cannot be inlined")
        known.update(dict.fromkeys((*vocabulary(program), *_applied(program))))
    meaning = named_symbols(certificate.symbols, known)
    proved: dict[str, Mapping[Location, Term]] = {}
    sections: list[Section] = []
    for number, (label, found_by, role, proof) in enumerate(parts):
        program = programs.in_blocks(_blocks(proof))
        section = Section(label, found_by, _content(proof, role, program, meaning, proved))
        lost = [location for location in section.locations if location not in program.main.locations]
        if lost:
            return Refused(f"{label}the program has no cut-point {lost[0]}{_other_version(certificate)}")
        if isinstance(section.content, Annotation) and role is Role.LEMMA:
            proved[certificate.lemmas[number].name] = section.content.invariants
        sections.append(section)
    return tuple(sections)


def _contracts(certificate: Certificate, written: Contracts, program: Program) -> tuple[Section, ...] | Refused:
    """Contracts name the procedures of the program whose calls are not inlined, all of them and no others."""
    said = {contract.procedure for contract in written.procedures}
    for name in said - program.procedures.keys():
        return Refused(f"the program has no procedure {one_line(name)} whose calls are not inlined")
    for name in program.procedures.keys() - said:
        return Refused(f"there is no contract of {name}")
    shared, procedures = program.globals, program.procedures.values()
    entered = [v for procedure in procedures for v in (*procedure.parameters, *shared)]
    state = [v for p in procedures for v in (*p.parameters, *p.returns, *p.locals, *shared)]
    meaning = named_symbols(certificate.symbols, dict.fromkeys((*state, *_applied(program))), dict.fromkeys(entered))
    contracts: dict[str, Contract] = {}
    invariants: dict[Location, Term] = {}
    for contract in written.procedures:
        name = contract.procedure
        lost = [claim for claim in contract.claims if Location(claim.location) not in _places(program, name)]
        if lost:
            return Refused(f"{name} has no cut-point L{lost[0].location}{_other_version(certificate)}")
        requires = named_formula(contract.requires, meaning, f"the requirement of {name}")
        ensures = named_formula(contract.ensures, meaning, f"what {name} ensures")
        contracts[name] = Contract(requires, ensures)
        invariants |= named_claims(contract.claims, meaning)
    return (Section("", certificate.found_by, ContractProof(program, contracts, invariants)),)


def _places(program: Program, procedure: str) -> frozenset[Location]:
    return frozenset(program.procedures[procedure].locations)


def _blocks(proof: Proof) -> BlockSize:
    assert isinstance(proof, Invariants | StateSet | Runs)
    return proof.blocks


def _content(
    proof: Proof, role: Role, program: Program, meaning: Named, proved: Mapping[str, Mapping[Location, Term]]
) -> Annotation | States | Exhaustion:
    if isinstance(proof, Invariants):
        facts = _together([proved[name] for name in proof.assumes])  # KeyError: not before, which reading has refused
        return Annotation(program, named_claims(proof.claims, meaning), role, proof.k, proof.paths, facts)
    if isinstance(proof, Runs):
        unreached = frozenset((time, Location(location)) for time, location in proof.unreached)
        return Exhaustion(program, AllRuns(proof.order, proof.states, unreached))
    assert isinstance(proof, StateSet)
    variables = [meaning[symbol] for symbol in proof.variables]
    rows = {Location(states.location): states.rows for states in proof.sets}
    return States(program, tuple(v for v in variables if isinstance(v, Term)), rows)


def _together(facts: Sequence[Mapping[Location, Term]]) -> dict[Location, Term]:
    locations = dict.fromkeys(location for fact in facts for location in fact)
    return {x: and_(*(fact[x] for fact in facts if x in fact)) for x in locations}


def _applied(program: Program) -> tuple[Function, ...]:
    """The functions of the program."""
    terms: list[Term] = []
    for edge in program.edges():
        inner = edge.statement.edges if isinstance(edge.statement, Block) else (edge,)
        terms += [e.statement.condition for e in inner if isinstance(e.statement, Assume)]
        terms += [e.statement.value for e in inner if isinstance(e.statement, Assign)]
        terms += [argument for e in inner if isinstance(e.statement, Call) for argument in e.statement.arguments]
    return functions(*terms)


# --- conditions as files ----------------------------------------------------------------------------------------------


def write_conditions(directory: Path, sections: Sequence[Section]) -> None:
    """Each condition as an SMT-LIB file that every solver should call unsatisfiable."""
    for section in sections:
        if isinstance(section.content, States):
            raise CratonError("states are checked by evaluation: there are no conditions to write")
        if isinstance(section.content, Exhaustion):
            raise CratonError("that all runs end is one question, and no conditions of invariants: none are written")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        there = sorted(directory.glob("*.smt2"))
    except OSError as problem:
        raise CannotWrite(f"cannot write to {directory}: {problem.strerror}") from problem
    if there:
        raise CannotWrite(f"{directory} has .smt2 files already ({there[0].name}): name an empty directory")
    number = 0
    for section in sections:
        assert isinstance(section.content, Annotation | ContractProof)
        for condition in section.content.conditions():
            number += 1
            kind = condition.kind.value
            comment = f"{section.label}{kind} ({condition.where})\nholds if this is unsatisfiable"
            text = script(condition.formulas, comment=comment, options=("(set-info :status unsat)",))
            write_atomically(directory / f"{number:04}-{kind}-{condition.name}.smt2", text)
