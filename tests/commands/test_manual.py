"""`craton manual`: every command and option is in it, and the formatter has nothing to complain of."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from support.commands import command


@pytest.fixture(scope="module")
def page() -> str:
    from craton.cli import build_parser
    from craton.commands.manual import page

    return page(build_parser())


def test_everything_is_told(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ("CRATON VERIFY", "\\-\\-refine R", "\\-\\-time\\-limit SECONDS", "EXIT STATUS", "CRATON SOLVERS"):
        assert words in page
    examples = page[page.index(".SH EXAMPLES") :]
    assert "craton serve" in examples[: examples.index(".SH", 1)]
    assert page.rstrip().endswith(".fi") and "130  interrupted" in page[page.index('.SH "EXIT STATUS"') :]
    assert command("manual") == 0
    assert capsys.readouterr().out == page


def test_no_line_is_taken_for_an_order(page: str) -> None:
    assert {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))} <= {
        ".TH", ".SH", ".TP", ".B", ".PP", ".nf", ".fi",
    }  # fmt: skip


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_formatter_is_content(page: str) -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == ""
