"""Programs whose calls cannot be inlined, by contracts: the program is a system of Horn clauses with a summary for each
procedure (`horn.procedures`). A model is a proof with requires and ensures; a derivation says how deep to unroll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from craton.configuration.stages import Stage
from craton.horn.derivations import Derivation
from craton.horn.procedures import ProcedureSystem, system_of
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.logic import functions
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.inlining import inline
from craton.verdicts.proof import Proof, ShownContract
from craton.verdicts.provenance import Provenance
from craton.verdicts.verdict import Proved, Unknown
from craton.verification.context import Context
from craton.verification.systems import verify_system

MOST_CLAUSES = 20_000


@dataclass(frozen=True, slots=True)
class ErrorWithin:
    """An error can be reached with so many calls of recursive procedures open at a time."""

    depth: int
    found_by: str


def by_contracts(
    program: Program, context: Context, stages: Sequence[Stage] | None, seconds: float | None
) -> tuple[Proved | ErrorWithin | Unknown, str]:
    """What the system of the program shows, and the stage that showed it."""
    encoded = encode_blocks(inline(program).program).program
    made = system_of(encoded)
    if len(made.system.clauses) > MOST_CLAUSES:
        return Unknown("the program has too many clauses"), ""
    if functions(*(clause.constraint for clause in made.system.clauses)):
        return Unknown("Horn clauses cannot share uninterpreted functions"), ""
    result = verify_system(made.system, stages, seconds, context.watch, confirm=context.confirm)
    match result.answer:
        case Satisfiable() as found:
            return _proved(made, found, result.stage), result.stage
        case Unsatisfiable(derivation):
            return ErrorWithin(_depth(made, derivation), result.stage), result.stage
        case unknown:
            return unknown, ""


def _proved(made: ProcedureSystem, found: Satisfiable, stage: str) -> Proved:
    contracts = tuple(ShownContract(c.procedure, c.requires, c.ensures) for c in made.contracts(found.model))
    provenance = Provenance(stage, solvers=found.by)
    proof = Proof(made.program, None, {}, provenance, found.checked_by, found.seconds, contracts)
    return Proved(proof, found.confirmed)


def _depth(made: ProcedureSystem, derivation: Derivation) -> int:
    """How many activations the run of a derivation has open at a time, that of the entry procedure aside.

    For each step: in how many activations it is, how many more are open at most inside of calls that have returned, and
    the most so far on the way of its activations. A call that is entered is in one more; one that has returned brings
    what its summary needed.
    """
    entries = {made.locations[made.program.procedures[name].entry] for name in made.summaries}
    inside: list[int] = []
    returned: list[int] = []
    most: list[int] = []
    for step in derivation.steps:
        if not step.premises:
            here = (0, 0, 0)
        else:
            before, last = step.premises[0], step.premises[-1]
            here = inside[before], returned[before], most[before]
            if step.derived is not None and step.derived.predicate in entries:
                here = here[0] + 1, 0, max(here[2], here[0] + 1)
            elif len(step.premises) > 1:
                below = 1 + returned[last]
                here = here[0], max(here[1], below), max(here[2], here[0] + below)
        inside.append(here[0])
        returned.append(here[1])
        most.append(here[2])
    return most[-1] if most else 0
