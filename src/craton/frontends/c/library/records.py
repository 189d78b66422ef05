"""What is known about a library function, and how modules say that they model some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from craton.frontends.c.automaton.lvalue import Value
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.fidelity import Fidelity
from craton.frontends.c.library.functions import Record
from craton.frontends.c.memory.effects import PointerEffects
from craton.frontends.c.syntax.nodes import Node

# A handler gets the lowering, the call and its arguments; it returns the value, `()` for void, or None to be treated as
# unknown.
Handler = Callable[[Lowering, Node, tuple[Node, ...]], Value | None]


@dataclass(frozen=True, eq=False)
class LibraryFunction:
    """A function without a body that Craton knows."""

    name: str
    record: Record | None  # what C and POSIX say of it
    handler: Handler | None  # how a call is lowered; None: like one of an unknown function
    fidelity: Fidelity  # how close that comes to what C says
    pointers: PointerEffects  # what the points-to analysis has to know


HANDLERS: dict[str, Handler] = {}  # filled when the modules of handlers are imported, by `table`


def models(names: str) -> Callable[[Handler], Handler]:
    """Registers a handler under names and their `__builtin_` forms."""

    def register(handler: Handler) -> Handler:
        for name in names.split():
            HANDLERS[name] = handler
            HANDLERS.setdefault(f"__builtin_{name}", handler)
        return handler

    return register


def only(names: str) -> Callable[[Handler], Handler]:
    """Registers a handler under these names, as they are spelled."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names.split(), handler))
        return handler

    return register


def builtins(names: str) -> Callable[[Handler], Handler]:
    """Registers a handler under the `__builtin_` forms only."""
    return only(" ".join(f"__builtin_{name}" for name in names.split()))
