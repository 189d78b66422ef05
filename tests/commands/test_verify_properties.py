"""Every property is checked: each CHECK line and each property of a task has its own verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import command

PROGRAM = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void other_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 5 && x < 3) reach_error();
  if (x == 7) other_error();
  return x > 0 ? 1 / x : 0;
}
"""
REACH, OTHER, END = "G ! call(reach_error())", "G ! call(other_error())", "F end"
DIVISION, OVERFLOW = "G ! div-by-zero", "G ! overflow"


def check(*formulas: str) -> str:
    return "".join(f"CHECK( init(main()), LTL({formula}) )\n" for formula in formulas)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.c"
    file.write_text(PROGRAM)
    return file


def wanted(folder: Path, *formulas: str, name: str = "wanted.prp") -> Path:
    file = folder / name
    file.write_text(check(*formulas))
    return file


@pytest.mark.parametrize(
    ("formulas", "verdicts", "code"),
    [
        ((REACH, OVERFLOW), ("true", "true"), 0),
        ((REACH, OTHER), ("true", "false(unreach-call)"), 1),
        ((OTHER, REACH, END), ("false(unreach-call)", "true", "unknown"), 1),
        ((REACH, END, "G ! data-race"), ("true", "unknown", "unknown"), 3),
        ((DIVISION, REACH), ("true", "true"), 0),
    ],
)
def test_each_line_has_its_verdict_and_the_worst_is_the_answer(
    formulas: tuple[str, ...],
    verdicts: tuple[str, ...],
    code: int,
    program: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = wanted(program.parent, *formulas)
    assert command("verify", program, "--property", file, "--json", "--time-limit", "60") == code
    told = json.loads(capsys.readouterr().out)
    assert [entry["property"] for entry in told["properties"]] == list(formulas)
    assert tuple(entry["verdict"] for entry in told["properties"]) == verdicts
    assert told["verdict"].partition("(")[0] == {0: "true", 1: "false", 3: "unknown"}[code]
    for entry in told["properties"]:
        if entry["property"] in (END, "G ! data-race"):
            assert entry["reason"] == f"the property `{entry['property']}` is not supported"


def test_the_text_is_a_table_behind_the_worst_verdict(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = wanted(program.parent, REACH, OTHER, END)
    assert command("verify", program, "--property", file, "--quiet") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "FALSE(unreach-call)",
        f"  {REACH} ({file})  TRUE",
        f"  {OTHER} ({file})  FALSE(unreach-call)",
        f"  {END} ({file})                    UNKNOWN",
    ]
    assert command("verify", program, "--property", file) == 1
    shown = capsys.readouterr().out
    assert "replay: error reached" in shown and "reason: the property `F end` is not supported" in shown


def test_memory_safety_is_one_property(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "leak.c"
    program.write_text("#include <stdlib.h>\nint main(void) { char *p = malloc(4); p = 0; return 0; }\n")
    file = wanted(tmp_path, "G valid-free", "G valid-deref", "G valid-memtrack")
    assert command("verify", program, "--property", file, "--quiet") == 1
    assert capsys.readouterr().out == "FALSE(valid-memtrack)\n"


def test_one_property_that_is_not_supported_is_unknown_by_name(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for formula in ("G ! data-race", END):
        file = wanted(program.parent, formula)
        assert command("verify", program, "--property", file) == 3
        assert formula in capsys.readouterr().err


@pytest.mark.parametrize(("divisor", "code"), [("x", 1), ("(x | 1)", 0), ("3", 0)])
@pytest.mark.parametrize("op", ["/", "%"])
def test_division_by_zero_is_a_property(
    op: str, divisor: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "division.c"
    text = (
        "extern unsigned __VERIFIER_nondet_uint(void);\n"
        "int main(void) {{ unsigned x = __VERIFIER_nondet_uint(), y = 9 {} {}; return y; }}"
    )
    program.write_text(text.format(op, divisor))
    assert command("verify", program, "--property", wanted(tmp_path, DIVISION), "--quiet") == code
    assert capsys.readouterr().out == ("FALSE(no-div-by-zero)\n" if code else "TRUE\n")
    assert command("verify", program, "--quiet") == 0, "for other properties a run ends there"


def task(folder: Path, text: str) -> Path:
    file = folder / "task.yml"
    file.write_text(f"format_version: '2.0'\ninput_files: program.c\n{text}")
    return file


def test_all_properties_of_a_task_are_checked(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for formula, name in ((REACH, "a.prp"), (OTHER, "b.prp")):
        wanted(program.parent, formula, name=name)
    (program.parent / "c.prp").write_text("COVER( init(main()), FQL(COVER EDGES(@CALL(__VERIFIER_error))) )\n")
    entries = "properties:\n" + "".join(f"  - property_file: {name}.prp\n" for name in "abc")
    assert command("verify", task(program.parent, entries), "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert [Path(entry["file"]).name for entry in told["properties"]] == ["a.prp", "b.prp", "c.prp"]
    assert [entry["verdict"] for entry in told["properties"]] == ["true", "false(unreach-call)", "unknown"]
    assert command("verify", task(program.parent, entries), "--property", program.parent / "a.prp", "--quiet") == 0
    assert capsys.readouterr().out == "TRUE\n"
    assert command("verify", task(program.parent, entries), "--proof", program.parent / "proof.json") == 2
    assert "evidence is of one property" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("options: {data_model: LP64, data_model: ILP32}\n", "task.yml:3: the key data_model stands there twice"),
        ("input_files: other.c\n", "task.yml:3: the key input_files stands there twice"),
        (
            "properties:\n  - {property_file: a.prp, expected_verdict: true}\n"
            "  - {property_file: a.prp, expected_verdict: false}\n",
            "the entries for property_file a.prp contradict each other",
        ),
    ],
)
def test_contradictions_are_bad_input(text: str, told: str, program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted(program.parent, REACH, name="a.prp")
    assert command("verify", task(program.parent, text)) == 2
    assert told in capsys.readouterr().err


def test_a_property_that_a_boogie_program_cannot_have_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.bpl"
    program.write_text("procedure main() { assert true; }")
    assert command("verify", program, "--property", wanted(tmp_path, OVERFLOW)) == 3
    assert command("verify", program, "--property", wanted(tmp_path, REACH), "--quiet") == 0
    assert "Boogie" in capsys.readouterr().err


def test_a_program_without_anything_to_check_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }")
    assert command("verify", tmp_path / "p.c") == 0
    assert "nothing to check" in capsys.readouterr().out
