"""Something that a user can write, described from its dataclass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from craton.registry.options import Keyed, Option, Setting, Several, Words, settings


def at_home(home: str) -> Any:
    """What stands at "module:name"."""
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)


@dataclass(frozen=True)
class Entry:
    """Something that a user can write: its name and its dataclass, which is imported on first use."""

    name: str
    home: str  # "module:class"

    @cached_property
    def kind(self) -> type[Any]:
        return self.imported()

    def imported(self) -> type[Any]:
        found: type[Any] = at_home(self.home)
        return found

    @property
    def settings(self) -> list[Setting]:
        return list(settings(self.kind))

    @property
    def usage(self) -> str:
        options = [setting.option.usage for setting in self.settings]
        return f"{self.name}({', '.join(_merged(self.settings))})" if options else self.name

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring, as shown to users."""
        text = " ".join((self.kind.__doc__ or "").split("\n\n")[0].split()).removesuffix(".")
        return text[:1].lower() + text[1:] if text[1:2].islower() else text

    @property
    def words(self) -> list[str]:
        """What may be written in the parentheses, keys without their values: for completion and for tests."""
        found: list[str] = []
        for setting in self.settings:
            match setting.option:
                case Words() as words:
                    found += words.choices()
                case Keyed(key):
                    found.append(key)
                case Several() as several:
                    found += several.words()
        return found


def _merged(settings_: list[Setting]) -> Iterator[str]:
    """Words and the key for the same field are alternatives: lbe|chains|sbe|blocks=N."""
    for number, setting in enumerate(settings_):
        before = settings_[number - 1] if number else None
        after = settings_[number + 1] if number + 1 < len(settings_) else None
        if after is not None and after.field == setting.field and not refines(after.option):
            yield f"{setting.option.usage}|{after.option.usage}"
        elif before is None or before.field != setting.field or refines(setting.option):
            yield setting.option.usage


def refines(option: Option) -> bool:
    return isinstance(option, Keyed) and option.refines
