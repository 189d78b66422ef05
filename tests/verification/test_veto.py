"""A run may veto: what the compiled program does counts more than what was proved of the model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from craton.cli import main
from craton.configuration.engines import TESTING
from craton.configuration.stages import Stage
from craton.frontends.programs import HOST_DATA_MODEL, Request, load_program
from craton.processes.compilers import compilers
from craton.program.cfa import Program
from craton.program.preparation import prepare
from craton.testing.native_violation import NativeViolation, Propriety
from craton.verdicts.counterexample import Reached, Surroundings
from craton.verdicts.result import Result
from craton.verdicts.verdict import Violated
from craton.verification import run
from craton.verification.run import verify
from craton.verification.veto import disagreement, shown_by_model, veto_beside

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

HEAD = "extern int __VERIFIER_nondet_int(void); void reach_error(void) {}\n"
HARMLESS = HEAD + "int main(void) { if (__VERIFIER_nondet_int() > 5 && 0) reach_error(); return 0; }"
HARMFUL = HEAD + "int main(void) { if (__VERIFIER_nondet_int() > 5) reach_error(); return 0; }"
BEYOND = HEAD + "int main(void) { volatile int i = 9; int a[2]; a[i] = 1; reach_error(); return 0; }"


def written(folder: Path, text: str, name: str = "p.c") -> Request:
    (folder / name).write_text(text)
    return Request((str(folder / name),), data_model="LP64")


def misread(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    taken_for: str,
    engine: str = "bounded",
    *,
    confirm: bool = True,
) -> Result:
    """The verdict on a program that the front end takes for another."""
    other = load_program(written(folder, taken_for, "other.c"))
    monkeypatch.setattr(run, "load_program", lambda request: other)
    return verify(written(folder, text), [Stage("bounded")], 60, confirm=confirm)


@pytest.mark.parametrize("taken_for", [HARMLESS, HARMFUL.replace("> 5", "* 0 > 5")])
def test_a_run_vetoes_a_proof_of_another_program(
    taken_for: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By control flow alone, and by an engine."""
    result = misread(tmp_path, monkeypatch, HARMFUL, taken_for)
    assert result.is_unknown
    assert "program and model disagree" in result.reason
    told = re.search(r"__VERIFIER_nondet_int\(\) = (\d+)", result.reason)
    assert told is not None
    assert int(told.group(1)) > 5


def test_a_run_with_undefined_behaviour_before_vetoes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert misread(tmp_path, monkeypatch, BEYOND, HARMLESS).is_true


def test_without_confirmation_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert misread(tmp_path, monkeypatch, HARMFUL, HARMLESS, confirm=False).is_true


def test_what_cannot_be_compiled_is_proved_without_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert misread(tmp_path, monkeypatch, "no program at all", HARMLESS).is_true


def test_nothing_is_started_where_there_is_nothing_to_compile(tmp_path: Path) -> None:
    for request in (None, Request(("p.bpl",)), Request((str(tmp_path / "missing.yml"),))):
        with veto_beside(request, 10) as veto:
            assert veto is None
    with veto_beside(written(tmp_path, HARMFUL), 10, wanted=False) as veto:
        assert veto is None


def prepared(request: Request) -> Program:
    return prepare(load_program(request)).whole


def test_what_the_model_does_as_well_is_a_violation(tmp_path: Path) -> None:
    request = written(tmp_path, HARMFUL)
    with veto_beside(request, 60) as veto:
        assert veto is not None
        found = veto.last_word()
    assert found is not None
    verdict = shown_by_model(found, prepared(request))
    assert isinstance(verdict, Violated)
    assert isinstance(verdict.compiled, Reached)
    (read,) = verdict.replay.inputs
    assert 5 < read.value < 1 << 31
    assert shown_by_model(found, prepared(written(tmp_path, HARMLESS, "other.c"))) is None


def test_the_error_is_the_one_that_the_run_came_to_with_its_arguments(tmp_path: Path) -> None:
    text = """void reach_error(void) {}
        int main(int argc, char **argv) {
          if (argc < 1) reach_error();
          if (argc == 3 && argv[1][0] == 'x') reach_error(); }"""
    request = written(tmp_path, text)
    for words, line in (((b"program", b"x", b""), 4), ((b"program", b"y", b""), None)):
        found = NativeViolation("unreach-call", (), "cc", Propriety.PROPER, 0.1, Surroundings(words))
        verdict = shown_by_model(found, prepared(request))
        assert (verdict and verdict.place and verdict.place.line) == line


def test_runs_answer_for_several_engines_but_not_for_one_that_was_chosen(tmp_path: Path) -> None:
    """What an engine alone answers is its own answer: otherwise there would be nothing to compare."""
    late = HEAD + "int main(void) { int i = 0; while (i < 100000) i++; reach_error(); return 0; }"
    request, unrolling = written(tmp_path, late), Stage("bounded")
    assert verify(request, [unrolling], cpu=1.5).is_unknown
    assert verify(request, [unrolling, Stage("value")], cpu=20).stage == TESTING


def test_a_disagreement_without_inputs_says_so() -> None:
    told = disagreement(NativeViolation("no-overflow", (), "gcc", Propriety.UNCHECKED, 0.1)).reason
    assert "violates no-overflow without any input" in told
    assert Propriety.UNCHECKED.value in told


MISREAD = {
    "a constructor": """
        int g; __attribute__((constructor)) void f(void) { g = 1; }
        int main(void) { if (g) reach_error(); }""",
    "another name": """
        int g; void f(void) { g = 1; } void h(void) __attribute__((alias("f")));
        int main(void) { h(); if (g) reach_error(); }""",
    "a clean-up": """
        void f(int *p) { if (*p == 3) reach_error(); }
        int main(void) { { int x __attribute__((cleanup(f))) = 3; } return 0; }""",
    "a loop out of a macro": """
        #define LOOP for (i += 1; i < 3; )
        int main(void) { int i = 0, n = 0; LOOP { n++; if (n > 7) { reach_error(); break; } } return 0; }""",
    "a weak function": "int f(void) __attribute__((weak)); int main(void) { if (!f) reach_error(); return 0; }",
}


@pytest.mark.parametrize("name", MISREAD)
def test_what_is_easily_misread_is_never_proved(name: str, tmp_path: Path) -> None:
    result = verify(written(tmp_path, "void reach_error(void) {}\n" + MISREAD[name]), [Stage("bounded")], 60)
    assert not result.is_true


def test_arguments_and_the_standard_input_are_drawn_where_a_counterexample_cannot_give_them(tmp_path: Path) -> None:
    text = "void reach_error(void) {} int main(int argc, char **argv) { if (argc == 3) reach_error(); return 0; }"
    result = verify(written(tmp_path, text), [Stage("bounded"), Stage("bounded")], 60)
    assert not result.is_true


def test_the_verdict_names_the_data_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That of the machine, if nobody says another."""
    written(tmp_path, HARMLESS)
    for options, model in ((["--data-model", "ILP32"], "ILP32"), ([], HOST_DATA_MODEL)):
        assert main(["verify", str(tmp_path / "p.c"), "--json", *options]) == 0
        assert json.loads(capsys.readouterr().out)["data_model"] == model
        assert main(["verify", str(tmp_path / "p.c"), *options]) == 0
        assert f"data model: {model}" in capsys.readouterr().out
