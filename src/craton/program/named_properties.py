"""Properties by name, for those who have no property file: `reach`, `memsafety`, `overflow`, `div-by-zero`,
`memcleanup`; the names that verdicts have (`unreach-call`, `no-overflow`, `valid-deref`, …) are understood, too.
"""

from __future__ import annotations

from craton.program.specification import DEFAULT, Check, Specification

_NAMED = {
    "reach": DEFAULT,
    "memsafety": Specification(deref=True, free=True, memtrack=True),
    "overflow": Specification(overflow=True),
    "div-by-zero": Specification(division=True),
    "memcleanup": Specification(memcleanup=True),
}
_OF_VERDICTS = {
    "valid-deref": Specification(deref=True),
    "valid-free": Specification(free=True),
    "valid-memtrack": Specification(memtrack=True),
}
_ALL = ("reach", "memsafety", "overflow", "div-by-zero")
_ALSO = {
    "unreach-call": "reach",
    "valid-memsafety": "memsafety",
    "no-overflow": "overflow",
    "no-div-by-zero": "div-by-zero",
    "valid-memcleanup": "memcleanup",
}
NAMES = (*_NAMED, "all")


def named_checks(text: str) -> tuple[Check, ...] | None:
    """The properties that names stand for, each once; None if the text is not a list of names."""
    found: dict[str, Check] = {}
    for word in text.split(","):
        name = _ALSO.get(word.strip(), word.strip())
        for one in _ALL if name == "all" else (name,):
            specification = _NAMED.get(one) or _OF_VERDICTS.get(one)
            if specification is None:
                return None
            found.setdefault(one, Check(one, "main", 0, specification))
    return tuple(found.values())
