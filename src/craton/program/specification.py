"""Specifications: what must hold, as property files say it.

A property file has lines `CHECK( init(main()), LTL(G ! call(reach_error())) )`; each names the entry function and one
property. Without a file, the default specification holds: no error function is called, no assertion fails, no label
ERROR is reached.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from craton.errors import CratonError


class SpecificationError(CratonError):
    """A property file that is missing or says something Craton does not know."""


@dataclass(frozen=True, slots=True)
class Specification:
    """Which violations become error locations."""

    entry: str = "main"
    error_functions: tuple[str, ...] = ()
    assertions: bool = False  # a failing assert is an error
    labels: tuple[str, ...] = ()
    overflow: bool = False
    deref: bool = False
    free: bool = False
    memtrack: bool = False
    memcleanup: bool = False
    termination: bool = False

    @property
    def memory(self) -> bool:
        """Whether allocation has to be tracked."""
        return self.deref or self.free or self.memtrack or self.memcleanup

    @property
    def reachability(self) -> bool:
        return bool(self.error_functions or self.assertions or self.labels)


DEFAULT = Specification(error_functions=("reach_error", "__VERIFIER_error"), assertions=True, labels=("ERROR",))

_CHECK = re.compile(r"CHECK\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((.*)\)\s*\)\s*$")
_CALL = re.compile(r"G\s*!\s*call\s*\(\s*(\w+)\s*\(\s*\)\s*\)$")
_KNOWN = {
    "G!overflow": "overflow",
    "Gvalid-deref": "deref",
    "Gvalid-free": "free",
    "Gvalid-memtrack": "memtrack",
    "Gvalid-memcleanup": "memcleanup",
    "Fend": "termination",
}


def parse_specification(text: str, name: str = "property file") -> Specification:
    entry = "main"
    functions: list[str] = []
    flags: dict[str, bool] = {}
    checks = 0
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith(("#", "//")):
            continue
        match = _CHECK.match(line)
        if match is None:
            raise SpecificationError(f"{name}:{number}: expected `CHECK( init(main()), LTL(…) )`, found `{line}`")
        checks += 1
        entry = match.group(1)
        formula = match.group(2).strip()
        call = _CALL.match(formula)
        if call is not None:
            functions.append(call.group(1))
            continue
        flag = _KNOWN.get(re.sub(r"\s+", "", formula))
        if flag is None:
            raise SpecificationError(f"{name}:{number}: property `{formula}` is not supported")
        flags[flag] = True
    if not checks:
        raise SpecificationError(f"{name}: no CHECK line")
    return Specification(entry=entry, error_functions=tuple(functions), **flags)  # type: ignore[arg-type]


def read_specification(path: Path) -> Specification:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise SpecificationError(f"cannot read property file {path}: {problem}") from problem
    return parse_specification(text, str(path))
