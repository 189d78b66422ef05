"""Property files, and the commands that read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.cli import main
from craton.commands.run import parse_inputs
from craton.errors import CratonError
from craton.program.specification import parse_specification


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


def command(*words: str) -> int:
    return main(words)


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "x.c"
    path.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
        "int main(void) { int x = __VERIFIER_nondet_int(); while (x > 9) { } if (x == 3) reach_error(); return x; }\n"
    )
    return str(path)


def test_run_reports_by_exit_code(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("run", source, "--inputs", "3") == 1
    assert "error reached: unreach-call" in capsys.readouterr().out
    assert command("run", source, "--inputs", "4") == 0
    assert command("run", source, "--inputs", "12", "--steps", "1000") == 3
    assert command("run", source, "--seed", "5") in (0, 1, 3)
    assert command("run", source, "--inputs", "three") == 2
    assert command("run", "nowhere.c") == 2


def test_cfa_shows_numbers_text_and_graph(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("cfa", source) == 0
    assert "loops        1" in capsys.readouterr().out
    assert command("cfa", source, "--text", "--passes", "inline,dead,blocks") == 0
    assert "error L" in capsys.readouterr().out
    assert command("cfa", source, "--dot") == 0
    assert capsys.readouterr().out.startswith("digraph")
    assert command("cfa", source, "--passes", "polish") == 2


def test_unsupported_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.c"
    path.write_text("int main(void) { _Complex float z; return 0; }")
    assert command("cfa", str(path)) == 3
    assert "x.c:1:18" in capsys.readouterr().err


def test_inputs_on_the_command_line() -> None:
    assert parse_inputs("3,-1, 0x10,2.5") == [3, -1, 16, 2.5]
