"""Control-flow automata: locations, edges, procedures, programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from operator import is_

from craton.logic import Term
from craton.program.origin import SourceRange
from craton.program.statements import Statement
from craton.program.storage import NOTHING_STORED, Storage, StoredObject


class Location(int):
    """A point of control. Ids are unique in a program and small, so that they can index tables.

    It is its number, and not an object that holds one, since hardly anything is hashed and compared as often.
    """

    __slots__ = ()

    @property
    def id(self) -> int:
        return int(self)

    def __str__(self) -> str:
        return f"L{int(self)}"

    def __repr__(self) -> str:
        return f"Location({int(self)})"

    def __bool__(self) -> bool:
        """A location is never nothing, not even the one with number zero."""
        return True


@dataclass(frozen=True, slots=True)
class Edge:
    """Control moves from `source` to `target` by executing `statement`, which comes from the text at `origin`.

    `branch` is set on edges that leave a branching of the source program: whether its condition held. If that is the
    whole condition of a statement (`if`, `while`, …) and not a part of it, `branching` is the statement.
    """

    source: Location
    statement: Statement
    target: Location
    origin: SourceRange | None = None
    branch: bool | None = None
    branching: SourceRange | None = None

    def __str__(self) -> str:
        return f"{self.source} -- {self.statement} --> {self.target}"

    def __hash__(self) -> int:  # hashing a block's statement would take long
        return self.source * 1_000_003 + self.target


@dataclass(frozen=True, slots=True)
class Touched:
    """The memory that a check is about: where it is, and how many bytes if that is known. For people only."""

    address: Term
    size: Term | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """What must not happen at an error location, in the words of result files: `unreach-call`, `valid-deref`, …

    At an error location of a program it is one check of the property: `where` in the text, and by which name (`check`,
    such as `main.overflow.2`; "" if nobody has named it). Checks of one property are equal.
    """

    name: str
    description: str = ""
    where: SourceRange | None = field(default=None, compare=False, kw_only=True)
    check: str = field(default="", compare=False, kw_only=True)
    touched: Touched | None = field(default=None, compare=False, kw_only=True)

    def __str__(self) -> str:
        return self.name


class Reach(Enum):
    """What may happen at a gap. Where memory is unknown, so is which function a pointer means."""

    ANYTHING = "anything"
    LATER = "memory changes, and functions that the text points to are called, now or at any time later"
    CALLS = "memory changes, and functions that the text points to are called; then the next statement follows"
    MEMORY = "memory changes; then the next statement follows"


@dataclass(frozen=True, slots=True)
class Unmodelled(Property):
    """Not a property but a gap in Craton: at such a location the program is about to do something that Craton does not
    model (`description`). It is treated as an error, so a proof must show it unreachable; but a run that reaches it
    shows nothing.
    """

    where: SourceRange | None = field(default=None, kw_only=True)
    reach: Reach = field(default=Reach.ANYTHING, kw_only=True)

    @property
    def contained(self) -> bool:
        """Whether control goes on at the next statement, or is in a function that the text points to."""
        return self.reach is not Reach.ANYTHING

    @property
    def sentence(self) -> str:
        place = "" if self.where is None else f"{self.where}: "
        return f"{place}{self.description} is not modelled"


ADDRESSES = "the addresses of objects"  # among what is approximated: where objects lie matters
UNREACH = Property("unreach-call", "the error function is called, an assertion fails or a label ERROR is reached")
OVERFLOW = Property("no-overflow", "a signed integer operation overflows")
DIVISION = Property("no-div-by-zero", "an integer is divided by zero")
DEREF = Property("valid-deref", "memory that is not allocated is accessed")
FREE = Property("valid-free", "a pointer is freed that malloc did not give, or that is freed already")
MEMTRACK = Property("valid-memtrack", "allocated memory is lost")
MEMCLEANUP = Property("valid-memcleanup", "allocated memory is not freed when the program ends")


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a variable of the program stands for in the source text."""

    name: str  # as C spells it; empty if it has no name in C
    type: str
    function: str | None  # None for globals
    declared: SourceRange | None = None
    signed: bool = False
    object: StoredObject | None = None  # whose address a variable without a name holds


@dataclass(frozen=True)
class Procedure:
    """A procedure: its automaton has one entry and one exit. Its results are the values of `returns` at the exit.

    Each procedure computes its tables of incoming and outgoing edges from its own `edges`, when they are asked for, so
    `replace(procedure, edges=…)` is right by construction.
    """

    name: str
    parameters: tuple[Term, ...]
    returns: tuple[Term, ...]
    entry: Location
    exit: Location
    edges: tuple[Edge, ...]
    locals: tuple[Term, ...] = ()  # every variable that is not shared, parameters and returns included

    @cached_property
    def _outgoing(self) -> Mapping[Location, tuple[Edge, ...]]:
        return _grouped((edge.source, edge) for edge in self.edges)

    @cached_property
    def _incoming(self) -> Mapping[Location, tuple[Edge, ...]]:
        return _grouped((edge.target, edge) for edge in self.edges)

    def outgoing(self, location: Location) -> tuple[Edge, ...]:
        return self._outgoing.get(location, ())

    def incoming(self, location: Location) -> tuple[Edge, ...]:
        return self._incoming.get(location, ())

    def successors(self, location: Location) -> Iterator[Location]:
        """The targets of the edges that leave a location; repeated if several edges lead to the same one."""
        return (edge.target for edge in self.outgoing(location))

    def predecessors(self, location: Location) -> Iterator[Location]:
        return (edge.source for edge in self.incoming(location))

    @cached_property
    def locations(self) -> tuple[Location, ...]:
        """In order of their ids."""
        found = {self.entry, self.exit}
        for edge in self.edges:
            found.add(edge.source)
            found.add(edge.target)
        return tuple(sorted(found))

    def with_edges(self, edges: tuple[Edge, ...]) -> Procedure:
        """The procedure with these edges: itself, with its tables, if they are its own."""
        if len(edges) == len(self.edges) and all(map(is_, edges, self.edges)):
            return self
        return replace(self, edges=edges)


def _grouped(pairs: Iterable[tuple[Location, Edge]]) -> dict[Location, tuple[Edge, ...]]:
    found: dict[Location, list[Edge]] = {}
    for location, edge in pairs:
        found.setdefault(location, []).append(edge)
    return {location: tuple(edges) for location, edges in found.items()}


VOLATILE_READ = "a volatile read"  # among what is approximated; in a run without chosen values it gives what is stored


@dataclass(frozen=True)
class Program:
    """A program to verify: can an error location be reached from the entry's start?

    `globals` are the variables that outlive a procedure, including memory; all start with arbitrary values, and the
    entry procedure's first edges assign what C initialises. `hints` are formulas that may hold at their locations:
    engines may try them but must not trust them. `over_approximated` are functions that allow more than the source
    means: a counterexample that uses one may not be real. The same holds for calls of the functions in `approximated`:
    only running the compiled program can tell. `gaps_are_harmless` says that no error can be reached, whatever
    happens at unmodelled locations; or that this is so if functions are called through pointers of their own type.
    `elements` are variables that stand for elements of arrays that the program had (`program.elements`).
    """

    entry: str
    procedures: Mapping[str, Procedure]
    globals: tuple[Term, ...]
    errors: Mapping[Location, Property]
    loop_heads: Mapping[Location, SourceRange | None] = field(default_factory=dict)  # with the loop's keyword
    symbols: Mapping[Term, Symbol] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    hints: Mapping[Location, tuple[Term, ...]] = field(default_factory=dict)
    over_approximated: tuple[str, ...] = ()
    approximated: tuple[str, ...] = ()
    unknown_functions: tuple[str, ...] = ()  # that are called, and that nobody defines
    gaps_are_harmless: bool = False
    gaps_are_harmless_by_type: bool = False
    files: tuple[str, ...] = ()
    data_model: str = ""
    properties: tuple[Property, ...] = ()  # that are to hold, whether there is something to check or not
    storage: Storage = NOTHING_STORED
    elements: Mapping[Term, Term] = field(default_factory=dict)
    left_out: Mapping[Location, Property] = field(
        default_factory=dict
    )  # checks that were not asked for: runs end there

    @property
    def main(self) -> Procedure:
        return self.procedures[self.entry]

    def edges(self) -> Iterator[Edge]:
        for procedure in self.procedures.values():
            yield from procedure.edges

    @property
    def violations(self) -> dict[Location, Property]:
        """The errors that are violations of a property, and not gaps."""
        return {location: found for location, found in self.errors.items() if not isinstance(found, Unmodelled)}

    def only_modelled(self) -> Program:
        """The program in which control ends at unmodelled locations: its errors do not depend on them."""
        gaps = {location for location, violated in self.errors.items() if isinstance(violated, Unmodelled)}
        procedures = {
            name: procedure.with_edges(tuple(edge for edge in procedure.edges if edge.source not in gaps))
            for name, procedure in self.procedures.items()
        }
        return replace(self, procedures=procedures, errors=self.violations)

    def next_location(self) -> int:
        """The smallest id above all ids in use."""
        return 1 + max((e.id for p in self.procedures.values() for e in (p.locations[-1],)), default=-1)

    def _repr_html_(self) -> str:
        from craton.program.picture import to_svg

        return to_svg(self)

    def with_procedures(self, procedures: Mapping[str, Procedure]) -> Program:
        return replace(self, procedures=procedures)

    def restricted_to(self, procedures: Mapping[str, Procedure]) -> Program:
        """The program with other procedures, without errors and loop heads that lie in none of them."""
        present = {location for procedure in procedures.values() for location in procedure.locations}
        return replace(
            self,
            procedures=procedures,
            errors={location: p for location, p in self.errors.items() if location in present},
            loop_heads={location: r for location, r in self.loop_heads.items() if location in present},
        )
