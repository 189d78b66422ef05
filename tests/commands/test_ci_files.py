"""What examples/ci has to copy does what it says: which exit codes of `craton verify` fail a job."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

CI = Path(__file__).parents[2] / "examples" / "ci"


def ended(command: list[str], code: int, folder: Path) -> int:
    """The exit code of a script where `craton` ends with a code."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "craton").write_text(f"#!/bin/sh\necho told\nexit {code}\n")
    (programs / "craton").chmod(0o755)
    path = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=folder, env=path, stdout=subprocess.DEVNULL, check=False).returncode


def step() -> str:
    workflow: dict[str, Any] = yaml.safe_load((CI / "github-workflow.yml").read_text(encoding="utf-8"))
    (found,) = [one["run"] for one in workflow["jobs"]["verify"]["steps"] if one.get("name") == "Verify"]
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize(("code", "fails"), [(0, False), (1, True), (2, True), (3, False)])
def test_violations_and_bad_input_fail_a_job(code: int, fails: bool, tmp_path: Path) -> None:
    workflow, script = tmp_path / "workflow", tmp_path / "script"
    workflow.mkdir()
    script.mkdir()
    assert (ended(["sh", "-e", "-c", step()], code, workflow) != 0) is fails
    assert (workflow / "craton.sarif").read_text() == "told\n"
    assert (ended(["sh", str(CI / "verify-changed.sh"), "a.c", "b.c"], code, script) != 0) is fails
