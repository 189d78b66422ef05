"""The table of library functions: one record for each name, made when it is first asked for."""

from __future__ import annotations

from functools import cache

from craton.frontends.c.library import (  # noqa: F401  (they register their handlers)
    allocation,
    blocks,
    control,
    integers,
    intrinsics,
    math,
    strings,
    text,
    variadic,
)
from craton.frontends.c.library.contracts import ANY, DIRECT, INPUT, OPEN
from craton.frontends.c.library.fidelity import FIDELITY, Fidelity
from craton.frontends.c.library.functions import Model, records
from craton.frontends.c.library.intrinsics import any_value, input_value, open_value, refused
from craton.frontends.c.library.pointers import EFFECTS
from craton.frontends.c.library.records import HANDLERS, Handler, LibraryFunction
from craton.frontends.c.memory.effects import NONE, UNKNOWN, PointerEffects

# Functions that the C library defines and that are not inputs of a program: a compiled program calls the real ones.
MODELLED = frozenset(HANDLERS) | (frozenset(records()) - records().inputs)

NAMES = frozenset((*HANDLERS, *FIDELITY, *EFFECTS, *records()))  # of all that something is known of


@cache
def library_function(name: str) -> LibraryFunction:
    """The record of a function without a body; that of one of which nothing is known, if nobody knows it."""
    name = name.removeprefix(DIRECT)
    record = records().get(name)
    handler = HANDLERS.get(name) or _intrinsic(name)
    if record is not None and record.model is Model.UNMODELLED:
        handler = refused
    otherwise = Fidelity.UNKNOWN if handler is None else Fidelity.EXACT
    return LibraryFunction(
        name,
        records().get(name),
        handler,
        FIDELITY.get(name, otherwise),
        EFFECTS.get(name, UNKNOWN if handler is None else NONE),
    )


def _intrinsic(name: str) -> Handler | None:
    for prefix, handler in ((ANY, any_value), (OPEN, open_value), (INPUT, input_value)):
        if name.startswith(prefix):
            return handler
    return None


def is_modelled_by_handler(name: str) -> bool:
    return name in HANDLERS


def pointer_effects(name: str) -> PointerEffects:
    """What the function of that name does with pointers, known or not."""
    return library_function(name).pointers
