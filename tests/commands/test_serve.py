"""`craton serve`: refuses where it cannot work, and serves where it can."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing

import pytest

from craton.processes.confinement import version
from support.commands import command


def test_a_kernel_that_cannot_confine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("craton.processes.confinement.version", lambda: 0)
    assert command("serve") == 2
    assert "--unconfined serves all the same" in capsys.readouterr().err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert command("serve", "--unconfined", "--port", other.getsockname()[1]) == 2
    assert "--port takes another one" in capsys.readouterr().err


@pytest.mark.skipif(not version(), reason="the kernel cannot confine processes")
def test_it_answers_until_it_is_ended() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "craton", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().split(":")[2].split("/")[0])
            _asks_for_a_verdict(port)
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                connection.putrequest("POST", "/jobs")
                connection.putheader("Content-Length", str(10**10))
                connection.endheaders()
                assert connection.getresponse().status == 413
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()


PROGRAM = (
    "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) { assert(__VERIFIER_nondet_int() != 7); }"
)


def _asks_for_a_verdict(port: int) -> None:
    """As the page does: with the token that it was told."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:

        def answer(method: str, path: str, body: str | None = None, **headers: str) -> str:
            connection.request(method, path, body, headers)
            return connection.getresponse().read().decode()

        token = re.search(r'content="([\w-]{20,})"', answer("GET", "/"))
        assert token is not None
        order = json.dumps({"source": PROGRAM, "engine": "bounded"})
        told = {"Content-Type": "application/json", "X-Craton-Token": token[1]}
        job = json.loads(answer("POST", "/jobs", order, **told))
        while job["state"] in ("waiting", "running"):
            time.sleep(0.05)
            job = json.loads(answer("GET", f"/jobs/{job['id']}"))
        assert job["state"] == "done" and job["answer"]["result"]["verdict"] == "false(unreach-call)"
        assert "FALSE" in answer("GET", f"/jobs/{job['id']}/report")
