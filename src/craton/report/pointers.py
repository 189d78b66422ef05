"""What lies behind pointers, as C names it: `head->next->value`, `p == NULL`, `p == &q.items[3]`.

Addresses are numbers to engines. C has no numbers for them, but names: of objects, and of what a pointer points to; a
number that a pointer is said to have is as good as the pointer. What has no such name is `NotExpressible`.
Numbers that are compared with something of an enumeration have names, too (`with_words`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from craton.errors import NotExpressible
from craton.logic import BOOL, BitVec, Float, Sort, Term, eq, free_variables, ops, select, var
from craton.logic.build import rebuild
from craton.logic.semantics import to_signed
from craton.logic.walk import fold
from craton.program.spelling import Name
from craton.program.storage import Cell, Scalar, Storage, cell_at, pointing

_COMPARED = {ops.EQ: "==", ops.BVULE: "<=", ops.BVULT: "<"}
_NEGATED = {"==": "!=", "!=": "==", "<=": ">", "<": ">="}
_TURNED = {"==": "==", "<=": ">=", "<": ">"}
_JOINED = (ops.AND, ops.OR, ops.NOT)
_OLD = re.compile(r"\\old\((.*)\)")


@dataclass(frozen=True, slots=True)
class Pointer:
    """How C calls a pointer, and the type that it points to."""

    text: str
    pointee: str

    def to(self, cell: Cell, index: str) -> str:
        """A part of what it points to, or of another element there."""
        if index:
            return f"{self.text}[{index}]{cell.path}"
        if cell.path.startswith("."):
            return f"{self.text}->{cell.path[1:]}"
        return f"(*{self.text}){cell.path}" if cell.path else f"*{self.text}"


class Pointers:
    """Names for the parts of a formula that are about memory. `pointee` is what a variable points to, "" if it is no
    pointer; `old` are memories as they were when a procedure was entered; `type_of` is the type of a variable, "" if
    that is not known. Law: a text means one thing.
    """

    def __init__(
        self,
        storage: Storage,
        name: Name,
        pointee: Callable[[Term], str],
        old: frozenset[Term] = frozenset(),
        type_of: Callable[[Term], str] = lambda variable: "",
    ) -> None:
        self.storage = storage
        self.known_name = name
        self.known_pointee = pointee
        self.known_type = type_of
        self.old = old
        self.learned: dict[int, Pointer] = {}
        self._stand_ins: dict[Term, tuple[str, bool]] = {}
        self._pointers: dict[Term, Pointer] = {}
        self._memories: dict[str, Term] = {}  # which memory was meant by a text: one text has one meaning
        self._comparisons: dict[Term, tuple[str, str, str]] = {}
        self._types: dict[Term, str] = {}  # of stand-ins
        self._words: dict[str, Mapping[int, str]] = {}  # for the numbers of what has a text

    def binding(self, bound: Mapping[Term, tuple[str, bool]]) -> Pointers:
        """The same in the scope of a quantifier."""

        def name(variable: Term) -> tuple[str, bool]:
            return bound.get(variable) or self.known_name(variable)

        pointee = partial(_unless, bound, self.known_pointee)
        told = Pointers(self.storage, name, pointee, self.old, partial(_unless, bound, self.known_type))
        told.learned = dict(self.learned)
        return told

    def knowing(self, parts: Iterable[Term]) -> Pointers:
        """The same where the parts hold: they say where pointers point to."""
        told = Pointers(self.storage, self.known_name, self.known_pointee, self.old, self.known_type)
        told.learned = dict(self.learned)
        equal = [(part.args[0], part.args[1].payload) for part in parts if _says_number(part)]
        for variable, number in equal:
            if variable.is_variable and (pointer := told._pointer(variable)) is not None:
                told._learn(number, pointer)
        behind = [(read.args[1].payload, number) for read, number in equal if _reads_number(read)]
        grown = -1
        while grown < len(told.learned):  # what is behind pointers that are behind pointers
            grown = len(told.learned)
            for address, number in behind:
                found = told._at(address)
                if found is not None and found[1].pointee:
                    told._learn(number, Pointer(found[0], found[1].pointee))
        return told

    def _learn(self, number: int, pointer: Pointer) -> None:
        if number and self.storage.at(number) is None:
            self.learned.setdefault(number, pointer)

    def name(self, variable: Term) -> tuple[str, bool]:
        """Of variables, and of those that `named` has put in."""
        found = self._stand_ins.get(variable)
        return self.known_name(variable) if found is None else found

    def has_no_sign(self, number: Term) -> bool:
        """Whether it is something of the text that is declared without a sign."""
        try:
            named = self.named(number)
            return named.is_variable and not self.name(named)[1]
        except NotExpressible:
            return False

    def named(self, formula: Term) -> Term:
        """The formula with variables that have names (`name`) for what it says of memory and of pointers."""
        told = fold(formula, self._visit)
        if self._has_pointer(told):
            raise NotExpressible("an address is no number in C")
        self._note_words(told)
        return told

    def _visit(self, node: Term, args: list[Term]) -> Term:
        if node.op is ops.SELECT:
            return self._read(args[0], args[1])
        if node.op in _COMPARED and any(map(self._has_pointer, args)):
            return self._compared(_COMPARED[node.op], *args)
        if node.op is ops.NOT and args[0] in self._comparisons:
            left, operator, right = self._comparisons[args[0]]
            return self._comparison(left, _NEGATED[operator], right)
        pointers = node.op is not ops.BVADD and any(map(self._has_pointer, args))
        if pointers or (node.op not in _JOINED and any(arg in self._comparisons for arg in args)):
            raise NotExpressible("C does not compute so with pointers")
        return rebuild(node, args) if args else node

    # --- constants of enumerations ------------------------------------------------------------------------------------

    def with_words(self, named: Term) -> Term:
        """The formula that `named` gave, where numbers that something of an enumeration equals are its constants."""
        return fold(named, self._visit_equal)

    def word(self, text: str, number: int) -> str:
        """How a number is called that the text is compared with, "" if it has no name."""
        return self._words.get(text, {}).get(number, "")

    def _visit_equal(self, node: Term, args: list[Term]) -> Term:
        if node.op is ops.EQ and args[0].is_variable and args[1].op is ops.VALUE and isinstance(args[1].sort, BitVec):
            text, signed = self.name(args[0])
            number = to_signed(args[1].sort.width, args[1].payload) if signed else args[1].payload
            if word := self.word(text, number):
                stand_in = var(word, args[1].sort)
                self._stand_ins[stand_in] = (word, signed)
                return eq(args[0], stand_in)
        return rebuild(node, args) if args else node

    def _note_words(self, formula: Term) -> None:
        for variable in free_variables(formula):
            kind = self._types.get(variable) or self.known_type(variable)
            if kind in self.storage.enumerations:
                self._words[self.name(variable)[0]] = self.storage.enumerations[kind]

    # --- pointers -----------------------------------------------------------------------------------------------------

    def _pointer(self, variable: Term) -> Pointer | None:
        pointee = "" if variable in self._stand_ins else self.known_pointee(variable)
        return Pointer(self.known_name(variable)[0], pointee) if pointee else self._pointers.get(variable)

    def _has_pointer(self, term: Term) -> bool:
        if term.is_variable:
            return self._pointer(term) is not None
        return term.op is ops.BVADD and any(map(self._has_pointer, term.args))

    def _compared(self, operator: str, left: Term, right: Term) -> Term:
        if not left.is_variable and right.is_variable:
            operator, left, right = _TURNED[operator], right, left
        if right.op is ops.VALUE and operator in (">", ">=") and right.payload == (operator == ">="):
            operator, text = "!=", "NULL"
        else:
            text = self._address(right, left)
        said = self._address(left, right)
        if said == text and operator == "==":
            operator, text = "!=", "NULL"  # where it points to has no other name
        if text == "NULL" and operator not in ("==", "!="):
            raise NotExpressible("NULL has no place in the order of addresses")
        return self._comparison(said, operator, text)

    def _comparison(self, left: str, operator: str, right: str) -> Term:
        stand_in = var(f"{left} {operator} {right}", BOOL)
        self._stand_ins[stand_in] = (stand_in.name, False)
        self._comparisons[stand_in] = (left, operator, right)
        return stand_in

    def _address(self, term: Term, other: Term) -> str:
        """A pointer, one that is some elements further, or a number that has a name."""
        if term.op is ops.VALUE:
            return self._number(term.payload, self._pointee(other))
        pointer, offset, index = self._split(term)
        shape = None if pointer is None else self.storage.shapes.get(pointer.pointee)
        if pointer is None or index is not None or (offset and (shape is None or offset % shape.size)):
            raise NotExpressible("an address that C has no words for")
        return f"{pointer.text} + {offset // shape.size}" if offset and shape is not None else pointer.text

    def _pointee(self, term: Term) -> str:
        pointer = self._split(term)[0]
        return "" if pointer is None else pointer.pointee

    def _number(self, number: int, pointee: str) -> str:
        if number == 0:
            return "NULL"
        known = self.storage.at(number)
        if known is not None:
            return pointing(known, number - (known.address or 0), pointee)
        if number in self.learned:
            return self.learned[number].text
        raise NotExpressible("an address of nothing that has a name")

    def _split(self, address: Term) -> tuple[Pointer | None, int, _Index | None]:
        """The address as pointer + constant + stride · index, as far as it is one."""
        parts = address.args if address.op is ops.BVADD else (address,)
        pointer: Pointer | None = None
        offset, index = 0, None
        for part in parts:
            found = self._pointer(part) if part.is_variable else None
            if found is not None and pointer is None:
                pointer = found
            elif part.op is ops.VALUE and not offset:
                offset = part.payload
            elif index is None and (scaled := _index_of(part)) is not None:
                index = scaled
            else:
                return None, 0, None
        return pointer, offset, index

    # --- memory -------------------------------------------------------------------------------------------------------

    def _read(self, memory: Term, address: Term) -> Term:
        """A variable with the name of what is read; elements of named arrays are left to `spelled`."""
        read = select(memory, address)
        old = memory in self.old
        found = self._at(address.payload, old) if address.op is ops.VALUE else self._behind(address, old)
        if found is None and not old and not self._has_pointer(address):
            return read
        if found is None or not memory.is_variable or not _fits(found[1], read.sort):
            raise NotExpressible("memory that C has no name for")
        text, scalar = found
        if self._memories.setdefault(text, memory) is not memory:
            raise NotExpressible(f"{text} is in another memory")
        stand_in = var(text, read.sort)
        self._stand_ins[stand_in] = (text, scalar.signed)
        self._types[stand_in] = scalar.type
        if scalar.pointee:
            self._pointers[stand_in] = Pointer(text, scalar.pointee)
        return stand_in

    def _at(self, address: int, old: bool = False) -> tuple[str, Scalar] | None:
        """What lies at a number: a part of a named object, or of what a pointer points to."""
        known = self.storage.at(address)
        if known is not None and known.shape is not None and known.text is None:
            begin = known.address or 0
            cell = cell_at(known.shape, address - begin)
            if cell is None or begin + cell.offset != address:
                return None
            text = known.name + cell.path
            return f"\\old({text})" if old else text, cell.scalar
        for begin, pointer in self.learned.items():
            shape = self.storage.shapes.get(pointer.pointee)
            if not old and shape is not None and begin <= address < begin + shape.size:
                return self._part(pointer, address - begin)
        return None

    def _behind(self, address: Term, old: bool) -> tuple[str, Scalar] | None:
        """What lies at a pointer, or some elements behind it."""
        pointer, offset, index = self._split(address)
        if pointer is None or not old:
            return None if pointer is None else self._part(pointer, offset, index)
        at_entry = _OLD.fullmatch(pointer.text)  # what a pointer of now pointed to then cannot be said
        found = None if at_entry is None else self._part(Pointer(at_entry[1], pointer.pointee), offset)
        return None if found is None or index is not None else (f"\\old({found[0]})", found[1])

    def _part(self, pointer: Pointer, offset: int, index: _Index | None = None) -> tuple[str, Scalar] | None:
        shape = self.storage.shapes.get(pointer.pointee)
        if shape is None or not shape.size or (index is not None and index.stride != shape.size):
            return None
        element, offset = divmod(offset, shape.size)
        cell = cell_at(shape, offset)
        if cell is None or cell.offset != offset or (element and index is not None):
            return None
        return pointer.to(cell, str(element) if element else "" if index is None else self._index(index)), cell.scalar

    def _index(self, index: _Index) -> str:
        inner = index.term.args[0] if index.term.op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND) else index.term
        if not inner.is_variable or self._pointer(inner) is not None:
            raise NotExpressible("an index that has no name")
        return self.name(inner)[0]


def _unless(bound: Container[Term], known: Callable[[Term], str], variable: Term) -> str:
    return "" if variable in bound else known(variable)


@dataclass(frozen=True, slots=True)
class _Index:
    """stride · term, a part of an address."""

    stride: int
    term: Term


def _index_of(part: Term) -> _Index | None:
    if part.op is ops.BVMUL and len(part.args) == 2 and part.args[0].op is ops.VALUE:
        return _Index(part.args[0].payload, part.args[1])
    if part.op is ops.BVSHL and part.args[1].op is ops.VALUE:
        return _Index(1 << part.args[1].payload, part.args[0])
    return _Index(1, part) if part.op in (ops.SIGN_EXTEND, ops.ZERO_EXTEND) else None


def _says_number(part: Term) -> bool:
    return part.op is ops.EQ and part.args[1].op is ops.VALUE and isinstance(part.args[1].sort, BitVec)


def _reads_number(term: Term) -> bool:
    return term.op is ops.SELECT and term.args[1].op is ops.VALUE and isinstance(term.args[1].sort, BitVec)


def _fits(scalar: Scalar, sort: Sort) -> bool:
    if isinstance(sort, Float):
        return scalar.type in ("float", "double")
    return isinstance(sort, BitVec) and sort.width == 8 * scalar.size
