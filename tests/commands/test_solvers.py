"""`craton solvers`: which there are, and how to get the others."""

from __future__ import annotations

import json

import pytest

from support.commands import command


def test_solvers_are_listed_with_what_they_can(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("solvers", "--json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    for name in ("z3", "bitwuzla", "cvc5"):  # which the package depends on
        assert rows[name]["runs"] == "in process"
        assert rows[name]["version"] and rows[name]["capabilities"] and rows[name]["theories"]
    assert command("solvers") == 0
    shown = capsys.readouterr().out
    for name, row in rows.items():
        assert name in shown
        assert row["version"] is not None or row["how_to_get"].split()[0] in shown
