"""A program of several files, linked by name, whoever reads the files."""

from __future__ import annotations

from typing import Protocol

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

    def source_range(self, extent: Extent) -> SourceRange | None:
        """Where a node of this unit stands in the text."""


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


class LinkedUnits(Protocol):
    """A library that a program is linked with."""

    def is_handled(self, name: str) -> bool:
        """Whether calls by that name are lowered without a text."""

    def read_body(self, function: Function) -> None:
        """Fills in what such a function does when it is called through a pointer."""


class Program:
    """All translation units."""

    def __init__(self) -> None:
        self.definitions: dict[str, TranslationUnit] = {}  # which unit defines a function that all can call
        self.globals: dict[str, Variable] = {}
        self.units: list[TranslationUnit] = []
        self.library: LinkedUnits | None = None

    def function(self, name: str) -> Function | None:
        """The function of that name that is not static, if it is defined."""
        unit = self.definitions.get(name)
        return unit.defined(name) if unit is not None else None

    def body(self, function: Function) -> Node | None:
        """The function's body, read when first asked for."""
        if function.body is None:
            self.units[function.unit].read_body(function)
        if function.body is None and function.handled and self.library is not None:
            self.library.read_body(function)
        return function.body
