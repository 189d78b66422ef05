"""Constant propagation, with conditions: a forward analysis that knows of each variable one value or nothing."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from craton.logic import FALSE, Array, Term, free_variables, ops, substitute
from craton.program.back import Transformed
from craton.program.cfa import Edge, Location, Procedure, Program
from craton.program.graph import reverse_postorder
from craton.program.slicing import remove_dead_code
from craton.program.statements import Assign, Assume, BitsOf, Call, Havoc, Statement
from craton.program.variables import writes

Known = dict[Term, Term]
MOST_WORK = 20_000_000  # edges times known variables; above, the program is left as it is


def propagate_constants(program: Program) -> Transformed:
    shared = frozenset(program.globals)
    back: dict[Edge, tuple[Edge, ...]] = {}
    procedures: dict[str, Procedure] = {}
    for name, procedure in program.procedures.items():
        procedures[name] = _propagated(procedure, shared, back)
    result = Transformed(program.with_procedures(procedures), back)
    return result.then(remove_dead_code(result.program))


def _propagated(procedure: Procedure, shared: frozenset[Term], back: dict[Edge, tuple[Edge, ...]]) -> Procedure:
    known = _analyse(procedure, shared)
    if known is None:
        return procedure
    edges: list[Edge] = []
    for edge in procedure.edges:
        facts = known.get(edge.source)
        if facts is None:
            continue  # never reached
        statement = simplified(edge.statement, facts)
        if statement is not edge.statement:
            new = replace(edge, statement=statement)
            back[new] = (edge,)
            edge = new
        edges.append(edge)
    return procedure.with_edges(tuple(edges))


def _analyse(procedure: Procedure, shared: frozenset[Term]) -> dict[Location, Known] | None:
    order = {location: i for i, location in enumerate(reverse_postorder(procedure))}
    known: dict[Location, Known] = {procedure.entry: {}}
    waiting = deque([procedure.entry])
    inside = {procedure.entry}
    work = 0
    while waiting:
        location = waiting.popleft()
        inside.discard(location)
        facts = known[location]
        for edge in procedure.outgoing(location):
            work += 1 + len(facts)
            if work > MOST_WORK:
                return None
            after = _after(edge.statement, facts, shared)
            if after is None:
                continue
            before = known.get(edge.target)
            if before is None:
                known[edge.target] = after
            else:
                common = {v: t for v, t in before.items() if after.get(v) is t}
                if len(common) == len(before):
                    continue
                known[edge.target] = common
            if edge.target not in inside:
                inside.add(edge.target)
                waiting.append(edge.target)
    del order
    return known


def _after(statement: Statement, facts: Known, shared: frozenset[Term]) -> Known | None:
    """What is known behind a statement; None if it blocks."""
    if isinstance(statement, Assign):
        new = dict(facts)
        new.pop(statement.variable, None)
        if not isinstance(statement.variable.sort, Array):
            value = _replaced(statement.value, facts)
            if value.op is ops.VALUE:
                new[statement.variable] = value
        return new
    if isinstance(statement, Assume):
        condition = _replaced(statement.condition, facts)
        if condition is FALSE:
            return None
        learned = _equalities(condition)
        return {**facts, **learned} if learned else facts
    new = {v: t for v, t in facts.items() if v not in writes(statement)}
    if isinstance(statement, Call):
        new = {v: t for v, t in new.items() if v not in shared}
    return new


def _equalities(condition: Term) -> Known:
    """`x = 3` among the conjuncts."""
    parts = condition.args if condition.op is ops.AND else (condition,)
    found: Known = {}
    for part in parts:
        if part.op is ops.EQ and part.args[0].op is ops.VARIABLE and part.args[1].op is ops.VALUE:
            found[part.args[0]] = part.args[1]
    return found


def _replaced(term: Term, facts: Known) -> Term:
    if not facts:
        return term
    used = {v: facts[v] for v in sorted(free_variables(term), key=lambda v: v.serial) if v in facts}
    return substitute(term, used) if used else term


def simplified(statement: Statement, facts: Known) -> Statement:
    if isinstance(statement, Assume):
        condition = _replaced(statement.condition, facts)
        return statement if condition is statement.condition else Assume(condition)
    if isinstance(statement, Assign):
        value = _replaced(statement.value, facts)
        return statement if value is statement.value else Assign(statement.variable, value)
    if isinstance(statement, Havoc) and isinstance(statement.source, BitsOf):
        value = _replaced(statement.source.value, facts)
        return statement if value is statement.source.value else Havoc(statement.variables, BitsOf(value))
    if isinstance(statement, Call):
        arguments = tuple(_replaced(argument, facts) for argument in statement.arguments)
        return (
            statement if arguments == statement.arguments else Call(statement.procedure, arguments, statement.results)
        )
    return statement
