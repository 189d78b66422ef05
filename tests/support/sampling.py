"""Samples of cases, by their names: who adds, moves or removes a case leaves (nearly) all others where they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar


class Case(Protocol):
    """Its text is its name."""

    @property
    def theory(self) -> str: ...


C = TypeVar("C", bound=Case)
T = TypeVar("T")


def has_turn(one_in: int, *names: object) -> bool:
    """Whether the case of this name is among the sample of about one in so many."""
    return _chance(*names) < 1 / one_in


def sample(cases: Iterable[C], one_in: int, purpose: str) -> list[C]:
    """About one in so many cases, of each theory. Another purpose has another sample."""
    theories: dict[str, list[C]] = {}
    for case in cases:
        theories.setdefault(case.theory, []).append(case)
    found: list[C] = []
    for theory, members in theories.items():
        drawn = sorted(members, key=lambda case: _chance(purpose, case))
        whole, rest = divmod(len(members), one_in)
        found += drawn[: whole + (_chance(purpose, theory) < rest / one_in)]
    assert found, f"no case is in the sample for {purpose}"
    return found


def pick(options: Sequence[T], *names: object) -> T:
    """The option for a case of this name."""
    return options[int(_chance(*names) * len(options))]


def _chance(*names: object) -> float:
    """At least 0 and less than 1, and always the same for the same names."""
    digest = hashlib.sha256("\n".join(map(str, names)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
