"""Small programs made of numbered locations."""

from __future__ import annotations

from collections.abc import Collection

from craton.logic import Term
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.statements import Statement
from craton.program.variables import reads, writes


def automaton(*edges: tuple[int, Statement, int], errors: Collection[int] = (), end: int = 99) -> Program:
    """One procedure that starts at location 0; all its variables are global."""
    made = tuple(Edge(Location(a), statement, Location(b)) for a, statement, b in edges)
    variables: dict[Term, None] = {}
    for edge in made:
        found = reads(edge.statement) | writes(edge.statement)
        variables |= dict.fromkeys(sorted(found, key=lambda v: v.serial))
    main = Procedure("main", (), (), Location(0), Location(end), made)
    return Program("main", {"main": main}, tuple(variables), {Location(number): UNREACH for number in errors})
