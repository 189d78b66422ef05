"""The table of library functions: one record for each name, made when it is first asked for."""

from __future__ import annotations

from functools import cache

from craton.frontends.c.library import (  # noqa: F401  (they register their handlers)
    allocation,
    blocks,
    control,
    integers,
    math,
    strings,
    text,
    variadic,
)
from craton.frontends.c.library.fidelity import FIDELITY, Fidelity
from craton.frontends.c.library.pointers import EFFECTS
from craton.frontends.c.library.records import HANDLERS, LibraryFunction
from craton.frontends.c.memory.effects import UNKNOWN, PointerEffects

MODELLED = frozenset(HANDLERS)
UNMODELLED = frozenset(name for name, known in FIDELITY.items() if known is Fidelity.UNMODELLED)
NAMES = frozenset((*HANDLERS, *FIDELITY, *EFFECTS))


@cache
def library_function(name: str) -> LibraryFunction:
    """The record of a function without a body; that of one of which nothing is known, if it is not in `NAMES`."""
    handler = HANDLERS.get(name)
    otherwise = Fidelity.UNKNOWN if handler is None else Fidelity.EXACT
    return LibraryFunction(name, handler, FIDELITY.get(name, otherwise), EFFECTS.get(name, UNKNOWN))


def pointer_effects(name: str) -> PointerEffects:
    """What the function of that name does with pointers, known or not."""
    return library_function(name).pointers
