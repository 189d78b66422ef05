"""Conjectures about systems: what is sampled are facts, what is answered is right, and what they are for is found."""

from __future__ import annotations

import pytest

from craton.engines.contract import Budget
from craton.engines.systems.conjectures import Conjectures
from craton.engines.systems.contract import Contradicted, Solved
from craton.engines.systems.facts import KnownFacts
from craton.engines.systems.regions import Detail, regions
from craton.engines.systems.sampling import sampled
from craton.evidence.systems import check_derivation
from craton.horn.derivations import Derivation
from craton.horn.grounding import grounded
from craton.horn.preprocessing import preprocessed
from craton.horn.reading import parse_system
from craton.logic import constant, eq
from craton.smt import Sat, make_solver
from support.clauses import is_satisfiable, random_system

IN_STEP = """(set-logic HORN)
(declare-fun inv (S S S S S S) Bool)
(assert (forall ((n S)) (inv n c0 c0 n c1 c0)))
(assert (forall ((n S) (i S) (x S) (m S) (j S) (y S))
  (=> (and (inv n i x m j y) (at-most i n) (at-most j m)) (inv n (plus i c1) (plus x i) m (plus j c1) (plus y j)))))
(assert (forall ((n S) (i S) (x S) (m S) (j S) (y S))
  (=> (and (inv n i x m j y) (at-most i n) (not (at-most j m))) (inv n (plus i c1) (plus x i) m j y))))
(assert (forall ((n S) (i S) (x S) (m S) (j S) (y S))
  (=> (and (inv n i x m j y) (not (at-most i n)) (at-most j m)) (inv n i x m (plus j c1) (plus y j)))))
(assert (forall ((n S) (i S) (x S) (m S) (j S) (y S))
  (=> (and (inv n i x m j y) (not (at-most i n)) (not (at-most j m))) (= x y))))
"""
CALLS = """(set-logic HORN)
(declare-fun both (S S S S) Bool)
(declare-fun left (S S) Bool)
(declare-fun right (S S) Bool)
(assert (forall ((n S)) (=> (at-most n c0) (left n c0))))
(assert (forall ((n S) (r S)) (=> (and (not (at-most n c0)) (left (plus n d1) r)) (left n (plus r c1)))))
(assert (forall ((n S)) (=> (at-most n c0) (right n c0))))
(assert (forall ((n S) (r S)) (=> (and (not (at-most n c0)) (right (plus n d1) r)) (right n (plus c1 r)))))
(assert (forall ((n S) (m S)) (=> (and (at-most n c0) (at-most m c0)) (both n c0 m c0))))
(assert (forall ((n S) (m S) (r S))
  (=> (and (at-most n c0) (not (at-most m c0)) (right (plus m d1) r)) (both n c0 m (plus c1 r)))))
(assert (forall ((n S) (m S) (r S))
  (=> (and (not (at-most n c0)) (at-most m c0) (left (plus n d1) r)) (both n (plus r c1) m c0))))
(assert (forall ((n S) (m S) (r S) (s S))
  (=> (and (not (at-most n c0)) (not (at-most m c0)) (both (plus n d1) r (plus m d1) s))
      (both n (plus r c1) m (plus c1 s)))))
(assert (forall ((n S) (r S) (s S)) (=> (both n r n s) (= r s))))
"""
INTEGERS = {"S": "Int", "at-most": "<=", "plus": "+", "c0": "0", "c1": "1", "d1": "(- 1)"}
BITS = {"S": "(_ BitVec 16)", "at-most": "bvsle", "plus": "bvadd", "c0": "#x0000", "c1": "#x0001", "d1": "#xffff"}


def written(text: str, words: dict[str, str]) -> str:
    for word, meaning in words.items():
        text = text.replace(f"({word} ", f"({meaning} ").replace(f" {word})", f" {meaning})")
        text = text.replace(f" {word} ", f" {meaning} ").replace(f" {word} ", f" {meaning} ")
    return text


def test_what_is_sampled_follows() -> None:
    judge = make_solver("z3")
    for seed in range(40, 50):
        system = preprocessed(random_system(seed)).system
        known = sampled(system, 0.3, Budget(10.0))
        inferences = known.inferences
        for inference in inferences:
            assert inference.clause is not None
            clause = system.clauses[inference.clause]
            told = [clause.constraint]
            premises = [inferences[p].fact for p in inference.premises]
            atoms = [*clause.body, *([] if clause.head is None else [clause.head])]
            for atom, fact in zip(atoms, [*premises, inference.fact], strict=False):
                assert fact is not None
                assert fact.predicate == atom.predicate
                told += [eq(a, constant(v, a.sort)) for a, v in zip(atom.arguments, fact.values, strict=True)]
            assert isinstance(judge.check(*told), Sat)


def test_answers_are_right() -> None:
    judge = make_solver("bitwuzla")
    answered = 0
    for seed in range(700, 730):
        found = preprocessed(random_system(seed))
        answer = Conjectures().run(found.system, Budget(20.0))
        if isinstance(answer, Solved):
            answered += 1
            assert is_satisfiable(found.original)
            assert all(judge.is_valid(condition) for condition in answer.model.conditions(found.system))
        elif isinstance(answer, Contradicted):
            answered += 1
            derivation = grounded(found, answer.inferences)
            assert isinstance(derivation, Derivation)
            assert check_derivation(found.original, derivation) == ""
    assert answered >= 20


@pytest.mark.parametrize("words", [INTEGERS, BITS], ids=["integers", "bits"])
@pytest.mark.parametrize("text", [IN_STEP, CALLS], ids=["loops", "calls"])
def test_two_programs_in_step(text: str, words: dict[str, str]) -> None:
    """One loop is an iteration ahead of the other until its end; calls agree where their arguments do."""
    found = preprocessed(parse_system(written(text, words)))
    answer = Conjectures().run(found.system, Budget(60.0))
    assert isinstance(answer, Solved), answer


def test_regions_are_how_clauses_use_a_predicate() -> None:
    found = preprocessed(parse_system(written(CALLS, INTEGERS))).system
    both = next(p for p in found.predicates if p.name == "both")
    n, _, m, _ = both.parameters
    assert (eq(m, n),) in regions(found, Detail.USES)[both] or (eq(n, m),) in regions(found, Detail.USES)[both]
    assert regions(found, Detail.USES)[both][0] == ()


def test_a_counter_that_wraps_is_seen() -> None:
    text = """(declare-fun p ((_ BitVec 8)) Bool)
(assert (forall ((x (_ BitVec 8))) (=> (bvsge x #x78) (p x))))
(assert (forall ((x (_ BitVec 8))) (=> (p x) (p (bvadd x #x01)))))
(assert (forall ((x (_ BitVec 8))) (=> (p x) (bvsge x #x00))))
"""
    answer = sampled(preprocessed(parse_system(text)).system, 3.0, Budget(10.0))
    assert isinstance(answer, Contradicted)


def test_the_time_is_kept() -> None:
    found = preprocessed(parse_system(written(IN_STEP, INTEGERS))).system
    assert "out of time" in getattr(Conjectures().run(found, Budget(0.0)), "reason", "")
    assert isinstance(sampled(found, 0.0, Budget(10.0)), KnownFacts)
