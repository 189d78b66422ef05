"""What the constraints of the points-to analysis ask each other: the contract between its parts."""

from __future__ import annotations

from typing import Protocol

from craton.frontends.c.memory.places import Place, Places
from craton.frontends.c.syntax.nodes import Function, Node, Variable
from craton.frontends.c.syntax.types import CType


class Pointers(Protocol):
    """Places of what has a name, and of expressions as far as they are known; asking for one adds its constraints."""

    @property
    def places(self) -> Places: ...

    def of_variable(self, variable: Variable) -> Place: ...

    def of_return(self, function: Function) -> Place: ...

    def of_variadic(self, function: Function) -> Place:
        """The area where a variadic function's extra arguments stand."""

    def of_value(self, node: Node) -> Place | None:
        """The place a value points to; None if it is no pointer."""

    def pointed(self, node: Node) -> Place:
        """The place a pointer value points to; one of its own if nothing is known."""

    def contents(self, node: Node) -> Place:
        """A place that holds a struct value."""

    def va_cursor(self, node: Node) -> Place:
        """The place of the pointer inside a va_list."""

    def flow(self, target: Place, source: Place | None, t: CType) -> None:
        """A value of type `t` comes to stand where another points to `target`."""

    def is_tracked(self, t: CType) -> bool:
        """Whether values of that type may be pointers."""
