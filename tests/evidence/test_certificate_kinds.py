"""Every kind of certificate is read as it was written; those that this version cannot check are refused by name."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.cli import main
from craton.errors import CratonError
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.format import (
    Assignment,
    Atom,
    BadCertificate,
    Certificate,
    Claim,
    Contract,
    Contracts,
    Declared,
    Definition,
    Derivation,
    HashedFile,
    HornModel,
    Inference,
    Invariants,
    Lemma,
    LocationStates,
    Moment,
    Parameter,
    Predicate,
    Proof,
    StateSet,
    Task,
    Unrolled,
)
from craton.evidence.certificates.formulas import defined
from craton.evidence.certificates.reading import from_data, read_certificate
from craton.evidence.certificates.values import read_sort, read_value, write_value
from craton.evidence.certificates.writing import as_data, write_certificate
from craton.evidence.checker import independent_of
from craton.evidence.conditions import Paths
from craton.logic import BOOL, FLOAT32, INT, REAL, ROUNDING_MODE, Array, BitVec, Float, Sort, int_, le, var
from craton.logic.evaluation import zero
from craton.logic.ieee import RoundingMode, canonical
from craton.logic.semantics import ArrayValue, Value
from craton.logic.terms import format_of
from craton.verdicts.provenance import Provenance
from support import examples
from support.certificates import PROVED, certificate, in_format_1
from support.programs import BY_NAME

TASK = Task((HashedFile("a.c", "0" * 64), HashedFile("b.c", "1" * 64)), "text", "LP64", ("N=1",), ("include",))
BY = Provenance("value", "fallback(values, newton)", "int", "real", ("z3", "cvc5"))
SYMBOLS = (
    Declared("|main::x|", "main::x", (), "(_ BitVec 8)", source="unsigned char x"),
    Declared("b", "b", (), "Bool"),
    Declared("f", "f", ("Int", "Bool"), "Int"),
    Declared("|x at entry|", "main::x", (), "(_ BitVec 8)", Moment.ENTRY),
)
PROOFS: dict[str, Proof] = {
    "inductive": Invariants(None, (Claim(3, "true", "entry"), Claim(4, "(not b)", "loop at a.c:1:2"))),
    "k-inductive": Invariants(0, (Claim(3, "(forall ((k Int)) (= (f k b) 1))"),), 7, Paths.SIMPLE, ("first",)),
    "states": StateSet(
        1, ("b", "|main::x|"), (LocationStates(0, ((None, None),)), LocationStates(4, ((True, 255), (False, None))))
    ),
    "contracts": Contracts(
        None,
        (
            Contract("main", "true", "true", (Claim(3, "true"),)),
            Contract("f", "b", "(= |main::x| |x at entry|)", (Claim(8, "b"), Claim(9, "true"))),
        ),
    ),
    "unrolled": Unrolled(12, Invariants(None, (Claim(3, "true", "entry"),), assumes=("first",))),
    "model": HornModel(
        (
            Definition("inv", (Parameter("x", INT), Parameter("a|b", Array(INT, BitVec(3)))), "(<= 0 x)"),
            Definition("nothing", (), "false"),
        )
    ),
    "derivation": Derivation(
        (Predicate("p", (INT, REAL)), Predicate("q", ()), Predicate("r", (Array(INT, FLOAT32), ROUNDING_MODE))),
        (
            Inference(0, (Assignment("x", INT, -(2**200)),), (), Atom("p", (-(2**200), Fraction(-1, 3)))),
            Inference(2, (), (0, 0), Atom("q", ())),
            Inference(1, (), (0,), Atom("r", (ArrayValue(0, {-3: 1, 4: 7}), RoundingMode.RTZ))),
            Inference(5, (), (1, 0, 2), None),
        ),
    ),
}


def made(kind: str) -> Certificate:
    lemmas = (Lemma("first", BY, Invariants(1, (Claim(1, "b"),))), Lemma("second", BY, Invariants(2, (), 2)))
    return Certificate("1.0", TASK, BY, SYMBOLS, lemmas, PROOFS[kind], ("nothing is freed",))


@pytest.mark.parametrize("kind", PROOFS)
def test_what_is_written_is_read(kind: str, tmp_path: Path) -> None:
    there = made(kind)
    assert from_data(json.loads(json.dumps(as_data(there)))) == there
    write_certificate(tmp_path / "proof.json", there)
    assert read_certificate(tmp_path / "proof.json") == there
    assert as_data(there)["proof"]["kind"] == there.kind


def test_certificates_of_engines_are_read_as_they_were_written() -> None:
    for name, engine in PROVED:
        data = certificate(name, engine)
        assert as_data(from_data(data)) == data


def test_format_1_says_the_same() -> None:
    """The older format is the case of one inductive proof; what it does not write is for the reader only."""
    for name, engine in PROVED[::4]:
        data = certificate(name, engine)
        new, old = from_data(data), from_data(in_format_1(data))
        assert isinstance(new.proof, Invariants) and isinstance(old.proof, Invariants)
        assert (old.task, old.found_by.solvers, old.lemmas, old.proof.k) == (new.task, new.found_by.solvers, (), 1)
        assert [(c.location, c.formula) for c in old.proof.claims] == [
            (c.location, c.formula) for c in new.proof.claims
        ]
        request = BY_NAME[name].request
        answers = [check_certificate(which, request) for which in (new, old)]
        told = [(a.conditions, a.cut_points) for a in answers if isinstance(a, Accepted)]
        assert len(told) == 2
        assert told[0] == told[1]
        # Who has shown it depends on how quick each was; nobody who has found it.
        asked = [
            independent_of(new.found_by.solvers, a.solvers) == a.solvers for a in answers if isinstance(a, Accepted)
        ]
        assert asked == [True, True]


# --- kinds and what they are about ------------------------------------------------------------------------------------


def test_contracts_are_of_the_procedures_that_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = BY_NAME["loops/together.c"]
    data = certificate("loops/together.c")
    data["proof"] = as_data(made("contracts"))["proof"]
    said = "the program has no procedure f whose calls are not inlined"
    assert check_certificate(from_data(data), program.request) == Refused(said)
    write_certificate(tmp_path / "proof.json", from_data(data))
    assert main(["check", str(tmp_path / "proof.json"), str(program.path), "--data-model", "ILP32"]) == 1
    assert capsys.readouterr().out == f"REFUSED\n  reason: {said}\n"


@pytest.mark.parametrize("kind", ["model", "derivation"])
def test_evidence_about_clauses_is_none_about_programs(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = BY_NAME["loops/together.c"]
    said = f"the kind {kind!r} speaks of Horn clauses, and {program.path} is a program"
    assert check_certificate(made(kind), program.request) == Refused(said)
    write_certificate(tmp_path / "proof.json", made(kind))
    assert main(["check", str(tmp_path / "proof.json"), str(program.path)]) == 1
    assert capsys.readouterr().out == f"REFUSED\n  reason: {said}\n"


def test_values_at_the_entry_are_for_contracts() -> None:
    data = certificate("loops/together.c")
    data["symbols"][0]["at"] = "entry"
    proof = from_data(data)
    with pytest.raises(BadCertificate, match="only contracts speak of that"):
        check_certificate(proof, BY_NAME["loops/together.c"].request)


def test_the_definitions_of_a_model_are_formulas() -> None:
    parameters, formula = defined(Definition("p", (Parameter("x", INT), Parameter("true", INT)), "(<= 0 x)"))
    assert parameters == (var("x", INT), var("true", INT))
    assert formula is le(int_(0), var("x", INT))
    assert defined(Definition("p", (Parameter("a|b \\", INT),), "(<= 0 |a?b ?|)"))[1] is le(int_(0), var("a|b \\", INT))
    for wrong in ("(<= 0 y)", "x", "(<= 0 x) (exit)", "(exit)"):
        with pytest.raises(CratonError):
            defined(Definition("p", (Parameter("x", INT),), wrong))


# --- sorts and values -------------------------------------------------------------------------------------------------

_SORTS = st.recursive(
    st.sampled_from([BOOL, INT, REAL, ROUNDING_MODE, BitVec(1), BitVec(32), BitVec(65), Float(8, 24), Float(5, 11)]),
    lambda inner: st.builds(Array, inner, inner),
    max_leaves=4,
)


def values(sort: Sort) -> st.SearchStrategy[Value]:
    if sort is BOOL:
        return st.booleans()
    if sort is INT:
        return st.integers()
    if sort is REAL:
        return st.fractions()
    if sort is ROUNDING_MODE:
        return st.sampled_from(RoundingMode)
    if isinstance(sort, BitVec):
        return st.integers(0, 2**sort.width - 1)
    if isinstance(sort, Float):
        form = format_of(sort)
        return st.integers(0, 2**sort.width - 1).map(lambda bits: canonical(form, bits))
    assert isinstance(sort, Array)
    entries = st.dictionaries(values(sort.index), values(sort.element), max_size=3)
    return st.builds(ArrayValue, values(sort.element), entries)


@given(st.data())
@examples(60)
def test_values_are_read_as_they_were_written(data: st.DataObject) -> None:
    sort = data.draw(_SORTS)
    assert read_sort(str(sort)) is sort
    value = data.draw(values(sort))
    assert read_value(json.loads(json.dumps(write_value(value, sort))), sort) == value


_NO_SORTS = (
    *("", "int", "Int ", " Int", "Int Int", "(Int)", "|Int|", "Int;", '"Int"', "(" * 100_000),
    *("(_ BitVec 0)", "(_ BitVec 08)", "(_ BitVec -1)", "(_ BitVec ٣)", "(_ BitVec |8|)", "(_ FloatingPoint 1 1)"),
    *("(_ BitVec 9999999)", "(_ BitVec 99999999999999999999)", "(Array Int " * 40 + "Int" + ")" * 40),
    *("(Array Int)", "(Array Int Int Int)", "(Array Int Int"),
)


@pytest.mark.parametrize("text", _NO_SORTS, ids=lambda text: text[:20])
def test_what_is_no_sort(text: str) -> None:
    with pytest.raises(BadCertificate, match="is no sort"):
        read_sort(text)


_NO_VALUES: dict[Sort, tuple[Any, ...]] = {
    BOOL: (0, 1, "true", None),
    INT: (True, 1.0, "1", None),
    BitVec(8): (-1, 256, True, "1"),
    FLOAT32: (2**32, -1, 1.5, "1"),
    REAL: (1, 1.5, "1/0", "1/-2", "1.5", "", "٣", "9" * 5000),
    ROUNDING_MODE: ("RNX", 0, [], {}, None),
    Array(INT, INT): (
        *(0, {}, [], {"default": 0}, {"default": 0, "entries": {}}, {"default": True, "entries": []}),
        *({"default": 0, "entries": [[1]]}, {"default": 0, "entries": [[1, 2], [1, 3]]}),
        {"default": 0, "entries": [], "more": 1},
    ),
}


@pytest.mark.parametrize(
    ("content", "sort"),
    [(content, sort) for sort, contents in _NO_VALUES.items() for content in contents],
    ids=lambda item: str(item)[:30],
)
def test_what_is_no_value(content: Any, sort: Sort) -> None:
    with pytest.raises(BadCertificate):
        read_value(content, sort)


def test_all_patterns_that_are_no_number_are_one() -> None:
    assert (
        read_value(0x7FC00001, FLOAT32) == read_value(0xFFFFFFFF, FLOAT32) == canonical(format_of(FLOAT32), 0x7FC00000)
    )
    assert read_value(write_value(zero(FLOAT32), FLOAT32), FLOAT32) == 0
