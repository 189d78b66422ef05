"""Refiners and engines of other packages, which name them as entry points:

    [project.entry-points."craton.refiners"]
    shortest = "my_package:Shortest"

The name is the word in expressions; what it stands for is a dataclass like those of Craton's own tables. Looking
through all installed packages takes a moment, so it is done when a name is not Craton's own, and for lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Any

from craton.errors import CratonError
from craton.registry.entries import Entry, at_home


class BadPlugin(CratonError):
    """An entry point that cannot be used, and why."""


@dataclass(frozen=True)
class Plugin(Entry):
    """What another package adds, checked when it is used."""

    group: Group
    package: str

    def imported(self) -> type[Any]:
        try:
            found = super().imported()
        except Exception as problem:  # whatever a foreign module does when it is imported
            raise self._bad(f"{type(problem).__name__}: {problem}") from problem
        contract: type[Any] = at_home(self.group.contract)
        if not (isinstance(found, type) and issubclass(found, contract) and is_dataclass(found)):
            raise self._bad(f"it is not a dataclass that extends craton.{contract.__name__}")
        if missing := getattr(found, "__abstractmethods__", None):
            raise self._bad(f"it does not define {', '.join(sorted(missing))}")
        if (word := getattr(found, "word", None)) != self.name:
            raise self._bad(f"its `word` is {word!r}, not the name of its entry point")
        return found

    @property
    def usage(self) -> str:
        return super().usage if self._problem is None else self.name

    @property
    def summary(self) -> str:
        """In lists, too, it is told if it cannot be used."""
        return f"{super().summary} (of the package {self.package})" if self._problem is None else str(self._problem)

    @property
    def _problem(self) -> BadPlugin | None:
        try:
            self.kind  # noqa: B018 - to know whether there is one
        except BadPlugin as problem:
            return problem
        return None

    def _bad(self, why: str) -> BadPlugin:
        return BadPlugin(f"{self.name} cannot be used: {why} ({self.home}, by the package {self.package})")


@dataclass(frozen=True, slots=True)
class Group:
    """A group of entry points, and the class ("module:class") that each of them extends."""

    name: str
    contract: str

    @property
    def plugins(self) -> Mapping[str, Plugin]:
        return _installed(self)


@cache
def _installed(group: Group) -> Mapping[str, Plugin]:
    """What packages add to a group; of two that claim one name none is right."""
    from importlib.metadata import entry_points

    found: dict[str, Plugin] = {}
    for point in entry_points(group=group.name):
        new = Plugin(point.name, point.value, group, "?" if point.dist is None else point.dist.name)
        other = found.setdefault(point.name, new)
        if other.home != new.home:
            raise BadPlugin(f"{point.name} is claimed by the packages {other.package} and {new.package}: remove one")
    return found
