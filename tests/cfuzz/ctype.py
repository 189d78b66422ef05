"""The C types that programs are made of, how a declaration of each is spelled, and literals of each.

Widths are kept per data model: `long` and pointers have 32 bits in ILP32 and 64 bits in LP64. Where an answer depends
on the model, the smaller width is the safe one.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Int:
    """An integer type; `kind` is canonical, `spelling` may be a typedef's name or an enum."""

    kind: str
    spelling: str

    @property
    def signed(self) -> bool:
        return KINDS[self.kind].signed

    @property
    def bits(self) -> int:
        """The width that holds in every data model."""
        return KINDS[self.kind].bits


@dataclass(frozen=True, slots=True)
class Float:
    spelling: str


Scalar = Int | Float


@dataclass(frozen=True, slots=True)
class Array:
    element: Type
    length: int


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer that always points to at least `extent` elements (or is null, if `nullable`): its type's invariant."""

    target: Type
    extent: int = 1
    constant: bool = False
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class FunctionPointer:
    """A pointer to one of the functions of this signature."""

    result: Type | None
    parameters: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A member; `bits` makes it a bit-field; an anonymous struct or union member has no name."""

    name: str
    type: Type
    bits: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A struct or union, referred to by `spelling` ("struct S1" or a typedef's name)."""

    spelling: str
    fields: tuple[Field, ...]
    union: bool = False
    packed: bool = False


Type = Int | Float | Array | Pointer | FunctionPointer | Record


@dataclass(frozen=True, slots=True)
class Kind:
    spellings: tuple[str, ...]
    signed: bool
    bits: int
    rank: int
    suffix: str
    nondet: str | None


KINDS: dict[str, Kind] = {
    "bool": Kind(("_Bool",), False, 1, 0, "", "bool"),
    "char": Kind(("char",), True, 8, 1, "", "char"),
    "schar": Kind(("signed char",), True, 8, 1, "", None),
    "uchar": Kind(("unsigned char",), False, 8, 1, "", "uchar"),
    "short": Kind(("short", "short int", "signed short"), True, 16, 2, "", "short"),
    "ushort": Kind(("unsigned short", "unsigned short int"), False, 16, 2, "", "ushort"),
    "int": Kind(("int", "int", "signed int", "signed"), True, 32, 3, "", "int"),
    "uint": Kind(("unsigned int", "unsigned", "unsigned int"), False, 32, 3, "u", "uint"),
    "long": Kind(("long", "long int"), True, 32, 4, "l", "long"),
    "ulong": Kind(("unsigned long", "unsigned long int"), False, 32, 4, "ul", "ulong"),
    "llong": Kind(("long long", "long long int"), True, 64, 5, "ll", None),
    "ullong": Kind(("unsigned long long",), False, 64, 5, "ull", None),
}

INT = Int("int", "int")
UINT = Int("uint", "unsigned int")
LONG = Int("long", "long")
ULONG = Int("ulong", "unsigned long")
LLONG = Int("llong", "long long")
ULLONG = Int("ullong", "unsigned long long")
CHAR = Int("char", "char")
UCHAR = Int("uchar", "unsigned char")
BOOL = Int("bool", "_Bool")
FLOAT = Float("float")
DOUBLE = Float("double")
LONG_DOUBLE = Float("long double")


def promoted(t: Int, bits: int | None = None) -> Int:
    """The type after integer promotion (of a bit-field of `bits` bits, if given)."""
    if KINDS[t.kind].rank < 3 or (bits is not None and bits < 32):
        return INT
    return Int(t.kind, KINDS[t.kind].spellings[0])


def common(a: Int, b: Int) -> Int:
    """The usual arithmetic conversions; of `long` and `unsigned int` the signed reading, that of LP64."""
    a, b = promoted(a), promoted(b)
    if KINDS[a.kind].rank == KINDS[b.kind].rank:
        return b if a.signed else a
    return a if KINDS[a.kind].rank > KINDS[b.kind].rank else b


def common_float(a: Scalar, b: Scalar) -> Float:
    """The usual arithmetic conversions where at least one side is floating."""
    order = ["float", "double", "long double"]
    return Float(max((t.spelling for t in (a, b) if isinstance(t, Float)), key=order.index))


def declare(t: Type, name: str) -> str:
    """The declaration of `name` with type `t`, inside out as C wants it."""
    match t:
        case Int() | Float() | Record():
            return f"{t.spelling} {name}".rstrip()
        case Array(element, length):
            return declare(element, f"{name}[{length}]")
        case Pointer(target, _, constant, _):
            inner = f"(*{name})" if isinstance(target, Array) else f"*{name}"
            return ("const " if constant else "") + declare(target, inner)
        case FunctionPointer(result, parameters):
            return signature(result, f"(*{name})", [declare(p, "") for p in parameters])


def signature(result: Type | None, name: str, parameters: list[str]) -> str:
    """A function declarator."""
    text = f"{name}({', '.join(parameters) or 'void'})"
    return f"void {text}" if result is None else declare(result, text)


def spelled(t: Type) -> str:
    """The type's name, as in a cast or `sizeof`."""
    return declare(t, "")


def scalars(t: Type) -> int:
    """How many scalar objects an object of this type holds."""
    match t:
        case Array(element, length):
            return length * scalars(element)
        case Record(_, fields, union):
            counts = [scalars(f.type) for f in fields]
            return max(counts) if union else sum(counts)
        case _:
            return 1


def has_pointers(t: Type) -> bool:
    """Whether all-zero bytes would break an invariant of the type."""
    match t:
        case Array(element, _):
            return has_pointers(element)
        case Record(_, fields, _):
            return any(has_pointers(f.type) for f in fields)
        case Pointer(_, _, _, nullable):
            return not nullable
        case FunctionPointer():
            return True
        case _:
            return False


def integer_literal(rng: Random, t: Int) -> str:
    """A constant of the type: small, at a boundary, or any; typed by suffix, never by its magnitude."""
    kind = KINDS[t.kind]
    if t.kind == "bool":
        return rng.choice("01")
    bits = min(kind.bits, 64)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind.signed else (0, (1 << bits) - 1)
    roll = rng.random()
    if roll < 0.55:
        value = rng.randint(max(low, -9), 12)
    elif roll < 0.8:
        value = rng.choice(
            [low, high, high - 1, low + 1, high // 2, high // 2 + 1, max(low, -1), 1 << rng.randrange(bits - 1)]
        )
    else:
        value = rng.randint(low, high)
    if t.kind == "char" and 32 <= value < 127 and chr(value) not in "'\\?" and rng.random() < 0.7:
        return f"'{chr(value)}'"
    return spelled_integer(rng, value, kind)


def spelled_integer(rng: Random, value: int, kind: Kind) -> str:
    """The value as an expression of the kind's promoted type."""
    suffix = kind.suffix.upper() if rng.random() < 0.5 else kind.suffix
    if value < 0:
        if value == -(1 << 31) or value == -(1 << 63):
            return f"(-{-value - 1}{suffix} - 1)"
        return f"(-{-value}{suffix})"
    # Hexadecimal constants may turn unsigned where decimal ones turn longer, so both stay within the suffix's range.
    return f"{value:#x}{suffix}" if rng.random() < 0.2 else f"{value}{suffix}"


FLOAT_LITERALS = (
    "0.0 1.0 -1.0 0.5 1.5 -2.25 3.0 10.0 0.1 -0.7 100.25 1e10 -1e10 16777216.0 16777217.0 1e-3 0x1.8p3 0x1.fffffep0 "
    "-0.0 4294967296.0 2147483648.0 1e30 -1e-30 0x1p-126 3.4e38 1e-40 0.3333333333"
).split()


def float_literal(rng: Random, t: Float) -> str:
    """A floating constant, often one where rounding or range matters."""
    text = rng.choice(FLOAT_LITERALS)
    suffix = {"float": rng.choice("fF"), "double": "", "long double": "L"}[t.spelling]
    return f"({text}{suffix})" if text.startswith("-") else f"{text}{suffix}"
