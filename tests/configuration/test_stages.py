"""Stages as data: what a file may say, how mistakes are answered, and that the default is told truthfully."""

from __future__ import annotations

from pathlib import Path

import pytest

from craton.cli import main
from craton.configuration.engines import ENGINES, check_stage, has_refiner, make_engine, refines
from craton.configuration.stages import DEFAULT, Stage, StagesError, described, read_stages
from craton.engines.predicate import Abstracting, PredicateAnalysis
from craton.errors import CratonError


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "stages.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_of_stages(tmp_path: Path) -> None:
    text = """
    [[stage]]
    engine = "predicate(sbe, cartesian)"
    refine = "craig(z3)"
    encoding = "int"
    share = 2
    seconds = 1.5

    [[stage]]
    engine = "horn"
    """
    first, second = read_stages(written(tmp_path, text))
    assert first == Stage("predicate(sbe, cartesian)", "craig(z3)", "int", share=2, seconds=1.5)
    assert second == Stage("horn")
    engine = make_engine(first)
    assert isinstance(engine, PredicateAnalysis)
    assert (engine.blocks, engine.abstraction, engine.refiner.name) == (1, Abstracting.CARTESIAN, "craig(z3)")
    assert engine.name == "predicate(sbe,cartesian)"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("engine = ", "is not TOML"),
        ("", "no stages"),
        ("stage = 3", "no stages"),
        ("stage = [3]", "stage 1 is not a table"),
        ("[[stages]]\nengine = 'horn'", "unknown key 'stages'"),
        ("[[stage]]\nrefine = 'craig'", "stage 1 names no engine"),
        (
            "[[stage]]\nengine = 'horn'\nsecond = 1",
            "stage 1: unknown key 'second'; did you mean",
        ),
        ("[[stage]]\nengine = 3", "engine must be a text"),
        ("[[stage]]\nengine = 'horn'\nshare = 0", "share must be a positive number, found 0"),
        ("[[stage]]\nengine = 'horn'\nseconds = true", "seconds must be a positive number"),
        ("[[stage]]\nengine = 'horn'\nencoding = 'bits'", "encoding must be one of bv, int, ideal"),
        ("[[stage]]\nengine = 'horn'\nseed = -1", "seed must be a number from 0 on"),
    ],
)
def test_mistakes_in_a_file(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(StagesError) as caught:
        read_stages(written(tmp_path, text))
    assert problem in str(caught.value)
    assert "stages.toml" in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(StagesError, match="No such file"):
        read_stages(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("stage", "problem"),
    [
        (Stage("horm"), "unknown engine 'horm'; did you mean horn?"),
        (Stage("testin"), "unknown engine 'testin'; did you mean testing?"),
        (Stage("testing(1)"), "testing takes neither arguments nor a value"),
        (Stage("predicate(sbe, lbe)"), "lbe contradicts or repeats sbe"),
        (Stage("predicate(sbe, blocks=2)"), "blocks contradicts or repeats sbe"),
        (Stage("predicate(bolean)"), "unknown option of predicate 'bolean'; did you mean boolean?"),
        (Stage("bounded(depth)"), "depth needs a value: depth=…"),
        (Stage("predicate", "neuton"), "unknown refiner 'neuton'"),
        (Stage("horn", solver="z4"), "z4"),
        (Stage("bounded", "craig(z4)"), "z4"),  # also where nobody asks a refiner
    ],
)
def test_mistakes_in_a_stage(stage: Stage, problem: str) -> None:
    with pytest.raises(CratonError) as caught:
        check_stage(stage)
    assert problem in str(caught.value)


def test_the_default_stages_make_sense() -> None:
    for stage in DEFAULT:
        check_stage(stage)
    assert {refines(stage.engine) for stage in DEFAULT} == {True, False}
    assert len(described(DEFAULT)) == len(DEFAULT)
    parts = [int(told.split()[0]) for _, told in described(DEFAULT)]
    assert abs(sum(parts) - 100) <= len(parts) / 2


def test_which_engines_refine_is_known_without_importing_them() -> None:
    assert {name: refines(name) for name in ENGINES.own} == {n: has_refiner(e) for n, e in ENGINES.own.items()}


def test_the_default_is_printed_with_shares_and_caps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engines"]) == 0
    printed = capsys.readouterr().out
    for stage in DEFAULT:
        assert stage.name in printed
    assert "bounded" in printed and "at most 6 s" in printed


def test_a_file_of_stages_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p.c"
    program.write_text("void reach_error(void); int main(void) { int x = 1; if (x != 1) reach_error(); return 0; }\n")
    stages = written(tmp_path, "[[stage]]\nengine = 'trace-abstraction'\nrefine = 'newton(it, sp, lv)'\n")
    assert main(["verify", str(program), "--stages", str(stages)]) == 0
    assert "TRUE" in capsys.readouterr().out
    assert main(["verify", str(program), "--stages", str(stages), "--engine", "horn"]) == 2
    assert "exclude each other" in capsys.readouterr().err
    stages.write_text("[[stage]]\nengine = 'hron'\n")
    assert main(["verify", str(program), "--stages", str(stages)]) == 2
    assert "did you mean horn" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "gone"),
    [
        (["horn"], {"horn", "horn (ideal)"}),
        (["horn (ideal)"], {"horn (ideal)"}),
        (["cells", "shapes"], {"conjectures (cells)", "conjectures (ideal, cells)", "shapes"}),
        (["bounded(loops)"], {"bounded(loops)"}),
    ],
)
def test_stages_that_are_left_out(names: list[str], gone: set[str]) -> None:
    left = DEFAULT.without(names)
    assert {stage.name for stage in DEFAULT} - {stage.name for stage in left} == gone
    assert left.schedules == DEFAULT.schedules


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--without", "shape"], "did you mean 'shapes'"),
        (["--without", "nothing like it"], "there are bounded, "),
        (["--without", "horn", "--engine", "bounded"], "exclude each other"),
    ],
)
def test_leaving_out_what_is_not_there(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "p.c"
    program.write_text("int main(void) { return 0; }\n")
    assert main(["verify", str(program), *arguments]) == 2
    assert message in capsys.readouterr().err
