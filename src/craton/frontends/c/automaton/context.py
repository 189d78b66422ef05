"""What the lowering of all functions shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from craton.frontends.c.automaton.builder import Names
from craton.frontends.c.automaton.lvalue import Plain, part_sort
from craton.frontends.c.memory.dangling import outlived_places
from craton.frontends.c.memory.escapes import Escapes, escapes
from craton.frontends.c.memory.facts import Facts
from craton.frontends.c.memory.layout import Memory, Object
from craton.frontends.c.memory.places import Place
from craton.frontends.c.memory.points_to import PointsTo
from craton.frontends.c.memory.scan import Scan
from craton.frontends.c.memory.touches import Touches
from craton.frontends.c.syntax.nodes import Function, Node, Variable
from craton.frontends.c.syntax.program import Program
from craton.frontends.c.syntax.types import CType, FunctionType, Integer, Void, leaves
from craton.frontends.c.syntax.unknown_functions import UnknownFunctions
from craton.logic import BitVec, Term
from craton.program.cfa import Location, Symbol
from craton.program.specification import Specification


@dataclass(frozen=True, eq=False)
class Signature:
    """How a function is called: parameters and results, one variable per leaf."""

    parameters: tuple[tuple[Term, ...], ...]
    returns: tuple[Term, ...]
    variadic: Term | None

    @property
    def flat(self) -> tuple[Term, ...]:
        extra = () if self.variadic is None else (self.variadic,)
        return tuple(term for group in self.parameters for term in group) + extra


@dataclass(frozen=True, eq=False)
class PointerCall:
    """A call through a pointer: of which type, with how many arguments, and where control goes if it means one of the
    functions that the analysis of pointers knows it to mean, or one that it is not the type of.
    """

    pointer: Term
    type: CType
    arguments: int
    branches: Mapping[Location, Function]
    misfit: Location


@dataclass(eq=False)
class Context:
    """What is known of a program before it is lowered, and what its functions have made so far."""

    program: Program
    facts: Facts
    names: Names
    memory: Memory
    int_type: Integer
    char_type: Integer
    touches: Touches
    # What the program's meaning rests on, and functions with more results than they have in C.
    assumptions: dict[str, None] = field(default_factory=dict)
    approximated: dict[str, None] = field(default_factory=dict)
    # What the program's variables stand for in the text, and which of them all procedures share.
    symbols: dict[Term, Symbol] = field(default_factory=dict)
    globals: dict[Term, None] = field(default_factory=dict)
    # Where variables and string literals stand: outside of memory, or as objects in it.
    plain: dict[Variable, Plain] = field(default_factory=dict)
    objects: dict[Variable, Object] = field(default_factory=dict)
    strings: dict[Node, Object] = field(default_factory=dict)
    noted: dict[CType, None] = field(default_factory=dict)  # types of variables that have a name
    zeroed: list[Term] = field(default_factory=list)  # arrays that start as zeros
    # How functions are called, and those that are, so that they need a procedure.
    signatures: dict[str, Signature] = field(default_factory=dict)
    called: dict[str, Function] = field(default_factory=dict)
    pointer_calls: dict[Location, PointerCall] = field(default_factory=dict)
    label_numbers: dict[tuple[str, str], int] = field(default_factory=dict)  # of labels whose address is taken
    unknown_functions: UnknownFunctions = UnknownFunctions.PURE
    taken_for_unknown: dict[str, None] = field(default_factory=dict)  # functions that were called
    _escapes: Escapes | None = None
    _outlived: frozenset[Place] | None = None

    def __post_init__(self) -> None:
        self.scan: Scan = self.facts.scan
        self.points_to: PointsTo = self.facts.points_to
        self.specification: Specification = self.facts.specification

    @property
    def pointer_width(self) -> int:
        return self.memory.pointer_width

    def escapes(self) -> Escapes:
        """What unknown functions can reach."""
        if self._escapes is None:
            self._escapes = escapes(self.scan, self.points_to)
        return self._escapes

    @property
    def outlived(self) -> frozenset[Place]:
        """The places of locals that pointers may outlive."""
        if self._outlived is None:
            self._outlived = outlived_places(self.facts)
        return self._outlived

    def assume(self, what: str) -> None:
        """Notes something that the program's meaning rests on."""
        self.assumptions[what] = None

    def label_number(self, function: str, label: str) -> int:
        """What stands for the address of a label."""
        return self.label_numbers.setdefault((function, label), len(self.label_numbers) + 1)

    def signature(self, function: Function) -> Signature:
        known = self.signatures.get(function.symbol)
        if known is None:
            known = self.signatures[function.symbol] = self._signature(function)
        return known

    def _signature(self, function: Function) -> Signature:
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
        if not isinstance(result, Void | FunctionType):
            returns = tuple(self._returned(function, leaf.name, leaf.type) for leaf in leaves(result))
        variadic = None
        if function.type.variadic:
            variadic = self.names.variable(f"{name}::...", BitVec(self.pointer_width))
        return Signature(tuple(parameters), returns, variadic)

    def _returned(self, function: Function, part: str, t: CType) -> Term:
        term = self.names.variable(f"{function.symbol}::return{part}", part_sort(t))
        signed = isinstance(t, Integer) and t.signed
        self.symbols[term] = Symbol(f"\\result{part}", str(t), function.symbol, None, signed)
        return term

    def note(self, term: Term, variable: Variable, path: str, t: CType) -> None:
        """Remembers what a variable stands for in the text."""
        self.noted[t] = None
        plain = not path or "#" not in path
        name = variable.name + path if plain else ""
        signed = isinstance(t, Integer) and t.signed
        self.symbols[term] = Symbol(name, str(t), variable.function, variable.range, signed)
