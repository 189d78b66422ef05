"""The answer to a system of Horn clauses as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from craton.horn.results import Satisfiable, Unsatisfiable
from craton.logic import FALSE, substitute, var
from craton.logic.infix import infix
from craton.report.verdict import Outcome, figures
from craton.verdicts.text import VerdictKind, VerdictText
from craton.words import counted

if TYPE_CHECKING:
    from craton.engines.contract import Statistics
    from craton.horn.clauses import System
    from craton.verdicts.verdict import Unknown


def outcome_of_system(
    answer: Satisfiable | Unsatisfiable | Unknown, system: System, stage: str, statistics: Statistics
) -> Outcome:
    match answer:
        case Satisfiable():
            told = Outcome(VerdictText(VerdictKind.TRUE), answer="sat", confirmed=answer.confirmed)
            _tell_model(told, answer, system)
        case Unsatisfiable():
            told = Outcome(VerdictText(VerdictKind.FALSE), answer="unsat", confirmed=answer.confirmed)
            _tell_derivation(told, answer)
        case _:
            told = Outcome(VerdictText(VerdictKind.UNKNOWN), answer.reason, answer="unknown")
            told.limit = None if answer.limit is None else answer.limit.value
    told.found_by = stage
    told.statistics = figures(statistics)
    return told


def _tell_model(told: Outcome, found: Satisfiable, system: System) -> None:
    for predicate in system.predicates:
        short = {p: var(f"x{i}", p.sort) for i, p in enumerate(predicate.parameters)}
        meaning = substitute(found.model.meanings.get(predicate, FALSE), short)
        head = f"{predicate.name}({', '.join(v.name for v in short.values())})" if short else predicate.name
        told.invariants.append({"location": head, "invariant": infix(meaning)})
    what = f"model of {counted(len(system.predicates), 'predicate')}"
    if found.confirmed:
        clauses = counted(found.conditions, "clause")
        told.evidence = f"{what}: {clauses} re-checked by {found.checked_by} in {found.seconds:.2f} s"
    else:
        told.evidence = f"unconfirmed: {what}, not checked again"


def _tell_derivation(told: Outcome, found: Unsatisfiable) -> None:
    steps = counted(len(found.derivation), "step")
    if found.confirmed:
        told.evidence = f"derivation of false in {steps}, judged by {found.checked_by} in {found.seconds:.2f} s"
    else:
        told.evidence = f"unconfirmed: derivation of false in {steps}, not judged"
