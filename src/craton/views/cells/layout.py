"""Where the cells of arrays are: an array at which addresses, and which positions of two arrays correspond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from craton.logic import (
    TRUE,
    BitVec,
    Sort,
    Term,
    bv,
    eq,
    free_variables,
    ops,
    post_order,
    sign_extend,
    substitute,
)
from craton.logic.affine import Affine, affine, extended
from craton.logic.sorts import INT, Array
from craton.logic.walk import atoms
from craton.program.storage import NOTHING_STORED, Storage
from craton.program.transitions import Transition
from craton.views.cells.positions import leaves, moving

_LESS = (ops.BVSLT, ops.BVULT, ops.BVSLE, ops.BVULE)


class NotSeen(Exception):
    """There is something that cells cannot tell."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The cell of an array at position k has the index base + size · k; or pointer + base + size · k, where the array
    lies behind a variable that stays as it is.
    """

    base: int
    size: int
    index: Sort
    pointer: Term | None = None

    @property
    def start(self) -> Affine:
        return Affine({} if self.pointer is None else {self.pointer: 1}, self.base, self.index)

    def address(self, position: Term) -> Term:
        if not isinstance(self.index, BitVec):
            return Affine({position: self.size}, self.base, INT).term
        width = self.index.width
        assert isinstance(position.sort, BitVec)
        wide = position if position.sort.width == width else sign_extend(width - position.sort.width, position)
        return Affine({**self.start.factors, wide: self.size}, self.base, self.index).term


def same_index(a: Term, b: Term) -> Term:
    """That two indices are the same; without factors and extensions where these make no difference."""
    difference = affine(a).minus(affine(b))
    if not difference.factors and difference.constant == 0:
        return TRUE
    if isinstance(difference.sort, BitVec) and len(difference.factors) == 2:
        (one, factor), (other, opposite) = difference.factors.items()
        inner, outer = extended(one), extended(other)
        alike = inner is not None and outer is not None and one.op is other.op and inner.sort is outer.sort
        if alike and factor == -opposite and difference.constant == 0 and _cannot_wrap(inner, factor, difference.sort):
            assert inner is not None and outer is not None
            return eq(inner, outer)
    return eq(a, b)


def _cannot_wrap(inner: Term | None, factor: int, sort: BitVec) -> bool:
    """Whether factor · (extended difference) is zero only if the difference is."""
    assert inner is not None and isinstance(inner.sort, BitVec)
    return abs(factor) << (inner.sort.width + 1) < 1 << sort.width


class Layouts:
    """Guesses where arrays begin: where an object is known to begin, or pointers to them may point, or at the least
    constant of their indices, plain ones (`4·i + 65536`) before others (`4·(3·i - 3) + 65536`).
    """

    def __init__(self, arrays: Sequence[Term], steps: Sequence[Transition], storage: Storage = NOTHING_STORED) -> None:
        self._constants = _assigned_constants(steps)
        self._moved = {x for step in steps for x, value in step.updates.items() if x in free_variables(value)}
        self._behind: set[Term] = set()  # that arrays lie behind
        self._limits: dict[Term, dict[Term, None]] = {}  # that variables are below of
        for atom in (atom for step in steps for atom in atoms(step.guard) if atom.op in _LESS):
            variable, limit = atom.args if atom.op in (ops.BVSLT, ops.BVULT) else atom.args[::-1]  # i < n, not n <= i
            if variable.is_variable:
                self._limits.setdefault(variable, {})[limit] = None
        self._objects = frozenset(known.address for known in storage.objects)
        self.indices: dict[Term, dict[Term, None]] = {array: {} for array in arrays}
        for step in steps:
            for node in post_order(step.guard, *step.updates.values()):
                if node.op in (ops.SELECT, ops.STORE):
                    for root in roots(node.args[0]):
                        if root in self.indices:
                            self.indices[root][node.args[1]] = None

    def of(self, array: Term) -> Layout:
        sort = array.sort
        assert isinstance(sort, Array)
        if not isinstance(sort.index, BitVec) and sort.index is not INT:
            raise NotSeen
        if isinstance(sort.element, Array):
            raise NotSeen
        if sort.index is INT:
            return Layout(0, 1, INT)
        size = max(1, sort.element.width // 8 if isinstance(sort.element, BitVec) else _float_size(sort.element))
        sums = [affine(index) for index in self.indices[array]]
        pointer = self._pointer(sums)
        if pointer is not None:
            inner = [sum_.without(pointer) for sum_ in sums if pointer in sum_.factors]
            self._behind.add(pointer)
            return Layout(0, self._stride(inner, size), sort.index, pointer)
        size = self._stride(sums, size)
        plain = [sum_ for sum_ in sums if len(sum_.factors) <= 2 and set(sum_.factors.values()) <= {1, size}]
        bases = [base for sum_ in plain or sums for base in self._bases(sum_)]
        pointed = [base for sum_ in sums for base in self._pointed(sum_)]
        known = [base for base in (*bases, *pointed) if base in self._objects] or pointed
        if sums and not known and all(min(sum_.factors.values(), default=0) < 0 for sum_ in sums):
            bases = [base for sum_ in sums for base in self._from_behind(sum_)] or bases
        return Layout(min(known or bases, default=0), size, sort.index)

    def _from_behind(self, index: Affine) -> Iterator[int]:
        """Where an array begins that is looked at from behind (`a[n - 1 - i]`): where i is the last below what it is
        compared with.
        """
        for part, variable in moving(index).items():
            if index.factors[part] < 0:
                for limit in self._limits.get(variable, ()):
                    last = affine(substitute(part, {variable: limit})).plus(-1)
                    lower = index.without(part).minus(last.times(-index.factors[part]))
                    if lower.factors:
                        yield from self._from_behind(lower)
                    else:
                        yield lower.constant

    def _pointer(self, sums: Sequence[Affine]) -> Term | None:
        """The variable behind which all elements lie that are looked at in several places: where there is no constant
        to begin with, since what was allocated before it has a size that is not known.
        """
        moving = [sum_ for sum_ in sums if any(part not in self._constants for part in sum_.factors)]
        several = [sum_ for sum_ in moving if len(sum_.factors) > 1]
        if not several or any(base in self._objects for sum_ in sums for base in self._bases(sum_)):
            return None
        common = [part for part, factor in several[0].factors.items() if factor == 1 and part.is_variable]
        fixed = [part for part in common if part not in self._constants and part not in self._moved]
        found = [part for part in fixed if all(sum_.factors.get(part) == 1 for sum_ in several)]
        return found[0] if len(found) == 1 else None

    def _stride(self, sums: Sequence[Affine], size: int) -> int:
        """How far apart the elements are that are looked at: a member of structs in an array, as far as the structs."""
        factors = [f for sum_ in sums for part, f in sum_.factors.items() if part not in self._constants]
        stride = gcd(*factors)
        rests = {base % stride for sum_ in sums for base in self._bases(sum_)} if stride > size else set()
        return stride if len(rests) == 1 else size

    def _bases(self, index: Affine) -> Iterator[int]:
        yield from self._pointed(index) or _chosen(index) or [index.constant]

    def _pointed(self, index: Affine) -> list[int]:
        """Where the first variable may point that an index is behind of."""
        pointers = [part for part, factor in index.factors.items() if factor == 1 and part in self._constants]
        return sorted(self._constants[pointers[0]]) if pointers else []

    def pointers(self) -> dict[Term, Term]:
        """Variables that point to one place, or nowhere, and that place."""
        found = {}
        for variable, constants in self._constants.items():
            if len(constants) == 1 and isinstance(variable.sort, BitVec):
                found[variable] = bv(next(iter(constants)), variable.sort.width)
        return found

    def narrow(self) -> int | None:
        """The width of what all indices are extended from with their signs; None if they are not, or are sums of what
        was extended (`1500·i + j`).
        """
        widths: set[int | None] = set()
        for indices in self.indices.values():
            for index in indices:
                parts = affine(index).factors
                if len(parts) == 1 and next(iter(parts)).op is ops.ITE:
                    continue  # where something was allocated, if it could be
                moving = [part for part in parts if part not in self._constants and part not in self._behind]
                if len(moving) > 1:
                    return None
                for part in moving:
                    inner = extended(part)
                    signed = inner is not None and part.op is ops.SIGN_EXTEND and isinstance(inner.sort, BitVec)
                    widths.add(inner.sort.width if signed and inner is not None else None)  # type: ignore[attr-defined]
        return widths.pop() if len(widths) == 1 else None


def _float_size(sort: Sort) -> int:
    width = getattr(sort, "exponent", 0) + getattr(sort, "significand", 0)
    return int(width) // 8


def roots(array: Term) -> Iterator[Term]:
    """The variables that an array is made of."""
    waiting, seen = [array], set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op is ops.VARIABLE:
            yield node
        elif node.op is ops.STORE:
            waiting.append(node.args[0])
        elif node.op is ops.ITE:
            waiting += node.args[1:]


def _assigned_constants(steps: Sequence[Transition]) -> dict[Term, frozenset[int]]:
    """The constants other than zero that variables may get, also from each other, if they get nothing else."""
    sources: dict[Term, set[Term]] = {}
    for step in steps:
        for variable, value in step.updates.items():
            sources.setdefault(variable, set()).update(leaves(value))
    found: dict[Term, frozenset[int]] = {}
    for variable in sources:
        reached, waiting, constants, open_ = {variable}, [variable], set(), False
        while waiting and not open_:
            for value in sources.get(waiting.pop(), ()):
                if value.op is ops.VALUE and isinstance(value.sort, BitVec):
                    constants.add(value.payload)
                elif value in sources and value not in reached:
                    reached.add(value)
                    waiting.append(value)
                elif value not in reached:
                    open_ = True
        if not open_ and constants - {0}:
            found[variable] = frozenset(constants - {0})
    return found


def _chosen(index: Affine) -> list[int]:
    """What an index is by cases, but for null: where something was allocated, if it could be."""
    if list(index.factors.values()) != [1]:
        return []
    (part,) = index.factors
    return [leaf.payload + index.constant for leaf in leaves(part) if leaf.op is ops.VALUE and leaf.payload]
