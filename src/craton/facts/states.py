"""States: what is known of variables at one point, and what terms, assumptions and statements make of it.

Law: if a concrete state is in an abstract one, each successor of it is in the abstract successor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from craton.facts import operations
from craton.facts.operations import BINARY, COMPARISONS, MAYBE, NO, UNARY, YES, truth
from craton.facts.ranges import Range, constant, join, made, meet, top
from craton.logic import BOOL, TRUE, BitVec, Sort, Term, not_, ops
from craton.logic.walk import fold
from craton.program.cfa import Edge, Location
from craton.program.statements import Assign, Assume, Block, Call, Havoc, Statement

State = Mapping[Term, Range]  # variables that it does not mention have any value

MOST_CASES = 12  # alternatives of an assumption that are looked at one by one
DEEPEST = 40  # connectives inside of each other


def width_of(sort: Sort) -> int | None:
    """The width of ranges of that sort; None if there are none."""
    return sort.width if isinstance(sort, BitVec) else 1 if sort is BOOL else None


def joined(a: State, b: State) -> State:
    """What both know."""
    if a is b:
        return a
    found: dict[Term, Range] = {}
    for variable, known in a.items():
        other = b.get(variable)
        if other is not None:
            both = join(known, other)
            if both != top(both.width):
                found[variable] = both
    return found


def includes(a: State, b: State) -> bool:
    """Whether all that `a` says holds in `b`."""
    return all((other := b.get(variable)) is not None and known.includes(other) for variable, known in a.items())


# --- terms ------------------------------------------------------------------------------------------------------------


def value(term: Term, state: State) -> Range | None:
    """The range of a term; None if it is neither a bit-vector nor a Boolean."""
    return fold(term, lambda node, args: _visit(node, args, state))


def _visit(node: Term, args: list[Range | None], state: State) -> Range | None:
    width = width_of(node.sort)
    if width is None:
        return None
    if node.op is ops.VARIABLE:
        return state.get(node) or top(width)
    if node.op is ops.VALUE:
        return constant(int(node.payload), width)
    if node.op is ops.ITE:
        return _choice(*args)
    known = [arg for arg in args if arg is not None]
    if len(known) != len(args) or not args:
        return top(width)
    made_of = _made(node, known)
    return top(width) if made_of is None else made_of


def _choice(condition: Range | None, then: Range | None, otherwise: Range | None) -> Range | None:
    if then is None or otherwise is None or condition is None:
        return None
    return then if condition == YES else otherwise if condition == NO else join(then, otherwise)


def _made(node: Term, args: Sequence[Range]) -> Range | None:
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
    if op is ops.NOT and condition.args[0].op is ops.EQ:
        return _unequal(*condition.args[0].args, state) if len(condition.args[0].args) == 2 else state
    if op is ops.NOT:
        return _refined(condition.args[0], NO, state)
    if op in COMPARISONS and len(condition.args) == 2:
        return _compared(condition, state)
    return _refined(condition, YES, state)


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


def _refined(term: Term, known: Range, state: State) -> State | None:
    """The states in which the term's value is in a range, as far as that says something of its variables."""
    while True:
        here = value(term, state)
        if here is None:
            return state
        both = meet(here, known)
        if both is None:
            return None
        if term.op is ops.VARIABLE:
            return state if both == here else {**state, term: both}
        inverse = _INVERSE.get(term.op)
        found = None if inverse is None else inverse(term, both, state)
        if found is None:
            return state
        term, known = found


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
            found = value(term, state)
            return _with(variable, found, state)
        case Havoc(variables):
            return {v: known for v, known in state.items() if v not in variables}
        case Block():
            return _after_block(statement, state)
        case Call():
            return {}  # it may write anything
    return state


def _with(variable: Term, known: Range | None, state: State) -> State:
    rest = {v: r for v, r in state.items() if v is not variable}
    if known is not None and known != top(known.width):
        rest[variable] = known
    return rest


def _after_block(block: Block, state: State) -> State | None:
    """Blocks are free of loops, and their edges in order: each state is complete when it is needed."""
    arriving: dict[Location, State] = {block.begin: state}
    end: State | None = None  # apart from the others: a block around a loop ends where it begins
    for edge in block.edges:
        found = _after_edge(edge, arriving)
        if found is None:
            continue
        if edge.target == block.end:
            end = found if end is None else joined(end, found)
        else:
            other = arriving.get(edge.target)
            arriving[edge.target] = found if other is None else joined(other, found)
    return end


def _after_edge(edge: Edge, arriving: Mapping[Location, State]) -> State | None:
    here = arriving.get(edge.source)
    return None if here is None else after(edge.statement, here)
