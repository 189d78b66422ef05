"""Scripts as systems: every form that is in use, and a message with its line for what is not supported."""

from __future__ import annotations

import random

import pytest

from craton.horn.clauses import Clause, Predicate
from craton.horn.errors import BadScript, NotSupported
from craton.horn.normal_form import clauses_of
from craton.horn.reading import parse_system
from craton.logic import (
    BOOL,
    Function,
    FunctionTable,
    Model,
    Term,
    and_,
    apply,
    eq,
    exists,
    forall,
    iff,
    implies,
    ite,
    not_,
    or_,
    satisfies,
    var,
    xor,
)

COUNTING = """
(set-logic HORN)
(set-info :status sat)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (p x x))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (< x 5)) (p (+ x 1) (+ y 1)))))
{query}
(check-sat)
(exit)
"""

QUERIES = {
    "negated exists": "(assert (not (exists ((x Int) (y Int)) (and (p x y) (not (= x y))))))",
    "implication": "(assert (forall ((x Int) (y Int)) (=> (and (p x y) (not (= x y))) false)))",
    "conclusion": "(assert (forall ((x Int) (y Int)) (=> (p x y) (= x y))))",
    "negated conjunction": "(assert (forall ((x Int) (y Int)) (not (and (p x y) (not (= x y))))))",
    "disjunction": "(assert (forall ((x Int)) (forall ((y Int)) (or (not (p x y)) (= x y)))))",
    "definition": "(define-fun is ((a Int) (b Int)) Bool (= a b))"
    "(assert (forall ((x Int) (y Int)) (=> (p x y) (is x y))))",
    "let": "(assert (forall ((x Int) (y Int)) (let ((e (= x y))) (=> (p x y) e))))",
    "named": "(assert (! (forall ((x Int) (y Int)) (=> (p x y) (= x y))) :named safe))",
}


@pytest.mark.parametrize("form", QUERIES)
def test_queries_of_all_forms_are_one_clause(form: str) -> None:
    system = parse_system(COUNTING.format(query=QUERIES[form]))
    assert system.status == "sat"
    assert [clause.is_query for clause in system.clauses] == [False, False, True]
    query = system.clauses[2]
    assert [atom.predicate.name for atom in query.body] == ["p"]
    x, y = query.body[0].arguments
    assert query.constraint is not_(eq(x, y))
    assert query.line == 7


def test_rules_and_queries_of_the_fixed_point_format() -> None:
    system = parse_system(
        """
        (declare-rel p (Int))
        (declare-rel goal ())
        (declare-var x Int)
        (declare-var y Int)
        (rule (p 0) start)
        (rule (=> (and (p x) (< x 3) (= y (+ x 1))) (p y)))
        (rule (=> (and (p x) (= x 4)) goal))
        (query goal :print-certificate true)
        """
    )
    assert [str(clause.head and clause.head.predicate) for clause in system.clauses] == ["p", "p", "goal", "None"]
    assert [[atom.predicate.name for atom in clause.body] for clause in system.clauses] == [[], ["p"], ["p"], ["goal"]]


def test_a_query_of_a_relation_with_arguments_asks_for_any() -> None:
    system = parse_system("(declare-rel p (Int Bool)) (declare-var x Int) (rule (p x true)) (query p)")
    assert len(system.clauses[1].body[0].arguments) == 2


def test_nested_implications_are_several_clauses() -> None:
    system = parse_system(
        """(declare-fun f (Int Int) Bool) (declare-fun g (Int) Bool)
        (assert (forall ((x Int)) (=> (> x 0) (and (=> (= x 1) (g x))
            (=> (not (= x 1)) (forall ((r Int)) (=> (f (- x 1) r) (and (f x (+ r 1)) (g r)))))))))"""
    )
    heads = [clause.head.predicate.name for clause in system.clauses if clause.head is not None]
    assert heads == ["g", "f", "g"]
    assert [len(clause.body) for clause in system.clauses] == [0, 1, 1]


REFUSED = {
    "a data type (List)": "\n(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))",
    "a data type (Pair)": "\n(declare-datatype Pair ((pair (first Int))))",
    "an uninterpreted sort (S)": "\n(declare-sort S 0)",
    "an uninterpreted function (f)": "\n(declare-fun f (Int) Int)",
    "a constant that is not a predicate (c)": "\n(declare-const c Int)",
    "more than one problem in a script (push)": "\n(push 1)",
    "p(0) ∨ p(1) is not a Horn clause, which": "(declare-fun p (Int) Bool)\n(assert (or (p 0) (p 1)))",
    "a predicate that is assumed for all values": "(declare-fun p (Int) Bool)\n(assert (not (forall ((x Int)) (p x))))",
    "the command frobnicate": "\n(frobnicate)",
}


@pytest.mark.parametrize("construct", REFUSED)
def test_what_is_not_supported_is_named_with_its_line(construct: str) -> None:
    with pytest.raises(NotSupported) as refusal:
        parse_system(REFUSED[construct], "some.smt2")
    assert str(refusal.value) == f"some.smt2:2: {construct} is not supported"
    assert refusal.value.exit_code == 3


BROKEN = {
    "(assert\n": "some.smt2:1: a command is never closed",
    "\n)": "some.smt2:2: a parenthesis closes nothing",
    "\nx": "some.smt2:2: x is outside of a command",
    '\n(set-info "x)': 'some.smt2:2: " opens something that is never closed',
    "\n\n(assert (q 1))": "some.smt2:3: unknown constant q (Int)",
    "(declare-fun)": "some.smt2:1: declare-fun is incomplete",
}


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_not_a_script_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(BadScript) as refusal:
        parse_system(text, "some.smt2")
    assert BROKEN[text] in str(refusal.value)


# --- the meaning of clauses, by evaluation ----------------------------------------------------------------------------

P, Q, R = Function("P", (BOOL,), BOOL), Function("Q", (BOOL, BOOL), BOOL), var("R", BOOL)
UNKNOWNS: dict[Function | Term, Predicate] = {
    P: Predicate("P", (BOOL,)),
    Q: Predicate("Q", (BOOL, BOOL)),
    R: Predicate("R"),
}
NAMES = [var(name, BOOL) for name in "abc"]


def random_formula(rng: random.Random, depth: int) -> Term:
    if depth == 0 or rng.random() < 0.15:
        kind = rng.randrange(5)
        a, b = rng.choice(NAMES), rng.choice(NAMES)
        return (apply(P, a), apply(Q, a, b), R, a, not_(b))[kind]
    parts = [random_formula(rng, depth - 1) for _ in range(3)]
    kind = rng.randrange(9)
    if kind == 7:
        return forall([rng.choice(NAMES)], parts[0])
    if kind == 8:
        return exists([rng.choice(NAMES)], parts[0])
    return (
        and_(*parts),
        or_(*parts),
        implies(parts[0], parts[1]),
        not_(parts[0]),
        ite(*parts),
        iff(parts[0], parts[1]),
        xor(parts[0], parts[1]),
    )[kind]


def as_formula(clause: Clause) -> Term:
    symbols = {"P": lambda a: apply(P, *a), "Q": lambda a: apply(Q, *a), "R": lambda a: R}
    body = [symbols[atom.predicate.name](atom.arguments) for atom in clause.body]
    head = [] if clause.head is None else [symbols[clause.head.predicate.name](clause.head.arguments)]
    return implies(and_(clause.constraint, *body), or_(*head))


def test_clauses_mean_what_the_assertion_means() -> None:
    rng = random.Random(14)
    horn = 0
    for _ in range(700):
        formula = random_formula(rng, 3)
        try:
            clauses = clauses_of(formula, UNKNOWNS)
        except NotSupported:
            continue
        horn += 1
        closed = forall(NAMES, formula)
        together = and_(*(forall(list(clause.variables), as_formula(clause)) for clause in clauses))
        for bits in rng.sample(range(128), 12):
            model = Model(
                {R: bool(bits & 1)},
                {
                    P: FunctionTable(False, {(b,): bool(bits >> 1 + b & 1) for b in (False, True)}),
                    Q: FunctionTable(
                        False, {(a, b): bool(bits >> 3 + 2 * a + b & 1) for a in (False, True) for b in (False, True)}
                    ),
                },
            )
            assert satisfies(model, closed) == satisfies(model, together), formula
    assert horn > 180
