"""The way to an error as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.cli import main
from craton.report.lines import without_comment


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("x = 1; // one", "x = 1;"),
        ("x = 1;   /* one */", "x = 1;"),
        ("x = 1; /* begins here", "x = 1;"),
        ("x = 6 / 2; /* a */ y = 1;", "x = 6 / 2; /* a */ y = 1;"),
        ('puts("http://a"); // b', 'puts("http://a");'),
        ("c = '\\''; // it's", "c = '\\'';"),
        ("// nothing else", "// nothing else"),
    ],
)
def test_comments_behind_statements_are_not_told(line: str, left: str) -> None:
    assert without_comment(line) == left


def test_there_are_no_fewer_arguments_than_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "none.c"
    file.write_text(
        "void reach_error(void) {}\nint main(int argc, char **argv) {\n"
        "  if (argc < 1)\n    reach_error(); // unlikely\n}\n"
    )
    assert main(["verify", str(file), "--engine", "bounded"]) == 1
    told = capsys.readouterr().out
    assert "argc = 0 (input)" in told and "unlikely" not in told.partition("the way there")[2]
