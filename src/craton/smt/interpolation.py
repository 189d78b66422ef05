"""Craig interpolants: binary, and sequences along a trace.

For formulas F[1] … F[n] that are unsatisfiable together, a sequence I[0] … I[n] has I[0] = true, I[n] = false,
I[i] ∧ F[i+1] ⇒ I[i+1], and I[i] mentions only symbols that occur both in F[1] … F[i] and in F[i+1] … F[n].
Sources: z3 by solving recursion-free Horn clauses, bitwuzla and cvc5 by their own procedures, SMT-LIB processes, and
`farkas` of our own for linear contradictions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from craton.logic.core import and_, implies
from craton.logic.sorts import Function
from craton.logic.terms import FALSE, TRUE, Term
from craton.logic.walk import free_variables, functions
from craton.processes.running_time import running_time
from craton.smt.contract import Solver, Undecided


class Satisfiable:
    """There is nothing to interpolate: the formulas are satisfiable together."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Satisfiable"


Interpolants = tuple[Term, ...] | Satisfiable | Undecided

# A source maps F[1] … F[n] and a time limit to the inner formulas I[1] … I[n-1].
Source = Callable[[Sequence[Term], float | None], Interpolants]


def sequence_interpolants(
    formulas: Sequence[Term], source: str = "z3", time_limit: float | None = None
) -> Interpolants:
    """I[0] … I[n] for F[1] … F[n], or the reason why there are none."""
    from craton.smt.registry import interpolation_source

    if not formulas:
        return Satisfiable()
    if any(f is FALSE for f in formulas):  # needs no solver, and some solvers fail on it
        first = next(i for i, f in enumerate(formulas) if f is FALSE)
        return (*[TRUE] * (first + 1), *[FALSE] * (len(formulas) - first))
    found = interpolation_source(source)(formulas, time_limit)
    if not isinstance(found, tuple):
        return found
    sequence = (TRUE, *found, FALSE)
    foreign = foreign_symbols(formulas, sequence)
    if foreign:
        return Undecided(f"{source}: an interpolant mentions {foreign}, which its place does not allow")
    return sequence


def binary_interpolant(
    a: Term, b: Term, source: str = "z3", time_limit: float | None = None
) -> Term | Satisfiable | Undecided:
    """I with a ⇒ I, I ⇒ ¬b, over the symbols that a and b share."""
    found = sequence_interpolants((a, b), source, time_limit)
    return found[1] if isinstance(found, tuple) else found


# --- the law ----------------------------------------------------------------------------------------------------------


def shared_symbols(formulas: Sequence[Term]) -> list[frozenset[Term | Function]]:
    """For every cut 0 … n, the symbols that occur both before and after it."""
    symbols = [frozenset[Term | Function](free_variables(f)) | frozenset(functions(f)) for f in formulas]
    before: list[frozenset[Term | Function]] = [frozenset()]
    for s in symbols:
        before.append(before[-1] | s)
    after: list[frozenset[Term | Function]] = [frozenset()]
    for s in reversed(symbols):
        after.append(after[-1] | s)
    return [b & a for b, a in zip(before, reversed(after), strict=True)]


def foreign_symbols(formulas: Sequence[Term], sequence: Sequence[Term]) -> str:
    """The first symbol in a wrong place; "" if there is none."""
    for i, (allowed, term) in enumerate(zip(shared_symbols(formulas), sequence, strict=True)):
        symbols: list[Term | Function] = [*free_variables(term), *functions(term)]
        for symbol in symbols:
            if symbol not in allowed:
                return f"{symbol.name} at cut {i}"
    return ""


def law_violation(formulas: Sequence[Term], sequence: Sequence[Term], checker: Solver) -> str:
    """What `checker` finds wrong with a sequence of interpolants; "" if nothing."""
    if len(sequence) != len(formulas) + 1 or sequence[0] is not TRUE or sequence[-1] is not FALSE:
        return "the sequence does not run from true to false"
    foreign = foreign_symbols(formulas, sequence)
    if foreign:
        return f"foreign symbol {foreign}"
    for i, (formula, (here, there)) in enumerate(zip(formulas, pairwise(sequence), strict=True)):
        valid = checker.is_valid(implies(and_(here, formula), there))
        if valid is not True:
            return f"step {i + 1} {'fails' if valid is False else 'is undecided'}: {here} ∧ {formula} ⇒ {there}"
    return ""


# --- sequences from binary interpolants -------------------------------------------------------------------------------


def by_binary(interpolate: Callable[[Term, Term, float | None], Term | Satisfiable | Undecided]) -> Source:
    """Cut by cut: I[i+1] separates I[i] ∧ F[i+1] from the rest, which makes the sequence inductive."""

    def source(formulas: Sequence[Term], time_limit: float | None) -> Interpolants:
        end = None if time_limit is None else running_time() + time_limit
        found: list[Term] = []
        here = TRUE
        for i in range(len(formulas) - 1):
            left = None if end is None else max(0.001, end - running_time())
            step = interpolate(and_(here, formulas[i]), and_(*formulas[i + 1 :]), left)
            if not isinstance(step, Term):
                return step
            found.append(step)
            here = step
        return tuple(found)

    return source
