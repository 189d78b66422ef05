"""Our picture of a C program: clang's tree, normalised.

Implicit conversions are `CONVERT` nodes; an l-value used as a value is loaded without a node of its own; every
expression has its type. Names are resolved to `Variable` and `Function` objects.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from craton.frontends.c.syntax.types import CType, FunctionType
from craton.program.origin import SourceRange


class Kind(enum.Enum):
    __hash__ = object.__hash__  # kinds are keys of many tables; Enum hashes names, which is slow

    # expressions
    NUMBER = "number"  # value: int, or Fraction | float for floating types
    STRING = "string literal"  # value: bytes without the final zero, op: bytes of a character
    VARIABLE = "variable"  # value: Variable
    FUNCTION = "function"  # value: Function
    MEMBER = "member"  # value: Field; op "." or "->"
    SUBSCRIPT = "subscript"
    DEREFERENCE = "dereference"
    ADDRESS = "address-of"
    UNARY = "unary operator"
    BINARY = "binary operator"
    ASSIGN = "assignment"
    COMPOUND_ASSIGN = "compound assignment"
    STEP = "increment"  # op "++x", "x++", "--x", "x--"
    CONDITIONAL = "conditional operator"
    ELVIS = "conditional operator without middle operand"
    CONVERT = "conversion"
    CALL = "call"
    INIT_LIST = "initialiser list"
    DESIGNATED = "designated initialiser"  # value: list of designators
    COMPOUND_LITERAL = "compound literal"  # value: Variable
    STATEMENT_EXPRESSION = "statement expression"
    SIZE_OF = "sizeof"  # of a type of variable length; value: CType
    VA_ARG = "va_arg"
    LABEL_ADDRESS = "address of a label"  # value: label; op: symbol of its function
    # statements
    COMPOUND = "compound statement"
    DECLARATIONS = "declarations"  # that share a semicolon
    DECLARE = "declaration"  # value: Variable
    DECLARE_TYPE = "type declaration"  # value: CType of variable length
    EXPRESSION = "expression statement"
    IF = "if"
    WHILE = "while"
    DO = "do"
    FOR = "for"  # children: init, condition, step, body, each of which may be None
    SWITCH = "switch"
    CASE = "case"  # value: (low, high)
    DEFAULT = "default"
    LABEL = "label"  # value: its name
    GOTO = "goto"  # value: label
    COMPUTED_GOTO = "computed goto"
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"
    EMPTY = "empty statement"
    ASM = "asm"  # value: Assembly
    UNMODELLED = "unmodelled statement"  # that the reader has no translation for; value: the construct


LVALUES = frozenset({Kind.VARIABLE, Kind.MEMBER, Kind.SUBSCRIPT, Kind.DEREFERENCE, Kind.STRING, Kind.COMPOUND_LITERAL})


# A stretch of text as clang numbers it; only the unit that made it can tell where that is.
Extent = tuple[int, int, int | None, int | None]


DROPS_CONST = "drops const"  # the value of a conversion after which may be written what is `const`


class Node:
    """A node: children may be None only in FOR."""

    __slots__ = ("children", "kind", "op", "range", "type", "value", "volatile")

    def __init__(
        self,
        kind: Kind,
        type_: CType,
        children: tuple[Any, ...] = (),
        op: str = "",
        value: Any = None,
        range_: Extent | None = None,
    ) -> None:
        self.kind = kind
        self.type = type_
        self.children = children
        self.op = op
        self.value = value
        self.range = range_
        self.volatile = False  # an l-value that others may change

    def __repr__(self) -> str:
        return f"{self.kind.name}{self.op and ' ' + self.op}({', '.join(map(repr, self.children))})"


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of inline assembly; the expression is the child of the same number."""

    constraint: str
    name: str = ""  # `[name]`


@dataclass(frozen=True, slots=True)
class Assembly:
    """What an asm statement says of itself. Outputs come first among the children, then inputs, then a `goto` for each
    label that it may jump to.
    """

    template: str
    outputs: tuple[Operand, ...]
    inputs: tuple[Operand, ...]
    clobbers: tuple[str, ...]
    labels: tuple[str, ...]  # of an `asm goto`


def spelling(label: str) -> str:
    """A label as it stands in the text: of several with the same name in a function, all but one have a number."""
    return label.partition("#")[0]


class Storage(enum.Enum):
    GLOBAL = "global"
    STATIC = "static"  # a static local
    LOCAL = "local"
    PARAMETER = "parameter"


class Variable:
    """An object with a name. `dimensions` are the lengths of a variable-length array, innermost first."""

    __slots__ = (
        "constant",
        "defined",
        "dimensions",
        "external",
        "function",
        "in_register",
        "initializer",
        "name",
        "range",
        "storage",
        "type",
    )

    def __init__(self, name: str, type_: CType, storage: Storage, function: str | None) -> None:
        self.name = name
        self.type = type_
        self.storage = storage
        self.function = function
        self.initializer: Node | None = None
        self.dimensions: tuple[Any, ...] = ()  # pairs of ArrayType and Node
        self.range: SourceRange | None = None
        self.defined = True
        self.in_register = False  # as the text wishes, and gcc obeys
        self.external = False  # whether other files may name it
        self.constant = False  # whether it is declared as `const` itself, so that nobody may change it

    def __repr__(self) -> str:
        return self.name


class Function:
    """A function; without a body it is only declared."""

    __slots__ = (
        "__weakref__",
        "body",
        "effectless",
        "handled",
        "inlined",
        "name",
        "parameters",
        "range",
        "stops",
        "symbol",
        "type",
        "unit",
        "weak",
    )

    def __init__(self, name: str, symbol: str, type_: FunctionType, unit: int) -> None:
        self.name = name
        self.symbol = symbol  # unique: differs from `name` for static functions of several files
        self.type = type_
        self.unit = unit
        self.parameters: list[Variable] = []
        self.body: Node | None = None
        # A library function that a handler lowers where it is called by its name; a body serves calls through pointers.
        self.handled = False
        self.stops = False  # is declared not to return
        self.range: SourceRange | None = None
        self.inlined = False  # is put where it is called, or what it calls into it, by compilers that do not optimize
        self.effectless = False  # is declared to have none: compilers call it less often than the text
        self.weak = False  # if nobody defines it, its address is null

    @property
    def is_external(self) -> bool:
        """Whether a call by name leaves the program's text."""
        return self.body is None or self.handled

    def __repr__(self) -> str:
        return self.symbol
