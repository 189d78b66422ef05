"""What a program declares: types, constants, globals, functions, procedures with their implementations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from craton.frontends.boogie import syntax
from craton.frontends.boogie.builtins import builtin
from craton.frontends.boogie.errors import BoogieTypeError, UnsupportedBoogie
from craton.frontends.boogie.types import Instances, Type, Types, TypeVariable, leaves
from craton.frontends.boogie.values import Value, variable
from craton.program.origin import SourceRange


@dataclass(frozen=True, slots=True)
class Shared:
    """A global variable or a constant."""

    name: str
    value: Value
    where: syntax.Expression | None
    is_constant: bool
    at: SourceRange


@dataclass(frozen=True, slots=True)
class FunctionDeclaration:
    name: str
    type_parameters: tuple[str, ...]
    names: tuple[str, ...]
    types: tuple[Type, ...]
    result: Type
    body: syntax.Expression | None
    attributes: tuple[syntax.Attribute, ...]
    at: SourceRange

    def attribute(self, *names: str) -> syntax.Attribute | None:
        return next((a for a in self.attributes if a.name in names), None)


@dataclass(frozen=True, slots=True)
class Code:
    """One implementation of a procedure: a body, with the names its header gives."""

    signature: syntax.Signature
    body: syntax.Body
    at: SourceRange


@dataclass(frozen=True, slots=True)
class Contract:
    """A procedure with its specification and its implementations, of which there may be none."""

    name: str
    signature: syntax.Signature
    requires: tuple[syntax.Requires, ...]
    ensures: tuple[syntax.Ensures, ...]
    modifies: frozenset[str]
    code: tuple[Code, ...]
    attributes: tuple[syntax.Attribute, ...]
    at: SourceRange


@dataclass
class Declarations:
    types: Types
    shared: dict[str, Shared] = field(default_factory=dict)
    functions: dict[str, FunctionDeclaration] = field(default_factory=dict)
    procedures: dict[str, Contract] = field(default_factory=dict)
    axioms: list[syntax.Axiom] = field(default_factory=list)
    unique: dict[Type, list[Value]] = field(default_factory=dict)


def collect(declarations: Sequence[syntax.Declaration], instances: Instances) -> Declarations:
    """All declarations by name; in Boogie their order does not matter. `instances` are those of polymorphic maps."""
    found = Declarations(Types([d for d in declarations if isinstance(d, syntax.TypeDeclaration)], instances))
    for declaration in declarations:
        if isinstance(declaration, syntax.Constants):
            _constants(found, declaration)
        elif isinstance(declaration, syntax.Globals):
            for v in declaration.variables:
                _share(found, Shared(v.name, variable(v.name, found.types.resolve(v.type)), v.where, False, v.at))
        elif isinstance(declaration, syntax.Function):
            if declaration.name in found.functions:
                raise BoogieTypeError(f"function {declaration.name} is declared twice", declaration.at)
            found.functions[declaration.name] = _function(found.types, declaration)
        elif isinstance(declaration, syntax.Axiom):
            found.axioms.append(declaration)
    _procedures(found, declarations)
    return found


def _share(found: Declarations, shared: Shared) -> None:
    if shared.name in found.shared:
        raise BoogieTypeError(f"{shared.name} is declared twice", shared.at)
    found.shared[shared.name] = shared


def _constants(found: Declarations, declaration: syntax.Constants) -> None:
    type_ = found.types.resolve(declaration.type)
    for name in declaration.names:
        value = _builtin_constant(declaration, type_) or variable(name, type_)
        _share(found, Shared(name, value, None, True, declaration.at))
        if declaration.unique:
            found.unique.setdefault(type_, []).append(value)


def _builtin_constant(declaration: syntax.Constants, type_: Type) -> Value | None:
    """`const {:builtin "roundNearestTiesToEven"} RNE: rmode;` and its like."""
    for attribute in declaration.attributes:
        if attribute.name in ("builtin", "bvbuiltin"):
            text = attribute.arguments[0] if attribute.arguments else ""
            operation = builtin(text) if isinstance(text, str) else None
            if operation is None or len(leaves(type_)) != 1:
                raise UnsupportedBoogie(f"the built-in constant {text!r}", attribute.at)
            found = operation(leaves(type_)[0], [])
            if found.sort is not leaves(type_)[0]:
                raise BoogieTypeError(f"{text} is no {type_}", declaration.at)
            return Value(type_, (found,))
    return None


def _function(types: Types, declaration: syntax.Function) -> FunctionDeclaration:
    variables = {name: TypeVariable(name) for name in declaration.type_parameters}
    parameters = list(declaration.parameters)
    # `f(x, y: int)` is read as a type x and a parameter y: a name that is no type belongs to the parameter behind it.
    for i in reversed(range(len(parameters) - 1)):
        type_ = parameters[i].type
        if parameters[i].name is None and parameters[i + 1].name is not None and isinstance(type_, syntax.NamedType):
            if not type_.arguments and type_.name not in variables and not types.is_type(type_.name):
                parameters[i] = syntax.FunctionParameter(type_.name, parameters[i + 1].type)
    return FunctionDeclaration(
        declaration.name,
        declaration.type_parameters,
        tuple(p.name or f"${i}" for i, p in enumerate(parameters)),
        tuple(types.resolve(p.type, variables) for p in parameters),
        types.resolve(declaration.result, variables),
        declaration.body,
        declaration.attributes,
        declaration.at,
    )


def _procedures(found: Declarations, declarations: Sequence[syntax.Declaration]) -> None:
    code: dict[str, list[Code]] = {}
    procedures = [d for d in declarations if isinstance(d, syntax.Procedure)]
    for procedure in procedures:
        if procedure.name in code:
            raise BoogieTypeError(f"procedure {procedure.name} is declared twice", procedure.at)
        code[procedure.name] = []
        if procedure.body is not None:
            code[procedure.name].append(Code(procedure.signature, procedure.body, procedure.at))
    for implementation in declarations:
        if isinstance(implementation, syntax.Implementation):
            if implementation.name not in code:
                raise BoogieTypeError(f"procedure {implementation.name} is not declared", implementation.at)
            code[implementation.name].append(Code(implementation.signature, implementation.body, implementation.at))
    for procedure in procedures:
        contract = _contract(found, procedure, tuple(code[procedure.name]))
        found.procedures[procedure.name] = contract
        for implementation_code in contract.code:
            _check_header(found.types, contract, implementation_code)


def _contract(found: Declarations, procedure: syntax.Procedure, code: tuple[Code, ...]) -> Contract:
    modified: dict[str, None] = {}
    for part in procedure.specification:
        if isinstance(part, syntax.Modifies):
            for name in part.names:
                shared = found.shared.get(name)
                if shared is None or shared.is_constant:
                    raise BoogieTypeError(f"{name} is not a global variable", part.at)
                modified[name] = None
    return Contract(
        procedure.name,
        procedure.signature,
        tuple(p for p in procedure.specification if isinstance(p, syntax.Requires)),
        tuple(p for p in procedure.specification if isinstance(p, syntax.Ensures)),
        frozenset(modified),
        code,
        procedure.attributes,
        procedure.at,
    )


def _check_header(types: Types, contract: Contract, code: Code) -> None:
    """An implementation repeats the procedure's parameters and results, under names of its own."""
    if contract.signature.type_parameters or code.signature.type_parameters:
        return  # refused when the procedure is lowered
    for what, declared, found in (
        ("parameters", contract.signature.parameters, code.signature.parameters),
        ("results", contract.signature.returns, code.signature.returns),
    ):
        if [types.resolve(v.type) for v in declared] != [types.resolve(v.type) for v in found]:
            raise BoogieTypeError(
                f"the {what} of this implementation are not those of procedure {contract.name}", code.at
            )
