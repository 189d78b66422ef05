"""Constructors of SMT-LIB's Core theory, uninterpreted functions and quantifiers.

Every constructor checks sorts, simplifies what it can see in the arguments themselves, and otherwise makes the node.
Building a term again from its own arguments gives the same term, which substitution and reading rely on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from craton.logic import ops
from craton.logic.ieee import Unspecified
from craton.logic.ops import Op
from craton.logic.semantics import compute
from craton.logic.sorts import BOOL, Function, Sort
from craton.logic.terms import FALSE, TRUE, Term, find, ill_sorted, intern, value, var

# A conjunction of conjunctions becomes one flat conjunction, unless a part is so long that repeated flattening of a
# growing formula would take quadratic time.
FLATTEN_BELOW = 64


def folded(op: Op, args: Sequence[Term], sort: Sort, payload: Any = None) -> Term | None:
    """The value of `op` on constants; None if an argument is not constant or the standard leaves the result open."""
    for arg in args:
        if arg.op is not ops.VALUE:
            return None
    try:
        return value(compute(op, [a.sort for a in args], payload, [a.payload for a in args]), sort)
    except Unspecified:
        return None


def is_nonzero(a: Term) -> bool:
    """A numeric constant other than zero."""
    return a.op is ops.VALUE and a.payload != 0


# --- connectives ------------------------------------------------------------------------------------------------------


def not_(a: Term) -> Term:
    if a.sort is not BOOL:
        raise ill_sorted(ops.NOT, "a Bool", (a,))
    op = a.op
    if op is ops.NOT:
        return a.args[0]
    if op is ops.VALUE:
        return FALSE if a is TRUE else TRUE
    mirror = _MIRROR.get(op)
    if mirror is not None:
        return intern(mirror, (a.args[1], a.args[0]), BOOL)
    return intern(ops.NOT, (a,), BOOL)


# Total orders: ¬(a < b) is b ≤ a. Not so for floats, where NaN compares with nothing.
_MIRROR = {
    ops.LE: ops.LT,
    ops.LT: ops.LE,
    ops.BVULE: ops.BVULT,
    ops.BVULT: ops.BVULE,
    ops.BVSLE: ops.BVSLT,
    ops.BVSLT: ops.BVSLE,
}


def and_(*args: Term) -> Term:
    return _junction(ops.AND, ops.OR, TRUE, FALSE, args)


def or_(*args: Term) -> Term:
    return _junction(ops.OR, ops.AND, FALSE, TRUE, args)


def _junction(op: Op, dual: Op, unit: Term, zero: Term, args: Sequence[Term]) -> Term:
    """Flat, without units, repetitions and absorbed parts; `zero` if a part is `zero` or two parts contradict."""
    parts: dict[Term, None] = {}
    duals = False
    for arg in args:
        if arg.sort is not BOOL:
            raise ill_sorted(op, "Bools", args)
        if arg is unit or arg in parts:
            continue
        if arg is zero:
            return zero
        if arg.op is op and len(arg.args) < FLATTEN_BELOW:
            for inner in arg.args:
                parts[inner] = None
                duals = duals or inner.op is dual
        else:
            parts[arg] = None
            duals = duals or arg.op is dual
    if len(parts) > 1:
        for part in parts:
            negated = _known_negation(part)
            if negated is not None and negated in parts:
                return zero
        if duals:  # a ∧ (a ∨ b) is a
            for part in [p for p in parts if p.op is dual and len(p.args) < FLATTEN_BELOW]:
                if any(inner in parts for inner in part.args):
                    del parts[part]
    if len(parts) < 2:
        return next(iter(parts), unit)
    return intern(op, tuple(parts), BOOL)


def _known_negation(a: Term) -> Term | None:
    """The negation of `a` if that term already exists; a new one could not be among the parts."""
    if a.op is ops.NOT:
        return a.args[0]
    mirror = _MIRROR.get(a.op)
    if mirror is not None:
        return find(mirror, (a.args[1], a.args[0]), BOOL)
    return find(ops.NOT, (a,), BOOL)


def conjuncts(a: Term) -> tuple[Term, ...]:
    """The parts of a conjunction, however long; `TRUE` has none."""
    return _parts(a, ops.AND, TRUE)


def disjuncts(a: Term) -> tuple[Term, ...]:
    return _parts(a, ops.OR, FALSE)


def alternatives(a: Term) -> tuple[Term, ...]:
    """Formulas of which one holds where this one does: its disjuncts, or what a denied conjunction denies."""
    if a.op is ops.NOT and a.args[0].op is ops.AND:
        return tuple(map(not_, a.args[0].args))
    return disjuncts(a)


def _parts(a: Term, op: Op, unit: Term) -> tuple[Term, ...]:
    if a is unit:
        return ()
    found: dict[Term, None] = {}
    stack = [a]
    while stack:
        part = stack.pop()
        if part.op is op:
            stack.extend(reversed(part.args))
        else:
            found[part] = None
    return tuple(found)


def xor(a: Term, b: Term, *more: Term) -> Term:
    if a.sort is not BOOL or b.sort is not BOOL:
        raise ill_sorted(ops.XOR, "Bools", (a, b, *more))
    for x, y in ((a, b), (b, a)):
        if x.op is ops.VALUE:
            result = not_(y) if x is TRUE else y
            break
        if x.op is ops.NOT:  # negations move outwards
            result = not_(xor(x.args[0], y))
            break
    else:
        result = FALSE if a is b else _symmetric(ops.XOR, a, b)
    for c in more:
        result = xor(result, c)
    return result


def implies(a: Term, b: Term, *more: Term) -> Term:
    """Right-associative, as in SMT-LIB."""
    if more:
        chain = [a, b, *more]
        result = chain.pop()
        while chain:
            result = implies(chain.pop(), result)
        return result
    if a.sort is not BOOL or b.sort is not BOOL:
        raise ill_sorted(ops.IMPLIES, "Bools", (a, b))
    if a is FALSE or b is TRUE or a is b:
        return TRUE
    if a is TRUE:
        return b
    if b is FALSE:
        return not_(a)
    return intern(ops.IMPLIES, (a, b), BOOL)


def iff(a: Term, b: Term) -> Term:
    if a.sort is not BOOL or b.sort is not BOOL:
        raise ill_sorted("iff", "two Bools", (a, b))
    return eq(a, b)


# --- equality ---------------------------------------------------------------------------------------------------------


def eq(a: Term, b: Term, *more: Term) -> Term:
    """SMT-LIB's `=` (identity: NaN equals NaN; `fp_eq` is C's `==`). Chained if there are more than two."""
    if a.sort is not b.sort:
        raise ill_sorted(ops.EQ, "arguments of one sort", (a, b, *more))
    if more:
        return and_(*(eq(x, y) for x, y in pairwise((a, b, *more))))
    if a is b:
        return TRUE
    if a.op is ops.VALUE:
        a, b = b, a
        if a.op is ops.VALUE:
            return FALSE
    if a.sort is BOOL:
        if b.op is ops.VALUE:
            return a if b is TRUE else not_(a)
        if a.op is ops.NOT:
            return eq(a.args[0], b.args[0]) if b.op is ops.NOT else not_(eq(a.args[0], b))
        if b.op is ops.NOT:
            return not_(eq(a, b.args[0]))
        if _known_negation(a) is b:
            return FALSE
    if b.op is ops.VALUE and a.op is ops.ITE:
        condition, then, otherwise = a.args
        if then.op is ops.VALUE and otherwise.op is ops.VALUE:  # (c ? 1 : 0) = 1
            return condition if then is b else not_(condition) if otherwise is b else FALSE
    if a.op in _SUMS and a.args[-1].op is ops.VALUE and (b.op is ops.VALUE or b.op is a.op):
        moved = _constant_to_the_right(a, b)
        if moved is not None:
            return eq(*moved)
    return _symmetric(ops.EQ, a, b)


_SUMS = (ops.ADD, ops.BVADD)


def split_constant(term: Term) -> tuple[Term, Any] | None:
    """A sum without its constant, and the constant; None if the term is not a sum with a constant."""
    if term.op not in _SUMS or term.args[-1].op is not ops.VALUE:
        return None
    rest = term.args[:-1]
    return rest[0] if len(rest) == 1 else intern(term.op, rest, term.sort), term.args[-1].payload


def plus_constant(term: Term, op: Op, constant: Any) -> Term:
    """`term` (a sum's rest) plus a constant, which the sort may wrap."""
    last = value(constant, term.sort)
    if last.payload == 0:
        return term
    return intern(op, (*(term.args if term.op is op else (term,)), last), term.sort)


def _constant_to_the_right(a: Term, b: Term) -> tuple[Term, Term] | None:
    """a + 2 = b + 5 is a = b + 3; None unless both sides have a constant."""
    left = split_constant(a)
    assert left is not None
    if b.op is ops.VALUE:
        return left[0], value(b.payload - left[1], b.sort)
    right = split_constant(b)
    if right is None:
        return None
    return left[0], plus_constant(right[0], a.op, right[1] - left[1])


def _symmetric(op: Op, a: Term, b: Term) -> Term:
    """Keeps the order of the arguments, unless the mirrored term already exists."""
    return find(op, (b, a), BOOL) or intern(op, (a, b), BOOL)


def distinct(*args: Term) -> Term:
    if len(args) < 2 or any(a.sort is not args[0].sort for a in args):
        raise ill_sorted(ops.DISTINCT, "at least two arguments of one sort", args)
    if len(args) == 2:
        return not_(eq(*args))
    if len(set(args)) < len(args):
        return FALSE
    return folded(ops.DISTINCT, args, BOOL) or intern(ops.DISTINCT, args, BOOL)


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    if condition.sort is not BOOL or then.sort is not otherwise.sort:
        raise ill_sorted(ops.ITE, "a Bool and two arguments of one sort", (condition, then, otherwise))
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if condition.op is ops.NOT:
        condition, then, otherwise = condition.args[0], otherwise, then
    # A branch with the same condition can be simplified: its condition is known.
    if then.op is ops.ITE and then.args[0] is condition:
        then = then.args[1]
    if otherwise.op is ops.ITE and otherwise.args[0] is condition:
        otherwise = otherwise.args[2]
    if then is otherwise:
        return then
    if then.sort is BOOL:
        if then is TRUE or then is condition:
            return or_(condition, otherwise)
        if then is FALSE:
            return and_(not_(condition), otherwise)
        if otherwise is TRUE:
            return or_(not_(condition), then)
        if otherwise is FALSE or otherwise is condition:
            return and_(condition, then)
    return intern(ops.ITE, (condition, then, otherwise), then.sort)


# --- functions and quantifiers ----------------------------------------------------------------------------------------


def apply(function: Function, *args: Term) -> Term:
    if tuple(a.sort for a in args) != function.params:
        raise ill_sorted(function.name, f"arguments of sorts {' '.join(map(str, function.params))}", args)
    return intern(ops.APPLY, args, function.result, function)


def forall(variables: Iterable[Term], body: Term) -> Term:
    return _quantified(ops.FORALL, variables, body)


def exists(variables: Iterable[Term], body: Term) -> Term:
    return _quantified(ops.EXISTS, variables, body)


def _quantified(op: Op, variables: Iterable[Term], body: Term) -> Term:
    """Variables that do not occur are dropped; nested quantifiers of one kind become one."""
    from craton.logic.walk import free_variables

    bound = tuple(dict.fromkeys(variables))
    if body.sort is not BOOL or not all(v.op is ops.VARIABLE for v in bound):
        raise ill_sorted(op, "variables and a Bool body", (*bound, body))
    if body.op is op:  # an inner variable hides an outer one of the same name, which then does not occur
        bound = tuple(v for v in bound if v not in body.payload) + body.payload
        body = body.args[0]
    occurring = free_variables(body)
    bound = tuple(v for v in bound if v in occurring)
    return intern(op, (body,), BOOL, bound) if bound else body


def fresh(stem: str, sort: Sort, taken: Iterable[Term]) -> Term:
    """A variable named like `stem`, but different from all names in `taken`."""
    names = {v.name for v in taken}
    if stem not in names:
        return var(stem, sort)
    number = 0
    while f"{stem}!{number}" in names:
        number += 1
    return var(f"{stem}!{number}", sort)
