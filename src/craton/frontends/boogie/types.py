"""Boogie's types and how they are encoded.

A value of a type is a tuple of terms, its *leaves*: one for a plain type, one per field for a record, and a map to a
record is one array per field. A map of several indices, or one indexed by a record, is an array of arrays.
Types that the program declares without a meaning are encoded as integers. A polymorphic map is one map for each way in
which the program instantiates it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from craton.frontends.boogie import syntax
from craton.frontends.boogie.errors import BoogieTypeError, UnsupportedBoogie
from craton.logic import BOOL, INT, REAL, ROUNDING_MODE, Array, BitVec, Float, Sort


@dataclass(frozen=True, slots=True)
class Basic:
    """A type with a sort of its own."""

    sort: Sort
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type that is only a name, with arguments if it is a type constructor."""

    name: str
    arguments: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.name, *(f"({a})" if " " in str(a) else str(a) for a in self.arguments)])


@dataclass(frozen=True, slots=True)
class Map:
    indices: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.indices))}]{self.result}"


@dataclass(frozen=True, slots=True)
class PolymorphicMap:
    """`<a>[indices]result`: a map for each of its instances, which are types for the parameters."""

    parameters: tuple[str, ...]
    indices: tuple[Type, ...]
    result: Type
    instances: tuple[tuple[Type, ...], ...] = ()

    def instance(self, types: tuple[Type, ...]) -> Map:
        meaning = dict(zip(self.parameters, types, strict=True))
        return Map(tuple(instantiate(i, meaning) for i in self.indices), instantiate(self.result, meaning))

    def __str__(self) -> str:
        return f"<{', '.join(self.parameters)}>[{', '.join(map(str, self.indices))}]{self.result}"


class NewInstance(Exception):
    """A polymorphic map is used in a way that was not known: the program must be lowered again with it."""

    def __init__(self, map_: PolymorphicMap, types: tuple[Type, ...]) -> None:
        self.map = map_
        self.types = types
        super().__init__(f"{map_} is used with {', '.join(map(str, types))}")


@dataclass(frozen=True, slots=True)
class RecordType:
    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"{{ {', '.join(f'{name}: {type_}' for name, type_ in self.fields)} }}"


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """A type parameter of a polymorphic function or procedure, to be replaced before a value of it is made."""

    name: str

    def __str__(self) -> str:
        return self.name


Type = Basic | Opaque | Map | PolymorphicMap | RecordType | TypeVariable
Instances = dict[PolymorphicMap, dict[tuple[Type, ...], None]]

BOOLEAN = Basic(BOOL, "bool")
INTEGER = Basic(INT, "int")
RATIONAL = Basic(REAL, "real")
ROUNDING = Basic(ROUNDING_MODE, "rmode")
_BASIC = {"bool": BOOLEAN, "int": INTEGER, "real": RATIONAL, "rmode": ROUNDING}


def bits(width: int) -> Basic:
    return Basic(BitVec(width), f"bv{width}")


def leaves(type_: Type) -> tuple[Sort, ...]:
    """The sorts of a value's leaves."""
    if isinstance(type_, Basic):
        return (type_.sort,)
    if isinstance(type_, Opaque):
        return (INT,)
    if isinstance(type_, RecordType):
        return tuple(sort for _, field in type_.fields for sort in leaves(field))
    if isinstance(type_, PolymorphicMap):
        return tuple(sort for types in type_.instances for sort in leaves(type_.instance(types)))
    assert isinstance(type_, Map), f"{type_} is a type variable"
    found = []
    for sort in leaves(type_.result):
        for index in reversed([s for i in type_.indices for s in leaves(i)]):
            sort = Array(index, sort)
        found.append(sort)
    return tuple(found)


def leaf_names(type_: Type) -> tuple[str, ...]:
    """What to add to a variable's name for each leaf: nothing, or the field's path."""
    if isinstance(type_, RecordType):
        return tuple(f"!{name}{rest}" for name, field in type_.fields for rest in leaf_names(field))
    if isinstance(type_, Map):
        return leaf_names(type_.result)
    if isinstance(type_, PolymorphicMap):
        return tuple(
            f"<{', '.join(map(str, types))}>{rest}"
            for types in type_.instances
            for rest in leaf_names(type_.instance(types))
        )
    return ("",)


def has_variables(type_: Type) -> bool:
    if isinstance(type_, TypeVariable):
        return True
    return any(map(has_variables, _parts(type_)))


def _parts(type_: Type) -> tuple[Type, ...]:
    if isinstance(type_, Map):
        return (*type_.indices, type_.result)
    if isinstance(type_, RecordType):
        return tuple(field for _, field in type_.fields)
    return type_.arguments if isinstance(type_, Opaque) else ()


def instantiate(type_: Type, meaning: Mapping[str, Type]) -> Type:
    """The type with its type variables replaced."""
    if not meaning:
        return type_
    if isinstance(type_, TypeVariable):
        return meaning.get(type_.name, type_)
    if isinstance(type_, Opaque):
        return Opaque(type_.name, tuple(instantiate(a, meaning) for a in type_.arguments))
    if isinstance(type_, Map):
        return Map(tuple(instantiate(i, meaning) for i in type_.indices), instantiate(type_.result, meaning))
    if isinstance(type_, RecordType):
        return RecordType(tuple((name, instantiate(field, meaning)) for name, field in type_.fields))
    return type_


def match(pattern: Type, found: Type, meaning: dict[str, Type]) -> bool:
    """Extends `meaning` so that the pattern becomes the type that was found."""
    if isinstance(pattern, TypeVariable):
        return meaning.setdefault(pattern.name, found) == found
    if isinstance(pattern, Opaque) and isinstance(found, Opaque):
        return pattern.name == found.name and _match_all(pattern.arguments, found.arguments, meaning)
    if isinstance(pattern, Map) and isinstance(found, Map):
        return _match_all((*pattern.indices, pattern.result), (*found.indices, found.result), meaning)
    if isinstance(pattern, RecordType) and isinstance(found, RecordType):
        names = [name for name, _ in pattern.fields] == [name for name, _ in found.fields]
        return names and _match_all([t for _, t in pattern.fields], [t for _, t in found.fields], meaning)
    return pattern == found


def _match_all(patterns: Sequence[Type], found: Sequence[Type], meaning: dict[str, Type]) -> bool:
    return len(patterns) == len(found) and all(map(lambda p, f: match(p, f, meaning), patterns, found))


# --- from syntax ------------------------------------------------------------------------------------------------------


class Types:
    """The types a program declares; synonyms are unfolded when they are used."""

    def __init__(self, declarations: Sequence[syntax.TypeDeclaration], instances: Instances) -> None:
        self._instances = instances  # of polymorphic maps
        self._declared: dict[str, syntax.TypeDeclaration] = {}
        self._unfolding: list[str] = []
        self.encoded: dict[str, None] = {}  # types without a meaning, encoded as integers
        for declaration in declarations:
            if declaration.name in self._declared:
                raise BoogieTypeError(f"type {declaration.name} is declared twice", declaration.at)
            self._declared[declaration.name] = declaration

    def is_type(self, name: str) -> bool:
        return name in self._declared or _builtin(name) is not None

    def resolve(self, type_: syntax.TypeSyntax, variables: Mapping[str, Type] | None = None) -> Type:
        """The type that a text means; `variables` are the type parameters in scope."""
        known = variables or {}
        if isinstance(type_, syntax.RecordTypeSyntax):
            fields = tuple((name, self.resolve(field, known)) for name, field in type_.fields)
            if len({name for name, _ in fields}) < len(fields):
                raise BoogieTypeError("a field is declared twice", type_.at)
            return RecordType(fields)
        if isinstance(type_, syntax.MapTypeSyntax):
            if type_.parameters:
                return self._polymorphic(type_, known)
            return Map(tuple(self.resolve(i, known) for i in type_.indices), self.resolve(type_.result, known))
        return self._named(type_, known)

    def _polymorphic(self, type_: syntax.MapTypeSyntax, known: Mapping[str, Type]) -> PolymorphicMap:
        if known:
            raise UnsupportedBoogie("a polymorphic map type inside a polymorphic declaration", type_.at)
        names = tuple(f"${i}" for i in range(len(type_.parameters)))  # how they are called makes no difference
        inner = {name: TypeVariable(new) for name, new in zip(type_.parameters, names, strict=True)}
        indices = tuple(self.resolve(i, inner) for i in type_.indices)
        map_ = PolymorphicMap(names, indices, self.resolve(type_.result, inner))
        return replace(map_, instances=tuple(self._instances.get(map_, ())))

    def _named(self, type_: syntax.NamedType, known: Mapping[str, Type]) -> Type:
        name, arguments = type_.name, tuple(self.resolve(a, known) for a in type_.arguments)
        simple = known.get(name) or (_builtin(name) if name not in self._declared else None)
        if simple is not None:
            if arguments:
                raise BoogieTypeError(f"type {name} takes no arguments", type_.at)
            return simple
        declaration = self._declared.get(name)
        if declaration is None:
            raise BoogieTypeError(f"type {name} is not declared", type_.at)
        if len(arguments) != len(declaration.parameters):
            raise BoogieTypeError(
                f"type {name} takes {len(declaration.parameters)} arguments, found {len(arguments)}", type_.at
            )
        if declaration.meaning is None:
            builtin = self._attributed(declaration)
            if builtin is None:
                self.encoded[name] = None
            return builtin or Opaque(name, arguments)
        if name in self._unfolding:
            raise BoogieTypeError(f"type {name} is defined by itself", declaration.at)
        self._unfolding.append(name)
        try:
            return self.resolve(declaration.meaning, dict(zip(declaration.parameters, arguments, strict=True)))
        finally:
            self._unfolding.pop()

    def _attributed(self, declaration: syntax.TypeDeclaration) -> Basic | None:
        """`type {:builtin "FloatingPoint"} {:indices 8, 24} float;` and its like."""
        texts = {a.name: a.arguments for a in declaration.attributes}
        for key in ("builtin", "bvbuiltin"):
            if key not in texts:
                continue
            name = texts[key][0] if texts[key] else ""
            indices = [a.value for a in texts.get("indices", ()) if isinstance(a, syntax.Literal)]
            if isinstance(name, str):
                words = re.findall(r"[^\s()]+", name)
                words = words[1:] if words[:1] == ["_"] else words
                numbers = [int(w) for w in words[1:] if w.isdigit()] or [int(i) for i in indices]
                sort = _sort_named(words[0] if words else "", numbers)
                if sort is not None:
                    return Basic(sort, declaration.name)
            raise UnsupportedBoogie(f"the built-in type {name!r}", declaration.at)
        return None


def _builtin(name: str) -> Basic | None:
    known = _BASIC.get(name)
    if known is not None:
        return known
    bitvector = re.fullmatch(r"bv([1-9][0-9]*)", name)
    if bitvector:
        return bits(int(bitvector[1]))
    floating = re.fullmatch(r"float([1-9][0-9]*)e([1-9][0-9]*)", name)
    if floating and int(floating[1]) > 1 and int(floating[2]) > 1:
        return Basic(Float(int(floating[2]), int(floating[1])), name)
    return None


def _sort_named(name: str, numbers: Sequence[int]) -> Sort | None:
    """An SMT-LIB sort."""
    plain: dict[str, Sort] = {"Int": INT, "Real": REAL, "Bool": BOOL, "RoundingMode": ROUNDING_MODE}
    plain |= {"Float16": Float(5, 11), "Float32": Float(8, 24), "Float64": Float(11, 53), "Float128": Float(15, 113)}
    if name == "FloatingPoint" and len(numbers) == 2:
        return Float(*numbers)
    if name == "BitVec" and len(numbers) == 1:
        return BitVec(*numbers)
    return plain.get(name)
