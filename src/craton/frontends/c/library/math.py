"""The functions of <math.h> that are exact in IEEE arithmetic.

Floats of the model have one NaN, so its sign and its payload are not known: whoever asks for them gets any. Open is
also which of two zeros is the greater one, and what the extremum of a number and a NaN is that may be a signaling one.
"""

from __future__ import annotations

from collections.abc import Callable

from craton.frontends.c.automaton.arithmetic import convert, float_to_integer, number
from craton.frontends.c.automaton.lvalue import Lvalue, Value
from craton.frontends.c.automaton.rounding import MODE, TO_NEAREST, is_mode
from craton.frontends.c.library.arguments import pointer_lvalue
from craton.frontends.c.library.contract import Lowering
from craton.frontends.c.library.records import Handler, builtins, models, only
from craton.frontends.c.library.signs import only_sign_matters
from craton.frontends.c.syntax.expressions import without_conversions
from craton.frontends.c.syntax.known_roundings import doubtful_rounding
from craton.frontends.c.syntax.nodes import Kind, Node
from craton.frontends.c.syntax.types import CType, Floating
from craton.logic import (
    FALSE,
    RNA,
    RNE,
    RTN,
    RTP,
    RTZ,
    TRUE,
    BitVec,
    Float,
    Term,
    and_,
    bv,
    eq,
    fp_abs,
    fp_add,
    fp_bits,
    fp_fma,
    fp_is_infinite,
    fp_is_nan,
    fp_is_negative,
    fp_is_normal,
    fp_is_subnormal,
    fp_is_zero,
    fp_le,
    fp_lt,
    fp_neg,
    fp_rem,
    fp_round_to_integral,
    fp_sqrt,
    fp_sub,
    fp_value,
    ite,
    not_,
    ops,
    or_,
)


def _float_argument(lower: Lowering, argument: Node, wanted: CType) -> Term:
    value = lower.expressions.scalar(argument)
    if isinstance(wanted, Floating):
        return convert(value, argument.type, wanted)
    return value


def _spelled(names: str) -> str:
    """The functions for double, float and long double, as programs and as headers call them."""
    return " ".join(f"{name} {name}f {name}l __{name} __{name}f __{name}l" for name in names.split())


def _pure(names: str, function: Callable[..., Term]) -> None:
    """Functions from floats to a float of the same type."""

    def handler(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
        return function(*(lower.builder.save(_float_argument(lower, a, node.type)) for a in arguments))

    models(_spelled(names))(handler)


def _round(mode: Term) -> Callable[[Term], Term]:
    return lambda x: fp_round_to_integral(mode, x)


def fmod(x: Term, y: Term) -> Term:
    """x - n·y with n truncated. fp.rem rounds n to nearest; where that went too far, one y is given back, which is
    exact.
    """
    a, b = fp_abs(x), fp_abs(y)
    rest = fp_rem(a, b)
    positive = ite(and_(fp_is_negative(rest), not_(fp_is_zero(rest))), fp_add(RNE, rest, b), fp_abs(rest))
    return ite(fp_is_negative(x), fp_neg(positive), positive)


def _chosen(lower: Lowering) -> Term:
    """What the text does not decide: a counterexample that rests on it has to be run."""
    choice = lower.builder.temporary(BitVec(1))
    lower.builder.havoc(choice)
    lower.context.approximated[lower.function.name] = None
    return eq(choice, bv(1, 1))


def _is_negative(lower: Lowering, x: Term) -> Term:
    """Whether the sign is set; that of a NaN may be."""
    if x.is_value and fp_is_nan(x) is FALSE:
        return fp_is_negative(x)
    return or_(fp_is_negative(x), and_(fp_is_nan(x), _chosen(lower)))


def _with_sign(negative: Term, x: Term) -> Term:
    return ite(negative, fp_neg(fp_abs(x)), fp_abs(x))


def copysign(x: Term, y: Term) -> Term:
    """The sign of a number, or of a NaN that becomes one itself."""
    return _with_sign(fp_is_negative(y), x)


def fdim(x: Term, y: Term) -> Term:
    sort = x.sort
    assert isinstance(sort, Float)
    return ite(or_(fp_is_nan(x), fp_is_nan(y), fp_lt(y, x)), fp_sub(RNE, x, y), fp_bits(0, sort))


# What gives no signaling NaN.
_QUIET = frozenset({ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_DIV, ops.FP_SQRT, ops.FP_FMA, ops.FP_FROM_FP})


def _extremum(names: str, takes_second: Callable[[Term, Term], Term]) -> None:
    """`takes_second`: whether the second of two different numbers is the result."""

    def handler(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
        given = [_float_argument(lower, argument, node.type) for argument in arguments]
        quiet = all(each.is_value or each.op in _QUIET for each in given)
        x, y = (lower.builder.save(each) for each in given)
        second = takes_second(x, y)
        if not (x.is_value and y.is_value):
            second = or_(second, and_(fp_is_zero(x), fp_is_zero(y), _chosen(lower)))
        elif fp_is_zero(x) is TRUE and fp_is_zero(y) is TRUE and x is not y:
            second = _chosen(lower)
        one_is_nan = or_(fp_is_nan(x), fp_is_nan(y))
        sort = x.sort
        assert isinstance(sort, Float)
        signals = FALSE if quiet or one_is_nan is FALSE else and_(one_is_nan, _chosen(lower))
        number_ = ite(fp_is_nan(x), y, ite(fp_is_nan(y), x, ite(second, y, x)))
        return ite(signals, fp_value(float("nan"), sort), number_)

    models(_spelled(names))(handler)


@models(_spelled("copysign"))
def _copysign(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    x, y = (lower.builder.save(_float_argument(lower, argument, node.type)) for argument in arguments)
    return _with_sign(_is_negative(lower, y), x)


@models(_spelled("signbit"))
def _signbit(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Not zero where it is set: gcc gives 1, 512 or -2147483648."""
    width = node.type.size * 8
    negative = _is_negative(lower, lower.builder.save(lower.expressions.scalar(arguments[0])))
    if negative is FALSE or only_sign_matters(lower.function, node):
        return number(negative, width)
    answer = lower.builder.temporary(BitVec(width))
    lower.builder.havoc(answer)
    lower.context.approximated[lower.function.name] = None
    return ite(negative, ite(eq(answer, bv(0, width)), bv(1, width), answer), bv(0, width))


_pure("fabs", fp_abs)
_pure("sqrt", lambda x: fp_sqrt(RNE, x))
_pure("floor", _round(RTN))
_pure("ceil", _round(RTP))
_pure("trunc", _round(RTZ))
_pure("round", _round(RNA))
_pure("rint nearbyint", _round(RNE))
_pure("fmod", fmod)
_pure("remainder drem", fp_rem)
_pure("fdim", fdim)
_extremum("fmax", fp_lt)
_extremum("fmin", lambda x, y: fp_lt(y, x))
_pure("fma", lambda x, y, z: fp_fma(RNE, x, y, z))


def _to_integer(names: str, mode: Term) -> None:
    def handler(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
        return float_to_integer(fp_round_to_integral(mode, lower.expressions.scalar(arguments[0])), node.type)

    for name in names.split():
        models(f"{name} {name}f {name}l")(handler)


_to_integer("lrint llrint", RNE)
_to_integer("lround llround", RNA)


def _predicate(names: str, function: Callable[[Term], Term]) -> None:
    def handler(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
        return number(function(lower.expressions.scalar(arguments[0])), node.type.size * 8)

    for name in names.split():
        models(f"{_spelled(name)} {name}d")(handler)


_predicate("isnan", fp_is_nan)
_predicate("isnormal", fp_is_normal)
_predicate("isfinite finite", lambda x: not_(or_(fp_is_nan(x), fp_is_infinite(x))))


def _is_infinite(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """glibc answers -1 for minus infinity."""
    value = lower.expressions.scalar(arguments[0])
    width = node.type.size * 8
    sign = ite(fp_is_negative(value), bv(-1, width), bv(1, width))
    return ite(fp_is_infinite(value), sign, bv(0, width))


only("isinf isinff isinfl __isinf __isinff __isinfl __builtin_isinf_sign")(_is_infinite)
_predicate("__builtin_isinf", fp_is_infinite)

_FP_NAN, _FP_INFINITE, _FP_ZERO, _FP_SUBNORMAL, _FP_NORMAL = range(5)


def _classify(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.expressions.scalar(arguments[-1])
    cases = [
        (fp_is_nan, _FP_NAN),
        (fp_is_infinite, _FP_INFINITE),
        (fp_is_zero, _FP_ZERO),
        (fp_is_subnormal, _FP_SUBNORMAL),
    ]
    given = [
        lower.expressions.scalar(a) for a in arguments[:-1]
    ]  # __builtin_fpclassify: nan, infinite, normal, subnormal, zero
    answers = {_FP_NAN: 0, _FP_INFINITE: 1, _FP_NORMAL: 2, _FP_SUBNORMAL: 3, _FP_ZERO: 4}
    width = node.type.size * 8

    def answer(kind: int) -> Term:
        return given[answers[kind]] if given else bv(kind, width)

    result = answer(_FP_NORMAL)
    for test, kind in reversed(cases):
        result = ite(test(value), answer(kind), result)
    return result


only("__fpclassify __fpclassifyf __fpclassifyl __builtin_fpclassify __fpclassifyd")(_classify)


def _special(names: str, value: float) -> None:
    def handler(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
        assert isinstance(node.type, Floating)
        return fp_value(value, node.type.sort)

    for name in names.split():
        builtins(f"{name} {name}f {name}l")(handler)


_special("nan nans", float("nan"))
_special("inf huge_val", float("inf"))


def _unordered(op: str) -> Handler:
    def handler(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
        a, b = lower.expressions.scalar(arguments[0]), lower.expressions.scalar(arguments[1])
        tests = {
            "isgreater": lambda: fp_lt(b, a),
            "isgreaterequal": lambda: fp_le(b, a),
            "isless": lambda: fp_lt(a, b),
            "islessequal": lambda: fp_le(a, b),
            "islessgreater": lambda: or_(fp_lt(a, b), fp_lt(b, a)),
            "isunordered": lambda: or_(fp_is_nan(a), fp_is_nan(b)),
        }
        return number(tests[op](), node.type.size * 8)

    return handler


for _name in ("isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered"):
    models(_name)(_unordered(_name))


def _modf(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    value = lower.builder.save(lower.expressions.scalar(arguments[0]))
    target = pointer_lvalue(lower, arguments[1])
    whole = fp_round_to_integral(RTZ, value)
    lower.access.store(Lvalue(node.type, None, 0, target.address, target.place), whole)
    sort = value.sort
    assert isinstance(sort, Float)
    rest = ite(fp_is_infinite(value), fp_bits(0, sort), fp_sub(RNE, value, whole))
    return copysign(rest, value)


only("modf modff modfl")(_modf)


def _sets_mode(lower: Lowering) -> bool:
    return any(function.name == "fesetround" for function in lower.context.scan.functions.values())


@models(_spelled("roundeven"))
def _round_even(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    if _sets_mode(lower):
        raise lower.unsupported("`roundeven` in a program that sets the rounding mode", node)
    return fp_round_to_integral(RNE, lower.expressions.scalar(arguments[0]))


@models("fegetround")
def _get_round(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    if not _sets_mode(lower):
        return TO_NEAREST
    lower.context.globals[MODE] = None
    return MODE


@models("fesetround")
def _set_round(lower: Lowering, node: Node, arguments: tuple[Node, ...]) -> Value:
    """Only as a statement of its own in a function that nobody calls: nothing that rounds may be evaluated before it or
    after it as the compiler likes.
    """
    mode = lower.builder.save(lower.expressions.scalar(arguments[0]))
    alone = lower.function.body is not None and _is_statement(node, lower.function.body)
    scan, symbol = lower.context.scan, lower.function.symbol
    if not alone or symbol in scan.address_taken or scan.callers(symbol):
        raise lower.unsupported("a rounding mode that is not set by a statement of its own in main", node)
    for function in scan.functions.values():
        if doubtful_rounding(function) is not None:
            raise lower.unsupported(
                "a result that compilers may compute, in a program that sets the rounding mode", node
            )
    lower.context.globals[MODE] = None
    lower.builder.assign(MODE, ite(is_mode(mode), mode, MODE))
    return ite(is_mode(mode), bv(0, 32), bv(1, 32))


def _is_statement(wanted: Node, body: Node) -> bool:
    """Whether a call, without what becomes of its result, is a statement."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.kind is Kind.EXPRESSION:
            if without_conversions(node.children[0]) is wanted:
                return True
        waiting += [child for child in node.children if isinstance(child, Node)]
    return False
