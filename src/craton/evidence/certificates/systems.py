"""Certificates about systems of Horn clauses: models and derivations, of the clauses of the user's file.

Clauses are never taken from the certificate. They have the numbers that reading the file gives them, from 0 on: in the
order of the assertions, and the clauses of one assertion in the order in which `horn.normal_form` finds them.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.evidence.certificates.fields import one_line
from craton.evidence.certificates.format import (
    Assignment,
    Atom,
    BadCertificate,
    Certificate,
    Definition,
    HornModel,
    Inference,
    Parameter,
    Predicate,
)
from craton.evidence.certificates.format import Derivation as WrittenDerivation
from craton.evidence.certificates.formulas import Spelled, defined
from craton.evidence.certificates.task import about_request, described
from craton.evidence.checker import Confirmed, Flaw, chosen_checkers
from craton.evidence.systems import check_derivation, check_model
from craton.frontends.programs import Request, load_system
from craton.horn import clauses, derivations
from craton.horn.models import Model
from craton.horn.results import Satisfiable, Unsatisfiable
from craton.logic import FALSE, free_variables, substitute, var
from craton.logic.smtlib import to_smtlib
from craton.processes.running_time import running_time
from craton.verdicts.provenance import Provenance
from craton.version import __version__

# --- from answers to certificates -------------------------------------------------------------------------------------


def certificate_of_answer(
    request: Request, answer: Satisfiable | Unsatisfiable, system: clauses.System, stage: str
) -> Certificate:
    solvers = answer.by if isinstance(answer, Satisfiable) else ()
    proof = _model(answer.model, system) if isinstance(answer, Satisfiable) else _derivation(answer.derivation, system)
    return Certificate(__version__, described(request), Provenance(stage, solvers=solvers), (), (), proof)


def _model(model: Model, system: clauses.System) -> HornModel:
    return HornModel(tuple(_definition(predicate, model) for predicate in system.predicates))


def _definition(predicate: clauses.Predicate, model: Model) -> Definition:
    short = {p: var(f"x{i}", p.sort) for i, p in enumerate(predicate.parameters)}
    symbols = Spelled()
    for variable in short.values():
        symbols.of(variable)
    formula = to_smtlib(substitute(model.meanings.get(predicate, FALSE), short), symbols=symbols)
    return Definition(predicate.name, tuple(Parameter(v.name, v.sort) for v in short.values()), formula)


def _derivation(derivation: derivations.Derivation, system: clauses.System) -> WrittenDerivation:
    return WrittenDerivation(
        tuple(Predicate(p.name, p.sorts) for p in system.predicates), tuple(map(_inference, derivation.steps))
    )


def _inference(step: derivations.Step) -> Inference:
    derived = None if step.derived is None else Atom(step.derived.predicate.name, step.derived.values)
    values = tuple(Assignment(v.name, v.sort, value) for v, value in step.values.items())
    return Inference(step.clause, values, step.premises, derived)


# --- from certificates to what is checked -----------------------------------------------------------------------------


def check_system(
    certificate: Certificate,
    request: Request,
    *,
    solvers: Sequence[str] | None = None,
    paranoid: bool = False,
    seconds: float | None = None,
) -> Confirmed | Flaw:
    """Whether the certificate is evidence about the system that the request names."""
    started = running_time()
    checkers = chosen_checkers(certificate.found_by.solvers, solvers, paranoid)
    about_request(certificate, request)
    system = load_system(request)
    left = None if seconds is None else max(0.0, seconds - (running_time() - started))
    if isinstance(certificate.proof, HornModel):
        model = _read_model(certificate.proof, system)
        return check_model(system, model, checkers, left, opinions=2 if paranoid else 1)
    assert isinstance(certificate.proof, WrittenDerivation)
    derivation = _read_derivation(certificate.proof, system)
    problem = check_derivation(system, derivation, left)
    if problem:
        return Flaw(None, problem, decided="there is no second judge" not in problem)
    return Confirmed(("evaluation and a solver",), len(derivation))


def _read_model(written: HornModel, system: clauses.System) -> Model:
    known = {predicate.name: predicate for predicate in system.predicates}
    meanings = {}
    for definition in written.definitions:
        name = one_line(definition.predicate)
        predicate = known.get(definition.predicate)
        if predicate is None or tuple(p.sort for p in definition.parameters) != predicate.sorts:
            raise BadCertificate(f"the system has no predicate {name} of such parameters")
        parameters, formula = defined(definition)
        foreign = free_variables(formula).difference(parameters)
        if foreign:
            raise BadCertificate(f"the definition of {name} speaks of {one_line(next(iter(foreign)).name)}")
        meanings[predicate] = substitute(formula, dict(zip(parameters, predicate.parameters, strict=True)))
    return Model(meanings)


def _read_derivation(written: WrittenDerivation, system: clauses.System) -> derivations.Derivation:
    sorts = {predicate.name: predicate.sorts for predicate in written.predicates}
    return derivations.Derivation(
        tuple(
            derivations.Step(
                step.clause,
                {var(given.variable, given.sort): given.value for given in step.values},
                step.premises,
                None
                if step.derived is None
                else derivations.Fact(
                    clauses.Predicate(step.derived.predicate, sorts[step.derived.predicate]), step.derived.arguments
                ),
            )
            for step in written.steps
        )
    )
