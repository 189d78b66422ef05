"""What the lowering of all functions shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from craton.frontends.c.automaton.builder import Names
from craton.frontends.c.clang.declarations import Program
from craton.frontends.c.memory.layout import Memory, Object
from craton.frontends.c.memory.places import Place, covered
from craton.frontends.c.memory.points_to import PointsTo
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.syntax.nodes import Function, Node, Variable
from craton.frontends.c.syntax.types import CType, FunctionType, Integer, leaves, sort_of
from craton.logic import BitVec, Sort, Term
from craton.program.cfa import Symbol
from craton.program.specification import Specification

if TYPE_CHECKING:
    from craton.frontends.c.memory.lifetimes import Lifetime


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a variable that is not in memory: a scalar, a unit of bit-fields, or the bytes of a union."""

    offset: int
    type: CType
    term: Term


Plain = tuple[Part, ...]


def part_sort(t: CType) -> Sort:
    from craton.frontends.c.syntax.types import Record

    return BitVec(8 * t.size) if isinstance(t, Record) else sort_of(t)


@dataclass(frozen=True)
class Signature:
    """How a function is called: parameters and results, one variable per leaf."""

    parameters: tuple[tuple[Term, ...], ...]
    returns: tuple[Term, ...]
    variadic: Term | None

    @property
    def flat(self) -> tuple[Term, ...]:
        extra = () if self.variadic is None else (self.variadic,)
        return tuple(term for group in self.parameters for term in group) + extra


@dataclass
class Context:
    program: Program
    scan: Scan
    points_to: PointsTo
    names: Names
    memory: Memory
    specification: Specification
    int_type: Integer
    char_type: Integer
    recursive: set[str] = field(default_factory=set)
    assumptions: dict[str, None] = field(default_factory=dict)
    approximated: dict[str, None] = field(default_factory=dict)  # functions with more results than they have in C
    symbols: dict[Term, Symbol] = field(default_factory=dict)
    globals: dict[Term, None] = field(default_factory=dict)
    plain: dict[Variable, Plain] = field(default_factory=dict)
    objects: dict[Variable, Object] = field(default_factory=dict)
    strings: dict[Node, Object] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    occupants: dict[Place, int] = field(default_factory=dict)  # how many objects may lie in a place
    local_places: set[Place] = field(default_factory=set)  # places that hold locals
    lifetimes: dict[Variable, Lifetime] = field(default_factory=dict)  # of large uninitialised locals
    # Variables that may hold pointers to a place, where memory safety is checked; None is what has no name.
    holders: dict[Place, list[Variable | None]] = field(default_factory=dict)
    zeroed: list[Term] = field(default_factory=list)  # arrays that start as zeros
    called: dict[str, Function] = field(default_factory=dict)  # functions that need a procedure

    @property
    def pointer_width(self) -> int:
        return self.memory.pointer_width

    def sole_regions(self, place: Place) -> list[Place] | None:
        """The places of an object's parts, if no other object lies in any of them."""
        parts = covered(place)
        return parts if all(self.occupants.get(part, 2) == 1 for part in parts) else None

    def assume(self, what: str) -> None:
        """Notes something that the program's meaning rests on."""
        self.assumptions[what] = None

    def signature(self, function: Function) -> Signature:
        known = self.signatures.get(function.symbol)
        if known is None:
            name = function.symbol
            parameters = []
            for parameter in function.parameters:
                group = []
                for leaf in leaves(parameter.type):
                    term = self.names.variable(f"{name}::{parameter.name or '$p'}{leaf.name}", part_sort(leaf.type))
                    self.note(term, parameter, leaf.name, leaf.type)
                    group.append(term)
                parameters.append(tuple(group))
            result = function.type.result
            returns: tuple[Term, ...] = ()
            if not _is_void(result):
                returns = tuple(
                    self.names.variable(f"{name}::return{leaf.name}", part_sort(leaf.type)) for leaf in leaves(result)
                )
            variadic = None
            if function.type.variadic:
                variadic = self.names.variable(f"{name}::...", BitVec(self.pointer_width))
            known = self.signatures[function.symbol] = Signature(tuple(parameters), returns, variadic)
        return known

    def note(self, term: Term, variable: Variable, path: str, t: CType) -> None:
        """Remembers what a variable stands for in the text."""
        plain = not path or "#" not in path
        name = variable.name + path if plain else ""
        signed = isinstance(t, Integer) and t.signed
        self.symbols[term] = Symbol(name, str(t), variable.function, variable.range, signed)


def _is_void(t: CType) -> bool:
    from craton.frontends.c.syntax.types import Void

    return isinstance(t, Void | FunctionType)
