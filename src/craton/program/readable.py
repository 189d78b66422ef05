"""Formulas and statements of a program with the names of its text: `q.count ≤u 8`, `p->next := NULL`, `a[i] := 0`.

For what people look at beside the source: pictures of automata, what refiners have learned. In contrast to `spelling`
nothing is refused: the notation stays that of formulas, and what has no name in C is told by what holds its address
(`*$`). Variables are known by their names, so that formulas over integers (`views`) can be read, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from craton.logic import Array, BitVec, Term, bv, bvadd, free_variables, infix, ops, substitute, var
from craton.logic.build import rebuild
from craton.logic.walk import QUANTIFIERS, fold, post_order
from craton.program.cfa import Program, Symbol
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Input, Statement
from craton.program.storage import MEMORY, Scalar, Shape, StoredObject, cell_at, indexed, pointing

_SUMS = (ops.BVADD, ops.ADD)
_PRODUCTS = (ops.BVMUL, ops.MUL)
_EXTENDED = (ops.SIGN_EXTEND, ops.ZERO_EXTEND)
_COMPARED = (ops.EQ, ops.BVULE, ops.BVULT, ops.LE, ops.LT)
_MOST_EDGES = 3  # of a block that is told whole
_MOST_STORES = 3  # into one memory that are told one by one
_ELEMENT = re.compile(rf"{MEMORY}.*\[(\d+)\]")  # a variable for what lies at an address (`elements`)
_OLD = re.compile(r"(.*?)!old\d*")  # what a variable was before it was written


@dataclass(frozen=True, slots=True)
class _Place:
    """Something in memory as C names it: its text, and the type that it points to, if it is a pointer."""

    text: str
    pointee: str = ""

    @staticmethod
    def of(text: str, scalar: Scalar) -> _Place:
        return _Place(text, scalar.pointee)


@dataclass(frozen=True, slots=True)
class _Address:
    """constant + base + stride · index; a base and an index may be missing."""

    constant: int
    base: Term | None
    stride: int = 0
    index: Term | None = None


class Readable:
    """The words of a program. `whole` leaves nothing out of statements, however long they are; `across` is for formulas
    about several functions at once: what has the name of something else there is told with its function.
    """

    def __init__(self, program: Program, *, whole: bool = False, across: bool = False) -> None:
        self._whole = whole
        self._several = _names_of_several(program) if across else frozenset()
        self._storage = program.storage
        self._symbols: dict[str, Symbol] = {variable.name: symbol for variable, symbol in program.symbols.items()}
        self._parameters = {name: procedure.parameters for name, procedure in program.procedures.items()}
        self._pointees: dict[Term, str] = {}  # of names that stand for parts of memory

    # --- what is told -------------------------------------------------------------------------------------------------

    def formula(self, formula: Term) -> str:
        return self._texts([formula])[0]

    def statement(self, statement: Statement) -> str:
        match statement:
            case Assume(condition):
                return f"assume {self.formula(condition)}"
            case Assign(variable, value) if _is_memory(variable):
                return self._stored(variable, value)
            case Assign(variable, value):
                return " := ".join(self._texts([variable, self._pointed(value, variable)]))
            case Havoc(variables, source):
                names = ", ".join(self._texts(variables))
                return f"{names} := {source}" if isinstance(source, Input) else f"havoc {names}"
            case Call():
                return self._call(statement)
            case Block(edges):
                most = len(edges) if self._whole else _MOST_EDGES
                shown = [self.statement(edge.statement) for edge in edges[:most]]
                if len(edges) <= most:
                    return "{ " + "; ".join(shown) + " }"
                return f"{{ {shown[0]}; … {len(edges)} edges }}"
            case _:
                return str(statement)

    def _call(self, call: Call) -> str:
        parameters = self._parameters.get(call.procedure, ())
        arguments = [
            self._pointed(argument, parameters[at]) if at < len(parameters) else argument
            for at, argument in enumerate(call.arguments)
        ]
        texts = self._texts([*call.results, *arguments])
        results = ", ".join(texts[: len(call.results)])
        told = f"{call.procedure}({', '.join(texts[len(call.results) :])})"
        return f"{results} := {told}" if results else told

    def _stored(self, memory: Term, value: Term) -> str:
        """`q.head := 0; q.count := 1` where a memory is its old self but for that."""
        stores: list[tuple[Term, Term]] = []
        while value.op is ops.STORE:
            stores.append((value.args[1], value.args[2]))
            value = value.args[0]
        if value is not memory or (len(stores) > _MOST_STORES and not self._whole):
            return f"{memory.name.removeprefix(MEMORY)} := {'…' if value is memory else self.formula(value)}"
        told = []
        for address, content in reversed(stores):
            place = self._place(self._named(address), content)
            told += [" := ".join(self._texts([place, self._pointed(content, place)]))]
        return "; ".join(told)

    def _texts(self, terms: Iterable[Term]) -> list[str]:
        """With short names for variables, where those of all the terms differ."""
        named = [self._named(term) for term in terms]
        variables = {v for term in named for v in free_variables(term)} - self._pointees.keys()
        short = {name: self._short(name) for name in sorted({v.name for v in variables})}
        often = Counter(short.values())
        renaming = {v: var(short[v.name], v.sort) for v in variables if often[short[v.name]] == 1}
        return [self._with_bound(infix(substitute(term, renaming)), term) for term in named]

    def _with_bound(self, text: str, term: Term) -> str:
        """The text with names for what quantifiers bind: `x'` is what x was."""
        for node in post_order(term):
            for variable in node.payload if node.op in QUANTIFIERS else ():
                old = _OLD.fullmatch(variable.name)
                if old is not None:
                    text = text.replace(variable.name, f"{self._short(old[1])}'")
        return text

    def _short(self, name: str) -> str:
        element = _ELEMENT.fullmatch(name)
        if element is not None:
            place = self._lvalue(_Address(int(element[1]), None))
            if place is not None:
                return place.text
        symbol = self._symbols.get(name)
        if symbol is None or not symbol.name:
            return name.rpartition("::")[2].removeprefix(MEMORY)
        return f"{symbol.function}::{symbol.name}" if symbol.function and symbol.name in self._several else symbol.name

    # --- names for parts of memory ------------------------------------------------------------------------------------

    def _named(self, term: Term) -> Term:
        return fold(term, self._visit)

    def _visit(self, node: Term, args: list[Term]) -> Term:
        if node.op is ops.SELECT and _is_memory(args[0]):
            return self._place(args[1], node)
        if node.op is ops.CONCAT and (lowest := _bytes_from(node)) is not None:
            return self._place(self._named(lowest), node)
        if node.op in _COMPARED:
            left, right = args
            args = [self._pointed(left, right), self._pointed(right, left)]
        if node.op in _EXTENDED and args[0].is_variable:  # C converts without a word
            return self._like(args[0], node)
        return rebuild(node, args) if args else node

    def _place(self, address: Term, content: Term) -> Term:
        """A variable with the name of what lies at an address."""
        found = self._lvalue(self._split(address))
        if found is None:
            text = self._texts([address])[0]
            found = _Place(f"*{text}" if address.is_variable else f"*({text})")
        stand_in = var(found.text, content.sort)
        self._pointees[stand_in] = found.pointee
        return stand_in

    def _pointed(self, value: Term, like: Term) -> Term:
        """What is compared with a pointer, or becomes its value, as C writes it: `NULL`, `&q.items[3]`, `&bank[i]`; and
        constants of enumerations, where such are compared.
        """
        if value.op is ops.VALUE and isinstance(value.payload, int):
            text = self._number(value.payload, like)
        else:
            text = self._element(self._split(self._named(value))) if self._pointee(like) else ""
        return self._word(text, value) if text else value

    def _number(self, number: int, like: Term) -> str:
        pointee = self._pointee(like)
        known = self._storage.at(number)
        if not pointee:
            return self._storage.enumerations.get(self._type(like), {}).get(number, "")
        if known is None:
            return "" if number else "NULL"
        return pointing(known, number - (known.address or 0), pointee)

    def _element(self, address: _Address | None) -> str:
        """The address of an element of a named array."""
        if address is None or address.base is not None or address.index is None:
            return ""
        known = self._storage.at(address.constant)
        if known is None or known.shape is None or known.address != address.constant:
            return ""
        for before, _, _ in indexed(known.shape, 0, address.stride):
            return f"&{known.name}{before}[{self._index(address.index)}]"
        return ""

    def _word(self, text: str, like: Term) -> Term:
        stand_in = var(text, like.sort)
        self._pointees.setdefault(stand_in, "")
        return stand_in

    def _like(self, variable: Term, converted: Term) -> Term:
        """The same name for the value in another type."""
        if variable in self._pointees:
            return self._word(variable.name, converted)
        return var(variable.name, converted.sort)

    def _type(self, term: Term) -> str:
        symbol = self._symbols.get(term.name) if term.is_variable else None
        return "" if symbol is None else symbol.type

    def _pointee(self, term: Term) -> str:
        if not term.is_variable:
            return ""
        if term in self._pointees:
            return self._pointees[term]
        declared = self._type(term)
        return declared.removesuffix("*").strip() if declared.endswith("*") else ""

    def _split(self, address: Term) -> _Address | None:
        """The address as a constant, a pointer, and a multiple of an index, as far as it is one."""
        parts = address.args if address.op in _SUMS else (address,)
        constant = sum(part.payload for part in parts if part.op is ops.VALUE)
        rest = [part for part in parts if part.op is not ops.VALUE]
        bases = [part for part in rest if self._is_address(part)]
        if not bases and (not isinstance(constant, int) or self._storage.at(constant) is None):
            bases = [part for part in rest if part.is_variable][:1]
        indices = [scaled for part in rest if part not in bases[:1] and (scaled := _scaled(part)) is not None]
        if len(bases) > 1 or len(indices) > 1 or len(bases) + len(indices) < len(rest):
            return None
        return _Address(constant, bases[0] if bases else None, *(indices[0] if indices else ()))

    def _is_address(self, part: Term) -> bool:
        symbol = self._symbols.get(part.name) if part.is_variable else None
        return bool(self._pointee(part)) or (symbol is not None and symbol.object is not None)

    def _lvalue(self, address: _Address | None) -> _Place | None:
        if address is None:
            return None
        if address.base is None:
            known = self._storage.at(address.constant)
            return None if known is None else self._of_object(known, address.constant - (known.address or 0), address)
        symbol = self._symbols.get(address.base.name)
        if symbol is not None and symbol.object is not None:
            return self._of_object(symbol.object, address.constant, address)
        pointee = self._pointee(address.base)
        return self._behind(self._texts([address.base])[0], self._storage.shapes.get(pointee), address)

    def _of_object(self, known: StoredObject, offset: int, address: _Address) -> _Place | None:
        if known.shape is None or known.text is not None:
            return None
        if address.index is None:
            cell = cell_at(known.shape, offset)
            if cell is None:
                return None
            name = known.name + cell.path
            byte = offset - cell.offset
            return _Place(f"((char *)&{name})[{byte}]") if byte else _Place.of(name, cell.scalar)
        for before, behind, scalar in indexed(known.shape, offset, address.stride):
            return _Place.of(f"{known.name}{before}[{self._index(address.index)}]{behind}", scalar)
        return None

    def _behind(self, name: str, shape: Shape | None, address: _Address) -> _Place | None:
        if shape is None or not shape.size:
            return None
        if address.index is not None and address.stride != shape.size:
            for before, behind, scalar in indexed(shape, address.constant, address.stride):
                path = f"{before}[{self._index(address.index)}]{behind}"
                return _Place.of(_part(name, path), scalar)
            return None
        element, offset = divmod(address.constant, shape.size)
        cell = cell_at(shape, offset)
        if cell is None or cell.offset != offset or (element and address.index is not None):
            return None
        if element or address.index is not None:
            index = str(element) if address.index is None else self._index(address.index)
            return _Place.of(f"{name}[{index}]{cell.path}", cell.scalar)
        return _Place.of(_part(name, cell.path), cell.scalar)

    def _index(self, index: Term) -> str:
        inner = index.args[0] if index.op in _EXTENDED else index
        return self._texts([inner])[0]


def _names_of_several(program: Program) -> frozenset[str]:
    """What several functions call something, or a function and an object in memory."""
    owned = {(symbol.name, symbol.function) for symbol in program.symbols.values()}
    owned |= {(known.name, "in memory") for known in program.storage.objects}
    return frozenset(name for name, number in Counter(name for name, _ in owned).items() if name and number > 1)


def _part(pointer: str, path: str) -> str:
    """A part of what a pointer points to: `p->next`, `p[3]`, `*p`."""
    if path.startswith("."):
        return f"{pointer}->{path[1:]}"
    return f"(*{pointer}){path}" if path else f"*{pointer}"


def _scaled(part: Term) -> tuple[int, Term] | None:
    if part.op in _PRODUCTS and len(part.args) == 2 and part.args[0].op is ops.VALUE:
        return part.args[0].payload, part.args[1]
    if part.op is ops.BVSHL and part.args[1].op is ops.VALUE:
        return 1 << part.args[1].payload, part.args[0]
    return (1, part) if part.op in _EXTENDED or part.is_variable else None


def _bytes_from(word: Term) -> Term | None:
    """Where neighbouring bytes of a memory begin, of which a word consists; None if it does not."""
    if any(byte.op is not ops.SELECT or not _is_memory(byte.args[0]) for byte in word.args):
        return None
    *others, lowest = word.args
    memory, address = lowest.args
    assert isinstance(address.sort, BitVec)
    width = address.sort.width
    for distance, byte in enumerate(reversed(others), 1):
        if byte.args[0] is not memory or byte.args[1] is not bvadd(address, bv(distance, width)):
            return None
    return address


def _is_memory(term: Term) -> bool:
    return term.is_variable and isinstance(term.sort, Array) and term.name.startswith(MEMORY)
