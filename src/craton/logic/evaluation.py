"""Models, and the value of a term under one.

A model gives values to variables and tables to functions. Where the standard leaves a result open (division by zero
over Int and Real, conversions out of range), the model may contain a choice; otherwise the result is zero, or, with
`specified_only`, an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod

from craton.errors import CratonError
from craton.logic import ops
from craton.logic.arrays import const_array, store
from craton.logic.build import rebuild
from craton.logic.core import and_, or_
from craton.logic.ieee import RoundingMode, Unspecified
from craton.logic.ops import Op
from craton.logic.semantics import ArrayValue, Value, compute, domain_size, same
from craton.logic.sorts import BOOL, INT, REAL, ROUNDING_MODE, Array, BitVec, Float, Function, Sort
from craton.logic.terms import FALSE, TRUE, Term, bv, rounding, value
from craton.logic.walk import QUANTIFIERS, fold, is_quantified, substitute


class CannotEvaluate(CratonError):
    """A quantifier over infinitely many (or too many) values cannot be evaluated."""


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """A model's interpretation of an uninterpreted function: finitely many entries and a default."""

    default: Value
    entries: Mapping[tuple[Value, ...], Value] = field(default_factory=dict)

    def get(self, arguments: tuple[Value, ...]) -> Value:
        return self.entries.get(arguments, self.default)


@dataclass(frozen=True, slots=True)
class Model:
    """Values of variables (as Python values) and of functions. Missing variables are zero."""

    values: Mapping[Term, Value]
    functions: Mapping[Function, FunctionTable] = field(default_factory=dict)
    choices: Mapping[Op, FunctionTable] = field(
        default_factory=dict
    )  # by arguments, where the standard leaves a result open

    def __getitem__(self, variable: Term) -> Value:
        found = self.values.get(variable)
        return zero(variable.sort) if found is None else found

    def term(self, variable: Term) -> Term:
        """The value of a variable as a term."""
        return constant(self[variable], variable.sort)


def evaluate(term: Term, model: Model | Mapping[Term, Value], *, specified_only: bool = False) -> Value:
    """The value of `term` as `semantics` represents it: an unsigned int for BitVec, a bit pattern for Float, …"""
    return evaluate_all((term,), model, specified_only=specified_only)[0]


def evaluate_all(
    terms: Iterable[Term], model: Model | Mapping[Term, Value], *, specified_only: bool = False
) -> list[Value]:
    """The values of several terms: what they share is evaluated once."""
    model = model if isinstance(model, Model) else Model(model)
    memo: dict[Term, Value] = {}

    def visit(node: Term, values: list[Value]) -> Value:
        op = node.op
        if op is ops.VALUE:
            return node.payload
        if op is ops.VARIABLE:
            return model[node]
        if op is ops.APPLY:
            table = model.functions.get(node.payload)
            return zero(node.sort) if table is None else _applied(node.payload, table, tuple(values))
        try:
            return compute(op, [a.sort for a in node.args], node.payload, values)
        except Unspecified:
            if specified_only:
                raise
            table = model.choices.get(op)
            return zero(node.sort) if table is None else table.get(tuple(values))

    return [fold(_without_quantifiers(term), visit, memo) for term in terms]


def _applied(function: Function, table: FunctionTable, values: tuple[Value, ...]) -> Value:
    """Array arguments are compared extensionally."""
    if any(isinstance(sort, Array) for sort in function.params):
        for arguments, result in table.entries.items():
            if all(map(same, function.params, arguments, values)):
                return result
        return table.default
    return table.get(values)


def satisfies(model: Model | Mapping[Term, Value], formula: Term) -> bool:
    return evaluate(formula, model) is True


def zero(sort: Sort) -> Value:
    """The default value: false, 0, +0.0, RNE, or a constant array of those."""
    if isinstance(sort, BitVec | Float):
        return 0
    if isinstance(sort, Array):
        return ArrayValue(zero(sort.element), {})
    return _ZEROS[sort]


_ZEROS: dict[Sort, Value] = {BOOL: False, INT: 0, REAL: Fraction(0), ROUNDING_MODE: RoundingMode.RNE}


def constant(python_value: Value, sort: Sort) -> Term:
    """A value as a term; arrays become writes to a constant array."""
    if not isinstance(sort, Array):
        return value(python_value, sort)
    term = const_array(sort, constant(python_value.default, sort.element))
    for index, element in python_value.entries.items():
        term = store(term, constant(index, sort.index), constant(element, sort.element))
    return term


# --- quantifiers over few values --------------------------------------------------------------------------------------

_MOST_INSTANCES = 4096


def _without_quantifiers(term: Term) -> Term:
    """Quantifiers over finite sorts written out, innermost first."""
    if not is_quantified(term):
        return term

    def visit(node: Term, args: list[Term]) -> Term:
        if node.op not in QUANTIFIERS:
            return rebuild(node, args) if args else node
        domains = [_domain(v.sort) for v in node.payload]
        if prod(map(len, domains)) > _MOST_INSTANCES:
            raise CannotEvaluate(
                f"cannot evaluate {node.op.name} over more than {_MOST_INSTANCES} values: ask a solver instead"
            )
        instances = (substitute(args[0], dict(zip(node.payload, values, strict=True))) for values in product(*domains))
        return and_(*instances) if node.op is ops.FORALL else or_(*instances)

    return fold(term, visit)


def _domain(sort: Sort) -> Sequence[Term]:
    if sort is BOOL:
        return (FALSE, TRUE)
    if sort is ROUNDING_MODE:
        return tuple(map(rounding, RoundingMode))
    size = domain_size(sort)
    if not isinstance(sort, BitVec) or size is None or size > _MOST_INSTANCES:
        raise CannotEvaluate(f"cannot evaluate a quantifier over {sort}: ask a solver instead")
    return tuple(bv(n, sort.width) for n in range(size))
