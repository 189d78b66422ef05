"""Object files and programs of Linux on x86, as far as a replay has to know them: which names they define and need,
and where the code of a function lies in the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

_SYMBOLS, _RELOCATIONS = 2, (4, 9)  # types of sections
_FUNCTION = 2  # type of a symbol
_CALLS = {3: (2, 4), 62: (4,)}  # relocations of calls, by machine: relative to the place, or to a table of calls
_JUMP = 5  # bytes of a jump


class Binding(IntEnum):
    LOCAL = 0
    GLOBAL = 1
    WEAK = 2


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name; where it is defined nowhere, its section is 0."""

    name: str
    value: int
    size: int
    binding: int
    is_function: bool
    section: int

    @property
    def is_defined(self) -> bool:
        return self.section != 0

    @property
    def is_needed(self) -> bool:
        """Whether somebody else must define it: a weak name that nobody defines is null."""
        return not self.is_defined and self.binding == Binding.GLOBAL and bool(self.name)


@dataclass(frozen=True, slots=True)
class _Section:
    type: int
    address: int
    offset: int
    size: int
    link: int
    entry: int


class Elf:
    """A file that a compiler or a linker has made."""

    def __init__(self, data: bytes) -> None:
        if data[:4] != b"\x7fELF" or data[5] != 1:
            raise ValueError("not an ELF file for little-endian machines")
        self.data = data
        self._wide = data[4] == 2
        self._machine = struct.unpack_from("<H", data, 18)[0]
        self._sections = list(self._read_sections())
        self.symbols = tuple(self._read_symbols())

    @classmethod
    def read(cls, path: Path) -> Elf:
        return cls(path.read_bytes())

    def _read_sections(self) -> Iterator[_Section]:
        begin = struct.unpack_from("<Q" if self._wide else "<I", self.data, 40 if self._wide else 32)[0]
        size, count = struct.unpack_from("<HH", self.data, 58 if self._wide else 46)
        for number in range(count):
            fields = struct.unpack_from("<IIQQQQIIQQ" if self._wide else "<10I", self.data, begin + number * size)
            yield _Section(fields[1], fields[3], fields[4], fields[5], fields[6], fields[9])

    def _read_symbols(self) -> Iterator[Symbol]:
        for section in self._sections:
            if section.type == _SYMBOLS:
                names = self._sections[section.link].offset
                for at in range(section.offset, section.offset + section.size, section.entry):
                    yield self._symbol(at, names)

    def _symbol(self, at: int, names: int) -> Symbol:
        if self._wide:
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
        else:
            name, value, size, info, _, section = struct.unpack_from("<IIIBBH", self.data, at)
        end = self.data.index(b"\0", names + name)
        text = self.data[names + name : end].decode("latin-1")
        return Symbol(text, value, size, info >> 4, info & 15 == _FUNCTION, section)

    def only_called(self) -> frozenset[str]:
        """Names that nothing but calls refer to: surely functions."""
        called: set[int] = set()
        others: set[int] = set()
        for section in self._sections:
            if section.type in _RELOCATIONS:
                for at in range(section.offset, section.offset + section.size, section.entry):
                    info = struct.unpack_from("<Q" if self._wide else "<I", self.data, at + (8 if self._wide else 4))[0]
                    symbol, kind = (info >> 32, info & 0xFFFFFFFF) if self._wide else (info >> 8, info & 0xFF)
                    (called if kind in _CALLS.get(self._machine, ()) else others).add(symbol)
        return frozenset(self.symbols[number].name for number in called - others)

    def diverted(self, functions: Sequence[str], target: str) -> bytes:
        """The program with every function of these names, static ones as well, a jump to the target from the start."""
        to = next(symbol.value for symbol in self.symbols if symbol.name == target)
        changed = bytearray(self.data)
        for symbol in self.symbols:
            if symbol.name in functions and symbol.is_function and symbol.is_defined and symbol.value != to:
                section = self._sections[symbol.section]
                at = symbol.value - section.address + section.offset
                changed[at : at + _JUMP] = b"\xe9" + struct.pack("<i", to - symbol.value - _JUMP)
        return bytes(changed)
