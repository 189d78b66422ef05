"""k-induction, lemmas and quantifiers: what is a proof by them is accepted, what only looks like one is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from craton.errors import CratonError
from craton.evidence.certificates.checking import Accepted, Programs, Refused, check_certificate
from craton.evidence.certificates.format import Certificate, Invariants
from craton.evidence.certificates.reading import from_data
from craton.evidence.certificates.task import described
from craton.evidence.certificates.writing import Annotated, as_data, certificate_of
from craton.evidence.checker import CHECKERS, Confirmed, Flaw, check_annotation, chosen_checkers
from craton.evidence.conditions import Annotation, Paths, Role
from craton.frontends.programs import Request
from craton.logic import FALSE, INT, TRUE, BitVec, Term, and_, bv, bvadd, bvule, eq, int_, le, not_, var
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.statements import Assign, Assume, Havoc, Statement
from craton.smt import Unsat, make_solver, parse_script
from craton.verdicts.provenance import Provenance
from support.certificates import failing_by_induction
from support.programs import Example

BY = Provenance("kinduction", solvers=("z3",))
EXCHANGE = """
procedure main() { var a: int; var b: int; var t: int; a := 0; b := 1;
  while (*) { t := a; a := b; b := t; }
  assert a != 2; }
"""
ROTATE = """
procedure main() { var a: int; var b: int; var c: int; var t: int; a := 0; b := 1; c := 3;
  while (*) { t := a; a := b; b := c; c := t; }
  assert a != 2; }
"""
BOUNDED = """
procedure main() { var i: int; var x: int; i := 0; havoc x; assume 0 <= x;
  while (i < 10) { i := i + 1; x := x + i; }
  assert x >= 0; }
"""


def requested(text: str, folder: Path) -> Request:
    file = folder / "program.bpl"
    file.write_text(text)
    return Request((str(file),))


def integer(name: str) -> Term:
    return var(f"main::{name}", INT)


def at_loop(program: Program, invariant: Term) -> dict[Location, Term]:
    """True at the entry, and this at the loop."""
    (head,) = program.loop_heads
    return {program.main.entry: TRUE, head: invariant}


def annotated(request: Request, invariant: Term, blocks: int | None = None, **settings: Any) -> Annotated:
    program = Programs(request).in_blocks(blocks)
    return Annotated(BY, program, blocks, at_loop(program, invariant), **settings)


def certified(request: Request, invariant: Term, **settings: Any) -> Certificate:
    made = certificate_of(described(request), annotated(request, invariant, **settings))
    assert from_data(as_data(made)) == made
    return made


def judged(made: Certificate, request: Request) -> set[str]:
    return failing_by_induction(as_data(made), Example(Path(request.files[0]), "true", None, None))


# --- k-induction ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "least"), [(EXCHANGE, 2), (ROTATE, 3)])
def test_an_invariant_is_k_inductive_from_some_k_on(text: str, least: int, tmp_path: Path) -> None:
    request = requested(text, tmp_path)
    for k in range(1, 5):
        made = certified(request, not_(eq(integer("a"), int_(2))), k=k)
        found = check_certificate(made, request)
        assert isinstance(found, Accepted if k >= least else Refused), (k, found)
        assert (judged(made, request) == set()) is (k >= least)
        if isinstance(found, Refused):
            assert found.decided
            how = "" if k == 1 else f"{k}-"
            assert found.problem.startswith(f"not {how}inductive: L"), found.problem


def test_what_k_steps_from_the_start_do_is_looked_at(tmp_path: Path) -> None:
    """The step holds for whatever the variables are first, so the base must tell."""
    for text, k, said in (
        (EXCHANGE.replace("b := 1", "b := 2"), 2, "not 2-inductive: L3 → L6 → L6 (loop at "),
        (EXCHANGE.replace("b := 1", "b := 2"), 3, "does not hold on a path from the start: L3 → L6 → L6 (loop at "),
        (EXCHANGE.replace("a := 0", "a := 2"), 2, "does not hold on a path from the start: L3 → L6 (loop at "),
        (ROTATE.replace("c := 3", "c := 2"), 3, "not 3-inductive: L3 → L7 → L7 → L7 (loop at "),
    ):
        request = requested(text, tmp_path)
        made = certified(request, not_(eq(integer("a"), int_(2))), k=k)
        found = check_certificate(made, request)
        assert isinstance(found, Refused), (text, k)
        assert found.decided
        assert found.problem.startswith(said), found.problem
        assert judged(made, request)


def test_k_inductive_invariants_that_do_not_suffice(tmp_path: Path) -> None:
    request = requested(EXCHANGE.replace("a != 2", "a != 1"), tmp_path)
    found = check_certificate(certified(request, not_(eq(integer("a"), int_(2))), k=2), request)
    assert isinstance(found, Refused)
    assert found.problem.startswith("not safe: L6 (loop at ")
    assert " → L6 → L12 (unreach-call), statement at " in found.problem


def test_an_unsafe_program_has_no_k_inductive_certificate(tmp_path: Path) -> None:
    request = requested(ROTATE.replace("a != 2", "a != 3"), tmp_path)
    for formula in (TRUE, FALSE, not_(eq(integer("a"), int_(3))), eq(integer("a"), int_(0))):
        for k in range(1, 6):
            for paths in Paths:
                found = check_certificate(certified(request, formula, k=k, paths=paths), request)
                assert isinstance(found, Refused), (formula, k)
                assert found.decided


def test_the_conditions_of_k_induction_can_be_checked_by_anybody(tmp_path: Path) -> None:
    request = requested(EXCHANGE, tmp_path)
    for k, holds in ((1, False), (2, True), (3, True)):
        folder = tmp_path / f"conditions {k}"
        check_certificate(certified(request, not_(eq(integer("a"), int_(2))), k=k), request, conditions=folder)
        files = sorted(folder.iterdir())
        # the start, the error, then paths to the loop and to the error: of k edges, or of fewer from the entry
        assert len(files) == 2 + {1: 3, 2: 5, 3: 7}[k]
        answers = [make_solver("z3").check(*parse_script(file.read_text())) for file in files]
        assert all(isinstance(answer, Unsat) for answer in answers) is holds


# --- by hand ----------------------------------------------------------------------------------------------------------

X, Y = (var(name, BitVec(8)) for name in "xy")
ENTRY, HEAD, BODY, DONE, ERROR = map(Location, range(5))


def byte(number: int) -> Term:
    return bv(number, 8)


def program(*edges: tuple[Location, Statement, Location]) -> Program:
    made = tuple(Edge(*edge) for edge in edges)
    return Program("main", {"main": Procedure("main", (), (), ENTRY, DONE, made)}, (), {ERROR: UNREACH})


def test_each_step_chooses_anew() -> None:
    """Were the value that is chosen the same in each round, x would be y from the second round on."""
    made = program(
        (ENTRY, Assume(FALSE), HEAD),
        (HEAD, Assign(Y, X), BODY),
        (BODY, Havoc((X,)), HEAD),
        (HEAD, Assume(not_(eq(X, Y))), ERROR),
    )
    claimed = {ENTRY: TRUE, HEAD: eq(X, Y), BODY: TRUE}
    for k in range(1, 8):
        found = check_annotation(Annotation(made, claimed, k=k), CHECKERS)
        assert isinstance(found, Flaw), k
        assert found.decided


def test_paths_that_come_to_no_state_twice() -> None:
    """x goes from 0 to 5 and back; from 200 it goes round among 200 … 203. Without simple paths no k suffices to know
    that 203 is not reached, since it may have gone round in the last k steps.
    """
    made = program(
        (ENTRY, Assign(X, byte(0)), HEAD),
        (HEAD, Assume(bvule(X, byte(5))), BODY),
        (BODY, Assign(X, bvadd(X, byte(1))), DONE),
        (DONE, Assume(not_(eq(X, byte(6)))), HEAD),
        (HEAD, Assume(eq(X, byte(200))), HEAD),
        (HEAD, Assume(eq(X, byte(200))), DONE),
        (DONE, Assume(eq(X, byte(200))), ERROR),
    )
    claimed = {ENTRY: TRUE, HEAD: TRUE, BODY: TRUE, DONE: not_(eq(X, byte(200)))}
    for k in (1, 2, 5):
        found = check_annotation(Annotation(made, claimed, k=k), CHECKERS)
        assert isinstance(found, Flaw), k
    simple = [check_annotation(Annotation(made, claimed, k=k, paths=Paths.SIMPLE), CHECKERS) for k in (1, 2, 3)]
    assert [type(found) for found in simple] == [Flaw, Confirmed, Confirmed]


def test_simple_paths_hide_no_violation() -> None:
    made = program((ENTRY, Assign(X, byte(0)), HEAD), (HEAD, Assign(X, bvadd(X, byte(1))), HEAD),
                   (HEAD, Assume(eq(X, byte(7))), ERROR))  # fmt: skip
    for k in range(1, 12):
        for claimed in (TRUE, not_(eq(X, byte(7))), FALSE):
            annotation = Annotation(made, {ENTRY: TRUE, HEAD: claimed}, k=k, paths=Paths.SIMPLE)
            assert isinstance(check_annotation(annotation, CHECKERS), Flaw), (k, claimed)


def test_there_may_be_too_many_paths() -> None:
    edges = [(HEAD, Assign(X, bvadd(X, byte(n))), HEAD) for n in range(1, 12)]
    made = program((ENTRY, Assume(eq(X, byte(0))), HEAD), *edges, (HEAD, Assume(eq(X, Y)), ERROR))
    annotation = Annotation(made, {ENTRY: TRUE, HEAD: not_(eq(X, Y))}, k=900)
    late = check_annotation(annotation, CHECKERS, 1.0)
    assert isinstance(late, Flaw)
    assert late.problem == "no time left to check the proof" or late.decided
    with pytest.raises(CratonError, match="more than 20000 paths of up to 900 edges"):
        for _ in annotation.conditions():
            pass


# --- lemmas -----------------------------------------------------------------------------------------------------------


def with_lemma(request: Request, lemma: Annotated, invariant: Term, **settings: Any) -> Certificate:
    main = annotated(request, invariant, assumes=("bound",), **settings)
    made = certificate_of(described(request), main, {"bound": lemma})
    assert from_data(as_data(made)) == made
    return made


def test_a_lemma_is_proved_and_then_assumed(tmp_path: Path) -> None:
    request = requested(BOUNDED, tmp_path)
    i, x = integer("i"), integer("x")
    positive = le(int_(0), x)
    assert isinstance(check_certificate(certified(request, positive), request), Refused)
    made = with_lemma(request, annotated(request, le(int_(0), i)), positive)
    assert isinstance(check_certificate(made, request), Accepted)
    assert judged(made, request) == set()
    assert isinstance(made.proof, Invariants)
    forgotten = replace(made, proof=replace(made.proof, assumes=()))
    assert isinstance(check_certificate(forgotten, request), Refused)


def test_a_lemma_may_be_of_other_blocks(tmp_path: Path) -> None:
    request = requested(BOUNDED, tmp_path)
    small = Programs(request).in_blocks(1)
    assert len(small.main.locations) > len(Programs(request).in_blocks(None).main.locations)
    everywhere = dict.fromkeys(small.main.locations, le(int_(0), integer("i"))) | {small.main.entry: TRUE}
    made = with_lemma(request, Annotated(BY, small, 1, everywhere), le(int_(0), integer("x")))
    assert isinstance(check_certificate(made, request), Accepted)
    assert judged(made, request) == set()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (lambda i: le(int_(1), i), "lemma 'bound': not inductive: L"),
        (lambda i: FALSE, "lemma 'bound': not inductive: L"),
        (lambda i: le(i, int_(9)), "lemma 'bound': not inductive: L"),
        (lambda i: eq(i, int_(0)), "lemma 'bound': not inductive: L"),
    ],
)
def test_a_lemma_that_does_not_hold_proves_nothing(wrong: Any, problem: str, tmp_path: Path) -> None:
    request = requested(BOUNDED, tmp_path)
    lemma = annotated(request, wrong(integer("i")))
    for invariant in (le(int_(0), integer("x")), TRUE, FALSE):
        found = check_certificate(with_lemma(request, lemma, invariant), request)
        assert isinstance(found, Refused)
        assert found.decided
        assert found.problem.startswith(problem), found.problem


def test_a_lemma_must_hold_at_the_start_and_at_errors(tmp_path: Path) -> None:
    request = requested(BOUNDED, tmp_path)
    program = Programs(request).in_blocks(None)
    for claims, problem in (
        ({program.main.entry: FALSE}, "lemma 'bound': does not hold at the start: the invariant of the entry L"),
        (dict.fromkeys(program.errors, FALSE), "lemma 'bound': not inductive: L"),
    ):
        lemma = Annotated(BY, program, None, claims)
        found = check_certificate(with_lemma(request, lemma, le(int_(0), integer("x"))), request)
        assert isinstance(found, Refused)
        assert found.problem.startswith(problem), found.problem


def test_a_k_inductive_lemma(tmp_path: Path) -> None:
    request = requested(EXCHANGE, tmp_path)
    differs = not_(eq(integer("a"), int_(2)))
    for k, answer in ((1, Refused), (2, Accepted)):
        made = with_lemma(request, annotated(request, differs, k=k), TRUE)
        assert isinstance(check_certificate(made, request), answer)
        assert (judged(made, request) == set()) is (answer is Accepted)


def test_lemmas_assume_lemmas(tmp_path: Path) -> None:
    """j ≥ 0 needs i ≥ 0, and x ≥ 0 needs j ≥ 0."""
    text = BOUNDED.replace("var x", "var j: int; var x").replace("i := 0;", "i := 0; j := 0;")
    request = requested(text.replace("x := x + i", "j := j + i; x := x + j"), tmp_path)
    of = {name: annotated(request, le(int_(0), integer(name))) for name in "ijx"}
    for chain, answer in ((True, Accepted), (False, Refused)):
        lemmas = {"i": of["i"], "j": replace(of["j"], assumes=("i",) if chain else ())}
        made = certificate_of(described(request), replace(of["x"], assumes=("j",)), lemmas)
        assert isinstance(check_certificate(made, request), answer)
        assert (judged(made, request) == set()) is chain


def test_a_lemma_says_nothing_of_other_locations() -> None:
    made = program((ENTRY, Assign(X, byte(0)), HEAD), (HEAD, Havoc((X,)), BODY), (BODY, Assume(TRUE), DONE))
    assert isinstance(check_annotation(Annotation(made, {HEAD: eq(X, byte(0))}, Role.LEMMA), CHECKERS), Confirmed)
    assert isinstance(check_annotation(Annotation(made, {HEAD: eq(X, byte(0))}), CHECKERS), Flaw)
    assert isinstance(check_annotation(Annotation(made, {BODY: eq(X, byte(0))}, Role.LEMMA), CHECKERS), Flaw)
    assert isinstance(check_annotation(Annotation(made, {DONE: eq(X, byte(0))}, Role.LEMMA), CHECKERS), Flaw)


# --- quantifiers ------------------------------------------------------------------------------------------------------

FILL = """
procedure main() { var a: [int]int; var i: int; var j: int; i := 0;
  while (i < 100) { a[i] := 7; i := i + 1; }
  havoc j; assume 0 <= j && j < 100; assert a[j] == 7; }
"""


def filled(request: Request, change: Any = lambda claims: None) -> Certificate:
    made = certified(request, and_(le(integer("i"), int_(100)), le(int_(0), integer("i"))))
    data = as_data(made)
    data["symbols"].insert(0, {"symbol": "|main::a|", "name": "main::a", "parameters": [], "sort": "(Array Int Int)",
                               "at": "now", "source": ""})  # fmt: skip
    claims = {entry["formula"]: entry for entry in data["proof"]["invariants"]}
    (head,) = (entry for formula, entry in claims.items() if "main::i" in formula)
    every = "(forall ((k Int)) (=> (and (<= 0 k) (< k |main::i|)) (= (select |main::a| k) 7)))"
    head["formula"] = f"(and {head['formula']} {every})"
    change(head)
    return from_data(data)


def test_an_invariant_for_all_elements(tmp_path: Path) -> None:
    request = requested(FILL, tmp_path)
    found = check_certificate(filled(request), request)
    assert isinstance(found, Accepted), found


@pytest.mark.parametrize(
    ("old", "new"), [("(< k ", "(<= k "), ("k) 7)", "k) 8)"), ("(<= 0 k)", "true"), ("forall", "exists")]
)
def test_an_invariant_for_too_many_elements(old: str, new: str, tmp_path: Path) -> None:
    def change(head: dict[str, Any]) -> None:
        assert old in head["formula"]
        head["formula"] = head["formula"].replace(old, new)

    request = requested(FILL, tmp_path)
    assert isinstance(check_certificate(filled(request, change), request, seconds=5.0), Refused)


# --- several solvers --------------------------------------------------------------------------------------------------


def test_none_of_several_solvers_checks(tmp_path: Path) -> None:
    assert set(chosen_checkers(("z3", "bitwuzla"), None, False)) == {
        "cvc5",
        "cvc5 over integers",
        "intervals",
        "truth-tables",
    }
    assert set(chosen_checkers(("z3", "/usr/bin/cvc5 --quiet"), None, False)) == {
        "bitwuzla",
        "intervals",
        "truth-tables",
    }
    with pytest.raises(CratonError, match="and intervals and truth-tables: it takes another"):
        chosen_checkers(("z3", "bitwuzla", "cvc5", "intervals", "truth-tables"), None, False)
    with pytest.raises(CratonError, match="it takes another solver"):
        chosen_checkers(("z3", "cvc5"), ["cvc5", "z3"], True)
    request = requested(EXCHANGE, tmp_path)
    made = certified(request, not_(eq(integer("a"), int_(2))), k=2)
    found = check_certificate(replace(made, found_by=Provenance("e", solvers=("z3", "bitwuzla"))), request)
    assert isinstance(found, Accepted)
    assert {name.split()[0] for name in found.solvers} == {"cvc5"}


def test_of_two_opinions_one_is_independent() -> None:
    for found_with in (("z3", "cvc5"), ("z3", "bitwuzla"), ("cvc5", "bitwuzla"), ("z3",), ()):
        asked = {name.split()[0] for name in chosen_checkers(found_with, None, True)}
        assert len(asked) >= 2
        assert len(asked & set(found_with)) <= 1


def test_a_lemma_is_not_checked_by_who_found_it(tmp_path: Path) -> None:
    request = requested(BOUNDED, tmp_path)
    lemma = replace(annotated(request, le(int_(0), integer("i"))), found_by=Provenance("e", solvers=("z3", "bitwuzla")))
    made = with_lemma(request, lemma, le(int_(0), integer("x")))
    assert isinstance(check_certificate(made, request), Accepted)
    with pytest.raises(CratonError, match="found with z3 and bitwuzla"):
        check_certificate(made, request, solvers=["bitwuzla"])


def test_integers_are_not_bits(tmp_path: Path) -> None:
    """The size of k says nothing of the size of numbers: a counter is no smaller for being looked at k times."""
    request = requested("procedure main() { var n: int; n := 0; while (*) { n := n + 1; } assert n < 50; }", tmp_path)
    n = integer("n")
    for k in (1, 2, 5, 49):
        made = certified(request, not_(le(int_(50), n)), k=k)
        assert isinstance(made.proof, Invariants)
        found = check_certificate(made, request)
        assert isinstance(found, Refused)
        assert found.decided
