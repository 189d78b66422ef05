"""What a procedure's body shares with its surroundings: variables, `old`, specifications and calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from craton.frontends.boogie import syntax
from craton.frontends.boogie.automaton import Builder, Names
from craton.frontends.boogie.declarations import Contract, Declarations
from craton.frontends.boogie.errors import BoogieTypeError, UnsupportedBoogie
from craton.frontends.boogie.expressions import Expressions, Scope
from craton.frontends.boogie.types import Type, leaf_names
from craton.frontends.boogie.values import Value, variable
from craton.logic import Term, free_variables
from craton.program.cfa import Symbol
from craton.program.origin import SourceRange
from craton.program.statements import Call


@dataclass
class Context:
    """What the lowering of all procedures shares."""

    declarations: Declarations
    expressions: Expressions
    names: Names = field(default_factory=Names)
    symbols: dict[Term, Symbol] = field(default_factory=dict)
    contracts: bool = False
    called: dict[str, None] = field(default_factory=dict)  # procedures that are called and have an implementation

    def shared(self, name: str) -> Value | None:
        known = self.declarations.shared.get(name)
        return known.value if known is not None else None

    def note(self, value: Value, name: str, procedure: str | None, at: SourceRange) -> None:
        """Remembers what a variable stands for in the text."""
        for leaf, suffix in zip(value.leaves, leaf_names(value.type), strict=True):
            if leaf.is_variable:
                self.symbols[leaf] = Symbol(name + suffix, str(value.type), procedure, at, signed=True)


class Calls:
    """The state of lowering one procedure, and its calls."""

    def __init__(self, context: Context, contract: Contract) -> None:
        if contract.signature.type_parameters:
            raise UnsupportedBoogie("a polymorphic procedure", contract.at)
        self.context = context
        self.contract = contract
        self.expressions = context.expressions
        self.builder = Builder(context.names, contract.name)
        self.locals: dict[str, Value] = {}
        self.wheres: dict[str, tuple[syntax.Expression, Scope | None]] = {}  # of locals
        self._olds: dict[str, Value] = {}

    # --- variables ----------------------------------------------------------------------------------------------------

    def declare(self, variables: Iterable[syntax.Variable]) -> tuple[Value, ...]:
        """New locals under these names."""
        made = []
        for v in variables:
            if v.name in self.locals:
                raise BoogieTypeError(f"{v.name} is declared twice", v.at)
            made.append(self._new(v.name, self.context.declarations.types.resolve(v.type), v.at))
            self.locals[v.name] = made[-1]
            if v.where is not None:
                self.wheres[v.name] = (v.where, None)
        return tuple(made)

    def _new(self, name: str, type_: Type, at: SourceRange) -> Value:
        value = variable(self.context.names.name(f"{self.contract.name}::{name}"), type_)
        self.builder.locals.update(dict.fromkeys(value.leaves))
        self.context.note(value, name, self.contract.name, at)
        return value

    def scope(self) -> Scope:
        return Scope(self.locals, self.context.shared, self._old)

    def _old(self, name: str) -> Value | None:
        """What a global was when the procedure began: itself, if the procedure may not change it."""
        shared = self.context.declarations.shared.get(name)
        if shared is None or shared.is_constant or name not in self.contract.modifies:
            return self.context.shared(name)
        if name not in self._olds:
            self._olds[name] = self._new(f"old({name})", shared.value.type, shared.at)
        return self._olds[name]

    def snapshots(self) -> list[tuple[Value, Value]]:
        """Variables that must get a global's value when the procedure begins."""
        pairs = [(old, self.context.shared(name)) for name, old in self._olds.items()]
        return [(old, value) for old, value in pairs if value is not None]

    def variable(self, name: str, at: SourceRange) -> Value:
        """A variable that is to be changed."""
        local = self.locals.get(name)
        if local is not None:
            return local
        shared = self.context.declarations.shared.get(name)
        if shared is None:
            raise BoogieTypeError(f"{name} is not declared", at)
        if shared.is_constant:
            raise BoogieTypeError(f"{name} is a constant and cannot change", at)
        if name not in self.contract.modifies:
            raise BoogieTypeError(
                f"{name} changes, but procedure {self.contract.name} does not say 'modifies {name};'", at
            )
        return shared.value

    # --- conditions ---------------------------------------------------------------------------------------------------

    def formula(self, expression: syntax.Expression, scope: Scope | None = None) -> Term:
        found = self.expressions.formula(expression, scope or self.scope())
        self.define_lambdas()
        return found

    def define_lambdas(self) -> None:
        """Lambda expressions that were met become maps, chosen here to be what they should be."""
        for made in self.expressions.take_lambdas():
            self.builder.locals.update(dict.fromkeys(made.map.leaves))
            self.builder.havoc(*made.map.leaves)
            self.builder.assume(made.definition)

    def havoc(self, names: Sequence[str], at: SourceRange) -> None:
        """Arbitrary values that satisfy the `where` clauses."""
        self.builder.havoc(*(leaf for name in names for leaf in self.variable(name, at).leaves))
        self.assume_wheres(names)

    def assume_wheres(self, names: Iterable[str]) -> None:
        for name in names:
            shared = self.context.declarations.shared.get(name)
            if name in self.wheres:
                where, scope = self.wheres[name]
                self.builder.assume(self.formula(where, scope))
            elif name not in self.locals and shared is not None and shared.where is not None:
                self.builder.assume(self.formula(shared.where, Scope({}, self.context.shared)))

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, statement: syntax.Call) -> None:
        callee = self.context.declarations.procedures.get(statement.procedure)
        if callee is None:
            raise BoogieTypeError(f"procedure {statement.procedure} is not declared", statement.at)
        if callee.signature.type_parameters:
            raise UnsupportedBoogie("a call to a polymorphic procedure", statement.at)
        arguments = self._arguments(statement, callee)
        results = self._results(statement, callee)
        for name in sorted(callee.modifies):
            self.variable(name, statement.at)
        self.builder.origin = statement.at
        given = dict(zip((v.name for v in callee.signature.parameters), arguments, strict=True))
        self.check_requires(callee, given)
        if self.context.contracts or not callee.code:
            self._by_contract(callee, given, results, statement)
        else:
            self.context.called[callee.name] = None
            flat = tuple(leaf for argument in arguments for leaf in argument.leaves)
            self.builder.emit(Call(callee.name, flat, tuple(leaf for result in results for leaf in result.leaves)))

    def _arguments(self, statement: syntax.Call, callee: Contract) -> list[Value]:
        wanted = [self.context.declarations.types.resolve(v.type) for v in callee.signature.parameters]
        if len(statement.arguments) != len(wanted):
            raise BoogieTypeError(
                f"procedure {callee.name} takes {len(wanted)} arguments, found {len(statement.arguments)}", statement.at
            )
        scope = self.scope()
        found = [self.expressions.value(a, t, scope) for a, t in zip(statement.arguments, wanted, strict=True)]
        self.builder.origin = statement.at
        self.define_lambdas()
        return found

    def _results(self, statement: syntax.Call, callee: Contract) -> list[Value]:
        wanted = [self.context.declarations.types.resolve(v.type) for v in callee.signature.returns]
        if len(statement.results) != len(wanted):
            raise BoogieTypeError(
                f"procedure {callee.name} returns {len(wanted)} values, found {len(statement.results)} to take them",
                statement.at,
            )
        if len(set(statement.results)) < len(wanted):
            raise BoogieTypeError("a variable takes two results of this call", statement.at)
        found = [self.variable(name, statement.at) for name in statement.results]
        for name, value, type_ in zip(statement.results, found, wanted, strict=True):
            if value.type != type_:
                raise BoogieTypeError(f"expected {value.type} for {name}, found {type_}", statement.at)
        return found

    def check_requires(self, callee: Contract, given: Mapping[str, Value]) -> None:
        scope = Scope(given, self.context.shared, self.context.shared)
        for condition in callee.requires:
            if not condition.free:
                self.builder.check(
                    self.formula(condition.formula, scope), f"the precondition of {callee.name} at {condition.at}"
                )

    def _by_contract(
        self, callee: Contract, given: Mapping[str, Value], results: Sequence[Value], statement: syntax.Call
    ) -> None:
        """The call as its specification describes it: what may change gets arbitrary values that satisfy `ensures`."""
        changed = {leaf for name in callee.modifies for leaf in self._global(name).leaves}
        taken = {leaf for result in results for leaf in result.leaves}
        names = dict(given)
        for name, value in given.items():  # `ensures` speaks of the arguments as they were
            if any(not free_variables(leaf).isdisjoint(changed | taken) for leaf in value.leaves):
                names[name] = self._saved(value, f"{callee.name}.{name}")
        olds: dict[str, Value] = {}

        def old(name: str) -> Value | None:
            if name not in callee.modifies:
                return self.context.shared(name)
            if name not in olds:
                olds[name] = self._temporary(self._global(name), f"{callee.name}.old({name})")
            return olds[name]

        late: list[tuple[Value, Value]] = []  # a global that takes a result is not what `ensures` means by its name
        for v, result in zip(callee.signature.returns, results, strict=True):
            if any(leaf not in self.builder.locals for leaf in result.leaves):
                names[v.name] = self._temporary(result, f"{callee.name}.{v.name}")
                late.append((result, names[v.name]))
            else:
                names[v.name] = result
        scope = Scope(names, self.context.shared, old)
        wheres = [v.where for v in callee.signature.returns if v.where is not None]
        conditions = [*wheres, *(condition.formula for condition in callee.ensures)]
        formulas = [self.expressions.formula(condition, scope) for condition in conditions]
        for name, value in olds.items():
            self._copy(value, self._global(name))
        modified = [leaf for name in sorted(callee.modifies) for leaf in self._global(name).leaves]
        returned = [leaf for v in callee.signature.returns for leaf in names[v.name].leaves]
        self.builder.havoc(*modified, *returned)
        self.assume_wheres(sorted(callee.modifies))
        self.define_lambdas()
        for formula in formulas:
            self.builder.assume(formula)
        for result, value in late:
            self._copy(result, value)

    def _global(self, name: str) -> Value:
        return self.context.declarations.shared[name].value

    def _temporary(self, like: Value, stem: str) -> Value:
        return Value(like.type, tuple(self.builder.temporary(stem, leaf.sort) for leaf in like.leaves))

    def _saved(self, value: Value, stem: str) -> Value:
        kept = self._temporary(value, stem)
        self._copy(kept, value)
        return kept

    def _copy(self, target: Value, source: Value) -> None:
        for leaf, value in zip(target.leaves, source.leaves, strict=True):
            self.builder.assign(leaf, value)
