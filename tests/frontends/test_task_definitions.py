"""Task definitions of all formats, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.errors import CratonError
from craton.frontends.task_definitions import read_task_definition


@pytest.mark.parametrize("version", ["1.0", "2.0", "2.1"])
def test_tasks_are_read(version: str, tmp_path: Path) -> None:
    (tmp_path / "p.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )")
    task = tmp_path / "t.yml"
    task.write_text(
        f"format_version: '{version}'\ninput_files: ['a.c', 'b.c']\nproperties:\n  - property_file: p.prp\n"
        "    expected_verdict: false\n    subproperty: valid-free\noptions:\n  data_model: LP64\n"
    )
    found = read_task_definition(task)
    assert [p.name for p in found.input_files] == ["a.c", "b.c"]
    assert found.data_model == "LP64"
    assert found.properties[0].expected is False and found.properties[0].specification().overflow


def test_a_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    task = tmp_path / "t.yml"
    for name in ("a.c", "b.c"):
        task.write_text(f"input_files: {name}")
        assert [p.name for p in read_task_definition(task).input_files] == [name]


@pytest.mark.parametrize(
    "text", ["", "- a", "format_version: '9'\ninput_files: x.c", "a: [", "input_files: []", "input_files: \x01"]
)
def test_other_task_files_are_errors(text: str, tmp_path: Path) -> None:
    task = tmp_path / "t.yml"
    task.write_text(text)
    with pytest.raises(CratonError):
        read_task_definition(task)
