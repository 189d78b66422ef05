"""Programs with names that are easy to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from craton.logic import Term, var
from craton.program.cfa import Program
from craton.program.variables import Renaming, reads, writes


def with_short_names(program: Program) -> Program:
    """The entry procedure's variables without the name of their function, where that is unambiguous: `main::x` becomes
    `x`.

    Law: no two variables get the same name, so only names change.
    """
    main = program.main
    every = {
        variable: None
        for edge in main.edges
        for variable in sorted(reads(edge.statement) | writes(edge.statement), key=lambda v: v.serial)
    }
    renaming = _renaming(every)
    renamed = Renaming(renaming).statement
    edges = tuple(replace(edge, statement=renamed(edge.statement)) for edge in main.edges)
    short = program.with_procedures({**program.procedures, program.entry: main.with_edges(edges)})
    symbols = {renaming[old]: symbol for old, symbol in program.symbols.items() if old in renaming}
    return replace(short, symbols={**program.symbols, **symbols})


def short_names(variables: Sequence[Term]) -> tuple[str, ...]:
    renaming = _renaming(variables)
    return tuple(renaming.get(v, v).name for v in variables)


def _renaming(variables: Iterable[Term]) -> dict[Term, Term]:
    short = {variable: variable.name.rpartition("::")[2] for variable in variables}
    taken = Counter(short.values())
    return {v: var(name, v.sort) for v, name in short.items() if name and taken[name] == 1}
