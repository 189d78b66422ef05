"""Where arguments and variables of the environment lie in the memory of a run of which only their texts are known.

Craton chooses the addresses, far from those of the program's own objects; a run that depends on them may come to
another end than the compiled program, and is not told then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from craton.evidence.surroundings import KnownText
from craton.logic import Array, BitVec, Term
from craton.program.cfa import Location, Program
from craton.program.execution.codegen import Cells, Unwritten
from craton.program.storage import literal
from craton.verdicts.counterexample import Surroundings

GETENV = "getenv"
_FAR = {32: 0xBF00_0000, 64: 0x7FFD_0000_0000}
_LONGEST = 4000  # characters of a name


class MemoryAround:
    """The arguments of `main`, and what `getenv` answers."""

    def __init__(self, program: Program, around: Surroundings) -> None:
        self._parameters = program.main.parameters[:2]
        self._width = 32 if program.data_model == "ILP32" else 64
        self._memories = {one: width for one in program.globals if (width := _cell_width(one))}
        self._bytes: dict[int, int] = {}
        self._words: dict[int, int] = {}
        self._next = _FAR[self._width]
        self._count = len(around.arguments)
        self.texts: list[KnownText] = []
        self._values = {name: self._place(text, literal(text)) for name, text in around.environment}
        self._answers = iter([0 if text is None else self._place(text, literal(text)) for text in around.answers])
        self._found: int | None = None  # the text for the name that `getenv` was asked for
        vector = program.symbols.get(self._parameters[1]) if len(self._parameters) == 2 else None
        name = "arguments" if vector is None else vector.name
        pointers = [self._place(text, f"{name}[{number}]") for number, text in enumerate(around.arguments)]
        self._vector = self._next
        for number, pointer in enumerate([*pointers, 0]):
            self._put_word(self._vector + number * (self._width // 8), pointer)
        self.lookups = self._lookups(program)

    def _place(self, text: bytes, name: str) -> int:
        """Puts a text there, and the zero at its end."""
        address = self._next
        for offset, byte in enumerate([*text, 0]):
            self._bytes[address + offset] = byte
        self.texts.append(KnownText(address, len(text) + 1, name))
        self._next = (address + len(text) + 16) & ~15
        return address

    def _put_word(self, address: int, value: int) -> None:
        self._words[address] = value
        for offset, byte in enumerate(value.to_bytes(self._width // 8, "little")):
            self._bytes[address + offset] = byte

    def start(self) -> dict[Term, Any]:
        """Of parameters and memories, made anew for each run."""
        found: dict[Term, Any] = {}
        if len(self._parameters) == 2 and self._count:
            found |= zip(self._parameters, (self._count, self._vector), strict=True)
        if self._bytes:
            for memory, width in self._memories.items():
                cells = {8: self._bytes, self._width: self._words}.get(width, {})
                found[memory] = Cells(Unwritten(lambda: 0, uniform=True), dict(cells))
        return found

    # --- the environment ----------------------------------------------------------------------------------------------

    def _lookups(self, program: Program) -> dict[Location, tuple[Term, ...]]:
        """Where `getenv` begins, and what says for which name it is asked."""
        asked = program.procedures.get(GETENV)
        if asked is None or not asked.parameters:
            return {}
        texts = (one for one, width in self._memories.items() if width == 8)
        return {asked.entry: (asked.parameters[0], *texts)}

    def asked(self, values: Sequence[Any]) -> None:
        """`getenv` is, for the name that lies at the first of the values, in one of the others."""
        address, *memories = values
        names = (_text(memory, address) for memory in memories)
        self._found = next((self._values[name] for name in names if name in self._values), None)

    def answer(self) -> int:
        """Where the text lies that is found; zero if there is none."""
        return next(self._answers, self._found or 0)


def _cell_width(variable: Term) -> int:
    """Of a memory of numbers; otherwise 0."""
    sort = variable.sort
    if isinstance(sort, Array) and isinstance(sort.index, BitVec) and isinstance(sort.element, BitVec):
        return sort.element.width
    return 0


def _text(memory: Mapping[int, int], address: int) -> bytes:
    found = bytearray()
    while len(found) < _LONGEST and (byte := memory[address + len(found)]):
        found.append(byte)
    return bytes(found)
