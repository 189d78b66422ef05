"""When objects in memory live in a run, and so what is wrong with an access of memory: it was freed, its function has
returned, the object is smaller, there is none.

Objects have numbers where memory safety is checked (`frontends/c/memory/layout`): an address is a number and an offset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from craton.program.storage import Elements, StoredObject, literal
from craton.report.values import Values
from craton.words import counted

_Place = tuple[str, int]  # file and line
_MOST_LOST = 3  # blocks that are named


@dataclass(slots=True)
class _Life:
    """Of an object: its size, and where in the text it began and ended."""

    size: int
    began: _Place | None
    ended: _Place | None = None
    over: bool = False


class Lives:
    """The lives of the objects of a run, up to where it has come."""

    def __init__(self, texts: Values) -> None:
        self._texts = texts
        self._bits = texts.storage.offset_bits
        self._lives: dict[int, _Life] = {}  # the last one of each number

    def change(self, sizes: Any, where: _Place | None) -> None:
        """The table of sizes has changed, by a statement at this place."""
        for number, entry in sizes.entries.items():
            known = self._lives.get(number)
            if known is None or known.over or known.size != entry - 1:
                self._lives[number] = _Life(entry - 1, where)
        for number, life in self._lives.items():
            if not life.over and not sizes.get(number):
                life.over, life.ended = True, where

    def wrong(self, address: int, size: int | None, *, freeing: bool) -> str:
        """What is wrong with an access of so many bytes, or with freeing what lies there; "" if nobody knows."""
        number, offset = self._object(address)
        if not number:
            known, _ = self._texts.object_at(address)
            return _through_null(offset) if known is None or size else f"the pointer is to the function {known.name}"
        life = self._lives.get(number)
        if life is None:
            return f"{hex(address)} is the address of no object: the pointer has not been set, or is from a number"
        name = self._name(number)
        told = f"{name} ({self._about(number, life)})"
        allocated = number in self._texts.storage.blocks
        if life.over:
            at = "" if life.ended is None else f" at {_text(life.ended)}"
            return f"{told} was freed{at}" if allocated else f"{told} lives no more: its function was left{at}"
        if freeing and not allocated:
            return f"{name} was not allocated"
        if freeing:
            beside = f"{counted(abs(offset), 'byte')} {'before' if offset < 0 else 'behind'} it"
            return f"the pointer is not to the beginning of {told}, but {beside}"
        if offset < 0 or offset + (size or 1) > life.size:
            part = counted(size or 1, "byte") + (" lies" if (size or 1) == 1 else " lie")
            return f"{part} {_where(offset, life)} {told}"
        known, _ = self._texts.object_at(address)
        return "string literals must not be written" if known is not None and known.text is not None else ""

    def lost(self) -> str:
        """Which allocated blocks still live."""
        blocks = self._texts.storage.blocks
        lost = [number for number, one in self._lives.items() if not one.over and number in blocks]
        named = [f"{self._name(number)} ({self._about(number, self._lives[number])})" for number in lost[:_MOST_LOST]]
        if len(lost) > _MOST_LOST:
            named.append(counted(len(lost) - _MOST_LOST, "more block"))
        if len(named) > 1:
            named = [", ".join(named[:-1]), named[-1]]
        return f"{' and '.join(named)} {'are' if len(lost) > 1 else 'is'} never freed" if lost else ""

    def _object(self, address: int) -> tuple[int, int]:
        """Whose part of the addresses it is: what lies shortly before an object belongs to it, too."""
        number, offset = address >> self._bits, address & ((1 << self._bits) - 1)
        return (number + 1, offset - (1 << self._bits)) if offset >> (self._bits - 1) else (number, offset)

    def _name(self, number: int) -> str:
        known, begin = self._known(number), number << self._bits
        if known is None:
            return self._texts.pointer(begin)
        return literal(known.text) if known.text is not None else known.name

    def _known(self, number: int) -> StoredObject | None:
        begin = number << self._bits
        known = next((one for one in self._texts.storage.objects if one.address == begin), None)
        return known or self._texts.moved.get(begin)

    def _about(self, number: int, life: _Life) -> str:
        """How large it is, and where it was allocated."""
        known = self._known(number)
        if number in self._texts.storage.blocks and life.began is not None:
            return f"{counted(life.size, 'byte')}, allocated at {_text(life.began)}"
        if known is not None and isinstance(known.shape, Elements):
            return f"{counted(known.shape.count, 'element')}, {counted(life.size, 'byte')}"
        return counted(life.size, "byte")


def _through_null(offset: int) -> str:
    return "the pointer is NULL" + (f" (and what is meant {counted(offset, 'byte')} behind it)" if offset else "")


def _text(place: _Place) -> str:
    return f"{place[0]}:{place[1]}"


def _where(offset: int, life: _Life) -> str:
    if offset < 0:
        return f"{counted(-offset, 'byte')} before the beginning of"
    at = "at" if offset >= life.size else "from"
    return f"{at} offset {offset}, beyond the end of"
