"""The library as units of C text that a program is linked with: `syntax.program.Library`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from craton.frontends.c.library.contracts import contract_text
from craton.frontends.c.library.functions import Model, records
from craton.frontends.c.library.table import is_modelled_by_handler

_BODIES = Path(__file__).parent / "bodies"
_BUILTIN = "__builtin_"
_AT_CALLS = (Model.HANDLER, Model.UNMODELLED)  # lowered where they are called by name, without any text
# Names under which the C library has a function besides its own.
_ALIASES = {
    "__strdup": "strdup",
    "__strtok_r": "strtok_r",
    "__stpcpy": "stpcpy",
    "__mempcpy": "mempcpy",
    "_IO_getc": "getc",
    "_IO_putc": "putc",
    "__xpg_strerror_r": "strerror_r",
    "__isoc23_strtol": "strtol",
    "__isoc23_strtoll": "strtoll",
    "__isoc23_strtoul": "strtoul",
    "__isoc23_strtoull": "strtoull",
}
_EXACT = "__craton_exact_"
_PRINTS = frozenset({"printf", "fprintf", "vprintf", "vfprintf"})
_WRITES = frozenset({"sprintf", "snprintf", "vsprintf", "vsnprintf"})


class LinkedLibrary:
    """Bodies where there are some, contracts for the rest."""

    def names(self) -> frozenset[str]:
        return _names()

    def spelled(self, name: str) -> str:
        if name in _ALIASES:
            return _ALIASES[name]
        return name.removeprefix(_BUILTIN)

    def is_handled(self, name: str) -> bool:
        known = records().get(name)
        return known is not None and known.model in _AT_CALLS

    def exact(self, name: str, *, result_matters: bool) -> str | None:
        meant = name.removeprefix(_BUILTIN)
        return _EXACT + meant if meant in _WRITES or (result_matters and meant in _PRINTS) else None

    def text_of(self, name: str) -> tuple[str, str]:
        record = records()[name]
        prelude = _text("prelude.h")
        if record.model is Model.BODY:
            return f"craton-library/{record.body}.c", prelude + _text(f"{record.body}.c")
        return f"craton-library/{name}.c", prelude + contract_text(record)


@cache
def _names() -> frozenset[str]:
    known = [name for name, record in records().items() if record.model not in _AT_CALLS]
    aliases = (alias for alias, name in _ALIASES.items() if name in known)
    builtins = (f"{_BUILTIN}{name}" for name in known if not is_modelled_by_handler(f"{_BUILTIN}{name}"))
    return frozenset((*known, *builtins, *aliases))


@cache
def _text(name: str) -> str:
    return (_BODIES / name).read_text(encoding="utf-8")
