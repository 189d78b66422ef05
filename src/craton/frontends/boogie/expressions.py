"""Expressions: type-checked and turned into values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from craton import logic
from craton.frontends.boogie import syntax, values
from craton.frontends.boogie.declarations import Declarations, FunctionDeclaration
from craton.frontends.boogie.errors import BoogieTypeError, UnsupportedBoogie
from craton.frontends.boogie.functions import Functions
from craton.frontends.boogie.types import (
    BOOLEAN,
    INTEGER,
    RATIONAL,
    Basic,
    Map,
    NewInstance,
    PolymorphicMap,
    RecordType,
    Type,
    bits,
    instantiate,
    leaves,
    match,
)
from craton.frontends.boogie.values import Value, truth
from craton.logic import BitVec, Term

_LARGEST_EXPONENT = 64
_COMPARISONS: dict[str, Callable[..., Term]] = {"<": logic.lt, "<=": logic.le, ">": logic.gt, ">=": logic.ge}
_JUNCTIONS = {"&&": logic.and_, "||": logic.or_}
_SUMS: dict[str, Callable[..., Term]] = {"+": logic.add, "-": logic.sub, "*": logic.mul}


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean at some place.

    `shared` gives a global variable or constant its value now; None if there is none or it may not be used here.
    `old` gives the value a global had when the procedure began; None where `old` makes no sense.
    """

    locals: Mapping[str, Value]
    shared: Callable[[str], Value | None]
    old: Callable[[str], Value | None] | None = None
    type_variables: Mapping[str, Type] = field(default_factory=dict)

    def with_locals(self, names: Mapping[str, Value]) -> Scope:
        return replace(self, locals={**self.locals, **names})


@dataclass(frozen=True, slots=True)
class Lambda:
    """A map that stands for a lambda expression, and what is to be assumed of it."""

    map: Value
    definition: Term


@dataclass(frozen=True, slots=True)
class Access:
    """A place in a map: `part` is the map itself or, of a polymorphic one, the instance that begins at that leaf."""

    whole: Value
    part: Value
    begin: int
    indices: Sequence[Value]

    def element(self) -> Value:
        return values.element(self.part, self.indices)

    def updated(self, new: Value) -> Value:
        """The whole map with a new value at this place."""
        part = values.updated(self.part, self.indices, new).leaves
        before, after = self.whole.leaves[: self.begin], self.whole.leaves[self.begin + len(part) :]
        return Value(self.whole.type, (*before, *part, *after))


class Expressions:
    """Lowers expressions of a program. `lambdas` gathers the lambda expressions met since the caller last took them."""

    def __init__(self, declarations: Declarations) -> None:
        self.declarations = declarations
        self.functions = Functions(declarations)
        self._lambdas: list[Lambda] = []
        self._lambda_count = 0

    def formula(self, expression: syntax.Expression, scope: Scope) -> Term:
        return self.value(expression, BOOLEAN, scope).term

    def value(self, expression: syntax.Expression, type_: Type, scope: Scope) -> Value:
        """The value of an expression that must have that type."""
        found = self.lower(expression, scope, type_)
        if found.type != type_:
            raise BoogieTypeError(f"expected {type_}, found {found.type}", expression.at)
        return found

    def constants(self) -> Scope:
        """The scope of axioms and functions: constants only."""
        shared = self.declarations.shared

        def constant(name: str) -> Value | None:
            known = shared.get(name)
            return known.value if known is not None and known.is_constant else None

        return Scope({}, constant)

    def function_body(
        self, function: FunctionDeclaration, parameters: Sequence[Value], meaning: Mapping[str, Type], result: Type
    ) -> Value:
        assert function.body is not None
        scope = replace(
            self.constants(), locals=dict(zip(function.names, parameters, strict=True)), type_variables=meaning
        )
        before = len(self._lambdas)
        found = self.value(function.body, result, scope)
        if len(self._lambdas) > before:
            raise UnsupportedBoogie("a lambda expression in a function", function.at)
        return found

    def take_lambdas(self) -> list[Lambda]:
        taken, self._lambdas = self._lambdas, []
        return taken

    # --- by kind ------------------------------------------------------------------------------------------------------

    def lower(self, expression: syntax.Expression, scope: Scope, expected: Type | None = None) -> Value:
        """The value of an expression; `expected` helps where the text alone leaves a type open."""
        match expression:
            case syntax.Literal():
                return _literal(expression)
            case syntax.Name():
                return self._name(expression, scope)
            case syntax.Chain():
                return self._chain(expression, scope, expected)
            case syntax.Unary(operator="!"):
                return truth(logic.not_(self.formula(expression.operand, scope)))
            case syntax.Unary():
                operand = self._number(expression.operand, scope)
                return Value(operand.type, (logic.neg(operand.term),))
            case syntax.Application():
                return self._application(expression, scope, expected)
            case syntax.Select():
                return self.access(self.lower(expression.map, scope), expression, scope).element()
            case syntax.Update():
                place = self.access(self.lower(expression.map, scope), expression, scope)
                return place.updated(self.value(expression.value, place.element().type, scope))
            case syntax.Extraction():
                return self._extraction(expression, scope)
            case syntax.Field():
                return self.field(self.lower(expression.record, scope), expression)
            case syntax.Record():
                return self._record(expression, scope, expected)
            case syntax.IfThenElse():
                condition = self.formula(expression.condition, scope)
                then = self.lower(expression.then, scope, expected)
                return values.choice(condition, then, self.value(expression.otherwise, then.type, scope))
            case syntax.Quantified():
                return self._quantified(expression, scope)
            case syntax.Let():
                if len(expression.names) != len(expression.values):
                    raise BoogieTypeError(
                        f"{len(expression.names)} names, but {len(expression.values)} values", expression.at
                    )
                bound = [self.lower(value, scope) for value in expression.values]
                inner = scope.with_locals(dict(zip(expression.names, bound, strict=True)))
                return self.lower(expression.body, inner, expected)

    def _name(self, expression: syntax.Name, scope: Scope) -> Value:
        found = scope.locals.get(expression.name) or scope.shared(expression.name)
        if found is None:
            if expression.name in self.declarations.shared:
                raise BoogieTypeError(f"the global variable {expression.name} cannot be used here", expression.at)
            raise BoogieTypeError(f"{expression.name} is not declared", expression.at)
        return found

    def _number(self, expression: syntax.Expression, scope: Scope, expected: Type | None = None) -> Value:
        found = self.lower(expression, scope, expected)
        if found.type not in (INTEGER, RATIONAL):
            raise BoogieTypeError(f"expected int or real, found {found.type}", expression.at)
        return found

    def _record(self, expression: syntax.Record, scope: Scope, expected: Type | None) -> Value:
        wanted = dict(expected.fields) if isinstance(expected, RecordType) else {}
        parts = [(name, self.lower(part, scope, wanted.get(name))) for name, part in expression.fields]
        type_ = RecordType(tuple((name, part.type) for name, part in parts))
        if type_ != expected and isinstance(expected, RecordType):  # the order in which fields are written is free
            order = [name for name, _ in expected.fields]
            if sorted(order) == sorted(name for name, _ in parts):
                parts.sort(key=lambda part: order.index(part[0]))
                type_ = RecordType(tuple((name, part.type) for name, part in parts))
        return Value(type_, tuple(leaf for _, part in parts for leaf in part.leaves))

    def _extraction(self, expression: syntax.Extraction, scope: Scope) -> Value:
        operand = self._bits(expression.bits, scope)
        width = operand.term.sort.width  # type: ignore[attr-defined]
        end, start = expression.end, expression.start
        if not start < end <= width:
            raise BoogieTypeError(f"[{end}:{start}] are no bits of a bv{width}", expression.at)
        return Value(bits(end - start), (logic.extract(end - 1, start, operand.term),))

    def _bits(self, expression: syntax.Expression, scope: Scope) -> Value:
        found = self.lower(expression, scope)
        if not isinstance(found.type, Basic) or not isinstance(found.type.sort, BitVec):
            raise BoogieTypeError(f"expected a bit-vector, found {found.type}", expression.at)
        return found

    # --- maps and records ---------------------------------------------------------------------------------------------

    def access(self, target: Value, expression: syntax.Select | syntax.Update, scope: Scope) -> Access:
        """The place that the indices of an access say."""
        type_, indices, where = target.type, expression.indices, expression.map.at
        if not isinstance(type_, Map | PolymorphicMap):
            raise BoogieTypeError(f"expected a map, found {type_}", where)
        if len(indices) != len(type_.indices):
            raise BoogieTypeError(
                f"a map of type {type_} takes {len(type_.indices)} indices, found {len(indices)}", where
            )
        if isinstance(type_, Map):
            given = [self.value(i, t, scope) for i, t in zip(indices, type_.indices, strict=True)]
            return Access(target, target, 0, given)
        given = [self.lower(i, scope) for i in indices]
        meaning: dict[str, Type] = {}
        for index, wanted, found in zip(indices, type_.indices, given, strict=True):
            if not match(wanted, found.type, meaning):
                raise BoogieTypeError(f"expected {instantiate(wanted, meaning)}, found {found.type}", index.at)
        if len(meaning) < len(type_.parameters):
            raise UnsupportedBoogie("an access to a polymorphic map that leaves a type open", where)
        types = tuple(meaning[name] for name in type_.parameters)
        if types not in type_.instances:
            raise NewInstance(type_, types)
        begin = sum(len(leaves(type_.instance(t))) for t in type_.instances[: type_.instances.index(types)])
        part = type_.instance(types)
        return Access(target, Value(part, target.leaves[begin : begin + len(leaves(part))]), begin, given)

    def field(self, record: Value, expression: syntax.Field) -> Value:
        found = values.field(record, expression.name)
        if found is None:
            raise BoogieTypeError(f"there is no field {expression.name} in {record.type}", expression.at)
        return found

    # --- operators ----------------------------------------------------------------------------------------------------

    def _chain(self, chain: syntax.Chain, scope: Scope, expected: Type | None) -> Value:
        operators = {operator for operator, _ in chain.rest}
        operands = [chain.first, *(operand for _, operand in chain.rest)]
        operator = chain.rest[0][0]
        if operators <= _JUNCTIONS.keys():
            return truth(_JUNCTIONS[operator](*(self.formula(operand, scope) for operand in operands)))
        if operators == {"+"} or operators == {"*"}:
            first = self._number(chain.first, scope, expected)
            terms = [first.term, *(self.value(operand, first.type, scope).term for operand in operands[1:])]
            return Value(first.type, (_SUMS[operator](*terms),))
        if operator == "==>":
            return truth(logic.implies(*(self.formula(operand, scope) for operand in operands)))
        if operator == "**":
            return self._power(chain, scope, expected)
        left = self.lower(chain.first, scope, expected if operator in "+-*/%" else None)
        at = chain.first
        for operator, operand in chain.rest:
            left = self._binary(operator, left, at, operand, scope, expected)
            at = operand
        return left

    def _binary(
        self,
        operator: str,
        left: Value,
        left_syntax: syntax.Expression,
        right_syntax: syntax.Expression,
        scope: Scope,
        expected: Type | None,
    ) -> Value:
        def need(*types: Type) -> None:
            if left.type not in types:
                wanted = " or ".join(map(str, types))
                raise BoogieTypeError(f"'{operator}' expects {wanted}, found {left.type}", left_syntax.at)

        if operator in ("==", "!="):
            same = values.equal(left, self.value(right_syntax, left.type, scope))
            return truth(same if operator == "==" else logic.not_(same))
        if operator in _COMPARISONS:
            need(INTEGER, RATIONAL)
            return truth(_COMPARISONS[operator](left.term, self.value(right_syntax, left.type, scope).term))
        if operator in ("<==>", "<=="):
            need(BOOLEAN)
            right = self.formula(right_syntax, scope)
            return truth(logic.iff(left.term, right) if operator == "<==>" else logic.implies(right, left.term))
        if operator == "++":
            high = self._bits_value(left, left_syntax)
            low = self._bits(right_syntax, scope).term
            joined = logic.concat(high, low)
            return Value(bits(joined.sort.width), (joined,))  # type: ignore[attr-defined]
        if operator in _SUMS:
            need(INTEGER, RATIONAL)
            return Value(left.type, (_SUMS[operator](left.term, self.value(right_syntax, left.type, scope).term),))
        if operator in ("div", "mod", "%"):
            need(INTEGER)
            build = logic.div if operator == "div" else logic.mod
            return Value(INTEGER, (build(left.term, self.value(right_syntax, INTEGER, scope).term),))
        if operator == "/":
            need(INTEGER, RATIONAL)
            return _quotient(left, self._number(right_syntax, scope, left.type), right_syntax, expected)
        raise UnsupportedBoogie(f"the operator '{operator}'", left_syntax.at)

    def _bits_value(self, value: Value, where: syntax.Expression) -> Term:
        if not isinstance(value.type, Basic) or not isinstance(value.type.sort, BitVec):
            raise BoogieTypeError(f"expected a bit-vector, found {value.type}", where.at)
        return value.term

    def _power(self, chain: syntax.Chain, scope: Scope, expected: Type | None) -> Value:
        """Constant exponents are multiplied out."""
        base = self._number(chain.first, scope, expected)
        exponent = self._number(chain.rest[0][1], scope, base.type).term
        if not exponent.is_value or not 0 <= exponent.payload <= _LARGEST_EXPONENT or exponent.payload % 1:
            raise UnsupportedBoogie("'**' with an exponent that is no small constant", chain.at)
        if exponent.payload == 0:
            return Value(base.type, (logic.value(1, base.term.sort),))
        return Value(base.type, (logic.mul(*[base.term] * int(exponent.payload)),))

    # --- applications and quantifiers ---------------------------------------------------------------------------------

    def _application(self, expression: syntax.Application, scope: Scope, expected: Type | None) -> Value:
        name, arguments, at = expression.function, expression.arguments, expression.at
        function = self.declarations.functions.get(name)
        if function is not None:
            given = [
                self.lower(argument, scope, type_ if not function.type_parameters else None)
                for argument, type_ in zip(arguments, function.types, strict=False)
            ]
            given += [self.lower(argument, scope) for argument in arguments[len(given) :]]
            return self.functions.applied(function, given, expected, at, self)
        if name in ("old", "int", "real") and len(arguments) != 1:
            raise BoogieTypeError(f"{name} takes 1 argument, found {len(arguments)}", at)
        if name == "old":
            if scope.old is None:
                raise BoogieTypeError("'old' has no meaning here", at)
            return self.lower(arguments[0], replace(scope, shared=scope.old), expected)
        if name == "int":
            return Value(INTEGER, (logic.to_int(self.value(arguments[0], RATIONAL, scope).term),))
        if name == "real":
            return Value(RATIONAL, (logic.to_real(self.value(arguments[0], INTEGER, scope).term),))
        raise BoogieTypeError(f"function {name} is not declared", at)

    def _quantified(self, expression: syntax.Quantified, scope: Scope) -> Value:
        if expression.type_parameters:
            raise UnsupportedBoogie(f"a {expression.quantifier} over types", expression.at)
        bound: dict[str, Value] = {}
        for v in expression.variables:
            # A global of the same name could come into the scope of this quantifier as an argument of a call.
            name = f"{v.name}!" if v.name in self.declarations.shared else v.name
            bound[v.name] = values.variable(name, self.declarations.types.resolve(v.type, scope.type_variables))
        terms = [leaf for variable in bound.values() for leaf in variable.leaves]
        before = len(self._lambdas)
        inner = scope.with_locals(bound)
        if expression.quantifier == "lambda":
            found = self._lambda(expression, tuple(bound.values()), self.lower(expression.body, inner))
        else:
            quantify = logic.forall if expression.quantifier == "forall" else logic.exists
            found = truth(quantify(terms, self.formula(expression.body, inner)))
        for made in self._lambdas[before:]:
            if not logic.free_variables(made.definition).isdisjoint(terms):
                raise UnsupportedBoogie("a lambda expression over variables of a quantifier around it", expression.at)
        return found

    def _lambda(self, expression: syntax.Quantified, bound: tuple[Value, ...], body: Value) -> Value:
        """A constant map if the body does not vary, else a new map that has the body's value everywhere."""
        type_ = Map(tuple(variable.type for variable in bound), body.type)
        terms = [leaf for variable in bound for leaf in variable.leaves]
        if all(logic.free_variables(leaf).isdisjoint(terms) for leaf in body.leaves):
            return values.constant_map(type_, body)
        self._lambda_count += 1
        map_ = values.variable(f"lambda!{self._lambda_count}", type_)
        definition = logic.forall(terms, values.equal(values.element(map_, bound), body))
        self._lambdas.append(Lambda(map_, definition))
        return map_


def _literal(expression: syntax.Literal) -> Value:
    value = expression.value
    if isinstance(value, bool):
        return truth(logic.bool_(value))
    if isinstance(value, Fraction):
        return Value(RATIONAL, (logic.real(value),))
    if expression.width is not None:
        return Value(bits(expression.width), (logic.bv(value, expression.width),))
    return Value(INTEGER, (logic.int_(value),))


def _quotient(left: Value, right: Value, where: syntax.Expression, expected: Type | None) -> Value:
    """On integers `/` is `div`, as in "This is Boogie 2", unless a real is wanted, as newer Boogie gives it."""
    if left.type != right.type:
        raise BoogieTypeError(f"expected {left.type}, found {right.type}", where.at)
    if left.type == RATIONAL:
        return Value(RATIONAL, (logic.divide(left.term, right.term),))
    if expected == RATIONAL:
        return Value(RATIONAL, (logic.divide(logic.to_real(left.term), logic.to_real(right.term)),))
    return Value(INTEGER, (logic.div(left.term, right.term),))
