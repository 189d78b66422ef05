"""Which locations control can come to if nothing is known about memory: only constants in locals, parameters and
results, and in globals outside of memory that keep their first value.

This is what remains certain where a program does something to memory, or with addresses, that Craton does not model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from craton.logic import FALSE, Array, Term, ops
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.constants import equalities, replaced
from craton.program.persistent_map import EMPTY, PersistentMap, common, value_of, with_value, without_value
from craton.program.statements import Assign, Assume, Call, Return, Statement
from craton.program.variables import reads, writes


def reachable_blindly(program: Program, roots: Iterable[str]) -> frozenset[Location]:
    """The locations that control may come to from the entry and from the other roots, which may be called at any time
    with any arguments.

    At first all globals are taken to keep their first value. Those that a reachable statement changes are given up, and
    the search goes on: whatever reads one of them is looked at again, so that in the end everything holds without them.
    """
    search = _Search(program, dict(first_values(program)))
    search.run((program.entry, *roots))
    while changed := {variable for edge in search.edges() for variable in _changed(edge.statement, search.kept)}:
        search.give_up(changed)
    return frozenset(search.known)


def fails_blindly(program: Program) -> bool:
    """Whether an error may be reached if nothing is known about memory. If not, control flow alone is the proof."""
    return not program.errors.keys().isdisjoint(reachable_blindly(program, ()))


def first_values(program: Program) -> Iterator[tuple[Term, Term]]:
    """The globals that get a constant before anything else happens, and before anybody has read what they were."""
    shared = frozenset(program.globals)
    at = program.main.entry
    seen: set[Location] = set()
    read: set[Term] = set()
    while at not in seen and len(program.main.outgoing(at)) == 1:
        seen.add(at)
        edge = program.main.outgoing(at)[0]
        if isinstance(edge.statement, Call):
            return
        read |= reads(edge.statement)
        if isinstance(edge.statement, Assign):
            variable, value = edge.statement.variable, edge.statement.value
            first = variable in shared and variable not in read
            if first and value.op is ops.VALUE and not isinstance(variable.sort, Array):
                yield variable, value
        at = edge.target


def _changed(statement: Statement, kept: Mapping[Term, Term]) -> Iterator[Term]:
    for variable in writes(statement):
        if variable in kept and not (isinstance(statement, Assign) and statement.value is kept[variable]):
            yield variable


Constants = tuple[Term | None, ...]  # one for each parameter or result; None where it may be several


@dataclass(slots=True)
class _Search:
    """Conditional constant propagation through all procedures. A procedure has one set of constants for all its calls:
    what they have in common.
    """

    program: Program
    kept: dict[Term, Term]
    known: dict[Location, PersistentMap] = field(default_factory=dict)  # by locations that were reached
    given: dict[str, Constants] = field(default_factory=dict)  # arguments, by procedures that were called
    returned: dict[str, Constants] = field(default_factory=dict)  # results, by procedures that have returned
    calls: dict[str, dict[Location, str]] = field(default_factory=dict)  # where procedures are called, and by whom
    waiting: dict[str, dict[Location, None]] = field(default_factory=dict)  # what is to be looked at, by procedures
    readers: dict[Term, list[tuple[str, Location]]] = field(default_factory=dict)  # of the globals that were kept
    shared: frozenset[Term] = field(init=False)

    def __post_init__(self) -> None:
        self.shared = frozenset(self.program.globals)
        for name, procedure in self.program.procedures.items():
            for edge in procedure.edges:
                for variable in reads(edge.statement):
                    if variable in self.kept:
                        self.readers.setdefault(variable, []).append((name, edge.source))

    def run(self, roots: Iterable[str]) -> None:
        for name in roots:
            self._call(name, (None,) * len(self.program.procedures[name].parameters))
        self._finish()

    def give_up(self, variables: Iterable[Term]) -> None:
        for variable in variables:
            del self.kept[variable]
            for name, location in self.readers.get(variable, ()):
                if location in self.known:
                    self._wait(name, location)
        self._finish()

    def edges(self) -> Iterator[Edge]:
        """Those that leave locations which were reached."""
        for edge in self.program.edges():
            if edge.source in self.known:
                yield edge

    def _finish(self) -> None:
        while self.waiting:
            name = next(iter(self.waiting))
            self._analyse(self.program.procedures[name], list(self.waiting.pop(name)))

    def _wait(self, name: str, location: Location) -> None:
        self.waiting.setdefault(name, {})[location] = None

    def _call(self, name: str, arguments: Constants) -> None:
        before = self.given.get(name)
        after = arguments if before is None else _both(before, arguments)
        if after == before:
            return
        self.given[name] = after
        procedure = self.program.procedures[name]
        facts: PersistentMap = EMPTY
        for parameter, value in zip(procedure.parameters, after, strict=True):
            if value is not None and parameter not in self.shared:
                facts = with_value(facts, parameter, value)
        if self._reach(procedure.entry, facts):
            self._wait(name, procedure.entry)

    def _analyse(self, procedure: Procedure, waiting: list[Location]) -> None:
        while waiting:
            location = waiting.pop()
            for edge in procedure.outgoing(location):
                passed, after = self._after(edge, self.known[location], procedure)
                if passed and self._reach(edge.target, after):
                    waiting.append(edge.target)

    def _reach(self, location: Location, facts: PersistentMap) -> bool:
        """Whether something is new."""
        if location not in self.known:
            self.known[location] = facts
            return True
        before = self.known[location]
        self.known[location] = common(before, facts)
        return self.known[location] is not before

    def _after(self, edge: Edge, facts: PersistentMap, procedure: Procedure) -> tuple[bool, PersistentMap]:
        """Whether control passes an edge, and what is known then."""
        match edge.statement:
            case Assume(condition):
                condition = self._valued(condition, facts)
                for variable, value in equalities(condition).items():
                    facts = self._with(facts, variable, value)
                return condition is not FALSE, facts
            case Assign(variable, value):
                return True, self._with(facts, variable, self._valued(value, facts))
            case Call(name, arguments, results):
                self.calls.setdefault(name, {})[edge.source] = procedure.name
                return self._after_call(name, arguments, results, facts)
            case Return():
                self._return(procedure, tuple(value_of(facts, variable) for variable in procedure.returns))
                return True, facts
        for variable in writes(edge.statement):
            facts = without_value(facts, variable)
        return True, facts

    def _after_call(
        self, name: str, arguments: tuple[Term, ...], results: tuple[Term, ...], facts: PersistentMap
    ) -> tuple[bool, PersistentMap]:
        self._call(name, tuple(_constant(self._valued(argument, facts)) for argument in arguments))
        values = self.returned.get(name)
        if values is None:  # it has not returned yet
            return False, facts
        for variable, value in zip(results, values, strict=True):
            facts = without_value(facts, variable) if value is None else self._with(facts, variable, value)
        return True, facts

    def _return(self, procedure: Procedure, values: Constants) -> None:
        before = self.returned.get(procedure.name)
        after = values if before is None else _both(before, values)
        if after != before:
            self.returned[procedure.name] = after
            for location, caller in self.calls.get(procedure.name, {}).items():
                self._wait(caller, location)

    def _valued(self, term: Term, facts: PersistentMap) -> Term:
        return replaced(term, facts, self.kept)

    def _with(self, facts: PersistentMap, variable: Term, value: Term) -> PersistentMap:
        """Globals may change while others run, so nothing is remembered of them."""
        if variable in self.shared or isinstance(variable.sort, Array) or value.op is not ops.VALUE:
            return without_value(facts, variable)
        return with_value(facts, variable, value)


def _constant(term: Term) -> Term | None:
    return term if term.op is ops.VALUE else None


def _both(a: Constants, b: Constants) -> Constants:
    return tuple(x if x is y else None for x, y in zip(a, b, strict=True))
