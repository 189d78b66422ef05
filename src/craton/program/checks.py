"""The checks of a program: each place where a property may be violated, by a name that users can say.

A check is an error location of the program as it was loaded, where every procedure stands once. Its name has the
function, the property in short and a number: `main.overflow.2`. Passes copy locations, and the copies are the same
check (`Property.check`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace

from craton.program.cfa import Location, Program, Property, Unmodelled
from craton.program.origin import SourceRange

_SHORT = {
    "unreach-call": "reach",
    "no-overflow": "overflow",
    "no-div-by-zero": "division",
    "valid-deref": "deref",
    "valid-free": "free",
    "valid-memtrack": "memtrack",
    "valid-memcleanup": "memcleanup",
}


def with_named_checks(program: Program) -> Program:
    """The program with a name and a place for each of its checks, in the order of the text."""
    named = dict(program.errors)
    numbers: Counter[str] = Counter()
    for procedure, location, where in sorted(_places(program), key=lambda found: (found[0], _order(found[2]))):
        violated = program.errors[location]
        stem = f"{procedure}.{_SHORT.get(violated.name, violated.name)}"
        numbers[stem] += 1
        named[location] = replace(violated, where=where, check=f"{stem}.{numbers[stem]}")
    return replace(program, errors=named)


def _places(program: Program) -> Iterator[tuple[str, Location, SourceRange | None]]:
    seen: set[Location] = set()
    for name, procedure in program.procedures.items():
        for edge in procedure.edges:
            violated = program.errors.get(edge.target)
            if violated is not None and not isinstance(violated, Unmodelled) and edge.target not in seen:
                seen.add(edge.target)
                yield name, edge.target, edge.origin


def _order(where: SourceRange | None) -> tuple[str, int, int]:
    return ("", 0, 0) if where is None else (where.file, where.line, where.column)


def checks(program: Program) -> tuple[Property, ...]:
    """All checks, in the order of the text."""
    found = {each.check: each for each in (*program.violations.values(), *program.left_out.values()) if each.check}
    return tuple(sorted(found.values(), key=lambda each: (_order(each.where), each.check)))


def only_checks(program: Program, wanted: Collection[str]) -> Program:
    """The program in which no other checks count. A run that fails one of them ends there, so what is said of a check
    is said of the runs on which nothing failed before.
    """
    out = {location: each for location, each in program.violations.items() if each.check not in wanted}
    kept = {location: each for location, each in program.errors.items() if location not in out}
    return replace(program, errors=kept, left_out={**program.left_out, **out})
