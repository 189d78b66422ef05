"""States: what is known of variables at one point, and what terms, assumptions and statements make of it.

Law: if a concrete state is in an abstract one, each successor of it is in the abstract successor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from craton.facts import backwards, floats, operations
from craton.facts.floats import FloatRange, Mode
from craton.facts.operations import BINARY, COMPARISONS, MAYBE, NO, UNARY, YES, truth
from craton.facts.ranges import Range, constant, join, made, meet, top
from craton.logic import BOOL, ROUNDING_MODE, TRUE, BitVec, Float, Sort, Term, not_, ops
from craton.logic.walk import fold
from craton.program.cfa import Location
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Statement

Known = Range | FloatRange
State = Mapping[Term, Known]  # variables that it does not mention have any value

MOST_CASES = 12  # alternatives of an assumption that are looked at one by one
DEEPEST = 40  # connectives inside of each other
MOST_WAYS = 16  # that lead to one place inside of a block, before they are joined
MOST_STATES = 4_000  # on all ways through a block: through large ones there are fewer
MOST_STEPS = 30  # from the value of a term to those of its parts


def width_of(sort: Sort) -> int | None:
    """The width of ranges of that sort; None if there are none."""
    return sort.width if isinstance(sort, BitVec) else 1 if sort is BOOL else None


def anything(sort: Sort) -> Known | None:
    """What is known of any value of that sort; None if values of that sort are not followed."""
    width = width_of(sort)
    if width is not None:
        return top(width)
    return floats.any_float(sort) if isinstance(sort, Float) and floats.has_ranges(sort) else None


def either(a: Known, b: Known) -> Known:
    """What holds of both; they are of one sort."""
    if isinstance(a, Range):
        assert isinstance(b, Range)
        return join(a, b)
    assert isinstance(b, FloatRange)
    return floats.join(a, b)


def both(a: Known, b: Known) -> Known | None:
    """What two say of one value; None if they exclude each other."""
    if isinstance(a, Range):
        assert isinstance(b, Range)
        return meet(a, b)
    assert isinstance(b, FloatRange)
    return floats.meet(a, b)


def _is_included(a: Known, b: Known) -> bool:
    if isinstance(a, Range):
        return isinstance(b, Range) and b.includes(a)
    return isinstance(b, FloatRange) and b.includes(a)


def _says_nothing(known: Known) -> bool:
    return known == top(known.width) if isinstance(known, Range) else known.is_top


def joined(a: State, b: State) -> State:
    """What both know."""
    if a is b:
        return a
    found: dict[Term, Known] = {}
    for variable, known in a.items():
        other = b.get(variable)
        if other is not None:
            shared = either(known, other)
            if not _says_nothing(shared):
                found[variable] = shared
    return found


def includes(a: State, b: State) -> bool:
    """Whether all that `a` says holds in `b`."""
    return all((other := b.get(variable)) is not None and _is_included(other, known) for variable, known in a.items())


# --- terms ------------------------------------------------------------------------------------------------------------


def value(term: Term, state: State) -> Range | None:
    """The range of a term; None if it is neither a bit-vector nor a Boolean."""
    found = known_of(term, state)
    return found if isinstance(found, Range) else None


def known_of(term: Term, state: State) -> Known | None:
    """What is known of a term's value; None if values of its sort are not followed."""
    return fold(term, lambda node, args: _visit(node, args, state))


def _visit(node: Term, args: list[Known | None], state: State) -> Known | None:
    nothing = anything(node.sort)
    if nothing is None:
        return None
    if node.op is ops.VARIABLE:
        return state.get(node) or nothing
    if node.op is ops.VALUE:
        return _literal(node)
    if node.op is ops.ITE:
        return _choice(*args)
    of_floats = _of_floats(node, args)
    if of_floats is not None:
        return of_floats
    known = [arg for arg in args if isinstance(arg, Range)]
    if len(known) != len(args) or not args or isinstance(nothing, FloatRange):
        return nothing
    made_of = result(node, known)
    return nothing if made_of is None else made_of


def _literal(node: Term) -> Known:
    if isinstance(node.sort, Float):
        return floats.float_constant(node.sort, node.payload)
    return constant(int(node.payload), width_of(node.sort) or 1)


def _choice(condition: Known | None, then: Known | None, otherwise: Known | None) -> Known | None:
    if then is None or otherwise is None or condition is None:
        return None
    return then if condition == YES else otherwise if condition == NO else either(then, otherwise)


def mode_of(node: Term) -> Mode:
    """How an operation rounds, if that is known."""
    first = node.args[0]
    return first.payload if first.op is ops.VALUE and first.sort is ROUNDING_MODE else None


def _of_floats(node: Term, args: Sequence[Known | None]) -> Known | None:
    """The result of an operation on floats, or with floats as the result; None if it is no such operation."""
    op, known = node.op, [arg for arg in args if isinstance(arg, FloatRange)]
    if len(known) == 2:
        if op in floats.ALIKE and node.args[1] is node.args[2]:
            return floats.ALIKE[op](mode_of(node), known[0])
        if op in floats.BINARY:
            return floats.BINARY[op](mode_of(node), *known)
        if op in floats.CHOICES:
            return floats.CHOICES[op](*known)
        return truth(floats.COMPARISONS[op](*known)) if op in floats.COMPARISONS and len(args) == 2 else None
    if len(known) == 1:
        return _of_one_float(node, known[0])
    return _of_bits(node, [arg for arg in args if isinstance(arg, Range)])


def _of_one_float(node: Term, known: FloatRange) -> Known | None:
    op = node.op
    if op in floats.SIGNS:
        return floats.SIGNS[op](known)
    if op in floats.UNARY:
        return floats.UNARY[op](mode_of(node), known)
    if op in floats.CLASSES:
        return truth(floats.CLASSES[op](known))
    if op is ops.FP_FROM_FP and isinstance(node.sort, Float) and floats.has_ranges(node.sort):
        return floats.converted(node.sort, mode_of(node), known)
    if op in (ops.FP_TO_SBV, ops.FP_TO_UBV):
        return floats.to_integers(node.payload[0], mode_of(node), known, signed=op is ops.FP_TO_SBV)
    return None


def _of_bits(node: Term, args: Sequence[Range]) -> Known | None:
    if len(args) != 1 or not isinstance(node.sort, Float):
        return None
    if node.op is ops.FP_FROM_BITS:
        return floats.from_bits(node.sort, args[0])
    if node.op is ops.FP_FROM_SIGNED:
        return floats.from_integers(node.sort, mode_of(node), args[0].least, args[0].most)
    if node.op is ops.FP_FROM_UNSIGNED:
        return floats.from_integers(node.sort, mode_of(node), args[0].low, args[0].high)
    return None


def result(node: Term, args: Sequence[Range]) -> Range | None:
    """The range of an operation on bit-vectors or Booleans; None if nothing is known of it."""
    op = node.op
    binary = BINARY.get(op)
    if binary is not None:
        return reduce(binary, args)
    compared = COMPARISONS.get(op)
    if compared is not None and len(args) == 2:
        return truth(compared(*args))
    unary = UNARY.get(op)
    if unary is not None:
        return unary(args[0])
    if op is ops.EXTRACT:
        high, low = node.payload
        return operations.extract(high, low, args[0])
    if op is ops.ZERO_EXTEND:
        return operations.zero_extended(node.payload[0], args[0])
    if op is ops.SIGN_EXTEND:
        return operations.sign_extended(node.payload[0], args[0])
    return _connective(op, args)


def _connective(op: object, args: Sequence[Range]) -> Range | None:
    if op is ops.NOT:
        return MAYBE if args[0] not in (YES, NO) else NO if args[0] == YES else YES
    if op is ops.AND:
        return NO if NO in args else YES if all(arg == YES for arg in args) else MAYBE
    if op is ops.OR:
        return YES if YES in args else NO if all(arg == NO for arg in args) else MAYBE
    if op is ops.IMPLIES:
        return YES if args[0] == NO or args[1] == YES else NO if args == [YES, NO] else MAYBE
    return None


# --- assumptions ------------------------------------------------------------------------------------------------------


def assumed(condition: Term, state: State, depth: int = DEEPEST) -> State | None:
    """The states in which a condition may hold; None if it holds in none."""
    if condition is TRUE:
        return state
    op = condition.op
    if depth > 0:  # parts are judged one by one: looking at the whole as well would take quadratic time
        if op is ops.AND:
            return _all(condition.args, state, depth)
        if op is ops.OR and len(condition.args) <= MOST_CASES:
            return _any(condition.args, state, depth)
        if op is ops.IMPLIES:
            return _any((not_(condition.args[0]), condition.args[1]), state, depth)
        if op is ops.NOT and condition.args[0].op in (ops.AND, ops.OR):
            return _denied(condition.args[0], state, depth)
    if value(condition, state) == NO:
        return None
    if depth == 0 or op in (ops.AND, ops.OR):
        return state
    if isinstance(_compared_sort(condition), Float):
        return _floats_assumed(condition, state)
    if op is ops.NOT and condition.args[0].op is ops.EQ:
        return _unequal(*condition.args[0].args, state) if len(condition.args[0].args) == 2 else state
    if op is ops.NOT:
        return _refined(condition.args[0], NO, state)
    if op in COMPARISONS and len(condition.args) == 2:
        return _compared(condition, state)
    return _refined(condition, YES, state)


def _compared_sort(condition: Term) -> Sort | None:
    """The sort of what a comparison or its negation speaks of first."""
    inner = condition.args[0] if condition.op is ops.NOT else condition
    return inner.args[0].sort if inner.args and (inner.op in floats.COMPARISONS or inner.op in floats.CLASSES) else None


def _floats_assumed(condition: Term, state: State) -> State | None:
    holds = condition.op is not ops.NOT
    inner = condition if holds else condition.args[0]
    known = [known_of(arg, state) for arg in inner.args]
    ranges = [one for one in known if isinstance(one, FloatRange)]
    if len(ranges) != len(inner.args):
        return state
    if len(ranges) == 2:
        told = _of_comparison(inner.op, *ranges) if holds else _of_denial(inner.op, *ranges)
    else:
        told = (_of_class(inner.op, ranges[0], holds=holds),)
    found: State | None = state
    for arg, one in zip(inner.args, told, strict=True):
        if one is None or found is None:
            return None
        found = _refined(arg, one, found)
    return found


Told = tuple[FloatRange | None, ...]  # what is known of each argument then; None if nothing is left


def _of_comparison(op: object, a: FloatRange, b: FloatRange) -> Told:
    if op is ops.EQ:
        shared = floats.meet(a, b)
        return shared, shared
    if op is ops.FP_EQ:
        shared = floats.some(a.sort, max(a.low, b.low), min(a.high, b.high), nan=False)
        return shared, shared
    return floats.smaller(a, b, strict=op is ops.FP_LT)


def _of_denial(op: object, a: FloatRange, b: FloatRange) -> Told:
    """Of numbers, ¬(a < b) is b ≤ a; that says nothing where there may be NaN."""
    if a.nan or b.nan or op in (ops.EQ, ops.FP_EQ):
        return a, b
    right, left = floats.smaller(b, a, strict=op is ops.FP_LE)
    return left, right


def _of_class(op: object, a: FloatRange, *, holds: bool) -> FloatRange | None:
    if op is ops.FP_IS_NAN:
        if holds:
            return floats.only_nan(a.sort) if a.nan else None
        return floats.some(a.sort, a.low, a.high, nan=False)
    if op is ops.FP_IS_INFINITE and not holds:
        return floats.some(
            a.sort,
            max(a.low, floats.above(a.sort, -floats.INFINITY)),
            min(a.high, floats.below(a.sort, floats.INFINITY)),
            a.nan,
        )
    return a


def _all(parts: Iterable[Term], state: State, depth: int) -> State | None:
    found: State | None = state
    for part in parts:
        if found is None:
            return None
        found = assumed(part, found, depth - 1)
    return found


def _any(parts: Sequence[Term], state: State, depth: int) -> State | None:
    if len(parts) > MOST_CASES:
        return state
    cases = [case for case in (assumed(part, state, depth - 1) for part in parts) if case is not None]
    return reduce(joined, cases) if cases else None


def _denied(junction: Term, state: State, depth: int) -> State | None:
    parts = tuple(map(not_, junction.args))
    return (_any if junction.op is ops.AND else _all)(parts, state, depth)


def _unequal(a: Term, b: Term, state: State) -> State | None:
    """A constant at the end of an interval is cut off."""
    for one, other in ((a, b), (b, a)):
        left, right = value(one, state), value(other, state)
        if left is None or right is None or right.constant is None:
            continue
        number, signed = right.constant, right.least
        unsigned = left.low + (left.low == number), left.high - (left.high == number)
        rest = made(left.width, unsigned, (left.least + (left.least == signed), left.most - (left.most == signed)))
        if rest is None:
            return None
        return _refined(one, rest, state)
    return state


def _compared(condition: Term, state: State) -> State | None:
    a, b = condition.args
    left, right = value(a, state), value(b, state)
    if left is None or right is None:
        return state
    width, strict = left.width, 1 if condition.op in (ops.BVULT, ops.BVSLT) else 0
    small: Range | None
    large: Range | None
    if condition.op is ops.EQ:
        small, large = right, left
    elif condition.op in (ops.BVULT, ops.BVULE):
        small, large = made(width, (0, right.high - strict)), made(width, (left.low + strict, 1 << width))
    else:
        least = -(1 << width)
        small, large = made(width, None, (least, right.most - strict)), made(width, None, (left.least + strict, -least))
    if small is None or large is None:
        return None
    found = _refined(a, small, state)
    return None if found is None else _refined(b, large, found)


def _refined(term: Term, known: Known, state: State) -> State | None:
    """The states in which the term's value is in a range, as far as that says something of its variables."""
    waiting = [(term, known)]
    for _ in range(MOST_STEPS):
        if not waiting:
            break
        term, known = waiting.pop()
        here = known_of(term, state)
        if here is None:
            continue
        shared = both(here, known)
        if shared is None:
            return None
        if term.op is not ops.VARIABLE:
            waiting += _inside(term, shared, state)
        elif shared != here:
            state = {**state, term: shared}
    return state


def _inside(term: Term, known: Known, state: State) -> Iterable[tuple[Term, Known]]:
    """What the range of a term says of its arguments."""
    if isinstance(known, FloatRange):
        inside = _INSIDE_FLOATS.get(term.op)
        return () if inside is None else inside(term, known, state)
    inverse = _INVERSE.get(term.op)
    found = None if inverse is None else inverse(term, known, state)
    if found is not None:
        return (found,)
    told = backwards.inside(term, known, lambda arg: value(arg, state))
    return ((arg, one) for arg, one in told if one is not None)


InsideFloats = Callable[[Term, FloatRange, State], Iterable[tuple[Term, Known]]]


def _of_wider(term: Term, known: FloatRange, state: State) -> Iterable[tuple[Term, Known]]:
    """A single as a double is the same number."""
    inner = term.args[1].sort
    if inner is not floats.SINGLE:
        return ()
    found = floats.some(inner, floats.at_least(inner, known.low), floats.at_most(inner, known.high), known.nan)
    return () if found is None else ((term.args[1], found),)


def _of_pattern(term: Term, known: FloatRange, state: State) -> Iterable[tuple[Term, Known]]:
    bits = floats.bits_of(known)
    return () if bits is None else ((term.args[0], bits),)


def _of_opposite(term: Term, known: FloatRange, state: State) -> Iterable[tuple[Term, Known]]:
    return ((term.args[0], floats.negated(known)),)


def _of_float_sum(term: Term, known: FloatRange, state: State) -> Iterable[tuple[Term, Known]]:
    """Of a + b (or a - b) and one of them, what the other one is."""
    a, b = known_of(term.args[1], state), known_of(term.args[2], state)
    if not isinstance(a, FloatRange) or not isinstance(b, FloatRange):
        return
    subtracted = term.op is ops.FP_SUB
    left = floats.addend(known, floats.negated(b) if subtracted else b)
    right = floats.addend(known, a)
    if left is not None:
        yield term.args[1], left
    if right is not None:
        yield term.args[2], floats.negated(right) if subtracted else right


_INSIDE_FLOATS: Mapping[object, InsideFloats] = {
    ops.FP_FROM_FP: _of_wider,
    ops.FP_FROM_BITS: _of_pattern,
    ops.FP_NEG: _of_opposite,
    ops.FP_ADD: _of_float_sum,
    ops.FP_SUB: _of_float_sum,
}

Inverse = Callable[[Term, Range, State], tuple[Term, Range] | None]


def _of_sum(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    """x + c is known: so is x. (Of more addends, the first whose value is not a constant, given the others'.)"""
    ranges = [value(arg, state) for arg in term.args]
    open_ = [i for i, one in enumerate(ranges) if one is not None and one.constant is None]
    if len(open_) != 1:
        return None
    for i, one in enumerate(ranges):
        if i != open_[0] and one is not None:
            known = operations.minus(known, one)
    return term.args[open_[0]], known


def _of_difference(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    left, right = (value(arg, state) for arg in term.args)
    if right is not None and right.constant is not None:
        return term.args[0], operations.plus(known, right)
    if left is not None and left.constant is not None:
        return term.args[1], operations.minus(left, known)
    return None


def _of_zero_extension(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    found = made(width_of(term.args[0].sort) or 1, (known.low, known.high))
    return None if found is None else (term.args[0], found)


def _of_sign_extension(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    found = made(width_of(term.args[0].sort) or 1, None, (known.least, known.most))
    return None if found is None else (term.args[0], found)


def _of_slice(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    """The lowest bits of a number that has no others."""
    inner = value(term.args[0], state)
    if inner is None or term.payload[1] != 0:
        return None
    if inner.high >> known.width == 0:
        found = made(inner.width, (known.low, known.high))
        return None if found is None else (term.args[0], found)
    half = 1 << (known.width - 1)
    if -half <= inner.least and inner.most < half:
        found = made(inner.width, None, (known.least, known.most))
        return None if found is None else (term.args[0], found)
    return None


def _of_choice(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    """C's truth values are numbers: which of the two it is says what holds."""
    condition, then, otherwise = term.args
    one, other = value(then, state), value(otherwise, state)
    if one is None or other is None:
        return None
    if meet(one, known) is None:
        return condition, NO
    return (condition, YES) if meet(other, known) is None else None


def _of_negation(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    return term.args[0], NO if known == YES else YES


def _of_complement(term: Term, known: Range, state: State) -> tuple[Term, Range] | None:
    return term.args[0], operations.UNARY[term.op](known)


_INVERSE: Mapping[object, Inverse] = {
    ops.BVADD: _of_sum,
    ops.BVSUB: _of_difference,
    ops.BVNEG: _of_complement,
    ops.BVNOT: _of_complement,
    ops.ZERO_EXTEND: _of_zero_extension,
    ops.SIGN_EXTEND: _of_sign_extension,
    ops.EXTRACT: _of_slice,
    ops.ITE: _of_choice,
    ops.NOT: _of_negation,
}


# --- statements -------------------------------------------------------------------------------------------------------


def after(statement: Statement, state: State) -> State | None:
    """The states after a statement; None if no run gets through."""
    match statement:
        case Assume(condition):
            return assumed(condition, state)
        case Assign(variable, term):
            return _with(variable, known_of(term, state), state)
        case Havoc(variables):
            return {v: known for v, known in state.items() if v not in variables}
        case Block():
            return _after_block(statement, state)
        case Call():
            return {}  # it may write anything
    return state


def _with(variable: Term, known: Known | None, state: State) -> State:
    rest = {v: r for v, r in state.items() if v is not variable}
    if known is not None and not _says_nothing(known):
        rest[variable] = known
    return rest


def _after_block(block: Block, state: State) -> State | None:
    """Blocks are free of loops, and their edges in order: what arrives is complete when it is needed. Ways that meet
    inside of a block are followed one by one as long as they are few: what one of them knows of a variable belongs to
    what it knows of others.
    """
    arriving: dict[Location, list[State]] = {block.begin: [state]}
    most = max(1, min(MOST_WAYS, MOST_STATES // len(block.edges)))
    ends: list[State] = []  # apart from the others: a block around a loop ends where it begins
    for edge in block.edges:
        found = [then for here in arriving.get(edge.source, ()) if (then := after(edge.statement, here)) is not None]
        where = ends if edge.target == block.end else arriving.setdefault(edge.target, [])
        where += [one for one in found if one not in where]
        if len(where) > most:
            where[:] = [reduce(joined, where)]
    return reduce(joined, ends) if ends else None
