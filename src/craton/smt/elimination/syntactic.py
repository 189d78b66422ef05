"""Syntactic elimination: DER, UPD and dropping ([CN] 7, [NR] 4.2).

Each takes ∃ variables. body and returns what remains of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from craton.logic import ops
from craton.logic.arrays import select, store
from craton.logic.core import and_, eq, fresh, not_
from craton.logic.sorts import Array
from craton.logic.terms import FALSE, TRUE, Term
from craton.logic.walk import free_variables, post_order, substitute
from craton.smt.elimination.equations import solve_for

Quantified = tuple[tuple[Term, ...], Term]


def literals(formula: Term) -> tuple[Term, ...]:
    """The conjuncts, also of negated disjunctions and implications."""
    found: dict[Term, None] = {}
    stack = [formula]
    while stack:
        part = stack.pop()
        inner = part.args[0] if part.op is ops.NOT else part
        if part.op is ops.AND:
            stack.extend(reversed(part.args))
        elif part.op is ops.NOT and inner.op is ops.OR:
            stack.extend(not_(a) for a in reversed(inner.args))
        elif part.op is ops.NOT and inner.op is ops.IMPLIES:
            stack.extend((not_(inner.args[1]), inner.args[0]))
        elif part is not TRUE:
            found[part] = None
    return tuple(found)


def destructive_equality_resolution(variables: Sequence[Term], body: Term) -> Quantified:
    """∃x. x = t ∧ φ is φ[x ↦ t] if t does not contain x. Equations are solved for x if necessary.

    An array that is only known through writes to it, ∃a. b = a[i := v] ∧ φ, is b with some element e at i:
    ∃e. b[i] = v ∧ φ[a ↦ b[i := e]].
    """
    remaining = list(occurring(variables, body))
    new: tuple[Term, ...]
    while remaining:
        parts = literals(body)
        defined = _definitions(remaining, parts)
        if defined is not None:
            body, new = defined, ()
        else:
            writes = (_written_array(v, parts, body) for v in remaining)
            written = next((w for w in writes if w is not None), None)
            if written is None:
                break
            body, new = written
        remaining = [*occurring(remaining, body), *new]
    return tuple(occurring(remaining, body)), body


def _definitions(variables: Sequence[Term], parts: Sequence[Term]) -> Term | None:
    """The body after replacing all independently defined variables at once.

    Replacing them one by one would traverse the whole formula for every variable.
    """
    by_variable: dict[Term, list[Term]] = {v: [] for v in variables}
    for part in parts:
        for symbol in free_variables(part):
            if symbol in by_variable:
                by_variable[symbol].append(part)
    solutions: dict[Term, Term] = {}
    mentioned: set[Term] = set()  # in solutions
    used: set[Term] = set()
    sides: list[Term] = []
    for variable in variables:
        if variable in mentioned:
            continue
        for part in by_variable[variable]:
            solved = solve_for(variable, part) if part not in used else None
            if solved is not None and solutions.keys().isdisjoint(free_variables(solved[0])):
                solutions[variable], side = solved
                mentioned |= free_variables(solved[0])
                used.add(part)
                sides.append(side)
                break
    if not solutions:
        return None
    rest = [p for p in parts if p not in used]
    return substitute(and_(*sides, *rest), solutions)


def _written_array(variable: Term, parts: Sequence[Term], body: Term) -> tuple[Term, tuple[Term, ...]] | None:
    """Undoes one write after another, last one first. Written elements may depend on the array, indices may not."""
    if not isinstance(variable.sort, Array):
        return None
    for part in parts:
        if part.op is not ops.EQ:
            continue
        for written, result in (part.args, part.args[::-1]):
            writes = _writes(variable, written)
            if not writes or variable in free_variables(result):
                continue
            taken = set(free_variables(body))
            known: list[Term] = []
            new: list[Term] = []
            for index, element in writes:
                known.append(eq(select(result, index), element))
                new.append(fresh(f"{variable.name}.old", variable.sort.element, taken))
                taken.add(new[-1])
                result = store(result, index, new[-1])
            rest = (p for p in parts if p is not part)
            return substitute(and_(*known, *rest), {variable: result}), tuple(new)
    return None


def _writes(array: Term, written: Term) -> list[tuple[Term, Term]]:
    """Indices and elements of the writes that turn `array` into `written`, last one first; empty if none do."""
    found: list[tuple[Term, Term]] = []
    while written.op is ops.STORE and array not in free_variables(written.args[1]):
        found.append((written.args[1], written.args[2]))
        written = written.args[0]
    return found if written is array else []


def unconnected_parameter_drop(
    variables: Sequence[Term], body: Term, is_satisfiable: Callable[[Term], bool | None]
) -> Quantified:
    """Drops conjuncts that mention only quantified variables, and none that other conjuncts mention, if they are
    satisfiable; if they are unsatisfiable, so is the body.
    """
    variables = occurring(variables, body)
    parts = literals(body)
    quantified = frozenset(variables)
    kept: list[Term] = []
    for component in components(parts):
        symbols = frozenset[Term]().union(*(free_variables(p) for p in component))
        own = symbols and symbols <= quantified and not any(map(_has_open_symbols, component))
        satisfiable = is_satisfiable(and_(*component)) if own else None
        if satisfiable is False:
            return (), FALSE
        if satisfiable is None:
            kept += component
    if len(kept) == len(parts):
        return tuple(variables), body
    rest = and_(*kept)
    return tuple(occurring(variables, rest)), rest


def _has_open_symbols(formula: Term) -> bool:
    """Does it mention a function, or a result that the standard leaves open? Both are free symbols too."""
    return any(
        node.op in _OPEN or (node.op in _OPEN_AT_ZERO and (not node.args[1].is_value or not node.args[1].payload))
        for node in post_order(formula)
    )


_OPEN = (ops.APPLY, ops.FP_MIN, ops.FP_MAX, ops.FP_TO_UBV, ops.FP_TO_SBV, ops.FP_TO_REAL)
_OPEN_AT_ZERO = (ops.DIV, ops.MOD, ops.DIVIDE)


def components(parts: Sequence[Term], among: frozenset[Term] | None = None) -> list[list[Term]]:
    """Conjuncts grouped so that groups share no variables (counting only those in `among`, if given)."""
    groups: list[tuple[frozenset[Term], list[Term]]] = []
    for part in parts:
        symbols, members = free_variables(part), [part]
        if among is not None:
            symbols &= among
        separate = []
        for other_symbols, others in groups:
            if symbols.isdisjoint(other_symbols):
                separate.append((other_symbols, others))
            else:
                symbols, members = symbols | other_symbols, others + members
        groups = [*separate, (symbols, members)]
    return [members for _, members in groups]


def drop(variables: Sequence[Term], body: Term) -> Quantified:
    """Over-approximation: drops every conjunct that mentions a quantified variable."""
    quantified = frozenset(variables)
    return (), and_(*(p for p in literals(body) if quantified.isdisjoint(free_variables(p))))


def occurring(variables: Sequence[Term], body: Term) -> Sequence[Term]:
    """The variables that are free in the body, in the given order."""
    free = free_variables(body)
    return [v for v in variables if v in free]
