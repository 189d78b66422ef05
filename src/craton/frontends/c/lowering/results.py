"""Values that come along several ways: variables that each way assigns."""

from __future__ import annotations

from craton.frontends.c.automaton.arithmetic import resize, width_of
from craton.frontends.c.automaton.builder import Builder
from craton.frontends.c.automaton.lvalue import Value, part_sort
from craton.frontends.c.syntax.types import CType, Pointer, Record, Void, leaves
from craton.logic import Term


def results_for(builder: Builder, t: CType) -> tuple[Term, ...]:
    """Variables for a value of type `t`; none for void."""
    if isinstance(t, Void):
        return ()
    return tuple(builder.temporary(part_sort(leaf.type)) for leaf in leaves(t))


def assign_all(builder: Builder, targets: tuple[Term, ...], value: Value, t: CType) -> None:
    values = value if isinstance(value, tuple) else (same_width(value, t),)
    for target, term in zip(targets, values, strict=True):
        builder.assign(target, term)


def as_value(results: tuple[Term, ...], t: CType) -> Value:
    """What the variables hold, as the value of an expression of type `t`."""
    if isinstance(t, Void):
        return ()
    return results if isinstance(t, Record) else results[0]


def same_width(term: Term, t: CType) -> Term:
    """Integers that stand for pointers may have another width."""
    if isinstance(t, Pointer) and width_of(term) != t.size * 8:
        return resize(term, t.size * 8, signed=False)
    return term


def saved(builder: Builder, value: Value) -> Value:
    """The same value, whatever happens next."""
    if isinstance(value, tuple):
        return tuple(builder.save(term) for term in value)
    return builder.save(value)
