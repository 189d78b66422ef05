"""From guesses to a model (Houdini, for clauses): conjuncts that a clause does not derive are removed until the rest is
derived by all of them together. It may satisfy the queries, or not.

A model that was found in integers may fail in bits because numbers wrap; what holds of them however they wrap are
equations modulo the width. So each bound of the model is also guessed as an equation, and arguments as equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from craton.engines.contract import Budget
from craton.horn.clauses import Clause, Predicate, System
from craton.horn.models import Model
from craton.logic import (
    FALSE,
    TRUE,
    BitVec,
    Term,
    and_,
    bv,
    bvadd,
    bvmul,
    conjuncts,
    eq,
    evaluate,
    not_,
    ops,
)
from craton.logic.evaluation import CannotEvaluate
from craton.logic.walk import atoms, fold
from craton.smt import Sat, Solver, Unsat, make_solver

SOLVER = "bitwuzla"
MOST_PAIRED = 14  # arguments of one predicate; more would be too many guesses

Guesses = dict[Predicate, list[Term]]


def inductive(system: System, guesses: Mapping[Predicate, Sequence[Term]], budget: Budget) -> Model:
    """The guesses that the clauses derive together. A predicate without guesses means true."""
    left: Guesses = {p: list(dict.fromkeys(guesses.get(p, ()))) for p in system.predicates}
    clauses = [clause for clause in system.clauses if clause.head is not None]
    solvers: dict[int, Solver] = {}
    waiting = dict.fromkeys(range(len(clauses)))
    while waiting:
        budget.check()
        number = next(iter(waiting))
        del waiting[number]
        clause = clauses[number]
        assert clause.head is not None
        predicate = clause.head.predicate
        if not left[predicate]:
            continue
        if number not in solvers:
            solvers[number] = make_solver(SOLVER, time_limit=2.0)
            solvers[number].add(clause.constraint)
        kept = _kept(solvers[number], clause, left)
        if len(kept) < len(left[predicate]):
            left[predicate] = kept
            used = (n for n, other in enumerate(clauses) if any(a.predicate == predicate for a in other.body))
            waiting |= dict.fromkeys(used)
    return Model({predicate: and_(*parts) for predicate, parts in left.items()})


def _kept(solver: Solver, clause: Clause, left: Guesses) -> list[Term]:
    """The guesses about the head that the clause derives. Each counterexample removes all that it violates."""
    assert clause.head is not None
    wanted = {guess: clause.head.told(guess) for guess in left[clause.head.predicate]}
    with solver.scope():
        for atom in clause.body:
            solver.add(*(atom.told(guess) for guess in left[atom.predicate]))
        while wanted:
            answer = solver.check(not_(and_(*wanted.values())))
            if isinstance(answer, Unsat):
                break
            kept = _true_in(answer, wanted) if isinstance(answer, Sat) else wanted
            if len(kept) == len(wanted):  # nothing learned: one by one
                return [g for g, goal in wanted.items() if isinstance(solver.check(not_(goal)), Unsat)]
            wanted = kept
    return list(wanted)


def _true_in(answer: Sat, wanted: dict[Term, Term]) -> dict[Term, Term]:
    try:
        model = answer.model
        return {guess: goal for guess, goal in wanted.items() if evaluate(goal, model) is True}
    except CannotEvaluate:
        return wanted


# --- guesses ----------------------------------------------------------------------------------------------------------


def guesses_in_bits(system: System, in_bits: Model, in_integers: Model) -> Guesses:
    """Conjuncts of a model in bits, equations modulo the width for bounds of the model in integers, equal arguments.
    The second model speaks of integers where the first speaks of bits, by the same parameters' places.
    """
    integers = {p.name: (p, m) for p, m in in_integers.meanings.items()}
    found: Guesses = {}
    for predicate in system.predicates:
        meaning = in_bits.meanings.get(predicate, TRUE)
        parts = [part for part in conjuncts(meaning) if part not in (TRUE, FALSE)]
        if predicate.name in integers:
            ideal, formula = integers[predicate.name]
            bits = dict(zip(ideal.parameters, predicate.parameters, strict=True))
            parts += _equations(formula, bits)
        parts += _equal_arguments(predicate)
        found[predicate] = parts
    return found


def _equal_arguments(predicate: Predicate) -> Iterator[Term]:
    for x, y in combinations(predicate.parameters[:MOST_PAIRED], 2):
        if x.sort is y.sort:
            yield eq(x, y)


def _equations(formula: Term, bits: Mapping[Term, Term]) -> Iterator[Term]:
    """For each comparison of the formula the equation of its sides, and of sides that differ by one."""
    for atom in atoms(formula):
        if atom.op not in (ops.LE, ops.LT, ops.EQ) or atom.args[0].sort is TRUE.sort:
            continue
        sides = [_in_bits(side, bits) for side in atom.args]
        if sides[0] is None or sides[1] is None or not isinstance(sides[0].sort, BitVec):
            continue
        if sides[0].sort is sides[1].sort:
            one = bv(1, sides[0].sort.width)
            yield eq(sides[0], sides[1])
            yield eq(bvadd(sides[0], one), sides[1])
            yield eq(sides[0], bvadd(sides[1], one))


def _in_bits(term: Term, bits: Mapping[Term, Term]) -> Term | None:
    """A linear term over integers as one modulo the width of its variables; None if it is not such."""
    widths = {b.sort.width for b in bits.values() if isinstance(b.sort, BitVec)}
    if len(widths) != 1:
        return None
    width = widths.pop()

    def visit(node: Term, args: list[Term | None]) -> Term | None:
        if node.is_variable:
            found = bits.get(node)
            return found if found is not None and isinstance(found.sort, BitVec) else None
        if node.op is ops.VALUE and isinstance(node.payload, int) and not isinstance(node.payload, bool):
            return bv(node.payload % (1 << width), width)
        known = [a for a in args if a is not None]
        if len(known) != len(args) or node.op not in (ops.ADD, ops.MUL, ops.SUB, ops.NEG):
            return None
        return _combined(node, known, width)

    return fold(term, visit)


def _combined(node: Term, args: Sequence[Term], width: int) -> Term:
    minus = bv((1 << width) - 1, width)
    if node.op is ops.NEG:
        return bvmul(minus, args[0])
    result = args[0]
    for other in args[1:]:
        if node.op is ops.ADD:
            result = bvadd(result, other)
        elif node.op is ops.SUB:
            result = bvadd(result, bvmul(minus, other))
        else:
            result = bvmul(result, other)
    return result
