"""Which cases there are: the values that the variables of a conjunction can have.

Variables that are defined by others are replaced by what they are. Of each that is left, bounds that the conjunction
says in so many words are looked for, so an `int` from 1 to 9999 has 2^14 cases and not 2^32. A number of which
only a remainder is used (`input % 100`) has as many cases as that.

Law: if what comes out is false in all cases, the conjunction that went in has no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from craton.logic import BitVec, Term, and_, bv, bvsle, conjuncts, free_variables, not_, ops, post_order, rebuild, var
from craton.logic.semantics import to_signed
from craton.logic.walk import fold, replaced
from craton.smt.intervals.narrowing import common, resolved

_ORDERS = {ops.BVULE: (False, 0), ops.BVULT: (False, 1), ops.BVSLE: (True, 0), ops.BVSLT: (True, 1)}


@dataclass(frozen=True, slots=True)
class Input:
    """A variable: `low` plus a number of so many bits."""

    variable: Term
    low: int
    bits: int


@dataclass(frozen=True, slots=True)
class Cases:
    """A conjunction that is weaker than one that was given, and inputs whose cases are all that matter for it."""

    formulas: Sequence[Term]
    inputs: Sequence[Input]

    @staticmethod
    def of(formulas: Sequence[Term]) -> Cases:
        _, others = resolved(formulas)
        others = [part for one in others for part in conjuncts(fold(one, _without_negated_choices))]
        known = list(dict.fromkeys([*others, *common(others)]))
        known = _with_remainders(known)
        bounds = _Bounds(known)
        inputs = [bounds.input(variable) for variable in sorted(_variables(known), key=lambda v: v.serial)]
        return Cases(known, sorted(inputs, key=lambda one: one.bits))

    @property
    def bits(self) -> int:
        return sum(one.bits for one in self.inputs)


def _without_negated_choices(node: Term, args: list[Term]) -> Term:
    """`¬a ∧ ¬b` instead of `¬(a ∨ b)`: that is how programs say between which bounds their inputs are."""
    if node.op is ops.NOT and args[0].op is ops.OR:
        return and_(*map(not_, args[0].args))
    return rebuild(node, args) if args else node


def _variables(formulas: Sequence[Term]) -> set[Term]:
    return {variable for formula in formulas for variable in free_variables(formula)}


def _with_remainders(formulas: list[Term]) -> list[Term]:
    """With a variable of its own for `x % c` and for `x & c` where nothing else speaks of x: whatever x is, the result
    is one of its values.
    """
    nodes = list(post_order(*formulas))
    spoken_of = Counter(x for node in nodes for x in set(node.args) if x.is_variable)
    names: dict[Term, Term] = {}
    bounds: list[Term] = []
    for node in nodes:
        known = _values_of(node)
        if known is not None and spoken_of[known[0]] == 1:
            name = var(f"{known[0].name} in {node.op.name}", node.sort)
            if name not in spoken_of:
                names[node] = name
                bounds += [bvsle(bv(known[1], bits_of(name)), name), bvsle(name, bv(known[2], bits_of(name)))]
    return [*replaced(formulas, names), *bounds] if names else formulas


def _values_of(node: Term) -> tuple[Term, int, int] | None:
    """A variable of which so much is used only, and the least and the greatest number that this can be, with a sign."""
    if node.op not in (ops.BVUREM, ops.BVSREM, ops.BVAND) or len(node.args) != 2:
        return None
    values = [one for one in node.args if one.op is ops.VALUE]
    variables = [one for one in node.args if one.is_variable]
    if len(values) != 1 or len(variables) != 1 or (node.op is not ops.BVAND and node.args[1] is not values[0]):
        return None
    number = to_signed(bits_of(node), values[0].payload)
    if number < (node.op is not ops.BVAND):
        return None
    if node.op is ops.BVAND:
        return variables[0], 0, number
    return variables[0], (1 - number if node.op is ops.BVSREM else 0), number - 1


def bits_of(term: Term) -> int:
    """How many it has; a Bool has one."""
    return term.sort.width if isinstance(term.sort, BitVec) else 1


class _Bounds:
    """What conjuncts say of single variables: lowest and highest numbers, read without a sign and with one."""

    def __init__(self, formulas: Sequence[Term]) -> None:
        self._least: dict[tuple[Term, bool], int] = {}
        self._most: dict[tuple[Term, bool], int] = {}
        for part in formulas:
            for variable, signed, number, is_least in _bounds_of(part):
                key = variable, signed
                if is_least:
                    self._least[key] = max(self._least.get(key, number), number)
                else:
                    self._most[key] = min(self._most.get(key, number), number)

    def input(self, variable: Term) -> Input:
        width = bits_of(variable)
        whole = Input(variable, 0, width)
        if not isinstance(variable.sort, BitVec):
            return whole
        unsigned = self._span(variable, False, 0, (1 << width) - 1)
        signed = self._span(variable, True, -(1 << (width - 1)), (1 << (width - 1)) - 1)
        return min(unsigned, signed, whole, key=lambda one: one.bits)

    def _span(self, variable: Term, signed: bool, lowest: int, highest: int) -> Input:
        low = max(lowest, self._least.get((variable, signed), lowest))
        most = min(highest, self._most.get((variable, signed), highest))
        return Input(variable, low, max(0, most - low).bit_length())


def _bounds_of(part: Term) -> Iterator[tuple[Term, bool, int, bool]]:
    """Variable, whether it is read with a sign, a number, and whether that is the least one. What is not smaller is
    said without a negation (`logic`).
    """
    if part.op is ops.EQ and len(part.args) == 2:
        for variable, value in (part.args, part.args[::-1]):
            if variable.is_variable and value.op is ops.VALUE:
                yield variable, False, value.payload, True
                yield variable, False, value.payload, False
    if part.op not in _ORDERS:
        return
    signed, strict = _ORDERS[part.op]
    left, right = part.args
    width = bits_of(left)
    if right.is_variable and left.op is ops.VALUE:
        yield right, signed, _number(left, width, signed) + strict, True
    if left.is_variable and right.op is ops.VALUE:
        yield left, signed, _number(right, width, signed) - strict, False


def _number(value: Term, width: int, signed: bool) -> int:
    return to_signed(width, value.payload) if signed else int(value.payload)
