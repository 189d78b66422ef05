"""Applications of declared functions: definitions are unfolded, built-in ones become operations, and the others are
uninterpreted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from craton.errors import IllSorted
from craton.frontends.boogie import syntax
from craton.frontends.boogie.builtins import builtin, defined
from craton.frontends.boogie.declarations import Declarations, FunctionDeclaration
from craton.frontends.boogie.errors import BoogieTypeError, UnsupportedBoogie
from craton.frontends.boogie.types import (
    Map,
    RecordType,
    Type,
    has_variables,
    instantiate,
    leaf_names,
    leaves,
    match,
)
from craton.frontends.boogie.values import Value, constant_map, equal, variable
from craton.logic import Function, Term, apply, forall, substitute
from craton.program.analysis.graphs import components
from craton.program.origin import SourceRange

if TYPE_CHECKING:
    from craton.frontends.boogie.expressions import Expressions

Instance = tuple[str, tuple[Type, ...]]


class Functions:
    """The functions of a program. `constants` are those without parameters, `definitions` the axioms that recursive
    ones need, `overapproximated` those marked so: a counterexample that uses one may not be real.
    """

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._bodies: dict[Instance, tuple[tuple[Value, ...], Value]] = {}
        self._recursive = _recursive(declarations)
        self.constants: dict[str, Value] = {}
        self.definitions: dict[Instance, Term] = {}
        self.overapproximated: dict[str, None] = {}

    def applied(
        self,
        function: FunctionDeclaration,
        arguments: Sequence[Value],
        expected: Type | None,
        at: SourceRange,
        expressions: Expressions,
    ) -> Value:
        meaning = _meaning(function, arguments, expected, at)
        result = instantiate(function.result, meaning)
        if function.attribute("overapproximation") is not None:
            self.overapproximated[function.name] = None
        known = _attributed(function, arguments, result, at)
        if known is not None:
            return known
        instance = (function.name, tuple(meaning[name] for name in function.type_parameters))
        if function.body is None:
            return self._uninterpreted(instance, arguments, result)
        parameters, body = self._body(function, instance, meaning, result, expressions)
        mapping = {
            leaf: given
            for parameter, argument in zip(parameters, arguments, strict=True)
            for leaf, given in zip(parameter.leaves, argument.leaves, strict=True)
        }
        return Value(result, tuple(substitute(leaf, mapping) for leaf in body.leaves))

    def _uninterpreted(self, instance: Instance, arguments: Sequence[Value], result: Type) -> Value:
        name, types = instance
        symbol = f"{name}<{', '.join(map(str, types))}>" if types else name
        flat = [leaf for argument in arguments for leaf in argument.leaves]
        if not flat:
            return self.constants.setdefault(symbol, variable(f"{symbol}()", result))
        sorts = tuple(term.sort for term in flat)
        pairs = zip(leaf_names(result), leaves(result), strict=True)
        return Value(result, tuple(apply(Function(symbol + suffix, sorts, sort), *flat) for suffix, sort in pairs))

    def _body(
        self,
        function: FunctionDeclaration,
        instance: Instance,
        meaning: Mapping[str, Type],
        result: Type,
        expressions: Expressions,
    ) -> tuple[tuple[Value, ...], Value]:
        """The parameters as variables and the value the body gives them, for these types."""
        known = self._bodies.get(instance)
        if known is None:
            assert function.body is not None
            parameters = tuple(
                variable(f"{function.name}::{name}", instantiate(type_, meaning))
                for name, type_ in zip(function.names, function.types, strict=True)
            )
            if function.name in self._recursive:
                known = parameters, self._uninterpreted(instance, parameters, result)
                self._bodies[instance] = known
                body = expressions.function_body(function, parameters, meaning, result)
                bound = [leaf for parameter in parameters for leaf in parameter.leaves]
                self.definitions[instance] = forall(bound, equal(known[1], body))
            else:
                known = parameters, expressions.function_body(function, parameters, meaning, result)
                self._bodies[instance] = known
        return known


def _meaning(
    function: FunctionDeclaration, arguments: Sequence[Value], expected: Type | None, at: SourceRange
) -> dict[str, Type]:
    """What the type parameters stand for in this application, which is checked."""
    if len(arguments) != len(function.types):
        raise BoogieTypeError(
            f"function {function.name} takes {len(function.types)} arguments, found {len(arguments)}", at
        )
    meaning: dict[str, Type] = {}
    for i, (type_, argument) in enumerate(zip(function.types, arguments, strict=True)):
        if not match(type_, argument.type, meaning):
            wanted = instantiate(type_, meaning)
            raise BoogieTypeError(f"argument {i + 1} of {function.name}: expected {wanted}, found {argument.type}", at)
    if expected is not None and has_variables(instantiate(function.result, meaning)):
        match(function.result, expected, meaning)
    missing = [name for name in function.type_parameters if name not in meaning]
    if missing:
        raise UnsupportedBoogie(f"an application of {function.name} that leaves the type {missing[0]} open", at)
    return meaning


# --- attributes -------------------------------------------------------------------------------------------------------


def _attributed(
    function: FunctionDeclaration, arguments: Sequence[Value], result: Type, at: SourceRange
) -> Value | None:
    """What an attribute says the function means."""
    try:
        if function.attribute("const_array") is not None:
            return _const_array(function, arguments, result)
        attribute = function.attribute("builtin", "bvbuiltin")
        if attribute is not None:
            return _builtin(function, attribute, arguments, result)
        if function.attribute("smtdefined") is not None:
            return _smt_defined(function, arguments, result)
    except (IllSorted, TypeError) as problem:
        raise BoogieTypeError(f"function {function.name} cannot be built: {problem}", at) from None
    return None


def _const_array(function: FunctionDeclaration, arguments: Sequence[Value], result: Type) -> Value:
    if len(arguments) != 1 or not isinstance(result, Map) or result.result != arguments[0].type:
        raise BoogieTypeError("a const_array function takes T and returns [...]T", function.at)
    return constant_map(result, arguments[0])


def _builtin(
    function: FunctionDeclaration, attribute: syntax.Attribute, arguments: Sequence[Value], result: Type
) -> Value:
    text = attribute.arguments[0] if attribute.arguments else ""
    indices = function.attribute("indices")
    numbers = [int(a.value) for a in indices.arguments if isinstance(a, syntax.Literal)] if indices else []
    operation = builtin(text, numbers) if isinstance(text, str) else None
    if operation is None:
        raise UnsupportedBoogie(f"the built-in function {text!r}", attribute.at)
    (sort,) = leaves(result)
    return _of_sort(function, operation(sort, [argument.term for argument in arguments]), result)


def _smt_defined(function: FunctionDeclaration, arguments: Sequence[Value], result: Type) -> Value:
    """`{:smtdefined "term"}`, for a record one per field, each behind its `{:expand_struct "field"}`."""
    parameters = {name: argument.term for name, argument in zip(function.names, arguments, strict=True)}
    texts: dict[str, str] = {}
    current = ""
    for attribute in function.attributes:
        for argument in attribute.arguments:
            if attribute.name == "expand_struct" and isinstance(argument, str):
                current = argument
            elif attribute.name == "smtdefined" and isinstance(argument, str):
                texts[current] = argument
    parts = result.fields if isinstance(result, RecordType) else (("", result),)
    found: list[Term] = []
    for name, type_ in parts:
        term = defined(texts[name], parameters) if name in texts else None
        if term is None:
            raise UnsupportedBoogie(f"the definition of {function.name} by SMT-LIB text", function.at)
        found.append(_of_sort(function, term, type_).term)
    return Value(result, tuple(found))


def _of_sort(function: FunctionDeclaration, term: Term, type_: Type) -> Value:
    if (term.sort,) != leaves(type_):
        raise BoogieTypeError(f"function {function.name} should return {type_}, but gives {term.sort}", function.at)
    return Value(type_, (term,))


# --- recursion --------------------------------------------------------------------------------------------------------


def _recursive(declarations: Declarations) -> frozenset[str]:
    """Functions whose definition leads back to themselves: they cannot be unfolded."""
    graph = {
        name: list(dict.fromkeys(applications(function.body))) if function.body is not None else []
        for name, function in declarations.functions.items()
    }
    return frozenset(
        name
        for group in components({name: [n for n in called if n in graph] for name, called in graph.items()})
        for name in group
        if len(group) > 1 or name in graph[name]
    )


def applications(root: Any) -> Iterator[str]:
    """The functions that are applied somewhere below a node of the syntax."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif is_dataclass(node) and not isinstance(node, SourceRange):
            if isinstance(node, syntax.Application):
                yield node.function
            stack.extend(getattr(node, f.name) for f in fields(node))
