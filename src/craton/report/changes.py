"""What changed in a step of a way to an error, in as few words as a reader needs: elements of one array together
(`line = "abc"`, `a[0..5] = {1, 4, 9, 16, 25, 36}`), and of very many changes the first ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from craton.words import counted

_ELEMENT = re.compile(r"(.+)\[(\d+)\]")
_CHARACTER = re.compile(r"'(\\?.)'", re.DOTALL)
_FEWEST, _MOST = 3, 12  # elements that are told together, and of which all are told
_MOST_CHANGES = 8
_ZERO = "'\\0'"


def told_changes(step: Mapping[str, Any]) -> Iterator[str]:
    """What happened in a step of the way, as data has it."""
    changes = list(_folded(step))
    yield from changes[:_MOST_CHANGES]
    if len(changes) > _MOST_CHANGES:
        yield f"… {counted(len(changes) - _MOST_CHANGES, 'more change')}"
    for function, arguments in step["calls"].items():
        yield f"{function}({', '.join(f'{name} = {value}' for name, value in arguments.items())})"


def _folded(step: Mapping[str, Any]) -> Iterator[str]:
    arrays: dict[tuple[str, str], dict[int, str]] = {}
    for name, value in step["changes"].items():
        if found := _ELEMENT.fullmatch(name):
            arrays.setdefault((found[1], _mark(step, name)), {})[int(found[2])] = value
    for name, value in step["changes"].items():
        mark = _mark(step, name)
        found = _ELEMENT.fullmatch(name)
        elements = arrays.get((found[1], mark), {}) if found else {}
        if found and len(elements) >= _FEWEST and sorted(elements) == list(range(len(elements))):
            if int(found[2]) == next(iter(elements)):  # the others stand with the one that came first
                yield _together(found[1], [elements[index] for index in range(len(elements))]) + mark
        else:
            yield f"returns {value}" if name == "\\result" else f"{name} = {value}{mark}"


def _mark(step: Mapping[str, Any], name: str) -> str:
    if name in step["inputs"] or _ends_input(step, name):
        return " (input)"
    return " (unspecified)" if name in step["unspecified"] else ""


def _ends_input(step: Mapping[str, Any], name: str) -> bool:
    """Whether it is the zero behind a text that was read."""
    found = _ELEMENT.fullmatch(name)
    if found is None or step["changes"][name] != _ZERO:
        return False
    return f"{found[1]}[{int(found[2]) - 1}]" in step["inputs"]


def _together(array: str, values: Sequence[str]) -> str:
    """Elements from the first one on; characters up to a zero are a string."""
    if _ZERO in values:
        signs = [_CHARACTER.fullmatch(value) for value in values[: values.index(_ZERO)]]
        letters = [sign[1].replace('"', '\\"') for sign in signs if sign is not None]
        if len(letters) == len(signs):
            return f'{array} = "{"".join(letters)}"'
    shown = ", ".join([*values[:_MOST], "…"] if len(values) > _MOST else values)
    return f"{array}[0..{len(values) - 1}] = {{{shown}}}"
