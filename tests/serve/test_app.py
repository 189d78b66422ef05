"""The playground: who is answered, what an order may say, how jobs are run, and what they cannot see."""

from __future__ import annotations

import io
import json
import os
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from craton.processes.confinement import version
from craton.processes.keeper import Contained
from craton.serve import jobs as jobs_module
from craton.serve.app import MOST_BYTES, Application
from craton.serve.examples import examples
from craton.serve.guard import TOKEN, Guard
from craton.serve.job import ANSWER, REPORT
from craton.serve.jobs import Job, Jobs, State
from craton.serve.orders import BadOrder, Order
from support.entries import TESTS

ROOT = TESTS.parent
PORT, SECRET = 8765, "a token"
HOST = f"127.0.0.1:{PORT}"
PROGRAM = (
    "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n"
    "int main(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); return 0; }\n"
)
needs_landlock = pytest.mark.skipif(not version(), reason="the kernel cannot confine processes")


class Idle(Jobs):
    """Jobs that wait for ever."""

    def __init__(self) -> None:
        super().__init__(workers=0)


@pytest.fixture
def app() -> Application:
    return Application(Guard(PORT, SECRET), Idle())


def request(app: Application, path: str, content: Any = None, raw: Any = None, **changed: str) -> Any:
    """The status, the headers, and the answer (JSON where it is)."""
    body = raw if raw is not None else b"" if content is None else json.dumps(content).encode()
    path, _, query = path.partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "GET" if content is None and raw is None else "POST",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "HTTP_HOST": HOST,
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        TOKEN: SECRET,
        "wsgi.input": io.BytesIO(body),
        **changed,
    }
    told: list[Any] = []
    content = b"".join(app(environ, lambda status, headers: told.extend((int(status[:3]), dict(headers)))))
    return told[0], told[1], json.loads(content) if "json" in told[1]["Content-Type"] else content.decode()


# --- who is answered --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_names_of_this_machine_are_answered(app: Application, host: str) -> None:
    status, headers, page = request(app, "/", HTTP_HOST=host)
    assert status == 200 and SECRET in page
    assert "default-src 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "changed",
    [
        {"HTTP_HOST": f"evil.example:{PORT}"},
        {"HTTP_HOST": "127.0.0.1:1"},
        {"HTTP_HOST": "127.0.0.1"},
        {"HTTP_HOST": ""},
        {"HTTP_ORIGIN": "https://evil.example"},
        {"HTTP_ORIGIN": "null"},
        {"HTTP_ORIGIN": f"https://{HOST}"},
        {"HTTP_SEC_FETCH_SITE": "cross-site"},
        {"HTTP_SEC_FETCH_SITE": "same-site"},
    ],
    ids=str,
)
def test_other_pages_are_not(app: Application, changed: dict[str, str]) -> None:
    assert request(app, "/about", **changed)[0] == 403
    assert request(app, "/jobs", {"source": PROGRAM}, **changed)[0] == 403


@pytest.mark.parametrize("changed", [{TOKEN: "another"}, {TOKEN: ""}, {"CONTENT_TYPE": "text/plain"}], ids=str)
def test_orders_come_from_the_page_itself(app: Application, changed: dict[str, str]) -> None:
    assert request(app, "/jobs", {"source": PROGRAM}, **changed)[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/app.js/../../job.py",
        "//etc/passwd",
        "/assets/app.js",
        "/jobs",
        "/jobs/x",
        "/jobs/x/report",
    ],
)
def test_there_is_nothing_else(app: Application, path: str) -> None:
    assert request(app, path)[0] == 404


def test_other_methods_are_not_understood(app: Application) -> None:
    assert request(app, "/", REQUEST_METHOD="DELETE")[0] == 405
    assert request(app, "/", REQUEST_METHOD="HEAD")[2] == ""


def test_the_page_asks_nobody_else(app: Application) -> None:
    for path in ("/", "/app.js", "/app.css"):
        status, _, text = request(app, path)
        assert status == 200 and "//" not in text.replace("// ", "").replace("://127", "")


# --- what is asked ----------------------------------------------------------------------------------------------------


def test_expressions_are_completed(app: Application) -> None:
    assert "newton(it, wp" in request(app, "/complete?kind=refine&text=newton(it,%20w")[2]
    assert "predicate" in request(app, "/complete?kind=engine&text=pred")[2]
    assert request(app, "/complete?kind=refine&text=" + "x" * 5000)[2] == []


def test_examples_are_programs_with_titles(app: Application) -> None:
    about = request(app, "/about")[2]
    assert about["examples"] == examples() and len(examples()) == 8
    assert all(one["source"].startswith(("//", "/*")) and one["title"] for one in examples())
    assert examples()[0]["title"] == "Two counters that move together. Is the assertion ever violated?"
    assert examples()[0]["source"] == (ROOT / "examples" / "c" / "pairs.c").read_text()
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert settings["force-include"] == {"examples/c": "craton/serve/examples/c"}


# --- orders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {"source": ""},
        {"source": 3},
        {"source": PROGRAM, "include": "/etc"},
        {"source": PROGRAM, "flags": "-include /etc/passwd"},
        {"source": PROGRAM, "property": "/etc/passwd"},
        {"source": PROGRAM, "language": "../c"},
        {"source": PROGRAM, "encoding": "utf-8"},
        {"source": PROGRAM, "time_limit": 1e9},
        {"source": PROGRAM, "time_limit": True},
        {"source": PROGRAM, "time_limit": "1"},
        {"source": PROGRAM, "engine": "x" * 5000},
        {"source": "x" * 300_000},
    ],
    ids=lambda content: str(content)[-40:],
)
def test_orders_that_make_no_sense(content: Any) -> None:
    with pytest.raises(BadOrder):
        Order.of(content, 120)


def test_what_is_no_order_is_told(app: Application) -> None:
    assert request(app, "/jobs", {"source": ""})[0] == 400
    assert request(app, "/jobs", raw=b"{" * 1000)[0] == 400
    assert request(app, "/jobs", raw=b"[" * 100_000)[0] == 400
    assert request(app, "/jobs", raw=b"{}", CONTENT_LENGTH=str(MOST_BYTES + 1))[0] == 413
    assert request(app, "/jobs", raw=b"{}", CONTENT_LENGTH="-1")[0] == 413


def test_the_queue_has_an_end(app: Application) -> None:
    for _ in range(jobs_module.MOST_WAITING):
        assert request(app, "/jobs", {"source": PROGRAM})[0] == 201
    assert request(app, "/jobs", {"source": PROGRAM})[0] == 503


def test_a_job_that_waits_is_told_and_stopped(app: Application) -> None:
    request(app, "/jobs", {"source": PROGRAM})
    told = request(app, "/jobs", {"source": PROGRAM})[2]
    assert told["state"] == "waiting" and told["ahead"] == 1
    assert request(app, f"/jobs/{told['id']}/stop", {})[2]["state"] == "stopped"
    assert request(app, f"/jobs/{told['id']}/report")[0] == 404


# --- jobs -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def working() -> Iterator[Jobs]:
    found = Jobs(workers=2, memory=1 << 30)
    yield found
    found.close()


def ended(jobs: Jobs, source: str, **more: Any) -> Job:
    job = jobs.add(Order.of({"source": source, "time_limit": 60, "engine": "bounded", **more}, 60))
    end = time.monotonic() + 120
    while job.state in (State.WAITING, State.RUNNING):
        assert time.monotonic() < end
        time.sleep(0.05)
    return job


@needs_landlock
def test_a_job_ends_with_an_answer_and_a_report(working: Jobs) -> None:
    job = ended(working, PROGRAM)
    assert job.state is State.DONE and job.answer["result"]["verdict"] == "false(unreach-call)"
    assert "compiled program" in job.answer["result"]["evidence"]
    _, headers, page = request(app := Application(Guard(PORT, SECRET), working), f"/jobs/{job.id}/report")
    assert page == job.report and page.startswith("<!DOCTYPE html>")
    assert headers["Content-Security-Policy"].startswith("sandbox allow-scripts; default-src 'none'")
    assert request(app, f"/jobs/{job.id}")[2]["answer"] == job.answer


@needs_landlock
@pytest.mark.parametrize(
    "line",
    [
        '#include "{}"',
        '#define A(x, y) x##y\n#if A(__has_, include)("{}")\n#include "{}"\n#endif',
        '_Pragma("GCC dependency \\"{}\\"")',
    ],
    ids=["include", "pasted", "pragma"],
)
def test_files_of_the_machine_cannot_be_read(working: Jobs, tmp_path: Path, line: str) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("#error the-secret\n")
    job = ended(working, line.replace("{}", str(secret)) + "\n" + PROGRAM)
    assert "the-secret" not in json.dumps(job.answer) + job.report
    assert "Permission denied" in job.answer["error"]


@needs_landlock
def test_a_running_job_is_stopped(working: Jobs) -> None:
    spinning = "extern void reach_error(void); int main(void) { unsigned i = 0; while (i + 1) i++; reach_error(); }"
    job = working.add(Order.of({"source": spinning, "engine": "trace-abstraction", "time_limit": 60}, 60))
    while job.keeper is None:
        time.sleep(0.02)
    working.stop(job)
    assert job.state is State.STOPPED
    while job.keeper is not None:  # until all its processes are gone
        time.sleep(0.02)


def test_only_files_that_jobs_write_are_read(tmp_path: Path) -> None:
    """Whatever gets hold of a job's folder: we follow no link to what only we may read, and wait for no pipe."""
    secret, folder = tmp_path / "secret.json", tmp_path / "job"
    folder.mkdir()
    secret.write_text('{"verdict": "a secret"}')
    contained = Contained(exit_code=0, log="ended")
    answer = folder / ANSWER
    for make in ("symlink_to", "hardlink_to", "mkfifo"):
        if make == "mkfifo":
            os.mkfifo(answer)
        else:
            getattr(answer, make)(secret)
        assert jobs_module._read(folder, contained) == ({"error": "there is no answer: ended"}, "")
        answer.unlink()
    answer.write_text("{}")
    assert jobs_module._read(folder, contained) == ({}, "")
    (folder / REPORT).symlink_to(secret)
    assert "error" in jobs_module._read(folder, contained)[0]
