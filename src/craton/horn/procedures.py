"""Programs with calls as systems of Horn clauses: procedures have summaries, so recursion needs no unrolling.

    location    P_L(entry values, state): control can be at L, in an activation that was entered with these values
    summary     S_f(entry values, results, globals): f, entered so, can return so
    edge        P_L(e, s) ∧ guard ⇒ P_L'(e, updates of s)
    call        P_L(e, s) ⇒ P_entry_f(arguments, …)          P_L(e, s) ∧ S_f(arguments, r) ⇒ P_L'(e, s with results r)
    exit        P_exit_f(e, s) ⇒ S_f(e, results in s)
    error       P_error(e, s) ⇒ false

Why it is right: by induction over the steps of a run, P_L holds of each state with the entry values of its activation.
So a model, in which no error location can be reached, is a proof; its meanings of entry locations are what procedures
require, and those of summaries what they ensure. A derivation is a run: calls are in the order of their clauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from craton.horn.clauses import Atom, Clause, Predicate, System
from craton.horn.models import Model
from craton.logic import TRUE, Term, and_, eq, substitute, var
from craton.program.analysis.control_flow import recursive_procedures
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.statements import Call, Statement
from craton.program.transitions import transition
from craton.program.variables import at_entry, reads, writes
from craton.smt.elimination import CHEAP, Eliminator


@dataclass(frozen=True, slots=True)
class Contract:
    """What a procedure requires of the state at its entry, and ensures of entry values and results."""

    procedure: str
    requires: Term
    ensures: Term


@dataclass(frozen=True)
class ProcedureSystem:
    """The system of a program, and what its predicates stand for."""

    program: Program
    system: System
    locations: Mapping[Location, Predicate]
    summaries: Mapping[str, Predicate]
    edges: Mapping[int, Edge]  # by the number of the clause that takes it

    def state_of(self, procedure: Procedure) -> tuple[Term, ...]:
        """The last arguments of the predicates of its locations: the state, behind the values at the entry."""
        return _state(procedure, self.program)

    @property
    def kept(self) -> frozenset[str]:
        """The predicates that must stay: of procedures that do not recur, and yet are not inlined. In the system they
        would be copied as they would be in the program.
        """
        names = self.summaries.keys() - recursive_procedures(self.program)
        entries = (self.locations[self.program.procedures[name].entry] for name in names)
        return frozenset(p.name for p in (*(self.summaries[name] for name in names), *entries))

    def contracts(self, model: Model) -> tuple[Contract, ...]:
        """Requires and ensures of the procedures that are called, over the program's variables."""
        return tuple(self._contract(self.program.procedures[name], model) for name in self.summaries)

    def invariants(self, model: Model) -> dict[Location, Term]:
        """What holds at each location, over entry values and state."""
        found: dict[Location, Term] = {}
        for procedure in self.program.procedures.values():
            arguments = (*_entry(procedure, self.program), *_state(procedure, self.program))
            for location in procedure.locations:
                if location in self.locations and location not in self.program.errors:
                    found[location] = model.of(self.locations[location](*arguments))
        return found

    def relational(self) -> RelationalSystem:
        """The system in which calls that return are derived for themselves, for any state at their entry, so that a
        derivation has the way to a call once. Only procedures that do not return are entered from their callers.
        """
        procedures = [self.program.procedures[name] for name in self.summaries]
        inside = {
            self.locations[x]: replace(self.locations[x], name=f"{self.locations[x].name} inside")
            for procedure in procedures
            for x in procedure.locations
        }
        clauses: list[Clause] = []
        origins: list[int | str] = []
        for number, clause in enumerate(self.system.clauses):
            returns = clause.head is not None and clause.head.predicate in self.summaries.values()
            enters = number in self.edges and isinstance(self.edges[number].statement, Call) and len(clause.body) == 1
            within = clause.head is not None and clause.head.predicate in inside and not enters
            clauses += [] if returns else [clause]
            clauses += [_moved(clause, inside)] if returns or within else []
            origins += [number] * (len(clauses) - len(origins))
        for procedure in procedures:
            entry = inside[self.locations[procedure.entry]]
            state = (*_entry(procedure, self.program), *_state(procedure, self.program))
            clauses.append(Clause(entry(*state), (), _same(procedure, self.program)))
            origins.append(procedure.name)
        known = {predicate: x for x, predicate in self.locations.items()}
        locations = {**known, **{moved: known[predicate] for predicate, moved in inside.items()}}
        return RelationalSystem(System(tuple(clauses), self.system.file), tuple(origins), locations)

    def parameters(self, procedure: Procedure) -> tuple[Term, ...]:
        """What the parameters of a location's predicate stand for: entry values, then the state."""
        return (*_entry(procedure, self.program), *_state(procedure, self.program))

    def summary_parameters(self, procedure: Procedure) -> tuple[Term, ...]:
        """What the parameters of a summary stand for: entry values, then results."""
        return (*_entry(procedure, self.program), *_results(procedure, self.program))

    def _contract(self, procedure: Procedure, model: Model) -> Contract:
        program = self.program
        entry = self.locations[procedure.entry](*_entry(procedure, program), *_state(procedure, program))
        called = dict(zip(_entry(procedure, program), _entered(procedure, program), strict=True))
        # Locals hold anything at the entry, and the model has to allow that.
        entered = frozenset(_entered(procedure, program))
        locals_ = [v for v in dict.fromkeys((*procedure.locals, *procedure.returns)) if v not in entered]
        requires = Eliminator(CHEAP).forall(locals_, substitute(model.of(entry), called))
        summary = self.summaries[procedure.name](*_entry(procedure, program), *_results(procedure, program))
        return Contract(procedure.name, requires, model.of(summary))


@dataclass(frozen=True, slots=True)
class RelationalSystem:
    """See `ProcedureSystem.relational`."""

    system: System
    origins: tuple[int | str, ...]  # of each clause: the clause it comes from, or the procedure whose entry it is
    locations: Mapping[Predicate, Location]


def _moved(clause: Clause, to: Mapping[Predicate, Predicate]) -> Clause:
    def moved(atom: Atom) -> Atom:
        return Atom(to.get(atom.predicate, atom.predicate), atom.arguments)

    return replace(
        clause, head=None if clause.head is None else moved(clause.head), body=tuple(map(moved, clause.body))
    )


def system_of(program: Program) -> ProcedureSystem:
    """The system of a program whose edges are statements, blocks or calls. It is unsatisfiable iff an error can be
    reached. Globals that no statement speaks of are left out, and locals that are written before they are read in
    every step: a driver in large blocks has thousands of them.
    """
    used = frozenset[Term]().union(*(reads(e.statement) | writes(e.statement) for e in program.edges()))
    procedures = {name: _without_passing_locals(procedure) for name, procedure in program.procedures.items()}
    globals_ = tuple(g for g in program.globals if g in used)
    return _Building(replace(program, globals=globals_, procedures=procedures)).result()


def _without_passing_locals(procedure: Procedure) -> Procedure:
    read = frozenset[Term]().union(*(_read_first(edge.statement) for edge in procedure.edges))
    return replace(procedure, locals=tuple(x for x in procedure.locals if x in read))


def _read_first(statement: Statement) -> frozenset[Term]:
    """The variables whose values before the statement matter."""
    return reads(statement) if isinstance(statement, Call) else transition(statement).read


def _entered(procedure: Procedure, program: Program) -> tuple[Term, ...]:
    """The variables whose values at the entry are remembered."""
    return (*procedure.parameters, *program.globals)


def _entry(procedure: Procedure, program: Program) -> tuple[Term, ...]:
    return tuple(map(at_entry, _entered(procedure, program)))


def _same(procedure: Procedure, program: Program) -> Term:
    """The entry values are those of the state."""
    return and_(*map(eq, _entry(procedure, program), _entered(procedure, program)))


def _state(procedure: Procedure, program: Program) -> tuple[Term, ...]:
    own = (*procedure.parameters, *procedure.returns, *procedure.locals)
    return tuple(dict.fromkeys((*program.globals, *own)))


def _results(procedure: Procedure, program: Program) -> tuple[Term, ...]:
    return (*procedure.returns, *program.globals)


class _Building:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.procedures = list(_called(program))
        self.locations: dict[Location, Predicate] = {}
        self.summaries: dict[str, Predicate] = {}
        for procedure in self.procedures:
            sorts = tuple(v.sort for v in (*_entry(procedure, program), *_state(procedure, program)))
            for location in procedure.locations:
                self.locations[location] = Predicate(f"{procedure.name}@{location}", sorts)
            if procedure.name != program.entry or self._is_called(procedure.name):
                told = (*_entry(procedure, program), *_results(procedure, program))
                self.summaries[procedure.name] = Predicate(f"{procedure.name}", tuple(v.sort for v in told))
        self.clauses: list[Clause] = []
        self.edges: dict[int, Edge] = {}

    def _is_called(self, name: str) -> bool:
        statements = (edge.statement for procedure in self.procedures for edge in procedure.edges)
        return any(isinstance(s, Call) and s.procedure == name for s in statements)

    def result(self) -> ProcedureSystem:
        main = self.program.main
        self.clauses.append(Clause(self._at(main, main.entry), (), _same(main, self.program)))
        for procedure in self.procedures:
            for edge in procedure.edges:
                if edge.source not in self.program.errors:
                    self._edge(procedure, edge)
            if procedure.name in self.summaries:
                told = (*_entry(procedure, self.program), *_results(procedure, self.program))
                head = self.summaries[procedure.name](*told)
                self.clauses.append(Clause(head, (self._at(procedure, procedure.exit),), TRUE))
            for location in procedure.locations:
                if location in self.program.errors:
                    self.clauses.append(Clause(None, (self._at(procedure, location),), TRUE))
        files = self.program.files[0] if self.program.files else ""
        system = System(tuple(self.clauses), files)
        return ProcedureSystem(self.program, system, self.locations, self.summaries, self.edges)

    def _at(self, procedure: Procedure, location: Location, updates: Mapping[Term, Term] | None = None) -> Atom:
        updates = updates or {}
        state = (updates.get(v, v) for v in _state(procedure, self.program))
        return self.locations[location](*_entry(procedure, self.program), *state)

    def _edge(self, procedure: Procedure, edge: Edge) -> None:
        self.edges[len(self.clauses)] = edge
        here = self._at(procedure, edge.source)
        if isinstance(edge.statement, Call):
            self._call(procedure, edge, edge.statement, here)
            return
        step = transition(edge.statement)
        self.clauses.append(Clause(self._at(procedure, edge.target, step.updates), (here,), step.guard))

    def _call(self, procedure: Procedure, edge: Edge, call: Call, here: Atom) -> None:
        """The callee is entered; and if it returns, control goes on behind the call."""
        program = self.program
        callee = program.procedures[call.procedure]
        own = {v: var(f"{v.name} called", v.sort) for v in (*_entry(callee, program), *_state(callee, program))}
        entered = (*call.arguments, *program.globals)
        given = [eq(own[v], t) for v, t in zip(_entry(callee, program), entered, strict=True)]
        given += [eq(own[v], t) for v, t in zip(_entered(callee, program), entered, strict=True)]
        inside = self._at(callee, callee.entry).substituted(own)
        self.clauses.append(Clause(inside, (here,), and_(*given)))
        results = tuple(var(f"{v.name} returned", v.sort) for v in _results(callee, program))
        summary = self.summaries[callee.name](*entered, *results)
        updates = dict(zip((*call.results, *program.globals), _in_order(call, results, program), strict=True))
        self.edges[len(self.clauses)] = edge
        self.clauses.append(Clause(self._at(procedure, edge.target, updates), (here, summary), TRUE))


def _in_order(call: Call, results: Sequence[Term], program: Program) -> Sequence[Term]:
    """Results are assigned after globals have changed: a global that takes a result has the result."""
    returned = dict(zip(program.globals, results[len(call.results) :], strict=True))
    own = dict(zip(call.results, results, strict=False))
    return [*(own[v] for v in call.results), *(own.get(v, returned[v]) for v in program.globals)]


def _called(program: Program) -> Iterator[Procedure]:
    """The procedures that the entry procedure calls, directly or not, itself first."""
    waiting, seen = [program.entry], {program.entry}
    while waiting:
        procedure = program.procedures[waiting.pop(0)]
        yield procedure
        for edge in procedure.edges:
            if isinstance(edge.statement, Call) and edge.statement.procedure not in seen:
                seen.add(edge.statement.procedure)
                waiting.append(edge.statement.procedure)
