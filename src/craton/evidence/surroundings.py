"""What a counterexample says about the arguments, the environment and the standard input, as texts to be given to the
compiled program.

All this is found out after the fact, from what the run read: a text that does not lead the compiled program to the
error shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from craton.evidence.unspecified_values import memory_read
from craton.logic import BitVec, Float
from craton.logic.ieee import to_python
from craton.logic.semantics import to_signed
from craton.logic.terms import format_of
from craton.program.storage import literal
from craton.verdicts.counterexample import ReadValue, Replay, Surroundings

CHARACTERS = frozenset("getchar getc fgetc getchar_unlocked getc_unlocked".split())
_BYTES = frozenset("fgets gets fread getline getdelim read".split())
_LINES = frozenset("fgets gets getline".split())
SCANNED = re.compile(r"scanf\((?P<before>.*)%(?P<conversion>\w+)\)", re.DOTALL)
_MOST_ARGUMENTS, _LONGEST = 1000, 4000
PROGRAM_NAME = b"program"


def surrounded(replay: Replay) -> Replay:
    """The replay with what the run has to find, unless that is known."""
    return replay if replay.surroundings is not None else replace(replay, surroundings=surroundings(replay))


def surroundings(replay: Replay) -> Surroundings:
    """What the run has to find, as far as it can be told."""
    asked = [read for read in replay.inputs if read.source.function == "getenv"]
    typed = _standard_input(replay.inputs)
    if not asked and not _has_arguments(replay):
        return Surroundings((), (), (), typed)
    memory = _Memory(memory_read(replay), _pointer_size(replay))
    answers = tuple(memory.text(int(read.value)) if read.value else None for read in asked)
    return Surroundings(_arguments(replay, memory), (), answers, typed)


@dataclass(frozen=True, slots=True)
class KnownText:
    """A text from outside that a run looked at: where it is, with the zero at its end, and what to call it."""

    address: int
    size: int
    name: str


def known_texts(replay: Replay) -> list[KnownText]:
    """Arguments by their names, and what `getenv` found."""
    memory = _Memory(memory_read(replay), _pointer_size(replay))
    found = []
    for read in replay.inputs:
        if read.source.function == "getenv" and read.value:
            text = memory.text(int(read.value))
            found.append(KnownText(int(read.value), len(text) + 1, literal(text)))
    background = replay.background
    if background is not None and _has_arguments(replay):
        second = background.program.main.parameters[1]
        symbol, base = background.program.symbols.get(second), int(background.start.get(second, 0))
        for number in range(len(replay.found_around.arguments)) if symbol is not None and symbol.name else ():
            pointer = memory.pointer(base, number)
            if pointer is not None and symbol is not None:
                found.append(KnownText(pointer, len(memory.text(pointer)) + 1, f"{symbol.name}[{number}]"))
    return found


def is_read_from_outside(function: str) -> bool:
    """Whether an input of that name is a part of the surroundings."""
    return function in CHARACTERS | _BYTES or function == "getenv" or SCANNED.fullmatch(function) is not None


# --- arguments --------------------------------------------------------------------------------------------------------


def _pointer_size(replay: Replay) -> int:
    return 4 if replay.background is not None and replay.background.program.data_model == "ILP32" else 8


def _has_arguments(replay: Replay) -> bool:
    program = None if replay.background is None else replay.background.program
    return program is not None and bool(program.data_model) and len(program.main.parameters) > 1  # not of Boogie


def _arguments(replay: Replay, memory: _Memory) -> tuple[bytes, ...]:
    if replay.background is None or not _has_arguments(replay):
        return ()
    start = replay.background.start
    first, second = replay.background.program.main.parameters[:2]
    count, base = int(start.get(first, 0)), int(start.get(second, 0))
    if isinstance(first.sort, BitVec):
        count = to_signed(first.sort.width, count)
    if count > _MOST_ARGUMENTS:  # those that somebody looked at will do
        seen = (i + 1 for i in range(_MOST_ARGUMENTS) if memory.pointer(base, i) is not None)
        count = max(seen, default=_MOST_ARGUMENTS)
    texts = [b"a" if (pointer := memory.pointer(base, i)) is None else memory.text(pointer) for i in range(count)]
    return tuple([PROGRAM_NAME, *texts[1:]] if texts and memory.pointer(base, 0) is None else texts)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What was read of memory that the program had not written to, by address and size."""

    cells: Mapping[tuple[int, int], int]
    pointer_size: int

    def pointer(self, base: int, number: int) -> int | None:
        """None if nobody looked at it. Zero is an address as good as any: arguments are never NULL."""
        return self.cells.get(((base + number * self.pointer_size) % self._beyond, self.pointer_size))

    @property
    def _beyond(self) -> int:
        """The first number that is no address: counterexamples let texts begin where they like."""
        return 1 << 8 * self.pointer_size

    def text(self, address: int) -> bytes:
        """Up to its end; characters that nobody looked at are some."""
        found = bytearray()
        offsets = ((at - address) % self._beyond for at, size in self.cells if size == 1)
        for offset in range(max((offset for offset in offsets if offset < _LONGEST), default=-1) + 1):
            value = self.cells.get(((address + offset) % self._beyond, 1), ord("a"))
            if not value:
                break
            found.append(value)
        return bytes(found)


# --- standard input ---------------------------------------------------------------------------------------------------


def _standard_input(inputs: Sequence[ReadValue]) -> bytes:
    """What is typed, one after the other, up to the end of the file."""
    found = bytearray()
    before = ""
    for read in inputs:
        function, value = read.source.function, read.value
        scanned = SCANNED.fullmatch(function)
        if function in CHARACTERS:
            if int(value) > 255:
                break
            found.append(int(value))
        elif function in _BYTES:
            found.append(int(value) & 255)
        elif scanned is not None:
            if before in _LINES and not found.endswith(b"\n"):
                found += b"\n"  # numbers may have spaces before them, and else they would be read as a part of the line
            found += _scanned(read, scanned["before"], scanned["conversion"]).encode("latin-1", "replace")
        before = function
    return bytes(found)


def _scanned(read: ReadValue, before: str, conversion: str) -> str:
    """What scanf reads as this value."""
    if conversion == "c":
        return before + chr(int(read.value) & 255)
    return f"{before or ' '}{_number(read, conversion)}"


def _number(read: ReadValue, conversion: str) -> str:
    if isinstance(read.sort, Float):
        return repr(to_python(format_of(read.sort), read.value))
    value = int(read.value)
    match conversion[-1]:
        case "x" | "X" | "p":
            return f"{value:x}"
        case "o":
            return f"{value:o}"
        case "u":
            return str(value)
    return str(to_signed(read.sort.width, value) if isinstance(read.sort, BitVec) else value)
