"""Certificates of contracts: written of recursive programs, accepted by another solver, and refused when somebody has
tampered with them. No contracts whatsoever are accepted of programs that fail.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from craton.cli import main
from craton.configuration.stages import Stage
from craton.errors import CratonError
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.reading import from_data
from craton.evidence.certificates.task import described
from craton.evidence.certificates.writing import as_data, make_certificate
from craton.frontends.programs import Request
from craton.verification.run import verify
from craton.verification.stages import DEFAULT
from support import FUZZ

PROGRAMS = {
    "mccarthy.bpl": """procedure M(n: int) returns (r: int)
{ if (n > 100) { r := n - 10; } else { call r := M(n + 11); call r := M(r); } }
procedure main() { var x, y: int; assume x <= 101; call y := M(x); assert y == 91; }
""",
    "global.bpl": """var g: int;
procedure down(n: int) modifies g;
{ var i: int; i := 0; while (i < n) { i := i + 1; } assert i >= n;
  if (g > 0) { g := g - 1; call down(i); g := g + 1; } }
procedure main() modifies g; { var before: int; before := g; call down(3); assert g == before; }
""",
    "steps.c": """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int last;
int walk(int n) { last = n; if (n > 0) return walk(n - 1); return n; }
int main(void) { int n = __VERIFIER_nondet_int(); if (n >= 0 && walk(n) != 0) reach_error(); return last; }
""",
}
FAILING = {
    "mccarthy.bpl": ("assert y == 91", "assert y == 90"),
    "global.bpl": ("g := g + 1", "g := g + 2"),
    "steps.c": ("n >= 0 &&", "n >= -1 &&"),
}
Change = Callable[[dict[str, Any]], None]


def written(name: str, folder: Path, *, failing: bool = False) -> Request:
    path = folder / name
    path.write_text(PROGRAMS[name].replace(*FAILING[name]) if failing else PROGRAMS[name])
    return Request((str(path),))


@cache
def _found(name: str, folder: Path) -> str:
    request = written(name, folder)
    result = verify(request, (Stage("horn"),), 60.0)  # whose contracts require something
    assert result.proof is not None and result.proof.contracts, result.reason
    return json.dumps(as_data(make_certificate(request, result)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("contracts")


def certificate(name: str, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_found(name, folder))
    return found


def procedure(made: dict[str, Any], name: str) -> dict[str, Any]:
    return next(entry for entry in made["proof"]["procedures"] if entry["procedure"] == name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_contracts_are_accepted(name: str, folder: Path) -> None:
    made = certificate(name, folder)
    assert made["proof"]["kind"] == "contracts"
    found = check_certificate(from_data(made), written(name, folder))
    assert isinstance(found, Accepted), found
    assert not {solver.split()[0] for solver in found.solvers} & set(made["found_by"]["solvers"])


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written("mccarthy.bpl", tmp_path)
    program, proof, conditions = tmp_path / "mccarthy.bpl", tmp_path / "proof.json", tmp_path / "conditions"
    assert main(["verify", str(program), "--proof", str(proof)]) == 0
    assert f"proof written to {proof}" in capsys.readouterr().out
    assert main(["check", str(proof), str(program), "--paranoid", "--conditions", str(conditions)]) == 0
    assert "ACCEPTED" in capsys.readouterr().out
    kinds = {path.name.split("-")[1] for path in conditions.glob("*.smt2")}
    assert kinds == {"initiation", "consecution", "requirement", "ensuring", "safety"}


# --- tampered with ----------------------------------------------------------------------------------------------------


def _set(name: str, field: str, value: str) -> Change:
    return lambda made: procedure(made, name).update({field: value})


def _without(name: str) -> Change:
    return lambda made: made["proof"]["procedures"].remove(procedure(made, name))


def _renamed(name: str, new: str) -> Change:
    return lambda made: procedure(made, name).update({"procedure": new})


def _moved(made: dict[str, Any]) -> None:
    """A claim of one procedure said to be of another."""
    procedure(made, "main")["invariants"].append(procedure(made, "M")["invariants"].pop())


def _declared(symbol: str, name: str, at: str, sort: str = "Int") -> Change:
    entry = {"symbol": symbol, "name": name, "parameters": [], "sort": sort, "at": at, "source": ""}

    def change(made: dict[str, Any]) -> None:
        made["symbols"] = [e for e in made["symbols"] if e["symbol"] != symbol] + [entry]

    return change


def _both(*changes: Change) -> Change:
    def change(made: dict[str, Any]) -> None:
        for each in changes:
            each(made)

    return change


def _lemma(made: dict[str, Any]) -> None:
    proof: dict[str, Any] = {
        "kind": "invariants",
        "blocks": None,
        "k": 1,
        "paths": "all",
        "assumes": [],
        "invariants": [],
    }
    made["lemmas"] = [{"name": "l", "found_by": made["found_by"], "proof": proof}]


def _claims(made: dict[str, Any], name: str, formula: str) -> None:
    for claim in procedure(made, name)["invariants"]:
        claim["formula"] = formula


FORGED: dict[str, tuple[Change, str]] = {
    "requires nothing": (_set("M", "requires", "true"), "the invariant of the entry of M"),
    "requires too much": (_set("M", "requires", "false"), "a requirement does not hold: the call of M"),
    "the program begins with a requirement": (_set("main", "requires", "false"), "where the program begins"),
    "ensures nothing": (_set("M", "ensures", "true"), "the call of M"),
    "ensures too much": (_set("M", "ensures", "false"), "what is ensured does not hold: the exit of M"),
    "no contract": (_without("M"), "there is no contract of M"),
    "no contract of the entry": (_without("main"), "there is no contract of main"),
    "a contract of nothing": (_renamed("M", "N"), "the program has no procedure N"),
    "a claim of another procedure": (_moved, "main has no cut-point"),
    "a lemma": (_lemma, "contracts can assume none"),
    "invariants hold of nothing": (lambda made: _claims(made, "M", "false"), "the invariant of the entry of M"),
    "invariants say nothing": (lambda made: _claims(made, "M", "true"), "a requirement does not hold"),
    "an unknown variable": (
        _both(_declared("z", "z", "now"), _set("M", "ensures", "(= z 0)")),
        "no variable z of sort Int",
    ),
    "a local at the entry": (_declared("|M::r at entry|", "M::r", "entry"), "no variable M::r"),
    "a result is required": (
        _both(_declared("|M::r|", "M::r", "now"), _set("M", "requires", "(= |M::r| 0)")),
        "the requirement in M speaks of M::r",
    ),
    "what a caller has is ensured": (
        _both(_declared("|main::x|", "main::x", "now"), _set("M", "ensures", "(= |main::x| 91)")),
        "the ensuring in M speaks of main::x",
    ),
    "a parameter that may have changed is ensured": (
        _both(_declared("|M::n|", "M::n", "now"), _set("M", "ensures", "(= |M::n| 91)")),
        "the ensuring in M speaks of M::n",
    ),
    "another's variable in an invariant": (
        _both(_declared("|main::x|", "main::x", "now"), lambda made: _claims(made, "M", "(= |main::x| 0)")),
        "speaks of main::x",
    ),
    "the value now is called the value at the entry": (_declared("|M::n at entry|", "M::n", "now"), "the certificate"),
    "another program": (lambda made: made["program"]["files"][0].update(sha256="0" * 64), "of another program"),
    "all solvers have found it": (
        lambda made: made["found_by"].update(solvers=["z3", "cvc5", "bitwuzla", "intervals", "truth-tables"]),
        "it takes another solver",
    ),
}


def answer(made: dict[str, Any], request: Request) -> Accepted | str:
    """Accepted, or why not."""
    try:
        found = check_certificate(from_data(made), request, seconds=20.0)
    except CratonError as problem:
        return str(problem)
    return found.problem if isinstance(found, Refused) else found


def mccarthy(folder: Path) -> dict[str, Any]:
    """A certificate that requires something, whatever is found."""
    made = certificate("mccarthy.bpl", folder)
    for symbol, at in (("M::n", "now"), ("M::n", "entry"), ("M::r", "now"), ("main::x", "now"), ("main::y", "now")):
        _declared(f"|{symbol}|" if at == "now" else f"|{symbol} at entry|", symbol, at)(made)
    for name, (requires, ensures, *claims) in MCCARTHY.items():
        procedure(made, name).update(requires=requires, ensures=ensures)
        for claim, formula in zip(procedure(made, name)["invariants"], claims, strict=True):
            claim["formula"] = formula
    return made


_RESULT = "(and (< 90 |M::r|) (or (< 101 |M::n at entry|) (< |M::r| 92)) (< |M::r| 102))"
_ARGUMENT = "(and (or (< 101 |M::n at entry|) (< |M::n| 102)) (< |M::n| 112))"
MCCARTHY = {  # what is required and ensured, and claims by the numbers of locations
    "main": ("true", "true", "false", "true", "(<= |main::x| 101)", "(and (< 90 |main::y|) (< |main::y| 92))"),
    "M": (
        "(< |M::n| 112)",
        _RESULT,
        _RESULT,
        _RESULT,
        _ARGUMENT,
        f"(and (<= |M::n| 100) {_ARGUMENT})",
        "(and (< 90 |M::r|) (< |M::r| 102))",
    ),
}


def test_what_is_forged_was_a_proof(folder: Path) -> None:
    assert isinstance(answer(mccarthy(folder), written("mccarthy.bpl", folder)), Accepted)


@pytest.mark.parametrize("what", FORGED)
def test_forged_contracts_are_refused(what: str, folder: Path) -> None:
    change, said = FORGED[what]
    made = mccarthy(folder)
    change(made)
    found = answer(made, written("mccarthy.bpl", folder))
    assert isinstance(found, str) and said in found, found


def test_a_global_that_a_call_changes_is_not_what_it_was(folder: Path) -> None:
    """What is ensured of globals is of those behind the call."""
    made = certificate("steps.c", folder)
    procedure(made, "walk")["ensures"] = "true"
    assert isinstance(answer(made, written("steps.c", folder)), str)


# --- programs that fail -----------------------------------------------------------------------------------------------


def tampered(made: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Formulas exchanged, weakened, strengthened, and dropped at random."""
    places: list[tuple[dict[str, Any], str]] = []
    for entry in made["proof"]["procedures"]:
        places += [(entry, "requires"), (entry, "ensures"), *((claim, "formula") for claim in entry["invariants"])]
    for _ in range(chance.randint(1, 4)):
        (one, field), (other, another) = chance.choice(places), chance.choice(places)
        mine, its = one[field], other[another]
        one[field] = chance.choice(("true", "false", its, f"(and {mine} {its})", f"(or {mine} {its})", f"(not {mine})"))
    return made


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_contracts_prove_a_program_that_fails(name: str, folder: Path, tmp_path: Path) -> None:
    request = written(name, tmp_path, failing=True)
    hashes = [file.sha256 for file in described(request).files]
    chance = random.Random(5)
    for number in range(10 * max(1, FUZZ)):
        made = certificate(name, folder)
        made["program"]["files"][0]["sha256"] = hashes[0]
        if number:
            tampered(made, chance)
        assert isinstance(answer(made, request), str), number


# --- recursion that is not deep ---------------------------------------------------------------------------------------

SHALLOW = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int up(int n, int *sum) { int mine = n; *sum += mine; if (n > 0) up(n - 1, &mine); return mine; }
int main(void) {
  int total = 0, n = __VERIFIER_nondet_int();
  if (n < 0 || n > 3) return 0;
  if (up(n, &total) > 6) reach_error();
  return 0;
}
"""


@pytest.fixture(scope="module")
def unrolled(folder: Path) -> tuple[Request, dict[str, Any]]:
    path = folder / "shallow.c"
    path.write_text(SHALLOW)
    request = Request((str(path),))
    result = verify(request, DEFAULT, 60.0)
    assert result.proof is not None and result.proof.unrolled == 4, result.reason
    return request, as_data(make_certificate(request, result))


def test_recursion_that_is_not_deep_is_proved_unrolled(unrolled: tuple[Request, dict[str, Any]]) -> None:
    request, made = unrolled
    assert (made["proof"]["kind"], made["proof"]["depth"]) == ("unrolled", 4)
    assert as_data(from_data(made)) == made
    assert isinstance(check_certificate(from_data(made), request), Accepted)


def test_a_proof_of_fewer_calls_is_none(unrolled: tuple[Request, dict[str, Any]], folder: Path) -> None:
    """Calls that would be one too many are errors, and no invariants hide them."""
    request, made = unrolled
    for depth in (1, 2, 3):
        forged = json.loads(json.dumps(made))
        forged["proof"]["depth"] = depth
        assert isinstance(answer(forged, request), str)
    deeper = folder / "deeper.c"
    deeper.write_text(SHALLOW.replace("n > 3", "n > 4"))
    forged = json.loads(json.dumps(made))
    forged["program"]["files"][0]["sha256"] = described(Request((str(deeper),))).files[0].sha256
    for _ in range(3):
        assert isinstance(answer(forged, Request((str(deeper),))), str)
        for claim in forged["proof"]["proof"]["invariants"]:
            claim["formula"] = random.Random(claim["location"]).choice(("true", "false"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"depth": 0}, "the depth is 0"),
        ({"depth": 1001}, "the depth is 1001"),
        ({"proof": {"kind": "contracts", "blocks": None, "procedures": []}}, "is of kind invariants or runs"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_no_unrolled_proof(change: dict[str, Any], said: str, unrolled: tuple[Request, dict[str, Any]]) -> None:
    request, made = unrolled
    forged = json.loads(json.dumps(made))
    forged["proof"] |= change
    found = answer(forged, request)
    assert isinstance(found, str) and said in found
