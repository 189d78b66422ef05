"""`craton verify` and `craton check` on systems of Horn clauses, as users see them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from craton.cli import main
from craton.horn.reading import parse_system
from craton.logic import not_
from craton.smt import make_solver
from support.systems import SYSTEMS

CODES = {"sat": 0, "unsat": 1}


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    def write(name: str) -> str:
        path = tmp_path / "clauses.smt2"
        path.write_text(SYSTEMS[name][1])
        return str(path)

    return write


@pytest.mark.parametrize("name", ["McCarthy 91", "Fibonacci is not always small", "arrays", "bits that wrap"])
def test_answers_and_their_certificates(
    name: str, script: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, path, proof = SYSTEMS[name][0], script(name), str(tmp_path / "proof.json")
    assert main(["verify", path, "--proof", proof]) == CODES[expected]
    assert capsys.readouterr().out.splitlines()[0] == expected
    assert main(["check", proof, path]) == 0
    assert capsys.readouterr().out.startswith("ACCEPTED")
    assert main(["check", proof, path, "--paranoid"]) == 0


def test_the_answer_as_json(script: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", script("McCarthy 91"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["answer"], told["verdict"]) == ("sat", "true")
    assert [entry["location"] for entry in told["invariants"]] == ["mc(x0, x1)"]


def test_a_model_as_definitions(script: Callable[[str], str], tmp_path: Path) -> None:
    path, model = script("counting"), tmp_path / "model.smt2"
    assert main(["verify", path, "--proof", str(model), "--quiet"]) == 0
    asserted = [line for line in SYSTEMS["counting"][1].splitlines() if line.startswith("(assert")]
    clauses = parse_system(model.read_text() + "\n".join(asserted)).clauses
    assert len(clauses) == 3
    assert all(make_solver("cvc5").is_valid(not_(clause.constraint)) for clause in clauses)


def test_an_engine_that_needs_a_program(script: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", script("McCarthy 91"), "--engine", "splitting", "--refine", "newton(it, wp, lv)"]) == 3
    assert "this system is not linear" in capsys.readouterr().out
    assert main(["verify", script("counting"), "--engine", "trace-abstraction", "--refine", "newton(it, wp, lv)"]) == 0


LIES: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "another model": ("McCarthy 91", lambda data: data["proof"]["predicates"][0].update(formula="true")),
    "no model": ("McCarthy 91", lambda data: data["proof"].update(predicates=[])),
    "another value": (
        "Fibonacci is not always small",
        lambda data: data["proof"]["steps"][-1]["values"][0].update(value=99),
    ),
    "another clause": (
        "Fibonacci is not always small",
        lambda data: data["proof"]["steps"][0].update(clause=(data["proof"]["steps"][0]["clause"] + 1) % 3),
    ),
    "symbols": (
        "McCarthy 91",
        lambda data: data.update(
            symbols=[{"symbol": "x", "name": "x", "parameters": [], "sort": "Int", "at": "now", "source": ""}]
        ),
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_refused(
    lie: str, script: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, change = LIES[lie]
    path, proof = script(name), tmp_path / "proof.json"
    main(["verify", path, "--proof", str(proof), "--quiet"])
    data = json.loads(proof.read_text())
    change(data)
    proof.write_text(json.dumps(data))
    capsys.readouterr()
    assert main(["check", str(proof), path]) == 1
    assert capsys.readouterr().out.startswith("REFUSED")


def test_a_certificate_of_another_system(script: Callable[[str], str], tmp_path: Path) -> None:
    path, proof = script("McCarthy 91"), str(tmp_path / "proof.json")
    main(["verify", path, "--proof", proof, "--quiet"])
    Path(path).write_text(SYSTEMS["McCarthy 91"][1] + "\n")
    assert main(["check", proof, path]) == 2
