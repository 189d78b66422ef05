"""The abstract syntax of Boogie: what the parser makes of a text. Every node knows its place (`at`)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from craton.program.origin import SourceRange

# --- types ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamedType:
    """`int`, `bv32`, a declared type, a synonym or a type variable, with arguments: `Field int`."""

    name: str
    arguments: tuple[TypeSyntax, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class MapTypeSyntax:
    """`<parameters>[indices]result`."""

    parameters: tuple[str, ...]
    indices: tuple[TypeSyntax, ...]
    result: TypeSyntax
    at: SourceRange


@dataclass(frozen=True, slots=True)
class RecordTypeSyntax:
    """`{ base: int, offset: int }`."""

    fields: tuple[tuple[str, TypeSyntax], ...]
    at: SourceRange


TypeSyntax = NamedType | MapTypeSyntax | RecordTypeSyntax


# --- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    """`width` is that of a bit-vector literal."""

    value: bool | int | Fraction
    at: SourceRange
    width: int | None = None


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str  # "!" or "-"
    operand: Expression
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Chain:
    """`first op expression op expression …`, operators of one level; `==>` and `**` group to the right, all others to
    the left.
    """

    first: Expression
    rest: tuple[tuple[str, Expression], ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Application:
    function: str
    arguments: tuple[Expression, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Select:
    """`map[indices]`."""

    map: Expression
    indices: tuple[Expression, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Update:
    """`map[indices := value]`."""

    map: Expression
    indices: tuple[Expression, ...]
    value: Expression
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Extraction:
    """`bits[end:start]`: the bits from `start` up to but not including `end`."""

    bits: Expression
    end: int
    start: int
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Field:
    """`record!name`."""

    record: Expression
    name: str
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Record:
    """`{ base: 0, offset: 1 }`."""

    fields: tuple[tuple[str, Expression], ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class IfThenElse:
    condition: Expression
    then: Expression
    otherwise: Expression
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Quantified:
    """`quantifier` is `forall`, `exists` or `lambda`."""

    quantifier: str
    type_parameters: tuple[str, ...]
    variables: tuple[Variable, ...]
    body: Expression
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Let:
    """`(var names := values; body)`."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]
    body: Expression
    at: SourceRange


Expression = (
    Literal
    | Name
    | Unary
    | Chain
    | Application
    | Select
    | Update
    | Extraction
    | Field
    | Record
    | IfThenElse
    | Quantified
    | Let
)


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    type: TypeSyntax
    where: Expression | None
    at: SourceRange


# --- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Assume:
    condition: Expression
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Havoc:
    names: tuple[str, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Assign:
    """Parallel. A target is a name under any number of `Select` and `Field`."""

    targets: tuple[Expression, ...]
    values: tuple[Expression, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Call:
    results: tuple[str, ...]
    procedure: str
    arguments: tuple[Expression, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class If:
    """`condition` is None for `*`."""

    condition: Expression | None
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    at: SourceRange  # of `if (condition)`


@dataclass(frozen=True, slots=True)
class Atomic:
    """A block that runs as one step, which in a program without threads every block does."""

    body: tuple[Statement, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Invariant:
    condition: Expression
    free: bool
    at: SourceRange


@dataclass(frozen=True, slots=True)
class While:
    """`condition` is None for `*`."""

    condition: Expression | None
    invariants: tuple[Invariant, ...]
    body: tuple[Statement, ...]
    at: SourceRange  # of `while (condition)`


@dataclass(frozen=True, slots=True)
class Goto:
    labels: tuple[str, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Break:
    label: str | None
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Return:
    at: SourceRange


Statement = Label | Assert | Assume | Havoc | Assign | Call | Atomic | If | While | Goto | Break | Return


# --- declarations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attribute:
    """`{:name arguments}`; an argument is a text or an expression."""

    name: str
    arguments: tuple[str | Expression, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """`type C a b;` or, with a meaning, `type C a b = …;`."""

    name: str
    parameters: tuple[str, ...]
    meaning: TypeSyntax | None
    attributes: tuple[Attribute, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Constants:
    names: tuple[str, ...]
    type: TypeSyntax
    unique: bool
    attributes: tuple[Attribute, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    name: str | None
    type: TypeSyntax


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    type_parameters: tuple[str, ...]
    parameters: tuple[FunctionParameter, ...]
    result: TypeSyntax
    body: Expression | None
    attributes: tuple[Attribute, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Axiom:
    formula: Expression
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Globals:
    variables: tuple[Variable, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Condition:
    """A `requires` or an `ensures`."""

    formula: Expression
    free: bool
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Requires(Condition):
    pass


@dataclass(frozen=True, slots=True)
class Ensures(Condition):
    pass


@dataclass(frozen=True, slots=True)
class Modifies:
    names: tuple[str, ...]
    at: SourceRange


Specification = Requires | Ensures | Modifies


@dataclass(frozen=True, slots=True)
class Body:
    locals: tuple[Variable, ...]
    statements: tuple[Statement, ...]
    at: SourceRange
    end: SourceRange  # of the closing brace


@dataclass(frozen=True, slots=True)
class Signature:
    type_parameters: tuple[str, ...]
    parameters: tuple[Variable, ...]
    returns: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Procedure:
    name: str
    signature: Signature
    specification: tuple[Specification, ...]
    body: Body | None
    attributes: tuple[Attribute, ...]
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Implementation:
    name: str
    signature: Signature
    body: Body
    attributes: tuple[Attribute, ...]
    at: SourceRange


Declaration = TypeDeclaration | Constants | Function | Axiom | Globals | Procedure | Implementation
