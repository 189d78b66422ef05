"""A headless Chromium, spoken to over two pipes (the DevTools protocol needs no more), for tests of pages.

What a page complains of, and whatever it asks the network for, is noted: a test should look at both.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
_PATIENCE = 60.0  # seconds for an answer, also on a machine that is busy
_QUIET = (
    "--headless --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
    " --disable-default-apps --disable-extensions --no-first-run --mute-audio --remote-debugging-pipe"
).split()

# It reads from descriptor 3 and writes to 4. They may be taken in the process of the tests, but not in one of its own.
_START = """
import os, sys
source, sink = (os.dup(int(number)) for number in sys.argv[1:3])
os.dup2(source, 103)
os.dup2(sink, 104)
os.dup2(103, 3)
os.dup2(104, 4)
os.closerange(5, 256)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    def __init__(self, process: subprocess.Popen[bytes], to: int, of: int) -> None:
        self.process = process
        self._to, self._of = to, of
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._loaded = False
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def open(self, address: str, width: int = 1366, height: int = 900) -> None:
        """Opens a page and waits until it has loaded."""
        if self._session is None:
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self._call(f"{domain}.enable")
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self._loaded = False
        self._call("Page.navigate", url=address)
        end = time.monotonic() + _PATIENCE
        while not self._loaded:
            self._note(self._message(end))

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression, in the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_until(self, condition: str) -> None:
        """Until a JavaScript expression is true; what never is, ends with the browser's patience."""
        self.evaluate(
            f"new Promise(done => {{ const look = () => ({condition}) ? done() : setTimeout(look, 20); look(); }})"
        )

    def click(self, selector: str) -> None:
        """A real click of the mouse in the middle of an element, so that what covers it would be found out."""
        place = self.evaluate(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)});"
            " found.scrollIntoView({block: 'center'}); const box = found.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            x, y = place
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move_to(self, x: float, y: float) -> None:
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def type(self, text: str) -> None:
        self._call("Input.insertText", text=text)

    def dark(self, *, on: bool) -> None:
        value = "dark" if on else "light"
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot")["data"]))

    # --- the protocol: JSON objects that end with a zero byte ---

    def _call(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        request: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            request["sessionId"] = self._session
        os.write(self._to, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + _PATIENCE
        while True:
            message = self._message(end)
            if message.get("id") != self._number:
                self._note(message)
            elif "error" in message:
                raise AssertionError(f"{method}: {message['error']}")
            else:
                return message["result"]

    def _message(self, end: float) -> Any:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._of], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            piece = os.read(self._of, 1 << 16)
            assert piece, f"the browser has ended: {self.process.wait(5)}"
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, message: Any) -> None:
        told = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Runtime.exceptionThrown":
                details = told["exceptionDetails"]
                self.complaints.append(details.get("exception", {}).get("description") or details["text"])
            case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                self.complaints.append(f"{told['type']}: {[argument.get('value') for argument in told['args']]}")
            case "Log.entryAdded" if told["entry"]["level"] in ("error", "warning"):
                self.complaints.append(told["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own, which ends with the block."""
    assert CHROMIUM is not None
    read_by_it, to = os.pipe()
    of, written_by_it = os.pipe()
    flags = [*_QUIET, f"--user-data-dir={profile}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    process = subprocess.Popen(
        [sys.executable, "-c", _START, str(read_by_it), str(written_by_it), CHROMIUM, *flags, "about:blank"],
        pass_fds=(read_by_it, written_by_it),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(read_by_it)
    os.close(written_by_it)
    try:
        yield Browser(process, to, of)
    finally:
        os.close(to)  # it ends when nobody speaks to it any more
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(of)
