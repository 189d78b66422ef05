"""From what a user names to a program: which front end, which property, which data model."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.errors import CratonError
from craton.frontends.programs import HOST_DATA_MODEL, Request, c_source, load_program
from craton.program.cfa import OVERFLOW, UNREACH
from craton.program.specification import DEFAULT

C = "extern void reach_error(void); int main(void) { int x = LIMIT; if (x + 1 > 5) reach_error(); return 0; }\n"
BOOGIE = "procedure main() { var x: int; while (x < 9) invariant x <= 9; { x := x + 1; } assert x >= 9; }\n"
NO_OVERFLOW = "CHECK( init(main()), LTL(G ! overflow) )\n"
TASK = """
format_version: '2.0'
input_files: 'p.c'
properties:
  - property_file: p.prp
options:
  data_model: LP64
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"p.c": C, "p.bpl": BOOGIE, "p.prp": NO_OVERFLOW, "p.yml": TASK}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_c_with_its_defaults_and_definitions(folder: Path) -> None:
    request = Request((str(folder / "p.c"),), define=("LIMIT=3",))
    program = load_program(request)
    assert set(program.errors.values()) == {UNREACH}
    source = c_source(request)
    assert (source.specification, source.property_file) == (DEFAULT, None)
    assert source.options.data_model == HOST_DATA_MODEL


def test_a_property_file_says_what_is_an_error(folder: Path) -> None:
    request = Request((str(folder / "p.c"),), str(folder / "p.prp"), define=("LIMIT=3",))
    assert set(load_program(request).errors.values()) == {OVERFLOW}


def test_a_task_names_all_of_it_and_the_user_has_the_last_word(folder: Path) -> None:
    task = str(folder / "p.yml")
    source = c_source(Request((task,)))
    assert source.files == (folder / "p.c",)
    assert source.specification.overflow and source.property_file == folder / "p.prp"
    assert source.options.data_model == "LP64"
    assert c_source(Request((task,), data_model="ILP32")).options.data_model == "ILP32"
    (folder / "other.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    assert not c_source(Request((task,), str(folder / "other.prp"))).specification.overflow


def test_boogie_brings_its_hints(folder: Path) -> None:
    program = load_program(Request((str(folder / "p.bpl"),)))
    assert [str(hint) for hints in program.hints.values() for hint in hints] == ["main::x ≤ 9"]


@pytest.mark.parametrize(
    ("files", "problem", "code"),
    [
        (("p.bpl", "p.c"), "a Boogie program stands alone", 2),
        (("p.yml", "p.c"), "a task definition stands alone", 2),
        (("clauses.smt2",), "a system of Horn clauses", 3),
        (("missing.c",), "missing.c", 2),
    ],
)
def test_what_cannot_be_loaded(files: tuple[str, ...], problem: str, code: int, folder: Path) -> None:
    with pytest.raises(CratonError, match=problem) as error:
        load_program(Request(tuple(str(folder / name) for name in files)))
    assert error.value.exit_code == code


def test_termination_is_not_a_property_yet(folder: Path) -> None:
    (folder / "ends.prp").write_text("CHECK( init(main()), LTL(F end) )\n")
    with pytest.raises(CratonError, match="every run ends") as error:
        load_program(Request((str(folder / "p.c"),), str(folder / "ends.prp")))
    assert error.value.exit_code == 3
