"""Specifications: what must hold, as property files say it.

A property file has lines `CHECK( init(main()), LTL(G ! call(reach_error())) )`; each names the entry function and one
property. Each property has a verdict of its own; only those of memory safety (valid-deref, valid-free, valid-memtrack)
are parts of one, since a run that does one of these things has no meaning for the others. Without a file, the default
specification holds: no error function is called, no assertion fails, no label ERROR is reached.

Division by zero is a property of its own, `G ! div-by-zero`. For all others a run ends where it divides an integer by
zero: what it would do then is not defined by C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from craton.errors import CratonError
from craton.program.cfa import DEREF, DIVISION, FREE, MEMCLEANUP, MEMTRACK, OVERFLOW, UNREACH, Property


class SpecificationError(CratonError):
    """A property file that is missing, is none, or contradicts itself."""


class UnsupportedProperty(SpecificationError):
    """A property that Craton does not check."""

    exit_code = 3  # nothing is wrong with the file: the answer is unknown


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
    division: bool = False  # of an integer by zero

    @property
    def memory(self) -> bool:
        """Whether allocation has to be tracked."""
        return self.deref or self.free or self.memtrack or self.memcleanup

    @property
    def reachability(self) -> bool:
        return bool(self.error_functions or self.assertions or self.labels)

    @property
    def reachability_only(self) -> bool:
        return self.reachability and not (self.memory or self.overflow or self.termination or self.division)

    @property
    def properties(self) -> tuple[Property, ...]:
        """What must not happen, in the words of result files."""
        asked = (
            (self.reachability, UNREACH),
            (self.overflow, OVERFLOW),
            (self.division, DIVISION),
            (self.deref, DEREF),
            (self.free, FREE),
            (self.memtrack, MEMTRACK),
            (self.memcleanup, MEMCLEANUP),
        )
        return tuple(one for wanted, one in asked if wanted)

    def forbids_call(self, name: str) -> bool:
        """Whether a call of this function, by name or through a pointer, is an error; a compiler's `__builtin_` form
        of a function is a call of it.
        """
        return bool(self.error_functions) and name.removeprefix("__builtin_") in self.error_functions


DEFAULT = Specification(error_functions=("reach_error", "__VERIFIER_error"), assertions=True, labels=("ERROR",))

# What a failing assert calls, in one C library or another.
ASSERTION_FAILURES = frozenset("__assert_fail __assert __assert_rtn _assert __assert_func __assert_perror_fail".split())

_CHECK = re.compile(r"CHECK\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((.*)\)\s*\)\s*$")
_COVER = re.compile(r"COVER\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*(.*)\)\s*$")
_CALL = re.compile(r"G\s*!\s*call\s*\(\s*(\w+)\s*\(\s*\)\s*\)$")
_LABEL = re.compile(r"G\s*!\s*label\s*\(\s*(\w+)\s*\)$")
_KNOWN = {
    "G!overflow": "overflow",
    "Gvalid-deref": "deref",
    "Gvalid-free": "free",
    "Gvalid-memtrack": "memtrack",
    "Gvalid-memcleanup": "memcleanup",
    "Fend": "termination",
    "G!div-by-zero": "division",
}


@dataclass(frozen=True, slots=True)
class Check:
    """A property of a file: its formula as the file has it, and what that means; None if Craton does not know."""

    formula: str
    entry: str
    line: int
    specification: Specification | None

    @property
    def is_supported(self) -> bool:
        return self.specification is not None and not self.specification.termination


def parse_checks(text: str, name: str = "property file") -> tuple[Check, ...]:
    """The properties of a file, in order; what stands there twice counts once, and memory safety is one of them."""
    found: dict[tuple[str, str], Check] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith(("#", "//")):
            continue
        match = _CHECK.match(line) or _COVER.match(line)
        if match is None:
            raise SpecificationError(f"{name}:{number}: expected `CHECK( init(main()), LTL(…) )`, found `{line}`")
        entry, formula = match.group(1), " ".join(match.group(2).split())
        meaning = _meaning(entry, formula) if _CHECK.match(line) else None
        key = (entry, "memory safety" if meaning is not None and _is_memory_safety(meaning) else formula)
        earlier = found.get(key)
        if earlier is None:
            found[key] = Check(formula, entry, number, meaning)
        elif earlier.specification is not None and meaning is not None and formula not in earlier.formula.split(", "):
            both = conjunction((earlier.specification, meaning))
            found[key] = Check(f"{earlier.formula}, {formula}", entry, earlier.line, both)
    if not found:
        raise SpecificationError(f"{name}: no CHECK line")
    return tuple(found.values())


def _meaning(entry: str, formula: str) -> Specification | None:
    call, label = _CALL.match(formula), _LABEL.match(formula)
    if call is not None:
        return Specification(entry=entry, error_functions=(call.group(1),))
    if label is not None:
        return Specification(entry=entry, labels=(label.group(1),))
    flag = _KNOWN.get(re.sub(r"\s+", "", formula))
    return None if flag is None else Specification(entry=entry, **{flag: True})  # type: ignore[arg-type]


def _is_memory_safety(specification: Specification) -> bool:
    return specification.deref or specification.free or specification.memtrack


def conjunction(parts: Sequence[Specification]) -> Specification:
    """All of them at once; they start at the same function."""
    functions = tuple(dict.fromkeys(name for part in parts for name in part.error_functions))
    labels = tuple(dict.fromkeys(name for part in parts for name in part.labels))
    flags = [f.name for f in fields(Specification) if f.name not in ("entry", "error_functions", "labels")]
    together = {name: any(getattr(part, name) for part in parts) for name in flags}
    return Specification(parts[0].entry, functions, labels=labels, **together)


def parse_specification(text: str, name: str = "property file", only: str | None = None) -> Specification:
    """All properties of a file at once, or the one with this formula."""
    checks = [check for check in parse_checks(text, name) if only is None or check.formula == only]
    if not checks:
        raise SpecificationError(f"{name}: there is no property `{only}`")
    parts: list[Specification] = []
    for check in checks:
        if check.specification is None:
            raise UnsupportedProperty(f"{name}:{check.line}: property `{check.formula}` is not supported")
        if check.entry != checks[0].entry:
            raise SpecificationError(
                f"{name}:{check.line}: init({check.entry}()) contradicts init({checks[0].entry}()) in line"
                f" {checks[0].line}: a program starts at one function"
            )
        parts.append(check.specification)
    return conjunction(parts)


def read_specification(path: Path, only: str | None = None) -> Specification:
    return parse_specification(_text(path), str(path), only)


def read_checks(path: Path) -> tuple[Check, ...]:
    return parse_checks(_text(path), str(path))


def property_text(specification: Specification) -> str:
    """As property files say it; of error functions the first stands for all."""
    formulas = [f"G ! call({name}())" for name in specification.error_functions[:1]]
    for flag, formula in (
        (specification.overflow, "G ! overflow"),
        (specification.division, "G ! div-by-zero"),
        (specification.deref, "G valid-deref"),
        (specification.free, "G valid-free"),
        (specification.memtrack, "G valid-memtrack"),
        (specification.memcleanup, "G valid-memcleanup"),
    ):
        formulas += [formula] if flag else []
    return "\n".join(f"CHECK( init({specification.entry}()), LTL({formula}) )" for formula in formulas)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        told = getattr(problem, "strerror", None) or "it is no text"
        raise SpecificationError(f"cannot read property file {path}: {told}") from problem
