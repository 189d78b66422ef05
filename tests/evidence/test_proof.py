"""Proofs are believed only if every condition is shown: whatever is wrong with an annotation is found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from craton.configuration.refiners import refiner
from craton.engines.contract import Budget, Safe
from craton.engines.trace_abstraction import TraceAbstraction
from craton.evidence import checker, state_ways
from craton.evidence.checker import CHECKERS, Confirmed, Flaw, Question, check_proof, check_questions, find_flaw
from craton.logic import FALSE, FLOAT64, TRUE, BitVec, Term, and_, bv, bvadd, bvule, bvult, eq, fp_lt, not_, or_, var
from craton.program.blocks import encode_blocks
from craton.program.cfa import UNREACH, Edge, Location, Procedure, Program
from craton.program.preparation import prepare
from craton.program.statements import Assign, Assume, Block, Havoc, Statement
from craton.program.transitions import transition
from craton.smt import Undecided, Unsat, make_solver
from craton.smt.contract import Core
from craton.traces.refutation import hoare_triple
from support.programs import BY_NAME

X, Y = (var(name, BitVec(32)) for name in "xy")
ENTRY, HEAD, BODY, DONE, ERROR = map(Location, range(5))


def word(number: int) -> Term:
    return bv(number, 32)


def program(*edges: tuple[Location, Statement, Location]) -> Program:
    made = tuple(Edge(*edge) for edge in edges)
    return Program("main", {"main": Procedure("main", (), (), ENTRY, DONE, made)}, (), {ERROR: UNREACH})


COUNTING = program(
    (ENTRY, Assign(X, word(0)), HEAD),
    (HEAD, Assume(bvult(X, word(10))), BODY),
    (BODY, Assign(X, bvadd(X, word(1))), HEAD),
    (HEAD, Assume(not_(bvult(X, word(10)))), DONE),
    (DONE, Assume(not_(eq(X, word(10)))), ERROR),
)
PROOF = {
    ENTRY: TRUE,
    HEAD: bvule(X, word(10)),
    BODY: bvult(X, word(10)),
    DONE: eq(X, word(10)),
}


def test_a_proof_is_accepted_and_its_checkers_named() -> None:
    # initiation, the error location, and five edges
    assert check_proof(COUNTING, PROOF, CHECKERS) == Confirmed(("bitwuzla",), 7)
    assert check_proof(COUNTING, PROOF, ("cvc5",)) == Confirmed(("cvc5",), 7)
    assert find_flaw(COUNTING, PROOF | {ERROR: FALSE}, CHECKERS) is None


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({ENTRY: FALSE}, "does not hold at the start: the invariant of the entry L0"),
        ({ENTRY: eq(X, word(0))}, "does not hold at the start: the invariant of the entry L0"),
        ({ERROR: TRUE}, "not safe: the invariant of error location L4 is not false"),
        ({ERROR: eq(X, word(1))}, "not safe: the invariant of error location L4 is not false"),
        ({HEAD: TRUE}, "not inductive: L1 → L3"),
        ({HEAD: FALSE}, "not inductive: L0 → L1"),
        ({HEAD: bvule(X, word(9))}, "not inductive: L2 → L1"),
        ({BODY: TRUE}, "not inductive: L2 → L1"),
        ({DONE: TRUE}, "not safe: L3 → L4 (unreach-call)"),
        ({DONE: bvule(word(10), X)}, "not safe: L3 → L4 (unreach-call)"),
    ],
)
def test_every_wrong_invariant_is_found(changed: dict[Location, Term], problem: str) -> None:
    flaw = find_flaw(COUNTING, PROOF | changed, CHECKERS)
    assert flaw is not None
    assert str(flaw) == problem


@pytest.mark.parametrize("missing", [ENTRY, HEAD, BODY, DONE])
def test_a_location_without_an_invariant_counts_as_not_reachable(missing: Location) -> None:
    assert find_flaw(COUNTING, {k: v for k, v in PROOF.items() if k != missing}, CHECKERS) is not None


def test_a_value_that_is_chosen_may_be_any() -> None:
    made = program((ENTRY, Havoc((X,)), HEAD), (HEAD, Assume(eq(X, word(3))), ERROR))
    assert find_flaw(made, {ENTRY: TRUE, HEAD: not_(eq(X, word(3)))}, CHECKERS) is not None


def test_an_entry_that_is_an_error_has_no_proof() -> None:
    made = program((ENTRY, Assign(X, word(0)), HEAD))
    made = Program("main", made.procedures, (), {ENTRY: UNREACH})
    for annotation in ({ENTRY: TRUE, HEAD: TRUE}, {ENTRY: FALSE}, {}):
        assert find_flaw(made, annotation, CHECKERS) is not None


def test_what_nobody_can_tell_is_a_flaw() -> None:
    flaw = check_proof(COUNTING, PROOF, ())
    assert isinstance(flaw, Flaw)
    assert str(flaw) == "not shown to be inductive: L1 → L2"
    assert not flaw.decided
    late = check_proof(COUNTING, PROOF, CHECKERS, 0.0)
    assert isinstance(late, Flaw)
    assert str(late) == "no time left to check the proof"


@pytest.mark.parametrize("name", ["loops/together.c", "loops/bound.c", "control/lock.c", "pointers/exchange.c"])
def test_a_proof_of_an_engine_with_any_invariant_replaced_is_judged_like_by_another_solver(name: str) -> None:
    made = encode_blocks(prepare(BY_NAME[name].program).small.program, 1).program
    verdict = TraceAbstraction(refiner("default")).run(made, Budget(30.0))
    assert isinstance(verdict, Safe)
    assert find_flaw(made, verdict.invariants, ("bitwuzla",)) is None
    for location in list(verdict.invariants)[:12]:
        for other in (TRUE, FALSE):
            changed = {**verdict.invariants, location: other}
            flaw = find_flaw(made, changed, ("bitwuzla",))
            assert (flaw is None) is _is_proof(made, changed), (location, other)


def _is_proof(made: Program, invariants: dict[Location, Term]) -> bool:
    solver = make_solver("z3")
    if not solver.is_valid(invariants.get(made.main.entry, FALSE)):
        return False
    if any(invariants.get(location, FALSE) is not FALSE for location in made.errors):
        return False
    return all(
        solver.is_valid(
            hoare_triple(
                invariants.get(e.source, FALSE),
                transition(e.statement),
                invariants.get(e.target, FALSE),
            )
        )
        for e in made.main.edges
    )


@dataclass
class Scripted:
    """A checker that answers if it is given the time that its script says; and writes down that it was asked."""

    name: str
    seconds: float | None
    needed: dict[str, float]
    asked: list[tuple[str, float | None]]

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def add(self, *formulas: Term) -> None:
        self.asked.append((self.name, self.seconds))

    def check(self) -> Unsat | Undecided:
        enough = self.seconds is None or self.seconds >= self.needed.get(self.name, math.inf)
        return Unsat(lambda: Core(())) if enough else Undecided("no time")


def asked_of(
    monkeypatch: pytest.MonkeyPatch, needed: dict[str, float], *questions: Term, alike: bool = False
) -> list[str]:
    """Whom the panel asks, with how many seconds, until it believes that the questions are contradictions."""
    asked: list[tuple[str, float | None]] = []
    monkeypatch.setattr(checker, "make_checker", lambda name, seconds: Scripted(name, seconds, needed, asked))
    found = check_questions([Question((term,), "", "") for term in questions], CHECKERS, alike=alike)
    assert isinstance(found, Confirmed)
    return [f"{name} {seconds:g}" for name, seconds in asked]


def test_a_short_question_is_for_those_who_are_likely_to_know(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_of(monkeypatch, {"cvc5": 0.1}, bvult(X, Y), bvult(Y, X))
    assert asked[:2] == ["bitwuzla 0.1", "z3 0.1"]
    assert asked[-2:] == ["cvc5 0.3", "cvc5 0.1"]  # who knew the first time is asked first the second time


def test_of_questions_that_are_alike_the_rest_is_for_who_answered_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_of(monkeypatch, {"z3": 0.2}, bvult(X, Y), bvult(Y, X), alike=True)
    assert asked[-2:] == ["z3 0.3", "z3 0.3"]
    once = asked_of(monkeypatch, {"z3": 0.2}, bvult(X, Y), alike=True)
    assert len(asked) == len(once) + 1


def test_a_claim_that_does_not_hold_is_refused_among_questions_that_are_alike() -> None:
    holds = and_(bvult(X, Y), bvult(Y, X))
    asked = [Question((formula,), "wrong", "") for formula in (holds, bvult(X, Y))]
    assert check_questions(asked, CHECKERS, alike=True) == Flaw(None, "wrong")


def test_everybody_is_asked_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_of(monkeypatch, {"cvc5": 4.0}, bvult(X, Y))
    assert {line.rsplit(" ", 1)[0] for line in asked} == set(CHECKERS)


def test_who_takes_long_to_begin_with_floats_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    float_ = var("f", FLOAT64)
    monkeypatch.setattr(checker, "_LIKELY", len(CHECKERS))
    asked = asked_of(monkeypatch, {"cvc5": 0.1}, fp_lt(float_, float_))
    assert "cvc5 0.1" not in asked
    assert "cvc5 0.3" in asked


@pytest.mark.parametrize("member", ["bitwuzla", "cvc5"])
def test_a_solver_that_is_kept_knows_the_premise_of_the_question_and_nothing_else(member: str) -> None:
    panel = checker._Panel([member], None, 1)
    small, large = bvult(X, bv(3, 32)), bvult(bv(9, 32), X)
    for _ in range(2):
        assert panel.contradicts(small, large, (5.0,))
        assert not panel.contradicts(small, bvult(X, Y), (5.0,))  # what was asked before is forgotten
        assert not panel.contradicts(large, bvult(Y, X), (5.0,))  # and so is the premise, if there is another
        assert panel.contradicts(large, small, (5.0,))


def test_the_paranoid_ask_in_all_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float | None]] = []
    needed = {"bitwuzla": 0.3, "cvc5": 0.3}
    monkeypatch.setattr(checker, "make_checker", lambda name, seconds: Scripted(name, seconds, needed, asked))
    for opinions in (1, 2):
        narrowed: list[Sequence[Term]] = []
        monkeypatch.setattr(checker, "in_fewer_bits", narrowed.append)
        found = check_questions([Question((bvult(X, Y),), "", "")], CHECKERS, opinions=opinions)
        assert isinstance(found, Confirmed) and bool(narrowed) is (opinions == 1)


def test_who_rests_on_ranges_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = {"bitwuzla": 0.3, "cvc5": 0.3}
    monkeypatch.setattr(checker, "make_checker", lambda name, seconds: Scripted(name, seconds, needed, []))
    monkeypatch.setattr(checker, "in_fewer_bits", lambda formulas: [*formulas, bvule(X, word(9))])
    found = check_questions([Question((bvult(X, Y),), "", "")], CHECKERS)
    assert isinstance(found, Confirmed) and set(found.by) == {"bitwuzla", "ranges"}


def test_bounds_alone_convince_none_of_the_paranoid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that lie leave out the way on which y leaves the set."""
    way = Block((Edge(HEAD, Assume(eq(X, word(3))), BODY), Edge(BODY, Assign(Y, bvadd(Y, word(1))), HEAD)))
    start = and_(bvule(X, word(5)), eq(Y, word(0)))
    made = program((ENTRY, Assume(start), HEAD), (HEAD, way, HEAD))
    states = [and_(eq(Y, word(number)), bvule(X, word(5))) for number in range(9)]
    monkeypatch.setattr(state_ways, "bounds_contradict", lambda formulas: True)
    proof = {ENTRY: TRUE, HEAD: or_(*states)}
    assert isinstance(check_proof(made, proof, CHECKERS), Confirmed)
    found = check_proof(made, proof, CHECKERS, opinions=2)
    assert isinstance(found, Flaw) and found.decided
