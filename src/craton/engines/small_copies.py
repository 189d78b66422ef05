"""A copy of a program in which large constants that numbers are compared with are small ones: what its runs show may
hint at what the program does. Loops over 100,000 elements never end in a run; over six they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from craton.logic import INT, Term, int_, ops
from craton.logic.walk import atoms, replaced
from craton.program.cfa import Edge, Program
from craton.program.statements import Assign, Assume, Block, Statement

_LARGE = range(20, 1 << 24)  # smaller ones are small already, larger ones are the ends of types
_FIRST, _APART = 6, 3  # the least small constant; how far apart different ones are at most
_COMPARISONS = (ops.LE, ops.LT, ops.EQ)


class SmallCopy:
    """The copy, and what terms of the program are there."""

    def __init__(self, program: Program) -> None:
        self._numbers = _small_numbers(program)
        edges = tuple(self._edge(edge) for edge in program.main.edges)
        self.program = program.restricted_to({program.main.name: replace(program.main, edges=edges)})

    def of(self, term: Term) -> Term:
        return replaced((term,), self._numbers)[0] if self._numbers else term

    def _edge(self, edge: Edge) -> Edge:
        return replace(edge, statement=self._statement(edge.statement))

    def _statement(self, statement: Statement) -> Statement:
        match statement:
            case Assume(condition):
                return Assume(self._compared(condition))
            case Assign(variable, value):
                return Assign(variable, self._numbers.get(value, value))
            case Block(edges):
                return Block(tuple(map(self._edge, edges)))
        return statement

    def _compared(self, condition: Term) -> Term:
        """Constants that are compared become small, others, such as where arrays lie, stay."""
        found = {}
        for atom in atoms(condition):
            small = {side: self._numbers[side] for side in atom.args if side in self._numbers}
            if small and atom.op in _COMPARISONS:
                found[atom] = replaced((atom,), small)[0]
        return replaced((condition,), found)[0]


def _small_numbers(program: Program) -> Mapping[Term, Term]:
    """Large constants, and those beside them, in the same order."""
    compared: set[int] = set()
    for statement in _statements(program):
        for atom in atoms(statement.condition) if isinstance(statement, Assume) else ():
            if atom.op in _COMPARISONS:
                numbers = (side.payload for side in atom.args if side.op is ops.VALUE and side.sort is INT)
                compared.update(number for number in numbers if number in _LARGE)
    every = sorted(compared | {number - 1 for number in compared} | {number + 1 for number in compared})
    small: dict[Term, Term] = {}
    last, told = 0, _FIRST - _APART
    for number in every:
        told += min(number - last, _APART)
        small[int_(number)] = int_(told)
        last = number
    return small


def _statements(program: Program) -> list[Statement]:
    found: list[Statement] = []
    waiting = list(program.main.edges)
    while waiting:
        statement = waiting.pop().statement
        if isinstance(statement, Block):
            waiting += statement.edges
        else:
            found.append(statement)
    return found
