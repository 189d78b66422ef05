"""Configuration files and compilation databases become options of `craton verify`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from craton.arguments.config_file import BadConfiguration, with_configuration
from craton.frontends.c.errors import BadInput
from craton.frontends.compile_commands import read_compile_commands, with_compile_commands
from craton.frontends.programs import Request
from support.commands import command

OPTIONS = ("--time-limit", "--property", "--each", "--config", "-I", "-D")


def test_options_come_before_those_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "src"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert with_configuration(["verify", "a.c"], OPTIONS) == ["verify", "a.c"]
    (tmp_path / "pyproject.toml").write_text(
        '[tool.craton]\ntime-limit = 5\nproperty = "overflow"\neach = true\ninclude = ["inc"]\ndefine = ["A=1", "B"]\n'
    )
    expected = [
        "--time-limit",
        "5",
        "--property",
        "overflow",
        "--each",
        "-I",
        str(tmp_path / "inc"),
        "-D",
        "A=1",
        "-D",
        "B",
    ]
    assert with_configuration(["verify", "a.c"], OPTIONS) == ["verify", *expected, "a.c"]
    assert with_configuration(["verify", "--no-config", "a.c"], OPTIONS) == ["verify", "--no-config", "a.c"]
    (inner / "craton.toml").write_text("each = false\n")  # the nearest counts
    assert with_configuration(["verify", "a.c"], OPTIONS) == ["verify", "a.c"]


@pytest.mark.parametrize("text", ["times = 5", "property = 2024-01-01", "each ="])
def test_mistakes_are_told(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "craton.toml").write_text(text)
    with pytest.raises(BadConfiguration, match=r"craton\.toml"):
        with_configuration(["verify", "a.c"], OPTIONS)
    assert command("verify", "a.c", "--json") == 2
    assert "craton.toml" in json.loads(capsys.readouterr().out)["error"]


def test_a_value_that_is_wrong_is_told_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "craton.toml").write_text('[tool.craton]\ntime-limit = "long"\n')
    assert command("verify", "a.c") == 2
    told = capsys.readouterr().err
    assert "craton.toml: " in told and "'long'" in told
    (tmp_path / "craton.toml").write_text("time-limits = 5\n")
    assert command("verify", "a.c") == 2
    assert "did you mean 'time-limit'?" in capsys.readouterr().err


def test_a_file_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 1 / (SIZE - 5); }")
    (tmp_path / "own.toml").write_text('property = "div-by-zero"\ndefine = ["SIZE=5"]\nengine = "bounded"\n')
    assert command("verify", tmp_path / "a.c", "--config", tmp_path / "own.toml", "--quiet") == 1
    assert capsys.readouterr().out == "FALSE(no-div-by-zero)\n"


def database(folder: Path, *entries: Mapping[str, object]) -> Path:
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


def test_a_compilation_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "size.h").write_text("#define SIZE WIDTH\nint half(int);\n")
    (tmp_path / "a.c").write_text('#include "size.h"\nint main(void) { return half(SIZE); }\n')
    (tmp_path / "b.c").write_text('#include "size.h"\nint half(int x) { return x / (SIZE - 4); }\n')
    common = {"directory": str(tmp_path)}
    database(
        tmp_path,
        {**common, "file": "a.c", "command": "cc -Iinc -DWIDTH=4 -O2 -Wall -c a.c -o a.o"},
        {**common, "file": "b.c", "arguments": ["cc", "-I", "inc", "-D", "WIDTH=4", "-m64", "-c", "b.c"]},
        {**common, "file": "x.cpp", "command": "c++ -c x.cpp"},
    )
    assert command("verify", "-p", tmp_path, "--property", "div-by-zero", "--engine", "bounded") == 1
    assert "division by zero in `return x / (SIZE - 4)` at " in capsys.readouterr().out
    request = with_compile_commands(Request((str(tmp_path / "b.c"),)), read_compile_commands(tmp_path))
    assert (request.include, request.define, request.data_model) == ((str(tmp_path / "inc"),), ("WIDTH=4",), "LP64")


def test_what_a_database_cannot_say(tmp_path: Path) -> None:
    one = {"directory": str(tmp_path), "file": "a.c"}
    with pytest.raises(BadInput, match="-include"):
        read_compile_commands(database(tmp_path, {**one, "command": "cc -include x.h a.c"}))
    two = {**one, "file": "b.c", "command": "cc -DA=2 b.c"}
    commands = read_compile_commands(database(tmp_path, {**one, "command": "cc -DA=1 a.c"}, two))
    with pytest.raises(BadInput, match=r"a\.c is compiled with -DA=1, and .*b\.c is not"):
        with_compile_commands(Request(()), commands)
    with pytest.raises(BadInput, match="no command compiles it"):
        with_compile_commands(Request(("c.c",)), commands)


def test_everyday_options_are_known(tmp_path: Path) -> None:
    words = (
        "-std=gnu99 -O2 -g3 -Wall -Wp,-MMD,a.d -MF a.d -fPIC -fno-strict-aliasing -fsigned-char -pthread -x c -c -o a.o"
    )
    entry = {"directory": str(tmp_path), "file": "a.c", "command": f"ccache gcc -isystem s -I i {words} a.c"}
    (found,) = read_compile_commands(database(tmp_path, entry, entry))
    assert found.include == (str(tmp_path / "i"), str(tmp_path / "s"))
    assert found.define == ("__STDC_VERSION__=199901L",)
    (strict,) = read_compile_commands(database(tmp_path, {**entry, "command": "gcc -std=c11 a.c"}))
    assert strict.define == ("__STDC_VERSION__=201112L", "__STRICT_ANSI__=1")


@pytest.mark.parametrize(
    "option",
    "-ffast-math -Ofast -fno-signed-zeros -fsso-struct=big-endian -freciprocal-math"
    " -fno-signed-char -funsigned-bitfields -std=c89 -ansi -trigraphs -fopenmp -mavx2 -march=native"
    " -nostdinc --include=x.h -Wp,-DA -Xclang -mlong-double-64 -undef @options -idirafter -fexec-charset=x".split(),
)
def test_options_that_may_change_a_text_are_refused(option: str, tmp_path: Path) -> None:
    entry = {"directory": str(tmp_path), "file": "a.c", "command": f"cc {option} a.c"}
    with pytest.raises(BadInput, match="which Craton does not know"):
        read_compile_commands(database(tmp_path, entry))


def test_files_are_read_in_the_same_way(tmp_path: Path) -> None:
    """A macro of one file is one of all, so is a folder: where that matters, they are not read together."""
    one, two = ({"directory": str(tmp_path), "file": name} for name in ("a.c", "b.c"))
    database(tmp_path, {**one, "command": "cc -DNDEBUG a.c"}, {**two, "command": "cc b.c"})
    with pytest.raises(BadInput, match=r"a\.c is compiled with -DNDEBUG, and .*b\.c is not"):
        with_compile_commands(Request(()), read_compile_commands(tmp_path))
    database(tmp_path, {**one, "command": "cc -Ix a.c"}, {**two, "command": "cc -Iy b.c"})
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.h").write_text("")
    assert len(with_compile_commands(Request(()), read_compile_commands(tmp_path)).include) == 2
    for folder in ("x", "y"):
        (tmp_path / folder / "size.h").write_text("")
    with pytest.raises(BadInput, match=r"size\.h is in"):
        with_compile_commands(Request(()), read_compile_commands(tmp_path))


def test_a_program_has_to_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("verify") == 2
    assert "name a program" in capsys.readouterr().err


def test_what_is_ready_to_copy() -> None:
    """Files for other programs are what those read; commands in them are ones that there are."""
    root = Path(__file__).parents[2]
    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"].split()[:2] == ["craton", "verify"] and hook["language"] == "python"
    workflow = yaml.safe_load((root / "examples" / "ci" / "github-workflow.yml").read_text())
    steps = workflow["jobs"]["verify"]["steps"]
    assert any("--format sarif" in step.get("run", "") for step in steps)
    (repository,) = yaml.safe_load((root / "examples" / "ci" / "pre-commit-config.yaml").read_text())["repos"]
    assert repository["hooks"][0]["id"] == hook["id"]
