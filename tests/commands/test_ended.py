"""Ended means ended: signals, readers that go, output that cannot be written, and one JSON object whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from craton.frontends.programs import Request, load_program
from craton.processes.family import family
from craton.program.cfa import Program
from support.commands import PROGRAM, command

CRATON = (sys.executable, "-m", "craton")
HARD = """
extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), steps = 0;
  if (n == 0) return 0;
  while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
  if (steps == 123456789) reach_error();
  return 0;
}
"""


@pytest.fixture
def failing(tmp_path: Path) -> str:
    file = tmp_path / "failing.c"
    file.write_text(PROGRAM)
    return str(file)


@pytest.fixture
def hard(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A verification that goes on and on, in the middle of its work."""
    file = tmp_path / "hard.c"
    file.write_text(HARD)
    words = [*CRATON, "verify", "--time-limit", "300", "--json", str(file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while len(family(running.pid)) < 3 and running.poll() is None:
            time.sleep(0.05)
        yield running
        running.kill()


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _assert_gone(members: list[int]) -> None:
    for _ in range(100):
        if not any(map(_running, members)):
            return
        time.sleep(0.05)
    raise AssertionError(f"still running: {[pid for pid in members if _running(pid)]}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_every_process_and_the_command(hard: subprocess.Popen[str], number: signal.Signals) -> None:
    members = list(family(hard.pid))
    assert len(members) >= 3
    hard.send_signal(number)
    out, err = hard.communicate(timeout=60)
    assert hard.returncode == -number
    told = json.loads(out)
    assert told["verdict"] == "unknown" and told["reason"] == f"ended by {number.name}"
    assert err == ""
    _assert_gone(members)


def test_when_the_command_is_killed_its_workers_die(hard: subprocess.Popen[str]) -> None:
    members = list(family(hard.pid))
    hard.kill()
    hard.wait()
    _assert_gone(members)


def test_an_interrupt_is_one_object(hard: subprocess.Popen[str]) -> None:
    hard.send_signal(signal.SIGINT)
    out, _ = hard.communicate(timeout=60)
    assert json.loads(out)["reason"] == "interrupted"
    assert hard.returncode == 130


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What standard error has besides progress, which a slow machine has time to tell."""
    return [line for line in done.stderr.splitlines() if ": iteration " not in line.replace(":  ", ": ")]


@pytest.mark.parametrize("options", ["", "--json", "--stats"])
def test_a_reader_that_goes_does_not_change_the_exit_code(options: str, failing: str) -> None:
    script = f"{' '.join(CRATON)} verify {failing} {options} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, complaints(done)) == (1, [])


def test_output_that_cannot_be_written_is_an_error(failing: str) -> None:
    for redirection, told in ((">/dev/full", "No space left on device"), (">&-", "standard output is closed")):
        for options in ("", "--json"):
            script = f"{' '.join(CRATON)} verify {failing} {options} {redirection}"
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
            assert done.returncode == 2, script
            (complaint,) = complaints(done)
            assert told in complaint


def test_standard_error_may_be_closed(failing: str) -> None:
    for redirection in ("2>&-", "2>/dev/full"):
        script = f"{' '.join(CRATON)} verify {failing} --json {redirection}"
        done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True, timeout=120)
        assert done.returncode == 1 and json.loads(done.stdout)["verdict"] == "false(unreach-call)"


@pytest.mark.parametrize("option", ["--proof", "--witness"])
def test_evidence_that_cannot_be_written_is_an_error(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = tmp_path / "right.c"
    right.write_text(PROGRAM.replace("reach_error();", "{ }"))
    full = Path("/dev/full")
    assert command("verify", right, option, "/nowhere/at/all") == 2
    assert "there is no directory" in capsys.readouterr().err
    assert command("verify", right, option, full) == 2
    said = capsys.readouterr()
    assert said.out.startswith("TRUE\n") and "cannot write /dev/full: No space left on device" in said.err
    assert full.is_char_device(), "a device is written to, not replaced"
    assert command("verify", right, option, full, "--json") == 2
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "true" and "No space left" in told["unwritten"]


def test_a_place_without_permission_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    assert command("verify", "some.c", "--proof", tmp_path / "proof.json") == 2
    assert "no permission" in capsys.readouterr().err


# --- one object, whatever happens -------------------------------------------------------------------------------------


def one_object(*words: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    code = command(*words)
    out = capsys.readouterr().out
    told = json.loads(out)
    assert isinstance(told, dict)
    return code, told


def test_bad_input_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.c"
    broken.write_text("int main(void) { return")
    for words in (("missing.c",), (broken,), (tmp_path,), (), ("x.c", "--no-such-option"), ("x.c", "--engine", "none")):
        code, told = one_object("verify", "--json", *words, capsys=capsys)
        assert code == 2 and told["exit_code"] == 2 and told["error"], words
        assert "verdict" not in told


def test_what_is_not_supported_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "clauses.smt2"
    program.write_text("(declare-sort S 0)")
    code, told = one_object("verify", "--json", program, capsys=capsys)
    assert code == 3 and told["verdict"] == "unknown" and "not supported" in str(told["reason"])


def test_a_mistake_of_ours_is_one_object(
    failing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr("craton.verification.run.load_program", broken)
    code, told = one_object("verify", "--json", failing, capsys=capsys)
    assert code == 3 and "internal error: ZeroDivisionError" in str(told["reason"])
    monkeypatch.setattr("craton.commands.verify.requested", broken)
    code, told = one_object("verify", "--json", failing, capsys=capsys)
    assert code == 3 and "internal error: ZeroDivisionError" in str(told["reason"])


def test_a_limit_is_one_object(failing: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = one_object("verify", "--json", failing, "--memory-limit", "1", capsys=capsys)
    assert code == 3 and told["limit"] == "memory"


def test_what_workers_print_does_not_reach_the_user(
    failing: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def noisy(request: Request) -> Program:
        os.write(1, b"a solver's banner\n")
        os.write(2, b"WARNING: a solver's warning\n")
        return load_program(request)

    monkeypatch.setattr("craton.verification.run.load_program", noisy)
    assert command("verify", "--json", failing) == 1
    said = capfd.readouterr()
    assert json.loads(said.out)["verdict"] == "false(unreach-call)" and said.err == ""
