"""A program of several files, linked by name, whoever reads the files."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from craton.frontends.c.errors import BadInput
from craton.frontends.c.syntax.nodes import Extent, Function, Node, Variable
from craton.program.origin import SourceRange


class TranslationUnit(Protocol):
    """One file. Bodies and variables are read when somebody asks for them."""

    def defined(self, name: str) -> Function | None:
        """The function this unit defines, static or not."""

    def exported(self, name: str) -> Variable | None:
        """The variable this unit defines for all units."""

    def read_body(self, function: Function) -> None:
        """Fills in the parameters and the body of a function that this unit declares, if it defines it."""

    def start_and_end(self) -> None:
        """Tells the program which functions are called before and after `main`."""

    def source_range(self, extent: Extent) -> SourceRange | None:
        """Where a node of this unit stands in the text."""


class Strength(enum.IntEnum):
    """Which of several definitions of a symbol counts."""

    INLINE = 0  # one that is no external definition: there is another one, or it is this one
    WEAK = 1
    COMMON = (
        2  # a variable without a value: several of them are one, as compilers have had it, and replays have it still
    )
    STRONG = 3


class SymbolKind(enum.Enum):
    FUNCTION = "function"
    VARIABLE = "variable"


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition that all units can use."""

    kind: SymbolKind
    unit: TranslationUnit
    strength: Strength
    where: SourceRange | None


class Library(Protocol):
    """Functions that others define, as C text: what a program is linked with after its own units."""

    def names(self) -> frozenset[str]:
        """The functions that are called as their text says."""

    def text_of(self, name: str) -> tuple[str, str]:
        """A unit that defines the function: the unit's name, and its text."""

    def spelled(self, name: str) -> str:
        """The function that is meant by a name: `__builtin_stpcpy` is stpcpy."""

    def is_handled(self, name: str) -> bool:
        """Whether calls by that name are lowered without the text."""

    def exact(self, name: str, *, result_matters: bool) -> str | None:
        """The function whose text says what a call of a handled function does, where its handler says too little."""


class LinkedUnits(TranslationUnit, Protocol):
    """A library that a program is linked with."""

    def is_handled(self, name: str) -> bool:
        """Whether calls by that name are lowered without a text."""

    def exact(self, name: str, *, result_matters: bool) -> str | None:
        """The function whose text says what a call of a handled function does, where its handler says too little."""

    def read_body(self, function: Function) -> None:
        """Fills in what such a function does when it is called through a pointer."""


_AFTER_ALL = 1 << 20  # a priority that no destructor has


class Program:
    """All translation units."""

    def __init__(self) -> None:
        self.definitions: dict[str, Definition] = {}  # what is not static, by the name that the linker knows
        self.globals: dict[str, Variable] = {}
        self.units: list[TranslationUnit] = []
        self.constructors: list[tuple[int, Function]] = []  # with their priorities, in the order of the text
        self.destructors: list[tuple[int, Function]] = []
        self.library: LinkedUnits | None = None
        self.has_inputs = True  # whether the text looks like it; a run of a program without any can be followed exactly

    def define(self, name: str, definition: Definition) -> None:
        """As a linker does: a strong definition counts before weak ones, and there is at most one."""
        known = self.definitions.get(name)
        if known is None or known.strength < definition.strength:
            self.definitions[name] = definition
        elif known.strength is definition.strength is Strength.STRONG:
            raise BadInput(f"{definition.where}: multiple definition of {name}; first defined at {known.where}")

    def function(self, name: str) -> Function | None:
        """The function of that name that is not static, if it is defined."""
        found = self.definitions.get(name)
        return found.unit.defined(name) if found is not None and found.kind is SymbolKind.FUNCTION else None

    def variable(self, name: str) -> Variable | None:
        """The variable of that name that is not static, if it is defined."""
        found = self.definitions.get(name)
        return found.unit.exported(name) if found is not None and found.kind is SymbolKind.VARIABLE else None

    def before_entry(self) -> list[Function]:
        """Functions that are called before `main`: by their priorities, then in the order of the text."""
        return [function for _, function in sorted(self.constructors, key=lambda each: each[0])]

    def after_entry(self) -> list[Function]:
        """Functions that are called when `main` has returned or `exit` was called: the other way round."""
        return [function for _, function in sorted(self.destructors, key=lambda each: each[0])][::-1]

    def call_at_the_end(self, name: str) -> Function | None:
        """A function of the library is to be called before all destructors; None if it is to be already."""
        function = self.function(name)
        assert function is not None
        if any(known is function for _, known in self.destructors):
            return None
        self.destructors.append((max([_AFTER_ALL, *(priority for priority, _ in self.destructors)]), function))
        return function

    def is_of_library(self, name: str) -> bool:
        """Whether the library's definition of a function counts."""
        found = self.definitions.get(name)
        return found is not None and found.unit is self.library

    def body(self, function: Function) -> Node | None:
        """The function's body, read when first asked for."""
        if function.body is None:
            self.units[function.unit].read_body(function)
        if function.body is None and function.handled and self.library is not None:
            self.library.read_body(function)
        return function.body
