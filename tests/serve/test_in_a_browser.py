"""The playground in a real browser: two configurations side by side, and a report that can be stepped through."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from waitress import server

from craton.processes.confinement import version
from craton.serve.app import Application
from craton.serve.guard import Guard
from craton.serve.jobs import Jobs
from support.browser import CHROMIUM, Browser, browser
from support.commands import command

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
needs_landlock = pytest.mark.skipif(not version(), reason="the kernel cannot confine processes")
TOO_WIDE = "document.scrollingElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    jobs = Jobs(workers=2, memory=1 << 30)
    serving = server.create_server(Application(Guard(port, "a token"), jobs, 60), sockets=[listening], threads=2)
    Thread(target=serving.run, daemon=True).start()
    yield f"http://127.0.0.1:{port}/"
    jobs.close()
    serving.close()


@needs_browser
@needs_landlock
def test_two_configurations_side_by_side(chromium: Browser, address: str) -> None:
    chromium.open(address, width=400)
    chromium.wait_until("document.getElementById('example').options.length > 3")
    chromium.evaluate(
        "(() => { const chosen = document.getElementById('example'); chosen.value = 'fees.c';"
        " chosen.dispatchEvent(new Event('change')); })()"
    )
    assert chromium.evaluate("document.getElementById('source').value").startswith("// Fees are deducted")
    chromium.click("#compare")
    for way, engine in (("a", "bounded"), ("b", "unheard-of")):
        chromium.evaluate(f"document.querySelector('#way-{way} [name=engine]').focus()")
        chromium.type(engine)
    chromium.wait_until("[...document.querySelectorAll('#engine-a option')].some(one => one.value === 'bounded')")
    chromium.click("#run")
    chromium.wait_until("document.querySelector('#answer-a iframe') && document.querySelector('#answer-b .error')")
    assert chromium.evaluate("document.querySelector('#answer-a h2').textContent") == "FALSE(unreach-call)"
    assert "unknown engine" in chromium.evaluate("document.querySelector('#answer-b .error').textContent")
    assert not chromium.evaluate(TOO_WIDE)
    assert all(url.startswith((address, "data:", "about:")) for url in chromium.requests)


@needs_browser
def test_a_report_is_stepped_through(chromium: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "sum.c", tmp_path / "sum.html"
    file.write_text(
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n"
        "  int n = __VERIFIER_nondet_int(), sum = 0;\n  for (int i = 0; i < 6; i++)\n    sum += i;\n"
        "  assert(sum + n != 20);\n  return 0;\n}\n"
    )
    assert command("verify", file, "--engine", "bounded", "--report", page) == 1
    chromium.complaints.clear()
    chromium.requests.clear()
    for width in (1366, 400):
        chromium.open(page.as_uri(), width)
        assert not chromium.evaluate(TOO_WIDE)
        chromium.click("#on")
        assert chromium.evaluate("document.querySelector('#counter').textContent").startswith("2 / ")
        chromium.click("#last")
        assert chromium.evaluate("document.querySelector('.row.now.fails').textContent").startswith("7  assert(sum")
        values = chromium.evaluate("document.querySelector('#values').innerText")
        assert "sum\t15" in values and "n\t5\tinput" in values
    assert chromium.evaluate("document.querySelectorAll('.cfa .passed').length") > 0
    assert chromium.complaints == [] and {*chromium.requests} == {page.as_uri()}
