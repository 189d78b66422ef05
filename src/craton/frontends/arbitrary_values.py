"""C texts that give variables arbitrary values: what `--function` calls a function with.

A pointer is NULL or points to an object of its own with arbitrary contents; a pointer to a function is NULL or one of
our own that returns arbitrary values and changes nothing. A caller can choose every value that is chosen so: what fails
on it, fails. The converse is not claimed: `Choices.memory` says what was looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from craton.frontends.c.errors import Unsupported
from craton.frontends.c.syntax.types import (
    ArrayType,
    CType,
    Floating,
    FunctionType,
    Integer,
    Pointer,
    Record,
    Void,
    is_scalar,
    padding,
)
from craton.program.origin import SourceRange

COUNTER = "craton_i"  # how names of counters begin, and of others that nobody needs to know
_MOST_ELEMENTS = 256
_FEW = 32
_ELEMENTS = 8  # behind a pointer to numbers
_BYTES = 16  # behind a pointer to nothing known, aligned for all types
_DEEPEST = 2  # pointers behind pointers; those that are deeper are NULL
_PLAIN = {1: "signed char", 2: "short", 4: "int", 8: "long long"}  # types that hold what an enumeration does, by size
_NONDET = {
    "_Bool": "bool",
    "char": "char",
    "signed char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned int": "uint",
    "long": "long",
    "unsigned long": "ulong",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "float": "float",
    "double": "double",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be chosen: its name, how a refusal calls it, and where it is declared."""

    name: str
    what: str
    where: SourceRange | None

    def refused(self, kind: str) -> Unsupported:
        return Unsupported(f"{self.what}, {kind},", self.where)

    @property
    def identifier(self) -> str:
        return "craton_" + re.sub(r"\W+", "_", self.name)


def declared(t: CType, name: str) -> str:
    """A declaration: `int (*f)(int)`, `char *names[3]`."""
    if isinstance(t, Pointer):
        inner = isinstance(t.target, ArrayType | FunctionType)
        return declared(t.target, f"(*{name})" if inner else f"*{name}")
    if isinstance(t, ArrayType):
        return declared(t.element, f"{name}[{t.count}]")
    if isinstance(t, FunctionType):
        parameters = ", ".join(declared(one, "") for one in t.parameters)
        return declared(t.result, f"{name}({parameters or 'void'})")
    return f"{_spelled(t)} {name}".rstrip()


def passed(name: str, t: CType) -> str:
    """An argument; what its type says of constants behind two pointers is not known here, so that it is left out."""
    plain = not isinstance(t, Pointer) or not isinstance(t.target, Pointer | ArrayType | FunctionType)
    return name if plain else f"(void *){name}"


def _spelled(t: CType) -> str:
    return t.name if isinstance(t, Integer | Floating) else str(t)


class Choices:
    """Statements that choose values, and what they need: functions that give inputs, with the types they return, and
    objects and functions of their own for pointers, which may also be NULL.
    """

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.read: dict[str, str] = {}
        self.functions: list[str] = []
        self.memory: list[str] = []

    def add(self, statement: str) -> None:
        self.statements.append(statement)

    def argument(self, name: str, t: CType, wanted: Wanted) -> None:
        """A variable of that name with any value."""
        if isinstance(t, Record):
            if not t.tag.isidentifier():
                raise wanted.refused("a struct or union without a name")
            self.add(f"{declared(t, name)};")
            self.fill(name, t, wanted)
        else:
            value = self.scalar(t, wanted)
            self.add(f"{declared(t, name)} = {value};")

    def scalar(self, t: CType, wanted: Wanted, depth: int = 0) -> str:
        """An expression for any value of the type."""
        if isinstance(t, Pointer):
            return self._pointer(t.target, wanted, depth)
        known, plain = None, ""
        if isinstance(t, Integer | Floating):
            plain = t.name
            if isinstance(t, Integer) and t.constants:
                signed = _PLAIN[t.size]
                plain = signed if t.signed else f"unsigned {signed.removeprefix('signed ')}"
            known = _NONDET.get(plain)
        if known is None:
            raise wanted.refused(str(t))
        function = f"__VERIFIER_nondet_{known}"
        self.read[function] = plain
        return f"({_spelled(t)}){function}()" if plain != _spelled(t) or plain == "signed char" else f"{function}()"

    def fill(self, place: str, t: CType, wanted: Wanted, depth: int = 0, nesting: int = 1) -> None:
        """Any value for all parts of an object."""
        if isinstance(t, ArrayType):
            if t.count is None or t.count > _MOST_ELEMENTS:
                raise wanted.refused(f"an array of more than {_MOST_ELEMENTS} elements")
            self._elements(place, t, t.count, wanted, nesting)
        elif isinstance(t, Record):
            self._record(place, t, wanted, depth, nesting)
        else:
            self.add(f"{place} = {self.scalar(t, wanted, depth)};")

    def forget_padding(self, place: str, t: CType, nesting: int = 1) -> None:
        """Any bytes between the members of structs that begin as zeros: those of a copy are arbitrary."""
        if not padding(t):
            return
        if isinstance(t, ArrayType):
            counter = f"{COUNTER}{nesting}"
            self.add(f"for (int {counter} = 0; {counter} < {t.count}; {counter}++) {{")
            self.forget_padding(f"{place}[{counter}]", t.element, nesting + 1)
            self.add("}")
        elif isinstance(t, Record):
            self.add(f"{{ __typeof__({place}) {COUNTER} = {place}; {place} = {COUNTER}; }}")

    def _elements(self, place: str, t: ArrayType, count: int, wanted: Wanted, nesting: int) -> None:
        """One by one where they are few, so that a counterexample tells each; otherwise in a loop."""
        if count <= _FEW:
            for index in range(count):
                self.fill(f"{place}[{index}]", t.element, wanted, _DEEPEST, nesting)
            return
        counter = f"{COUNTER}{nesting}"
        self.add(f"for (int {counter} = 0; {counter} < {count}; {counter}++) {{")
        self.fill(f"{place}[{counter}]", t.element, wanted, _DEEPEST, nesting + 1)
        self.add("}")

    def _record(self, place: str, t: Record, wanted: Wanted, depth: int, nesting: int) -> None:
        if not t.complete:
            raise wanted.refused(f"{t}, which is not defined")
        if t.is_union:
            if not _is_of_numbers(t):
                raise wanted.refused("a union with more than numbers in it")
            bytes_ = ArrayType(Integer(1, 1, False, "unsigned char", False, 1), t.size)
            self.fill(f"((unsigned char *)&{place})", bytes_, wanted, depth, nesting)
            return
        for member in t.fields:
            if not member.name and isinstance(member.type, Record):
                if member.type.is_union:
                    raise wanted.refused("a struct with a union that has no name")
                self.fill(place, member.type, wanted, depth, nesting)
            elif member.name:  # others only fill the space between
                inner = replace(wanted, name=_member(wanted.name, member.name))
                self.fill(f"{place}.{member.name}", member.type, inner, depth, nesting)

    def _pointer(self, target: CType, wanted: Wanted, depth: int) -> str:
        """NULL, or an object or a function that nobody else points to."""
        if depth >= _DEEPEST or (isinstance(target, Record) and not (target.complete and target.tag.isidentifier())):
            self.memory.append(f"`{wanted.name}` is NULL")
            return "0"
        self.read["__VERIFIER_nondet_bool"] = "_Bool"
        name = wanted.identifier
        if isinstance(target, FunctionType):
            self._function(target, name, wanted)
            return f"__VERIFIER_nondet_bool() ? {name} : 0"
        object_, told = _behind(target)
        aligned = " __attribute__((aligned(16)))" if isinstance(target, Void) else ""
        self.add(f"{declared(object_, name)}{aligned};")
        self.memory.append(f"`{wanted.name}` is NULL or points to {told} of its own")
        self.fill(name, object_, replace(wanted, name=f"(*{wanted.name})"), depth + 1)
        pointer = f"(void *){name}" if isinstance(target, Void) else f"{'&' * (object_ is target)}{name}"
        return f"__VERIFIER_nondet_bool() ? {pointer} : 0"

    def _function(self, t: FunctionType, name: str, wanted: Wanted) -> None:
        if t.variadic or not t.prototyped or not (isinstance(t.result, Void) or is_scalar(t.result)):
            raise wanted.refused(f"a pointer to {t}")
        if isinstance(t.result, Pointer):
            value = "return 0; "
        else:
            value = "" if isinstance(t.result, Void) else f"return {self.scalar(t.result, wanted)}; "
        named = ", ".join(declared(one, f"argument_{number}") for number, one in enumerate(t.parameters, 1)) or "void"
        self.functions.append(f"static {declared(t.result, f'{name}({named})')} {{ {value}}}")
        returns = "NULL" if isinstance(t.result, Pointer) else "arbitrary values"
        self.memory.append(
            f"`{wanted.name}` is NULL or a function that "
            + ("does nothing" if isinstance(t.result, Void) else f"only returns {returns}")
        )


def _behind(target: CType) -> tuple[CType, str]:
    """The object that a pointer to the type points to, and in words."""
    if isinstance(target, Void):
        return ArrayType(Integer(1, 1, False, "unsigned char", False, 1), _BYTES), f"{_BYTES} bytes"
    if isinstance(target, Integer | Floating):
        return ArrayType(target, _ELEMENTS), f"{_ELEMENTS} {target}"
    if isinstance(target, ArrayType):
        return ArrayType(target, _ELEMENTS), f"{_ELEMENTS} arrays of {target.count} {target.element}"
    return target, f"one {target}"


def _is_of_numbers(t: CType) -> bool:
    """Whether any bytes are a value of the type."""
    if isinstance(t, Record):
        return t.complete and all(_is_of_numbers(member.type) for member in t.fields)
    if isinstance(t, ArrayType):
        return t.count is not None and _is_of_numbers(t.element)
    return (isinstance(t, Integer) and not t.boolean) or (isinstance(t, Floating) and t.size <= 8)


def _member(name: str, member: str) -> str:
    """`(*p).x` is written as `p->x`."""
    behind = re.fullmatch(r"\(\*(.*)\)", name)
    return f"{name}.{member}" if behind is None else f"{behind[1]}->{member}"
