"""Templates that users write ([EI] V): `templates=(x - y, i <= n, a[?k]: 3)`.

A template is a term or a formula over variables of the program, by the names that they have there. What sorts they have
is known only where a trace is at hand, so reading gives an expression (`OwnTemplate`), and `typed` makes terms of it:
none where one of its variables is not known, several where several variables have the same name, and two for orders of
bit-vectors, which are signed or unsigned. `?k` is schematic: it stands for any value ([EI] Def. 11).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from craton.logic import (
    BOOL,
    INT,
    REAL,
    Array,
    BitVec,
    Sort,
    Term,
    add,
    and_,
    bv,
    bvadd,
    bvand,
    bvmul,
    bvneg,
    bvor,
    bvsle,
    bvslt,
    bvsrem,
    bvsub,
    bvule,
    bvult,
    bvurem,
    bvxor,
    eq,
    free_variables,
    implies,
    int_,
    le,
    lt,
    mod,
    mul,
    neg,
    not_,
    or_,
    real,
    select,
    sign_extend,
    sub,
    to_real,
    var,
    zero_extend,
)
from craton.registry import ExpressionError, Word
from craton.registry.expressions import Meaning

MOST_MEANINGS = 32  # of a template whose names several variables have


@dataclass(frozen=True, slots=True)
class Name:
    name: str


@dataclass(frozen=True, slots=True)
class Schematic:
    """A variable that stands for any value."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator and what it is applied to; `[]` reads an array."""

    operator: str
    operands: tuple[Expression, ...]


Expression = Name | Schematic | Number | Operation


@dataclass(frozen=True, slots=True)
class OwnTemplate:
    """A term or formula, and what it costs to remember it, where the user says so ([EI] VI-C)."""

    expression: Expression
    cost: int | None = None

    def __str__(self) -> str:
        return _text(self.expression, 0) + ("" if self.cost is None else f": {self.cost}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of variables, in the order in which they are written."""
        return tuple(dict.fromkeys(e.name for e in _parts(self.expression) if isinstance(e, Name)))


def _parts(expression: Expression) -> Iterator[Expression]:
    yield expression
    if isinstance(expression, Operation):
        for operand in expression.operands:
            yield from _parts(operand)


# --- operators, by how tightly they bind ------------------------------------------------------------------------------

_IMPLIES, _OR, _AND, _NOT, _COMPARE, _BITS, _SUM, _PRODUCT, _MINUS, _INDEX = range(1, 11)
_INFIX = {
    "->": _IMPLIES,
    "||": _OR,
    "&&": _AND,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">="), _COMPARE),
    **dict.fromkeys(("&", "|", "^"), _BITS),
    **dict.fromkeys(("+", "-"), _SUM),
    **dict.fromkeys(("*", "%"), _PRODUCT),
}
_SPELLINGS = {"≤": "<=", "≥": ">=", "≠": "!=", "==": "=", "∧": "&&", "∨": "||", "¬": "!", "→": "->"}


def _text(expression: Expression, around: int) -> str:
    match expression:
        case Name(name):
            return name
        case Schematic(name):
            return f"?{name}"
        case Number(value):
            return str(value)
        case Operation("[]", (array, index)):
            return f"{_text(array, _INDEX)}[{_text(index, 0)}]"
        case Operation(operator, (operand,)):
            level = _NOT if operator == "!" else _MINUS
            text = f"{operator}{_text(operand, level)}"
        case Operation(operator, (left, right)):
            level = _INFIX[operator]
            text = f"{_text(left, level)} {operator} {_text(right, level + 1)}"
        case _:
            raise AssertionError(expression)
    return f"({text})" if level < around else text


# --- reading ----------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?P<token>\?[A-Za-z_]\w*|[A-Za-z_$](?:::|[\w$#@.])*|\d+|->|&&|\|\||[<>!=]=|[-+*%&|^<>=!()\[\],:≤≥≠∧∨¬→])"
)


class OwnTemplatesReader:
    """What stands behind `templates=`: templates with commas between them, in parentheses."""

    usage = "(x - y, i <= n, a[?k]: COST, …)"

    def read(self, word: Word, meaning: Meaning) -> tuple[OwnTemplate, ...]:
        if not word.name.startswith("("):
            raise ExpressionError(meaning.text, word.position, "templates are written in parentheses: (x - y, i <= n)")
        return _Reader(meaning.text, word.position, word.position + len(word.name)).templates()

    def text(self, value: Sequence[OwnTemplate]) -> str:
        return f"({', '.join(map(str, value))})"

    def examples(self) -> Sequence[str]:
        return ()


class _Reader:
    """Operator precedence. Positions are those in the whole text."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._tokens: list[tuple[str, int]] = []
        position = start
        while position < end:
            match = _TOKEN.match(text, position, end)
            if match is None:
                at = next(i for i in range(position, end) if not text[i].isspace())
                raise ExpressionError(text, at, f"unexpected {text[at]!r} in a template")
            token = match["token"]
            self._tokens.append((_SPELLINGS.get(token, token), match.start("token")))
            position = match.end()
        self._tokens.append(("", end))
        self._at = 0

    def templates(self) -> tuple[OwnTemplate, ...]:
        self._expect("(")
        found = [self._template()]
        while self._next == ",":
            self._take()
            found.append(self._template())
        self._expect(")")
        return tuple(found)

    def _template(self) -> OwnTemplate:
        position = self._position
        expression = self._expression(1)
        if not any(isinstance(part, Name) for part in _parts(expression)):
            raise ExpressionError(self._text, position, "a template needs a variable of the program")
        if self._next != ":":
            return OwnTemplate(expression)
        self._take()
        if not self._next.isdecimal():
            raise self._unexpected("what the template costs, a whole number")
        return OwnTemplate(expression, int(self._take()))

    def _expression(self, least: int) -> Expression:
        """An expression whose operators bind at least so tightly."""
        left = self._operand()
        while _INFIX.get(self._next, 0) >= least:
            position, operator = self._position, self._take()
            level = _INFIX[operator]
            right = self._expression(level + 1)
            left = Operation(operator, (left, right))
            if level == _COMPARE and _INFIX.get(self._next) == _COMPARE:
                raise ExpressionError(self._text, position, "comparisons are not chained: write a < b && b < c")
        return left

    def _operand(self) -> Expression:
        if self._next == "!":
            self._take()
            return Operation("!", (self._expression(_NOT),))
        if self._next == "-":
            self._take()
            operand = self._expression(_MINUS)
            return Number(-operand.value) if isinstance(operand, Number) else Operation("-", (operand,))
        found = self._primary()
        while self._next == "[":
            self._take()
            found = Operation("[]", (found, self._expression(1)))
            self._expect("]")
        return found

    def _primary(self) -> Expression:
        if self._next == "(":
            self._take()
            inner = self._expression(1)
            self._expect(")")
            return inner
        if self._next[:1] == "?":
            return Schematic(self._take()[1:])
        if self._next.isdecimal():
            return Number(int(self._take()))
        if self._next[:1].isalpha() or self._next[:1] in ("_", "$"):
            return Name(self._take())
        raise self._unexpected("a variable, a number or '('")

    @property
    def _next(self) -> str:
        return self._tokens[self._at][0]

    @property
    def _position(self) -> int:
        return self._tokens[self._at][1]

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1][0]

    def _expect(self, token: str) -> None:
        if self._next != token:
            raise self._unexpected(repr(token))
        self._take()

    def _unexpected(self, expected: str) -> ExpressionError:
        found = repr(self._next) if self._next else "the end"
        return ExpressionError(self._text, self._position, f"expected {expected} in a template, found {found}")


# --- names of variables -----------------------------------------------------------------------------------------------

_COPY = re.compile(r"[@#]\d+")


def is_called(variable: str, name: str) -> bool:
    """Whether a variable of a program has the name that a user writes: all of it (`main::i`), without its function
    (`i`), and whichever scope (`i#2`) or inlined copy of its function (`f@2::i`) it belongs to.
    """
    if variable == name:
        return True
    plain = _COPY.sub("", variable)
    return plain == name or plain.rpartition("::")[2] == name


def check_names(templates: Sequence[OwnTemplate], variables: Collection[str]) -> None:
    """Raises an error if a template has a name that no variable has."""
    for template in templates:
        for name in template.names:
            if not any(is_called(variable, name) for variable in variables):
                text = str(template)
                position = next(m.start("token") for m in _TOKEN.finditer(text) if m["token"] == name)
                known = sorted({_COPY.sub("", v).rpartition("::")[2] for v in variables} - {""})
                raise Meaning(text).unknown(Word(name, position), "variable", [k for k in known if k[0] != "$"])


# --- typing -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TypedTemplate:
    """A term or formula over variables of a place, and its schematic variables."""

    term: Term
    schematic: tuple[Term, ...] = ()


class _Unfit(Exception):
    """The variables of a template do not have sorts that its operators are for."""


def typed(template: OwnTemplate, names: Mapping[str, Sequence[Term]]) -> tuple[TypedTemplate, ...]:
    """What the template means where its names are these variables; each meaning once."""
    found: dict[TypedTemplate, None] = {}
    for chosen in islice(product(*(names.get(name, ()) for name in template.names)), MOST_MEANINGS):
        scope = dict(zip(template.names, chosen, strict=True))
        for signed in (True, False):
            made = _typed(template, scope, signed)
            if made is not None and free_variables(made.term).difference(made.schematic):
                found[made] = None
    return tuple(found)


def _typed(template: OwnTemplate, scope: Mapping[str, Term], signed: bool) -> TypedTemplate | None:
    typing = _Typing(scope, signed)
    try:
        term = typing.term(template.expression, typing.sort(template.expression))
    except _Unfit:
        return None
    return TypedTemplate(term, tuple(typing.schematic.values()))


_ARITHMETIC: dict[str, tuple[Callable[..., Term] | None, Callable[..., Term]]] = {  # of numbers, of bit-vectors
    "+": (add, bvadd),
    "-": (sub, bvsub),
    "*": (mul, bvmul),
    "&": (None, bvand),
    "|": (None, bvor),
    "^": (None, bvxor),
}
_CONNECTIVES: dict[str, Callable[..., Term]] = {"&&": and_, "||": or_, "->": implies, "!": not_}


class _Typing:
    """Sorts go up from variables, and down to numbers and schematic variables, which have none of their own."""

    def __init__(self, scope: Mapping[str, Term], signed: bool) -> None:
        self._scope = scope
        self._signed = signed  # whether bit-vectors are, in what depends on it
        self.schematic: dict[str, Term] = {}

    def sort(self, expression: Expression) -> Sort | None:
        match expression:
            case Name(name):
                return self._scope[name].sort
            case Operation("[]", (array, _)):
                found = self.sort(array)
                if not isinstance(found, Array):
                    raise _Unfit
                return found.element
            case Operation(operator, operands):
                if operator in _CONNECTIVES or _INFIX.get(operator) == _COMPARE:
                    return BOOL
                return self._common(operands)
        return None

    def _common(self, operands: Sequence[Expression]) -> Sort | None:
        """Of two widths the larger, of integers and reals reals."""
        found: Sort | None = None
        for sort in map(self.sort, operands):
            if found is None or sort is None or sort is found:
                found = found or sort
            elif isinstance(sort, BitVec) and isinstance(found, BitVec):
                found = max(sort, found, key=lambda s: s.width)
            elif {sort, found} == {INT, REAL}:
                found = REAL
            else:
                raise _Unfit
        return found

    def term(self, expression: Expression, sort: Sort | None) -> Term:
        """Its term, of a sort that is at least as wide as its own."""
        match expression:
            case Name(name):
                return self._converted(self._scope[name], sort)
            case Number(value):
                return _number(value, sort)
            case Schematic(name):
                return self._bound(name, sort)
            case Operation("[]", (array, index)):
                kind = self.sort(array)
                assert isinstance(kind, Array)
                return self._converted(select(self.term(array, kind), self.term(index, kind.index)), sort)
            case Operation(operator, operands) if operator in _CONNECTIVES:
                return _CONNECTIVES[operator](*(self.term(operand, BOOL) for operand in operands))
            case Operation(operator, operands) if _INFIX.get(operator) == _COMPARE:
                common = self._common(operands)
                left, right = (self.term(operand, common) for operand in operands)
                return self._compared(operator, left, right)
            case Operation(operator, operands):
                return self._computed(operator, [self.term(operand, sort) for operand in operands])
        raise AssertionError(expression)

    def _converted(self, term: Term, sort: Sort | None) -> Term:
        if sort is None or term.sort is sort:
            return term
        if isinstance(sort, BitVec) and isinstance(term.sort, BitVec) and term.sort.width < sort.width:
            return (sign_extend if self._signed else zero_extend)(sort.width - term.sort.width, term)
        if term.sort is INT and sort is REAL:
            return to_real(term)
        raise _Unfit

    def _bound(self, name: str, sort: Sort | None) -> Term:
        if sort is None:
            raise _Unfit
        found = self.schematic.setdefault(name, var(f"?{name}", sort))
        if found.sort is not sort:
            raise _Unfit
        return found

    def _compared(self, operator: str, left: Term, right: Term) -> Term:
        if operator in ("=", "!="):
            equal = eq(left, right)
            return equal if operator == "=" else not_(equal)
        if operator in (">", ">="):
            left, right = right, left
        strict = operator in ("<", ">")
        if left.sort in (INT, REAL):
            return (lt if strict else le)(left, right)
        if not isinstance(left.sort, BitVec):
            raise _Unfit
        if self._signed:
            return (bvslt if strict else bvsle)(left, right)
        return (bvult if strict else bvule)(left, right)

    def _computed(self, operator: str, operands: Sequence[Term]) -> Term:
        sort = operands[0].sort
        bits = isinstance(sort, BitVec)
        if not bits and sort not in (INT, REAL):
            raise _Unfit
        if len(operands) == 1:
            return (bvneg if bits else neg)(*operands)
        if operator == "%":
            if sort is REAL:
                raise _Unfit
            return (bvsrem if self._signed else bvurem)(*operands) if bits else mod(*operands)
        of_numbers, of_bits = _ARITHMETIC[operator]
        make = of_bits if bits else of_numbers
        if make is None:
            raise _Unfit
        return make(*operands)


def _number(value: int, sort: Sort | None) -> Term:
    if isinstance(sort, BitVec):
        return bv(value, sort.width)
    if sort is INT:
        return int_(value)
    if sort is REAL:
        return real(value)
    raise _Unfit
