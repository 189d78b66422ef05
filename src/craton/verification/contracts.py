"""Programs whose calls cannot be inlined, by contracts: the program is a system of Horn clauses with a summary for each
procedure (`horn.procedures`). A model is a proof with requires and ensures; a derivation is a run, which is repeated on
the whole program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from craton.configuration.stages import Stage
from craton.evidence.checker import CHECKERS, Confirmed, Flaw, others
from craton.evidence.contracts import check_contracts, contract_proof
from craton.horn.derivations import Derivation
from craton.horn.procedures import ProcedureSystem, system_of
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.logic import TRUE, Term, and_, conjuncts, functions, implies
from craton.logic.evaluation import CannotEvaluate
from craton.processes.running_time import running_time
from craton.program.blocks import encode_blocks
from craton.program.cfa import Program
from craton.program.transformation import Transformed
from craton.smt import make_solver
from craton.verdicts.proof import Proof, ShownContract
from craton.verdicts.provenance import Provenance
from craton.verdicts.verdict import Proved, Unknown, Violated
from craton.verification.confirmation import replayed
from craton.verification.context import Context
from craton.verification.derived_runs import TooLong, run_of
from craton.verification.isolation import NotDone, Report, within
from craton.verification.outcomes import ErrorWithin
from craton.verification.portfolio import Attempt, Portfolio, budgeted
from craton.verification.stage_programs import StagePrograms
from craton.verification.systems import SystemResult, system_attempts
from craton.words import DOES_NOT_FIT

MOST_CLAUSES = 20_000
_MOST_CONJUNCTS = 20  # of a formula that is made shorter
_LEAN_SECONDS = 0.05  # for each of them


ByContracts = Proved | Violated | ErrorWithin | Unknown
Judged = tuple[ByContracts, str]  # with the stage that showed it


def by_contracts(programs: StagePrograms, context: Context, stages: Sequence[Stage] | None) -> Judged:
    """What the system of the program shows, of which only the calls are inlined that pay."""
    unknown = Unknown("")

    def decides(attempt: Attempt[Judged], found: Judged) -> Judged | None:
        nonlocal unknown
        if not isinstance(found[0], Unknown):
            return found
        unknown = found[0]
        return None

    attempts = contract_attempts(programs, context, stages)
    return Portfolio(attempts, context).result(context.clock, decides) or (unknown, "")


def contract_attempts(
    programs: StagePrograms, context: Context, stages: Sequence[Stage] | None
) -> list[Attempt[Judged]]:
    """Attempts on the system of the program: `stages`, or else the usual ones for systems."""
    blocks = encode_blocks(programs.small.program)
    encoded = blocks.program
    if not encoded.errors:
        trivial = {x: TRUE for procedure in encoded.procedures.values() for x in procedure.locations}
        return [_known(Proved(Proof(encoded, None, trivial, Provenance("reachability"), "", 0)), "reachability")]
    made = system_of(encoded)
    if len(made.system.clauses) > MOST_CLAUSES:
        return [_known(Unknown("the program has too many clauses"))]
    if functions(*(clause.constraint for clause in made.system.clauses)):
        return [_known(Unknown(f"{DOES_NOT_FIT}Horn clauses cannot share uninterpreted functions"))]

    def judged(result: SystemResult) -> Judged:
        match result.answer:
            case Satisfiable() as found:
                return _proved(made, found, result.stage, context), result.stage
            case Unsatisfiable(derivation):
                shown = _violated(made, derivation, programs.whole, programs.small.then(blocks), context)
                if isinstance(shown, Violated):
                    return shown, result.stage
                return ErrorWithin(_depth(made, derivation), result.stage, shown), result.stage
            case unknown:
                return unknown, ""

    return [attempt.then(judged) for attempt in system_attempts(made.system, stages, context, made.kept)]


def _known(answer: ByContracts, stage: str = "") -> Attempt[Judged]:
    """What needs no work."""
    return Attempt("contracts", 1.0, None, partial(budgeted, lambda budget: None), lambda found: (answer, stage))


def _proved(made: ProcedureSystem, found: Satisfiable, stage: str, context: Context) -> Proved | Unknown:
    """The model as contracts, which are checked for themselves: that is what a certificate will have to show."""
    begun, left = running_time(), context.time_to_confirm

    def work(report: Report) -> tuple[Proof, Flaw | Confirmed]:
        proof = _proof(made, found, stage)
        if not context.confirm:
            return proof, Confirmed((), 0)
        return proof, check_contracts(contract_proof(proof), others(found.by) or CHECKERS, left)

    with context.statistics.spending("checking the proof"):
        checked = within(left, work)
    match checked:
        case proof, Confirmed(by):
            used = found.seconds + running_time() - begun
            by_whom = " and ".join(by) or found.checked_by
            return Proved(replace(proof, checked_by=by_whom, seconds=used), found.confirmed)
        case _, Flaw(_, problem, True):
            return Unknown(f"a proof was found but not confirmed: {problem}")
        case _, Flaw(_, problem):
            return Unknown(f"evidence incomplete: a proof was found, but {problem}")
        case NotDone(reason, limit):
            return Unknown(f"evidence incomplete: a proof was found, but {reason}", limit)


def _proof(made: ProcedureSystem, found: Satisfiable, stage: str) -> Proof:
    contracts = tuple(
        ShownContract(c.procedure, _lean(c.requires), _lean(c.ensures)) for c in made.contracts(found.model)
    )
    provenance = Provenance(stage, solvers=found.by)
    return Proof(made.program, None, made.invariants(found.model), provenance, "", 0, contracts)


def _lean(formula: Term) -> Term:
    """Without conjuncts that the others imply: contracts are to be read."""
    parts = list(conjuncts(formula))
    if len(parts) > _MOST_CONJUNCTS:
        return formula
    for part in tuple(parts):
        rest = and_(*(other for other in parts if other is not part))
        with make_solver("z3", time_limit=_LEAN_SECONDS) as solver:
            if solver.is_valid(implies(rest, part)) is True:
                parts.remove(part)
    return and_(*parts)


def _violated(
    made: ProcedureSystem, derivation: Derivation, whole: Program, back: Transformed, context: Context
) -> Violated | Unknown:
    """The run that a derivation is, repeated on the whole program, whose calls are executed and not inlined."""
    try:
        run = run_of(made, derivation)
        if run is None:
            return Unknown("an error can be derived, but no execution fits its values")
        return replayed(context, whole, run, back)
    except TooLong:
        return Unknown("an error can be derived, but the run to it is too long to be repeated")
    except CannotEvaluate as problem:
        return Unknown(f"an error can be derived, but the run to it cannot be repeated: {problem}")


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
