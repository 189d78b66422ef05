"""What one engine has shown helps others; and what one claims wrongly harms nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from craton.engines.contract import Budget, Engine, EngineAnswer, Lemma, Progress, Safe, Unknown
from craton.engines.horn import Horn
from craton.engines.kinduction import KInduction
from craton.engines.trace_abstraction import TraceAbstraction
from craton.evidence.checker import CHECKERS, Confirmed, check_annotation
from craton.evidence.conditions import Annotation
from craton.frontends.programs import Request, load_program
from craton.logic import FALSE, Term, bv, bvsle, eq, free_variables
from craton.program.analysis.control_flow import back_edge_targets
from craton.program.blocks import encode_blocks
from craton.program.cfa import Location, Program
from craton.program.preparation import prepare
from craton.traces.refutation import Refiner, Refutation
from craton.verdicts.result import Result
from craton.verdicts.verdict import Proved
from craton.verification.knowledge import MOST_CONJUNCTS, Knowledge
from craton.verification.run import verify
from craton.verification.stages import GivenEngine

# Safe because x = y, which k-induction does not find out by itself, whatever k is.
LOCKSTEP = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 0, y = 0;
  while (__VERIFIER_nondet_int()) {
    if (x < 1000) { x++; y++; }
    if (__VERIFIER_nondet_int() && x != y) reach_error();
  }
  return 0;
}
"""
WRONG = LOCKSTEP.replace("y++;", "y += x == 3 ? 2 : 1;")

Claim = Callable[[Term, Term], Term]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Request]:
    def write(text: str) -> Request:
        (tmp_path / "p.c").write_text(text)
        return Request((str(tmp_path / "p.c"),))

    return write


def claimed(program: Program, claim: Claim) -> dict[Location, Term]:
    """The claim about x and y at loop heads."""
    every = {v.name.split("::")[-1]: v for v in (*program.globals, *program.main.locals)}
    return {head: claim(every["x"], every["y"]) for head in back_edge_targets(program.main)}


def equal(x: Term, y: Term) -> Term:
    return eq(x, y)


def too_much(x: Term, y: Term) -> Term:
    return bvsle(x, bv(5, 32))


@dataclass(frozen=True)
class Teller(Engine):
    """Tells a lemma, and has no answer itself."""

    claim: Claim
    word: ClassVar[str] = "teller"
    blocks: int | None = None

    def run(self, program: Program, budget: Budget) -> EngineAnswer:
        budget.tell(Lemma(claimed(program, self.claim), ("z3",)))
        while True:
            budget.watch(Progress(1, 0, 0, 0))


def encoded(request: Request) -> Program:
    return encode_blocks(prepare(load_program(request)).small.program).program


def alone(engine: Engine, program: Program, claim: Claim | None) -> EngineAnswer:
    news = [] if claim is None else [Lemma(claimed(program, claim), ("z3",))]

    def told() -> list[Lemma]:
        once, news[:] = list(news), []
        return once

    return engine.run(program, Budget(60.0, news=told))


@dataclass(frozen=True)
class NeverAsked(Refiner):
    """There is nothing to refine."""

    word: ClassVar[str] = "never"

    def refute(self, *_: object) -> Refutation:
        raise AssertionError("a trace is to be refuted")


ENGINES = [KInduction(plain=True), Horn(), TraceAbstraction(NeverAsked())]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.word)
def test_engines_use_what_they_are_told_and_their_proofs_carry_it(
    engine: Engine, written: Callable[[str], Request]
) -> None:
    program = encoded(written(LOCKSTEP))
    answer = alone(engine, program, equal)
    assert isinstance(answer, Safe), answer
    assert isinstance(check_annotation(Annotation(program, answer.invariants, k=answer.k), CHECKERS), Confirmed)


def test_k_induction_needed_it(written: Callable[[str], Request]) -> None:
    assert isinstance(alone(KInduction(plain=True, most=4), encoded(written(LOCKSTEP)), None), Unknown)


@pytest.mark.parametrize("engine", [KInduction(plain=True, most=5), Horn()], ids=lambda engine: engine.word)
def test_who_believes_a_lie_proves_nothing(engine: Engine, written: Callable[[str], Request]) -> None:
    program = encoded(written(WRONG))
    answer = alone(engine, program, lambda x, y: FALSE)
    if isinstance(answer, Safe):
        found = check_annotation(Annotation(program, answer.invariants, k=answer.k), CHECKERS)
        assert not isinstance(found, Confirmed)


def by_both(request: Request, claim: Claim, engine: Engine, seconds: float = 20.0) -> Result:
    return verify(request, [GivenEngine.of(Teller(claim)), GivenEngine.of(engine)], 300.0, cpu=seconds)


def test_lemmas_travel(written: Callable[[str], Request]) -> None:
    result = by_both(written(LOCKSTEP), equal, KInduction(plain=True))
    assert isinstance(result.verdict, Proved), result
    assert any(
        len(free_variables(claim)) > 1 for claim in result.verdict.proof.invariants.values()
    )  # it is part of the proof


def test_lies_travel_no_further_than_the_checker(written: Callable[[str], Request]) -> None:
    for text in (LOCKSTEP, WRONG):
        result = by_both(written(text), too_much, KInduction(plain=True, most=3), 4.0)  # who tells never ends
        assert not isinstance(result.verdict, Proved), result


def test_what_is_known_is_told_once(written: Callable[[str], Request]) -> None:
    program = encoded(written(LOCKSTEP))
    knowledge, lemma = Knowledge(), Lemma(claimed(program, equal), ("cvc5",))
    knowledge.learn(lemma)
    knowledge.learn(lemma)
    assert knowledge.board.news() == [lemma]
    (head,) = lemma.invariants
    helped = knowledge.added_to(Safe({head: too_much(*free_variables(lemma.invariants[head]))}, ("z3",)))
    assert helped.by == ("z3", "cvc5")
    assert lemma.invariants[head] in helped.invariants[head].args
    x = next(iter(free_variables(lemma.invariants[head])))
    for number in range(2 * MOST_CONJUNCTS):
        knowledge.learn(Lemma({head: bvsle(x, bv(number, 32))}, ()))
    assert len(knowledge.known[head]) == MOST_CONJUNCTS
