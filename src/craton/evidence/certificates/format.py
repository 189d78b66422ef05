"""What a certificate says, as typed data: format 2, of which format 1 is the case of one inductive annotation.

Formulas are texts here, since only the program says what their symbols mean. What each kind of proof has to satisfy,
and why that proves what it claims, is in `docs/certificates.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from craton.errors import CratonError
from craton.evidence.conditions import Paths
from craton.logic.semantics import Value
from craton.logic.sorts import Sort
from craton.program.blocks import BlockSize
from craton.program.passes import FIRST, Passes
from craton.program.unfolding import Order, Time
from craton.verdicts.provenance import Provenance

FORMAT = "craton certificate"
VERSION = 2

# What a file may ask for at most: beyond it is no proof that anybody has found, but an attack on the one who checks.
MOST_BYTES = 2**28
MOST_LEMMAS = 1000
MOST_STEPS = 1000  # k
MOST_STATES = 1_000_000  # that all runs pass together
MOST_DEPTH = 1000  # calls that are open at a time, where recursion is unrolled
LARGEST_NUMBER = 2**31 - 1


class BadCertificate(CratonError):
    """A file that is no certificate, or one that does not fit the program."""


# --- what it is about -------------------------------------------------------------------------------------------------


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
    passes: Passes = FIRST  # which made the program smaller, of which the proof speaks


class Moment(Enum):
    """When a symbol's variable has the value that is meant."""

    NOW = "now"
    ENTRY = "entry"  # when the procedure was entered: in contracts only


@dataclass(frozen=True, slots=True)
class Declared:
    """A symbol of the formulas and which variable (or function, if it has parameters) of the program it means."""

    symbol: str
    name: str
    parameters: tuple[str, ...]
    sort: str
    at: Moment = Moment.NOW
    source: str = ""  # the declaration in the source, for the reader


# --- kinds of proofs --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """What holds whenever control is at a location, with its place in the text for the reader."""

    location: int
    formula: str
    position: str = ""


@dataclass(frozen=True, slots=True)
class Invariants:
    """Invariants that are k-inductive over block edges, given the lemmas that they assume; k = 1 is inductive."""

    blocks: BlockSize
    claims: tuple[Claim, ...]
    k: int = 1
    paths: Paths = Paths.ALL
    assumes: tuple[str, ...] = ()


Row = tuple[Value | None, ...]  # a value for each variable; None stands for any


@dataclass(frozen=True, slots=True)
class LocationStates:
    location: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class StateSet:
    """All states that can be reached, as far as some variables tell them apart."""

    blocks: BlockSize
    variables: tuple[str, ...]  # by their symbols
    sets: tuple[LocationStates, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    """What a procedure requires of its callers and ensures for them, and the invariants in between."""

    procedure: str
    requires: str
    ensures: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Contracts:
    """A proof of a program whose calls are not inlined."""

    blocks: BlockSize
    procedures: tuple[Contract, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs have ended when so many states were followed, if none is where these say, or at an error."""

    blocks: BlockSize
    order: Order
    states: int
    unreached: tuple[tuple[Time, int], ...]  # at this time, at this location


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A proof of the program whose recursion is unrolled: no more calls than `depth` are open, which it shows, too."""

    depth: int
    proof: Invariants | Runs


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class Definition:
    """A predicate of a system of Horn clauses, defined by a formula over its parameters."""

    predicate: str
    parameters: tuple[Parameter, ...]
    formula: str


@dataclass(frozen=True, slots=True)
class HornModel:
    """A system of Horn clauses is satisfiable: these predicates are a model."""

    definitions: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Predicate:
    name: str
    sorts: tuple[Sort, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """The value of a variable of a clause."""

    variable: str
    sort: Sort
    value: Value


@dataclass(frozen=True, slots=True)
class Atom:
    """What a step derives: a predicate of values."""

    predicate: str
    arguments: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Inference:
    """An instance of a clause. The premises are numbers of earlier steps, one for each atom of the body, in order."""

    clause: int
    values: tuple[Assignment, ...]
    premises: tuple[int, ...]
    derived: Atom | None  # None: false, by the last step alone


@dataclass(frozen=True, slots=True)
class Derivation:
    """A system of Horn clauses is unsatisfiable: these steps derive false. What is used twice is derived once."""

    predicates: tuple[Predicate, ...]
    steps: tuple[Inference, ...]


Proof = Invariants | StateSet | Runs | Contracts | Unrolled | HornModel | Derivation

KINDS: dict[type[Proof], str] = {
    Invariants: "invariants",
    StateSet: "states",
    Runs: "runs",
    Contracts: "contracts",
    Unrolled: "unrolled",
    HornModel: "model",
    Derivation: "derivation",
}


# --- the whole --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lemma:
    """A fact from elsewhere with its own proof: it holds whenever control is at the locations it speaks of."""

    name: str
    found_by: Provenance
    proof: Invariants


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate as it was read: of the right form, and otherwise not yet believed in anything."""

    craton: str
    task: Task
    found_by: Provenance
    symbols: tuple[Declared, ...]
    lemmas: tuple[Lemma, ...]
    proof: Proof
    assumptions: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return KINDS[type(self.proof)]
