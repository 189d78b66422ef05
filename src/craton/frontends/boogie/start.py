"""Where a program begins: axioms, then the procedure or procedures to verify under their preconditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from craton.frontends.boogie import syntax
from craton.frontends.boogie.calls import Calls, Context
from craton.frontends.boogie.declarations import Contract
from craton.frontends.boogie.expressions import Scope
from craton.frontends.boogie.types import leaves
from craton.frontends.boogie.values import Value, equal
from craton.logic import Term, distinct, not_
from craton.program.cfa import Edge, Location, Procedure
from craton.program.origin import SourceRange
from craton.program.statements import Call, Return

START = "$start"


class Start(Calls):
    """Builds the beginning of a program."""

    def __init__(self, context: Context, at: SourceRange) -> None:
        everything = frozenset(name for name, s in context.declarations.shared.items() if not s.is_constant)
        nothing = syntax.Signature((), (), ())
        super().__init__(context, Contract(START, nothing, (), (), everything, (), (), at))

    def before(self, contract: Contract, procedure: Procedure) -> Procedure:
        """The procedure with the beginning in front of it, for one that nothing calls."""
        self._axioms()
        self._requires(contract, _regrouped(self.context, contract, procedure.parameters))
        if self.builder.here == self.builder.entry:
            return procedure
        if self.builder.here is None:  # an assumption is false
            edges = tuple(self.builder.edges)
        else:
            last = self.builder.edges.pop()
            edges = (*self.builder.edges, replace(last, target=procedure.entry), *procedure.edges)
        return replace(
            procedure.with_edges(edges),
            entry=self.builder.entry,
            locals=(*self.builder.locals, *procedure.locals),
        )

    def choose(self, contracts: Sequence[tuple[Contract, Procedure]]) -> Procedure:
        """A procedure that calls any one of these, with arbitrary arguments."""
        self._axioms()
        names = self.context.names
        starts = [names.location() for _ in contracts] if len(contracts) > 1 else []
        if starts:
            self.builder.choose(*starts)
        finish, exit_ = names.location(), names.location()
        for i, (contract, procedure) in enumerate(contracts):
            if starts:
                self.builder.here = starts[i]
            self._call(contract, procedure, finish)
        edges = (*self.builder.edges, Edge(finish, Return(), exit_))
        return Procedure(START, (), (), self.builder.entry, exit_, edges, tuple(self.builder.locals))

    def _call(self, contract: Contract, procedure: Procedure, finish: Location) -> None:
        arguments = tuple(self.builder.temporary(_stem(term), term.sort) for term in procedure.parameters)
        results = tuple(self.builder.temporary(_stem(term), term.sort) for term in procedure.returns)
        for term, like in zip((*arguments, *results), (*procedure.parameters, *procedure.returns), strict=True):
            known = self.context.symbols.get(like)
            if known is not None:
                self.context.symbols[term] = known
        self._requires(contract, _regrouped(self.context, contract, arguments))
        self.builder.origin = contract.at
        self.builder.emit(Call(contract.name, arguments, results))
        self.builder.go(finish)

    def _axioms(self) -> None:
        """What holds from the beginning: axioms, definitions of recursive functions, unique constants, `where`."""
        expressions, declarations = self.expressions, self.context.declarations
        for group in declarations.unique.values():
            if len(group) > 1 and len(group[0].leaves) == 1:
                self.builder.assume(distinct(*(value.term for value in group)))
            else:
                for a, b in combinations(group, 2):
                    self.builder.assume(not_(equal(a, b)))
        for axiom in declarations.axioms:
            self.builder.origin = axiom.at
            self.builder.assume(self.formula(axiom.formula, expressions.constants()))
        self.builder.origin = None
        for definition in expressions.functions.definitions.values():
            self.builder.assume(definition)
        self.assume_wheres(declarations.shared)

    def _requires(self, contract: Contract, given: Mapping[str, Value]) -> None:
        scope = Scope(given, self.context.shared, self.context.shared)
        for condition in contract.requires:
            if not condition.free:  # those that are free the procedure assumes itself
                self.builder.origin = condition.at
                self.builder.assume(self.formula(condition.formula, scope))


def _stem(term: Term) -> str:
    return term.name.replace("::", ".")


def _regrouped(context: Context, contract: Contract, terms: Sequence[Term]) -> dict[str, Value]:
    """Parameters by the names of the declaration, from their leaves."""
    given, position = {}, 0
    for v in contract.signature.parameters:
        type_ = context.declarations.types.resolve(v.type)
        count = len(leaves(type_))
        given[v.name] = Value(type_, tuple(terms[position : position + count]))
        position += count
    return given
