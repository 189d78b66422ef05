"""Is a model of a system of Horn clauses one? Is a derivation one? The first is asked of solvers, clause by clause; the
second has two judges: evaluation, and a solver that is told all values. Both are about the clauses of the user's file.
"""

from __future__ import annotations

from collections.abc import Sequence

from craton.errors import MissingCapability
from craton.evidence.checker import CHECKERS, Confirmed, Flaw, Question, check_questions, make_checker
from craton.horn.clauses import Atom, Clause, System
from craton.horn.derivations import Derivation, Fact, Step, derivation_flaw
from craton.horn.models import Model
from craton.logic import FALSE, Term, and_, constant, eq, not_
from craton.processes.running_time import running_time
from craton.smt import Sat, Solver, Unsat


def check_model(
    system: System, model: Model, checkers: Sequence[str], seconds: float | None = None, *, opinions: int = 1
) -> Flaw | Confirmed:
    """The first clause that the model does not satisfy, or that nobody can tell of, if there is one."""
    questions = [_question(system, number, clause, model) for number, clause in enumerate(system.clauses)]
    return check_questions(questions, checkers, seconds, opinions=opinions)


def _question(system: System, number: int, clause: Clause, model: Model) -> Question:
    head = FALSE if clause.head is None else model.of(clause.head)
    formulas = (and_(clause.constraint, *map(model.of, clause.body)), not_(head))
    where = _place(system, number)
    return Question(
        formulas, f"the model does not satisfy {where}", f"whether the model satisfies {where} is not decided"
    )


def _place(system: System, number: int) -> str:
    line = system.clauses[number].line
    return f"clause {number + 1}" + (f" ({system.file or 'line'}:{line})" if line else "")


def check_derivation(system: System, derivation: Derivation, seconds: float | None = None) -> str:
    """Why the judges do not agree that the derivation is one; "" if they do."""
    problem = derivation_flaw(system, derivation)
    return problem or _second_judge(system, derivation, seconds)


def _second_judge(system: System, derivation: Derivation, seconds: float | None) -> str:
    """A solver is told the clause and all values apart from each other, so that it has to compute for itself."""
    deadline = None if seconds is None else running_time() + seconds
    reason = "no solver can speak of it"
    for name in CHECKERS:
        try:
            with make_checker(name, None) as solver:
                problem = _objection(solver, system, derivation, deadline)
        except MissingCapability as missing:
            reason = str(missing)
            continue
        if problem is None:
            return ""
        if problem:
            return f"{name} says: {problem}"
        reason = f"{name} does not decide it"
    return f"there is no second judge: {reason}"


def _objection(solver: Solver, system: System, derivation: Derivation, deadline: float | None) -> str | None:
    """None if the solver agrees with every step, "" if it cannot tell."""
    for number, step in enumerate(derivation.steps):
        left = None if deadline is None else deadline - running_time()
        if left is not None and left <= 0:
            return ""
        with solver.scope():
            solver.add(*_told(system, derivation, step))
            answer = solver.check(time_limit=left)
        if isinstance(answer, Unsat):
            return f"step {number + 1} is no instance of {_place(system, step.clause)}"
        if not isinstance(answer, Sat):
            return ""
    return None


def _told(system: System, derivation: Derivation, step: Step) -> list[Term]:
    clause = system.clauses[step.clause]
    told = [eq(v, constant(value, v.sort)) for v, value in step.values.items()]
    told.append(clause.constraint)
    for atom, premise in zip(clause.body, step.premises, strict=True):
        told.append(_equals(atom, derivation.steps[premise].derived))
    if clause.head is not None:
        told.append(_equals(clause.head, step.derived))
    return told


def _equals(atom: Atom, fact: Fact | None) -> Term:
    if fact is None or fact.predicate != atom.predicate:
        return FALSE
    return and_(*(eq(a, constant(v, a.sort)) for a, v in zip(atom.arguments, fact.values, strict=True)))
