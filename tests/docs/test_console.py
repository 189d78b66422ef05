"""Command lines of the documentation print what the page says; those that no test can run are understood at least."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from craton.cli import build_parser
from support.console import DOCS, ELLIPSIS, PAGES, ROOT, commands, folder, output, same, steady, unrun


@pytest.mark.parametrize("name", PAGES)
def test_a_page_tells_the_truth(name: str) -> None:
    found = commands(DOCS / name)
    assert found, f"{name} has no command lines"
    with folder() as inside:
        for command in found:
            printed = output(command, inside)
            assert same(command.printed, printed), "\n".join(
                [
                    f"{name}: $ {command.line}",
                    "the page:",
                    *command.printed,
                    "now (see support/console.py):",
                    *printed,
                ]
            )


def test_every_page_with_command_lines_is_run() -> None:
    pages = [ROOT / "README.md", *DOCS.glob("*.md")]
    with_lines = {path for path in pages if "```console" in path.read_text(encoding="utf-8")}
    assert with_lines == {(DOCS / name).resolve() for name in PAGES}


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted((DOCS / "results").glob("*.md"))], ids=str
)
def test_command_lines_that_are_not_run_are_understood(page: Path) -> None:
    for line in unrun(page):
        words = [word for word in shlex.split(line, comments=True) if word != ELLIPSIS]
        try:
            build_parser().parse_args(words[1:])
        except SystemExit as ended:
            raise AssertionError(f"{page.name}: {line}") from ended


def test_lines_may_be_left_out() -> None:
    assert same(["a", "…", "d"], ["a", "b", "c", "d"]) and same(["…"], ["a"])
    assert not same(["a", "…", "d"], ["a", "b", "c"]) and not same(["a"], ["a", "b"])


def test_times_are_not_compared() -> None:
    assert steady("re-checked by bitwuzla in 0.02 s") == steady("re-checked by cvc5 in 11.5 s")
    assert steady("TRUE") != steady("FALSE")
