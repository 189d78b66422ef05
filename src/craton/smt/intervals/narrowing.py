"""Products, quotients and remainders of numbers that are known to be small, computed in few bits.

Solvers that blast bits are slow with them: a remainder of 32 bits is some thousand gates, and a loop that computes a
greatest common divisor has one in each round. Mostly the program says that the numbers are small (`a <= 100`), but a
solver keeps that beside the gates. Here ranges of all parts of a conjunction are found by propagation, and operations
whose arguments and results need fewer bits are done in so many:

    a % b  =  zero_extend(a[6:0] % b[6:0])      if a ≤ 127 and b ≤ 127

Law: what comes out has the same models. The ranges follow from the conjunction (`propagation`), an operation is
replaced only by one that is equal as long as they hold, and the ranges that were used are conjuncts of what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice

from craton.facts.ranges import Range
from craton.logic import (
    BOOL,
    FALSE,
    BitVec,
    Term,
    and_,
    bv,
    bvmul,
    bvsdiv,
    bvsle,
    bvsrem,
    bvudiv,
    bvule,
    bvurem,
    conjuncts,
    eq,
    extract,
    free_variables,
    ops,
    post_order,
    rebuild,
    sign_extend,
    substitute,
    zero_extend,
)
from craton.logic.ops import Op
from craton.logic.walk import is_quantified
from craton.smt.intervals.propagation import Case, Formula, NoModel

RANGES = "ranges"  # what is told of who checked a proof
MOST_PARTS = 3000  # of a conjunction: ranges are computed in Python
_QUOTIENTS: Mapping[Op, Callable[[Term, Term], Term]] = {ops.BVUDIV: bvudiv, ops.BVSDIV: bvsdiv}
_REMAINDERS: Mapping[Op, Callable[[Term, Term], Term]] = {ops.BVUREM: bvurem, ops.BVSREM: bvsrem}
_SIGNED = frozenset((ops.BVSDIV, ops.BVSREM))


def in_fewer_bits(formulas: Sequence[Term]) -> list[Term] | None:
    """A conjunction with the same models that solvers are quicker with; None if nothing is gained."""
    parts = list(islice(post_order(*formulas), MOST_PARTS + 1))
    if len(parts) > MOST_PARTS or not any(map(_is_costly, parts)) or any(map(is_quantified, formulas)):
        return None
    equations, others = resolved(formulas)
    told = [*equations, *others]
    case = Case.of(Formula([*told, *common(told)]))
    try:
        case.propagate()
    except NoModel:
        return [FALSE]
    return _Narrowing(case).result(told)


def _is_costly(node: Term) -> bool:
    if node.op is ops.BVMUL:
        return sum(arg.op is not ops.VALUE for arg in node.args) > 1
    return (node.op in _QUOTIENTS or node.op in _REMAINDERS) and node.args[1].op is not ops.VALUE


# --- what is known ----------------------------------------------------------------------------------------------------


def resolved(formulas: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """The conjuncts, with names replaced by what they stand for, behind the equations that say so: what is known goes
    from the inputs to the last result in one pass then.
    """
    conjoined = list(dict.fromkeys(conjuncts(and_(*formulas))))
    meanings = _meanings(conjoined)
    known: dict[Term, Term] = {}
    for name in _in_order(meanings):
        meaning = substitute(meanings[name][1], known)
        if name not in free_variables(meaning):
            known[name] = meaning
    told = {meanings[name][0] for name in known}
    equations = [eq(name, meaning) for name, meaning in known.items()]
    return equations, [substitute(formula, known) for formula in conjoined if formula not in told]


def _meanings(formulas: Sequence[Term]) -> dict[Term, tuple[Term, Term]]:
    """Names, each with the equation that says what it stands for, and that."""
    found: dict[Term, tuple[Term, Term]] = {}
    for formula in formulas:
        if formula.op is ops.EQ and len(formula.args) == 2:
            for name, meaning in (formula.args, formula.args[::-1]):
                if name.op is ops.VARIABLE and name not in found and meaning.op is not ops.VALUE:
                    found[name] = formula, meaning
                    break
    return found


def _in_order(meanings: Mapping[Term, tuple[Term, Term]]) -> list[Term]:
    """The names, those that a meaning speaks of before it; where they go in circles, somehow."""
    found: dict[Term, None] = {}
    begun: set[Term] = set()
    waiting = [(name, False) for name in reversed(list(meanings))]
    while waiting:
        name, is_done = waiting.pop()
        if is_done:
            found[name] = None
        elif name not in begun:
            begun.add(name)
            waiting.append((name, True))
            waiting += [(x, False) for x in free_variables(meanings[name][1]) if x in meanings and x not in begun]
    return list(found)


def common(formulas: Sequence[Term]) -> list[Term]:
    """What all alternatives have in common: ways that come together have come from one place."""
    told: dict[Term, dict[Term, None]] = {}
    for node in post_order(*formulas):
        if node.op is ops.AND:
            told[node] = {part: None for arg in node.args for part in told[arg]}
        elif node.op is ops.OR:
            first, *others = (told[arg] for arg in node.args)
            told[node] = {part: None for part in first if all(part in other for other in others)}
        elif node.sort is BOOL:
            told[node] = {node: None}
    found = {part: None for formula in formulas for part in told[formula]}
    return [part for part in found if part not in formulas]


# --- operations in fewer bits -----------------------------------------------------------------------------------------


class _Narrowing:
    def __init__(self, case: Case) -> None:
        self.case = case
        self.memo: dict[Term, Term] = {}
        self.gained = False
        self.used: dict[Term, None] = {}  # ranges, of terms that are told in fewer bits themselves

    def result(self, formulas: Sequence[Term]) -> list[Term] | None:
        for node in post_order(*formulas):
            args = [self.memo[arg] for arg in node.args]
            self.memo[node] = self._narrow(node, args) or (rebuild(node, args) if node.args else node)
        if not self.gained:
            return None
        return [*self.used, *(self.memo[formula] for formula in formulas)]

    def _narrow(self, node: Term, args: Sequence[Term]) -> Term | None:
        if not _is_costly(node):
            return None
        known = [self.case.known.get(arg) for arg in node.args]
        ranges = [one for one in known if isinstance(one, Range)]
        if len(ranges) < len(known):
            return None
        if node.op is ops.BVMUL:
            return self._product(args, ranges)
        if all(one.least >= 0 for one in ranges) and (node.op in _REMAINDERS or ranges[1].low > 0):
            width = max(one.high.bit_length() for one in ranges)
            divide = bvudiv if node.op in _QUOTIENTS else bvurem
            return self._in(width, divide, args, ranges, signed=False)
        if node.op in _SIGNED:  # one bit more, for the least number divided by -1
            width = 1 + max(map(_signed_bits, ranges))
            return self._in(width, {**_QUOTIENTS, **_REMAINDERS}[node.op], args, ranges, signed=True)
        return None

    def _product(self, args: Sequence[Term], ranges: Sequence[Range]) -> Term | None:
        """In as many bits as the exact product takes."""
        least = most = 1
        for one in ranges:
            corners = [x * y for x in (least, most) for y in (one.least, one.most)]
            least, most = min(corners), max(corners)
        signed = any(one.least < 0 for one in ranges)
        widths = [_signed_bits(one) if signed else one.high.bit_length() for one in ranges]
        own = max(least.bit_length(), most.bit_length(), (-least - 1).bit_length() if least < 0 else 0) + signed
        return self._in(max(own, *widths), lambda *parts: reduce(bvmul, parts), args, ranges, signed=signed)

    def _in(
        self, width: int, operation: Callable[..., Term], args: Sequence[Term], ranges: Sequence[Range], *, signed: bool
    ) -> Term | None:
        """The operation on the lowest bits of its arguments, extended; None if these are no fewer."""
        sort = args[0].sort
        assert isinstance(sort, BitVec)
        width = max(width, 1)
        if width >= sort.width:
            return None
        self.gained = True
        for arg, one in zip(args, ranges, strict=True):
            self.used.update(dict.fromkeys(_bounds(arg, one)))
        narrow = operation(*(extract(width - 1, 0, arg) for arg in args))
        return (sign_extend if signed else zero_extend)(sort.width - width, narrow)


def _signed_bits(one: Range) -> int:
    return 1 + max(one.least.bit_length() if one.least >= 0 else (-one.least - 1).bit_length(), one.most.bit_length())


def _bounds(term: Term, one: Range) -> Iterator[Term]:
    width = one.width
    if term.op is ops.VALUE:
        return
    if one.constant is not None:
        yield eq(term, bv(one.constant, width))
    elif one.least >= 0:
        yield bvule(term, bv(one.high, width))
        if one.low:
            yield bvule(bv(one.low, width), term)
    else:
        yield bvsle(bv(one.least, width), term)
        yield bvsle(term, bv(one.most, width))
