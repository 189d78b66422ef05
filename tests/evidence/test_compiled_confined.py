"""Programs that do what a replay must not let them do. Each tells by its error function that it could: so the same
program, run without our harness around it, shows that the test would notice.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest

from craton.evidence import compiled
from craton.evidence.compiled import run_compiled, write_harness
from craton.frontends.programs import Request, load_program
from craton.processes.compilers import compilers
from craton.program.cfa import Location, Program
from craton.verdicts.counterexample import NotCompiled, NotReached, Reached, Replay

pytestmark = pytest.mark.skipif(not compilers(), reason="there is no C compiler")

NOTHING = Replay(Location(0), (), ())
# The kernel itself is asked: functions of the C library that the front end does not know have stubs.
PRELUDE = """
extern void reach_error(void);
static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
"""
ATTEMPTS = {
    "a child": "long child = call(57, 0, 0, 0); if (child == 0) call(60, 0, 0, 0); if (child > 0) reach_error();",
    "a socket": "if (call(41, 2, 1, 0) >= 0) reach_error();",
    "a file of its own": 'if (call(2, (long)"written", 0101, 0600) >= 0) reach_error();',
    "a file of others": 'if (call(2, (long)"/etc/passwd", 0, 0) >= 0) reach_error();',
    "a file that goes away": 'if (call(87, (long)"harness.c", 0, 0) == 0) reach_error();',
    "another program": 'char *none[1] = {0}; if (call(59, (long)"/no", (long)none, (long)none) == -2) reach_error();',
    "a signal to others": "if (call(62, call(110, 0, 0, 0), 0, 0) == 0) reach_error();",
    "higher limits": "unsigned long most[2] = {1 << 20, 1 << 20}; if (call(160, 1, (long)most, 0) == 0) reach_error();",
    "32 bits": 'long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory"); if (r > 0) reach_error();',
}


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_SECONDS", 1.0)
    monkeypatch.setattr(compiled, "compilers", lambda: compilers()[:1])


def requested(folder: Path, body: str, before: str = "") -> Request:
    path = folder / "p.c"
    path.write_text(f"{PRELUDE} {before} int main(void) {{ {body} return 0; }}")
    return Request((str(path),), data_model="LP64")


@pytest.fixture(scope="module")
def innocent(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Some program; of the one that is compiled the front end need not know everything."""
    path = tmp_path_factory.mktemp("innocent") / "p.c"
    path.write_text("int main(void) { return 0; }")
    return load_program(Request((str(path),)))


@pytest.mark.parametrize("body", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_a_replay_stays_inside_of_its_process(body: str, innocent: Program, tmp_path: Path) -> None:
    request = requested(tmp_path, body)
    result = run_compiled(request, innocent, NOTHING, "unreach-call")
    assert isinstance(result, NotReached), result
    write_harness(tmp_path / "kept", request, innocent, NOTHING, "unreach-call")
    done = subprocess.run(["make", "-C", str(tmp_path / "kept"), "run"], capture_output=True, text=True)
    assert "error reached" in done.stderr


def test_files_are_missing_for_reading_and_a_run_that_writes_one_shows_nothing(
    innocent: Program, tmp_path: Path
) -> None:
    """What a program does that may not write is not what it does; but a file that is not there is not there."""
    for flags, counts in ((0, True), (1, False), (0x42, False)):
        body = f'if (call(2, (long)"/no/such/file", {flags}, 0) == -2) reach_error();'
        result = run_compiled(requested(tmp_path, body), innocent, NOTHING, "unreach-call")
        assert isinstance(result, Reached) == counts, result


def test_a_constructor_of_the_program_is_confined_as_well(innocent: Program, tmp_path: Path) -> None:
    before = "__attribute__((constructor(1))) static void early(void) { if (call(41, 2, 1, 0) >= 0) reach_error(); }"
    result = run_compiled(requested(tmp_path, "", before), innocent, NOTHING, "unreach-call")
    assert isinstance(result, NotReached), result


LIMITS = {
    "time": ("for (;;) {}", "its time is over"),
    "sleep": ("long forever[2] = {1000000, 0}; call(35, (long)forever, 0, 0);", "its time is over"),
    "memory": (
        "for (;;) { char *p = malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 64) p[i] = 1; }",
        "memory",
    ),
    "addresses": ("for (;;) malloc(1 << 28);", "memory"),
    "stack": ("deeper(1);", "signal 11"),
    "output": ("for (;;) { call(1, 1, (long)PRELUDE, 4096); call(1, 2, (long)PRELUDE, 4096); }", "its time is over"),
}


@pytest.mark.parametrize(("body", "why"), LIMITS.values(), ids=LIMITS.keys())
def test_limits_are_kept(
    body: str, why: str, innocent: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "MEMORY", 64 << 20)
    before = (
        "extern void *malloc(__SIZE_TYPE__); int deeper(int x) { int a[99]; a[x] = x; return deeper(a[x]) + a[x]; }"
    )
    before += " char PRELUDE[4096];"
    result = run_compiled(requested(tmp_path, body, before), innocent, NOTHING, "unreach-call")
    assert isinstance(result, NotReached), result
    assert why in result.reason


FORGERIES = {
    "words": 'for (int fd = 0; fd < 1024; fd++) call(1, fd, (long)"replay: error reached: unreach-call\\n", 36);',
    "letters": 'for (int fd = 0; fd < 1024; fd++) call(1, fd, (long)"\\n00000000000000000000000000000000R\\n", 35);',
    "exit code": "call(231, 1, 0, 0);",
    "signal": "__builtin_trap();",
}


@pytest.mark.parametrize("body", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_program_cannot_report_by_itself(body: str, innocent: Program, tmp_path: Path) -> None:
    result = run_compiled(requested(tmp_path, body), innocent, NOTHING, "unreach-call")
    assert isinstance(result, NotReached), result


def test_a_sanitizers_report_cannot_be_printed(innocent: Program, tmp_path: Path) -> None:
    words = "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address"
    request = requested(
        tmp_path, f'for (int fd = 1; fd < 300; fd++) call(1, fd, (long)"{words}\\n", {len(words) + 1});'
    )
    assert isinstance(run_compiled(request, innocent, NOTHING, "valid-deref"), NotReached)


def test_a_program_that_is_too_large_is_not_compiled(innocent: Program, tmp_path: Path) -> None:
    before = '__asm__(".data\\n.fill 2147483647, 1, 7\\n.text");'
    result = run_compiled(requested(tmp_path, "reach_error();", before), innocent, NOTHING, "unreach-call")
    assert isinstance(result, NotCompiled), result


def test_nothing_is_left_behind(innocent: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    run_compiled(requested(tmp_path, "for (;;) {}"), innocent, NOTHING, "unreach-call")
    assert list((tmp_path / "temporary").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.c", "temporary"]
