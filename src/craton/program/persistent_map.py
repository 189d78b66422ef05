"""Persistent maps from variables to values; intersecting two maps takes time proportional to their difference.

Big-endian Patricia trees (Okasaki and Gill 1998) over the serial numbers of variables. A tree is None, a leaf
`(key, value)` or a branch `(prefix, bit, left, right)`: the keys below agree above the bit, and the bit decides between
left and right. Trees share subtrees; `common` stops wherever both sides are the same subtree. That is nearly
everywhere, since two states at a join differ only in what was written since their paths split.
"""

from __future__ import annotations

from typing import Any

from craton.logic import Term

PersistentMap = tuple[Any, ...] | None
EMPTY: PersistentMap = None


def value_of(facts: PersistentMap, variable: Term) -> Term | None:
    return value_at(facts, variable.serial)


def value_at(tree: PersistentMap, key: int) -> Term | None:
    """The same of the variable with this serial number."""
    while tree is not None:
        if len(tree) == 2:
            return tree[1] if tree[0] == key else None
        tree = tree[3] if key & tree[1] else tree[2]
    return None


def with_value(facts: PersistentMap, variable: Term, value: Term) -> PersistentMap:
    return _put(facts, variable.serial, value)


def _put(tree: PersistentMap, key: int, value: Term) -> tuple[Any, ...]:
    if tree is None:
        return (key, value)
    if len(tree) == 2:
        if tree[0] != key:
            return _joined(key, (key, value), tree[0], tree)
        return tree if tree[1] is value else (key, value)
    prefix, bit, left, right = tree
    if _above(key, bit) != prefix:
        return _joined(key, (key, value), prefix, tree)
    if key & bit:
        new = _put(right, key, value)
        return tree if new is right else (prefix, bit, left, new)
    new = _put(left, key, value)
    return tree if new is left else (prefix, bit, new, right)


def without_value(facts: PersistentMap, variable: Term) -> PersistentMap:
    return facts if value_of(facts, variable) is None else _drop(facts, variable.serial)


def _drop(tree: PersistentMap, key: int) -> PersistentMap:
    if tree is None or len(tree) == 2:
        return None
    prefix, bit, left, right = tree
    if key & bit:
        return _branch(prefix, bit, left, _drop(right, key))
    return _branch(prefix, bit, _drop(left, key), right)


def common(a: PersistentMap, b: PersistentMap) -> PersistentMap:
    """The entries that both maps have; `a` itself if `b` has all of them."""
    if a is b or a is None or b is None:
        return a if a is b else None
    if len(a) == 2:
        return a if value_at(b, a[0]) is a[1] else None
    if len(b) == 2:
        return b if value_at(a, b[0]) is b[1] else None
    prefix, bit, left, right = a
    other_prefix, other_bit, other_left, other_right = b
    if bit == other_bit and prefix == other_prefix:
        new_left, new_right = common(left, other_left), common(right, other_right)
        return a if new_left is left and new_right is right else _branch(prefix, bit, new_left, new_right)
    if bit > other_bit and _above(other_prefix, bit) == prefix:
        return common(right if other_prefix & bit else left, b)
    if other_bit > bit and _above(prefix, other_bit) == other_prefix:
        return common(a, other_right if prefix & other_bit else other_left)
    return None


def _above(key: int, bit: int) -> int:
    """The bits of the key above `bit`."""
    return key & ~(2 * bit - 1)


def _branch(prefix: int, bit: int, left: PersistentMap, right: PersistentMap) -> PersistentMap:
    if left is None or right is None:
        return right if left is None else left
    return (prefix, bit, left, right)


def _joined(key: int, tree: tuple[Any, ...], other_key: int, other: tuple[Any, ...]) -> tuple[Any, ...]:
    bit = 1 << ((key ^ other_key).bit_length() - 1)
    left, right = (other, tree) if key & bit else (tree, other)
    return (_above(key, bit), bit, left, right)
