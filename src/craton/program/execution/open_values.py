"""What a concrete run reads: inputs that are given, drawn or known outside, and values that the program leaves open."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from craton.logic import INT, TRUE, Array, BitVec, Float, Sort
from craton.logic.evaluation import zero
from craton.logic.ieee import RoundingMode, from_fraction, from_python
from craton.logic.terms import format_of
from craton.program.execution.codegen import Cells, Unwritten
from craton.program.statements import Input

Number = int | float | Fraction
Outside = Callable[[Input], Number | None]


def nobody(what: Input) -> None:
    """Nobody is outside."""


class Source:
    """Where open values come from."""

    def __init__(
        self,
        inputs: Sequence[Number],
        seed: int | None,
        only_inputs: bool,
        outside: Outside,
        favourites: Sequence[int] = (),
    ) -> None:
        self.waiting = list(inputs)
        self.outside = outside
        self.only_inputs = only_inputs
        self.favourites = favourites
        self.next = 0
        self.random = random.Random(seed) if seed is not None else None
        self.read: list[tuple[Input, Any]] = []
        self.sorts: list[Sort] = []

    def input(self, what: Input, sort: Sort) -> Any:
        known = self.outside(what)
        if known is not None:
            value = as_value(known, sort, what.type)
        elif self.next < len(self.waiting):
            value = as_value(self.waiting[self.next], sort, what.type)
            self.next += 1
        else:
            value = self.drawn(sort)
            if what.type == "_Bool":
                value &= 1
        self.read.append((what, value))
        self.sorts.append(sort)
        return value

    def arbitrary(self, sort: Sort) -> Any:
        """A value that the program leaves open."""
        if self.only_inputs and not isinstance(sort, Array):
            return zero(sort)
        return self.drawn(sort)

    def drawn(self, sort: Sort) -> Any:
        if isinstance(sort, Array):
            element = sort.element
            return Cells(Unwritten(lambda: self.arbitrary(element), uniform=self.random is None or self.only_inputs))
        if self.random is None:
            return zero(sort)
        if self.favourites and (sort is INT or isinstance(sort, BitVec)) and self.random.random() < 0.75:
            return as_value(self.random.choice(self.favourites), sort)
        if isinstance(sort, BitVec):
            roll = self.random.random()
            if roll < 0.5:  # small numbers reach more
                return self.random.randint(-8, 24) & ((1 << sort.width) - 1)
            return self.random.getrandbits(sort.width)
        if isinstance(sort, Float):
            if self.random.random() < 0.5:
                return from_python(format_of(sort), float(self.random.randint(-8, 24)))
            return from_python(format_of(sort), self.random.uniform(-1e6, 1e6))
        if sort is TRUE.sort:
            return self.random.random() < 0.5
        if sort is INT:  # a view's number: what its type cannot hold ends the run
            if self.random.random() < 0.5:
                return self.random.randint(-8, 24)
            return self.random.getrandbits(self.random.choice((7, 15, 31))) * self.random.choice((1, -1))
        return zero(sort)


def as_value(number: Number, sort: Sort, type_name: str = "") -> Any:
    """A number as the value of a sort: integers wrap around, fractions are cut for integers and rounded for floats."""
    if isinstance(sort, Float):
        if isinstance(number, float):
            return from_python(format_of(sort), number)
        return from_fraction(format_of(sort), RoundingMode.RNE, Fraction(number))
    if type_name == "_Bool":
        return 1 if number != 0 else 0
    if isinstance(number, float):
        number = int(number) if -9e18 < number < 9e18 else 0
    if isinstance(sort, BitVec):
        return int(number) & ((1 << sort.width) - 1)
    if sort is TRUE.sort:
        return bool(number)
    return int(number)
