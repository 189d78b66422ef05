"""The values that a counterexample chose where C leaves them open: in locals without an initialiser, in memory that
`malloc` gave, in variables that are defined elsewhere.

They are found by taking the counterexample's edges once more. Whatever is found may be put into the compiled program:
any value there is one that C allows, so an error that is reached is one.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from craton.logic import Array, BitVec, Float, Sort, Term, evaluate, ops, select
from craton.logic.evaluation import CannotEvaluate
from craton.logic.walk import post_order
from craton.program.cfa import Edge, Symbol
from craton.program.origin import SourceRange
from craton.program.statements import Assign, Assume, Fresh, Havoc, Input
from craton.program.storage import StoredObject
from craton.traces.execution import state
from craton.verdicts.counterexample import Background, Replay

_HEAP = "heap top"  # the variable that says where the next allocation begins
_REACH = 1 << 16  # offsets behind a pointer that the harness has memory for
_Cell = tuple[Term, Any]  # an array of memory and an address
_ALLOCATION = re.compile(r"\w*alloc(?!a)\w*|strdup")


@dataclass(frozen=True, slots=True)
class OpenLocal:
    """A declaration, and the value that the variable has each time when control comes there."""

    symbol: Symbol
    sort: Sort
    values: tuple[int, ...]


class Memory(enum.IntEnum):
    """Which memory it is, with what tells one such memory from another."""

    BLOCK = 0  # that was allocated: how many were before it
    GIVEN = 1  # behind a pointer from outside: the pointer's value
    FOUND = 2  # behind a pointer that stood in memory before the program wrote there: a number
    LOCAL = 3  # a local that begins without a value: which of `UnspecifiedValues.objects`


@dataclass(frozen=True, slots=True)
class Fill:
    """What stands in memory before the program writes there."""

    memory: Memory
    number: int  # which memory
    offset: int
    value: int
    sort: Sort
    points: bool = False  # the value is the number of memory that is found there


@dataclass(frozen=True, slots=True)
class UnspecifiedValues:
    locals: tuple[OpenLocal, ...] = ()
    fills: tuple[Fill, ...] = ()
    globals: Mapping[str, tuple[int, Sort]] = field(default_factory=dict)
    objects: tuple[StoredObject, ...] = ()  # locals in memory, with fills

    def __bool__(self) -> bool:
        return bool(self.locals or self.fills or self.globals)


def unspecified_values(replay: Replay) -> UnspecifiedValues:
    """Those that are not zero, as far as they can be told."""
    if replay.background is None:
        return UnspecifiedValues()
    try:
        return _Walk(replay, replay.background).run()
    except (CannotEvaluate, OSError):
        return UnspecifiedValues()


def memory_read(replay: Replay) -> dict[tuple[int, int], int]:
    """What the run read of memory that it had not written to, by address and size in bytes."""
    if replay.background is None:
        return {}
    walk = _Walk(replay, replay.background)
    try:
        walk.run()
    except (CannotEvaluate, OSError, StopIteration):
        return {}
    return {
        (address, array.sort.element.width // 8): value
        for (array, address), value in walk.read.items()
        if isinstance(address, int) and isinstance(array.sort, Array) and isinstance(array.sort.element, BitVec)
    }


class _Walk:
    def __init__(self, replay: Replay, background: Background) -> None:
        self.replay = replay
        self.background = background
        self.values: dict[Term, Any] = dict(background.start)
        self.inputs = iter(replay.inputs)
        self.opened = iter(background.opened)
        self.locals: dict[SourceRange, tuple[Symbol, Sort, list[int]]] = {}
        self.blocks: list[tuple[int, int]] = []  # begins and ends
        self.written: dict[Term, set[Any] | None] = {}  # by array; None where everything has been
        self.read: dict[_Cell, Any] = {}
        self.sources: dict[Term | _Cell, _Cell] = {}  # where the values of variables and cells were read first
        self.followed: dict[_Cell, int] = {}  # those that point to memory outside of the program's own, numbered
        self.behind: dict[_Cell, tuple[Memory, int, int]] = {}  # cells of that memory: which, and where in it
        self.texts: dict[str, list[bytes]] = {}
        self.chosen: set[Term] = set()  # variables that hold what was chosen for them, and nothing else yet
        self.begun: dict[_Cell, Any] = {}  # what was chosen for a cell, the first time

    def run(self) -> UnspecifiedValues:
        for edge in self.replay.edges:
            self._step(edge)
        found = tuple(
            OpenLocal(symbol, sort, tuple(values)) for symbol, sort, values in self.locals.values() if any(values)
        )
        objects = self._open_objects()
        fills = (*self._fills(), *self._local_fills(objects))
        return UnspecifiedValues(found, fills, dict(self._globals()), tuple(objects))

    def _step(self, edge: Edge) -> None:
        match edge.statement:
            case Assume(condition):
                self._note_reads(condition)
            case Assign(variable, value):
                self._note_reads(value)
                self._note_writes(variable, value)
                self._note_source(variable, value)
                new = self._value(value)
                if variable.name == _HEAP and variable in self.values and self._allocates(edge):
                    bits = self.background.program.storage.offset_bits  # blocks have numbers if there are any
                    self.blocks.append((self.values[variable] << bits, new << bits))
                self.values[variable] = new
                self.chosen.discard(variable)
            case Havoc(variables, Input()):
                self.chosen.difference_update(variables)
                for variable in variables:
                    self.values[variable] = next(self.inputs).value
            case Havoc(variables, source):
                self.chosen.update(variables)
                for variable in variables:
                    self.values[variable] = next(self.opened)
                    self.written.pop(variable, None)
                if isinstance(source, Fresh) and self._allocates(edge):
                    begin = self.values[variables[0]]
                    self.blocks.append((begin, begin + source.step))
                if len(variables) == 1:
                    self._note_local(variables[0])

    def _value(self, term: Term) -> Any:
        return evaluate(term, state(self.values, self.background.model))

    def _note_local(self, variable: Term) -> None:
        symbol = self.background.program.symbols.get(variable)
        if symbol is None or symbol.declared is None or symbol.function is None or not symbol.name.isidentifier():
            return
        self.locals.setdefault(symbol.declared, (symbol, variable.sort, []))[2].append(int(self.values[variable]))

    def _note_reads(self, term: Term) -> None:
        for part in post_order(term):
            if part.op is not ops.SELECT:
                continue
            array, index = part.args
            while array.op is ops.STORE:
                array = array.args[0]
            if not array.is_variable:
                continue
            address = self._value(index)
            self._note_pointer(array, index, address)
            written = self.written.get(array, set())
            if written is not None and address not in written:
                self.read.setdefault((array, address), self._value(select(array, index)))

    def _note_writes(self, variable: Term, value: Term) -> None:
        if not isinstance(variable.sort, Array):
            return
        while value.op is ops.STORE:
            value, index, element = value.args
            address = self._value(index)
            self._note_pointer(variable, index, address)
            self._note_source((variable, address), element)
            if element in self.chosen:
                self.begun.setdefault((variable, address), self.values[element])
            places = self.written.setdefault(variable, set())
            if places is not None:
                places.add(address)
        if value is not variable:
            self.written[variable] = None

    def _cell(self, term: Term) -> _Cell | None:
        """The cell that the value of a term was read from at first."""
        if term.op is ops.SELECT and term.args[0].is_variable:
            cell: _Cell = term.args[0], self._value(term.args[1])
            return self.sources.get(cell, cell)
        return self.sources.get(term)

    def _note_source(self, target: Term | _Cell, value: Term) -> None:
        cell = self._cell(value)
        if cell is None:
            self.sources.pop(target, None)
        else:
            self.sources[target] = cell

    def _note_pointer(self, array: Term, index: Term, address: Any) -> None:
        """Memory outside of the program's own lies behind a pointer: what the address is made of, but for an offset."""
        if not isinstance(index.sort, BitVec) or self._is_own(address):
            return
        for part in index.args if index.op is ops.BVADD else (index,):
            pointer = self._value(part)
            offset = (address - pointer) % (1 << index.sort.width)
            if part.op is not ops.VALUE and offset < _REACH:
                cell = self._cell(part)
                if cell is None:
                    which = Memory.GIVEN, pointer
                else:
                    which = Memory.FOUND, self.followed.setdefault(cell, len(self.followed))
                self.behind.setdefault((array, address), (*which, offset))
                return

    def _is_own(self, address: int) -> bool:
        if any(begin <= address < end for begin, end in self.blocks):
            return True
        return self.background.program.storage.at(address) is not None

    def _allocates(self, edge: Edge) -> bool:
        """Whether the edge comes from a call that the C library's allocation serves."""
        place = edge.origin
        if place is None:
            return False
        if place.file not in self.texts:
            self.texts[place.file] = Path(place.file).read_bytes().split(b"\n")
        line = self.texts[place.file][place.line - 1][place.column - 1 :]
        return _ALLOCATION.match(line.decode("latin-1")) is not None

    def _fills(self) -> Iterator[Fill]:
        for cell, value in self.read.items():
            array, address = cell
            points = cell in self.followed
            assert isinstance(array.sort, Array)
            if not (value or points) or not isinstance(address, int) or not isinstance(value, int):
                continue
            value = self.followed.get(cell, value)
            for number, (begin, end) in enumerate(self.blocks):
                if begin <= address < end:
                    yield Fill(Memory.BLOCK, number, address - begin, value, array.sort.element, points)
            if cell in self.behind:
                yield Fill(*self.behind[cell], value, array.sort.element, points)

    def _open_objects(self) -> dict[StoredObject, list[_Cell]]:
        """Locals without an initialiser for which something was chosen that is not zero."""
        found: dict[StoredObject, list[_Cell]] = {}
        for cell, value in self.begun.items():
            known = self.background.program.storage.at(cell[1]) if isinstance(cell[1], int) else None
            if known is not None and known.declared is not None and (value or cell in self.followed):
                found.setdefault(known, []).append(cell)
        return found

    def _local_fills(self, objects: Mapping[StoredObject, list[_Cell]]) -> Iterator[Fill]:
        for number, (known, cells) in enumerate(objects.items()):
            for cell in cells:
                array, address = cell
                points, value = cell in self.followed, self.followed.get(cell, self.begun[cell])
                assert isinstance(array.sort, Array) and known.address is not None
                if isinstance(value, int):
                    yield Fill(Memory.LOCAL, number, address - known.address, value, array.sort.element, points)

    def _globals(self) -> Iterator[tuple[str, tuple[int, Sort]]]:
        for variable, value in self.background.start.items():
            symbol = self.background.program.symbols.get(variable)
            if symbol is not None and symbol.function is None and isinstance(variable.sort, BitVec | Float) and value:
                yield symbol.name, (int(value), variable.sort)
