"""On what a campaign was measured."""

from __future__ import annotations

import json
import platform
import shutil
from pathlib import Path

import pytest

import craton
import craton.bench.machine
from craton.bench.machine import machine, versions


def test_the_machine_is_told_in_plain_data() -> None:
    told = machine()
    assert json.loads(json.dumps(told)) == told
    assert told["host"] == platform.node()
    assert told["cores"] >= 1
    assert told["memory"] is None or told["memory"] > 2**20


def test_the_versions_are_those_of_what_runs() -> None:
    told = versions()
    assert told["craton"] == craton.__version__
    assert told["python"] == platform.python_version()
    assert {"z3", "bitwuzla", "cvc5", "libclang"} <= told.keys()


def test_the_source_is_known_by_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version number does not change while a program is being written."""
    before = versions()["craton source"]
    copy = tmp_path / "craton"
    shutil.copytree(Path(craton.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(craton.bench.machine, "__file__", str(copy / "bench" / "machine.py"))
    assert versions()["craton source"] == before
    (copy / "words.py").write_text("# changed\n")
    assert versions()["craton source"] != before
