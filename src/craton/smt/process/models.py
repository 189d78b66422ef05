"""A model from `get-value`.

All variables are queried at once. Then the formulas are evaluated bottom-up. Where the evaluation needs a function's
value, or a result that the standard leaves open, it is queried at the arguments' values, so queries stay short however
large the formulas are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from craton.logic import ops
from craton.logic.build import rebuild
from craton.logic.evaluation import FunctionTable, Model, constant, evaluate
from craton.logic.ieee import Unspecified
from craton.logic.ops import Op
from craton.logic.semantics import Value, compute
from craton.logic.smtlib import Dialect, Symbols, to_smtlib
from craton.logic.sorts import Array, Function, Sort
from craton.logic.terms import Term
from craton.logic.walk import QUANTIFIERS, free_variables
from craton.smt.reading import parse_term

AskValues = Callable[[Sequence[str]], list[str]]  # the values of terms, as SMT-LIB text
_AT_ONCE = 500


def read_model(formulas: Sequence[Term], ask: AskValues, dialect: Dialect, symbols: Symbols) -> Model:
    """The part of the model that `formulas` use: their variables, and their functions where they are applied."""
    return _Reading(ask, dialect, symbols).model(formulas)


class _Reading:
    def __init__(self, ask: AskValues, dialect: Dialect, symbols: Symbols) -> None:
        self._ask = ask
        self._dialect = dialect
        self._symbols = symbols
        self._functions: dict[Function, dict[tuple[Value, ...], Value]] = {}
        self._choices: dict[Op, dict[tuple[Value, ...], Value]] = {}

    def model(self, formulas: Sequence[Term]) -> Model:
        variables = sorted(frozenset[Term]().union(*map(free_variables, formulas)), key=lambda v: v.serial)
        values: dict[Term, Value] = {}
        for start in range(0, len(variables), _AT_ONCE):
            some = variables[start : start + _AT_ONCE]
            texts = self._ask([self._symbols.of(v) for v in some])
            values.update((v, _value(text, v.sort)) for v, text in zip(some, texts, strict=True))
        known = dict(values)
        for formula in formulas:
            self._evaluate(formula, known)
        return Model(
            values,
            {f: FunctionTable(next(iter(table.values())), table) for f, table in self._functions.items()},
            {op: FunctionTable(0, table) for op, table in self._choices.items()},
        )

    def _evaluate(self, root: Term, known: dict[Term, Value]) -> None:
        """Bottom-up. Quantified formulas, and everything that depends on their truth, stay unknown."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
            elif node.op in QUANTIFIERS:
                known[node] = _UNKNOWN
            elif missing := [a for a in node.args if a not in known]:
                stack.extend(missing)
            else:
                arguments = [known[a] for a in node.args]
                known[node] = _UNKNOWN if _UNKNOWN in arguments else self._node(node, arguments)

    def _node(self, node: Term, arguments: list[Value]) -> Value:
        if node.op is ops.VALUE:
            return node.payload
        if node.op is ops.APPLY:
            return self._entry(self._functions.setdefault(node.payload, {}), node, arguments)
        try:
            return compute(node.op, [a.sort for a in node.args], node.payload, arguments)
        except Unspecified:
            return self._entry(self._choices.setdefault(node.op, {}), node, arguments)

    def _entry(self, table: dict[tuple[Value, ...], Value], node: Term, arguments: list[Value]) -> Value:
        key = tuple(arguments)
        if key not in table:
            # Not every solver accepts arrays written as lists of entries.
            if not any(isinstance(a.sort, Array) for a in node.args):
                node = rebuild(node, [constant(v, a.sort) for v, a in zip(arguments, node.args, strict=True)])
            (text,) = self._ask([to_smtlib(node, self._dialect, self._symbols)])
            table[key] = _value(text, node.sort)
        return table[key]


_UNKNOWN = object()


def _value(text: str, sort: Sort) -> Value:
    return evaluate(parse_term(text, sort), {})
