"""Constructors of the theory ArraysEx, with constant arrays."""

from __future__ import annotations

from craton.logic import ops
from craton.logic.sorts import Array
from craton.logic.terms import Term, ill_sorted, intern

# How many writes a read looks past; the bound keeps reads from long chains of writes cheap.
_LOOK_PAST = 256


def select(array: Term, index: Term) -> Term:
    """Reads past writes to other constant indices."""
    sort = array.sort
    if not isinstance(sort, Array) or index.sort is not sort.index:
        raise ill_sorted(ops.SELECT, "an array and an index of its sort", (array, index))
    seen = array
    for _ in range(_LOOK_PAST):
        if seen.op is ops.CONST_ARRAY:
            return seen.args[0]
        if seen.op is not ops.STORE:
            break
        written = seen.args[1]
        if written is index:
            return seen.args[2]
        if written.op is not ops.VALUE or index.op is not ops.VALUE:
            break
        seen = seen.args[0]
    else:  # chain too long: if it stopped half-way, rebuilding the term would give another term
        seen = array
    return intern(ops.SELECT, (seen, index), sort.element)


def store(array: Term, index: Term, element: Term) -> Term:
    """A write hides an earlier one to the same index; writing back what is there changes nothing."""
    sort = array.sort
    if not isinstance(sort, Array) or index.sort is not sort.index or element.sort is not sort.element:
        raise ill_sorted(ops.STORE, "an array, an index and an element of its sorts", (array, index, element))
    if array.op is ops.STORE and array.args[1] is index:
        return store(array.args[0], index, element)
    if array.op is ops.CONST_ARRAY and array.args[0] is element:
        return array
    if element.op is ops.SELECT and element.args[0] is array and element.args[1] is index:
        return array
    return intern(ops.STORE, (array, index, element), sort)


def const_array(sort: Array, element: Term) -> Term:
    """The array that holds `element` everywhere."""
    if element.sort is not sort.element:
        raise ill_sorted(ops.CONST_ARRAY, f"an element of sort {sort.element}", (element,))
    return intern(ops.CONST_ARRAY, (element,), sort)
