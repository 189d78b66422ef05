"""Which variables a statement reads and writes, and statements with other variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from craton.logic import Term, free_variables, substitute, var
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Proposed, Return, Statement

_NONE: frozenset[Term] = frozenset()


def terms(statement: Statement) -> tuple[Term, ...]:
    """What a statement that is no block asks or computes."""
    match statement:
        case Assume(condition):
            return (condition,)
        case Assign(_, value):
            return (value,)
        case Call(_, arguments, _):
            return arguments
    return ()


def reads(statement: Statement) -> frozenset[Term]:
    """The variables whose old value matters."""
    if isinstance(statement, Assume):
        return free_variables(statement.condition)
    if isinstance(statement, Assign):
        return free_variables(statement.value)
    if isinstance(statement, Havoc):
        return free_variables(statement.source.value) if isinstance(statement.source, Proposed) else _NONE
    if isinstance(statement, Call):
        return _NONE.union(*map(free_variables, statement.arguments))
    if isinstance(statement, Block):
        return _NONE.union(*(reads(edge.statement) for edge in statement.edges))
    return _NONE


def writes(statement: Statement) -> frozenset[Term]:
    """The variables that may change; a call may also change globals."""
    if isinstance(statement, Assign):
        return frozenset((statement.variable,))
    if isinstance(statement, Havoc):
        return frozenset(statement.variables)
    if isinstance(statement, Call):
        return frozenset(statement.results)
    if isinstance(statement, Block):
        return _NONE.union(*(writes(edge.statement) for edge in statement.edges))
    return _NONE


def at_entry(variable: Term) -> Term:
    """The value that a parameter or a global had when the procedure was entered. No variable of a program is called so:
    names have no spaces at such a place.
    """
    return var(f"{variable.name} at entry", variable.sort)


def renamed(statement: Statement, mapping: Mapping[Term, Term]) -> Statement:
    """The statement over other variables."""
    if isinstance(statement, Return):
        return statement
    if isinstance(statement, Assume):
        return Assume(_replace(statement.condition, mapping))
    if isinstance(statement, Assign):
        return Assign(_variable(statement.variable, mapping), _replace(statement.value, mapping))
    if isinstance(statement, Havoc):
        source = statement.source
        if isinstance(source, Proposed):
            source = replace(source, value=_replace(source.value, mapping))
        return Havoc(tuple(_variable(v, mapping) for v in statement.variables), source)
    if isinstance(statement, Call):
        arguments = tuple(_replace(argument, mapping) for argument in statement.arguments)
        results = tuple(_variable(result, mapping) for result in statement.results)
        return Call(statement.procedure, arguments, results)
    edges = tuple(replace(edge, statement=renamed(edge.statement, mapping)) for edge in statement.edges)
    return replace(statement, edges=edges)


def _variable(variable: Term, mapping: Mapping[Term, Term]) -> Term:
    return mapping.get(variable, variable)


def _replace(term: Term, mapping: Mapping[Term, Term]) -> Term:
    used = {v: mapping[v] for v in sorted(free_variables(term), key=lambda v: v.serial) if v in mapping}
    return substitute(term, used) if used else term
