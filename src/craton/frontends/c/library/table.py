"""The table of library functions: one record for each name of which something is known."""

from __future__ import annotations

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


def _record(name: str) -> LibraryFunction:
    handler = HANDLERS.get(name)
    otherwise = Fidelity.UNKNOWN if handler is None else Fidelity.EXACT
    return LibraryFunction(name, handler, FIDELITY.get(name, otherwise), EFFECTS.get(name, UNKNOWN))


FUNCTIONS: dict[str, LibraryFunction] = {
    name: _record(name) for name in dict.fromkeys((*HANDLERS, *FIDELITY, *EFFECTS))
}
MODELLED = frozenset(name for name, known in FUNCTIONS.items() if known.handler is not None)
UNMODELLED = frozenset(name for name, known in FUNCTIONS.items() if known.fidelity is Fidelity.UNMODELLED)


def pointer_effects(name: str) -> PointerEffects:
    """What the function of that name does with pointers, known or not."""
    known = FUNCTIONS.get(name)
    return UNKNOWN if known is None else known.pointers
