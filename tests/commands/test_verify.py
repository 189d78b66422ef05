"""`craton verify`: verdict lines, exit codes, output, limits, interrupts, and the same result for the same command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from craton.cli import main
from craton.configuration.stages import DEFAULT
from craton.frontends.programs import HOST_DATA_MODEL
from craton.processes.family import family
from support.programs import BY_NAME, FOLDER

# Nobody knows: whether the count can be that large is Collatz's question.
HARD = """
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), steps = 0;
  if (n == 0) return 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  if (steps == 123456789) reach_error();
  return 0;
}
"""


@pytest.fixture
def hard(tmp_path: Path) -> str:
    file = tmp_path / "hard.c"
    file.write_text(HARD)
    return str(file)


def path(name: str) -> str:
    return str(BY_NAME[name].path)


def verify(*arguments: str) -> int:
    return main(["verify", *arguments])


def bad_input(*arguments: str) -> int:
    """The exit code, be it the command's or that of the parser of arguments."""
    try:
        return verify(*arguments)
    except SystemExit as left:
        return int(left.code or 0)


# --- verdicts ---------------------------------------------------------------------------------------------------------


def test_true_is_told_with_its_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--time-limit", "60", path("loops/together.c")) == 0
    out = capsys.readouterr().out
    assert out.startswith("TRUE\n")
    assert "1 loop invariant, re-checked by " in out


def test_false_is_told_with_its_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--data-model", "LP64", path("control/label.c")) == 1
    out = capsys.readouterr().out
    assert out.startswith("FALSE(unreach-call): ")
    assert "error reached in the compiled program (" in out
    assert ") after 1 input: 42" in out


def test_unknown_is_told_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--engine", "bounded(depth=1)", path("loops/even.c")) == 3
    out = capsys.readouterr().out
    assert out.startswith("UNKNOWN\n")
    assert "reason: no error within 1 steps" in out


def test_recursion_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--engine", "trace-abstraction", "--time-limit", "5", path("functions/counting_calls.c")) == 3
    assert "recursion was neither proved by contracts nor unrolled far enough: depth" in capsys.readouterr().out


@pytest.mark.parametrize(
    "failure",
    ["reach_error();", "__VERIFIER_error();", "assert(x != 3);", "goto ERROR;"],
)
def test_by_default_these_are_errors(failure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "#include <assert.h>\n"
        "extern void reach_error(void); extern void __VERIFIER_error(void); extern int __VERIFIER_nondet_int(void);\n"
        f"int main(void) {{ int x = __VERIFIER_nondet_int(); if (x == 3) {{ {failure} }} return 0;\nERROR: return 1; }}"
    )
    assert verify("--quiet", str(file)) == 1
    assert capsys.readouterr().out == "FALSE(unreach-call)\n"


def test_a_property_file_says_what_counts(capsys: pytest.CaptureFixture[str]) -> None:
    overflow = ("--property", str(FOLDER / "no-overflow.prp"))
    assert verify("--quiet", *overflow, path("overflow/increment.c")) == 1
    assert capsys.readouterr().out == "FALSE(no-overflow)\n"
    assert verify("--quiet", path("overflow/increment.c")) == 0
    assert verify("--quiet", *overflow, path("control/label.c")) == 0


def test_a_task_definition_stands_for_its_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its property and data model count, unless the command says otherwise."""
    program = tmp_path / "program.c"
    program.write_text("extern void reach_error(void); int main(void) { if (sizeof(long) == 8) reach_error(); }")
    (tmp_path / "reach.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (tmp_path / "task.yml").write_text(
        "format_version: '2.0'\ninput_files: program.c\nproperties:\n  - property_file: reach.prp\n"
        "    expected_verdict: false\noptions:\n  language: C\n  data_model: LP64\n"
    )
    assert verify("--quiet", str(tmp_path / "task.yml")) == 1
    assert capsys.readouterr().out == "FALSE(unreach-call)\n"
    assert verify("--quiet", "--data-model", "ILP32", str(tmp_path / "task.yml")) == 0
    assert verify("--quiet", "--data-model", "ILP32", str(program)) == 0
    assert verify("--quiet", str(program)) == (1 if HOST_DATA_MODEL == "LP64" else 0)


# --- output -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("loops/together.c", "true"), ("control/label.c", "false(unreach-call)")],
)
def test_json_has_everything(name: str, verdict: str, capsys: pytest.CaptureFixture[str]) -> None:
    verify("--json", "--time-limit", "60", path(name))
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    assert captured.err == ""
    assert told["verdict"] == verdict
    assert told["found_by"] in {stage.name for stage in DEFAULT}
    statistics = told["statistics"]
    assert {"iterations", "refutations", "perfect sequences", "trace length", "predicates", "states"} <= set(statistics)
    assert statistics["peak memory (MiB)"] > 0
    assert statistics["wall time (s)"] > 0
    assert all(tally["calls"] > 0 for tally in statistics["time (s)"].values())
    if verdict == "true":
        assert len(told["invariants"]) == 1
    else:
        assert told["inputs"] == [{"function": "__VERIFIER_nondet_int", "type": "int", "value": "42"}]


def test_quiet_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    verify("--quiet", "--engine", "predicate", path("loops/together.c"))
    captured = capsys.readouterr()
    assert captured.out == "TRUE\n"
    assert captured.err == ""


def test_statistics_are_printed_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    verify("--stats", "--engine", "trace-abstraction", path("loops/together.c"))
    out = capsys.readouterr().out
    assert "statistics:" in out
    assert "time: loading" in out
    assert "peak memory (MiB)" in out


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("--engine", "predicate(lbe, sbee)"), ("did you mean sbe?", "  predicate(lbe, sbee)\n                 ^")),
        (("--engine", "predicate(dfs, bfs)"), ("bfs contradicts", "  predicate(dfs, bfs)\n                 ^")),
        (("--engine", "splitter"), ("did you mean splitting?", "  splitter\n  ^")),
        (("--engine", "bounded(depth=0)"), ("expected a positive number", "  bounded(depth=0)\n                ^")),
        (("--engine", "predicate("), ("found the end",)),
        (("--refine", "newton(it, spp)"), ("did you mean sp?", "  newton(it, spp)\n             ^")),
        (("--solver", "z4"), ("no solver is called 'z4'",)),
        (("--time-limit", "-3"), ("expected a positive number",)),
        (("--encoding", "bits"), ("invalid choice",)),
        (("--property", "missing.prp"), ("cannot read property file missing.prp",)),
    ],
)
def test_mistakes_are_pointed_at(
    arguments: tuple[str, ...], shown: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bad_input(*arguments, path("loops/together.c")) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    for text in shown:
        assert text in captured.err


@pytest.mark.parametrize("name", ["missing.c", "missing.bpl", "missing.yml"])
def test_a_missing_file_is_bad_input(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(str(tmp_path / name)) == 2
    assert name in capsys.readouterr().err


def test_a_program_that_does_not_parse_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "broken.c"
    file.write_text("int main(void) { return 0 }\n")
    assert verify(str(file)) == 2
    assert "broken.c:1" in capsys.readouterr().err


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [(), ("--engine", "trace-abstraction"), ("--engine", "bounded")])
def test_the_time_limit_is_kept(hard: str, engine: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    assert verify("--json", "--time-limit", "2", *engine, hard) == 3
    assert time.monotonic() - started < 20
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "unknown"
    assert told["reason"]
    assert told["statistics"]["time (s)"]["loading"]["calls"] == 1


def test_the_processor_limit_is_kept(hard: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--cpu-limit", "1", "--time-limit", "60", hard) == 3
    assert "processor time limit of 1 s reached" in capsys.readouterr().out


def test_the_memory_limit_is_kept(hard: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--memory-limit", "20", "--time-limit", "60", hard) == 3
    assert "memory limit of 20 MiB reached" in capsys.readouterr().out


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="families are seen through /proc")
def test_an_interrupt_ends_all_and_tells_what_is_known(hard: str) -> None:
    command = [sys.executable, "-m", "craton", "verify", "--stats", "--time-limit", "300", hard]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert "iteration" in running.stderr.readline()  # the first line of progress
    members = family(running.pid)
    assert len(members) >= 2
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out.startswith("UNKNOWN\n  reason: interrupted\n") and "try:" not in out
    assert "time: loading" in out
    assert "Traceback" not in err
    time.sleep(0.1)
    assert not any(_running(member) for member in members)


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# --- the same command, the same result --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("loops/even.c", ("--engine", "trace-abstraction", "--refine", "newton(it, wp, lv)")),
        ("loops/together.c", ("--engine", "predicate")),
        ("control/lock.c", ("--engine", "splitting")),
        ("control/lock.c", ("--engine", "predicate(sbe)", "--refine", "newton(it, wp, lv)")),
        ("control/machine_wrong.c", ("--engine", "trace-abstraction", "--refine", "craig(z3)")),
        ("loops/changing_places.c", ("--engine", "trace-abstraction", "--encoding", "int")),
    ],
)
def test_the_same_command_gives_the_same_result(name: str, arguments: tuple[str, ...]) -> None:
    """Whatever Python's hashes are: verdict, iterations, predicates, inputs and proof."""
    first, second = (_told(name, arguments, seed) for seed in ("1", "4711"))
    assert first == second
    assert first["verdict"] == BY_NAME[name].expected


def _told(name: str, arguments: tuple[str, ...], hash_seed: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "craton", "verify", "--json", "--time-limit", "60", *arguments, path(name)]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    told: dict[str, Any] = json.loads(result.stdout)
    statistics = told["statistics"]
    for figure in ("peak memory (MiB)", "processor time (s)", "wall time (s)"):
        del statistics[figure]
    statistics["seconds of stages"] = list(statistics["seconds of stages"])
    statistics["time (s)"] = {purpose: tally["calls"] for purpose, tally in statistics["time (s)"].items()}
    told["evidence"] = told["evidence"].rpartition(" in ")[0]
    for refined in told.get("refinements", []):
        del refined["seconds"]
    return told


def test_termination_is_not_taken_for_a_property_that_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, wanted = tmp_path / "loop.c", tmp_path / "termination.prp"
    program.write_text("int main(void) { while (1); }")
    wanted.write_text("CHECK( init(main()), LTL(F end) )\n")
    assert verify(str(program), "--property", str(wanted)) == 3
    assert "F end" in capsys.readouterr().err
