"""Walks over the DAG of a term. All are iterative and visit each node once, so depth and sharing cost nothing extra."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from craton.errors import IllSorted
from craton.logic import ops
from craton.logic.build import build, rebuild
from craton.logic.core import fresh
from craton.logic.sorts import BOOL, Function
from craton.logic.terms import Term, var

R = TypeVar("R")
QUANTIFIERS = (ops.FORALL, ops.EXISTS)


def post_order(*roots: Term) -> Iterator[Term]:
    """Every node below the roots once, arguments before the nodes that use them."""
    seen: set[Term] = set()
    for root in roots:
        stack: list[Term | None] = [root]
        while stack:
            node = stack.pop()
            if node is None:  # a marker: the arguments of the node below it are done
                done = stack.pop()
                assert done is not None
                yield done
            elif node not in seen:
                seen.add(node)
                if node.args:
                    stack.append(node)
                    stack.append(None)
                    stack.extend([a for a in reversed(node.args) if a not in seen])
                else:
                    yield node


def fold(root: Term, visit: Callable[[Term, list[R]], R], memo: dict[Term, R] | None = None) -> R:
    """Bottom-up: `visit(node, results of its arguments)`. Pass a `memo` to keep results across calls."""
    memo = {} if memo is None else memo
    stack = [root]
    while stack:
        node = stack[-1]
        if node in memo:
            stack.pop()
            continue
        missing = [a for a in node.args if a not in memo]
        if missing:
            stack.extend(missing)
        else:
            stack.pop()
            memo[node] = visit(node, [memo[a] for a in node.args])
    return memo[root]


def size(root: Term, limit: int | None = None) -> int:
    """How many different nodes a term has. Counting stops once the limit, if any, is exceeded."""
    count = 0
    for _ in post_order(root):
        count += 1
        if limit is not None and count > limit:
            break
    return count


# --- variables --------------------------------------------------------------------------------------------------------

_NONE: frozenset[Term] = frozenset()


def free_variables(root: Term) -> frozenset[Term]:
    """The variables that occur free in a term. Cached in the nodes, which share equal sets."""
    if root.free is not None:
        return root.free
    stack = [root]
    while stack:
        node = stack[-1]
        if node.free is not None:
            stack.pop()
            continue
        if node.op is ops.VARIABLE:
            node.free = frozenset((node,))
            continue
        missing = [a for a in node.args if a.free is None]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        node.free = _union([a.free or _NONE for a in node.args])
        if node.op in QUANTIFIERS:
            node.free = node.free.difference(node.payload)
    assert root.free is not None
    return root.free


def _union(sets: Sequence[frozenset[Term]]) -> frozenset[Term]:
    """Returns one of the sets itself if it contains all the others: most nodes share their set with an argument."""
    if not sets:
        return _NONE
    largest = max(sets, key=len)
    rest = [s for s in sets if s is not largest and not s <= largest]
    return largest.union(*rest) if rest else largest


def ordered_variables(*roots: Term) -> tuple[Term, ...]:
    """The free variables in order of creation, for reproducible output."""
    found = _NONE.union(*map(free_variables, roots))
    return tuple(sorted(found, key=lambda v: v.serial))


def functions(*roots: Term) -> tuple[Function, ...]:
    """The uninterpreted functions that are applied."""
    return tuple(dict.fromkeys(node.payload for node in post_order(*roots) if node.op is ops.APPLY))


@lru_cache(maxsize=1 << 16)
def is_quantified(root: Term) -> bool:
    return any(node.op in QUANTIFIERS for node in post_order(root))


def atoms(formula: Term) -> tuple[Term, ...]:
    """The Boolean parts that are not connectives, in order of occurrence: comparisons, Bool variables, predicates,
    quantified formulas.
    """
    found: dict[Term, None] = {}
    seen: set[Term] = set()
    stack = [formula]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if _is_connective(node):
            stack.extend(reversed(node.args))
        elif node.op is not ops.VALUE:
            found[node] = None
    return tuple(found)


def _is_connective(node: Term) -> bool:
    if node.op in (ops.NOT, ops.AND, ops.OR, ops.XOR, ops.IMPLIES):
        return True
    return node.op in (ops.EQ, ops.ITE, ops.DISTINCT) and all(a.sort is BOOL for a in node.args)


# --- substitution -----------------------------------------------------------------------------------------------------


class _Scope:
    """The substitution in force at some depth of quantifiers, with its results so far."""

    __slots__ = ("mapping", "memo")

    def __init__(self, mapping: Mapping[Term, Term]) -> None:
        self.mapping = mapping
        self.memo: dict[Term, Term] = dict(mapping)


class Substitution:
    """Replaces variables in several terms: what they share is replaced once."""

    def __init__(self, mapping: Mapping[Term, Term]) -> None:
        """`mapping` maps variables to terms of the same sort."""
        for variable, replacement in mapping.items():
            if variable.op is not ops.VARIABLE or variable.sort is not replacement.sort:
                raise IllSorted(
                    f"cannot substitute {replacement} of sort {replacement.sort} for {variable} of sort {variable.sort}"
                )
        self._outermost = _Scope(mapping)

    def __call__(self, root: Term) -> Term:
        """All variables are replaced at once. Bound variables are renamed to avoid capture."""
        outermost = self._outermost
        if outermost.mapping.keys().isdisjoint(free_variables(root)):
            return root
        # Entries are nodes to process in a scope or, with a third part, quantified nodes whose body is being processed
        # in that inner scope.
        stack: list[tuple[Term, _Scope, _Scope | None]] = [(root, outermost, None)]
        while stack:
            node, scope, inner = stack[-1]
            memo = scope.memo
            if node in memo:
                stack.pop()
            elif inner is not None:
                stack.pop()
                bound = tuple(inner.mapping.get(v, v) for v in node.payload)
                memo[node] = build(node.op, (inner.memo[node.args[0]],), BOOL, bound)
            elif node.op in QUANTIFIERS:
                inner = _enter(node, scope)
                if inner is None:
                    memo[node] = node
                else:
                    stack[-1] = (node, scope, inner)
                    stack.append((node.args[0], inner, None))
            else:
                missing = [a for a in node.args if a not in memo and not _stays(a, scope)]
                if missing:
                    stack.extend([(a, scope, None) for a in missing])
                    continue
                stack.pop()
                memo[node] = _with_arguments(node, memo)
        return outermost.memo[root]


def substitute(root: Term, mapping: Mapping[Term, Term]) -> Term:
    """Replaces all variables at once: `mapping` maps variables to terms of the same sort.

    Bound variables are renamed to avoid capture.
    """
    free = free_variables(root)
    if len(mapping) > len(free):  # of a state of a large program, a term mostly speaks of little
        mapping = {variable: mapping[variable] for variable in free if variable in mapping}
    return Substitution(mapping)(root)


def replaced(roots: Iterable[Term], parts: Mapping[Term, Term]) -> tuple[Term, ...]:
    """Terms with other parts, whatever these are, simplified; what quantifiers bind is not looked at."""
    memo = dict(parts)

    def visit(node: Term, args: list[Term]) -> Term:
        return rebuild(node, args) if node.args else node

    return tuple(fold(root, visit, memo) for root in roots)


def _stays(node: Term, scope: _Scope) -> bool:
    """Whether a node has none of the variables that are replaced; it is its own result then. Terms have large parts
    that nothing is replaced in: what memory was before.
    """
    if node.args and not scope.mapping.keys().isdisjoint(free_variables(node)):
        return False
    scope.memo[node] = node
    return True


def _with_arguments(node: Term, memo: Mapping[Term, Term]) -> Term:
    args = [memo[a] for a in node.args]
    for old, new in zip(node.args, args, strict=True):
        if old is not new:
            return rebuild(node, args)
    return node


def _enter(node: Term, scope: _Scope) -> _Scope | None:
    """The scope inside a quantifier; None if none of its free variables change."""
    free = free_variables(node)
    changed = {v: t for v, t in scope.mapping.items() if v in free}
    if not changed:
        return None
    incoming = _NONE.union(*map(free_variables, changed.values()))
    taken = incoming | free_variables(node.args[0])
    for bound in node.payload:
        if bound in incoming:
            changed[bound] = fresh(bound.name, bound.sort, taken)
            taken |= {changed[bound]}
    return scope if changed == scope.mapping else _Scope(changed)


def rename(root: Term, new_name: Callable[[str], str]) -> Term:
    """Renames every free variable."""
    return substitute(root, {v: var(new_name(v.name), v.sort) for v in free_variables(root)})
