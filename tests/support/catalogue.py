"""The one catalogue of example problems: what solvers, interpolation, cores and elimination are tried on.

They stand in `smt/data`, as `support.entries` reads them: declarations as `support.declarations` has them, then one
SMT-LIB formula a line. Cores have a field `cores 0 2 | 1 2`: all the minimal ones, as positions. Eliminations say with
`exists x y` what is bound, and with `by DER FULL` which methods succeed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from craton.logic import Term
from support.declarations import declarations_of, read_lines, symbols_of
from support.entries import TESTS, BadExample, Entry, Line, check_names, read_entries, theory_and_name

FOLDER = TESTS / "smt" / "data"


@dataclass(frozen=True)
class Sequence:
    """F[1] … F[n]: the formulas along a trace."""

    name: str
    theory: str
    declarations: str
    lines: tuple[Line, ...]

    @cached_property
    def formulas(self) -> tuple[Term, ...]:
        return read_lines(self.declarations, self.lines)

    def __str__(self) -> str:
        return f"{self.theory}: {self.name}"


@dataclass(frozen=True)
class Cores:
    """Formulas with all their minimal cores, as positions."""

    name: str
    declarations: str
    lines: tuple[Line, ...]
    minimal: frozenset[tuple[int, ...]]

    @cached_property
    def formulas(self) -> tuple[Term, ...]:
        return read_lines(self.declarations, self.lines)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Elimination:
    """∃ bound. body, with the methods each of which gets rid of all quantifiers by itself."""

    name: str
    theory: str
    solved_by: tuple[str, ...]
    declarations: str
    bound_names: str
    lines: tuple[Line, ...]

    @cached_property
    def body(self) -> Term:
        (body,) = read_lines(self.declarations, self.lines)
        return body

    @cached_property
    def bound(self) -> tuple[Term, ...]:
        symbols = symbols_of(self.declarations)
        found = tuple(symbols[name] for name in self.bound_names.split())
        return tuple(v for v in found if isinstance(v, Term))

    def __str__(self) -> str:
        return f"{self.theory}: {self.name}"


# --- reading ----------------------------------------------------------------------------------------------------------


def read_sequences(*paths: Path) -> tuple[Sequence, ...]:
    return tuple(_sequence(entry) for entry in _entries(paths))


def _sequence(entry: Entry) -> Sequence:
    theory, name = theory_and_name(entry)
    return Sequence(name, theory, declarations_of(entry), entry.lines)


def read_cores(path: Path) -> tuple[Cores, ...]:
    return tuple(_cores(entry) for entry in _entries([path], "cores"))


def _cores(entry: Entry) -> Cores:
    minimal = entry.required("cores")
    try:
        positions = frozenset(tuple(map(int, core.split())) for core in minimal.split("|"))
    except ValueError:
        raise BadExample(entry.fields["cores"].place, f"expected positions as in `0 2 | 1 2`, not {minimal}") from None
    return Cores(entry.title.text, declarations_of(entry), entry.lines, positions)


def read_eliminations(path: Path) -> tuple[Elimination, ...]:
    return tuple(_elimination(entry) for entry in _entries([path], "exists", "by"))


def _elimination(entry: Entry) -> Elimination:
    theory, name = theory_and_name(entry)
    declarations, bound = declarations_of(entry), entry.required("exists")
    for variable in bound.split():
        if variable not in symbols_of(declarations):
            raise BadExample(entry.fields["exists"].place, f"{variable} is not declared")
    methods = tuple(entry.fields["by"].text.split()) if "by" in entry.fields else ()
    return Elimination(name, theory, methods, declarations, bound, entry.lines)


def _entries(paths: Iterable[Path], *fields: str) -> list[Entry]:
    found = [entry for path in paths for entry in read_entries(path, ("var", *fields))]
    check_names(entry.title for entry in found)
    return found


UNSATISFIABLE = read_sequences(*sorted((FOLDER / "unsatisfiable").glob("*.formulas")))
SATISFIABLE = read_sequences(FOLDER / "satisfiable.formulas")
CORES = read_cores(FOLDER / "cores.formulas")
HALVES = read_cores(FOLDER / "halves.formulas")  # of each equality only half is needed
ELIMINATIONS = read_eliminations(FOLDER / "eliminations.formulas")
