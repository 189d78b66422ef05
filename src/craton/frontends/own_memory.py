"""How people call the memory that `--function` gives to pointers: by the pointers, `n->next->v` and `name[1]`, not by
the objects that the added `main` declares for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_OBJECT = r"craton_\w+"
_ADDRESS = re.compile(rf"&?({_OBJECT})")
_PART = re.compile(rf"({_OBJECT})((?:\.|\[).*)?", re.DOTALL)
_SPOKEN_OF = re.compile(rf"(&?)\b({_OBJECT})((?:\.\w+|\[\d+\])*)")
OWN_MEMORY, OWN_FUNCTION = "(memory of its own)", "(a function of its own)"


def told_by_pointers(way: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of a run; in the first one all is chosen. What no pointer leads to is left out there."""
    if not way or "changes" not in way[0]:
        return list(way)
    first, *others = way
    words = _Words(first["changes"])
    return [words.beginning(first), *map(words.step, others)]


def violated_by_pointers(chosen: Mapping[str, str], violated: dict[str, Any]) -> dict[str, Any]:
    """What fails, where these values were chosen before the call."""
    words = _Words(chosen)
    there = {
        called: OWN_MEMORY if _ADDRESS.fullmatch(value) else words.text(value)
        for name, value in violated.get("there", {}).items()
        if (called := words.part(name)) is not None
    }
    return {**violated, "there": there, "because": words.objects(violated.get("because", ""))}


class _Words:
    def __init__(self, chosen: Mapping[str, str]) -> None:
        self.pointers: dict[str, str] = {}  # what points to an object, as the added `main` calls it
        for name, value in chosen.items():
            if found := _ADDRESS.fullmatch(value):
                self.pointers.setdefault(found[1], name)
        self.filled = {found[1] for name in chosen if (found := _PART.fullmatch(name))}

    def beginning(self, step: dict[str, Any]) -> dict[str, Any]:
        changes = {}
        for name, value in step["changes"].items():
            called = self.part(name)
            if called is not None:
                found = _ADDRESS.fullmatch(value)
                own = OWN_MEMORY if found and found[1] in self.filled else OWN_FUNCTION
                changes[called] = own if found else self.text(value)
        inputs = [called for name in step["inputs"] if (called := self.part(name)) is not None]
        arguments = {name: value for name, value in changes.items() if name.isidentifier()}  # they come first
        return {**step, "changes": {**arguments, **changes}, "inputs": sorted(inputs)}

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        if "changes" not in step:
            return step
        return {
            **step,
            "changes": {self.part(name) or name: self.text(value) for name, value in step["changes"].items()},
            **{kind: sorted(self.part(name) or name for name in step[kind]) for kind in ("inputs", "unspecified")},
            "calls": {
                self.pointer(function) or function: {name: self.text(value) for name, value in given.items()}
                for function, given in step["calls"].items()
            },
        }

    def part(self, name: str) -> str | None:
        """What may stand left of an assignment; None if it is a part of an object that nobody points to."""
        found = _PART.fullmatch(name)
        if found is None:
            return name
        pointer = self.pointer(found[1])
        if pointer is None:
            return None
        path = found[2] or ""
        if path.startswith("."):
            return f"{pointer}->{path[1:]}"
        if path:
            return f"({pointer}){path}" if pointer.startswith("*") else f"{pointer}{path}"
        return f"*{pointer}"

    def pointer(self, of: str) -> str | None:
        name = self.pointers.get(of)
        return None if name is None else self.part(name)

    def objects(self, sentence: str) -> str:
        """A sentence that speaks of whole objects."""
        pointers = {of: self.pointer(of) for of in self.pointers}
        called = {of: f"what {pointer} points to" for of, pointer in pointers.items() if pointer is not None}
        return re.sub(rf"\b{_OBJECT}", lambda match: called.get(match.group(), match.group()), sentence)

    def text(self, value: str) -> str:
        return _SPOKEN_OF.sub(self._replaced, value)

    def _replaced(self, match: re.Match[str]) -> str:
        sign, of, path = match.groups()
        called = self.part(of + path) if path else self.pointer(of)
        return match.group() if called is None else sign + called if path else called
