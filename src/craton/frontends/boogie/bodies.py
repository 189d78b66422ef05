"""Bodies of procedures: statements become locations and edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from craton.frontends.boogie import syntax, values
from craton.frontends.boogie.calls import Calls, Context
from craton.frontends.boogie.declarations import Code, Contract
from craton.frontends.boogie.errors import BoogieTypeError
from craton.frontends.boogie.expressions import Scope
from craton.frontends.boogie.values import Value
from craton.logic import Term, free_variables, substitute
from craton.program.analysis.control_flow import reachable_edges
from craton.program.cfa import Edge, Location, Procedure
from craton.program.statements import Return


@dataclass(frozen=True, slots=True)
class _Enclosing:
    """A statement that `break` may leave."""

    labels: tuple[str, ...]
    after: Location
    is_loop: bool


class Body(Calls):
    """Lowers a procedure with its implementations; several are alternatives."""

    def __init__(self, context: Context, contract: Contract) -> None:
        super().__init__(context, contract)
        self._leave = context.names.location()
        self._exit = context.names.location()
        self._labels: dict[str, Location] = {}
        self._enclosing: list[_Enclosing] = []

    def lower(self) -> Procedure:
        """The procedure's automaton."""
        code = self.contract.code
        header = code[0].signature if code else self.contract.signature
        parameters, returns = self.declare(header.parameters), self.declare(header.returns)
        entry, begin = self.builder.entry, self.context.names.location()
        self.builder.here = begin
        self._begin(parameters, returns)
        self._alternatives(parameters, returns)
        self.builder.here = self._leave
        self._end(parameters, returns)
        self.builder.here = entry
        self.builder.origin = self.contract.at
        for old, value in self.snapshots():
            self._copy(old, value)
        if self.builder.here == entry:  # no values to remember
            self.builder.entry = begin
        else:
            self.builder.go(begin)
        edges = reachable_edges(self.builder.entry, self.builder.edges)
        return Procedure(
            self.contract.name,
            _flat(parameters),
            _flat(returns),
            self.builder.entry,
            self._exit,
            edges,
            tuple(self.builder.locals),
        )

    # --- specification ------------------------------------------------------------------------------------------------

    def _outside(self, parameters: Sequence[Value], returns: Sequence[Value]) -> dict[str, Value]:
        """Parameters and results under the names of the procedure's declaration; implementations may have others."""
        header = self.contract.signature
        names = [v.name for v in (*header.parameters, *header.returns)]
        return dict(zip(names, (*parameters, *returns), strict=True))

    def _begin(self, parameters: Sequence[Value], returns: Sequence[Value]) -> None:
        """What holds when the procedure begins: `where` clauses and free preconditions; the others were checked."""
        header = self.contract.signature
        scope = Scope(self._outside(parameters, returns), self.context.shared, self.context.shared)
        for v in (*header.parameters, *header.returns):
            if v.where is not None:
                self.builder.origin = v.at
                self.builder.assume(self.formula(v.where, scope))
        for condition in self.contract.requires:
            if condition.free:
                self.builder.origin = condition.at
                self.builder.assume(self.formula(condition.formula, scope))

    def _end(self, parameters: Sequence[Value], returns: Sequence[Value]) -> None:
        """What must hold when the procedure ends, in terms of the names that its declaration gives."""
        scope = Scope(self._outside(parameters, returns), self.context.shared, self._old)
        for condition in self.contract.ensures:
            self.builder.origin = condition.at
            formula = self.formula(condition.formula, scope)
            if condition.free:
                self.builder.assume(formula)
            else:
                self.builder.check(formula, f"the postcondition of {self.contract.name} at {condition.at}")
        self.builder.origin = self.contract.code[0].body.end if self.contract.code else self.contract.at
        if self.builder.here is not None:
            self.builder.edges.append(Edge(self.builder.here, Return(), self._exit, self.builder.origin))

    def _alternatives(self, parameters: Sequence[Value], returns: Sequence[Value]) -> None:
        code = self.contract.code
        starts = [self.context.names.location() for _ in code] if len(code) > 1 else []
        self.builder.origin = self.contract.at
        if starts:
            self.builder.choose(*starts)
        for i, implementation in enumerate(code):
            if starts:
                self.builder.here = starts[i]
            self._rename(implementation, parameters, returns)
            self._implementation(implementation)

    def _rename(self, implementation: Code, parameters: Sequence[Value], returns: Sequence[Value]) -> None:
        """Parameters and results get the names of this implementation."""
        inside = (*implementation.signature.parameters, *implementation.signature.returns)
        outside = self._outside(parameters, returns)
        scope = Scope(outside, self.context.shared, self.context.shared)
        declared = (*self.contract.signature.parameters, *self.contract.signature.returns)
        self.locals, self.wheres = {}, {}
        for v, w, value in zip(inside, declared, outside.values(), strict=True):
            if v.name in self.locals:
                raise BoogieTypeError(f"{v.name} is declared twice", v.at)
            self.locals[v.name] = value
            if w.where is not None:
                self.wheres[v.name] = (w.where, scope)

    def _implementation(self, implementation: Code) -> None:
        body = implementation.body
        self.declare(body.locals)
        self.builder.origin = implementation.at
        self.assume_wheres(v.name for v in body.locals)
        self._labels = {}
        for label in _labels(body.statements):
            if label.name in self._labels:
                raise BoogieTypeError(f"label {label.name} is declared twice", label.at)
            self._labels[label.name] = self.context.names.location()
        self._block(body.statements, _targets(body.statements))
        self.builder.origin = body.end
        self.builder.go(self._leave)

    # --- statements ---------------------------------------------------------------------------------------------------

    def _block(self, statements: Sequence[syntax.Statement], targets: frozenset[str]) -> None:
        labels: list[str] = []
        for statement in statements:
            self.builder.origin = statement.at
            if isinstance(statement, syntax.Label):
                labels.append(statement.name)
                if statement.name in targets:
                    self.builder.go(self._labels[statement.name])
                    self.builder.here = self._labels[statement.name]
            else:
                self._statement(statement, tuple(labels), targets)
                labels.clear()

    def _statement(self, statement: syntax.Statement, labels: tuple[str, ...], targets: frozenset[str]) -> None:
        builder = self.builder
        match statement:
            case syntax.Assert():
                builder.check(self.formula(statement.condition), f"the assertion at {statement.at}")
            case syntax.Assume():
                builder.assume(self.formula(statement.condition))
            case syntax.Havoc():
                self.havoc(statement.names, statement.at)
            case syntax.Assign():
                self._assign(statement)
            case syntax.Call():
                self.call(statement)
            case syntax.Atomic():
                self._block(statement.body, targets)
            case syntax.If():
                self._if(statement, labels, targets)
            case syntax.While():
                self._while(statement, labels, targets)
            case syntax.Goto():
                unknown = [name for name in statement.labels if name not in self._labels]
                if unknown:
                    raise BoogieTypeError(f"there is no label {unknown[0]} in this procedure", statement.at)
                builder.choose(*(self._labels[name] for name in dict.fromkeys(statement.labels)))
            case syntax.Break():
                builder.go(self._break_target(statement))
            case syntax.Return():
                builder.go(self._leave)
            case syntax.Label():
                raise AssertionError("blocks deal with labels")

    def _if(self, statement: syntax.If, labels: tuple[str, ...], targets: frozenset[str]) -> None:
        builder, names = self.builder, self.context.names
        condition = None if statement.condition is None else self.formula(statement.condition)
        then, otherwise, after = names.location(), names.location(), names.location()
        builder.fork(condition, then, otherwise if statement.otherwise else after)
        self._enclosing.append(_Enclosing(labels, after, is_loop=False))
        for start, block in ((then, statement.then), (otherwise, statement.otherwise)):
            if start == then or block:
                builder.here = start
                self._block(block, targets)
                builder.go(after)
        self._enclosing.pop()
        builder.here = after

    def _while(self, statement: syntax.While, labels: tuple[str, ...], targets: frozenset[str]) -> None:
        builder, names = self.builder, self.context.names
        head, body, after = names.location(), names.location(), names.location()
        builder.go(head)
        builder.here = head
        names.loop_heads[head] = statement.at
        holding = []
        for invariant in statement.invariants:
            builder.origin = invariant.at
            formula, before = self.formula(invariant.condition), builder.here
            if invariant.free:
                builder.assume(formula)
            else:
                builder.check(formula, f"the invariant at {invariant.at}")
            holding.append(builder.edge_assuming(formula, before))
        names.invariants[head] = tuple(edge for edge in holding if edge is not None)
        builder.origin = statement.at
        condition = None if statement.condition is None else self.formula(statement.condition)
        builder.fork(condition, body, after)
        self._enclosing.append(_Enclosing(labels, after, is_loop=True))
        builder.here = body
        self._block(statement.body, targets)
        builder.origin = statement.at
        builder.go(head)
        self._enclosing.pop()
        builder.here = after

    def _break_target(self, statement: syntax.Break) -> Location:
        for enclosing in reversed(self._enclosing):
            if enclosing.is_loop if statement.label is None else statement.label in enclosing.labels:
                return enclosing.after
        if statement.label is None:
            raise BoogieTypeError("'break' outside of a loop", statement.at)
        raise BoogieTypeError(f"there is no statement labelled {statement.label} around this 'break'", statement.at)

    # --- assignments --------------------------------------------------------------------------------------------------

    def _assign(self, statement: syntax.Assign) -> None:
        if len(statement.targets) != len(statement.values):
            raise BoogieTypeError(
                f"{len(statement.targets)} variables, but {len(statement.values)} values", statement.at
            )
        pairs: dict[str, list[tuple[Term, Term]]] = {}
        for target, value in zip(statement.targets, statement.values, strict=True):
            name, variable, new = self._update(target, value)
            if name in pairs:
                raise BoogieTypeError(f"{name} is assigned twice", statement.at)
            pairs[name] = list(zip(variable.leaves, new.leaves, strict=True))
        self.define_lambdas()
        self._assign_together([pair for group in pairs.values() for pair in group])

    def _update(self, target: syntax.Expression, value: syntax.Expression) -> tuple[str, Value, Value]:
        """The variable a target is a part of, and its new value."""
        path: list[syntax.Select | syntax.Field] = []
        while isinstance(target, syntax.Select | syntax.Field):
            path.append(target)
            target = target.map if isinstance(target, syntax.Select) else target.record
        assert isinstance(target, syntax.Name), "the grammar allows no other targets"
        variable = self.variable(target.name, target.at)
        return target.name, variable, self._updated(variable, path[::-1], value)

    def _updated(self, old: Value, path: Sequence[syntax.Select | syntax.Field], value: syntax.Expression) -> Value:
        scope = self.scope()
        if not path:
            return self.expressions.value(value, old.type, scope)
        step, rest = path[0], path[1:]
        if isinstance(step, syntax.Field):
            part = self.expressions.field(old, step)
            return values.with_field(old, step.name, self._updated(part, rest, value))
        place = self.expressions.access(old, step, scope)
        return place.updated(self._updated(place.element(), rest, value))

    def _assign_together(self, pairs: list[tuple[Term, Term]]) -> None:
        """All values are those before the statement: a variable that another value still needs waits, and a cycle is
        cut by remembering one variable.
        """
        waiting = [(target, value) for target, value in pairs if target is not value]
        while waiting:
            free = [
                i
                for i, (target, _) in enumerate(waiting)
                if not any(target in free_variables(v) for j, (_, v) in enumerate(waiting) if j != i)
            ]
            if free:
                self.builder.assign(*waiting.pop(free[0]))
                continue
            target = waiting[0][0]
            kept = self.builder.temporary("before", target.sort)
            self.builder.assign(kept, target)
            waiting = [(t, substitute(v, {target: kept}) if i else v) for i, (t, v) in enumerate(waiting)]


def _flat(values_: Sequence[Value]) -> tuple[Term, ...]:
    return tuple(leaf for value in values_ for leaf in value.leaves)


# --- labels -----------------------------------------------------------------------------------------------------------


def every(statements: Sequence[syntax.Statement]) -> Iterator[syntax.Statement]:
    """The statements and all those inside them."""
    stack = list(reversed(statements))
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, syntax.If):
            stack.extend(reversed((*statement.then, *statement.otherwise)))
        elif isinstance(statement, syntax.While | syntax.Atomic):
            stack.extend(reversed(statement.body))


def _labels(statements: Sequence[syntax.Statement]) -> list[syntax.Label]:
    return [statement for statement in every(statements) if isinstance(statement, syntax.Label)]


def _targets(statements: Sequence[syntax.Statement]) -> frozenset[str]:
    """The labels that a goto leads to; the others cost nothing."""
    return frozenset(
        name for statement in every(statements) if isinstance(statement, syntax.Goto) for name in statement.labels
    )
