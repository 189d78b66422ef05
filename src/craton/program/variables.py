"""Which variables a statement reads and writes, and statements with other variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from craton.logic import Term, free_variables, var
from craton.logic.walk import Substitution
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


class Renaming:
    """Statements over other variables; terms that they share are looked at once."""

    def __init__(self, mapping: Mapping[Term, Term]) -> None:
        self._mapping = mapping
        self._term = Substitution(mapping)

    def statement(self, statement: Statement) -> Statement:
        if isinstance(statement, Return):
            return statement
        if isinstance(statement, Assume):
            return Assume(self._term(statement.condition))
        if isinstance(statement, Assign):
            return Assign(self._variable(statement.variable), self._term(statement.value))
        if isinstance(statement, Havoc):
            source = statement.source
            if isinstance(source, Proposed):
                source = replace(source, value=self._term(source.value))
            return Havoc(tuple(map(self._variable, statement.variables)), source)
        if isinstance(statement, Call):
            arguments = tuple(map(self._term, statement.arguments))
            return Call(statement.procedure, arguments, tuple(map(self._variable, statement.results)))
        edges = tuple(replace(edge, statement=self.statement(edge.statement)) for edge in statement.edges)
        return replace(statement, edges=edges)

    def _variable(self, variable: Term) -> Term:
        return self._mapping.get(variable, variable)
