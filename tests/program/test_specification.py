"""Property files and task definitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.errors import CratonError
from craton.program.specification import parse_specification
from craton.program.tasks import read_task


def test_properties_are_read() -> None:
    found = parse_specification("CHECK( init(start()), LTL(G ! call(reach_error())) )\n")
    assert (found.entry, found.error_functions, found.memory) == ("start", ("reach_error",), False)
    assert parse_specification("CHECK( init(main()), LTL(G ! overflow) )").overflow
    safe = parse_specification(
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n"
        "CHECK( init(main()), LTL(G valid-memtrack) )\n"
    )
    assert safe.free and safe.deref and safe.memtrack and not safe.memcleanup and not safe.reachability


@pytest.mark.parametrize("text", ["", "CHECK( main )", "CHECK( init(main()), LTL(G F x) )"])
def test_other_property_files_are_errors(text: str) -> None:
    with pytest.raises(CratonError):
        parse_specification(text)


@pytest.mark.parametrize("version", ["1.0", "2.0", "2.1"])
def test_tasks_are_read(version: str, tmp_path: Path) -> None:
    (tmp_path / "p.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )")
    task = tmp_path / "t.yml"
    task.write_text(
        f"format_version: '{version}'\ninput_files: ['a.c', 'b.c']\nproperties:\n  - property_file: p.prp\n"
        "    expected_verdict: false\n    subproperty: valid-free\noptions:\n  data_model: LP64\n"
    )
    found = read_task(task)
    assert [p.name for p in found.input_files] == ["a.c", "b.c"]
    assert found.data_model == "LP64"
    assert found.properties[0].expected is False and found.properties[0].specification().overflow


@pytest.mark.parametrize("text", ["", "- a", "format_version: '9'\ninput_files: x.c", "a: [", "input_files: []"])
def test_other_task_files_are_errors(text: str, tmp_path: Path) -> None:
    task = tmp_path / "t.yml"
    task.write_text(text)
    with pytest.raises(CratonError):
        read_task(task)
