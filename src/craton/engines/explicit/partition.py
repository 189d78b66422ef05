"""Classes of values: each value by itself, or intervals between constants that the program compares a variable with.

A variable begins with its values themselves. One that has too many of them gets intervals.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from craton.facts.ranges import Range, made
from craton.logic import BitVec, Term, and_, bv, bvsle, bvule, eq, ops
from craton.logic.evaluation import constant
from craton.logic.walk import post_order
from craton.program.cfa import Program
from craton.program.statements import Assume, Block

Class = Any  # a value, or the number of an interval
State = tuple[Class, ...]
Hull = tuple[Range | None, ...]  # of a state: which part of its intervals is there; None for variables with values

_ORDERS = (ops.BVSLT, ops.BVSLE, ops.BVULT, ops.BVULE)
_SIGNED = (ops.BVSLT, ops.BVSLE)
_EXTENSIONS = (ops.SIGN_EXTEND, ops.ZERO_EXTEND)


@dataclass(frozen=True)
class Intervals:
    """Of a bit-vector variable: each begins at one of the numbers and ends before the next one."""

    begins: tuple[int, ...]
    signed: bool

    def bounds(self, number: int, width: int) -> tuple[int, int]:
        ends = (*self.begins[1:], 1 << (width - 1 if self.signed else width))
        return self.begins[number], ends[number] - 1


@dataclass(frozen=True)
class Partition:
    """`constants` are what variables are compared with, as bit patterns, where intervals may begin."""

    constants: Mapping[Term, frozenset[int]]
    signed: frozenset[Term]
    intervals: Mapping[Term, Intervals]

    def is_value(self, variable: Term) -> bool:
        return variable not in self.intervals

    def range(self, variable: Term, one: Class) -> Range:
        """The values of a class of a variable that has intervals."""
        return self._between(variable, *self.intervals[variable].bounds(one, _width(variable)))

    def meeting(self, variable: Term, values: Range) -> Iterator[tuple[Class, Range]]:
        """The classes of a variable that has intervals in which there may be one of these values, and the values from
        the first to the last of those.
        """
        intervals = self.intervals[variable]
        least, most = (values.least, values.most) if intervals.signed else (values.low, values.high)
        for one in range(bisect_right(intervals.begins, least) - 1, bisect_right(intervals.begins, most)):
            first, last = intervals.bounds(one, _width(variable))
            yield one, self._between(variable, max(first, least), min(last, most))

    def joined(self, variable: Term, a: Range, b: Range) -> Range:
        """The values from the first to the last of both, of one class."""
        if self.intervals[variable].signed:
            return self._between(variable, min(a.least, b.least), max(a.most, b.most))
        return self._between(variable, min(a.low, b.low), max(a.high, b.high))

    def _between(self, variable: Term, least: int, most: int) -> Range:
        width = _width(variable)
        found = made(width, None, (least, most)) if self.intervals[variable].signed else made(width, (least, most))
        assert found is not None
        return found

    def formula(self, variables: Iterable[Term], state: State, hull: Hull) -> Term:
        """That variables have values of these classes, in these ranges."""
        return and_(*(self.condition(x, one, there) for x, one, there in zip(variables, state, hull, strict=True)))

    def condition(self, variable: Term, one: Class, values: Range | None) -> Term:
        if values is None:
            return eq(variable, constant(one, variable.sort))
        width, signed = _width(variable), self.intervals[variable].signed
        least, most = (values.least, values.most) if signed else (values.low, values.high)
        if least == most:
            return eq(variable, bv(least, width))
        below = bvsle if signed else bvule
        return and_(below(bv(least, width), variable), below(variable, bv(most, width)))

    def with_intervals(self, variable: Term) -> Partition:
        return replace(self, intervals={**self.intervals, variable: self._made(variable)})

    def finer(self, formulas: Iterable[Term]) -> Partition | None:
        """With constants that formulas compare variables with; None if none of them is new to an interval."""
        constants = dict(self.constants)
        for variable, value, _ in comparisons(formulas):
            constants[variable] = constants.get(variable, frozenset()) | {value}
        changed = replace(self, constants=constants)
        intervals = {x: changed._made(x) for x in self.intervals}
        return None if intervals == self.intervals else replace(changed, intervals=intervals)

    def _made(self, variable: Term) -> Intervals:
        width, signed = _width(variable), variable in self.signed
        least = -(1 << (width - 1)) if signed else 0
        most = least + (1 << width) - 1
        begins = {least}
        for value in self.constants.get(variable, ()):
            number = value - (1 << width) if signed and value >> (width - 1) else value
            begins |= {number, number + 1} if number < most else {number}
        return Intervals(tuple(sorted(begins)), signed)


def partition(program: Program) -> Partition:
    """Each value by itself, and the constants that intervals would begin at."""
    constants: dict[Term, frozenset[int]] = {}
    signed: set[Term] = set()
    for variable, value, op in comparisons(conditions(program)):
        constants[variable] = constants.get(variable, frozenset()) | {value}
        if op in _SIGNED:
            signed.add(variable)
    return Partition(constants, frozenset(signed), {})


def conditions(program: Program) -> Iterator[Term]:
    for edge in program.main.edges:
        for inner in edge.statement.edges if isinstance(edge.statement, Block) else (edge,):
            if isinstance(inner.statement, Assume):
                yield inner.statement.condition


def comparisons(formulas: Iterable[Term]) -> Iterator[tuple[Term, int, ops.Op]]:
    """Variables, and the constants that they are compared with."""
    for node in post_order(*formulas):
        if node.op in _ORDERS or node.op is ops.EQ:
            for side, other in (node.args, node.args[::-1]):
                variable = side.args[0] if side.op in _EXTENSIONS else side
                if variable.op is ops.VARIABLE and isinstance(variable.sort, BitVec) and other.is_value:
                    yield variable, other.payload & ((1 << variable.sort.width) - 1), node.op


def _width(variable: Term) -> int:
    assert isinstance(variable.sort, BitVec)
    return variable.sort.width
