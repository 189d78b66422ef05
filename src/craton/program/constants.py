"""Conditional constant propagation: a forward analysis that knows one value or nothing about each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from heapq import heappop, heappush
from types import MappingProxyType

from craton.logic import FALSE, Array, Term, free_variables, ops, substitute
from craton.program.analysis.graphs import reverse_postorder
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.persistent_map import EMPTY, PersistentMap, common, value_of, with_value, without_value
from craton.program.slicing import remove_dead_code
from craton.program.statements import Assign, Assume, Call, Havoc, Proposed, Statement
from craton.program.transformation import Transformed
from craton.program.variables import writes

MOST_VISITS = 50  # per location, on average; beyond, the program is left as it is
NOTHING: Mapping[Term, Term] = MappingProxyType({})
BLOCKED: PersistentMap = ("blocked",)


def propagate_constants(program: Program) -> Transformed:
    shared = frozenset(program.globals)
    back: dict[Edge, tuple[Edge, ...]] = {}
    procedures: dict[str, Procedure] = {}
    for name, procedure in program.procedures.items():
        procedures[name] = _propagated(procedure, shared, back)
    result = Transformed(program.with_procedures(procedures), back)
    return result.then(remove_dead_code(result.program))


def known_constants(procedure: Procedure) -> dict[Location, dict[Term, Term]]:
    """The local variables that have one value whenever control is at a location, and that value."""
    known = _analyse(procedure, frozenset()) or {}
    return {
        location: {v: value for v in procedure.locals if (value := value_of(facts, v)) is not None}
        for location, facts in known.items()
    }


def _propagated(procedure: Procedure, shared: frozenset[Term], back: dict[Edge, tuple[Edge, ...]]) -> Procedure:
    known = _analyse(procedure, shared)
    if known is None:
        return procedure
    edges: list[Edge] = []
    for edge in procedure.edges:
        if edge.source not in known:
            continue  # never reached
        facts = known[edge.source]
        statement = simplified(edge.statement, facts)
        if statement is not edge.statement:
            new = replace(edge, statement=statement)
            back[new] = (edge,)
            edge = new
        edges.append(edge)
    return procedure.with_edges(tuple(edges))


def _analyse(procedure: Procedure, shared: frozenset[Term]) -> dict[Location, PersistentMap] | None:
    """What is known at every reachable location; None if the analysis takes too long."""
    locations = reverse_postorder(procedure.entry, procedure.successors)
    order = {location: i for i, location in enumerate(locations)}
    known: dict[Location, PersistentMap] = {procedure.entry: EMPTY}
    waiting = [0]
    inside = {0}
    patience = MOST_VISITS * len(locations)
    while waiting:
        number = heappop(waiting)
        inside.discard(number)
        location = locations[number]
        patience -= 1
        if not patience:
            return None
        for edge in procedure.outgoing(location):
            after = _after(edge.statement, known[location], shared)
            if after is BLOCKED:
                continue
            if edge.target in known:
                before = known[edge.target]
                after = common(before, after)
                if after is before:
                    continue
            known[edge.target] = after
            place = order[edge.target]
            if place not in inside:
                inside.add(place)
                heappush(waiting, place)
    return known


def _after(statement: Statement, facts: PersistentMap, shared: frozenset[Term]) -> PersistentMap:
    """What is known after a statement; BLOCKED if it cannot be passed."""
    if isinstance(statement, Assign):
        variable = statement.variable
        if not isinstance(variable.sort, Array):
            value = replaced(statement.value, facts)
            if value.op is ops.VALUE:
                return with_value(facts, variable, value)
        return without_value(facts, variable)
    if isinstance(statement, Assume):
        condition = replaced(statement.condition, facts)
        if condition is FALSE:
            return BLOCKED
        for variable, value in equalities(condition).items():
            facts = with_value(facts, variable, value)
        return facts
    for variable in writes(statement):
        facts = without_value(facts, variable)
    if isinstance(statement, Call):
        for variable in shared:
            facts = without_value(facts, variable)
    return facts


def equalities(condition: Term) -> dict[Term, Term]:
    """Conjuncts of the form `x = 3`."""
    parts = condition.args if condition.op is ops.AND else (condition,)
    found: dict[Term, Term] = {}
    for part in parts:
        if part.op is ops.EQ and part.args[0].op is ops.VARIABLE and part.args[1].op is ops.VALUE:
            found[part.args[0]] = part.args[1]
    return found


def replaced(term: Term, facts: PersistentMap, besides: Mapping[Term, Term] = NOTHING) -> Term:
    """With the values of the variables that are known."""
    if (facts is None and not besides) or term.op is ops.VALUE:
        return term
    used = {}
    for variable in free_variables(term):
        value = value_of(facts, variable) or besides.get(variable)
        if value is not None:
            used[variable] = value
    return substitute(term, used) if used else term


def simplified(statement: Statement, facts: PersistentMap) -> Statement:
    if isinstance(statement, Assume):
        condition = replaced(statement.condition, facts)
        return statement if condition is statement.condition else Assume(condition)
    if isinstance(statement, Assign):
        value = replaced(statement.value, facts)
        return statement if value is statement.value else Assign(statement.variable, value)
    if isinstance(statement, Havoc) and isinstance(statement.source, Proposed):
        value = replaced(statement.source.value, facts)
        source = replace(statement.source, value=value)
        return statement if value is statement.source.value else Havoc(statement.variables, source)
    if isinstance(statement, Call):
        arguments = tuple(replaced(argument, facts) for argument in statement.arguments)
        return (
            statement if arguments == statement.arguments else Call(statement.procedure, arguments, statement.results)
        )
    return statement
