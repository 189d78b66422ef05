"""Shared by the translations to and from bitwuzla's and cvc5's terms: term traversal, and reading models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from craton.errors import NotExpressible
from craton.logic import core, ops
from craton.logic.evaluation import FunctionTable, Model
from craton.logic.ieee import Unspecified
from craton.logic.semantics import Value, compute
from craton.logic.sorts import Function, Sort
from craton.logic.terms import Term, var
from craton.logic.walk import QUANTIFIERS, free_variables

T = TypeVar("T")


class Writer(ABC, Generic[T]):
    """Translates our terms to a solver's, each node once."""

    def __init__(self) -> None:
        self.terms: dict[Term, T] = {}

    def write(self, root: Term) -> T:
        terms = self.terms
        stack = [root]
        while stack:
            node = stack[-1]
            if node in terms:
                stack.pop()
                continue
            args = []
            for arg in node.args:
                done = terms.get(arg)
                if done is None:
                    stack.append(arg)
                else:
                    args.append(done)
            if len(args) == len(node.args):
                stack.pop()
                terms[node] = self.node(node, args)
        return terms[root]

    @abstractmethod
    def node(self, node: Term, args: list[T]) -> T:
        """One node from its translated arguments."""


class Reader(ABC, Generic[T]):
    """Translates a solver's terms to ours.

    In the solver, bound variables are objects of their own; here they get names that clash with no others.
    """

    def read(self, root: T) -> Term:
        self._constants: set[str] = set()
        self._bound: dict[T, Term] = {}
        done: dict[T, Term] = {}
        order: list[tuple[T, Sequence[T]]] = []
        seen: set[T] = set()
        stack = [root]
        # First collect the names of the constants, so that bound variables avoid them; then read the terms.
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            children = self.children(node)
            order.append((node, children))
            stack.extend(children)
            if self.is_constant(node):
                self._constants.add(self.symbol(node))
        children_of = dict(order)
        stack = [root]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            missing = [c for c in children_of[node] if c not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            done[node] = self.node(node, [done[c] for c in children_of[node]])
        return done[root]

    def bound_variable(self, node: T, sort: Sort) -> Term:
        found = self._bound.get(node)
        if found is None:
            stem = self.symbol(node) or "v"
            name, number = stem, 0
            while name in self._constants:
                name, number = f"{stem}!{number}", number + 1
            self._constants.add(name)
            found = self._bound[node] = var(name, sort)
        return found

    @abstractmethod
    def children(self, node: T) -> Sequence[T]: ...

    @abstractmethod
    def is_constant(self, node: T) -> bool: ...

    @abstractmethod
    def symbol(self, node: T) -> str: ...

    @abstractmethod
    def node(self, node: T, args: list[Term]) -> Term:
        """One node from its translated children."""


def quantified(op_is_forall: bool, parts: Sequence[Term]) -> Term:
    """A quantified term from its bound variables and body."""
    return (core.forall if op_is_forall else core.exists)(parts[:-1], parts[-1])


def not_readable(solver: str, what: Any) -> NotExpressible:
    return NotExpressible(f"{solver} answered with {what}, which has no counterpart in Craton's formulas")


# --- models from "what is the value of this term?" --------------------------------------------------------------------


def model_by_values(formulas: Sequence[Term], value_of: Callable[[Term], Value]) -> Model:
    """The part of the model that `formulas` use: values of their variables, and of functions where they are applied."""
    variables = sorted(frozenset[Term]().union(*map(free_variables, formulas)), key=lambda v: v.serial)
    values = {v: value_of(v) for v in variables}
    entries: dict[Function, dict[tuple[Value, ...], Value]] = {}
    choices: dict[ops.Op, dict[tuple[Value, ...], Value]] = {}
    for node in _outside_quantifiers(formulas):
        if node.op is ops.APPLY:
            entries.setdefault(node.payload, {})[tuple(map(value_of, node.args))] = value_of(node)
        elif node.op in _PARTIAL:
            arguments = tuple(map(value_of, node.args))
            try:
                compute(node.op, [a.sort for a in node.args], node.payload, list(arguments))
            except Unspecified:
                choices.setdefault(node.op, {})[arguments] = value_of(node)
    return Model(
        values,
        {f: FunctionTable(next(iter(table.values())), table) for f, table in entries.items()},
        {op: FunctionTable(0, table) for op, table in choices.items()},
    )


# Operations whose result the standard leaves open for some arguments.
_PARTIAL = frozenset(
    (ops.DIV, ops.MOD, ops.DIVIDE, ops.FP_MIN, ops.FP_MAX, ops.FP_TO_UBV, ops.FP_TO_SBV, ops.FP_TO_REAL)
)


def _outside_quantifiers(roots: Sequence[Term]) -> Iterable[Term]:
    seen: set[Term] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op not in QUANTIFIERS:
            yield node
            stack.extend(node.args)
