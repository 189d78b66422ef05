"""Bad input: one line that says what, where and what to do, exit code 2; and nothing of the user's is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.cli import BAD_INPUT, main
from support.commands import command

PROGRAM = "extern void reach_error(void);\nint main(void) { return 0; }\n"
FILES = {
    "ok.c": PROGRAM,
    "wrong.c": "int main(void) { retrun 0; ) }\nint f(int x) { return y; }\n",
    "header.c": '#include "nowhere.h"\n' + PROGRAM,
    "gone.yml": 'format_version: "2.0"\ninput_files: gone.c\n',
    "bad.yml": "a: [\n",
    "bad.toml": 'time-limit = "long"\n',
    "folder/ok.c": PROGRAM,
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("chekc", "craton: there is no command 'chekc'; did you mean check? (craton --help)"),
        ("verify ok.c --enigne horn", "craton verify: there is no option --enigne; did you mean --engine? ("),
        ("solvers all", "craton solvers: there is one argument too many: all (craton solvers --help)"),
        ("verify folder", "craton: cannot read folder: Is a directory; craton bench runs directories of tasks"),
        ("verify wrong.c", "craton: wrong.c:1:18: error: use of undeclared identifier 'retrun' (the first of "),
        ("verify header.c", "craton: header.c:1:10: fatal error: 'nowhere.h' file not found; -I DIR says where"),
        ("verify gone.yml", "craton: gone.yml names gone.c, which does not exist"),
        (
            "verify bad.yml",
            "craton: bad.yml is no task definition: while parsing a flow node expected the node content",
        ),
        ("verify ok.c --property gone.prp", "craton: cannot read property file gone.prp: No such file or directory\n"),
        ("verify ok.c --property=", "craton: --property '': neither a file nor names of properties, of reach, "),
        ("verify ok.c -D 1=2", "craton verify: argument -D: expected NAME or NAME=VALUE, found '1=2'"),
        ("verify ok.c --config bad.toml", "craton: bad.toml: argument --time-limit: expected a positive number"),
        ("verify ok.c --harness ok.c/there", "craton: cannot write to ok.c/there: "),
        ("run ok.c --steps 0", "craton run: argument --steps: expected a whole number from 1 on, found '0'"),
        ("explain ok.c --unroll -1", "craton explain: argument --unroll: expected a whole number from 0 on, found"),
        ("serve --jobs 0", "craton serve: argument --jobs: expected a whole number from 1 to 64, found '0'"),
        ("serve --port 99999", "craton serve: argument --port: expected a whole number from 0 to 65535, found '99999'"),
        ("cfa ok.c --svg nowhere/ok.svg", "craton: cannot write nowhere/ok.svg: there is no directory nowhere"),
    ],
)
def test_one_line(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(*line.split()) == BAD_INPUT
    told = capsys.readouterr()
    assert told.err.startswith(said) and told.err.count("\n") == 1 and not told.out


@pytest.mark.parametrize(
    "line",
    [
        "verify ok.c --report ok.c",
        "verify ok.c --proof folder/../ok.c",
        "verify folder/ok.c --property reach --stages ok.c --witness ok.c",
        "verify folder/ok.c --proof ok.c --report ok.c",
        "explain ok.c --html ok.c",
        "cfa ok.c --svg ok.c",
    ],
)
def test_what_is_read_is_not_written(line: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(*line.split()) == BAD_INPUT
    assert capsys.readouterr().err.startswith("craton: ")
    assert (here / "ok.c").read_text() == PROGRAM


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One that begins with a dash is no option of clang's; C++ and names that nobody can print are refused."""
    monkeypatch.chdir(tmp_path)
    Path("-dash.c").write_text("int main(void) { return 0; }\n")
    assert main(["cfa", "./-dash.c"]) == 0
    capsys.readouterr()
    assert main(["cfa", "a.cpp"]) == 2
    assert capsys.readouterr().err == "craton: a.cpp is C++ by its name, and Craton reads C\n"
    assert main(["cfa", "a\udcff.c"]) == 2
    assert capsys.readouterr().err == "craton: a\\xff.c: the name of this file is no UTF-8; rename it\n"
