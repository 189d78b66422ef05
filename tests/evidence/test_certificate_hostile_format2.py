"""Files of format 2 that are no certificates, or want to do harm: one clear line, exit code 2, nothing else happens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craton.cli import main
from craton.errors import CratonError
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.reading import from_data, read_certificate
from support import examples
from support.certificates import certificate, written
from support.programs import BY_NAME

TOGETHER = BY_NAME["loops/together.c"]
X = "|main::x|"
DEEP = 100_000
Change = tuple[Any, ...]  # a value, and the way to where it is put
GONE = object()


def base() -> dict[str, Any]:
    """A certificate with two lemmas, the second of which assumes the first."""
    made = certificate("loops/together.c")
    lemma = {"name": "first", "found_by": made["found_by"], "proof": json.loads(json.dumps(made["proof"]))}
    second = json.loads(json.dumps(lemma)) | {"name": "second"}
    second["proof"]["assumes"] = ["first"]
    made["lemmas"] = [lemma, second]
    made["proof"]["assumes"] = ["first", "second"]
    return made


def changed(*changes: Change) -> str:
    made = base()
    for value, *way in changes:
        inner: Any = made
        for key in way[:-1]:
            inner = inner[key]
        if value is GONE:
            del inner[way[-1]]
        elif isinstance(inner, list) and way[-1] == len(inner):
            inner.append(value)
        else:
            inner[way[-1]] = value
    return json.dumps(made)


WHOLE = changed()
STEP = {"clause": 0, "values": [], "premises": [], "predicate": None, "arguments": []}


def derivation(*steps: dict[str, Any], predicates: Any = ({"name": "p", "sorts": ["Int"]},)) -> str:
    steps_ = [STEP | step for step in steps]
    return changed(({"kind": "derivation", "predicates": list(predicates), "steps": steps_}, "proof"))


def of_model(*predicates: dict[str, Any]) -> str:
    return changed(({"kind": "model", "predicates": list(predicates)}, "proof"))


def contracts(*procedures: dict[str, Any]) -> str:
    default = {"procedure": "f", "requires": "true", "ensures": "true", "invariants": []}
    return changed(({"kind": "contracts", "blocks": None, "procedures": [default | p for p in procedures]}, "proof"))


P = {"predicate": "p", "arguments": [1]}
FILES: dict[str, tuple[str, str]] = {
    # the form
    "truncated": (WHOLE[: len(WHOLE) // 2], "is no certificate: "),
    "deep lists": (WHOLE.replace('"lemmas": [', '"lemmas": [' + "[" * DEEP + "]" * DEEP + ", ", 1), "nested too deep"),
    "a key twice": (WHOLE.replace('"k": 1', '"k": 1, "k": 2', 1), "a key is there twice"),
    "a later version": (changed((3, "version")), "version 3 is not known; known are 1 and 2"),
    "version 1 with fields of 2": (changed((1, "version")), "the certificate has no 'invariants'"),
    # what is not known is never skipped
    "an unknown field": (changed((1, "signature")), "the certificate has a field 'signature', which is not known"),
    "an unknown field with lines": (changed((1, "a\nb\x1b[2J")), "has a field 'a b [2J', which is not known"),
    "an unknown field of the program": (changed((1, "program", "x")), "'program' has a field 'x', which is not known"),
    "an unknown field of a file": (changed((1, "program", "files", 0, "x")), "an entry of 'files' has a field 'x'"),
    "an unknown field of the property": (changed((1, "program", "property", "x")), "'property' has a field 'x'"),
    "an unknown field of a symbol": (changed((1, "symbols", 0, "x")), "an entry of 'symbols' has a field 'x'"),
    "an unknown field of a lemma": (changed((1, "lemmas", 0, "x")), "an entry of 'lemmas' has a field 'x'"),
    "an unknown field of a finder": (changed((1, "found_by", "x")), "'found_by' has a field 'x'"),
    "an unknown field of the proof": (changed((1, "proof", "simple")), "'proof' has a field 'simple'"),
    "an unknown field of a claim": (changed((1, "proof", "invariants", 0, "x")), "of 'invariants' has a field 'x'"),
    "a field of format 1": (changed((None, "blocks")), "the certificate has a field 'blocks', which is not known"),
    "an unknown kind": (changed(("magic", "proof", "kind")), "the kind 'magic' is not known; known are invariants, "),
    "no kind": (changed((GONE, "proof", "kind")), "'proof' has no 'kind'"),
    "a kind as a list": (changed(([], "proof", "kind")), "'kind' of 'proof' is not a text"),
    "unknown paths": (changed(("few", "proof", "paths")), "'paths' of 'proof' is 'few'; known are all, simple"),
    "an unknown moment": (changed(("then", "symbols", 0, "at")), "is 'then'; known are now, entry"),
    "no solvers": (changed((GONE, "found_by", "solvers")), "'found_by' has no 'solvers'"),
    "a solver as a text": (changed(("z3", "found_by", "solvers")), "'solvers' of 'found_by' is not a list"),
    "all solvers": (
        changed((["z3", "cvc5", "bitwuzla", "intervals", "truth-tables"], "found_by", "solvers")),
        "it takes another solver to check",
    ),
    # k
    "k = 0": (changed((0, "proof", "k")), "k is 0, and not from 1 to 1000"),
    "k < 0": (changed((-1, "proof", "k")), "'k' of 'proof' is not a number from 0"),
    "k is huge": (changed((1001, "proof", "k")), "k is 1001, and not from 1 to 1000"),
    "k is longer than any number": (WHOLE.replace('"k": 1', f'"k": {"9" * 10_000}', 1), "is no certificate: "),
    "k is no whole number": (changed((2.5, "proof", "k")), "'k' of 'proof' is not a number from 0"),
    "k is a truth": (changed((True, "proof", "k")), "'k' of 'proof' is not a number from 0"),
    "no k": (changed((GONE, "proof", "k")), "'proof' has no 'k'"),
    "k of a lemma is 0": (changed((0, "lemmas", 0, "proof", "k")), "k is 0, and not from 1 to 1000"),
    # lemmas
    "assumed before it is proved": (
        changed((["second"], "lemmas", 0, "proof", "assumes")),
        "the lemma 'first' assumes 'second', which no lemma before it proves",
    ),
    "assumed for its own proof": (
        changed((["first"], "lemmas", 0, "proof", "assumes")),
        "the lemma 'first' assumes 'first', which no lemma before it proves",
    ),
    "a circle": (
        changed((["second"], "lemmas", 0, "proof", "assumes"), (["first"], "lemmas", 1, "proof", "assumes")),
        "the lemma 'first' assumes 'second', which no lemma before it proves",
    ),
    "assumed and not there": (
        changed((["third"], "proof", "assumes")),
        "the proof assumes 'third', which no lemma before it proves",
    ),
    "assumed twice": (changed((["first", "first"], "proof", "assumes")), "'first' is assumed 2 times"),
    "two of one name": (changed(("first", "lemmas", 1, "name")), "there are two lemmas 'first'"),
    "a lemma that is a model": (
        changed(({"kind": "model", "predicates": []}, "lemmas", 0, "proof")),
        "the lemma 'first' is of kind 'model': lemmas are invariants",
    ),
    "a lemma of states": (
        changed(({"kind": "states", "blocks": 1, "variables": [], "states": []}, "lemmas", 0, "proof")),
        "the lemma 'first' is of kind 'states': lemmas are invariants",
    ),
    "many lemmas": (changed(([{}] * 1001, "lemmas")), "there are more than 1000 lemmas"),
    "a lemma that is no formula": (
        changed(("true) (exit", "lemmas", 0, "proof", "invariants", 0, "formula")),
        "cannot be read: it is not one formula",
    ),
    "a lemma with a huge number": (
        changed((f"(= 1 {'9' * DEEP})", "lemmas", 0, "proof", "invariants", 0, "formula")),
        "the number 999999999999… is too large",
    ),
    "a lemma with two invariants": (
        changed((18, "lemmas", 0, "proof", "invariants", 1, "location")),
        "L18 has 2 invariants",
    ),
    # another task
    "another program": (changed(("0" * 64, "program", "files", 0, "sha256")), "of another program: "),
    "another property": (
        changed(({"text": "", "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
                 "program", "property")),
        "of another property: ",
    ),
    "another property's hash": (changed(("x", "program", "property", "text")), "does not have its hash"),
    # derivations
    "no steps": (derivation(), "the last step does not derive false"),
    "not false": (derivation(P), "the last step does not derive false"),
    "false before the end": (derivation({}, {}), "there are steps behind the one that derives false"),
    "a later premise": (derivation(P | {"premises": [1]}, {}), "step 0 uses step 1, which is not before it"),
    "itself as a premise": (derivation(P | {"premises": [0]}, {}), "step 0 uses step 0, which is not before it"),
    "a negative premise": (derivation(P, {"premises": [-1]}), "an entry of 'premises' is not a number from 0"),
    "an unknown predicate": (derivation({"predicate": "q"}, {}), "the predicate 'q' is not declared"),
    "too few arguments": (derivation({"predicate": "p"}, {}), "'p' has 1 arguments, and not 0"),
    "another sort": (derivation({"predicate": "p", "arguments": [True]}, {}), "a value is no value of sort Int"),
    "arguments of false": (derivation({"arguments": [1]}), "false has no arguments"),
    "a value twice": (
        derivation({"values": [{"variable": "x", "sort": "Int", "value": n} for n in (1, 2)]}),
        "'x' has 2 values in a step",
    ),
    "a value that does not fit": (
        derivation({"values": [{"variable": "x", "sort": "(_ BitVec 4)", "value": 16}]}),
        "a value is no value of sort (_ BitVec 4)",
    ),
    "a predicate twice": (
        derivation({}, predicates=[{"name": "p", "sorts": []}, {"name": "p", "sorts": ["Int"]}]),
        "'p' is declared 2 times",
    ),
    "no sort": (derivation({}, predicates=[{"name": "p", "sorts": ["Integer"]}]), "'Integer' is no sort"),
    # models and contracts
    "a definition twice": (
        of_model(*[{"name": "p", "parameters": [], "formula": "true"}] * 2),
        "'p' has 2 definitions",
    ),
    "a parameter twice": (
        of_model({"name": "p", "parameters": [{"name": "x", "sort": "Int"}] * 2, "formula": "true"}),
        "a predicate has 2 parameters 'x'",
    ),
    "a definition with commands": (
        of_model({"name": "p", "parameters": [], "formula": "true) (exit"}),
        "it is not one formula",
    ),
    "two contracts": (contracts({}, {}), "'f' has 2 contracts"),
    "a contract with commands": (contracts({"ensures": "true) (exit"}), "it is not one formula"),
    "a location in two procedures": (
        contracts(*({"procedure": p, "invariants": [{"location": 1, "position": "", "formula": "b"}]} for p in "fg")),
        "L1 has 2 invariants",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_whatever_is_no_certificate_is_told_in_one_line(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, message = FILES[case]
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "proof.json"
    path.write_text(content)
    with pytest.raises(CratonError) as caught:
        check_certificate(read_certificate(path), TOGETHER.request)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600
    assert caught.value.exit_code == 2
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_changed_here_is_accepted_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(check_certificate(from_data(base()), TOGETHER.request), Accepted)
    assert (
        main(["check", "--data-model", "ILP32", str(written(base(), tmp_path / "proof.json")), str(TOGETHER.path)]) == 0
    )
    assert capsys.readouterr().out.startswith("ACCEPTED\n  proof: 13 conditions for 3 cut-points, shown by bitwuzla")


def test_a_file_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CratonError, match="it is larger than 256 MiB"):
        read_certificate(Path("/dev/zero"))


@pytest.mark.parametrize("k", [1, 2, 1000])
@pytest.mark.parametrize("paths", ["all", "simple"])
def test_a_forged_proof_is_one_for_no_k(k: int, paths: str) -> None:
    """No k makes an invariant of what is too weak, or wrong."""
    made = certificate("loops/together.c")
    for formula in ("true", f"(= {X} {X})", f"(not (= {X} |main::y|))"):
        made["proof"] |= {"k": k, "paths": paths}
        made["proof"]["invariants"][1]["formula"] = formula
        found = check_certificate(from_data(made), TOGETHER.request, seconds=1.0)
        assert isinstance(found, Refused), formula


def test_lemmas_that_are_not_proved_are_not_assumed() -> None:
    for formula in ("false", f"(= {X} #x00000001)", f"(not (= {X} |main::y|))"):
        made = base()
        made["lemmas"][0]["proof"]["invariants"][1]["formula"] = formula
        found = check_certificate(from_data(made), TOGETHER.request)
        assert isinstance(found, Refused)
        assert found.decided
        assert found.problem.startswith("lemma 'first': not inductive: L")


def test_a_lemma_of_a_place_that_is_not_there() -> None:
    made = base()
    made["lemmas"][1]["proof"]["invariants"][1]["location"] = 77777
    found = check_certificate(from_data(made), TOGETHER.request)
    assert found == Refused("lemma 'second': the program has no cut-point L77777")


def told(content: Any) -> str:
    """The answer, or what is wrong with the input. Any other error is one of the test."""
    try:
        return str(check_certificate(from_data(content), TOGETHER.request, seconds=10.0))
    except CratonError as problem:
        return str(problem)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
_WHOLES = [
    json.loads(text)
    for text in (
        WHOLE,
        derivation(P, P, {"premises": [0, 1], "values": [{"variable": "x", "sort": "Int", "value": 1}]}),
        of_model({"name": "p", "parameters": [{"name": "x", "sort": "Int"}], "formula": "(= x 1)"}),
        contracts({"invariants": [{"location": 1, "position": "", "formula": "true"}]}),
        changed((
            {"kind": "states", "blocks": 1, "variables": [X], "states": [{"location": 18, "rows": [[None], [3]]}]},
            "proof",
        )),
    )
]  # fmt: skip


@given(st.data())
@examples(100)
def test_any_field_may_be_anything(data: st.DataObject) -> None:
    """A certificate with anything anywhere is accepted, refused, or bad input: never anything else."""
    made: Any = json.loads(json.dumps(data.draw(st.sampled_from(_WHOLES))))
    inner, key = made, data.draw(st.sampled_from(["proof", "lemmas", "symbols", "found_by"]))
    while isinstance(inner[key], dict | list) and inner[key] and data.draw(st.integers(0, 5)):
        inner = inner[key]
        key = data.draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))
    inner[key] = data.draw(_JSON)
    assert told(made).isprintable()
