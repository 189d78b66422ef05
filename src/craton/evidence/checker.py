"""The checker: is an annotation of a program with invariants a proof? Asked of solvers that the engine did not use.

Every TRUE has passed here, be it of `craton verify` or of `craton check`. What has to be trusted for it is this file,
the front ends and the passes that rebuild the program (`program.preparation`, `program.blocks`,
`program.transitions`), and one of the solvers. No engine is, and none is imported.

The conditions of a proof: at the entry its invariant holds, whatever the variables are (initiation); what holds at the
source of an edge leads to what holds at its target (consecution); no edge can be taken to an error location (safety).
A location without an invariant counts as not reachable.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from craton.errors import CratonError, MissingCapability
from craton.evidence.certificate import Certificate, about_request, named_invariants
from craton.files import CannotWrite, write_atomically
from craton.frontends.programs import Request, load_program
from craton.logic import FALSE, TRUE, Function, Term, disjuncts, free_variables, functions, not_, substitute
from craton.logic.smtlib import script
from craton.program.blocks import encode_blocks
from craton.program.cfa import Edge, Location, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Block, Call
from craton.program.transitions import transition
from craton.program.variables import reads, writes
from craton.smt import Sat, Solver, Unsat, make_solver
from craton.version import __version__

# In the order they are tried; one that cannot speak of a condition is left out.
CHECKERS = ("bitwuzla", "cvc5 over integers", "cvc5", "z3")
_TRIES = (0.1, 1.0, 4.0)  # seconds for each of them, before they get all the time there is


# --- the conditions of a proof ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Condition:
    """What a proof has to show: that these formulas contradict each other."""

    kind: str  # initiation, consecution or safety
    name: str  # of the cut-points it is about
    where: str  # the same with their place in the text
    formulas: tuple[tuple[str, Term], ...]
    edge: Edge | None = None

    @property
    def failed(self) -> str:
        return f"{_FAILED[self.kind][0]}: {self.where}"

    @property
    def open(self) -> str:
        return f"{_FAILED[self.kind][1]}: {self.where}"


_FAILED = {
    "initiation": ("does not hold at the start", "not shown to hold at the start"),
    "consecution": ("not inductive", "not shown to be inductive"),
    "safety": ("not safe", "not shown to be safe"),
}


def conditions(program: Program, invariants: Mapping[Location, Term]) -> Iterator[Condition]:
    """All of them, in the order of the edges."""
    known = vocabulary(program)
    entry = program.main.entry
    start = FALSE if entry in program.errors else invariants.get(entry, FALSE)
    yield Condition("initiation", f"{entry}", f"the invariant of the entry {entry}", (("not invariant", not_(start)),))
    for location in program.errors:
        claimed = invariants.get(location, FALSE)
        where = f"the invariant of error location {location} is not false"
        yield Condition("safety", f"{location}", where, (("invariant", claimed),))
    for edge in program.main.edges:
        before = FALSE if edge.source in program.errors else invariants.get(edge.source, FALSE)
        after = FALSE if edge.target in program.errors else invariants.get(edge.target, FALSE)
        formulas: tuple[tuple[str, Term], ...] = (("before", before), ("not after", not_(after)))
        if before is not FALSE and after is not TRUE:
            step = transition(edge.statement)
            if not known.isdisjoint(step.inputs):
                raise CratonError(
                    f"a variable is called like a value that is chosen: {', '.join(map(str, step.inputs))}"
                )
            formulas = (("before", before), ("step", step.guard), ("not after", not_(substitute(after, step.updates))))
        kind = "safety" if edge.target in program.errors else "consecution"
        yield Condition(kind, f"{edge.source}-{edge.target}", _way(edge, program), formulas, edge)


def _way(edge: Edge, program: Program) -> str:
    """From which cut-point to which, and by what: to an error, what leads there last."""
    at_error = edge.target in program.errors
    inner = edge.statement.edges if isinstance(edge.statement, Block) else (edge,)
    origins = [e.origin for e in (reversed(inner) if at_error else inner) if e.origin is not None]
    target = f"{edge.target} ({program.errors[edge.target]})" if at_error else _cut_point(edge.target, program)
    by = f", statement at {origins[0]}" if origins else ""
    return f"{_cut_point(edge.source, program)} → {target}{by}"


def _cut_point(location: Location, program: Program) -> str:
    loop = program.loop_heads.get(location)
    return f"{location}" if loop is None else f"{location} (loop at {loop})"


def vocabulary(program: Program) -> frozenset[Term]:
    """The variables of the program. Inputs of transitions are none: they are chosen anew at each step, so an invariant
    that speaks of one would take two choices for the same.
    """
    statements = [edge.statement for edge in program.main.edges]
    return frozenset((*program.globals, *program.main.locals)).union(*map(reads, statements), *map(writes, statements))


def _applied(program: Program) -> tuple[Function, ...]:
    """The functions of the program."""
    terms: list[Term] = []
    for edge in program.main.edges:
        inner = edge.statement.edges if isinstance(edge.statement, Block) else (edge,)
        terms += [e.statement.condition for e in inner if isinstance(e.statement, Assume)]
        terms += [e.statement.value for e in inner if isinstance(e.statement, Assign)]
    return functions(*terms)


# --- proofs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Flaw:
    """A condition of the proof that does not hold or, if not `decided`, could not be shown to."""

    edge: Edge | None
    problem: str
    decided: bool = True

    def __str__(self) -> str:
        return self.problem


@dataclass(frozen=True, slots=True)
class Checked:
    """Every condition holds; with the solvers that said so, none if there was nothing to ask."""

    by: tuple[str, ...]
    conditions: int


def check_proof(
    program: Program,
    invariants: Mapping[Location, Term],
    checkers: Sequence[str],
    seconds: float | None = None,
    *,
    opinions: int = 1,
) -> Flaw | Checked:
    """The first flaw of the proof, if it has one. Each condition must be shown by as many different solvers as
    `opinions` says."""
    panel = _Panel(checkers, None if seconds is None else time.monotonic() + seconds, opinions)
    known = vocabulary(program)
    for location, invariant in invariants.items():
        for variable in sorted(free_variables(invariant) - known, key=lambda v: v.serial):
            problem = f"the invariant of {location} speaks of {variable.name}, which is no variable of the program"
            return Flaw(None, problem)
    shown = 0
    for condition in conditions(program, invariants):
        if panel.late:
            return Flaw(condition.edge, "no time left to check the proof", decided=False)
        holds = panel.contradictory([formula for _, formula in condition.formulas])
        if holds is False:
            return Flaw(condition.edge, condition.failed)
        if holds is None:
            return Flaw(condition.edge, condition.open, decided=False)
        shown += 1
    return Checked(tuple(panel.believed), shown)


def find_flaw(
    program: Program, invariants: Mapping[Location, Term], checkers: Sequence[str], seconds: float | None = None
) -> Flaw | None:
    """The first flaw of the proof; None if it is one."""
    found = check_proof(program, invariants, checkers, seconds)
    return found if isinstance(found, Flaw) else None


class _Panel:
    """Solvers that are asked one after the other, until enough of them have shown a condition. One that has a
    counterexample decides the question the other way.
    """

    def __init__(self, members: Sequence[str], deadline: float | None, opinions: int) -> None:
        self.members = members
        self.deadline = deadline
        self.opinions = opinions
        self.believed: dict[str, None] = {}

    @property
    def left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @property
    def late(self) -> bool:
        return self.left == 0.0

    def contradictory(self, formulas: Sequence[Term]) -> bool | None:
        """None if nobody, or not enough of them, can tell. What is not told at once is asked case by case."""
        if FALSE in formulas:
            return True
        first, *rest = formulas
        cases = disjuncts(first)
        if len(cases) == 1:
            return self._tried(formulas, (*_TRIES, None))
        answer = self._tried(formulas, _TRIES[:2])
        if answer is not None or self.late:
            return answer
        for case in cases:
            answer = self._tried((case, *rest), (*_TRIES, None))
            if not answer:
                return answer
        return True

    def _tried(self, formulas: Sequence[Term], limits: Sequence[float | None]) -> bool | None:
        for limit in limits:
            answer = self._asked(formulas, limit)
            if answer is not None or self.late:
                return answer
        return None

    def _asked(self, formulas: Sequence[Term], limit: float | None) -> bool | None:
        """Each of them, with a limit of seconds; who has shown something before comes first."""
        shown: set[str] = set()
        for name in sorted(self.members, key=lambda member: member not in self.believed):
            if family(name) in shown:
                continue
            if self.late:
                return None
            limits = [seconds for seconds in (limit, self.left) if seconds is not None]
            with make_checker(name, min(limits, default=None)) as solver:
                try:
                    solver.add(*formulas)
                except MissingCapability:
                    continue
                answer = solver.check()
            if isinstance(answer, Sat):
                return False
            if isinstance(answer, Unsat):
                self.believed[name] = None
                shown.add(family(name))
                if len(shown) == self.opinions:
                    return True
        return None


def family(solver: str) -> str:
    """What a solver is, however it is asked: cvc5 over integers is cvc5 still, and so is /usr/bin/cvc5 --quiet."""
    return solver.split(" ", 1)[0].rsplit("/", 1)[-1]


def others(solver: str) -> tuple[str, ...]:
    """The checkers of a proof that rests on the word of a solver."""
    return tuple(name for name in CHECKERS if family(name) != family(solver))


def make_checker(name: str, seconds: float | None) -> Solver:
    if name == "cvc5 over integers":
        from craton.smt.cvc5.solver import Cvc5Solver

        return Cvc5Solver(time_limit=seconds, bits_as_integers=True)
    return make_solver(name, time_limit=seconds)


# --- certificates -----------------------------------------------------------------------------------------------------


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
    started = time.monotonic()
    checkers = chosen_checkers(certificate.solver, solvers, paranoid)
    about_request(certificate, request)
    program = rebuilt(request, certificate.blocks)
    calls = [edge.statement.procedure for edge in program.main.edges if isinstance(edge.statement, Call)]
    if calls:
        return Refused(f"no proof of this kind is possible: the call of {calls[0]} cannot be inlined")
    invariants = named_invariants(certificate, (*vocabulary(program), *_applied(program)))
    lost = [location for location in invariants if location not in program.main.locations]
    if lost:
        return Refused(f"the program has no cut-point {lost[0]}{_other_version(certificate)}")
    if conditions is not None:
        write_conditions(conditions, program, invariants)
    left = None if seconds is None else max(0.0, seconds - (time.monotonic() - started))
    found = check_proof(program, invariants, checkers, left, opinions=2 if paranoid else 1)
    if isinstance(found, Flaw):
        return Refused(found.problem + _other_version(certificate), found.decided)
    used = time.monotonic() - started
    return Accepted(found.conditions, len(invariants), found.by, used, program.assumptions)


def rebuilt(request: Request, blocks: int | None) -> Program:
    """The program from its text, in blocks of a size: that of which the proof speaks."""
    return encode_blocks(prepare(load_program(request)).small.program, blocks).program


def chosen_checkers(found_with: str, solvers: Sequence[str] | None, paranoid: bool) -> tuple[str, ...]:
    """Who is asked: not the solver on whose word the proof rests, but as the second opinion of the paranoid."""
    if solvers:
        for name in solvers:
            make_checker(name, None).close()
        chosen = tuple(solvers)
    else:
        independent = others(found_with)
        chosen = (*independent, *(name for name in CHECKERS if name not in independent))
    independent = tuple(name for name in chosen if family(name) != family(found_with))
    if not independent:
        raise CratonError(f"the proof was found with {found_with}: it takes another solver to check it")
    if not paranoid:
        return independent
    if len({family(name) for name in chosen}) < 2:
        raise CratonError(f"--paranoid takes two different solvers, and there is only {', '.join(chosen)}")
    return chosen


def write_conditions(directory: Path, program: Program, invariants: Mapping[Location, Term]) -> None:
    """Each condition as an SMT-LIB file that every solver should call unsatisfiable."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        there = sorted(directory.glob("*.smt2"))
    except OSError as problem:
        raise CannotWrite(f"cannot write to {directory}: {problem.strerror}") from problem
    if there:
        raise CannotWrite(f"{directory} has .smt2 files already ({there[0].name}): name an empty directory")
    for number, condition in enumerate(conditions(program, invariants), 1):
        comment = f"{condition.kind} ({condition.where})\nholds if this is unsatisfiable"
        text = script(condition.formulas, comment=comment, options=("(set-info :status unsat)",))
        write_atomically(directory / f"{number:04}-{condition.kind}-{condition.name}.smt2", text)


def _other_version(certificate: Certificate) -> str:
    if certificate.craton == __version__:
        return ""
    return f"; the certificate was made by Craton {certificate.craton}, and this is {__version__}"
