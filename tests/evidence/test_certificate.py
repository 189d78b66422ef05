"""Certificates: what is proved in one process is accepted in another, and only for what it was proved of."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from craton.cli import main
from craton.configuration.stages import Stage
from craton.errors import CratonError
from craton.evidence import checker
from craton.evidence.certificates.checking import Accepted, Refused, check_certificate
from craton.evidence.certificates.reading import from_data, read_certificate
from craton.evidence.certificates.writing import as_data, make_certificate, write_certificate
from craton.evidence.checker import (
    CHECKERS,
    Flaw,
    check_proof,
    chosen_checkers,
    others,
)
from craton.frontends.programs import Request, load_program
from craton.logic import TRUE, eq, var
from craton.program.preparation import prepare
from craton.program.transitions import transition
from craton.smt import Sat, Solver, Undecided, Unsat, make_solver, parse_script
from craton.smt.contract import Core
from craton.verdicts.result import Result
from craton.verdicts.verdict import Unknown
from craton.verification import verify
from support.certificates import HORN, PROVED, SINGLE, certificate, failing, written
from support.programs import BY_NAME, FOLDER

TOGETHER = BY_NAME["loops/together.c"]


ILP32 = ("--data-model", "ILP32")  # which examples are of


def check(*arguments: object) -> int:
    return main(["check", *ILP32, *map(str, arguments)])


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    return written(certificate("loops/together.c"), tmp_path / "proof.json")


# --- between processes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("loops/bound.c", Stage("trace-abstraction", "newton(it, wp, lv, late)")),
        ("loops/together.c", Stage("horn", encoding="ideal")),
        ("memory/freed.c", Stage("bounded")),
        ("bits/narrowed.c", Stage("bounded")),  # no error is left
        ("boogie/function.bpl", Stage("bounded")),
        ("boogie/bits.bpl", Stage("trace-abstraction(blocks=2)")),
    ],
)
def test_what_verify_proves_a_fresh_process_accepts(name: str, stage: Stage, tmp_path: Path) -> None:
    example = BY_NAME[name]
    result = verify(example.request, (stage,), 60.0)
    assert result.is_true, result.reason
    write_certificate(tmp_path / "proof.json", make_certificate(example.request, result))
    said = () if example.property_file is None else ("--property", str(example.property_file))
    done = subprocess.run(
        [sys.executable, "-m", "craton", "check", *ILP32, str(tmp_path / "proof.json"), str(example.path), *said],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert re.match(
        r"ACCEPTED\n  proof: \d+ conditions? for \d+ cut-points?, shown by [\w ]+ in \d+\.\d\d s\n", done.stdout
    )


_ALL = """
import json, sys
from pathlib import Path
from craton.evidence.certificates.checking import check_certificate
from craton.evidence.certificates.reading import read_certificate
from craton.frontends.programs import Request
for line in sys.stdin:
    path, files, property_file = json.loads(line)
    print(type(check_certificate(read_certificate(Path(path)), Request(tuple(files), property_file, "ILP32"))).__name__)
print(*(name for name in sys.modules if name.startswith(("craton.engines", "craton.traces", "craton.verification"))))
"""


@pytest.mark.large
def test_a_fresh_process_without_engines_accepts_all_of_them(tmp_path: Path) -> None:
    """In another order, and with other hashes of strings: names of variables and locations depend on neither."""
    lines = []
    for number, (name, engine) in reversed(list(enumerate(PROVED))):
        request = BY_NAME[name].request
        path = written(certificate(name, engine), tmp_path / f"{number}.json")
        lines.append(json.dumps([str(path), request.files, request.property_file]))
    done = subprocess.run(
        [sys.executable, "-c", _ALL],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "12345"},
    )
    answers = done.stdout.splitlines()
    assert answers[:-1] == ["Accepted"] * len(PROVED)
    assert answers[-1] == ""  # no engine was imported


def test_importing_the_checker_imports_no_engine() -> None:
    code = (
        "import sys, craton.evidence.certificates.checking, craton.evidence.certificates.reading; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    assert {f"craton.evidence.{room}" for room in ("checker", "conditions", "states")} <= set(modules)
    rooms = ("craton.engines", "craton.traces", "craton.views", "craton.verification")
    assert [module for module in modules if module.startswith(rooms)] == []


# --- what a certificate says ------------------------------------------------------------------------------------------


def test_a_certificate_says_what_was_proved_and_by_whom(proof: Path) -> None:
    made = json.loads(proof.read_text())
    assert made["found_by"] == {
        "engine": "horn",
        "refine": "",
        "encoding": "bv",
        "floats": "exact",
        "solvers": ["z3"],
    }
    assert made["program"]["data_model"] == "ILP32"
    (head,) = (entry for entry in made["proof"]["invariants"] if entry["position"].startswith("loop at "))
    assert head["position"].endswith("together.c:7:3")
    assert {entry["source"] for entry in made["symbols"]} == {"unsigned int x", "unsigned int y"}


def test_a_refiner_is_named() -> None:
    result = verify(TOGETHER.request, (Stage("trace-abstraction", "newton(it, wp, lv, late)"),), 60.0)
    found = as_data(make_certificate(TOGETHER.request, result))["found_by"]
    assert found == {
        "engine": "trace-abstraction",
        "refine": "newton(it, wp, lv, late)",
        "encoding": "bv",
        "floats": "exact",
        "solvers": ["z3"],
    }


def test_without_a_proof_there_is_no_certificate() -> None:
    with pytest.raises(CratonError, match="no proof to write: the verdict is unknown"):
        make_certificate(TOGETHER.request, Result(Unknown("")))


def test_a_certificate_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(CratonError, match="cannot write"):
        write_certificate(tmp_path / "no such folder" / "proof.json", from_data(certificate("loops/together.c")))
    assert list(tmp_path.iterdir()) == []


def test_variables_of_one_name_and_names_that_smtlib_cannot_write(tmp_path: Path) -> None:
    """Boogie's names may be keywords of SMT-LIB, or have backslashes."""
    file = tmp_path / "names.bpl"
    file.write_text(
        "procedure main() { var select: int; var \\let: int; var x~2: int; select := 0; \\let := 0; x~2 := 0;\n"
        "while (*) { select := select + 1; \\let := \\let + 1; x~2 := x~2 + 1; }\n"
        "assert select == \\let && x~2 == select; }\n"
    )
    request = Request((str(file),))
    result = verify(request, (Stage("horn"), Stage("trace-abstraction")), 60.0)
    assert result.is_true, result.reason
    write_certificate(tmp_path / "proof.json", make_certificate(request, result))
    assert isinstance(check_certificate(read_certificate(tmp_path / "proof.json"), request), Accepted)


# --- only for what it was made of -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((FOLDER / "loops/bound.c",), "of another program: "),
        ((TOGETHER.path, FOLDER / "loops/bound.c"), "of 1 files, not of 2"),
        ((TOGETHER.path, "--property", FOLDER / "no-overflow.prp"), "of another property: "),
        ((TOGETHER.path, "--data-model", "LP64"), "of another data model: ILP32, not LP64 (see --data-model)"),
        ((TOGETHER.path, "-D", "N=1"), "of another macros: none, not N=1 (see -D)"),
    ],
)
def test_a_certificate_of_something_else_is_bad_input(
    arguments: tuple[object, ...], named: str, proof: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(proof, *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("craton: the certificate is ")
    assert named in captured.err
    assert len(captured.err.splitlines()) == 1


def test_termination_is_not_proved_by_invariants(
    tmp_path: Path, proof: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "end.prp").write_text("CHECK( init(main()), LTL(F end) )\n")
    assert check(proof, TOGETHER.path, "--property", tmp_path / "end.prp") == 2
    assert "no certificates for this property" in capsys.readouterr().err


def test_a_task_and_its_files_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(TOGETHER.path.read_text())
    (tmp_path / "reach.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (tmp_path / "task.yml").write_text(
        "format_version: '2.0'\ninput_files: program.c\nproperties:\n  - property_file: reach.prp\n"
        "options:\n  language: C\n  data_model: LP64\n"
    )
    task = Request((str(tmp_path / "task.yml"),))
    proof = tmp_path / "proof.json"
    write_certificate(proof, make_certificate(task, verify(task, (Stage("horn"),), 60.0)))
    named = Request((str(tmp_path / "program.c"),), str(tmp_path / "reach.prp"), "LP64")
    for request in (task, named):
        assert isinstance(check_certificate(read_certificate(proof), request), Accepted)
    with pytest.raises(CratonError, match="data model"):
        check_certificate(read_certificate(proof), Request(named.files, named.property_file, "ILP32"))


# --- answers ----------------------------------------------------------------------------------------------------------


def test_a_refusal_names_the_condition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = certificate("loops/together.c")
    for entry in made["proof"]["invariants"]:
        entry["formula"] = "true"
    assert check(written(made, tmp_path / "proof.json"), TOGETHER.path) == 1
    out = capsys.readouterr().out
    loop, error = f"{TOGETHER.path}:7:3", f"{TOGETHER.path}:11:7"
    assert out == (f"REFUSED\n  reason: not safe: L6 (loop at {loop}) → L15 (unreach-call), statement at {error}\n")


def test_quiet_and_json(tmp_path: Path, proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--quiet", proof, TOGETHER.path) == 0
    assert capsys.readouterr().out == "ACCEPTED\n"
    assert check("--json", proof, TOGETHER.path) == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("seconds") >= 0
    assert told == {
        "answer": "accepted",
        "conditions": 5,
        "cut_points": 3,
        "solvers": ["bitwuzla"],
        "assumptions": [],
    }
    made = certificate("loops/together.c")
    made["proof"]["invariants"].pop()
    assert check("--json", written(made, tmp_path / "other.json"), TOGETHER.path) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["answer"], told["reason"]) == ("refused", "does not hold at the start: the invariant of the entry L18")


def test_without_time_nothing_is_decided(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = check_certificate(read_certificate(proof), TOGETHER.request, seconds=0.0)
    assert found == Refused("no time left to check the proof", decided=False)
    assert check("--time-limit", "0.0001", proof, TOGETHER.path) == 3
    assert capsys.readouterr().out.startswith("UNKNOWN\n  reason: ")


def test_a_condition_that_is_too_hard_is_named(proof: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Tired(type(make_solver("z3"))):  # type: ignore[misc]
        def _check(self, assumptions: Any, limit: float | None) -> Undecided:
            return Undecided("tired")

    monkeypatch.setattr(checker, "make_checker", lambda name, seconds: Tired())
    found = check_certificate(read_certificate(proof), TOGETHER.request)
    assert isinstance(found, Refused)
    assert not found.decided
    assert found.problem.startswith("not shown to be safe: L6 (loop at ")


def test_a_program_that_calls_itself_has_no_certificate(tmp_path: Path) -> None:
    example = BY_NAME["functions/counting_calls.c"]
    made = certificate("loops/together.c")
    content = example.path.read_bytes()
    made["program"]["files"][0]["sha256"] = hashlib.sha256(content).hexdigest()
    found = check_certificate(read_certificate(written(made, tmp_path / "proof.json")), example.request)
    assert found == Refused("no proof of this kind is possible: the call of depth cannot be inlined")


def test_another_version_is_mentioned_where_it_may_matter(tmp_path: Path) -> None:
    made = certificate("loops/together.c")
    made["craton"] = "99.0"
    assert isinstance(
        check_certificate(read_certificate(written(made, tmp_path / "a.json")), TOGETHER.request), Accepted
    )
    made["proof"]["invariants"].pop()
    found = check_certificate(read_certificate(written(made, tmp_path / "b.json")), TOGETHER.request)
    assert isinstance(found, Refused)
    assert "made by Craton 99.0" in found.problem


# --- who is asked -----------------------------------------------------------------------------------------------------


SOLVERS = {"z3", "bitwuzla", "cvc5", "intervals", "truth-tables"}


def test_the_solver_of_the_engine_does_not_check() -> None:
    for solver in sorted(SOLVERS):
        assert solver not in {name.split()[0] for name in others((solver,))}
        assert set(chosen_checkers((solver,), None, False)) == set(others((solver,)))
        assert {name.split()[0] for name in chosen_checkers((solver,), None, True)} == SOLVERS
    assert chosen_checkers(("z3",), ["cvc5"], False) == ("cvc5",)
    assert chosen_checkers(("z3",), ["z3", "cvc5"], False) == ("cvc5",)
    assert chosen_checkers(("z3",), ["z3", "cvc5"], True) == ("z3", "cvc5")
    assert chosen_checkers((), None, False) == CHECKERS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--solver", "z3"), "the proof was found with z3: it takes another solver to check it"),
        (("--solver", "z4"), "no solver is called 'z4'"),
        (("--paranoid", "--solver", "cvc5"), "--paranoid takes two different solvers, and there is only cvc5"),
        (
            ("--paranoid", "--solver", "cvc5", "--solver", "cvc5 over integers"),
            "--paranoid takes two different solvers",
        ),
    ],
)
def test_a_bad_choice_of_solvers_is_bad_input(
    arguments: tuple[str, ...], message: str, proof: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(proof, TOGETHER.path, *arguments) == 2
    assert message in capsys.readouterr().err


def test_the_paranoid_ask_two(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--json", "--paranoid", proof, TOGETHER.path) == 0
    solvers = json.loads(capsys.readouterr().out)["solvers"]
    assert {name.split()[0] for name in solvers} == {"bitwuzla", "cvc5"}
    assert check("--json", "--paranoid", "--solver", "cvc5", "--solver", "z3", proof, TOGETHER.path) == 0
    assert json.loads(capsys.readouterr().out)["solvers"] == ["cvc5", "z3"]


def test_a_solver_that_lies_is_believed_by_nobody_paranoid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Liar(type(make_solver("z3"))):  # type: ignore[misc]
        def _check(self, assumptions: Any, limit: float | None) -> Unsat:
            return Unsat(lambda: Core(()))

    honest = checker.make_checker

    def made_checker(name: str, seconds: float | None) -> Solver:
        return Liar() if name == "bitwuzla" else honest(name, seconds)

    monkeypatch.setattr(checker, "make_checker", made_checker)
    made = certificate("loops/together.c")
    made["proof"]["invariants"] = [{**entry, "formula": "true"} for entry in made["proof"]["invariants"]]
    proof = read_certificate(written(made, tmp_path / "proof.json"))
    assert isinstance(check_certificate(proof, TOGETHER.request), Accepted)
    found = check_certificate(proof, TOGETHER.request, paranoid=True)
    assert isinstance(found, Refused)
    assert found.problem.startswith("not safe: L6 ")


# --- conditions as files ----------------------------------------------------------------------------------------------

_PROGRAMS = {name: path for name in ("z3", "cvc5") if (path := shutil.which(name)) is not None}


def answer(file: Path, solver: str | None) -> str:
    """What a program says to the file; without one, what z3 in this process does."""
    if solver is not None:
        done = subprocess.run([solver, str(file)], capture_output=True, text=True, check=False)
        # Where the file promises something else, z3 complains behind its answer, and cvc5 instead of it.
        return done.stdout.partition("\n")[0].strip() or "sat"
    checked = make_solver("z3").check(*parse_script(file.read_text(encoding="utf-8")))
    return "sat" if isinstance(checked, Sat) else "unsat" if isinstance(checked, Unsat) else "unknown"


@pytest.mark.parametrize(
    ("name", "engine", "solver"),
    [
        ("loops/countdown.c", SINGLE, "cvc5"),
        ("boogie/defined.bpl", HORN, "z3"),
        ("floats/truncated.c", SINGLE, "none"),
        ("pointers/exchange.c", SINGLE, "z3"),
    ],
)
def test_the_conditions_can_be_checked_by_anybody(name: str, engine: str, solver: str, tmp_path: Path) -> None:
    """Of a proof all are unsatisfiable; where an invariant is left out, just those that another judge says fail."""
    example = BY_NAME[name]
    made = certificate(name, engine)
    for number in range(3):
        folder = tmp_path / f"conditions {number}"
        proof = read_certificate(written(made, tmp_path / "proof.json"))
        found = check_certificate(proof, example.request, conditions=folder)
        files = sorted(folder.iterdir())
        said = {file.stem.split("-", 2)[2].replace("-", " → "): answer(file, _PROGRAMS.get(solver)) for file in files}
        assert set(said.values()) <= {"sat", "unsat", "unknown"}
        assert {place for place, word in said.items() if word != "unsat"} == failing(made, example)
        assert isinstance(found, Accepted) is (set(said.values()) == {"unsat"})
        if isinstance(found, Accepted):
            assert found.conditions == len(files)
        made["proof"]["invariants"][number]["formula"] = "false"


def test_files_of_another_check_are_not_mixed_in(
    proof: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "folder"
    assert check("--conditions", folder, proof, TOGETHER.path) == 0
    assert check("--conditions", folder, proof, TOGETHER.path) == 2
    assert "has .smt2 files already" in capsys.readouterr().err
    assert check("--conditions", proof, proof, TOGETHER.path) == 2
    assert "cannot write to" in capsys.readouterr().err


# --- values that are chosen -------------------------------------------------------------------------------------------

CHOOSING = """
procedure main() {
  var x: int; var y: int; var x?1: int; var x?2: int; var x?3: int;
  havoc x; havoc x?1; havoc x?2; havoc x?3;
  while (*) { x?1 := x?1 + 1; x?2 := x?2 + 1; x?3 := x?3 + 1; y := x; havoc x; }
  havoc x;
  assert x == x?1 || x == x?2 || x == x?3;
}
"""


def test_a_variable_is_not_taken_for_a_value_that_is_chosen(tmp_path: Path) -> None:
    """Boogie's variables may be called as inputs of steps once were."""
    file = tmp_path / "choosing.bpl"
    file.write_text(CHOOSING)
    result = verify(Request((str(file),)), (Stage("trace-abstraction"), Stage("bounded")), 60.0)
    assert str(result.verdict) == "false(unreach-call)"


def test_invariants_do_not_speak_of_values_that_are_chosen(tmp_path: Path) -> None:
    """Each step chooses anew: x = (the value chosen) would hold before and after, and so two choices would be equal."""
    file = tmp_path / "choosing.bpl"
    file.write_text(CHOOSING)
    small = prepare(load_program(Request((str(file),)))).small.program
    chosen = [i for edge in small.main.edges for i in transition(edge.statement).inputs]
    assert chosen
    invariants = dict.fromkeys(small.main.locations, TRUE)
    for value in chosen:
        speaking = invariants | {small.main.edges[0].target: eq(value, var("main::x", value.sort))}
        found = check_proof(small, speaking, CHECKERS)
        assert isinstance(found, Flaw)
        assert f"speaks of {value.name}, which is no variable of the program" in found.problem
