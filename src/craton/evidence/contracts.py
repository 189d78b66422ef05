"""What contracts of procedures have to satisfy, as formulas that must contradict each other: the definition of a proof
of a program whose calls are not inlined.

With I(L) for the invariant of location L over the values at the entry of its procedure and over the state, and R(f),
E(f) for what a procedure f requires and ensures:

- *initiation*: R(main) holds, whatever the variables hold; and for each f, R(f) with entry values that are those of the
  state leads to I(entry of f), whatever its other locals hold;
- *consecution*: I passes along edges; at a call of f, I with the results and globals that E(f) allows for the arguments
  leads to I behind the call;
- *requirement*: at a call of f, I leads to R(f) of the arguments;
- *ensuring*: I(exit of f) leads to E(f);
- *safety*: I of error locations is false.

Why it is a proof: by induction over the steps of a run, nested calls first, each state satisfies the invariant of its
location, with the values with which its activation was entered (docs/certificates.md). This file shares no code with
what finds contracts (`horn.procedures`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from craton.evidence.checker import Confirmed, Flaw, Question, check_questions
from craton.evidence.conditions import Condition, Kind, no_variables, way
from craton.logic import FALSE, TRUE, Term, and_, eq, free_variables, not_, substitute, var
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Call
from craton.program.transitions import transition
from craton.program.variables import at_entry
from craton.verdicts.proof import Proof


@dataclass(frozen=True, slots=True)
class Contract:
    """`requires` is over parameters and globals; `ensures` over those at the entry, and over results and globals."""

    requires: Term
    ensures: Term


NOTHING_SAID = Contract(TRUE, TRUE)


@dataclass(frozen=True)
class ContractProof:
    """Contracts for the procedures of a program, and invariants for their locations: false where there is none."""

    program: Program
    contracts: Mapping[str, Contract]
    invariants: Mapping[Location, Term]

    @cached_property
    def known(self) -> frozenset[Term]:
        """All variables that formulas may speak of."""
        return frozenset().union(*(self.scope(procedure) for procedure in self.program.procedures.values()))

    def entered(self, procedure: Procedure) -> tuple[Term, ...]:
        """The variables whose values at the entry count."""
        return (*procedure.parameters, *self.program.globals)

    def scope(self, procedure: Procedure) -> frozenset[Term]:
        """What invariants of a procedure may speak of."""
        own = (*procedure.parameters, *procedure.returns, *procedure.locals, *self.program.globals)
        return frozenset((*own, *map(at_entry, self.entered(procedure))))

    def astray(self) -> str:
        """What formulas speak of though it has no meaning there; "" if there is nothing."""
        own = frozenset(v for p in self.program.procedures.values() for v in (*p.parameters, *p.returns, *p.locals))
        for variable in own.union(self.program.globals):
            if at_entry(variable) in own or at_entry(variable) in self.program.globals:
                return f"the variable {at_entry(variable).name} is called like the value of another one"
        for name, procedure in self.program.procedures.items():
            if name not in self.contracts:
                return f"there is no contract of {name}"
            contract, entered = self.contracts[name], self.entered(procedure)
            results = frozenset((*map(at_entry, entered), *procedure.returns, *self.program.globals))
            parts = [("requirement", contract.requires, frozenset(entered)), ("ensuring", contract.ensures, results)]
            scope = self.scope(procedure)
            parts += [(f"invariant of {location}", self.at(location), scope) for location in procedure.locations]
            for what, formula, allowed in parts:
                for variable in sorted(free_variables(formula) - allowed, key=lambda v: v.serial):
                    return f"the {what} in {name} speaks of {variable.name}, which has no meaning there"
        return ""

    def at(self, location: Location) -> Term:
        return self.invariants.get(location, FALSE)

    # --- conditions ---

    def conditions(self) -> Iterator[Condition]:
        main = self.program.main
        required = self.contracts[main.name].requires
        where = f"the requirement of {main.name}, where the program begins"
        yield Condition(Kind.INITIATION, f"{main.name}", where, (("not required", not_(required)),))
        for procedure in self.program.procedures.values():
            yield from self._of_procedure(procedure)

    def _of_procedure(self, procedure: Procedure) -> Iterator[Condition]:
        name, contract = procedure.name, self.contracts[procedure.name]
        same = and_(*(eq(at_entry(v), v) for v in self.entered(procedure)))
        formulas = (("required", contract.requires), ("entered", same), ("not after", not_(self.at(procedure.entry))))
        yield Condition(Kind.INITIATION, f"{name}", f"the invariant of the entry of {name}", formulas)
        for location in procedure.locations:
            if location in self.program.errors:
                where = f"the invariant of error location {location} is not false"
                yield Condition(Kind.SAFETY, f"{location}", where, (("invariant", self.at(location)),))
        for edge in procedure.edges:
            yield from self._along(edge)
        ends = (("before", self.at(procedure.exit)), ("not ensured", not_(contract.ensures)))
        yield Condition(Kind.ENSURING, f"{name}", f"the exit of {name}", ends)

    def _along(self, edge: Edge) -> Iterator[Condition]:
        before, name, where = self.at(edge.source), f"{edge.source}-{edge.target}", way((edge,), self.program)
        if isinstance(edge.statement, Call):
            yield from self._at_call(edge, edge.statement, before, name, where)
            return
        step = transition(edge.statement)
        no_variables(step.inputs, self.known)
        after = substitute(self.at(edge.target), step.updates)
        formulas = (("before", before), ("step", step.guard), ("not after", not_(after)))
        yield Condition(self._kind(edge), name, where, formulas, edge)

    def _at_call(self, edge: Edge, call: Call, before: Term, name: str, where: str) -> Iterator[Condition]:
        callee, shared = self.program.procedures[call.procedure], self.program.globals
        contract = self.contracts[callee.name]
        given = dict(zip(callee.parameters, call.arguments, strict=True))
        required = substitute(contract.requires, given)
        where = f"the call of {callee.name}: {where}"
        yield Condition(
            Kind.REQUIREMENT,
            f"{name}-{callee.name}",
            where,
            (("before", before), ("not required", not_(required))),
            edge,
        )
        returned = {v: var(f"{v.name} returned", v.sort) for v in (*callee.returns, *shared)}
        no_variables(returned.values(), self.known)
        entry = {at_entry(p): argument for p, argument in given.items()} | {at_entry(g): g for g in shared}
        ensured = substitute(contract.ensures, {**entry, **returned})
        # Results are assigned after the callee has changed globals.
        changed = {g: returned[g] for g in shared}
        changed |= {result: returned[r] for result, r in zip(call.results, callee.returns, strict=True)}
        after = substitute(self.at(edge.target), changed)
        formulas = (("before", before), ("ensured", ensured), ("not after", not_(after)))
        yield Condition(self._kind(edge), name, where, formulas, edge)

    def _kind(self, edge: Edge) -> Kind:
        return Kind.SAFETY if edge.target in self.program.errors else Kind.CONSECUTION


def contract_proof(proof: Proof) -> ContractProof:
    """A proof by contracts as what is to be checked. Of a procedure that nobody calls nothing is said."""
    said = {contract.procedure: Contract(contract.requires, contract.ensures) for contract in proof.contracts}
    contracts = {name: said.get(name, NOTHING_SAID) for name in proof.program.procedures}
    return ContractProof(proof.program, contracts, proof.invariants)


def check_contracts(
    proof: ContractProof, checkers: Sequence[str], seconds: float | None = None, *, opinions: int = 1
) -> Flaw | Confirmed:
    """The first flaw of the proof, if it has one."""
    problem = proof.astray()
    if problem:
        return Flaw(None, problem)
    questions = [
        Question(tuple(formula for _, formula in condition.formulas), condition.failed, condition.open)
        for condition in proof.conditions()
    ]
    return check_questions(questions, checkers, seconds, opinions=opinions)
