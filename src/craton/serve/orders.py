"""What the page asks for, checked: nothing but the fields of an order, each of its kind and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from craton.errors import CratonError
from craton.library.subject import SUFFIXES

LONGEST_SOURCE = 200_000  # characters
_LONGEST_WORD = 2_000
_LANGUAGES = ("c", "boogie")
_ENCODINGS = ("", "bv", "int", "ideal")
_DATA_MODELS = ("", "ILP32", "LP64")
PROPERTIES = ("reach", "memsafety", "overflow", "div-by-zero", "memcleanup")


class BadOrder(CratonError):
    """An order that makes no sense."""


@dataclass(frozen=True, slots=True)
class Order:
    """A program and how it is to be verified. It names no files: there is nothing here that could lead to one."""

    source: str
    language: str = "c"
    property: str = "reach"
    engine: str = ""  # "": the usual stages
    refine: str = ""
    encoding: str = ""
    data_model: str = ""
    time_limit: float = 30.0

    @classmethod
    def of(cls, content: Any, most_seconds: float) -> Order:
        if not isinstance(content, Mapping) or not set(content) <= {one.name for one in fields(cls)}:
            raise BadOrder("an order has a source, and perhaps how to verify it")
        seconds = content.get("time_limit", 30.0)
        texts = {name: value for name, value in content.items() if name != "time_limit"}
        if not all(isinstance(value, str) for value in texts.values()) or isinstance(seconds, bool):
            raise BadOrder("what an order says is text, and its time a number")
        if not isinstance(seconds, int | float) or not 0 < seconds <= most_seconds:
            raise BadOrder(f"the time has to be between 0 and {most_seconds:g} seconds")
        order = cls(**{"source": "", **texts}, time_limit=float(seconds))
        order._check()
        return order

    def _check(self) -> None:
        if not self.source.strip():
            raise BadOrder("there is no program")
        if len(self.source) > LONGEST_SOURCE:
            raise BadOrder(f"the program is longer than {LONGEST_SOURCE} characters")
        if any(len(word) > _LONGEST_WORD for word in (self.engine, self.refine)):
            raise BadOrder("the expression is too long")
        named = {"language": _LANGUAGES, "property": PROPERTIES, "encoding": _ENCODINGS, "data_model": _DATA_MODELS}
        for name, known in named.items():
            if getattr(self, name) not in known:
                raise BadOrder(f"{name} has to be one of {', '.join(filter(None, known))}")
        assert self.language in SUFFIXES

    def data(self) -> dict[str, Any]:
        return asdict(self)
